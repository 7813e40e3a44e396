/* Runs the remaining points; see sweep_complete.h. */
#include "study/sweep/sweep_complete.h"

#include "core/arena.h"
#include "study/sweep/sweep_result.h"

struct keep_context {
    struct orr_sweep_store *store;
    const struct orr_sweep_listener *listener;
};

static enum orr_status keep(void *context, const char *line, struct orr_diag *diag)
{
    const struct keep_context *keep_context = context;
    struct orr_sweep_result result;
    const enum orr_status status = orr_sweep_store_add(keep_context->store, line, &result, diag);
    if (status == ORR_OK) {
        keep_context->listener->step(keep_context->listener->context, keep_context->store, &result);
    }
    return status;
}

enum orr_status orr_sweep_complete(struct orr_sweep_store *store,
                                   const struct orr_sweep_ranks *ranks, unsigned threads,
                                   const struct orr_sweep_listener *listener, struct orr_diag *diag)
{
    const uint32_t points = store->sweep->points;
    uint32_t *todo = orr_heap_calloc(points, sizeof *todo);
    if (todo == NULL) {
        return orr_diag_fail(diag, ORR_ERR_MEMORY, NULL, "out of memory");
    }
    struct keep_context keep_context = {store, listener};
    struct orr_sweep_work work = {.sweep = store->sweep,
                                  .todo = todo,
                                  .threads = threads,
                                  .keep = keep,
                                  .context = &keep_context};
    for (uint32_t point = 0; point < points; point++) {
        if (store->row[point].state == ORR_SWEEP_OPEN) {
            todo[work.count++] = point;
        }
    }
    const enum orr_status status = ranks->ops->run(ranks, &work, diag);
    orr_heap_free(todo);
    return status;
}
