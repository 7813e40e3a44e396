/* See sipml_circuits.h. */
#include "planner/sipml/sipml_circuits.h"

#include <inttypes.h>

struct setting {
    struct orr_arena *arena;
    const struct net_circuits *circuits;
    const struct sipml_traffic *traffic;
    const struct net_allocator_ops *ops;
    struct net_allocated_problem problem;
    struct orr_diag *diag;
};

/* As runs count bytes (network/allocation.h). */
static uint64_t counted(const struct sipml_traffic *traffic, const struct sipml_row *row,
                        double weight)
{
    const double bytes = (double)sat_plus(row->parallel, row->ring);
    const double counts = bytes * (row->to < traffic->group ? weight : 1);
    return counts < 1 ? 1 : sat_whole(counts + 0.5);
}

/* The share of time in which circuits are lit. */
static double duty(const struct net_circuits *circuits)
{
    const double hold_ps = (double)circuits->allocated->hold_ps;
    return circuits->allocated->hold_ps == ORR_TIME_MAX
               ? 1
               : hold_ps / (hold_ps + (double)circuits->dark_ps);
}

static bool pose(struct setting *setting, double weight, uint32_t npus, uint64_t **bytes)
{
    const struct sipml_traffic *traffic = setting->traffic;
    const struct net_circuits *circuits = setting->circuits;
    struct net_link *link =
        orr_arena_array(setting->arena, (size_t)traffic->rows + 1, sizeof *link);
    *bytes = orr_arena_array(setting->arena, (size_t)traffic->rows + 1, sizeof **bytes);
    if (link == NULL || *bytes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < traffic->rows; i++) {
        const struct sipml_row *row = &traffic->row[i];
        (*bytes)[i] = counted(traffic, row, weight);
        link[i] = (struct net_link){.from = row->from,
                                    .to = row->to,
                                    .bytes_per_s = circuits->bytes_per_s * duty(circuits),
                                    .latency_ps = circuits->latency_ps};
    }
    setting->problem = (struct net_allocated_problem){.npus = npus,
                                                      .group = traffic->group,
                                                      .ports = circuits->ports,
                                                      .demands = traffic->rows,
                                                      .link = link,
                                                      .rules = circuits->allocated->rules};
    return true;
}

static enum orr_status check_reach(const struct setting *setting)
{
    const struct net_allocator_ops *ops = setting->ops;
    for (uint32_t i = 0; ops->reaches != NULL && i < setting->problem.demands; i++) {
        const struct net_link *link = &setting->problem.link[i];
        const char *why = NULL;
        if (!ops->reaches(&setting->problem, link, setting->arena, &why)) {
            return why == NULL ? orr_diag_no_memory(setting->diag, "circuits")
                               : orr_diag_fail(setting->diag, ORR_ERR_INPUT, NULL,
                                               "GPU %" PRIu32 " sends to GPU %" PRIu32 ", but %s",
                                               link->from, link->to, why);
        }
    }
    return ORR_OK;
}

static enum orr_status set(const struct setting *setting, const uint64_t *bytes,
                           struct net_allocation *out)
{
    enum orr_status status = check_reach(setting);
    if (status == ORR_OK) {
        status =
            setting->ops->allocate(setting->arena, &setting->problem, bytes, out, setting->diag);
    }
    if (status == ORR_OK && out->crowd.set != WAVE_NONE) {
        status = orr_diag_fail(setting->diag, ORR_ERR_INPUT, NULL, "%s", "");
        setting->ops->tell_crowd(&setting->problem, bytes, out, setting->diag);
    }
    return status;
}

static enum orr_status join(const struct setting *setting, const uint32_t *circuits,
                            struct net_graph *out)
{
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, setting->arena, setting->problem.npus, 0);
    for (uint32_t i = 0; i < setting->problem.demands; i++) {
        struct net_link link = setting->problem.link[i];
        link.count = circuits[i];
        orr_net_graph_link(&builder, &link);
    }
    return orr_net_graph_end(&builder, out, setting->diag);
}

enum orr_status orr_sipml_circuits(struct orr_arena *arena, const struct net_graph *graph,
                                   const struct sipml_traffic *traffic, double weight,
                                   struct sipml_circuits *out, struct orr_diag *diag)
{
    struct setting setting = {.arena = arena,
                              .circuits = graph->circuits,
                              .traffic = traffic,
                              .ops = orr_net_allocator(graph->circuits->controller),
                              .diag = diag};
    uint64_t *bytes = NULL;
    *out = (struct sipml_circuits){.weight = weight};
    if (!pose(&setting, weight, graph->npus, &bytes)) {
        return orr_diag_no_memory(diag, "circuits");
    }
    out->bytes = bytes;
    const enum orr_status status = set(&setting, bytes, &out->set);
    return status == ORR_OK ? join(&setting, out->set.circuits, &out->graph) : status;
}
