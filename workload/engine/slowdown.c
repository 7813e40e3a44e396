/* The factor of a node's duration; see slowdown.h.
 *
 * Jitter has mean 1 and the standard deviation s in every distribution:
 *   uniform    1 + sqrt(3) s u, u uniform in [-1, 1): u has the variance 1/3;
 *   normal     1 + s z, z standard normal (Box and Muller, 1958), cut at 0;
 *   lognormal  exp(v z - v^2 / 2), v^2 = ln(1 + s^2): mean 1, variance exp(v^2) - 1 = s^2. */
#include "workload/engine/slowdown.h"

#include "core/rng.h"

#include <math.h>
#include <stddef.h>

/* Each rank has its own seed; the node's id selects the stream. */
static void init_rng(struct orr_rng *rng, uint64_t seed, uint32_t rank, uint64_t node_id)
{
    orr_rng_init(rng, seed, rank);
    orr_rng_init(rng, orr_rng_next(rng), node_id);
}

static double standard_normal(struct orr_rng *rng)
{
    static const double turn = 6.283185307179586476925;
    const double radius = sqrt(-2 * log(1 - orr_rng_unit(rng))); /* the logarithm of (0, 1] */
    return radius * cos(turn * orr_rng_unit(rng));
}

static double draw(enum wl_jitter jitter, double spread, struct orr_rng *rng)
{
    static const double root_of_3 = 1.732050807568877293527;
    switch (jitter) {
    case WL_JITTER_UNIFORM:
        return 1 + root_of_3 * spread * (2 * orr_rng_unit(rng) - 1);
    case WL_JITTER_NORMAL:
        return fmax(1 + spread * standard_normal(rng), 0);
    default: {
        const double variance = log1p(spread * spread);
        return exp(sqrt(variance) * standard_normal(rng) - variance / 2);
    }
    }
}

double orr_wl_slowdown_factor(const struct wl_slowdown *slowdown, struct orr_rank rank,
                              uint64_t node_id)
{
    const double factor = slowdown->factor != NULL ? slowdown->factor[rank.rank] : 1;
    if (slowdown->jitter == WL_JITTER_NONE) {
        return factor;
    }
    struct orr_rng rng;
    init_rng(&rng, slowdown->seed, rank.rank, node_id);
    /* Multiples of 2^-30, far above the differences between mathematical libraries. */
    return factor * (rint(draw(slowdown->jitter, slowdown->spread, &rng) * 0x1p30) * 0x1p-30);
}
