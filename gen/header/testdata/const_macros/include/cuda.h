#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#define CUDA_VERSION 99010
typedef struct CUgizmo_st *CUgizmo;
typedef int CUgizmoDevice;
typedef enum CUgizmoAttr_enum { CU_GIZMO_ATTR_SIZE = 7 } CUgizmoAttr;
#define CU_GIZMO_EMPTY
#define CU_GIZMO_SIZE 64
#define CU_GIZMO_HEX 0x1F
#define CU_GIZMO_OCTAL 010
#define CU_GIZMO_NEGATIVE -1
#define CU_GIZMO_UNSIGNED 4294967295u
#define CU_GIZMO_TOP 0x80000000
#define CU_GIZMO_WIDE 0x123456789ABCDEF0ULL
#define CU_GIZMO_SHIFT (1 << 4 | CU_GIZMO_HEX)
#define CU_GIZMO_SIZEOF (sizeof(int) * 3)
#define CU_GIZMO_FLOAT 2.5f
#define CU_GIZMO_DOUBLE 1e-3
#define CU_GIZMO_NAME "gizmo"
#define CU_GIZMO_MESSAGE "a sentence is no value"
#define CU_GIZMO_FIRST ((CUgizmo)0x1)
#define CU_GIZMO_END ((void *)0x03)
#define CU_GIZMO_CPU ((CUgizmoDevice)-1)
#define CU_GIZMO_OTHER_NAME CU_GIZMO_ATTR_SIZE
#define CU_GIZMO_SAME CU_GIZMO_HEX
#define CU_GIZMO_CALL(x) ((x) + 1)
#define CU_GIZMO_CODE do { } while (0)
#define CU_GIZMO_GUARD_H 1
#define CUDA_VERSION_TEXT "99.1"
#define OTHER_PREFIX 5
#define cudaRuntime 6
#endif
