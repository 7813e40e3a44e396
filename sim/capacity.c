/* Memory capacity: what a job's tensors need of each memory over time, and whether it fits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fold.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"

enum { TEXT = 48, NODE_TEXT = 160 };

static enum orr_status use_of(struct orrery *job, struct orr_slot slot, struct wl_memory_use *use)
{
    const struct orr_trace *trace = job->traces[slot.slot];
    struct wl_span *span = orr_heap_calloc((size_t)trace->nodes + 1, sizeof *span);
    if (span == NULL) {
        return orr_diag_no_memory(&job->diag, "tracking memory");
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        span[i] = orr_engine_span(job->layers.engine, slot, i);
    }
    const enum orr_status status = orr_wl_memory_use(job->arena, trace, span, use, &job->diag);
    orr_heap_free(span);
    return status;
}

enum orrery_status orrery_memory_use_in(struct orrery *job, uint32_t rank,
                                        enum orrery_memory memory, struct orrery_memory_use *use)
{
    *use = (struct orrery_memory_use){0};
    const struct orr_slot slot = rank < job->npus ? orr_slot_of(job, orr_rank(rank)) : orr_slot(0);
    if (rank >= job->npus || !job->ran || !orr_engine_has_spans(job->layers.engine)) {
        return orr_reject_call(job,
                               "memory of rank %u: expected a rank below %u of a job that has run "
                               "and tracks its memory",
                               rank, job->npus);
    }
    struct wl_memory_use from = {.of = (enum wl_memory)memory};
    const enum orr_status status = use_of(job, slot, &from);
    if (status == ORR_OK) {
        *use = (struct orrery_memory_use){
            .peak_bytes = from.peak_bytes, .peak_ps = from.peak_ps, .steps = from.steps};
        _Static_assert(sizeof *use->step == sizeof *from.step, "the same layout");
        use->step = (const struct orrery_memory_step *)from.step;
        if (from.peak_node != UINT32_MAX) {
            use->peak_node = job->traces[slot.slot]->node[from.peak_node].id;
            use->peak_name = job->traces[slot.slot]->node[from.peak_node].name;
        }
    }
    return orr_finish_call(job, status);
}

enum orrery_status orrery_memory_use(struct orrery *job, uint32_t rank,
                                     struct orrery_memory_use *use)
{
    return orrery_memory_use_in(job, rank, ORRERY_MEMORY_ALL, use);
}

/* ---- capacity ---- */

enum orr_status orr_too_large(struct orrery *job)
{
    job->found.too_large = true;
    if (!job->local.ignore_capacity) {
        return ORR_ERR_INPUT;
    }
    const struct orr_location place = job->diag.place;
    char message[ORR_DIAG_MESSAGE_BYTES];
    (void)snprintf(message, sizeof message, "%s", job->diag.message);
    job->diag = (struct orr_diag){.warn = job->diag.warn, .warn_user = job->diag.warn_user};
    orr_diag_warn(&job->diag, &place, "%s; memory.ignore_capacity runs it all the same", message);
    return ORR_OK;
}

void orrery_check_capacity(struct orrery *job, bool on)
{
    job->requests.capacity_unchecked = !on;
}

bool orrery_too_large(const struct orrery *job)
{
    return job->found.too_large;
}

/* Formats ", when node 7 (x) of NPU 0 starts". */
static const char *when(const struct orrery *job, struct orr_slot slot, uint32_t node,
                        char text[NODE_TEXT])
{
    text[0] = '\0';
    if (node != UINT32_MAX) {
        const struct orr_node *writer = &job->traces[slot.slot]->node[node];
        (void)snprintf(text, NODE_TEXT, ", when node %" PRIu64 " (%.80s) of NPU %" PRIu32 " starts",
                       writer->id, writer->name, orr_fold_rank(&job->fold, slot).rank);
    }
    return text;
}

static enum orr_status check_local(struct orrery *job, struct orr_slot slot)
{
    struct wl_memory_use use = {.of = WL_MEMORY_LOCAL};
    char need[TEXT], at[TEXT], capacity[TEXT], node[NODE_TEXT];
    const enum orr_status status = use_of(job, slot, &use);
    if (status == ORR_OK && use.peak_bytes > job->found.local_peak_bytes) {
        job->found.local_peak_bytes = use.peak_bytes;
    }
    if (status != ORR_OK || job->found.too_large || use.peak_bytes <= job->local.capacity_bytes) {
        return status;
    }
    (void)orr_diag_fail(
        &job->diag, ORR_ERR_INPUT, NULL,
        "the tensors of NPU %" PRIu32 " do not fit: they need %s of local memory "
        "at %s%s, but memory.local.capacity is %s",
        orr_fold_rank(&job->fold, slot).rank, orr_format_bytes(use.peak_bytes, need, sizeof need),
        orr_format_time(use.peak_ps, at, sizeof at), when(job, slot, use.peak_node, node),
        orr_format_bytes(job->local.capacity_bytes, capacity, sizeof capacity));
    return orr_too_large(job);
}

/* A change of one slot's bytes in the pool. */
struct pool_change {
    sim_time at_ps;
    uint64_t gained, freed;
    struct orr_slot slot;
    uint32_t node;
};

static int compare_changes(const void *a, const void *b)
{
    const struct pool_change *first = a, *second = b;
    if (first->at_ps != second->at_ps) {
        return first->at_ps < second->at_ps ? -1 : 1;
    }
    return first->slot.slot != second->slot.slot ? (first->slot.slot < second->slot.slot ? -1 : 1)
                                                 : 0;
}

static enum orr_status add_changes(struct orrery *job, struct orr_slot slot,
                                   struct pool_change **changes, size_t *count, size_t *alloc)
{
    struct wl_memory_use use = {.of = WL_MEMORY_REMOTE};
    const enum orr_status status = use_of(job, slot, &use);
    if (status != ORR_OK) {
        return status;
    }
    *changes =
        orr_arena_grow(job->arena, *changes, alloc, *count + use.steps + 1, sizeof **changes);
    if (*changes == NULL) {
        return orr_diag_no_memory(&job->diag, "tracking memory");
    }
    uint64_t before = 0;
    for (size_t i = 0; i < use.steps; i++) {
        const uint64_t now = use.step[i].bytes;
        (*changes)[(*count)++] = (struct pool_change){.at_ps = use.step[i].at_ps,
                                                      .gained = now > before ? now - before : 0,
                                                      .freed = now < before ? before - now : 0,
                                                      .slot = slot,
                                                      .node = use.node[i]};
        before = now;
    }
    return ORR_OK;
}

static enum orr_status fail_sum(struct orrery *job)
{
    return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                         "the tensors in the memory pool add up to more than 16 EiB");
}

/* Checks the pool, which has the tensors of all ranks of all classes. */
static enum orr_status check_sum(struct orrery *job, const struct pool_change *changes,
                                 size_t count)
{
    const uint64_t each = job->fold.class_size, capacity_bytes = orr_pool_capacity(job);
    uint64_t in_use = 0;
    for (size_t i = 0; i < count; i++) {
        if (changes[i].gained > (UINT64_MAX - in_use) / each) {
            return fail_sum(job);
        }
        in_use += each * changes[i].gained;
        in_use -= each * changes[i].freed;
        if (in_use <= capacity_bytes ||
            (i + 1 < count && changes[i + 1].at_ps == changes[i].at_ps)) {
            continue;
        }
        char need[TEXT], at[TEXT], capacity[TEXT], node[NODE_TEXT];
        (void)orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                            "the tensors in the memory pool do not fit: they need %s at %s%s, but "
                            "memory.pool.capacity is %s",
                            orr_format_bytes(in_use, need, sizeof need),
                            orr_format_time(changes[i].at_ps, at, sizeof at),
                            when(job, changes[i].slot, changes[i].node, node),
                            orr_format_bytes(capacity_bytes, capacity, sizeof capacity));
        return orr_too_large(job);
    }
    return ORR_OK;
}

static bool has_tensors(const struct orr_trace *trace)
{
    for (uint32_t i = 0; i < trace->extra_count; i++) {
        if (trace->extras[i].input_count != 0 || trace->extras[i].output_count != 0) {
            return true;
        }
    }
    return false;
}

bool orr_watches_capacity(const struct orrery *job)
{
    bool found = false;
    const bool limited = job->local.capacity_bytes != 0 || orr_pool_capacity(job) != 0;
    for (uint32_t slot = 0; slot < job->fold.slots && limited && !found; slot++) {
        found = (slot == 0 || job->traces[slot] != job->traces[slot - 1]) &&
                has_tensors(job->traces[slot]);
    }
    return found;
}

enum orr_status orr_check_capacity(struct orrery *job)
{
    struct pool_change *changes = NULL;
    size_t count = 0, alloc = 0;
    enum orr_status status = ORR_OK;
    if (job->requests.capacity_unchecked || !orr_watches_capacity(job)) {
        return ORR_OK;
    }
    for (uint32_t slot = 0; slot < job->fold.slots && status == ORR_OK; slot++) {
        if (job->local.capacity_bytes != 0) {
            status = check_local(job, orr_slot(slot));
        }
        if (status == ORR_OK && orr_pool_capacity(job) != 0) {
            status = add_changes(job, orr_slot(slot), &changes, &count, &alloc);
        }
    }
    if (status != ORR_OK || count == 0) {
        return status;
    }
    qsort(changes, count, sizeof *changes, compare_changes);
    return check_sum(job, changes, count);
}
