/* Rates of circuits: what an allocation for demands reaches, and what makes one impossible
 * (network/allocation.h). Rates are fractions of integers, so nothing depends on rounding. */
#ifndef ORR_NETWORK_WAVELENGTHS_WAVE_RATE_H
#define ORR_NETWORK_WAVELENGTHS_WAVE_RATE_H

#include <stdbool.h>

#include "core/divide.h"

#define WAVE_NONE UINT32_MAX

enum { WAVE_MAX_NODES = 1 << 24 };

/* Circuits per byte. 1 circuit for 0 bytes: infinite, without demands. */
struct wave_rate {
    uint32_t circuits;
    uint64_t bytes;
};

/* circuits / bytes of `a` is less than that of `b`. */
static inline bool wave_rate_is_less(struct wave_rate a, struct wave_rate b)
{
    return (orr_wide)a.circuits * b.bytes < (orr_wide)b.circuits * a.bytes;
}

/* Why no rate above 0 is possible: a set has more demands than circuits. */
struct wave_overload {
    uint32_t set; /* the set; WAVE_NONE: none */
    uint32_t demands;
};

#endif
