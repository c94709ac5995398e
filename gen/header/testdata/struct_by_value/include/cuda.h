#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
typedef struct CUgizmoId_st {
    char bytes[64];
} CUgizmoId;
typedef struct CUgizmoPair_st {
    int left;
    float right;
} CUgizmoPair;
typedef CUgizmoPair CUgizmoPairAlias;
CUgizmoPair cuGizmoSwap(CUgizmoPair pair);
int cuGizmoOpenById(void **gizmo, CUgizmoId id, unsigned int flags);
int cuGizmoScale(CUgizmoPairAlias pair, float by, double exact, const CUgizmoId *const *list, int matrix[2][3]);
#endif
