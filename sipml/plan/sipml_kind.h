/* Plans of SiP-ML as a kind of plan (sipml_kind.c). */
#ifndef ORR_SIPML_PLAN_SIPML_KIND_H
#define ORR_SIPML_PLAN_SIPML_KIND_H

#include "planner/plan_file/plan_kind.h"

extern const struct plan_kind orr_plan_kind_sip_ml;

#endif
