#define CUDA_VERSION 1000
#if defined(__GNUC__)
#define __CUDA_DEPRECATED __attribute__((deprecated))
#else
#define __CUDA_DEPRECATED
#endif
typedef enum CUresult_enum { CUDA_SUCCESS = 0 } CUresult;
typedef struct CUgizmo_st *CUgizmo;

typedef enum CUgizmoMode_enum { CU_GIZMO_MODE_A = 0, CU_GIZMO_MODE_B = 1, CU_GIZMO_MODE_MAX = 2 } CUgizmoMode;
typedef struct CUgizmoInfo_st { int size; int reserved[3]; } CUgizmoInfo;
typedef void (*CUgizmoCallback)(CUgizmo gizmo);
typedef int CUgizmoKey;
#define CU_GIZMO_LIMIT 16
#define CU_GIZMO_FIRST ((CUgizmo)0x1)
#define cuGizmoOpen cuGizmoOpen_v2
CUresult cuGizmoOpen(CUgizmo *g);
CUresult cuGizmoClose(CUgizmo gizmo);
__CUDA_DEPRECATED CUresult cuGizmoCount(int *count);
CUresult cuGizmoFlicker(void);
#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuGizmoOpen
CUresult cuGizmoOpen(CUgizmo *g);
#endif
