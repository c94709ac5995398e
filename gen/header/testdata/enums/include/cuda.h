#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
typedef enum CUgizmoMode_enum {
    CU_GIZMO_MODE_OFF = 0,
    CU_GIZMO_MODE_SLOW = 1,
    CU_GIZMO_MODE_LAZY = CU_GIZMO_MODE_SLOW, /* a second name for the same number */
    CU_GIZMO_MODE_FAST,
    CU_GIZMO_MODE_TOP = 0x7fffffff
} CUgizmoMode;
typedef enum {
    CU_GIZMO_PRIORITY_HIGH = -1,
    CU_GIZMO_PRIORITY_NORMAL = 0,
    CU_GIZMO_PRIORITY_LOWEST = -0x7fffffff - 1
} CUgizmoPriority;
typedef enum CUgizmoFlags_enum {
    CU_GIZMO_FLAG_A = 1u << 31,
    CU_GIZMO_FLAG_ALL = 0xffffffff
} CUgizmoFlags;
enum CUgizmoBare {
    CU_GIZMO_BARE = 'g',
};
enum {
    CU_GIZMO_LOOSE = sizeof(int) * 2
};
typedef CUgizmoMode CUgizmoModeAlias;
typedef struct CUgizmoState_st {
    enum { CU_GIZMO_STATE_UP, CU_GIZMO_STATE_DOWN } state;
    enum CUgizmoBare bare;
} CUgizmoState;
int cuGizmoSet(CUgizmoMode mode, enum CUgizmoMode_enum again, enum CUgizmoBare bare, CUgizmoModeAlias alias);
#endif
