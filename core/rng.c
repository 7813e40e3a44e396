/* xoshiro256** and splitmix64; see rng.h. */
#include "core/rng.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

void orr_rng_init(struct orr_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t mixed = stream;
    uint64_t state = seed ^ splitmix64(&mixed);
    for (int i = 0; i < 4; i++) {
        rng->state[i] = splitmix64(&state);
    }
}

static uint64_t rotl(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

uint64_t orr_rng_next(struct orr_rng *rng)
{
    uint64_t *s = rng->state;
    const uint64_t result = rotl(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t orr_rng_below(struct orr_rng *rng, uint64_t bound)
{
    const uint64_t reject = (UINT64_MAX - bound + 1) % bound;
    uint64_t value;
    do {
        value = orr_rng_next(rng);
    } while (value < reject);
    return value % bound;
}

double orr_rng_unit(struct orr_rng *rng)
{
    return (double)(orr_rng_next(rng) >> 11) * 0x1p-53;
}
