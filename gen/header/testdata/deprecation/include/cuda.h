#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
#if defined(__CUDA_API_VERSION_INTERNAL)
#define __CUDA_DEPRECATED
#elif defined(__GNUC__)
#define __CUDA_DEPRECATED __attribute__((deprecated))
#else
#define __CUDA_DEPRECATED
#endif
#define CU_GIZMO_OLD(msg) __attribute__((__deprecated__(msg)))
/* \deprecated words alone don't count */
int cuGizmoFresh(void);
__CUDA_DEPRECATED int cuGizmoOld(int x);
CU_GIZMO_OLD("use cuGizmoFresh")
int cuGizmoOlder(void);
int cuGizmoOldest(void) __attribute__((deprecated));
typedef int CUgizmoOld __attribute__((deprecated("gone soon")));
#undef __CUDA_DEPRECATED
#endif
