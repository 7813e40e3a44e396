/* Metrics of a plan; see plan_report.h. */
#include <string.h>

#include "core/arena.h"
#include "network/graph_metrics.h"
#include "planner/finder/finder.h"
#include "topoopt/plan/plan_report.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/strategy/demand_total.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"

struct computation {
    const struct plan_result *solution;
    struct orr_arena *arena;
    struct plan_metrics *out;
    struct orr_diag *diag;
};

/* ---- the strategy ---- */

static bool same(const struct strategy *a, const struct strategy *b, uint32_t op, uint32_t dims)
{
    return a->op[op].parts == b->op[op].parts &&
           memcmp(orr_strategy_degrees(a, op), orr_strategy_degrees(b, op),
                  dims * sizeof(uint32_t)) == 0 &&
           memcmp(orr_strategy_devices(a, op), orr_strategy_devices(b, op),
                  a->op[op].parts * sizeof(uint32_t)) == 0;
}

static enum orr_status count_operators(struct computation *computation)
{
    const struct plan_job *job = computation->solution->job;
    const struct strategy *strategy = &computation->solution->result.best.strategy;
    struct plan_metrics *out = computation->out;
    struct strategy_draft draft;
    if (!orr_strategy_draft_init(&draft, computation->arena, &job->model, job->servers,
                                 job->groups) ||
        !orr_strategy_data_parallel(&draft)) {
        return orr_diag_no_memory(computation->diag, "a strategy");
    }
    const struct strategy baseline = orr_strategy_drafted(&draft);
    for (uint32_t op = 0; op < job->model.ops; op++) {
        const bool whole = strategy->op[op].parts == 1;
        if (same(strategy, &baseline, op, job->model.op[op].dims)) {
            out->data_parallel += !whole;
            out->whole += whole;
        } else {
            out->placed += whole;
            out->split += !whole;
        }
    }
    return ORR_OK;
}

static enum orr_status count_measured(struct computation *computation)
{
    const struct plan_job *job = computation->solution->job;
    const struct strategy *strategy = &computation->solution->result.best.strategy;
    const uint64_t samples = orr_model_batch(&job->model, strategy->devices) / strategy->copies;
    enum orr_status status = ORR_OK;
    for (uint32_t op = 0; op < job->model.ops && status == ORR_OK; op++) {
        struct model_times times = {.measured = false};
        status = orr_model_part_time(&job->model, op, orr_strategy_degrees(strategy, op),
                                     &job->speed, samples, &times, computation->diag);
        computation->out->measured += times.measured;
    }
    return status;
}

/* Groups are equivalent, so that one of them is counted. */
static enum orr_status count_computing(struct computation *computation)
{
    const struct strategy *strategy = &computation->solution->result.best.strategy;
    bool *computes =
        orr_arena_array(computation->arena, orr_strategy_group(strategy), sizeof *computes);
    if (computes == NULL) {
        return orr_diag_no_memory(computation->diag, "the servers of a strategy");
    }
    for (uint32_t op = 0; op < strategy->ops; op++) {
        const uint32_t *device = orr_strategy_devices(strategy, op);
        for (uint32_t i = 0; i < strategy->op[op].parts; i++) {
            computation->out->computing += computes[device[i]] ? 0 : strategy->copies;
            computes[device[i]] = true;
        }
    }
    return ORR_OK;
}

static enum orr_status measure_memory(struct computation *computation)
{
    const struct strategy *strategy = &computation->solution->result.best.strategy;
    const uint32_t group = orr_strategy_group(strategy);
    uint64_t *bytes = orr_arena_array(computation->arena, group, sizeof *bytes);
    if (bytes == NULL ||
        !orr_strategy_memory(&computation->solution->job->model, strategy, bytes, NULL)) {
        return orr_diag_no_memory(computation->diag, "the memory of a strategy");
    }
    for (uint32_t i = 0; i < group; i++) {
        if (i == 0 || bytes[i] > computation->out->memory_bytes) {
            computation->out->memory_bytes = bytes[i];
            computation->out->fullest = i;
        }
    }
    return ORR_OK;
}

/* ---- the network ---- */

static enum orr_status measure_graph(struct computation *computation)
{
    const struct net_graph *graph = &computation->solution->result.best.graph;
    struct net_graph_metrics metrics;
    const enum orr_status status =
        orr_net_graph_metrics(graph, computation->arena, &metrics, computation->diag);
    if (status == ORR_OK) {
        computation->out->mean_path = metrics.hops_mean;
        computation->out->longest_path = metrics.diameter;
        computation->out->links = (uint32_t)metrics.links;
    }
    return status;
}

/* Bytes that links carry in addition to the bytes sent: over the paths of each pair, weighted by
 * their chances. Pairs without a path count as one link. */
static double carried_by_paths(const struct net_graph *graph, const uint64_t *transfers,
                               uint32_t servers)
{
    double more = 0;
    for (uint32_t first = 0, end = 0; first < graph->paths; first = end) {
        const struct net_path *path = &graph->path[first];
        double hops = 0, chances = 0;
        for (end = first; end < graph->paths && graph->path[end].from == path->from &&
                          graph->path[end].to == path->to;
             end++) {
            hops += graph->path[end].chance * graph->path[end].hops;
            chances += graph->path[end].chance;
        }
        if (chances > 0 && path->from < servers && path->to < servers) {
            more +=
                (double)transfers[(size_t)path->from * servers + path->to] * (hops / chances - 1);
        }
    }
    return more;
}

/* The same for all-reduces, which the rings of a group share. */
static double carried_by_rings(const struct finder_topology *topology,
                               const struct finder_demand *demand)
{
    double more = 0;
    for (uint32_t r = 0, end = 0; r < topology->rings; r = end) {
        double steps = 0, passed = 0, bytes = 0;
        const uint32_t number = topology->ring[r].group;
        for (end = r; end < topology->rings && topology->ring[end].group == number; end++) {
            const struct finder_ring *ring = &topology->ring[end];
            steps += ring->members;
            passed += ring->first_between != NULL
                          ? ring->first_between[ring->members] - ring->first_between[0]
                          : 0;
        }
        const struct finder_group *group = &topology->group[number];
        for (uint32_t g = 0; g < demand->groups; g++) {
            const struct finder_group *of = &demand->group[g];
            const bool equal =
                of->members == group->members &&
                memcmp(of->member, group->member, of->members * sizeof *of->member) == 0;
            bytes += equal ? 2.0 * (of->members - 1) * (double)of->bytes : 0;
        }
        more += bytes * passed / steps;
    }
    return more;
}

static void measure_tax(struct computation *computation, const struct finder_demand *demand)
{
    const struct topoopt_pair *best = &computation->solution->result.best;
    struct plan_metrics *out = computation->out;
    const double sent = (double)out->reduce_bytes + (double)out->transfer_bytes;
    double carried = sent;
    if (demand->transfers != NULL) {
        carried += carried_by_paths(&best->graph, demand->transfers, demand->servers);
    }
    if (!computation->solution->job->fixed) {
        carried += carried_by_rings(&best->topology, demand);
        out->tax = sent > 0 ? carried / sent : 1;
    }
}

static enum orr_status measure_traffic(struct computation *computation)
{
    const struct plan_job *job = computation->solution->job;
    struct demand_total total;
    struct finder_demand demand;
    enum orr_status status =
        orr_demand_total(computation->arena, &job->model,
                         &computation->solution->result.best.strategy, &total, computation->diag);
    if (status == ORR_OK) {
        status = orr_finder_demand(computation->arena, &total, &demand, computation->diag);
    }
    for (uint32_t g = 0; status == ORR_OK && g < demand.groups; g++) {
        computation->out->reduce_bytes +=
            2 * (uint64_t)(demand.group[g].members - 1) * demand.group[g].bytes;
    }
    const size_t pairs = (size_t)job->servers * job->servers;
    for (size_t i = 0; status == ORR_OK && demand.transfers != NULL && i < pairs; i++) {
        computation->out->transfer_bytes += demand.transfers[i];
    }
    if (status == ORR_OK) {
        measure_tax(computation, &demand);
    }
    return status;
}

enum orr_status orr_plan_metrics(const struct plan_result *solution, struct plan_metrics *out,
                                 struct orr_diag *diag)
{
    static enum orr_status (*const parts[])(struct computation *) = {
        count_operators, count_measured, count_computing,
        measure_memory,  measure_graph,  measure_traffic};
    struct computation computation = {solution, orr_arena_create(), out, diag};
    enum orr_status status =
        computation.arena != NULL ? ORR_OK : orr_diag_no_memory(diag, "the metrics of a plan");
    *out = (struct plan_metrics){0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == ORR_OK; i++) {
        status = parts[i](&computation);
    }
    orr_arena_destroy(computation.arena);
    return status;
}
