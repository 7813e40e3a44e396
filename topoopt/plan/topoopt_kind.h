/* Plans of TopoOpt as a kind of plan (topoopt_kind.c). */
#ifndef ORR_TOPOOPT_PLAN_TOPOOPT_KIND_H
#define ORR_TOPOOPT_PLAN_TOPOOPT_KIND_H

#include "planner/plan_file/plan_kind.h"

extern const struct plan_kind orr_plan_kind_topoopt;

#endif
