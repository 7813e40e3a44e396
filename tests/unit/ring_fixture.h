/* What holds of any allocation of wavelengths on a ring. */
#ifndef ORR_TESTS_UNIT_RING_FIXTURE_H
#define ORR_TESTS_UNIT_RING_FIXTURE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sipml/wavelengths/wavelengths.h"

/* The segments of an arc, counted here by themselves: the i-th. */
static inline uint32_t ring_segment(const struct ring_problem *problem, const struct ring_arc *arc,
                                    uint32_t i)
{
    return arc->down ? (arc->from + problem->nodes - 1 - i) % problem->nodes
                     : (arc->from + i) % problem->nodes;
}

static inline bool ring_has(const struct ring_allocation *allocation, uint32_t arc, uint32_t w)
{
    return allocation->mask[(size_t)arc * allocation->words + w / 64] >> w % 64 & 1;
}

/* Counts are those of the masks, no wavelength is twice on a segment of a fibre, no node sends or
 * receives more than there are, and the rate is the least of all; else what is wrong. */
static inline const char *ring_problem_with(const struct ring_problem *problem,
                                            const struct ring_allocation *allocation)
{
    double min = INFINITY;
    for (uint32_t a = 0; a < problem->arcs; a++) {
        const struct ring_arc *arc = &problem->arc[a];
        uint32_t bits = 0, sent = 0, received = 0;
        const uint32_t to =
            (arc->down ? arc->from + problem->nodes - arc->length : arc->from + arc->length) %
            problem->nodes;
        for (uint32_t w = 0; w < problem->wavelengths; w++) {
            bits += ring_has(allocation, a, w);
        }
        if (bits != allocation->count[a]) {
            return "a count is not that of the mask";
        }
        for (uint32_t b = 0; b < problem->arcs; b++) {
            const struct ring_arc *other = &problem->arc[b];
            const uint32_t end = (other->down ? other->from + problem->nodes - other->length
                                              : other->from + other->length) %
                                 problem->nodes;
            sent += other->from == arc->from ? allocation->count[b] : 0;
            received += end == to ? allocation->count[b] : 0;
            for (uint32_t i = 0; a < b && arc->down == other->down && i < arc->length; i++) {
                for (uint32_t k = 0; k < other->length; k++) {
                    for (uint32_t w = 0;
                         ring_segment(problem, arc, i) == ring_segment(problem, other, k) &&
                         w < problem->wavelengths;
                         w++) {
                        if (ring_has(allocation, a, w) && ring_has(allocation, b, w)) {
                            return "a wavelength is twice on a segment";
                        }
                    }
                }
            }
        }
        if (sent > problem->wavelengths || received > problem->wavelengths) {
            return "a node has more wavelengths than there are";
        }
        if (arc->bytes != 0 && (double)bits / (double)arc->bytes < min) {
            min = (double)bits / (double)arc->bytes;
        }
        if (arc->bytes == 0 && bits != 0) {
            return "nothing has a wavelength";
        }
    }
    const double rate = (double)allocation->rate.circuits / (double)allocation->rate.bytes;
    return rate < min || rate > min ? "the rate is not the least one" : NULL;
}

#endif
