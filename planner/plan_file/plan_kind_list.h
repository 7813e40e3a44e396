/* The kinds of plans, as help lists them, one line each: ORR_PLAN_KIND(orr_plan_kind_NAME). X-macro
 * list: plan_kinds.c includes it twice. */
#include "wings/plan_kinds.def"
