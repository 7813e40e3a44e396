/* Greatest common divisor, and division of 32-bit numbers by an invariant divisor: a multiplication
 * instead of a division, exact for all 32-bit numbers (D. Lemire, O. Kaser, N. Kurz: Faster
 * Remainder by Direct Computation, 2019). */
#ifndef ORR_CORE_DIVIDE_H
#define ORR_CORE_DIVIDE_H

#include <stdint.h>

/* Greatest common divisor; gcd(a, 0) = a. */
static inline uint32_t orr_gcd(uint32_t a, uint32_t b)
{
    while (b != 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct orr_divisor {
    uint64_t magic; /* ceil(2^64 / by); 0 for 1 */
    uint32_t by;
};

__extension__ typedef unsigned __int128 orr_wide;

/* by >= 1. */
static inline struct orr_divisor orr_divisor_of(uint32_t by)
{
    return (struct orr_divisor){.magic = by > 1 ? UINT64_MAX / by + 1 : 0, .by = by};
}

static inline uint32_t orr_quotient(struct orr_divisor divisor, uint32_t number)
{
    return divisor.magic != 0 ? (uint32_t)((orr_wide)divisor.magic * number >> 64) : number;
}

static inline uint32_t orr_remainder(struct orr_divisor divisor, uint32_t number)
{
    return number - orr_quotient(divisor, number) * divisor.by;
}

#endif
