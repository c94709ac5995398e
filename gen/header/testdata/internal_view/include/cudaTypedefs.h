#include <cuda.h>
#define __API_TYPEDEF_PTSZ(api, default_version, ptds_version) api##_v##default_version
#define PFN_cuGizmoSpin __API_TYPEDEF_PTSZ(PFN_cuGizmoSpin, 7000, 7050)
typedef CUresult (*PFN_cuGizmoOpen_v2000)(void **gizmo);
typedef CUresult (*PFN_cuGizmoOpen_v3020)(void **gizmo, int flags);
typedef CUresult (*PFN_cuGizmoOpen_v12080)(void **gizmo, int flags, int mode);
typedef CUresult (*PFN_cuGizmoSpin_v7000)(void *gizmo);
typedef CUresult (*PFN_cuGizmoSpin_v7050_ptsz)(void *gizmo);
typedef CUresult (*PFN_cuGizmoLate_v99020)(void);
