#include <cuda.h>
CUresult cuGizmoProfile(void);
