/* Deferred all-reduces (setup.reduce_at_end): an all-reduce begins when its members have computed
 * all parts that give gradients, of all operators, and not when those of its own operator are
 * done. */
#include "planner/evaluator/eval_units.h"

static uint32_t *of(const struct eval_array *array)
{
    return array->items;
}

/* The all-reduces of an operator; those with `follows` start after another one. */
static const struct eval_gradient *gradients_of(const struct evaluator *evaluator, uint32_t op,
                                                size_t *count)
{
    *count = evaluator->op[op].reduce.count;
    return evaluator->op[op].reduce.items;
}

static void count_parts(struct evaluator *evaluator)
{
    uint32_t *left = of(&evaluator->deferred_parts);
    memset(left, 0, evaluator->setup.devices * sizeof *left);
    for (uint32_t i = 0; i < evaluator->setup.ops; i++) {
        const struct eval_op *op = &evaluator->op[i];
        const uint32_t *times = op->times.items, *device = op->device.items;
        for (size_t d = 0; d < op->device.count; d++) {
            left[device[d]] += times[device[d]];
        }
    }
}

/* How many all-reduces each device is a member of, summed up behind `first`; all of them are
 * listed. */
static bool list_reduces(struct evaluator *evaluator, uint32_t *first)
{
    const uint32_t devices = evaluator->setup.devices;
    struct eval_array *list = &evaluator->deferred_reduce;
    list->count = 0;
    memset(first, 0, ((size_t)devices + 2) * sizeof *first);
    for (uint32_t op = evaluator->setup.ops; op-- > 0;) {
        size_t count;
        const struct eval_gradient *gradient = gradients_of(evaluator, op, &count);
        struct eval_deferred *ends = orr_eval_reserve(list, list->count + count + 1, sizeof *ends);
        if (ends == NULL) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            const struct eval_ring_set *set = gradient[i].set;
            if (gradient[i].follows) {
                continue;
            }
            ends[list->count++] = (struct eval_deferred){op, (uint32_t)i, set->members};
            for (uint32_t m = 0; m < set->members; m++) {
                first[set->member[m] + 2]++;
            }
        }
    }
    for (uint32_t d = 0; d < devices; d++) {
        first[d + 2] += first[d + 1];
    }
    return true;
}

/* Which those are; first[device] is where its own begin. */
static bool list_members(struct evaluator *evaluator, uint32_t *first)
{
    const struct eval_deferred *ends = evaluator->deferred_reduce.items;
    const uint32_t devices = evaluator->setup.devices;
    uint32_t *list =
        orr_eval_reserve(&evaluator->deferred_list, (size_t)first[devices + 1] + 1, sizeof *list);
    for (uint32_t r = 0; r < evaluator->deferred_reduce.count && list != NULL; r++) {
        const struct eval_gradient *gradient = evaluator->op[ends[r].op].reduce.items;
        const struct eval_ring_set *set = gradient[ends[r].gradient].set;
        for (uint32_t m = 0; m < set->members; m++) {
            list[first[set->member[m] + 1]++] = r;
        }
    }
    return list != NULL;
}

void orr_eval_deferred_begin(struct evaluator *evaluator)
{
    const uint32_t devices = evaluator->setup.devices;
    uint32_t *left = orr_eval_reserve(&evaluator->deferred_parts, devices, sizeof *left);
    uint32_t *first =
        orr_eval_reserve(&evaluator->deferred_first, (size_t)devices + 2, sizeof *first);
    if (left == NULL || first == NULL || !list_reduces(evaluator, first) ||
        !list_members(evaluator, first)) {
        eval_fail(evaluator);
        return;
    }
    count_parts(evaluator);
}

/* The device has done all: of those that waited for it alone none waits any more. */
static void end_device(struct evaluator *evaluator, uint32_t device)
{
    struct eval_deferred *ends = evaluator->deferred_reduce.items;
    const uint32_t *first = of(&evaluator->deferred_first), *list = of(&evaluator->deferred_list);
    for (uint32_t i = first[device]; i < first[device + 1]; i++) {
        struct eval_deferred *end = &ends[list[i]];
        if (--end->members != 0) {
            continue;
        }
        const struct eval_gradient *gradient = evaluator->op[end->op].reduce.items;
        orr_eval_post(evaluator,
                      &(struct eval_event){.time = evaluator->now + gradient[end->gradient].inner,
                                           .kind = EVAL_REDUCE,
                                           .index = end->op,
                                           .cohort = {.first = end->gradient}});
    }
}

void orr_eval_deferred_done(struct evaluator *evaluator, uint32_t op, struct eval_cohort cohort)
{
    const struct eval_op *of_op = &evaluator->op[op];
    const bool whole = cohort.count == EVAL_ALL_DEVICES;
    const uint32_t *times = of_op->times.items;
    const uint32_t *device =
        whole ? of(&of_op->device) : (const uint32_t *)evaluator->set.items + cohort.first;
    const uint32_t count = whole ? (uint32_t)of_op->device.count : cohort.count;
    uint32_t *left = of(&evaluator->deferred_parts);
    for (uint32_t i = 0; i < count; i++) {
        left[device[i]] -= times[device[i]];
        if (left[device[i]] == 0) {
            end_device(evaluator, device[i]);
        }
    }
}
