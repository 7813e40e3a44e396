/* Expanders: random regular graphs without parallel links, made by random edge swaps of a circulant
 * until the graph is connected. Of NPUs, or of switches with hosts (Jellyfish; Singla et al.,
 * NSDI'12). */
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/graph_build.h"
#include "network/graph_metrics.h"
#include "network/topology/fabrics/fabric_ops.h"

enum { MAX_NODES = 1 << 14 };

struct edges {
    uint32_t (*end)[2];
    uint8_t *linked;       /* [nodes * nodes] */
    uint32_t nodes, count; /* nodes that are linked */
    uint32_t hosts;        /* of each; 0: they are the NPUs */
};

static void join(struct edges *edges, uint32_t a, uint32_t b, bool linked)
{
    edges->linked[(size_t)a * edges->nodes + b] = linked;
    edges->linked[(size_t)b * edges->nodes + a] = linked;
}

/* A circulant of the degree: jumps 1, 2, ...; for an odd degree also the opposite NPU. */
static void first_edges(struct edges *edges, uint32_t degree)
{
    const uint32_t nodes = edges->nodes;
    for (uint32_t jump = 1; jump <= degree / 2; jump++) {
        for (uint32_t i = 0; i < nodes; i++) {
            edges->end[edges->count][0] = i;
            edges->end[edges->count++][1] = (i + jump) % nodes;
        }
    }
    for (uint32_t i = 0; i < nodes / 2 && degree % 2 != 0; i++) {
        edges->end[edges->count][0] = i;
        edges->end[edges->count++][1] = i + nodes / 2;
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
    if (a == c || a == d || b == c || b == d || edges->linked[(size_t)a * edges->nodes + d] != 0 ||
        edges->linked[(size_t)c * edges->nodes + b] != 0) {
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

static enum orr_status check(const char *name, uint32_t nodes, uint32_t degree,
                             struct orr_diag *diag)
{
    const bool npus = strcmp(name, "expander") == 0;
    if (nodes > MAX_NODES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: expected at most %d %s, got %" PRIu32,
                             name, MAX_NODES, npus ? "NPUs" : "switches", nodes);
    }
    return degree >= 2 && degree < nodes && (uint64_t)degree * nodes % 2 == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s: expected a degree from 2 to %" PRIu32
                               ", even for an odd number of %s, got %" PRIu32 " for %" PRIu32 " %s",
                               name, nodes - 1, npus ? "NPUs" : "switches", degree, nodes,
                               npus ? "NPUs" : "switches");
}

/* Ten swaps per edge; a swap keeps all degrees. */
static enum orr_status swapped(const struct fabric_request *request, struct edges *edges,
                               struct orr_rng *rng, struct net_graph *graph, struct orr_diag *diag)
{
    struct net_graph_builder builder;
    for (uint32_t i = 0; i < 10 * edges->count; i++) {
        swap(edges, rng);
    }
    const uint32_t first = edges->hosts > 0 ? request->npus : 0;
    orr_net_graph_begin(&builder, request->arena, request->npus,
                        edges->hosts > 0 ? edges->nodes : 0);
    if (edges->hosts > 0) {
        orr_fabric_join_hosts(&builder, request, first, edges->hosts);
    }
    for (uint32_t e = 0; e < edges->count; e++) {
        orr_fabric_join(&builder, first + edges->end[e][0], first + edges->end[e][1],
                        request->kind);
    }
    return orr_net_graph_end(&builder, graph, diag);
}

/* O(nodes^2 + 10 links) per attempt; repeated until the graph is connected. */
static enum orr_status build_random(const struct fabric_request *request, struct edges edges,
                                    uint32_t degree, struct net_graph *graph, struct orr_diag *diag)
{
    const size_t nodes = edges.nodes;
    enum orr_status status = ORR_OK;
    struct orr_rng rng;
    edges.end = orr_arena_array(request->arena, nodes * degree, sizeof *edges.end);
    edges.linked = orr_arena_array(request->arena, nodes, nodes);
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

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    const uint32_t degree = request->number[0];
    const enum orr_status status = check("expander", request->npus, degree, diag);
    return status == ORR_OK
               ? build_random(request, (struct edges){.nodes = request->npus}, degree, graph, diag)
               : status;
}

static enum orr_status build_jellyfish(const struct fabric_request *request,
                                       struct net_graph *graph, struct orr_diag *diag)
{
    const uint32_t ports = request->number[0], hosts = request->number[1];
    if (hosts == 0 || hosts + 2 > ports) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "jellyfish: expected switches with hosts at one port or more, and two "
                             "ports or more for other switches, got %" PRIu32 " ports and %" PRIu32
                             " hosts",
                             ports, hosts);
    }
    const uint32_t switches = (uint32_t)(((uint64_t)request->npus + hosts - 1) / hosts);
    const enum orr_status status = check("jellyfish", switches, ports - hosts, diag);
    return status == ORR_OK
               ? build_random(request, (struct edges){.nodes = switches, .hosts = hosts},
                              ports - hosts, graph, diag)
               : status;
}

const struct net_fabric_ops orr_fabric_jellyfish = {.name = "jellyfish",
                                                    .form = "jellyfish:PORTS,HOSTS",
                                                    .example = "jellyfish:5,2",
                                                    .example_npus = 20,
                                                    .min = 2,
                                                    .max = 2,
                                                    .routing = NET_ROUTES_SPREAD,
                                                    .build = build_jellyfish};

const struct net_fabric_ops orr_fabric_expander = {.name = "expander",
                                                   .form = "expander:DEGREE",
                                                   .example = "expander:3",
                                                   .example_npus = 10,
                                                   .min = 1,
                                                   .max = 1,
                                                   .routing = NET_ROUTES_SPREAD,
                                                   .build = build};
