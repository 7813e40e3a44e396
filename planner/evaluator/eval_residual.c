/* What rings of all-reduces leave of links for transfers: what they do not carry, and at least the
 * transfers' part of the flows. In passes over all links without branches, for vectors. */
#include "planner/evaluator/eval_private.h"

static void add_load(const struct eval_ring *ring, double weight, double *to)
{
    for (uint32_t i = 0; i < ring->links; i++) {
        to[ring->link[i]] += weight * ring->load[i];
    }
}

void orr_eval_count_others(struct evaluator *evaluator)
{
    struct eval_ring *const *busy = eval_busy(evaluator);
    memcpy(evaluator->others, evaluator->count, evaluator->ways.links * sizeof(double));
    for (size_t i = 0; i < evaluator->busy.count; i++) {
        for (uint32_t r = 0; r < eval_stands_for(busy[i]); r++) {
            add_load(busy[i] + r, busy[i]->on, evaluator->others);
        }
    }
}

/* What is left of a link for each of `count` transfers beside rings that use so much of it: at
 * least its part of all flows. */
static inline double rest_of(double capacity, double used, double count, double others)
{
    return eval_more((capacity - used) * others, capacity * count) / (count * others);
}

/* Where there is nothing but transfers. */
static void leave_all(struct evaluator *evaluator)
{
    double *restrict share = evaluator->share;
    const double *restrict capacity = evaluator->ways.capacity, *restrict count = evaluator->count;
    const uint32_t links = evaluator->ways.links;
    for (uint32_t l = 0; l < links; l++) {
        share[l] = capacity[l] / count[l];
    }
}

static void leave_beside_all(struct evaluator *evaluator)
{
    struct eval_ring *const *busy = eval_busy(evaluator);
    const uint32_t links = evaluator->ways.links;
    orr_eval_count_others(evaluator);
    memset(evaluator->used, 0, links * sizeof *evaluator->used);
    for (size_t i = 0; i < evaluator->busy.count; i++) {
        for (uint32_t r = 0; r < eval_stands_for(busy[i]); r++) {
            add_load(busy[i] + r, busy[i]->speed, evaluator->used);
        }
    }
    for (uint32_t l = 0; l < links; l++) {
        evaluator->share[l] = rest_of(evaluator->ways.capacity[l], evaluator->used[l],
                                      evaluator->count[l], evaluator->others[l]);
    }
}

/* ---- beside the rings of one set ---- */

/* The loads of a set's rings as one array, made when it is asked for first; NULL: memory is out. */
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

static void leave_beside(struct evaluator *evaluator, const struct eval_ring *first)
{
    const double speed = first->speed, on = first->on;
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
        share[l] = rest_of(capacity[l], speed * flows, count[l], count[l] + on * flows);
    }
}

void orr_eval_residual_capacity(struct evaluator *evaluator, bool one_set)
{
    if (evaluator->busy.count == 0) {
        leave_all(evaluator);
    } else if (one_set && !(*eval_busy(evaluator))->set->split) {
        leave_beside(evaluator, *eval_busy(evaluator));
    } else {
        leave_beside_all(evaluator);
    }
}
