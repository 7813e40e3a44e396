/* Tensor lifetimes to memory in use; see memory_use.h. */
#include "workload/memory_use.h"

#include <stdlib.h>
#include <string.h>

struct tensor {
    uint64_t bytes;
    sim_time born_ps, dies_ps; /* dies_ps < 0: never read */
};

struct tracker {
    struct orr_arena *arena;
    struct orr_strings names;
    struct tensor *tensor; /* by name's number */
    size_t capacity;
    uint32_t count;
    struct orr_diag *diag;
    const struct orr_trace *trace;
};

static enum orr_status bad_list(const struct tracker *tracker, const struct orr_node *node,
                                const char *what, const char *found)
{
    const struct orr_place place = orr_place_file(tracker->trace->path);
    return orr_diag_fail(tracker->diag, ORR_ERR_INPUT, &place,
                         "node %llu (%s): tensors are listed as name, size, name, size: %s \"%s\"",
                         (unsigned long long)node->id, node->name, what, found);
}

static struct tensor *find_tensor(struct tracker *tracker, const char *name, uint64_t bytes,
                                  sim_time born_ps)
{
    const uint32_t index = orr_strings_add(&tracker->names, name, strlen(name));
    struct tensor *grown = index == UINT32_MAX
                               ? NULL
                               : orr_arena_grow(tracker->arena, tracker->tensor, &tracker->capacity,
                                                index + (size_t)1, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    tracker->tensor = grown;
    if (index == tracker->count) {
        tracker->count++;
        grown[index] = (struct tensor){.bytes = bytes, .born_ps = born_ps, .dies_ps = -1};
    }
    return &grown[index];
}

/* One list of a node; reads prolong a tensor's life, writes begin it. */
static enum orr_status add_list(struct tracker *tracker, const struct orr_node *node,
                                const char *const *list, uint32_t count, const struct wl_span *read,
                                const struct wl_span *written)
{
    if (count % 2 != 0) {
        return bad_list(tracker, node, "there is no size behind", list[count - 1]);
    }
    for (uint32_t i = 0; i < count; i += 2) {
        int64_t bytes = 0;
        if (!orr_parse_integer(list[i + 1], &bytes) || bytes < 0) {
            return bad_list(tracker, node, "expected a size >= 0, got", list[i + 1]);
        }
        if (bytes == 0) {
            continue;
        }
        struct tensor *tensor =
            find_tensor(tracker, list[i], (uint64_t)bytes, written != NULL ? written->start_ps : 0);
        if (tensor == NULL) {
            return orr_diag_no_memory(tracker->diag, "tracking memory");
        }
        if (read != NULL && read->end_ps > tensor->dies_ps) {
            tensor->dies_ps = read->end_ps;
        }
    }
    return ORR_OK;
}

/* Writes of all nodes first, so that a tensor's birth does not depend on the order of nodes. */
static enum orr_status collect(struct tracker *tracker, const struct wl_span *span, bool reads)
{
    const struct orr_trace *trace = tracker->trace;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node_extra *extra = orr_trace_extra(trace, &trace->node[i]);
        if (extra == NULL || span[i].start_ps > span[i].end_ps) {
            continue;
        }
        const enum orr_status status = reads ? add_list(tracker, &trace->node[i], extra->inputs,
                                                        extra->input_count, &span[i], NULL)
                                             : add_list(tracker, &trace->node[i], extra->outputs,
                                                        extra->output_count, NULL, &span[i]);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}

struct change {
    sim_time at_ps;
    uint64_t bytes;
    bool frees;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *first = a, *second = b;
    if (first->at_ps != second->at_ps) {
        return first->at_ps < second->at_ps ? -1 : 1;
    }
    return (first->frees ? 1 : 0) - (second->frees ? 1 : 0);
}

static size_t list_changes(const struct tracker *tracker, struct change *changes)
{
    size_t count = 0;
    for (uint32_t i = 0; i < tracker->count; i++) {
        const struct tensor *tensor = &tracker->tensor[i];
        changes[count++] = (struct change){tensor->born_ps, tensor->bytes, false};
        if (tensor->dies_ps >= 0) {
            changes[count++] = (struct change){tensor->dies_ps, tensor->bytes, true};
        }
    }
    return count;
}

static void sum_up(const struct change *changes, size_t count, struct wl_memory_step *steps,
                   struct wl_memory_use *out)
{
    uint64_t in_use = 0;
    for (size_t i = 0; i < count; i++) {
        in_use = changes[i].frees ? in_use - changes[i].bytes : in_use + changes[i].bytes;
        if (i + 1 < count && changes[i + 1].at_ps == changes[i].at_ps) {
            continue;
        }
        steps[out->steps++] = (struct wl_memory_step){changes[i].at_ps, in_use};
        if (in_use > out->peak_bytes) {
            out->peak_bytes = in_use;
            out->peak_ps = changes[i].at_ps;
        }
    }
}

enum orr_status wl_memory_use(struct orr_arena *arena, const struct orr_trace *trace,
                              const struct wl_span *span, struct wl_memory_use *out,
                              struct orr_diag *diag)
{
    struct tracker tracker = {.arena = arena, .diag = diag, .trace = trace};
    orr_strings_init(&tracker.names, arena);
    *out = (struct wl_memory_use){0};
    enum orr_status status = collect(&tracker, span, false);
    if (status == ORR_OK) {
        status = collect(&tracker, span, true);
    }
    if (status != ORR_OK) {
        return status;
    }
    const size_t most = 2 * (size_t)tracker.count;
    struct change *changes = orr_arena_array(arena, most, sizeof *changes);
    struct wl_memory_step *steps = orr_arena_array(arena, most, sizeof *steps);
    if (changes == NULL || steps == NULL) {
        return orr_diag_no_memory(diag, "tracking memory");
    }
    const size_t count = list_changes(&tracker, changes);
    if (count != 0) {
        qsort(changes, count, sizeof *changes, compare_changes);
    }
    out->step = steps;
    sum_up(changes, count, steps, out);
    return ORR_OK;
}
