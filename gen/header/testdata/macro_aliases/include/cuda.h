#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
#define __CUDA_API_PTSZ(api) api
typedef int CUresult;
typedef struct CUgizmo_st {
    int size;
} CUgizmo_v2;
#define cuGizmoOpen cuGizmoOpen_v3
#define cuGizmoSpin __CUDA_API_PTSZ(cuGizmoSpin_v2)
#define cuGizmoStop __CUDA_API_PTSZ(cuGizmoStop) /* stands for itself: no alias */
#define cuGizmoTwice (cuGizmoSpin)
#define cuGizmoNothing cuGizmoNobodyDeclaresThis
#define CUgizmo CUgizmo_v2
CUresult cuGizmoOpen(CUgizmo_v2 *gizmo, int flags);
CUresult cuGizmoSpin(CUgizmo_v2 *gizmo);
CUresult cuGizmoStop(CUgizmo_v2 *gizmo);
#endif
