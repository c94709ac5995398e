#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
#define CU_GIZMO_QWORDS 4
typedef struct CUgizmoMap_st {
#if defined(__cplusplus) && (__cplusplus >= 201103L)
    alignas(64)
#elif __STDC_VERSION__ >= 201112L
    _Alignas(64)
#endif
        unsigned long long opaque[CU_GIZMO_QWORDS];
} CUgizmoMap;
typedef struct __attribute__((aligned(16))) CUgizmoVec_st {
    float x, y, z;
} CUgizmoVec;
typedef struct CUgizmoHolder_st {
    char head;
    CUgizmoMap map;
    char mid;
    CUgizmoVec vec;
    char tail;
} CUgizmoHolder;
#endif
