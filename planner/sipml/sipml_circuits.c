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
    return counts < 1 ? 1 : sat_integer(counts + 0.5);
}

/* The share of time in which circuits are lit. */
static double duty(const struct net_circuits *circuits)
{
    const double hold_ps = (double)circuits->allocated->hold_ps;
    return circuits->allocated->hold_ps == ORR_TIME_MAX
               ? 1
               : hold_ps / (hold_ps + (double)circuits->dark_ps);
}

/* The demands of the first group, or of all: a device's lie one behind the other, and those around
 * the end come first. */
static bool list(struct setting *setting, double weight, uint32_t groups, uint64_t **bytes)
{
    const struct sipml_traffic *traffic = setting->traffic;
    const struct net_circuits *circuits = setting->circuits;
    const uint32_t k = traffic->group, n = traffic->devices;
    const size_t max = (size_t)traffic->rows * groups;
    struct net_link *link = orr_arena_array(setting->arena, max + 1, sizeof *link);
    uint32_t end = 0;
    *bytes = orr_arena_array(setting->arena, max + 1, sizeof **bytes);
    if (link == NULL || *bytes == NULL) {
        return false;
    }
    for (uint32_t base = 0; base < groups * k; base += k) {
        for (uint32_t i = 0; i < traffic->rows; i++) {
            const struct sipml_row *row = &traffic->row[i];
            const uint32_t from = base + row->from;
            const uint32_t to = row->to < n - base ? row->to + base : row->to - (n - base);
            uint32_t at = end++;
            for (; at > 0 && link[at - 1].from == from && link[at - 1].to > to; at--) {
                link[at] = link[at - 1];
                (*bytes)[at] = (*bytes)[at - 1];
            }
            (*bytes)[at] = counted(traffic, row, weight);
            link[at] = (struct net_link){.from = from,
                                         .to = to,
                                         .bytes_per_s = circuits->bytes_per_s * duty(circuits),
                                         .latency_ps = circuits->latency_ps};
        }
    }
    setting->problem = (struct net_allocated_problem){.npus = n,
                                                      .group = groups == 1 ? k : n,
                                                      .ports = circuits->ports,
                                                      .demands = end,
                                                      .link = link,
                                                      .rules = circuits->allocated->rules};
    return true;
}

/* One group stands for all where the network lets it, as in a run. */
static bool pose(struct setting *setting, double weight, uint64_t **bytes)
{
    const struct sipml_traffic *traffic = setting->traffic;
    const struct net_allocator_ops *ops = setting->ops;
    const bool made = list(setting, weight, 1, bytes);
    bool alike = true;
    for (uint32_t i = 0; made && alike && ops->is_equivalent != NULL && i < traffic->rows; i++) {
        alike = ops->is_equivalent(&setting->problem, &setting->problem.link[i]);
    }
    return made && !alike ? list(setting, weight, traffic->devices / traffic->group, bytes) : made;
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

static enum orr_status refuse_crowd(const struct setting *setting, const uint64_t *bytes,
                                    const struct net_allocation *found)
{
    (void)orr_diag_fail(setting->diag, ORR_ERR_INPUT, NULL, "%s", "");
    setting->ops->describe_overload(&setting->problem, bytes, found, setting->diag);
    return ORR_ERR_INPUT;
}

/* As if each circuit were `turns` of a part of its time. */
static enum orr_status allocate(const struct setting *setting, const uint64_t *bytes,
                                uint32_t turns, struct net_allocation *out)
{
    struct net_allocated_problem problem = setting->problem;
    problem.ports *= turns;
    return setting->ops->allocate(setting->arena, &problem, bytes, out, setting->diag);
}

/* Circuits that are set once cannot take turns. */
static enum orr_status set(const struct setting *setting, const uint64_t *bytes,
                           struct sipml_circuits *out)
{
    const bool anew = setting->circuits->allocated->hold_ps != ORR_TIME_MAX;
    enum orr_status status = check_reach(setting);
    if (status == ORR_OK) {
        status = allocate(setting, bytes, 1, &out->set);
    }
    const struct net_allocation once = out->set;
    while (status == ORR_OK && out->set.overload.set != WAVE_NONE && anew &&
           2 * out->turns * setting->problem.ports <= RING_MAX_WAVELENGTHS) {
        out->turns *= 2;
        status = allocate(setting, bytes, out->turns, &out->set);
    }
    return status == ORR_OK && out->set.overload.set != WAVE_NONE
               ? refuse_crowd(setting, bytes, &once)
               : status;
}

static enum orr_status join(const struct setting *setting, const struct sipml_circuits *circuits,
                            struct net_graph *out)
{
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, setting->arena, setting->problem.npus, 0);
    for (uint32_t i = 0; i < setting->traffic->rows; i++) {
        struct net_link link = setting->problem.link[i];
        link.count = circuits->set.circuits[i];
        link.bytes_per_s /= circuits->turns;
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
    *out = (struct sipml_circuits){.weight = weight, .turns = 1};
    if (!pose(&setting, weight, &bytes)) {
        return orr_diag_no_memory(diag, "circuits");
    }
    out->bytes = bytes;
    const enum orr_status status = set(&setting, bytes, out);
    return status == ORR_OK ? join(&setting, out, &out->graph) : status;
}
