/* The order in which NPUs finish: by time, then rank; under the reference's rules the order of its
 * events. Computed at the first request. */
#include <stdlib.h>

#include "core/evq.h"
#include "core/fold.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"

struct finish {
    sim_time at;
    uint32_t slot;
};

static int compare_finishes(const void *a, const void *b)
{
    const struct finish *first = a, *second = b;
    if (first->at != second->at) {
        return first->at < second->at ? -1 : 1;
    }
    return (first->slot > second->slot) - (first->slot < second->slot);
}

/* time_index[slot]: index of its finish among the distinct times; first[]: where the ranks of each
 * time begin. */
static void sort_ranks(const struct orrery *job, const uint32_t *time_index, uint32_t *first,
                       uint32_t *order)
{
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        order[first[time_index[orr_slot_of(job, orr_rank(rank)).slot]]++] = rank;
    }
}

static bool fill(const struct orrery *job, uint32_t *order)
{
    const uint32_t slots = job->fold.slots;
    struct finish *finish = orr_heap_calloc(slots, sizeof *finish);
    uint32_t *time_index = orr_heap_calloc(slots, sizeof *time_index);
    uint32_t *first = orr_heap_calloc((size_t)slots + 1, sizeof *first);
    const bool good = finish != NULL && time_index != NULL && first != NULL;
    for (uint32_t slot = 0; slot < slots && good; slot++) {
        struct wl_times times;
        orr_engine_times(job->layers.engine, orr_slot(slot), &times);
        finish[slot] = (struct finish){.at = times.finish_ps, .slot = slot};
    }
    if (good) {
        qsort(finish, slots, sizeof *finish, compare_finishes);
        uint32_t time_indices = 0;
        for (uint32_t i = 0; i < slots; i++) {
            time_indices += i > 0 && finish[i].at != finish[i - 1].at ? 1 : 0;
            time_index[finish[i].slot] = time_indices;
            first[time_indices + 1] += job->fold.class_size;
        }
        for (uint32_t i = 1; i <= time_indices; i++) {
            first[i] += first[i - 1];
        }
        sort_ranks(job, time_index, first, order);
    }
    orr_heap_free(finish);
    orr_heap_free(time_index);
    orr_heap_free(first);
    return good;
}

const uint32_t *orrery_finish_order(const struct orrery *job)
{
    if (job->layers.engine == NULL) {
        return NULL;
    }
    if (job->system.config.policy->order == ORR_ORDER_INSERTION) {
        return orr_engine_finish_order(job->layers.engine);
    }
    struct orr_finish_order *made = job->found.finish_order;
    if (made->ranks == NULL && job->ran) {
        uint32_t *order = orr_arena_array(job->arena, job->npus, sizeof *order);
        made->ranks = order != NULL && fill(job, order) ? order : NULL;
    }
    return made->ranks;
}
