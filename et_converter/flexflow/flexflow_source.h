/* A FlexFlow task graph as what a job runs: its traces in memory, with their groups, and the
 * network that it brings. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_SOURCE_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_SOURCE_H

#include "et_converter/flexflow/flexflow_graph.h"
#include "workload/workload.h"

/* The ranks of a group, whose name in the traces is its place in the list plus one, as text. */
struct flexflow_group {
    const char *name;
    const uint32_t *ranks; /* [count] */
    uint32_t count;
};

struct flexflow_source {
    struct flexflow_graph graph; /* as read */
    uint32_t servers;            /* that have traces */
    const struct orr_trace **trace;
    uint32_t groups;
    const struct flexflow_group *group;
};

/* Reads a task graph (FlatBuffers or DOT, also compressed) into the arena: the traces that `orrery
 * convert` writes of it. Errors: as for conversion (flexflow_plan.h). O(bytes + (tasks +
 * dependencies) log tasks). */
enum orr_status orr_flexflow_source_read(struct orr_arena *arena, const char *path,
                                         struct flexflow_source *out, struct orr_diag *diag);

#endif
