/* What the ways to divide wavelengths of a ring share: the places where arcs compete, and which
 * wavelengths are taken on which segments. */
#ifndef ORR_NETWORK_WAVELENGTHS_RING_PRIVATE_H
#define ORR_NETWORK_WAVELENGTHS_RING_PRIVATE_H

#include "network/wavelengths/rates.h"
#include "network/wavelengths/wavelengths.h"

struct ring_work {
    const struct ring_problem *problem;
    uint64_t *bytes;       /* [arcs] */
    struct wave_sets sets; /* segments up, segments down, senders, receivers: [4 * nodes] */
    uint32_t *heap;        /* [arcs] to work in */
    uint32_t words;
    uint64_t *busy;      /* [2 * nodes * words] wavelengths taken on segments up, then down */
    uint32_t *count;     /* [arcs] how many have been found for each, and */
    uint64_t *mask;      /* [arcs * words] which */
    uint32_t *port;      /* [2 * nodes] of senders and receivers: free wavelengths */
    uint32_t *sorted;    /* [arcs] by direction, first segment, falling length */
    uint32_t *segment;   /* [2 * nodes] by direction and rising load, and */
    uint32_t *load;      /* [2 * nodes] the load of each */
    bool *urgent;        /* [arcs] to be coloured first */
    uint32_t *best;      /* [arcs] counts of the best colouring so far, and */
    uint64_t *best_mask; /* its masks */
};

/* The lowest segment of an arc; it goes on to higher ones, around. */
uint32_t orr_ring_first_segment(const struct ring_problem *problem, const struct ring_arc *arc);

/* Where it ends. */
uint32_t orr_ring_end(const struct ring_problem *problem, const struct ring_arc *arc);

/* Checks the problem and makes room. Errors: input, memory. (ring_arcs.c) */
enum orr_status orr_ring_begin(struct orr_arena *arena, const struct ring_problem *problem,
                               struct ring_work *work, struct orr_diag *diag);

/* The bound of `out`, its crowd. */
enum orr_status orr_ring_bound(struct orr_arena *arena, const struct ring_work *work,
                               struct ring_allocation *out, struct orr_diag *diag);

/* Finds want[arc] wavelengths for every arc, as far as there are any: from several segments on,
 * arcs over it first, then in the order in which they begin there; those that found too few come
 * first the next time. The best colouring stays in `count` and `mask`. How many are missing.
 * Optimal if some segment has no arc over it, or the same ones all around. (ring_colors.c) */
uint32_t orr_ring_color(struct ring_work *work, const uint32_t *want);

/* Up to `most` further wavelengths for an arc, with few gaps beside them; how many. */
uint32_t orr_ring_assign(struct ring_work *work, uint32_t arc, uint32_t max);

/* The arc has these wavelengths [words] too, which nobody else has along it. */
void orr_ring_mark(struct ring_work *work, uint32_t arc, const uint64_t *taken);

/* One more wavelength for an arc if one is free, and at its two ends. self: struct ring_work. */
bool orr_ring_add_wavelength(void *self, uint32_t arc);

/* Counts the wavelengths that are free at senders and receivers, after a colouring. */
void orr_ring_count_ports(struct ring_work *work);

/* What is left goes to the least rates (if `fill`), and the result is complete. */
void orr_ring_finish(struct ring_work *work, bool fill, struct ring_allocation *out);

#endif
