/* Candidate networks for a strategy: topologies of the finder for different options, with rings of
 * all-reduces and routes of transfers. */
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "orrery/study.h"
#include "planner/finder/routes.h"
#include "topoopt/search/topoopt_private.h"
#include "workload/strategy/demand_total.h"

/* ---- one ---- */

/* Adds the bytes of all-reduces to the links, as the base load of routes. */
static enum orr_status add_rings(const struct net_graph *graph, const struct finder_demand *demand,
                                 double *base, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t g = 0; g < demand->groups && status == ORR_OK; g++) {
        const struct finder_group *group = &demand->group[g];
        const struct finder_ring_group ring = {group->member, group->members, (double)group->bytes};
        status = orr_finder_add_rings(graph, &ring, base, diag);
    }
    return status;
}

/* The transfers to route: those of the strategy, and a few bytes between all other pairs, so that a
 * search has balanced routes for operators that it moves. */
static uint64_t *padded(struct orr_arena *arena, const struct finder_demand *demand)
{
    const size_t pairs = (size_t)demand->servers * demand->servers;
    uint64_t *bytes = orr_arena_array(arena, pairs, sizeof *bytes), sum = 0;
    for (size_t i = 0; i < pairs && bytes != NULL && demand->transfers != NULL; i++) {
        sum += bytes[i] = demand->transfers[i];
    }
    for (size_t i = 0; i < pairs && bytes != NULL; i++) {
        const uint64_t min = 1 + sum / pairs / 16;
        bytes[i] = i % (demand->servers + 1) == 0 || bytes[i] > min ? bytes[i] : min;
    }
    return bytes;
}

static enum orr_status route(struct orr_arena *arena, const struct finder_demand *demand,
                             struct topoopt_candidate *candidate, struct orr_diag *diag)
{
    struct finder_loads loads;
    double *base = orr_arena_array(arena, candidate->graph.links, sizeof *base);
    const uint64_t *bytes = candidate->padded ? padded(arena, demand) : demand->transfers;
    const struct finder_route_options options = {.longer = !candidate->padded, .base = base};
    if (base == NULL || (candidate->padded && bytes == NULL)) {
        return orr_diag_no_memory(diag, "routes");
    }
    candidate->routes = (struct net_route_options){
        .routing =
            orr_net_routing_for(candidate->ecmp_pairs ? NET_ROUTES_FIXED : NET_ROUTES_BY_TABLE),
        .seed = 1};
    if (candidate->ecmp_pairs) {
        return ORR_OK;
    }
    const enum orr_status status = add_rings(&candidate->graph, demand, base, diag);
    return status != ORR_OK || bytes == NULL
               ? status
               : orr_finder_routes(arena, &candidate->graph, bytes, &options, &loads, diag);
}

static enum orr_status demand_of(struct orr_arena *arena, const struct topoopt_problem *problem,
                                 const struct strategy *strategy, struct finder_demand *out,
                                 struct orr_diag *diag)
{
    struct demand_total total;
    const enum orr_status status = orr_demand_total(arena, problem->model, strategy, &total, diag);
    return status != ORR_OK ? status : orr_finder_demand(arena, &total, out, diag);
}

static enum orr_status find(struct orr_arena *arena, const struct topoopt_problem *problem,
                            const struct topoopt_wanted *wanted,
                            struct topoopt_candidate *candidate, struct orr_diag *diag)
{
    struct finder_demand demand;
    enum orr_status status = demand_of(arena, problem, wanted->built_for, &demand, diag);
    if (status == ORR_OK) {
        status = orr_finder_find(arena, &demand, &candidate->options, &candidate->topology, diag);
    }
    if (status == ORR_OK) {
        status = orr_finder_graph(arena, &candidate->topology, &candidate->graph, diag);
    }
    if (status == ORR_OK && wanted->routed_for != wanted->built_for) {
        status = demand_of(arena, problem, wanted->routed_for, &demand, diag);
    }
    return status != ORR_OK ? status : route(arena, &demand, candidate, diag);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct net_graph *graph)
{
    uint64_t hash = graph->links;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        hash = mix(hash, (uint64_t)link->from << 32 | link->to);
        hash = mix(hash, link->count);
    }
    for (uint32_t i = 0; i < graph->rings; i++) {
        const struct net_ring *ring = &graph->ring[i];
        for (uint32_t m = 0; ring->member != NULL && m < ring->npus; m++) {
            hash = mix(hash, ring->member[m]);
        }
        hash = mix(hash, (uint64_t)(int64_t)ring->jump);
    }
    for (uint32_t i = 0; i < graph->paths; i++) {
        const struct net_path *path = &graph->path[i];
        hash = mix(hash, (uint64_t)path->from << 32 | path->to);
        for (uint32_t h = 0; h < path->hops; h++) {
            hash = mix(hash, graph->path_link[path->first_link + h]);
        }
    }
    return hash;
}

enum orr_status orr_topoopt_add_candidates(struct orr_arena *arena,
                                           const struct topoopt_problem *problem,
                                           const struct topoopt_wanted *wanted,
                                           struct topoopt_candidate *out, struct orr_diag *diag)
{
    struct orr_diag inner_diag;
    orr_diag_init(&inner_diag);
    out->why = NULL;
    out->best = out->searched = TOPOOPT_NONE;
    out->best_ps = ORR_TIME_MAX;
    const enum orr_status status = find(arena, problem, wanted, out, &inner_diag);
    if (status == ORR_ERR_INPUT) {
        out->why = orr_arena_strdup(arena, inner_diag.message);
        return out->why != NULL ? ORR_OK : orr_diag_no_memory(diag, "a topology");
    }
    out->hash = status == ORR_OK ? hash_of(&out->graph) : 0;
    return status == ORR_OK ? status : orr_diag_forward(diag, &inner_diag);
}

/* ---- several, by different options ---- */

struct batch {
    const struct topoopt_problem *problem;
    struct topoopt_wanted wanted;
    uint32_t of, count;
    struct topoopt_candidate candidate[TOPOOPT_MAX_TOPOLOGIES]; /* arena NULL: memory was out */
};

/* Each network has its own arena, because networks are built in parallel; first without routes. */
static void build_at(struct batch *batch, uint32_t index)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (arena != NULL && orr_topoopt_add_candidates(arena, batch->problem, &batch->wanted,
                                                    &batch->candidate[index], &diag) != ORR_OK) {
        orr_arena_destroy(arena);
        arena = NULL;
    }
    batch->candidate[index].arena = arena;
}

/* All but the first one, which exists. */
static void build_one(void *context, unsigned index)
{
    build_at(context, index + 1);
}

static void route_one(void *context, unsigned index)
{
    struct batch *batch = context;
    struct topoopt_candidate *candidate = &batch->candidate[index];
    struct finder_demand demand;
    struct orr_diag diag;
    orr_diag_init(&diag);
    candidate->ecmp_pairs = false;
    if (candidate->arena == NULL || candidate->why != NULL) {
        return;
    }
    if (demand_of(candidate->arena, batch->problem, batch->wanted.routed_for, &demand, &diag) ==
            ORR_OK &&
        route(candidate->arena, &demand, candidate, &diag) == ORR_OK) {
        candidate->hash = hash_of(&candidate->graph);
    } else {
        orr_arena_destroy(candidate->arena);
        candidate->arena = NULL;
    }
}

/* Keeps one of the networks with equal links and rings. */
static void drop_equal(struct batch *batch)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct topoopt_candidate *candidate = &batch->candidate[i];
        uint32_t same = 0;
        while (same < kept && (candidate->arena == NULL || candidate->why != NULL ||
                               batch->candidate[same].hash != candidate->hash)) {
            same++;
        }
        if (same == kept) {
            batch->candidate[kept++] = *candidate;
        } else {
            orr_arena_destroy(candidate->arena);
        }
    }
    batch->count = kept;
}

static uint32_t find_candidate(const struct topoopt_plan *plan,
                               const struct topoopt_candidate *candidate)
{
    uint32_t i = 0;
    while (i < plan->candidate_count && plan->candidate[i].hash != candidate->hash) {
        i++;
    }
    return i;
}

/* Adds a network unless it is known; one whose storage was freed is replaced. */
static enum orr_status add(struct topoopt_plan *plan, const struct topoopt_candidate *candidate,
                           uint32_t *number)
{
    *number = find_candidate(plan, candidate);
    if (*number < plan->candidate_count) {
        struct topoopt_candidate *there = &plan->candidate[*number];
        if (there->arena == NULL) {
            *there = *candidate;
        } else {
            orr_arena_destroy(candidate->arena);
        }
        return ORR_OK;
    }
    struct topoopt_candidate *grown =
        orr_arena_grow(plan->arena, plan->candidate, &plan->candidate_capacity,
                       plan->candidate_count + 1, sizeof *grown);
    if (grown == NULL) {
        orr_arena_destroy(candidate->arena);
        return orr_diag_no_memory(plan->diag, "topologies");
    }
    plan->candidate = grown;
    grown[plan->candidate_count++] = *candidate;
    return ORR_OK;
}

/* Adds a network to the plan and to `out`; an infeasible one is recorded as an attempt. */
static enum orr_status add_network(struct topoopt_plan *plan,
                                   const struct topoopt_candidate *candidate,
                                   struct plan_networks *out)
{
    uint32_t number, i = 0;
    if (candidate->arena == NULL) {
        return orr_diag_no_memory(plan->diag, "topologies");
    }
    if (candidate->why != NULL) {
        const enum orr_status status = orr_topoopt_add_infeasible(plan, candidate);
        orr_arena_destroy(candidate->arena);
        return status;
    }
    const enum orr_status status = add(plan, candidate, &number);
    while (status == ORR_OK && i < out->count && out->number[i] != number) {
        i++;
    }
    if (status == ORR_OK && i == out->count) {
        out->number[out->count++] = number;
    }
    return status;
}

static void add_options(struct batch *batch, const struct finder_options *options)
{
    batch->candidate[batch->count++] = (struct topoopt_candidate){
        .strategy = batch->of, .routed = batch->of, .ecmp_pairs = true, .options = *options};
}

/* Lists the options: the requested ones first; the ring degree of their topology determines the
 * others. false: memory is out. */
static bool list_options(struct batch *batch, uint32_t max)
{
    const struct finder_options *requested = &batch->problem->topology;
    const struct topoopt_candidate *first = &batch->candidate[0];
    struct topoopt_guide guide = {.by_traffic = 0};
    struct topoopt_option_list option_list;
    add_options(batch, requested);
    build_at(batch, 0);
    if (first->arena == NULL ||
        !orr_topoopt_guide(first->arena, requested, batch->problem->devices, &guide)) {
        return false;
    }
    guide.by_traffic = first->why == NULL ? first->topology.ring_degree : 0;
    orr_topoopt_list(requested, &guide, max, &option_list);
    for (uint32_t i = 1; i < option_list.count; i++) {
        add_options(batch, &option_list.options[i]);
    }
    return true;
}

static enum orr_status build_listed(struct topoopt_plan *plan, struct batch *batch,
                                    struct plan_networks *out)
{
    enum orr_status status = ORR_OK;
    orrery_parallel(plan->options->search.threads, batch->count - 1, build_one, batch);
    drop_equal(batch);
    orrery_parallel(plan->options->search.threads, batch->count, route_one, batch);
    for (uint32_t i = 0; i < batch->count; i++) {
        const enum orr_status taken = add_network(plan, &batch->candidate[i], out);
        status = status == ORR_OK ? taken : status;
    }
    return status;
}

enum orr_status orr_topoopt_reroute(struct topoopt_plan *plan, uint32_t network, uint32_t strategy,
                                    struct plan_networks *out)
{
    struct topoopt_candidate candidate = {.strategy = plan->candidate[network].strategy,
                                          .routed = strategy,
                                          .options = plan->candidate[network].options,
                                          .arena = orr_arena_create()};
    const struct topoopt_wanted wanted = {&plan->known[candidate.strategy].strategy,
                                          &plan->known[strategy].strategy};
    out->count = 0;
    const enum orr_status status =
        candidate.arena == NULL ? orr_diag_no_memory(plan->diag, "topologies")
                                : orr_topoopt_add_candidates(candidate.arena, plan->problem,
                                                             &wanted, &candidate, plan->diag);
    if (status != ORR_OK) {
        orr_arena_destroy(candidate.arena);
        return status;
    }
    return add_network(plan, &candidate, out);
}

enum orr_status orr_topoopt_add_all_candidates(struct topoopt_plan *plan, uint32_t strategy,
                                               uint32_t max, struct plan_networks *out)
{
    struct batch *batch = orr_heap_calloc(1, sizeof *batch);
    if (batch == NULL) {
        return orr_diag_no_memory(plan->diag, "topologies");
    }
    out->count = 0;
    batch->problem = plan->problem;
    batch->wanted.built_for = batch->wanted.routed_for = &plan->known[strategy].strategy;
    batch->of = strategy;
    enum orr_status status = ORR_OK;
    if (list_options(batch, max < TOPOOPT_MAX_TOPOLOGIES ? max : TOPOOPT_MAX_TOPOLOGIES)) {
        status = build_listed(plan, batch, out);
    } else {
        orr_arena_destroy(batch->candidate[0].arena);
        status = orr_diag_no_memory(plan->diag, "topologies");
    }
    orr_heap_free(batch);
    return status;
}

void orr_topoopt_free_candidates(struct topoopt_plan *plan, const uint32_t *kept, uint32_t count)
{
    for (uint32_t i = 0; i < plan->candidate_count; i++) {
        bool keep = false;
        for (uint32_t k = 0; k < count; k++) {
            keep = keep || kept[k] == i;
        }
        if (!keep) {
            orr_arena_destroy(plan->candidate[i].arena);
            plan->candidate[i].arena = NULL;
        }
    }
}
