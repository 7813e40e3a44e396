/* Seeded random numbers: xoshiro256** seeded by splitmix64 (Blackman and Vigna). The same seed
 * gives the same numbers on every machine. Not for cryptography. */
#ifndef ORR_CORE_RNG_H
#define ORR_CORE_RNG_H

#include <stdint.h>

struct orr_rng {
    uint64_t state[4];
};

/* Seeds the generator. `stream` separates independent uses of one seed. */
void orr_rng_init(struct orr_rng *rng, uint64_t seed, uint64_t stream);

uint64_t orr_rng_next(struct orr_rng *rng);

/* Uniform in 0..bound-1 without bias; bound >= 1. */
uint64_t orr_rng_below(struct orr_rng *rng, uint64_t bound);

/* Uniform in [0, 1), 53 bits. */
double orr_rng_unit(struct orr_rng *rng);

#endif
