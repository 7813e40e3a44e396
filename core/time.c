/* Durations from sizes and rates; see time.h. */
#include "core/time.h"

#include <math.h>

/* Rounds up, but values within a few ulp of an integer round to it: the quotients and products
 * below have relative errors of up to 2^-51, which may lift an integer just above itself (1e-9 s is
 * 1000 ps, not 1001). */
static sim_time round_up(double ps)
{
    if (!(ps < 9.2e18)) {
        return ORR_TIME_MAX;
    }
    const double nearest = nearbyint(ps);
    return (sim_time)(fabs(ps - nearest) <= ps * 0x1p-50 ? nearest : ceil(ps));
}

sim_time orr_time_of_seconds(double seconds)
{
    return seconds > 0.0 ? round_up(seconds * 1e12) : 0;
}

sim_time orr_time_scale(sim_time duration, double factor)
{
    return factor == 1.0 ? duration : round_up((double)duration * factor);
}

sim_time orr_time_of_bytes(uint64_t bytes, double bytes_per_s)
{
    if (bytes == 0 || bytes_per_s == INFINITY) {
        return 0;
    }
    return bytes_per_s > 0.0 ? round_up((double)bytes * 1e12 / bytes_per_s) : ORR_TIME_MAX;
}
