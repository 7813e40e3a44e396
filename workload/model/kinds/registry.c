/* The kinds of operators; see kind.h. */
#include <stddef.h>

#include "workload/model/kinds/kind.h"
#include "workload/model/kinds/kind_list.h"

#define ENTRY(kind, text) &orr_model_kind_##kind,
const struct model_kind_ops *const orr_model_kinds[] = {ORR_MODEL_KINDS(ENTRY) NULL};
#undef ENTRY
