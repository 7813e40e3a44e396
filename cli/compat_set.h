/* --set with the ASTRA-sim simulator's files: what its own files cannot say. */
#ifndef ORR_CLI_COMPAT_SET_H
#define ORR_CLI_COMPAT_SET_H

#include "core/core.h"
#include "orrery/orrery.h"

/* Reads the assignments set[count]; the last of equal paths holds. The only path is
 * compat.dimension_scheduling. */
enum orr_status orr_compat_set(struct orrery_astra_sim *inputs, const char *const *set,
                               size_t count, struct orr_diag *diag);

#endif
