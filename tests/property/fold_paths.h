/* Whether a folded run tells the critical path that the run of all NPUs tells. */
#ifndef ORR_TESTS_PROPERTY_FOLD_PATHS_H
#define ORR_TESTS_PROPERTY_FOLD_PATHS_H

#include "orrery/orrery.h"

/* What differs: "parts of the critical path", or its "steps", where the folded one names whoever
 * stands for an NPU, or one whose node begins or ends in the same instant; NULL: nothing. Both
 * have recorded it. */
const char *fold_path_differs(const struct orrery *all, const struct orrery *folded);

/* The same without the steps: what the time is spent on. */
const char *fold_path_parts_differ(const struct orrery *all, const struct orrery *folded);

#endif
