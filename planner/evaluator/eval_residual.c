/* Residual capacity of links for transfers: the capacity that all-reduces do not use, but at least
 * the transfers' share of all flows. Loops over all links without branches, so that the compiler
 * can vectorize them. */
#include "planner/evaluator/eval_private.h"

static void add_load(const struct eval_ring *ring, double weight, double *to)
{
    for (uint32_t i = 0; i < ring->links; i++) {
        to[ring->link[i]] += weight * ring->load[i];
    }
}

void orr_eval_count_flows(struct evaluator *evaluator)
{
    struct eval_ring *const *busy = eval_busy(evaluator);
    memcpy(evaluator->link_flows, evaluator->count, evaluator->ways.links * sizeof(double));
    for (size_t i = 0; i < evaluator->busy.count; i++) {
        for (uint32_t r = 0; r < eval_rings_represented(busy[i]); r++) {
            add_load(busy[i] + r, busy[i]->transmitting, evaluator->link_flows);
        }
    }
}

/* Residual capacity for each of `count` transfers: at least their share of all flows. */
static inline double residual_of(double capacity, double used, double count, double link_flows)
{
    return eval_max((capacity - used) * link_flows, capacity * count) / (count * link_flows);
}

/* Without all-reduces. */
static void residual_without_rings(struct evaluator *evaluator)
{
    double *restrict share = evaluator->share;
    const double *restrict capacity = evaluator->ways.capacity, *restrict count = evaluator->count;
    const uint32_t links = evaluator->ways.links;
    for (uint32_t l = 0; l < links; l++) {
        share[l] = capacity[l] / count[l];
    }
}

static void residual_of_all_rings(struct evaluator *evaluator)
{
    struct eval_ring *const *busy = eval_busy(evaluator);
    const uint32_t links = evaluator->ways.links;
    orr_eval_count_flows(evaluator);
    memset(evaluator->used, 0, links * sizeof *evaluator->used);
    for (size_t i = 0; i < evaluator->busy.count; i++) {
        for (uint32_t r = 0; r < eval_rings_represented(busy[i]); r++) {
            add_load(busy[i] + r, busy[i]->bytes_per_s, evaluator->used);
        }
    }
    for (uint32_t l = 0; l < links; l++) {
        evaluator->share[l] = residual_of(evaluator->ways.capacity[l], evaluator->used[l],
                                          evaluator->count[l], evaluator->link_flows[l]);
    }
}

/* ---- with the rings of one set ---- */

/* The loads of all rings of a set as one array, computed when it is first needed; NULL: memory is
 * out. */
static const float *loads_of(struct evaluator *evaluator, struct eval_ring_set *set)
{
    const size_t bytes = evaluator->ways.links * sizeof *set->load;
    if (set->load != NULL) {
        return set->load;
    }
    set->load = orr_heap_calloc(evaluator->ways.links, sizeof *set->load);
    for (uint32_t r = 0; r < set->rings && set->load != NULL; r++) {
        const struct eval_ring *ring = &set->ring[r];
        for (uint32_t i = 0; i < ring->links; i++) {
            set->load[ring->link[i]] += (float)ring->load[i];
        }
    }
    set->bytes += set->load != NULL ? bytes : 0;
    evaluator->sets.bytes += set->load != NULL ? bytes : 0;
    return set->load;
}

static void residual_of_set(struct evaluator *evaluator, const struct eval_ring *first)
{
    const double bytes_per_s = first->bytes_per_s, transmitting = first->transmitting;
    const float *restrict load = loads_of(evaluator, first->set);
    double *restrict share = evaluator->share;
    const double *restrict capacity = evaluator->ways.capacity, *restrict count = evaluator->count;
    const uint32_t links = evaluator->ways.links;
    if (load == NULL) {
        eval_fail(evaluator);
        return;
    }
    for (uint32_t l = 0; l < links; l++) {
        const double flows = (double)load[l];
        share[l] = residual_of(capacity[l], bytes_per_s * flows, count[l],
                               count[l] + transmitting * flows);
    }
}

void orr_eval_residual_capacity(struct evaluator *evaluator, bool one_set)
{
    if (evaluator->busy.count == 0) {
        residual_without_rings(evaluator);
    } else if (one_set && !(*eval_busy(evaluator))->set->split) {
        residual_of_set(evaluator, *eval_busy(evaluator));
    } else {
        residual_of_all_rings(evaluator);
    }
}
