/* Durations from sizes and rates; see time.h. */
#include "core/time.h"

#include <math.h>

sim_time orr_time_of_seconds(double seconds)
{
    if (!(seconds > 0.0)) {
        return 0;
    }
    const double ps = ceil(seconds * 1e12);
    return ps >= 9.2e18 ? ORR_TIME_MAX : (sim_time)ps;
}

/* 80-bit arithmetic is not portable, so the quotient is corrected instead: the double result is off
 * by at most a few ulp, and the remainder says in which direction for the sizes where it matters.
 */
sim_time orr_time_of_bytes(uint64_t bytes, double bytes_per_s)
{
    if (bytes == 0 || bytes_per_s == INFINITY) {
        return 0;
    }
    const double exact = (double)bytes * 1e12 / bytes_per_s;
    if (!(exact < 9.2e18)) {
        return ORR_TIME_MAX;
    }
    /* A relative error of 2^-51 may lift a whole number just above itself. */
    const double nearest = nearbyint(exact);
    const double error = exact * 0x1p-50;
    return (sim_time)(fabs(exact - nearest) <= error ? nearest : ceil(exact));
}
