/* Circles through all nodes of a product of rings and full meshes (topology/product_rings.c). */
#ifndef ORR_NETWORK_PRODUCT_CYCLES_H
#define ORR_NETWORK_PRODUCT_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

struct orr_arena;

/* A ring, of two with a link each way round; or a full mesh, of two a single link. size >= 2 */
struct net_factor {
    bool clique;
    uint32_t size;
};

/* Circles through all nodes, each from node 0 on to the lower of its neighbours. */
struct net_cycles {
    uint32_t n, cycles;
    const uint32_t *order; /* [cycles * n] */
};

/* Circles through all nodes of the product of the factors, the first of which varies fastest, that
 * use no link twice: as many as half of a node's links, for any product that was tried. false: no
 * memory. O(n log n x links of a node). */
bool orr_net_product_cycles(struct orr_arena *arena, const struct net_factor *factor,
                            uint32_t factors, struct net_cycles *out);

#endif
