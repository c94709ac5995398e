#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
typedef struct CUgizmoBits_st {
    unsigned int first : 1;
    unsigned int wide : 30;
    unsigned int next : 5; /* does not fit the unit of the two before it */
    unsigned int : 3;
    unsigned int after : 2;
    int plain;
    signed int sign : 7;
    unsigned int end : 25;
    unsigned long long middle;
    unsigned long long huge : 40;
    unsigned long long more : 24;
    unsigned char small : 4;
    unsigned char smaller : 3;
    char last;
} CUgizmoBits;
typedef union CUgizmoBitUnion_un {
    unsigned int all;
    struct {
        unsigned int low : 12, high : 20;
    };
    unsigned int part : 9;
} CUgizmoBitUnion;
#endif
