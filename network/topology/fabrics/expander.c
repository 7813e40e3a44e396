/* Expanders: random regular graphs without parallel links, made by random edge swaps of a circulant
 * until the graph is connected. */
#include <inttypes.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/graph_build.h"
#include "network/graph_metrics.h"
#include "network/topology/fabrics/fabric_ops.h"

enum { MAX_NPUS = 1 << 14 };

struct edges {
    uint32_t (*end)[2];
    uint8_t *linked; /* [npus * npus] */
    uint32_t npus, count;
};

static void join(struct edges *edges, uint32_t a, uint32_t b, bool linked)
{
    edges->linked[(size_t)a * edges->npus + b] = linked;
    edges->linked[(size_t)b * edges->npus + a] = linked;
}

/* A circulant of the degree: jumps 1, 2, ...; for an odd degree also the opposite NPU. */
static void first_edges(struct edges *edges, uint32_t degree)
{
    const uint32_t npus = edges->npus;
    for (uint32_t jump = 1; jump <= degree / 2; jump++) {
        for (uint32_t i = 0; i < npus; i++) {
            edges->end[edges->count][0] = i;
            edges->end[edges->count++][1] = (i + jump) % npus;
        }
    }
    for (uint32_t i = 0; i < npus / 2 && degree % 2 != 0; i++) {
        edges->end[edges->count][0] = i;
        edges->end[edges->count++][1] = i + npus / 2;
    }
    for (uint32_t e = 0; e < edges->count; e++) {
        join(edges, edges->end[e][0], edges->end[e][1], true);
    }
}

/* Two random edges a-b and c-d become a-d and c-b, unless such edges exist. */
static void swap(struct edges *edges, struct orr_rng *rng)
{
    uint32_t *one = edges->end[orr_rng_below(rng, edges->count)];
    uint32_t *two = edges->end[orr_rng_below(rng, edges->count)];
    const uint64_t turn = orr_rng_below(rng, 2);
    const uint32_t a = one[0], b = one[1], c = two[turn], d = two[1 - turn];
    if (a == c || a == d || b == c || b == d || edges->linked[(size_t)a * edges->npus + d] != 0 ||
        edges->linked[(size_t)c * edges->npus + b] != 0) {
        return;
    }
    join(edges, a, b, false);
    join(edges, c, d, false);
    join(edges, a, d, true);
    join(edges, c, b, true);
    one[1] = d;
    two[0] = c;
    two[1] = b;
}

static enum orr_status check(uint32_t npus, uint32_t degree, struct orr_diag *diag)
{
    if (npus > MAX_NPUS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expander: expected at most %d NPUs, got %" PRIu32, MAX_NPUS, npus);
    }
    return degree >= 2 && degree < npus && (uint64_t)degree * npus % 2 == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "expander: expected a degree from 2 to %" PRIu32
                               ", even for an odd number of NPUs, got %" PRIu32 " for %" PRIu32
                               " NPUs",
                               npus - 1, degree, npus);
}

/* Ten swaps per edge; a swap keeps all degrees. */
static enum orr_status swapped(const struct fabric_request *request, struct edges *edges,
                               struct orr_rng *rng, struct net_graph *graph, struct orr_diag *diag)
{
    struct net_graph_builder builder;
    for (uint32_t i = 0; i < 10 * edges->count; i++) {
        swap(edges, rng);
    }
    orr_net_graph_begin(&builder, request->arena, request->npus, 0);
    for (uint32_t e = 0; e < edges->count; e++) {
        orr_fabric_join(&builder, edges->end[e][0], edges->end[e][1], request->kind);
    }
    return orr_net_graph_end(&builder, graph, diag);
}

/* O(npus^2 + 10 links) per attempt; repeated until the graph is connected. */
static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    const size_t npus = request->npus;
    const uint32_t degree = request->number[0];
    enum orr_status status = check(request->npus, degree, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct orr_rng rng;
    struct edges edges = {.npus = request->npus,
                          .end = orr_arena_array(request->arena, npus * degree, sizeof *edges.end),
                          .linked = orr_arena_array(request->arena, npus, npus)};
    if (edges.end == NULL || edges.linked == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    orr_rng_init(&rng, request->seed, 0);
    first_edges(&edges, degree);
    do {
        status = swapped(request, &edges, &rng, graph, diag);
    } while (status == ORR_OK &&
             orr_net_graph_check_connected(graph, request->arena, NULL) != ORR_OK);
    return status;
}

const struct net_fabric_ops orr_fabric_expander = {.name = "expander",
                                                   .form = "expander:DEGREE",
                                                   .example = "expander:3",
                                                   .example_npus = 10,
                                                   .min = 1,
                                                   .max = 1,
                                                   .routing = NET_ROUTES_SPREAD,
                                                   .build = build};
