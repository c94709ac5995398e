#define CUDA_VERSION 1100
#if defined(__GNUC__)
#define __CUDA_DEPRECATED __attribute__((deprecated))
#else
#define __CUDA_DEPRECATED
#endif
typedef enum CUresult_enum { CUDA_SUCCESS = 0 } CUresult;
typedef struct CUgizmo_st *CUgizmo;

typedef enum CUgizmoMode_enum { CU_GIZMO_MODE_A = 0, CU_GIZMO_MODE_X = 5, CU_GIZMO_MODE_LOW = -1, CU_GIZMO_MODE_MAX = 6 } CUgizmoMode;
typedef struct CUgizmoInfo_st { int size; int mode; union { int reserved[2]; void *next; }; } CUgizmoInfo;
typedef void (*CUgizmoCallback)(CUgizmo gizmo, int status);
typedef struct CUgizmoKey_st { int word; } CUgizmoKey;
#define CU_GIZMO_LIMIT 0x20u
#define CU_GIZMO_FIRST ((CUgizmo)0x1)
#define cuGizmoOpen cuGizmoOpen_v3
CUresult cuGizmoOpen(CUgizmo *gizmo, CUgizmoMode mode);
__CUDA_DEPRECATED CUresult cuGizmoClose(CUgizmo gizmo);
CUresult cuGizmoCount(unsigned int *count);
CUresult cuGizmoFlicker(void);
#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuGizmoOpen
CUresult cuGizmoOpen(CUgizmo *g);
CUresult cuGizmoOpen_v2(CUgizmo *g);
#endif
