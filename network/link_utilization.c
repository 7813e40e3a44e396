/* See link_utilization.h. A busy interval adds its share to the first and the last step that it
 * touches, and two changes of a running sum for the full steps between: O(1) for any length. */
#include "network/link_utilization.h"

#include "core/arena.h"

/* Of a dimension: busy ps of each step, and the change of the running sum (busy ps per ps) from
 * this step on. */
struct steps {
    double part[NET_USE_STEPS];
    double change[NET_USE_STEPS + 1];
};

struct net_link_utilization {
    unsigned dims;
    sim_time step_ps;
    size_t used; /* steps */
    struct steps *dim;
};

struct net_link_utilization *orr_net_link_utilization_create(struct orr_arena *arena, unsigned dims)
{
    struct net_link_utilization *utilization = orr_arena_alloc(arena, sizeof *utilization);
    struct steps *dim = orr_arena_array(arena, dims, sizeof *dim);
    if (utilization == NULL || dim == NULL) {
        return NULL;
    }
    *utilization = (struct net_link_utilization){.dims = dims, .step_ps = 1, .dim = dim};
    return utilization;
}

/* Adds the running sums to the steps, and clears them. */
static void resolve_changes(struct steps *steps, sim_time step_ps)
{
    double running = 0;
    for (size_t i = 0; i < NET_USE_STEPS; i++) {
        running += steps->change[i];
        steps->part[i] += running * (double)step_ps;
        steps->change[i] = 0;
    }
    steps->change[NET_USE_STEPS] = 0;
}

/* Doubles the step: two steps become one. */
static void double_step(struct net_link_utilization *utilization)
{
    for (unsigned d = 0; d < utilization->dims; d++) {
        struct steps *steps = &utilization->dim[d];
        resolve_changes(steps, utilization->step_ps);
        for (size_t i = 0; i < NET_USE_STEPS; i++) {
            steps->part[i] =
                i < NET_USE_STEPS / 2 ? steps->part[2 * i] + steps->part[2 * i + 1] : 0;
        }
    }
    utilization->step_ps *= 2;
    utilization->used = (utilization->used + 1) / 2;
}

void orr_net_link_utilization_add(struct net_link_utilization *utilization, unsigned dim,
                                  sim_time start_ps, sim_time end_ps, double busy_ps)
{
    if (end_ps == ORR_TIME_MAX || start_ps < 0) {
        return; /* it never ends */
    }
    end_ps = end_ps > start_ps ? end_ps : start_ps + 1;
    while ((end_ps - 1) / utilization->step_ps >= NET_USE_STEPS) {
        double_step(utilization);
    }
    struct steps *steps = &utilization->dim[dim];
    const double rate = busy_ps / (double)(end_ps - start_ps);
    const size_t first = (size_t)(start_ps / utilization->step_ps);
    const size_t last = (size_t)((end_ps - 1) / utilization->step_ps);
    utilization->used = last + 1 > utilization->used ? last + 1 : utilization->used;
    if (first == last) {
        steps->part[first] += busy_ps;
        return;
    }
    steps->part[first] += rate * (double)((sim_time)(first + 1) * utilization->step_ps - start_ps);
    steps->part[last] += rate * (double)(end_ps - (sim_time)last * utilization->step_ps);
    steps->change[first + 1] += rate;
    steps->change[last] -= rate;
}

sim_time orr_net_link_utilization_step_ps(const struct net_link_utilization *utilization)
{
    return utilization->step_ps;
}

size_t orr_net_link_utilization_steps(const struct net_link_utilization *utilization)
{
    return utilization->used;
}

void orr_net_link_utilization_read(const struct net_link_utilization *utilization, unsigned dim,
                                   double *links)
{
    const struct steps *steps = &utilization->dim[dim];
    double running = 0;
    for (size_t i = 0; i < NET_USE_STEPS; i++) {
        running += steps->change[i];
        const double value = steps->part[i] / (double)utilization->step_ps + running;
        links[i] = value > 1e-9 ? value : 0; /* a remainder of rounding counts as 0 */
    }
}
