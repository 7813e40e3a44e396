/* FlexFlow task graph as the workload of a job. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_SOURCE_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_SOURCE_H

#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/task_graph_input.h"

/* Reads a task graph (FlatBuffers or DOT) and its network into the arena. Errors: as for conversion
 * (flexflow_plan.h). O(bytes + (tasks + dependencies) log tasks). */
enum orr_status orr_flexflow_source(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                    struct conv_task_graph *out, struct orr_diag *diag);

#endif
