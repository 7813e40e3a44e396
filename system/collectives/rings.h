/* Rings of a group's members, between which the chunks of a collective alternate. */
#ifndef ORR_SYSTEM_COLLECTIVES_RINGS_H
#define ORR_SYSTEM_COLLECTIVES_RINGS_H

#include <stdbool.h>
#include <stdint.h>

struct coll_ring {
    const uint32_t *order, *at; /* [n]: the member at each place of the ring, and its inverse */
};

struct coll_rings {
    uint32_t n, rings;
    const struct coll_ring *ring; /* [rings] */
    bool shifted;  /* every ring leads from each member to the one at the same offset, modulo n */
    bool on_links; /* every step is a link; otherwise some go by routes */
};

#endif
