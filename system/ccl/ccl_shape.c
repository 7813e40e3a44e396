/* Shape of groups: GPUs per node, and their bandwidths. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/coordinates.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/route_options.h"
#include "system/ccl/ccl_private.h"
#include "system/embedding/embedding.h"

/* ---- bandwidths ---- */

/* Bandwidth of all links of an NPU in a dimension. */
static double npu_bytes_per_s(const struct net_dim *dim)
{
    const double each = dim->bandwidth_bytes_per_s;
    if (dim->per_npu || dim->block == NET_SWITCH || dim->npus < 2) {
        return each;
    }
    return each * (net_passes_on(dim->block) ? 2 : dim->npus - 1);
}

/* ---- DGX-1 ---- */

uint32_t orr_sys_dgx1_rings(uint8_t gpus)
{
    uint32_t npu[ORR_DGX1_GPUS], count = 0;
    for (uint32_t i = 0; i < ORR_DGX1_GPUS; i++) {
        if ((gpus >> i & 1) != 0) {
            npu[count++] = i;
        }
    }
    if (count < 2) {
        return 0;
    }
    const struct net_fabric fabric = {
        .text = "dgx1", .npus = ORR_DGX1_GPUS, .kind = {.bytes_per_s = 1}};
    struct orr_diag diag;
    struct net_graph graph;
    struct sys_rings rings = {.rings = UINT32_MAX};
    const struct net_routing *routing;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    if (arena != NULL && orr_net_build_fabric(&fabric, arena, &graph, &routing, &diag) == ORR_OK) {
        const struct sys_embed embed = {.graph = &graph, .n = count, .npu = npu};
        if (orr_sys_find_rings(&embed, 1, arena, &rings, &diag) != ORR_OK) {
            rings.rings = UINT32_MAX;
        }
    }
    orr_arena_destroy(arena);
    return rings.rings;
}

/* ---- nodes ---- */

struct node {
    uint32_t count;
    uint8_t gpus; /* DGX-1: set of GPUs */
};

static void add_node(struct sys_ccl_shape *out, const struct node *node)
{
    out->nodes++;
    out->min = out->nodes == 1 || node->count < out->min ? node->count : out->min;
    out->max = node->count > out->max ? node->count : out->max;
}

static int by_rank(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

/* Minimum of rings over the nodes; false: no memory. Results are cached by set of GPUs. */
static bool count_rings(struct sys_ccl_shape *out, const struct node *node, uint32_t *known)
{
    if (node->count < 2) {
        return true;
    }
    if (known[node->gpus] == 0) {
        const uint32_t rings = orr_sys_dgx1_rings(node->gpus);
        if (rings == UINT32_MAX) {
            return false;
        }
        known[node->gpus] = rings + 1;
    }
    const uint32_t rings = known[node->gpus] - 1;
    out->rings = out->rings == UINT32_MAX || rings < out->rings ? rings : out->rings;
    return true;
}

static bool count_nodes(const struct sys_ccl *library, const uint32_t *sorted, uint32_t count,
                        struct sys_ccl_shape *out)
{
    uint32_t known[1 << ORR_DGX1_GPUS] = {0};
    const bool mesh = library->fabric == SYS_FABRIC_DGX1;
    bool counted = true;
    out->rings = UINT32_MAX;
    for (uint32_t i = 0; i < count && counted;) {
        const uint32_t first = sorted[i] / out->node_npus;
        struct node node = {0};
        for (; i < count && sorted[i] / out->node_npus == first; i++) {
            node.count++;
            node.gpus |= (uint8_t)(mesh ? 1u << sorted[i] % out->node_npus : 0);
        }
        add_node(out, &node);
        counted = !mesh || count_rings(out, &node, known);
    }
    out->rings = out->rings == UINT32_MAX ? 0 : out->rings;
    return counted;
}

/* ---- on a graph ---- */

/* The shape of the ranks; NULL: of the first `count`. */
static enum orr_status shape_on_graph(const struct sys_ccl *library, const struct net_graph *graph,
                                      const uint32_t *ranks, uint32_t count,
                                      struct sys_ccl_shape *out, struct orr_diag *diag)
{
    uint32_t *home = orr_heap_calloc(count, sizeof *home);
    if (home == NULL) {
        return orr_diag_no_memory(diag, "the shape of a group");
    }
    *out = (struct sys_ccl_shape){.npus = count};
    for (uint32_t i = 0; i < count; i++) {
        home[i] = library->home[ranks != NULL ? ranks[i] : i];
    }
    qsort(home, count, sizeof *home, by_rank);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && home[end] == home[i];) {
            end++;
        }
        add_node(out, &(struct node){.count = end - i});
    }
    for (uint32_t i = 0; i < graph->npus; i++) {
        out->node_npus += library->home[i] == home[0] ? 1 : 0;
    }
    orr_heap_free(home);
    orr_sys_ccl_graph_bandwidths(library, graph, ranks, count, out);
    return ORR_OK;
}

/* ---- shapes ---- */

/* Adds an outer dimension in which members differ. */
static void add_outer_dim(struct sys_ccl_shape *out, const struct net_config *network, unsigned d)
{
    const double bytes_per_s = npu_bytes_per_s(&network->dim[d]);
    if (out->outer_dims == 0 || bytes_per_s < out->outer_bytes_per_s) {
        out->outer_bytes_per_s = bytes_per_s;
    }
    out->outer_dims |= UINT32_C(1) << d;
}

/* Outer dimensions in which any two ranks differ, and their minimum bandwidth. */
static void find_outer_dims(const struct net_config *network, const uint32_t *ranks, uint32_t count,
                            struct sys_ccl_shape *out)
{
    uint32_t stride = network->dim[0].npus;
    for (unsigned d = 1; d < network->dims; d++) {
        const struct net_dim *dim = &network->dim[d];
        bool differ = false;
        for (uint32_t i = 1; i < count && !differ; i++) {
            differ = ranks[i] / stride % dim->npus != ranks[0] / stride % dim->npus;
        }
        if (differ) {
            add_outer_dim(out, network, d);
        }
        stride *= dim->npus;
    }
}

enum orr_status orr_sys_ccl_shape_of_all(const struct sys_ccl *library,
                                         const struct net_config *network,
                                         struct sys_ccl_shape *out, struct orr_diag *diag)
{
    if (library->home != NULL) {
        return shape_on_graph(library, network->graph, NULL, network->graph->npus, out, diag);
    }
    const struct net_dim *node = &network->dim[0];
    *out = (struct sys_ccl_shape){.npus = orr_net_npus(network),
                                  .nodes = orr_net_npus(network) / node->npus,
                                  .min = node->npus,
                                  .max = node->npus,
                                  .node_npus = node->npus,
                                  .inner_bytes_per_s = npu_bytes_per_s(node)};
    for (unsigned d = 1; d < network->dims; d++) {
        if (network->dim[d].npus > 1) {
            add_outer_dim(out, network, d);
        }
    }
    out->rings = library->fabric == SYS_FABRIC_DGX1 ? orr_sys_dgx1_rings(UINT8_MAX) : 0;
    return out->rings != UINT32_MAX ? ORR_OK : orr_diag_no_memory(diag, "the rings of a DGX-1");
}

enum orr_status orr_sys_ccl_shape_of(const struct sys_ccl *library,
                                     const struct net_config *network, const uint32_t *ranks,
                                     uint32_t count, struct sys_ccl_shape *out,
                                     struct orr_diag *diag)
{
    if (library->home != NULL) {
        return shape_on_graph(library, network->graph, ranks, count, out, diag);
    }
    *out = (struct sys_ccl_shape){.npus = count,
                                  .node_npus = network->dim[0].npus,
                                  .inner_bytes_per_s = npu_bytes_per_s(&network->dim[0])};
    uint32_t *sorted = orr_heap_calloc(count, sizeof *sorted);
    if (sorted == NULL) {
        return orr_diag_no_memory(diag, "the shape of a group");
    }
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = ranks[i];
    }
    qsort(sorted, count, sizeof *sorted, by_rank);
    find_outer_dims(network, sorted, count, out);
    const bool counted = count_nodes(library, sorted, count, out);
    orr_heap_free(sorted);
    return counted ? ORR_OK : orr_diag_no_memory(diag, "the rings of a DGX-1");
}
