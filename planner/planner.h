/* The public header of planner/: planners (TopoOpt, SiP-ML), the evaluator and the finder that they
 * use, and fits to measurements. */
#ifndef ORR_PLANNER_PLANNER_H
#define ORR_PLANNER_PLANNER_H

#include "planner/evaluator/eval_job.h"
#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "planner/finder/finder.h"
#include "planner/finder/matching.h"
#include "planner/finder/nccl_graph.h"
#include "planner/finder/port_map.h"
#include "planner/finder/routes.h"
#include "planner/fit_collectives/fit_collectives.h"
#include "planner/fit_compute/fit_compute.h"
#include "planner/plan_file/plan_job.h"
#include "planner/schema.h"
#include "planner/search/search.h"
#include "planner/sipml/sipml_check.h"
#include "planner/sipml/sipml_place.h"
#include "planner/topoopt/topoopt.h"

#endif
