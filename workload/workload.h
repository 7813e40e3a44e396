/* The public header of workload/: traces, their files, task graphs, generators, and
 * the engine. */
#ifndef ORR_WORKLOAD_WORKLOAD_H
#define ORR_WORKLOAD_WORKLOAD_H

#include "workload/engine/engine.h"
#include "workload/engine/node_requests.h"
#include "workload/gen/cnn.h"
#include "workload/gen/dlrm.h"
#include "workload/gen/generate.h"
#include "workload/gen/layouts.h"
#include "workload/gen/models.h"
#include "workload/gen/transformer.h"
#include "workload/model/build.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/op_graph.h"
#include "workload/taskgraph/tg_builder.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/trace/custom_collective.h"
#include "workload/trace/et/et.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/op_name.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_compare.h"
#include "workload/trace/trace_cut.h"
#include "workload/trace/trace_cut_files.h"
#include "workload/trace/trace_match.h"
#include "workload/trace/trace_ops.h"
#include "workload/trace/trace_path.h"
#include "workload/trace/trace_query.h"
#include "workload/trace/trace_scale.h"
#include "workload/trace/trace_stats.h"
#include "workload/trace/trace_steps.h"

#endif
