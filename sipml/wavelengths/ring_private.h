/* State shared by the algorithms for wavelengths of a ring: the capacity sets where arcs compete,
 * and the wavelengths in use on each segment. */
#ifndef ORR_SIPML_WAVELENGTHS_RING_PRIVATE_H
#define ORR_SIPML_WAVELENGTHS_RING_PRIVATE_H

#include <stdbool.h>

#include "sipml/wavelengths/rates.h"
#include "sipml/wavelengths/wavelengths.h"

struct orr_arena;
struct orr_diag;

struct ring_work {
    const struct ring_problem *problem;
    uint64_t *bytes;       /* [arcs] */
    struct wave_sets sets; /* segments up, segments down, senders, receivers: [4 * nodes] */
    uint32_t *heap;        /* [arcs] scratch */
    uint32_t words;
    uint64_t *busy;      /* [2 * nodes * words] wavelengths in use on segments up, then down */
    uint32_t *count;     /* [arcs] wavelengths assigned to each */
    uint64_t *mask;      /* [arcs * words] which ones */
    uint32_t *port;      /* [2 * nodes] free wavelengths of senders, then receivers */
    uint32_t *sorted;    /* [arcs] by direction, first segment, falling length */
    uint32_t *segment;   /* [2 * nodes] segments by direction and ascending load */
    uint32_t *load;      /* [2 * nodes] the load of each */
    bool *urgent;        /* [arcs] to be colored first */
    uint32_t *best;      /* [arcs] counts of the best coloring so far */
    uint64_t *best_mask; /* masks of the best coloring */
};

/* The lowest segment of an arc, which continues upwards, cyclically. */
uint32_t orr_ring_first_segment(const struct ring_problem *problem, const struct ring_arc *arc);

/* The end node of an arc. */
uint32_t orr_ring_end(const struct ring_problem *problem, const struct ring_arc *arc);

/* Checks the problem, and allocates its state. Errors: input, memory. (ring_arcs.c) */
enum orr_status orr_ring_begin(struct orr_arena *arena, const struct ring_problem *problem,
                               struct ring_work *work, struct orr_diag *diag);

/* Computes out->bound and out->overload. */
enum orr_status orr_ring_bound(struct orr_arena *arena, const struct ring_work *work,
                               struct ring_allocation *out, struct orr_diag *diag);

/* Assigns up to want[arc] wavelengths to every arc, from several cuts: arcs over the cut first,
 * then in the order of their starts; arcs with too few come first in the next try. The best
 * coloring is in `count` and `mask`. Returns the number missing. Optimal if some segment has no arc
 * over it, or the same arcs go all around. (ring_colors.c) */
uint32_t orr_ring_color(struct ring_work *work, const uint32_t *want);

/* Assigns up to `max` further wavelengths to an arc, leaving few gaps next to them; returns the
 * number. */
uint32_t orr_ring_assign(struct ring_work *work, uint32_t arc, uint32_t max);

/* Assigns these wavelengths [words] to the arc; they are free along it. */
void orr_ring_mark(struct ring_work *work, uint32_t arc, const uint64_t *taken);

/* Assigns one more wavelength to an arc, if one is free along it and at both ends; self: struct
 * ring_work. */
bool orr_ring_add_wavelength(void *self, uint32_t arc);

/* Counts the free wavelengths of senders and receivers, after a coloring. */
void orr_ring_count_ports(struct ring_work *work);

/* With `fill`, gives remaining wavelengths to the arcs of smallest rate. Completes the result. */
void orr_ring_finish(struct ring_work *work, bool fill, struct ring_allocation *out);

#endif
