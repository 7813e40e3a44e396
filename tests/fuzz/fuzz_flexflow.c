/* Fuzz target of FlexFlow's task graphs, FlatBuffers and DOT: any bytes give valid traces of all
 * NPUs or an error with a message. */
#include "core/arena.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/flexflow/flexflow_graph.h"
#include "et_converter/flexflow/flexflow_plan.h"
#include "et_converter/flexflow/flexflow_topology.h"
#include "workload/taskgraph/tg_traces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_SERVERS = 4096 }; /* each has a trace; more only take time */

static enum orr_status make(struct orr_arena *arena, const struct flexflow_graph *graph,
                            struct orr_diag *diag)
{
    struct flexflow_plan plan;
    struct tg_traces traces;
    enum orr_status status = orr_flexflow_plan_make(&plan, graph, arena, diag);
    if (status == ORR_OK) {
        status = orr_tg_traces_make(&traces, &plan.tasks, arena, NULL, diag);
    }
    uint64_t tasks = 0;
    for (uint32_t i = 0; status == ORR_OK && i < plan.tasks.npus; i++) {
        ORR_ASSERT(traces.trace[i] != NULL);
        tasks += traces.counts[i].tasks;
    }
    ORR_ASSERT(status != ORR_OK || tasks == graph->tasks);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct flexflow_bytes bytes = {.name = "input", .data = data, .count = size};
    struct flexflow_graph graph;
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    enum orr_status status = orr_flexflow_read(arena, &bytes, &graph, &diag);
    if (status == ORR_OK) {
        status = orr_flexflow_topology_check(&graph, &diag);
    }
    if (status == ORR_OK && graph.servers <= MAX_SERVERS) {
        status = make(arena, &graph, &diag);
    }
    /* A bad input must never look like a mistake of ours. */
    ORR_ASSERT(status == ORR_OK || (status == ORR_ERR_INPUT && diag.message[0] != '\0'));
    orr_arena_destroy(arena);
    return 0;
}
