/* Assignments of --set with the ASTRA-sim simulator's files, for settings that these files lack. */
#ifndef ORR_CLI_COMPAT_SET_H
#define ORR_CLI_COMPAT_SET_H

#include "core/status.h"
#include "orrery/orrery.h"

struct orr_diag;

/* Reads the assignments set[count] into `inputs`; the last one of a path applies. The only path is
 * compat.dimension_scheduling. */
enum orr_status orr_compat_set(struct orrery_astra_sim *inputs, const char *const *set,
                               size_t count, struct orr_diag *diag);

#endif
