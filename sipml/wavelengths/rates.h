/* Max-min rates in integer circuits: the largest rate, in circuits per byte, that every demand can
 * have if each set of demands has a limit of circuits (the ports of a GPU, the wavelengths on a
 * segment of a ring).
 *
 * A demand of t bytes has the rate c / t with c circuits, so it needs ceil(r t) circuits for a rate
 * r. The largest r at which every set has enough is one of the thresholds m / t, m = 1, 2, ... All
 * comparisons are of integers. */
#ifndef ORR_SIPML_WAVELENGTHS_RATES_H
#define ORR_SIPML_WAVELENGTHS_RATES_H

#include "sipml/wavelengths/wavelengths.h"

struct orr_arena;
struct orr_diag;

/* Sets of demands; each set has `max` circuits. */
struct wave_sets {
    uint32_t sets, max;
    const uint32_t *begin;  /* [sets + 1] first entry of each set in `member` */
    const uint32_t *member; /* demands of the sets, each at most once in a set */
};

/* ceil(rate x bytes), capped at UINT32_MAX. */
uint32_t orr_wave_needed(struct wave_rate rate, uint64_t bytes);

/* The minimum rate of all nonzero demands; without any 1 circuit for 0 bytes, which is infinite.
 * O(demands). */
struct wave_rate orr_wave_min(uint32_t demands, const uint64_t *bytes, const uint32_t *count);

struct wave_threshold {
    struct wave_rate rate; /* 0 circuits if a set has too many demands */
    struct wave_overload overload;
};

/* The maximal rate at which all sets have enough circuits. Only sets that have too few at the
 * minimum so far are solved exactly: O(members), plus O(members log members) for each of those.
 * Error: memory. */
enum orr_status orr_wave_threshold(struct orr_arena *scratch, const uint64_t *bytes,
                                   const struct wave_sets *sets, struct wave_threshold *out,
                                   struct orr_diag *diag);

/* Distributes remaining circuits one by one to the demand with the most bytes per circuit that can
 * have one more; first to demands without any, largest first; ties to the lower number. */
struct wave_fill {
    uint32_t demands;
    const uint64_t *bytes; /* [demands]; demands of 0 get nothing */
    uint32_t *count;       /* [demands] in and out */
    uint32_t *heap;        /* [demands] scratch */
    /* Takes one more circuit for this demand, if possible; false is final for the demand. */
    bool (*take)(void *self, uint32_t demand);
    void *self;
};

/* O((demands + circuits) log demands). */
void orr_wave_fill(const struct wave_fill *fill);

#endif
