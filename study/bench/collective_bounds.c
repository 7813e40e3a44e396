/* Bounds of a bench's sizes on the platform's network. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/net_config.h"
#include "network/net_config_graph.h"
#include "report/pictures/pictures.h"
#include "report/topology/bound_report.h"
#include "sim/load/platform_network.h"
#include "study/bench/collective_bench.h"

static enum orr_status compute(struct orr_collective_bench *bench, const struct net_config *network,
                               struct orr_arena *arena, struct orr_diag *diag)
{
    struct net_config config = *network;
    enum orr_status status = orr_net_config_make_graph(arena, &config, diag);
    for (unsigned i = 0; i < bench->sizes && status == ORR_OK; i++) {
        const struct orr_graph_view view = {
            .name = "platform", .graph = *config.graph, .arena = arena, .has_bandwidths = true};
        const struct orr_bound_request request = {.kind = bench->collective,
                                                  .bytes = bench->size[i]};
        struct orr_bound bound;
        status = orr_bound_compute(&view, &request, &bound, diag);
        bench->bound_ps[i] = bound.bound_ps;
        bench->optimum_ps[i] = bound.optimum_ps;
    }
    return status;
}

enum orr_status orr_collective_bench_bounds(struct orr_collective_bench *bench,
                                            const struct orrery *job, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "the bounds of a collective");
    }
    const enum orr_status status = compute(bench, orr_job_network(job), arena, diag);
    orr_arena_destroy(arena);
    return status;
}
