#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
typedef struct CUgizmoParams_st {
    int kind;
    union {
        struct {
            short x;
            double y;
        } point;
        char raw[24];
        union {
            float f;
            int i;
        };
    };
    struct {
        char tag;
        struct CUgizmoCorner_st {
            unsigned short a, b;
        } corner;
    } cells[3];
    struct {
        long long tail;
    };
} CUgizmoParams;
typedef union CUgizmoValue_un {
    void *pointer;
    unsigned char bytes[12];
} CUgizmoValue;
#endif
