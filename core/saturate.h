/* Saturating arithmetic of sizes at INT64_MAX: sizes computed from a file never wrap around. */
#ifndef ORR_CORE_SATURATE_H
#define ORR_CORE_SATURATE_H

#include <stdint.h>

static inline uint64_t sat_times(uint64_t a, uint64_t b)
{
    return b != 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static inline uint64_t sat_plus(uint64_t a, uint64_t b)
{
    return b > INT64_MAX || a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Integer part of value >= 0; INT64_MAX for NaN. */
static inline uint64_t sat_integer(double value)
{
    return value < 0x1p63 ? (uint64_t)value : INT64_MAX;
}

/* ceil(all / parts): the largest of `parts` even parts. */
static inline uint64_t sat_divide_up(uint64_t all, uint64_t parts)
{
    return all / parts + (all % parts != 0);
}

#endif
