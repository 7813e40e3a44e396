/* The slowest cut of an all-to-all that is found among balls; see exchange_private.h. A side with k
 * NPUs sends k (n - k) parts over what leaves it. Of each center's slowest ball the NPUs are kept,
 * and the switches move to where less leaves it (maximum flow). */
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/exchange_private.h"
#include "network/bounds/max_flow.h"
#include "network/bounds/side.h"
#include "network/graph.h"

struct ball {
    double distance;
    uint32_t node;
};

struct search {
    struct exchange *exchange;
    double *near; /* [nodes] distances from the first center */
    struct ball *ball;
    bool *inside, *ball_side, *side;
    double ball_time; /* of the slowest ball around a center so far */
    double time;      /* of the slowest cut so far */
    double arcs;      /* looked at */
    /* From a source to each NPU, and from each NPU to a sink, after the graph's arcs. */
    struct max_flow flow;
};

/* Arcs that are looked at, all in all: some seconds. */
static const double max_arcs = 2e8;

static int compare(const void *a, const void *b)
{
    const struct ball *left = a, *right = b;
    if (left->distance < right->distance || right->distance < left->distance) {
        return left->distance < right->distance ? -1 : 1;
    }
    return left->node < right->node ? -1 : left->node > right->node;
}

/* Whether no cut is slower. */
static bool is_tight(const struct search *search)
{
    return search->time >= search->exchange->least * (1 - 1e-12);
}

/* Moves a node into the side; returns by how much the capacity that leaves it grows. */
static double move(struct search *search, uint32_t node)
{
    const struct even_paths *paths = &search->exchange->paths;
    const struct cap_graph *graph = paths->graph;
    double more = 0;
    search->inside[node] = true;
    for (uint32_t i = paths->first_out[node]; i < paths->first_out[node + 1]; i++) {
        more += search->inside[graph->arc[i].to] ? 0 : (double)graph->arc[i].capacity;
    }
    for (uint32_t i = paths->first_in[node]; i < paths->first_in[node + 1]; i++) {
        const struct cap_arc *arc = &graph->arc[paths->in_arc[i]];
        more -= search->inside[arc->from] ? (double)arc->capacity : 0;
    }
    return more;
}

/* Tries the balls of all radii; the nodes are sorted. */
static void try_balls(struct search *search)
{
    const struct cap_graph *graph = &search->exchange->graph;
    double capacity = 0;
    uint32_t npus = 0;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        search->inside[n] = false;
    }
    for (uint32_t i = 0; i < graph->nodes; i++) {
        capacity += move(search, search->ball[i].node);
        npus += search->ball[i].node < graph->npus;
        const bool ends = i + 1 < graph->nodes &&
                          search->ball[i + 1].distance > search->ball[i].distance * (1 + 1e-9);
        const double time = (double)npus * (graph->npus - npus) / capacity;
        if (ends && npus > 0 && npus < graph->npus && time > search->ball_time) {
            search->ball_time = time;
            for (uint32_t n = 0; n < graph->nodes; n++) {
                search->ball_side[n] = search->inside[n];
            }
        }
    }
}

static enum orr_status make_flow(struct search *search, struct orr_arena *arena)
{
    const struct cap_graph *graph = &search->exchange->graph;
    const uint32_t arcs = graph->arcs + 2 * graph->npus, source = graph->nodes, sink = source + 1;
    struct cap_arc *arc = orr_arena_array(arena, arcs, sizeof *arc);
    if (arc == NULL) {
        return ORR_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < arcs; i++) {
        const uint32_t npu = i < graph->arcs ? 0 : (i - graph->arcs) / 2;
        const bool is_source = (i - graph->arcs) % 2 == 0;
        arc[i] = i < graph->arcs ? graph->arc[i]
                                 : (struct cap_arc){.from = is_source ? source : npu,
                                                    .to = is_source ? npu : sink};
    }
    return orr_max_flow_make(&search->flow, graph->nodes + 2, arcs, arc, arena);
}

/* Takes the slowest ball, with its switches moved, if it is the slowest cut so far. */
static void take_ball(struct search *search)
{
    const struct cap_graph *graph = &search->exchange->graph;
    const uint64_t most = UINT64_C(1) << 61;
    uint32_t npus = 0;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        max_flow_set(&search->flow, i, graph->arc[i].capacity);
    }
    for (uint32_t v = 0; v < graph->npus; v++) {
        npus += search->ball_side[v];
        max_flow_set(&search->flow, graph->arcs + 2 * v, search->ball_side[v] ? most : 0);
        max_flow_set(&search->flow, graph->arcs + 2 * v + 1, search->ball_side[v] ? 0 : most);
    }
    const uint64_t capacity =
        orr_max_flow_run(&search->flow, graph->nodes, graph->nodes + 1, UINT64_MAX);
    const double time = (double)npus * (graph->npus - npus) / (double)capacity;
    if (time > search->time) {
        search->time = time;
        for (uint32_t n = 0; n < graph->nodes; n++) {
            search->side[n] = max_flow_is_source_side(&search->flow, n);
        }
    }
}

/* Balls around both ends of each link of an NPU, or around it alone where the link leads to a
 * switch. */
static void try_center(struct search *search, uint32_t center)
{
    struct exchange *exchange = search->exchange;
    const struct even_paths *paths = &exchange->paths;
    const struct cap_graph *graph = &exchange->graph;
    search->ball_time = 0;
    (void)orr_even_paths_search(&exchange->paths, center, exchange->best);
    for (uint32_t n = 0; n < graph->nodes; n++) {
        search->near[n] = paths->distance[n];
    }
    for (uint32_t links = paths->first_out[center + 1] - paths->first_out[center] + 1, l = 0;
         l < links && !is_tight(search) && search->arcs < max_arcs; l++) {
        const bool alone = l == 0;
        const uint32_t i = paths->first_out[center] + l - 1;
        search->arcs += graph->arcs + 10.0 * graph->nodes;
        if (!alone) {
            (void)orr_even_paths_search(&exchange->paths, graph->arc[i].to, exchange->best);
        }
        for (uint32_t n = 0; n < graph->nodes; n++) {
            const double distance =
                alone ? search->near[n] : fmin(search->near[n], paths->distance[n]);
            search->ball[n] = (struct ball){distance, n};
        }
        qsort(search->ball, graph->nodes, sizeof *search->ball, compare);
        try_balls(search);
        if (alone) {
            take_ball(search);
        }
    }
    take_ball(search);
}

/* The NPUs with numbers in [0, below) of every `period`, as one side. */
static void try_blocks(struct search *search, uint32_t period, uint32_t below)
{
    for (uint32_t v = 0; v < search->exchange->graph.npus; v++) {
        search->ball_side[v] = v % period < below;
    }
    take_ball(search);
}

/* Halves by number, and the lowest values and halves of each digit of the NPUs' numbers. */
static void try_digits(struct search *search)
{
    const struct net_graph *network = search->exchange->network;
    uint32_t stride = 1;
    if (network->npus > 1) {
        try_blocks(search, network->npus, network->npus / 2);
    }
    for (unsigned d = 0; d < network->digits; d++) {
        const uint32_t size = network->digit[d], period = stride * size;
        if (size > 1) {
            try_blocks(search, period, stride);
            try_blocks(search, period, size / 2 * stride);
        }
        if (stride < network->npus) {
            try_blocks(search, network->npus, stride);
        }
        stride = period;
    }
}

enum orr_status orr_exchange_find_cut(struct exchange *exchange, struct net_cut *out)
{
    const struct cap_graph *graph = &exchange->graph;
    struct search search = {
        .exchange = exchange,
        .near = orr_arena_array(exchange->arena, graph->nodes, sizeof(double)),
        .ball = orr_arena_array(exchange->arena, graph->nodes, sizeof(struct ball)),
        .inside = orr_arena_array(exchange->arena, graph->nodes, sizeof(bool)),
        .ball_side = orr_arena_array(exchange->arena, graph->nodes, sizeof(bool)),
        .side = orr_arena_array(exchange->arena, graph->nodes, sizeof(bool))};
    if (search.near == NULL || search.ball == NULL || search.inside == NULL ||
        search.ball_side == NULL || search.side == NULL ||
        make_flow(&search, exchange->arena) != ORR_OK) {
        return orr_diag_no_memory(exchange->diag, "the cuts of the network");
    }
    try_digits(&search);
    for (uint32_t s = 0; s < graph->npus && !is_tight(&search) && search.arcs < max_arcs; s++) {
        try_center(&search, s);
    }
    *out = (struct net_cut){.side = search.side};
    orr_net_cut_fill(exchange->network, false, out);
    return ORR_OK;
}
