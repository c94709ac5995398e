#ifndef HIP_GIZMO_H
#define HIP_GIZMO_H
#include <hip/hip_version.h>
/**
 * @defgroup API The whole
 * @{
 */
/**
 * @defgroup Gizmo Gizmo management
 * @{
 */
/**
 * @brief Opens.
 *
 * @param [in]      name   which
 * @param[out] gizmo  the handle
 * @param [in,out] size  in: room, out: used
 * @param flags  nothing said
 */
int hipGizmoOpen(const char* name, void** gizmo, unsigned long long* size, int flags);
int hipGizmoNoComment(int x);
/** @} */
/// @ingroup Other
int hipGizmoInner(void);
/**
 * @addtogroup GizmoD Old ones
 * @{
 * @ingroup Gizmo
 */
/** @param[out] a,b both */
int hipGizmoOld(int* a,
                int* b /* a remark in between */);
/** @} */
/**
 * @}
 */
int hipGizmoOutside(void);
#endif
