#ifndef HIP_GIZMO_H
#define HIP_GIZMO_H
#include <hip/hip_version.h>
typedef struct hipGizmoPropR2_st {
    int size;
} hipGizmoPropR2;
typedef hipGizmoPropR2 hipGizmoProp;
int hipGetGizmoR2(hipGizmoPropR2 *prop, int device);
static inline int hipGetGizmo(hipGizmoProp *prop, int device) { return hipGetGizmoR2((hipGizmoPropR2 *)prop, device); }
static inline int hipGetGizmoFirst(hipGizmoProp *prop) { return hipGetGizmoR2(prop, 0); }
static inline int hipGetGizmoSwapped(int device, hipGizmoProp *prop) { return hipGetGizmoR2(prop, device); }
static inline hipGizmoProp make_hipGizmoProp(int size) {
    hipGizmoProp p;
    p.size = size;
    return p;
}
int hipGizmoReset(void);
static inline void hipGizmoResetNow(void) { hipGizmoReset(); }
int hipGizmoDefinedHere(int x);
inline int hipGizmoDefinedHere(int x) { return x + 1; }
#endif
