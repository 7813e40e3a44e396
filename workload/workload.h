/* The public header of workload/: traces, their files, generators, and the engine. */
#ifndef ORR_WORKLOAD_WORKLOAD_H
#define ORR_WORKLOAD_WORKLOAD_H

#include "workload/cluster.h"
#include "workload/config_keys.h"
#include "workload/engine.h"
#include "workload/et/et.h"
#include "workload/generate.h"
#include "workload/op_kind.h"
#include "workload/taskgraph.h"
#include "workload/trace.h"
#include "workload/trace_builder.h"
#include "workload/trace_compare.h"
#include "workload/trace_cut.h"
#include "workload/trace_match.h"
#include "workload/trace_ops.h"
#include "workload/trace_path.h"
#include "workload/trace_query.h"
#include "workload/trace_scale.h"
#include "workload/trace_stats.h"
#include "workload/trace_steps.h"
#include "workload/workload_config.h"

#endif
