#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
typedef int CUresult;
#if defined(__CUDA_API_VERSION_INTERNAL) || defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __CUDA_API_PTSZ(api) api##_ptsz
#else
#define __CUDA_API_PTSZ(api) api
#endif
#define cuGizmoOpen cuGizmoOpen_v3
#define cuGizmoSpin __CUDA_API_PTSZ(cuGizmoSpin)
CUresult cuGizmoOpen(void **gizmo, int flags, int mode);
CUresult cuGizmoSpin(void *gizmo);
CUresult cuGizmoLate(void);
#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuGizmoOpen
#undef cuGizmoSpin
CUresult cuGizmoOpen(void **gizmo);
CUresult cuGizmoOpen_v2(void **gizmo, int flags);
CUresult cuGizmoSpin(void *gizmo);
#endif
#endif
