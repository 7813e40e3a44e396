/* Graphs of NPUs linked directly: torus, DGX-1, expander. */
#include <inttypes.h>

#include "network/network.h"

static void both(struct net_graph_builder *builder, const uint32_t ends[2], uint32_t count,
                 struct net_link_kind kind)
{
    const struct net_link link = {.from = ends[0],
                                  .to = ends[1],
                                  .count = count,
                                  .bytes_per_s = kind.bytes_per_s,
                                  .latency_ps = kind.latency_ps};
    orr_net_graph_both(builder, &link);
}

/* ---- torus ---- */

static enum orr_status check_torus(uint32_t npus, const uint32_t *sizes, size_t dims,
                                   struct orr_diag *diag)
{
    uint64_t product = 1;
    for (size_t d = 0; d < dims && product <= npus; d++) {
        product *= sizes[d];
    }
    return product == npus && npus <= NET_MAX_NODES && dims <= NET_MAX_DIMS
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "torus: expected sizes whose product is the number of NPUs, %" PRIu32
                               ", got %s%" PRIu64,
                               npus, product > npus ? "at least " : "", product);
}

enum orr_status orr_net_build_torus(struct orr_arena *arena, uint32_t npus, const uint32_t *sizes,
                                    size_t dims, struct net_link_kind kind, struct net_graph *graph,
                                    struct orr_diag *diag)
{
    struct net_dim dim[NET_MAX_DIMS];
    const enum orr_status status = check_torus(npus, sizes, dims, diag);
    if (status != ORR_OK) {
        return status;
    }
    for (size_t d = 0; d < dims; d++) { /* counted per NPU, a ring of two has one link */
        dim[d] =
            (struct net_dim){.block = NET_RING,
                             .npus = sizes[d],
                             .bandwidth_bytes_per_s = kind.bytes_per_s * (sizes[d] > 2 ? 2 : 1),
                             .latency_ps = kind.latency_ps,
                             .per_npu = true};
    }
    const struct net_config config = {.dims = (unsigned)dims, .dim = dim};
    return orr_net_build_blocks(arena, &config, graph, diag);
}

/* ---- DGX-1 with V100 ---- */

/* The hybrid cube mesh: how many NVLinks join each pair, six for a GPU. */
enum orr_status orr_net_build_dgx1(struct orr_arena *arena, struct net_link_kind kind,
                                   struct net_graph *graph, struct orr_diag *diag)
{
    static const uint8_t pair[16][3] = {
        {0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2},
        {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, arena, 8, 0);
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        both(&builder, (const uint32_t[2]){pair[i][0], pair[i][1]}, pair[i][2], kind);
    }
    return orr_net_graph_end(&builder, graph, diag);
}

/* ---- expander ---- */

struct edges {
    uint32_t (*end)[2];
    uint8_t *joined; /* [npus * npus] */
    uint32_t npus, count;
};

static void join(struct edges *edges, uint32_t a, uint32_t b, bool joined)
{
    edges->joined[(size_t)a * edges->npus + b] = joined;
    edges->joined[(size_t)b * edges->npus + a] = joined;
}

/* A circulant of the degree: neighbours 1, 2, ... apart, and the opposite ones for an odd degree.
 */
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

/* Two random edges a-b and c-d become a-d and c-b, unless these are there. */
static void swap(struct edges *edges, struct orr_rng *rng)
{
    uint32_t *one = edges->end[orr_rng_below(rng, edges->count)];
    uint32_t *two = edges->end[orr_rng_below(rng, edges->count)];
    const uint64_t turn = orr_rng_below(rng, 2);
    const uint32_t a = one[0], b = one[1], c = two[turn], d = two[1 - turn];
    if (a == c || a == d || b == c || b == d || edges->joined[(size_t)a * edges->npus + d] != 0 ||
        edges->joined[(size_t)c * edges->npus + b] != 0) {
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

static enum orr_status check_expander(const struct net_expander *shape, struct orr_diag *diag)
{
    if (shape->npus > NET_MAX_EXPANDER) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expander: expected at most %d NPUs, got %" PRIu32, NET_MAX_EXPANDER,
                             shape->npus);
    }
    return shape->degree >= 2 && shape->degree < shape->npus &&
                   (uint64_t)shape->degree * shape->npus % 2 == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "expander: expected a degree from 2 to %" PRIu32
                               ", even for an odd number of NPUs, got %" PRIu32 " for %" PRIu32
                               " NPUs",
                               shape->npus - 1, shape->degree, shape->npus);
}

/* A random regular graph by random swaps of edges, which keep all degrees (ten for each edge, then
 * as many again until the graph is connected). */
enum orr_status orr_net_build_expander(struct orr_arena *arena, const struct net_expander *shape,
                                       struct net_link_kind kind, struct net_graph *graph,
                                       struct orr_diag *diag)
{
    enum orr_status status = check_expander(shape, diag);
    if (status != ORR_OK) {
        return status;
    }
    const size_t npus = shape->npus;
    struct orr_rng rng;
    struct edges edges = {.npus = shape->npus,
                          .end = orr_arena_array(arena, npus * shape->degree, sizeof *edges.end),
                          .joined = orr_arena_array(arena, npus, npus)};
    if (edges.end == NULL || edges.joined == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    orr_rng_init(&rng, shape->seed, 0);
    first_edges(&edges, shape->degree);
    for (bool connected = false; !connected && status == ORR_OK;) {
        struct net_graph_builder builder;
        for (uint32_t i = 0; i < 10 * edges.count; i++) {
            swap(&edges, &rng);
        }
        orr_net_graph_begin(&builder, arena, shape->npus, 0);
        for (uint32_t e = 0; e < edges.count; e++) {
            both(&builder, edges.end[e], 1, kind);
        }
        status = orr_net_graph_end(&builder, graph, diag);
        connected = status == ORR_OK && orr_net_graph_check_connected(graph, arena, NULL) == ORR_OK;
    }
    return status;
}
