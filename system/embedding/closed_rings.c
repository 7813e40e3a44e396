/* Circles through members that are a product of rings and full meshes: all of a torus, a plane of
 * it, those of a full mesh. Found without a search (orr_net_product_cycles), then laid on the
 * links, of which some may be missing. */
#include <string.h>

#include "core/arena.h"
#include "network/graph.h"
#include "network/net_dims.h"
#include "network/product_cycles.h"
#include "system/embedding/embed_search.h"

enum { NOT_USED = -1 };

struct product {
    const struct sys_embed *embed;
    struct orr_arena *arena;
    struct net_factor factor[NET_MAX_DIMS];
    uint32_t factors;
    uint32_t *place_at; /* [n]: the member at each node of the product */
};

/* ---- products ---- */

/* Which coordinates of a dimension the members have, as numbers from 0 on; how many they are. */
static uint32_t rank_coordinates(const struct product *product, uint32_t stride, uint32_t size,
                                 int32_t *rank)
{
    uint32_t used = 0;
    memset(rank, 0xff, size * sizeof *rank);
    for (uint32_t i = 0; i < product->embed->n; i++) {
        rank[embed_npu(product->embed, i) / stride % size] = 0;
    }
    for (uint32_t c = 0; c < size; c++) {
        rank[c] = rank[c] == NOT_USED ? NOT_USED : (int32_t)used++;
    }
    return used;
}

static bool is_double(const struct product *product, uint32_t stride)
{
    const struct net_graph *graph = product->embed->graph;
    const uint32_t link = orr_net_graph_find(graph, 0, stride);
    return link != NET_NO_LINK && graph->link[link].count > 1;
}

/* What so many used coordinates of a dimension are linked as. false: neither. */
static bool add_factor(struct product *product, const struct net_dim *dim, uint32_t stride,
                       uint32_t used)
{
    struct net_factor factor = {.size = used};
    if (dim->block == NET_FULLY_CONNECTED) {
        factor.clique = true;
    } else if (dim->block != NET_RING || used != dim->npus) {
        return false;
    } else {
        factor.clique = used == 2 && !is_double(product, stride);
    }
    product->factor[product->factors++] = factor;
    return true;
}

/* Adds a dimension, and to each member's node where it is in it. false: members are no product. */
static bool add_dim(struct product *product, const struct net_dim *dim, uint32_t strides[2],
                    uint32_t *node)
{
    int32_t *rank = orr_arena_array(product->arena, dim->npus, sizeof *rank);
    const uint32_t used = rank != NULL ? rank_coordinates(product, strides[0], dim->npus, rank) : 0;
    if (used == 0 || strides[1] > product->embed->n / used ||
        (used > 1 && !add_factor(product, dim, strides[0], used))) {
        return false;
    }
    for (uint32_t i = 0; i < product->embed->n; i++) {
        const uint32_t at = embed_npu(product->embed, i) / strides[0] % dim->npus;
        node[i] += (uint32_t)rank[at] * strides[1];
    }
    strides[0] *= dim->npus;
    strides[1] *= used;
    return true;
}

static bool find_product(struct product *product)
{
    const struct net_graph *graph = product->embed->graph;
    const uint32_t n = product->embed->n;
    uint32_t strides[2] = {1, 1};
    uint32_t *node = orr_arena_array(product->arena, n, sizeof *node);
    if (node == NULL || graph->dims == 0 || graph->first_in_dims != 0) {
        return false;
    }
    for (unsigned d = 0; d < graph->dims; d++) {
        if (!add_dim(product, &graph->dim[d], strides, node)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        product->place_at[node[i]] = i;
    }
    return strides[1] == n && product->factors != 0;
}

/* ---- full meshes ---- */

static bool find_clique(struct product *product)
{
    const struct sys_embed *embed = product->embed;
    for (uint32_t a = 0; a < embed->n; a++) {
        for (uint32_t b = a + 1; b < embed->n; b++) {
            if (orr_embed_lanes(embed, a, b) == 0) {
                return false;
            }
        }
        product->place_at[a] = a;
    }
    product->factor[0] = (struct net_factor){.clique = true, .size = embed->n};
    product->factors = 1;
    return true;
}

/* ---- on the links ---- */

/* Whether the circle's links are there once more, which it then uses. */
static bool take(const struct sys_embed *embed, const uint32_t *order, uint32_t *uses)
{
    const uint32_t n = embed->n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = order[i], b = order[(i + 1) % n];
        const uint32_t link = orr_net_graph_find(embed->graph, embed_npu(embed, a < b ? a : b),
                                                 embed_npu(embed, a < b ? b : a));
        if (link == NET_NO_LINK || uses[link] >= orr_embed_lanes(embed, a, b)) {
            while (i-- > 0) {
                const uint32_t from = order[i], to = order[(i + 1) % n];
                uses[orr_net_graph_find(embed->graph, embed_npu(embed, from < to ? from : to),
                                        embed_npu(embed, from < to ? to : from))]--;
            }
            return false;
        }
        uses[link]++;
    }
    return true;
}

/* The circle by places of members, from the first on to the lower of its neighbours. */
static void place(const struct product *product, const uint32_t *node, uint32_t *order)
{
    const uint32_t n = product->embed->n;
    uint32_t first = 0;
    while (product->place_at[node[first]] != 0) {
        first++;
    }
    const uint32_t next = product->place_at[node[(first + 1) % n]];
    const bool turned = next > product->place_at[node[(first + n - 1) % n]];
    for (uint32_t i = 0; i < n; i++) {
        order[i] = product->place_at[node[(first + (turned ? n - i : i)) % n]];
    }
}

/* As many circles as their links are there for. */
static bool keep_cycles(const struct product *product, const struct net_cycles *from,
                        struct embed_cycles *cycles)
{
    const struct sys_embed *embed = product->embed;
    uint32_t *uses = orr_arena_array(product->arena, (size_t)embed->graph->links + 1, sizeof *uses);
    uint32_t *order = cycles->order;
    for (uint32_t c = 0; uses != NULL && c < from->cycles && cycles->cycles < cycles->max; c++) {
        place(product, from->order + (size_t)c * embed->n, order);
        while (cycles->cycles < cycles->max && take(embed, order, uses)) {
            cycles->cycles++;
            if (cycles->cycles < cycles->max) {
                memcpy(order + embed->n, order, embed->n * sizeof *order);
                order += embed->n;
            }
        }
    }
    return uses != NULL;
}

bool orr_embed_cycles_closed(const struct sys_embed *embed, struct embed_cycles *cycles)
{
    struct orr_arena *scratch = orr_arena_create();
    struct product product = {.embed = embed, .arena = scratch};
    struct net_cycles found;
    bool done = scratch != NULL;
    if (done) {
        product.place_at = orr_arena_array(scratch, embed->n, sizeof *product.place_at);
        done = product.place_at != NULL;
    }
    bool is_product = done && find_product(&product);
    if (done && !is_product) {
        product.factors = 0;
        is_product = find_clique(&product);
    }
    if (is_product) {
        done = orr_net_product_cycles(scratch, product.factor, product.factors, &found) &&
               keep_cycles(&product, &found, cycles);
    }
    orr_arena_destroy(scratch);
    return done;
}
