/* FlexFlow task graph as the workload of a job; see flexflow_source.h. */
#include "et_converter/flexflow/flexflow_source.h"

#include "core/arena.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_network.h"
#include "et_converter/flexflow/flexflow_plan.h"

static enum orr_status make_network(const void *context, struct orr_arena *arena,
                                    struct net_link_kind kind, struct net_graph *out,
                                    struct orr_diag *diag)
{
    return orr_flexflow_network(arena, context, kind, out, diag);
}

enum orr_status orr_flexflow_source(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                    struct conv_task_graph *out, struct orr_diag *diag)
{
    struct flexflow_plan plan;
    struct flexflow_graph *graph = orr_arena_alloc(arena, sizeof *graph);
    if (graph == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    enum orr_status status = orr_flexflow_read(arena, bytes, graph, diag);
    if (status == ORR_OK) {
        status = orr_flexflow_plan_make(&plan, graph, arena, diag);
    }
    if (status == ORR_OK) {
        out->graph = plan.tasks;
        out->network = (struct conv_file_network){
            .bytes_per_s = graph->link_bytes_per_ms * 1e3, .make = make_network, .context = graph};
    }
    return status;
}
