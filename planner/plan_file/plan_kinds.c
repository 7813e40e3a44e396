/* The list of kinds of plans; see plan_kind.h. */
#include "planner/plan_file/plan_kind.h"

#define ORR_PLAN_KIND(name) extern const struct plan_kind name;
#include "planner/plan_file/plan_kind_list.h"
#undef ORR_PLAN_KIND

const struct plan_kind *const orr_plan_kinds[] = {
#define ORR_PLAN_KIND(name) &name,
#include "planner/plan_file/plan_kind_list.h"
#undef ORR_PLAN_KIND
    NULL};
