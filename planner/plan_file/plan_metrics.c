/* Figures of a plan: see plan_report.h. */
#include <string.h>

#include "planner/plan_file/plan_report.h"

struct counted {
    const struct plan_result *answer;
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

static enum orr_status count_operators(struct counted *counted)
{
    const struct plan_job *job = counted->answer->job;
    const struct strategy *strategy = &counted->answer->result.best.strategy;
    struct plan_metrics *out = counted->out;
    struct strategy_draft draft;
    if (!orr_strategy_draft_init(&draft, counted->arena, &job->model, job->servers, job->groups) ||
        !orr_strategy_data_parallel(&draft)) {
        return orr_diag_no_memory(counted->diag, "a strategy");
    }
    const struct strategy usual = orr_strategy_drafted(&draft);
    for (uint32_t op = 0; op < job->model.ops; op++) {
        const bool whole = strategy->op[op].parts == 1;
        if (same(strategy, &usual, op, job->model.op[op].dims)) {
            out->data_parallel += !whole;
            out->whole += whole;
        } else {
            out->placed += whole;
            out->split += !whole;
        }
    }
    return ORR_OK;
}

static enum orr_status count_measured(struct counted *counted)
{
    const struct plan_job *job = counted->answer->job;
    const struct strategy *strategy = &counted->answer->result.best.strategy;
    const uint64_t samples = orr_model_batch(&job->model, strategy->devices) / strategy->copies;
    enum orr_status status = ORR_OK;
    for (uint32_t op = 0; op < job->model.ops && status == ORR_OK; op++) {
        struct model_times times = {.measured = false};
        status = orr_model_part_time(&job->model, op, orr_strategy_degrees(strategy, op),
                                     &job->speed, samples, &times, counted->diag);
        counted->out->measured += times.measured;
    }
    return status;
}

/* Groups are alike. */
static enum orr_status count_computing(struct counted *counted)
{
    const struct strategy *strategy = &counted->answer->result.best.strategy;
    bool *computes =
        orr_arena_array(counted->arena, orr_strategy_group(strategy), sizeof *computes);
    if (computes == NULL) {
        return orr_diag_no_memory(counted->diag, "the servers of a strategy");
    }
    for (uint32_t op = 0; op < strategy->ops; op++) {
        const uint32_t *device = orr_strategy_devices(strategy, op);
        for (uint32_t i = 0; i < strategy->op[op].parts; i++) {
            counted->out->computing += computes[device[i]] ? 0 : strategy->copies;
            computes[device[i]] = true;
        }
    }
    return ORR_OK;
}

static enum orr_status measure_memory(struct counted *counted)
{
    const struct strategy *strategy = &counted->answer->result.best.strategy;
    const uint32_t group = orr_strategy_group(strategy);
    uint64_t *bytes = orr_arena_array(counted->arena, group, sizeof *bytes);
    if (bytes == NULL ||
        !orr_strategy_memory(&counted->answer->job->model, strategy, bytes, NULL)) {
        return orr_diag_no_memory(counted->diag, "the memory of a strategy");
    }
    for (uint32_t i = 0; i < group; i++) {
        if (i == 0 || bytes[i] > counted->out->memory_bytes) {
            counted->out->memory_bytes = bytes[i];
            counted->out->fullest = i;
        }
    }
    return ORR_OK;
}

/* ---- the network ---- */

static enum orr_status measure_graph(struct counted *counted)
{
    const struct net_graph *graph = &counted->answer->result.best.graph;
    struct net_graph_metrics figures;
    const enum orr_status status =
        orr_net_graph_metrics(graph, counted->arena, &figures, counted->diag);
    if (status == ORR_OK) {
        counted->out->mean_path = figures.hops_mean;
        counted->out->longest_path = figures.diameter;
        counted->out->links = (uint32_t)figures.links;
    }
    return status;
}

/* Bytes that links carry for every byte sent: of the paths of a pair by their chances. What no path
 * leads is counted over one link. */
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

/* The same of all-reduces, which the rings of a group share. */
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

static void measure_tax(struct counted *counted, const struct finder_demand *demand)
{
    const struct topoopt_pair *best = &counted->answer->result.best;
    struct plan_metrics *out = counted->out;
    const double sent = (double)out->reduce_bytes + (double)out->transfer_bytes;
    double carried = sent;
    if (demand->transfers != NULL) {
        carried += carried_by_paths(&best->graph, demand->transfers, demand->servers);
    }
    if (!counted->answer->job->fixed) {
        carried += carried_by_rings(&best->topology, demand);
        out->tax = sent > 0 ? carried / sent : 1;
    }
}

static enum orr_status measure_traffic(struct counted *counted)
{
    const struct plan_job *job = counted->answer->job;
    struct demand_total total;
    struct finder_demand demand;
    enum orr_status status = orr_demand_total(
        counted->arena, &job->model, &counted->answer->result.best.strategy, &total, counted->diag);
    if (status == ORR_OK) {
        status = orr_finder_demand(counted->arena, &total, &demand, counted->diag);
    }
    for (uint32_t g = 0; status == ORR_OK && g < demand.groups; g++) {
        counted->out->reduce_bytes +=
            2 * (uint64_t)(demand.group[g].members - 1) * demand.group[g].bytes;
    }
    const size_t pairs = (size_t)job->servers * job->servers;
    for (size_t i = 0; status == ORR_OK && demand.transfers != NULL && i < pairs; i++) {
        counted->out->transfer_bytes += demand.transfers[i];
    }
    if (status == ORR_OK) {
        measure_tax(counted, &demand);
    }
    return status;
}

enum orr_status orr_plan_metrics(const struct plan_result *answer, struct plan_metrics *out,
                                 struct orr_diag *diag)
{
    static enum orr_status (*const parts[])(struct counted *) = {count_operators, count_measured,
                                                                 count_computing, measure_memory,
                                                                 measure_graph,   measure_traffic};
    struct counted counted = {answer, orr_arena_create(), out, diag};
    enum orr_status status =
        counted.arena != NULL ? ORR_OK : orr_diag_no_memory(diag, "the figures of a plan");
    *out = (struct plan_metrics){0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == ORR_OK; i++) {
        status = parts[i](&counted);
    }
    orr_arena_destroy(counted.arena);
    return status;
}
