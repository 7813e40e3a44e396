/* Creation and destruction of evaluators. Arrays of the size of the job live in an arena; arrays
 * that grow are on the heap. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/route_options.h"
#include "network/routing/routing.h"
#include "planner/evaluator/eval_private.h"

/* The edges of each operator, by one of their ends. */
static bool list_edges(struct evaluator *evaluator, bool by_producer, uint32_t **first_out,
                       uint32_t **list_out)
{
    const uint32_t ops = evaluator->setup.ops, edges = evaluator->setup.edges;
    uint32_t *first = orr_arena_array(evaluator->arena, (size_t)ops + 2, sizeof *first);
    uint32_t *list = orr_arena_array(evaluator->arena, (size_t)edges + 1, sizeof *list);
    if (first == NULL || list == NULL) {
        return false;
    }
    for (uint32_t e = 0; e < edges; e++) {
        first[(by_producer ? evaluator->edge[e].from : evaluator->edge[e].to) + 2]++;
    }
    for (uint32_t op = 0; op < ops; op++) {
        first[op + 2] += first[op + 1];
    }
    for (uint32_t e = 0; e < edges; e++) {
        list[first[(by_producer ? evaluator->edge[e].from : evaluator->edge[e].to) + 1]++] = e;
    }
    *first_out = first;
    *list_out = list;
    return true;
}

static bool allocate_job(struct evaluator *evaluator)
{
    struct orr_arena *arena = evaluator->arena;
    const struct eval_setup *setup = &evaluator->setup;
    const size_t units = 2 * (size_t)setup->ops, devices = setup->devices;
    evaluator->edge = orr_arena_array(arena, (size_t)setup->edges + 1, sizeof *evaluator->edge);
    evaluator->op = orr_arena_array(arena, (size_t)setup->ops + 1, sizeof *evaluator->op);
    evaluator->sending =
        orr_arena_array(arena, (size_t)setup->edges + 1, sizeof *evaluator->sending);
    evaluator->unit = orr_arena_array(arena, units + 1, sizeof *evaluator->unit);
    evaluator->passed = orr_arena_array(arena, units + 1, sizeof(bool));
    evaluator->due = orr_arena_array(arena, units * devices + 1, sizeof *evaluator->due);
    evaluator->arrived = orr_arena_array(arena, 2 * (size_t)setup->edges + 1, sizeof(bool));
    evaluator->free = orr_arena_array(arena, devices, sizeof(double));
    evaluator->ends = orr_arena_array(arena, devices, sizeof(double));
    evaluator->mark = orr_arena_array(arena, devices, 1);
    evaluator->scratch = orr_arena_array(arena, devices, sizeof *evaluator->scratch);
    evaluator->owner = orr_arena_array(arena, (size_t)setup->ops + 1, sizeof *evaluator->owner);
    evaluator->users = orr_arena_array(arena, (size_t)setup->ops + 1, sizeof *evaluator->users);
    if (evaluator->edge == NULL || evaluator->op == NULL || evaluator->sending == NULL ||
        evaluator->unit == NULL || evaluator->passed == NULL || evaluator->due == NULL ||
        evaluator->arrived == NULL || evaluator->free == NULL || evaluator->ends == NULL ||
        evaluator->mark == NULL || evaluator->scratch == NULL || evaluator->owner == NULL ||
        evaluator->users == NULL) {
        return false;
    }
    for (uint32_t e = 0; e < setup->edges; e++) {
        evaluator->edge[e] = setup->edge[e];
    }
    for (uint32_t op = 0; op < setup->ops; op++) {
        evaluator->owner[op] = setup->owner != NULL ? setup->owner[op] : op;
    }
    return list_edges(evaluator, true, &evaluator->first_out, &evaluator->out) &&
           list_edges(evaluator, false, &evaluator->first_in, &evaluator->in);
}

/* Hosts as links, where they pass on a limited number of bytes; false: memory is out. */
static bool limit_hosts(struct evaluator *evaluator)
{
    struct eval_routes *ways = &evaluator->ways;
    const struct net_graph *graph = ways->graph;
    uint32_t max = 0;
    if (ways->links == graph->links) {
        return true;
    }
    for (uint32_t l = graph->links; l < ways->links; l++) {
        ways->capacity[l] = fmin(ways->model.forward_bytes_per_s, EVAL_MAX_CAPACITY);
    }
    for (uint32_t i = 0; i < graph->ways; i++) {
        max = graph->way[i].hops > max ? graph->way[i].hops : max;
    }
    ways->step = orr_arena_array(evaluator->arena, 2 * (size_t)max + 1, sizeof *ways->step);
    return ways->step != NULL;
}

static bool allocate_network(struct evaluator *evaluator)
{
    struct orr_arena *arena = evaluator->arena;
    const struct net_graph *graph = evaluator->setup.graph;
    struct eval_routes *ways = &evaluator->ways;
    const size_t links = (size_t)ways->links + 1, devices = evaluator->setup.devices;
    ways->way = orr_arena_array(arena, ways->variants * devices * devices, sizeof *ways->way);
    ways->capacity = orr_arena_array(arena, links, sizeof(double));
    evaluator->count = orr_arena_array(arena, links, sizeof(double));
    evaluator->share = orr_arena_array(arena, links, sizeof(double));
    evaluator->drain_s = orr_arena_array(arena, links, sizeof(float));
    evaluator->link_flows = orr_arena_array(arena, links, sizeof(double));
    evaluator->used = orr_arena_array(arena, links, sizeof(double));
    if (ways->way == NULL || ways->capacity == NULL || evaluator->count == NULL ||
        evaluator->share == NULL || evaluator->drain_s == NULL || evaluator->link_flows == NULL ||
        evaluator->used == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < graph->links; l++) {
        ways->capacity[l] = fmin(net_link_capacity(&graph->link[l]), EVAL_MAX_CAPACITY);
    }
    return limit_hosts(evaluator);
}

static enum orr_status check(const struct eval_setup *setup, struct orr_diag *diag)
{
    const struct net_graph *graph = setup->graph;
    if (setup->devices > graph->npus || setup->devices > EVAL_MAX_DEVICES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the evaluator: expected at most %" PRIu32 " devices, got %" PRIu32,
                             graph->npus < EVAL_MAX_DEVICES ? graph->npus : EVAL_MAX_DEVICES,
                             setup->devices);
    }
    if (graph->changes != 0 || graph->circuits != NULL || setup->model.windows) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "the evaluator: expected a network with fixed links and equal shares, got %s",
            graph->circuits != NULL ? "circuits"
            : graph->changes != 0   ? "changes"
                                    : "congestion windows");
    }
    return graph->recovery == NET_RECOVER_PATH || graph->failed_links == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "the evaluator: expected network.ring_recovery: path if links have "
                               "failed, got an option that only runs support: %s",
                               orr_net_ring_recoveries[graph->recovery]);
}

static enum orr_status prepare(struct evaluator *evaluator, struct orr_diag *diag)
{
    const struct eval_setup *setup = &evaluator->setup;
    const bool limited = setup->model.forward_bytes_per_s > 0;
    const uint32_t hosts = limited ? setup->graph->npus + setup->graph->servers : 0;
    evaluator->ways = (struct eval_routes){
        .graph = setup->graph,
        .model = setup->model,
        .devices = setup->devices,
        .links = setup->graph->links + hosts,
        .ring_links = !setup->routes.rings_routed && net_routing_of(&setup->routes)->leaves_links,
        .variants = orr_eval_variants(setup->graph, &setup->routes)};
    evaluator->arena = orr_arena_create();
    if (evaluator->arena == NULL || !allocate_job(evaluator) || !allocate_network(evaluator)) {
        return orr_diag_no_memory(diag, "an evaluator");
    }
    return orr_net_router_create(&evaluator->ways.router, setup->graph, &setup->routes,
                                 evaluator->arena, diag);
}

enum orr_status orr_evaluator_create(struct evaluator **out, const struct eval_setup *setup,
                                     struct orr_diag *diag)
{
    enum orr_status status = check(setup, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct evaluator *evaluator = orr_heap_calloc(1, sizeof *evaluator);
    if (evaluator == NULL) {
        return orr_diag_no_memory(diag, "an evaluator");
    }
    evaluator->setup = *setup;
    status = prepare(evaluator, diag);
    if (status != ORR_OK) {
        orr_evaluator_destroy(evaluator);
        return status;
    }
    *out = evaluator;
    return ORR_OK;
}

size_t orr_evaluator_bytes(const struct evaluator *evaluator)
{
    return orr_arena_bytes(evaluator->arena) + evaluator->sets.bytes +
           evaluator->ways.link.alloc * sizeof(uint32_t);
}

/* ---- freeing ---- */

static void free_edge(struct eval_sending *sending)
{
    orr_heap_free(sending->transfer.items);
    orr_heap_free(sending->local.items);
    orr_heap_free(sending->load.items);
    for (int pass = 0; pass < 2; pass++) {
        orr_heap_free(sending->pass[pass].due.items);
        orr_heap_free(sending->pass[pass].flows.items);
    }
}

static void free_job(struct evaluator *evaluator)
{
    for (uint32_t op = 0; evaluator->op != NULL && op < evaluator->setup.ops; op++) {
        orr_heap_free(evaluator->op[op].device.items);
        orr_heap_free(evaluator->op[op].times.items);
        orr_heap_free(evaluator->op[op].reduce.items);
        orr_heap_free(evaluator->op[op].load.items);
    }
    for (uint32_t e = 0; evaluator->sending != NULL && e < evaluator->setup.edges; e++) {
        free_edge(&evaluator->sending[e]);
    }
}

static void free_run(struct evaluator *evaluator)
{
    for (size_t i = 0; i < evaluator->pool.count; i++) {
        struct eval_pool *pool = eval_pool_at(evaluator, (uint32_t)i);
        orr_heap_free(pool->flows.items);
        orr_heap_free(pool->left.items);
        orr_heap_free(pool->pooled.items);
    }
    for (size_t i = 0; i < evaluator->classes.count; i++) {
        orr_heap_free(eval_class_at(evaluator, (uint32_t)i)->ends.items);
    }
    orr_heap_free(evaluator->pool.items);
    orr_heap_free(evaluator->classes.items);
    orr_heap_free(evaluator->flow.items);
    orr_heap_free(evaluator->joining.items);
    orr_heap_free(evaluator->busy.items);
    orr_heap_free(evaluator->heap.items);
    orr_heap_free(evaluator->set.items);
}

void orr_evaluator_destroy(struct evaluator *evaluator)
{
    if (evaluator == NULL) {
        return;
    }
    free_job(evaluator);
    free_run(evaluator);
    orr_eval_free_sets(evaluator);
    orr_heap_free(evaluator->reduce.items);
    orr_heap_free(evaluator->chosen.items);
    orr_heap_free(evaluator->deferred_parts.items);
    orr_heap_free(evaluator->deferred_reduce.items);
    orr_heap_free(evaluator->deferred_first.items);
    orr_heap_free(evaluator->deferred_list.items);
    orr_heap_free(evaluator->ways.link.items);
    orr_arena_destroy(evaluator->arena);
    orr_heap_free(evaluator);
}
