#ifndef HIP_GIZMO_H
#define HIP_GIZMO_H
#include <hip/hip_version.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
typedef struct {
    long x, y;
} hipGizmoLong2;
typedef struct hipGizmoMixed {
    char c;
    unsigned long n;
    size_t size;
    bool on;
    uint16_t id;
    struct {
        long inner;
        int after;
    } part;
} hipGizmoMixed;
int hipGizmoCount(unsigned long *count, long by);
#endif
