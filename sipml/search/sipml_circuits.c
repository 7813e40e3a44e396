/* Circuits of a candidate strategy: see sipml_circuits.h. */
#include "sipml/search/sipml_circuits.h"

#include "core/arena.h"
#include "core/saturate.h"
#include "network/graph_build.h"
#include "sipml/wavelengths/wavelengths.h"

#include <inttypes.h>

struct circuit_job {
    struct orr_arena *arena;
    const struct net_circuits *circuits;
    const struct sipml_traffic *traffic;
    const struct net_allocator_ops *ops;
    struct net_allocated_problem problem;
    struct orr_diag *diag;
};

/* The bytes of a row as runs count them (network/allocation.h). */
static uint64_t weighted_bytes(const struct sipml_traffic *traffic, const struct sipml_row *row,
                               double weight)
{
    const double bytes = (double)sat_plus(row->parallel, row->ring);
    const double counts = bytes * (row->to < traffic->group ? weight : 1);
    return counts < 1 ? 1 : sat_integer(counts + 0.5);
}

/* The share of time in which circuits are lit. */
static double duty_cycle(const struct net_circuits *circuits)
{
    const double hold_ps = (double)circuits->allocated->hold_ps;
    return circuits->allocated->hold_ps == ORR_TIME_MAX
               ? 1
               : hold_ps / (hold_ps + (double)circuits->dark_ps);
}

/* Lists the demands of the first group, or of all groups, sorted by sender and then by receiver. */
static bool list_demands(struct circuit_job *circuit_job, double weight, uint32_t groups,
                         uint64_t **bytes)
{
    const struct sipml_traffic *traffic = circuit_job->traffic;
    const struct net_circuits *circuits = circuit_job->circuits;
    const uint32_t k = traffic->group, n = traffic->devices;
    const size_t max = (size_t)traffic->rows * groups;
    struct net_link *link = orr_arena_array(circuit_job->arena, max + 1, sizeof *link);
    uint32_t end = 0;
    *bytes = orr_arena_array(circuit_job->arena, max + 1, sizeof **bytes);
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
            (*bytes)[at] = weighted_bytes(traffic, row, weight);
            link[at] =
                (struct net_link){.from = from,
                                  .to = to,
                                  .bytes_per_s = circuits->bytes_per_s * duty_cycle(circuits),
                                  .latency_ps = circuits->latency_ps};
        }
    }
    circuit_job->problem = (struct net_allocated_problem){.npus = n,
                                                          .group = groups == 1 ? k : n,
                                                          .ports = circuits->ports,
                                                          .demands = end,
                                                          .link = link,
                                                          .rules = circuits->allocated->rules};
    return true;
}

/* States the allocation problem: of one group if the network lets it stand for all, as in a run. */
static bool make_problem(struct circuit_job *circuit_job, double weight, uint64_t **bytes)
{
    const struct sipml_traffic *traffic = circuit_job->traffic;
    const struct net_allocator_ops *ops = circuit_job->ops;
    const bool made = list_demands(circuit_job, weight, 1, bytes);
    bool one_group = true;
    for (uint32_t i = 0; made && one_group && ops->is_equivalent != NULL && i < traffic->rows;
         i++) {
        one_group = ops->is_equivalent(&circuit_job->problem, &circuit_job->problem.link[i]);
    }
    return made && !one_group
               ? list_demands(circuit_job, weight, traffic->devices / traffic->group, bytes)
               : made;
}

static enum orr_status check_reach(const struct circuit_job *circuit_job)
{
    const struct net_allocator_ops *ops = circuit_job->ops;
    for (uint32_t i = 0; ops->reaches != NULL && i < circuit_job->problem.demands; i++) {
        const struct net_link *link = &circuit_job->problem.link[i];
        const char *why = NULL;
        if (!ops->reaches(&circuit_job->problem, link, circuit_job->arena, &why)) {
            return why == NULL ? orr_diag_no_memory(circuit_job->diag, "circuits")
                               : orr_diag_fail(circuit_job->diag, ORR_ERR_INPUT, NULL,
                                               "GPU %" PRIu32 " sends to GPU %" PRIu32 ", but %s",
                                               link->from, link->to, why);
        }
    }
    return ORR_OK;
}

static enum orr_status fail_overload(const struct circuit_job *circuit_job, const uint64_t *bytes,
                                     const struct net_allocation *found)
{
    (void)orr_diag_fail(circuit_job->diag, ORR_ERR_INPUT, NULL, "%s", "");
    circuit_job->ops->describe_overload(&circuit_job->problem, bytes, found, circuit_job->diag);
    return ORR_ERR_INPUT;
}

/* Allocates with `turns` times as many ports, each for a part of the time. */
static enum orr_status allocate(const struct circuit_job *circuit_job, const uint64_t *bytes,
                                uint32_t turns, struct net_allocation *out)
{
    struct net_allocated_problem problem = circuit_job->problem;
    problem.ports *= turns;
    return circuit_job->ops->allocate(circuit_job->arena, &problem, bytes, out, circuit_job->diag);
}

/* Allocates; if that fails and circuits are set repeatedly, with more and more turns. Circuits that
 * are set once cannot take turns. */
static enum orr_status set(const struct circuit_job *circuit_job, const uint64_t *bytes,
                           struct sipml_circuits *out)
{
    const bool resets = circuit_job->circuits->allocated->hold_ps != ORR_TIME_MAX;
    enum orr_status status = check_reach(circuit_job);
    if (status == ORR_OK) {
        status = allocate(circuit_job, bytes, 1, &out->set);
    }
    const struct net_allocation once = out->set;
    while (status == ORR_OK && out->set.overload.set != WAVE_NONE && resets &&
           2 * out->turns * circuit_job->problem.ports <= RING_MAX_WAVELENGTHS) {
        out->turns *= 2;
        status = allocate(circuit_job, bytes, out->turns, &out->set);
    }
    return status == ORR_OK && out->set.overload.set != WAVE_NONE
               ? fail_overload(circuit_job, bytes, &once)
               : status;
}

static enum orr_status build_graph(const struct circuit_job *circuit_job,
                                   const struct sipml_circuits *circuits, struct net_graph *out)
{
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, circuit_job->arena, circuit_job->problem.npus, 0);
    for (uint32_t i = 0; i < circuit_job->traffic->rows; i++) {
        struct net_link link = circuit_job->problem.link[i];
        link.count = circuits->set.circuits[i];
        link.bytes_per_s /= circuits->turns;
        orr_net_graph_link(&builder, &link);
    }
    return orr_net_graph_end(&builder, out, circuit_job->diag);
}

enum orr_status orr_sipml_circuits(struct orr_arena *arena, const struct net_graph *graph,
                                   const struct sipml_traffic *traffic, double weight,
                                   struct sipml_circuits *out, struct orr_diag *diag)
{
    struct circuit_job circuit_job = {.arena = arena,
                                      .circuits = graph->circuits,
                                      .traffic = traffic,
                                      .ops = orr_net_allocator(graph->circuits->controller),
                                      .diag = diag};
    uint64_t *bytes = NULL;
    *out = (struct sipml_circuits){.weight = weight, .turns = 1};
    if (!make_problem(&circuit_job, weight, &bytes)) {
        return orr_diag_no_memory(diag, "circuits");
    }
    out->bytes = bytes;
    const enum orr_status status = set(&circuit_job, bytes, out);
    return status == ORR_OK ? build_graph(&circuit_job, out, &out->graph) : status;
}
