#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
#include <stdio.h>
typedef struct CUgizmo_st *CUgizmo;
typedef const struct CUgizmo_st *CUgizmoView;
typedef struct CUgizmoLater CUgizmoLater;
typedef CUgizmoLater *CUgizmoLaterPtr;
typedef struct CUgizmoNever CUgizmoNever;
typedef CUgizmoNever *CUgizmoNeverPtr;
typedef CUgizmo CUgizmoAlias;
typedef void *CUgizmoAny;
struct CUgizmoLater {
    struct CUgizmoLater *next;
    struct CUgizmoBare *bare;
};
struct CUgizmoBare {
    CUgizmoNever *never;
};
typedef unsigned int CUgizmoKey[4];
int cuGizmoMix(struct CUgizmoBare *bare, const struct CUgizmoLater *later, CUgizmoNeverPtr never, FILE *log, CUgizmoKey key,
               char *const *names, unsigned u, long int li, short unsigned su, long long unsigned llu, signed char sc);
#endif
