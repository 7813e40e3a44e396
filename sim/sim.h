/* The public header of sim/: Orrery's files and the shipped inputs, clusters of jobs, classes of
 * NPUs. The API of a run is include/orrery/orrery.h. */
#ifndef ORR_SIM_SIM_H
#define ORR_SIM_SIM_H

#include "sim/api_call.h"
#include "sim/api_object.h"
#include "sim/cluster/jobs.h"
#include "sim/cluster/named_fabric.h"
#include "sim/cluster/ring_block.h"
#include "sim/cluster/taskgraph_job.h"
#include "sim/expr/derived_values.h"
#include "sim/expr/expr.h"
#include "sim/load/compute_basis.h"
#include "sim/load/find_input.h"
#include "sim/load/fitted_gpu.h"
#include "sim/load/inline_network.h"
#include "sim/load/input_files.h"
#include "sim/load/model_file.h"
#include "sim/load/platform_network.h"
#include "sim/load/shared_path.h"
#include "sim/load/strategy_job.h"
#include "sim/load/workload_config.h"
#include "sim/loaded_job.h"
#include "sim/local_memory.h"
#include "sim/ring_use.h"
#include "sim/sensitivity.h"
#include "sim/time_classes.h"

#endif
