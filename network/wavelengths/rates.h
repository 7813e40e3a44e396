/* Max-min rates in whole circuits: how many circuits for a byte every demand can have at least,
 * where some sets of demands may not have more circuits than there are (the ports of a GPU, the
 * wavelengths on a segment of a ring).
 *
 * A demand of t bytes has the rate c / t by c circuits, so for a rate r it needs ceil(r t), and the
 * greatest r at which every set has enough is one of the thresholds m / t, m = 1, 2, ...
 * All comparisons are of whole numbers. */
#ifndef ORR_NETWORK_WAVELENGTHS_RATES_H
#define ORR_NETWORK_WAVELENGTHS_RATES_H

#include "core/core.h"
#include "network/wavelengths/wavelengths.h"

/* Each set has `most` circuits for its demands. */
struct wave_sets {
    uint32_t sets, max;
    const uint32_t *begin;  /* [sets + 1] of each in `member` */
    const uint32_t *member; /* demands, each at most once in a set */
};

/* ceil(rate x bytes), UINT32_MAX where that is more. */
uint32_t orr_wave_needed(struct wave_rate rate, uint64_t bytes);

/* The least rate of all demands that are not 0; 1 circuit for 0 bytes, which is infinite, if there
 * are none. O(demands). */
struct wave_rate orr_wave_min(uint32_t demands, const uint64_t *bytes, const uint32_t *count);

struct wave_threshold {
    struct wave_rate rate; /* 0 circuits where a set has too many demands */
    struct wave_overload overload;
};

/* The greatest rate at which all sets have enough. A set is looked at closely only if it has not
 * enough at the least rate so far: O(members), and O(members log members) for each of those. Error:
 * memory. */
enum orr_status orr_wave_threshold(struct orr_arena *scratch, const uint64_t *bytes,
                                   const struct wave_sets *sets, struct wave_threshold *out,
                                   struct orr_diag *diag);

/* What is left: one circuit for the demand with the most bytes for a circuit that can have one
 * more, again and again; of those without any the largest first, of equal ones the lower number. */
struct wave_fill {
    uint32_t demands;
    const uint64_t *bytes; /* [demands]; those of 0 get nothing */
    uint32_t *count;       /* [demands]; taken on from what is there */
    uint32_t *heap;        /* [demands], to work in */
    /* Takes one more for this demand, if there is one; never again once there was none. */
    bool (*take)(void *self, uint32_t demand);
    void *self;
};

/* O((demands + circuits) log demands). */
void orr_wave_fill(const struct wave_fill *fill);

#endif
