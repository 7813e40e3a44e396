/* Simulated time: picoseconds in int64_t, with saturating arithmetic (docs/models.md, 1). 2^63 ps
 * is 106 days; the event queue reports times beyond it as an input error. */
#ifndef ORR_CORE_TIME_H
#define ORR_CORE_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* A simulated instant or duration in ps. Never negative in a run. */
typedef int64_t sim_time;

#define ORR_PS_PER_NS INT64_C(1000)
#define ORR_PS_PER_US INT64_C(1000000)
#define ORR_PS_PER_S INT64_C(1000000000000)
#define ORR_TIME_MAX INT64_MAX

/* a + b for a, b >= 0, saturating at ORR_TIME_MAX, which no event can be scheduled at. */
static inline sim_time orr_time_add(sim_time a, sim_time b)
{
    return a > ORR_TIME_MAX - b ? ORR_TIME_MAX : a + b;
}

/* a * n for a >= 0, saturating at ORR_TIME_MAX. */
static inline sim_time orr_time_mul(sim_time a, uint64_t n)
{
    sim_time product;
    return n > INT64_MAX || __builtin_mul_overflow(a, (sim_time)n, &product) ? ORR_TIME_MAX
                                                                             : product;
}

/* Whole picoseconds that `bytes` take at `bytes_per_s`, rounded up (docs/models.md, 2: Rounding).
 * An infinite bandwidth or no bytes give 0; saturates at ORR_TIME_MAX, as a bandwidth that is not
 * positive does. Exact to 2^-50 of the result: whole numbers stay whole. */
sim_time orr_time_of_bytes(uint64_t bytes, double bytes_per_s);

/* duration * factor rounded up to whole ps, for duration, factor >= 0; saturates. Exact to 2^-50.
 */
sim_time orr_time_scale(sim_time duration, double factor);

/* `seconds` rounded up to whole ps, saturating; 0 for negative or NaN. */
sim_time orr_time_of_seconds(double seconds);

#endif
