#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
#ifdef _WIN32
#define CUDA_CB __stdcall
#else
#define CUDA_CB
#endif
typedef struct CUgizmo_st *CUgizmo;
typedef void(CUDA_CB *CUgizmoCallback)(CUgizmo gizmo, const char *what, void *user);
typedef int CUgizmoVisitor(CUgizmo gizmo, ...);
typedef struct CUgizmoHooks_st {
    void (*opened)(CUgizmo gizmo);
    unsigned long long (*measure)(const void *data, unsigned long long size);
    CUgizmoCallback closed;
    CUgizmoVisitor *visit;
    int (*table[4])(int);
} CUgizmoHooks;
int cuGizmoWalk(CUgizmo gizmo, CUgizmoVisitor *visitor, void (*done)(CUgizmo, int status), int order(int, int));
void (*cuGizmoHandler(int signal))(int);
#endif
