/* Tensor lifetimes to memory in use; see memory_use.h. */
#include "workload/engine/memory_use.h"

#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"

#include <stdlib.h>
#include <string.h>

struct tensor {
    uint64_t bytes;
    sim_time born_ps, dies_ps;    /* dies_ps < 0: not read after its last write */
    sim_time written_ps;          /* end of the last node that writes it; < 0: none does */
    uint32_t writer, last_writer; /* the first and the last; UINT32_MAX: none */
};

struct tracker {
    struct orr_arena *arena;
    struct orr_strings names;
    struct tensor *tensor; /* by name's number */
    size_t capacity;
    uint32_t count;
    struct orr_diag *diag;
    const struct orr_trace *trace;
    enum wl_memory of;
};

static enum orr_status fail_list(const struct tracker *tracker, const struct orr_node *node,
                                 const char *what, const char *found)
{
    const struct orr_location location = orr_location_file(tracker->trace->path);
    return orr_diag_fail(tracker->diag, ORR_ERR_INPUT, &location,
                         "node %llu (%s): tensors are listed as name, size, name, size: %s \"%s\"",
                         (unsigned long long)node->id, node->name, what, found);
}

static struct tensor *find_tensor(struct tracker *tracker, const char *name, uint64_t bytes)
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
        grown[index] = (struct tensor){.bytes = bytes,
                                       .dies_ps = -1,
                                       .written_ps = -1,
                                       .writer = UINT32_MAX,
                                       .last_writer = UINT32_MAX};
    }
    return &grown[index];
}

static void record_write(struct tensor *tensor, const struct wl_span *span, uint32_t node)
{
    if (tensor->writer == UINT32_MAX || span->start_ps < tensor->born_ps) {
        tensor->born_ps = span->start_ps;
        tensor->writer = node;
    }
    if (span->end_ps >= tensor->written_ps) {
        tensor->written_ps = span->end_ps;
        tensor->last_writer = node;
    }
}

/* All writes are recorded. A tensor that is read before it is written exists from time 0; one that
 * is not read after its last write lives to the end. */
static void record_read(struct tensor *tensor, const struct wl_span *span, uint32_t node)
{
    if (span->start_ps < tensor->born_ps) {
        tensor->born_ps = 0;
        tensor->writer = UINT32_MAX;
    }
    if (node != tensor->last_writer && span->start_ps >= tensor->written_ps &&
        span->end_ps > tensor->dies_ps) {
        tensor->dies_ps = span->end_ps;
    }
}

/* A size: whole, or text of a float ("134217728.0", "1.34217728e+08"), whose fraction of a byte is
 * left out. */
static bool size_of(const char *text, int64_t *bytes)
{
    double real;
    if (orr_parse_integer(text, bytes)) {
        return *bytes >= 0;
    }
    if (!orr_parse_number(text, &real) || !(real >= 0) || real >= 9223372036854775808.0) {
        return false;
    }
    *bytes = (int64_t)real;
    return true;
}

/* One list of a node. */
static enum orr_status add_list(struct tracker *tracker, const struct orr_node *node,
                                const char *const *list, uint32_t count, const struct wl_span *span,
                                bool reads)
{
    const uint32_t index = (uint32_t)(node - tracker->trace->node);
    if (count % 2 != 0) {
        return fail_list(tracker, node, "expected a size after", list[count - 1]);
    }
    for (uint32_t i = 0; i < count; i += 2) {
        int64_t bytes = 0;
        if (!size_of(list[i + 1], &bytes)) {
            return fail_list(tracker, node, "expected a size >= 0, got", list[i + 1]);
        }
        if (bytes == 0) {
            continue;
        }
        struct tensor *tensor = find_tensor(tracker, list[i], (uint64_t)bytes);
        if (tensor == NULL) {
            return orr_diag_no_memory(tracker->diag, "tracking memory");
        }
        (reads ? record_read : record_write)(tensor, span, index);
    }
    return ORR_OK;
}

static enum orr_status check_list(const struct tracker *tracker, const struct orr_node *node,
                                  const char *const *list, uint32_t count)
{
    int64_t bytes;
    if (count % 2 != 0) {
        return fail_list(tracker, node, "expected a size after", list[count - 1]);
    }
    for (uint32_t i = 0; i < count; i += 2) {
        if (!size_of(list[i + 1], &bytes)) {
            return fail_list(tracker, node, "expected a size >= 0, got", list[i + 1]);
        }
    }
    return ORR_OK;
}

enum orr_status orr_wl_check_tensors(const struct orr_trace *trace, struct orr_diag *diag)
{
    const struct tracker tracker = {.trace = trace, .diag = diag};
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < trace->nodes && status == ORR_OK; i++) {
        const struct orr_node *node = &trace->node[i];
        const struct orr_node_extra *extra = orr_trace_extra(trace, node);
        if (extra != NULL) {
            status = check_list(&tracker, node, extra->inputs, extra->input_count);
        }
        if (extra != NULL && status == ORR_OK) {
            status = check_list(&tracker, node, extra->outputs, extra->output_count);
        }
    }
    return status;
}

static bool counts(const struct tracker *tracker, const struct orr_node *node, bool reads)
{
    const uint8_t other = reads ? ORR_NODE_MEM_LOAD : ORR_NODE_MEM_STORE;
    const bool remote = node->kind == other && (node->flags & ORR_NODE_LOCAL_MEMORY) == 0;
    return tracker->of == WL_MEMORY_ALL || remote == (tracker->of == WL_MEMORY_REMOTE);
}

/* Writes of all nodes first, so that a tensor's birth does not depend on the order of nodes. */
static enum orr_status collect(struct tracker *tracker, const struct wl_span *span, bool reads)
{
    const struct orr_trace *trace = tracker->trace;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node_extra *extra = orr_trace_extra(trace, &trace->node[i]);
        if (extra == NULL || span[i].start_ps > span[i].end_ps ||
            !counts(tracker, &trace->node[i], reads)) {
            continue;
        }
        const enum orr_status status = reads ? add_list(tracker, &trace->node[i], extra->inputs,
                                                        extra->input_count, &span[i], true)
                                             : add_list(tracker, &trace->node[i], extra->outputs,
                                                        extra->output_count, &span[i], false);
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
    uint32_t node;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *first = a, *second = b;
    if (first->at_ps != second->at_ps) {
        return first->at_ps < second->at_ps ? -1 : 1;
    }
    if (first->frees != second->frees) {
        return first->frees ? 1 : -1;
    }
    return first->node != second->node ? (first->node < second->node ? -1 : 1) : 0;
}

static size_t list_changes(const struct tracker *tracker, struct change *changes)
{
    size_t count = 0;
    for (uint32_t i = 0; i < tracker->count; i++) {
        const struct tensor *tensor = &tracker->tensor[i];
        changes[count++] = (struct change){tensor->born_ps, tensor->bytes, false, tensor->writer};
        if (tensor->dies_ps >= 0) {
            changes[count++] = (struct change){tensor->dies_ps, tensor->bytes, true, UINT32_MAX};
        }
    }
    return count;
}

static void build_steps(const struct change *changes, size_t count, struct wl_memory_step *steps,
                        uint32_t *nodes, struct wl_memory_use *out)
{
    uint64_t in_use = 0;
    uint32_t node = UINT32_MAX; /* the first node that writes at this instant */
    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0 || changes[i - 1].at_ps != changes[i].at_ps;
        node = first ? changes[i].node : node;
        in_use = changes[i].frees ? in_use - changes[i].bytes : in_use + changes[i].bytes;
        if (i + 1 < count && changes[i + 1].at_ps == changes[i].at_ps) {
            continue;
        }
        nodes[out->steps] = node;
        steps[out->steps++] = (struct wl_memory_step){changes[i].at_ps, in_use};
        if (in_use > out->peak_bytes) {
            out->peak_bytes = in_use;
            out->peak_ps = changes[i].at_ps;
            out->peak_node = node;
        }
    }
}

enum orr_status orr_wl_memory_use(struct orr_arena *arena, const struct orr_trace *trace,
                                  const struct wl_span *span, struct wl_memory_use *out,
                                  struct orr_diag *diag)
{
    struct tracker tracker = {.arena = arena, .diag = diag, .trace = trace, .of = out->of};
    orr_strings_init(&tracker.names, arena);
    *out = (struct wl_memory_use){.of = tracker.of, .peak_node = UINT32_MAX};
    enum orr_status status = collect(&tracker, span, false);
    if (status == ORR_OK) {
        status = collect(&tracker, span, true);
    }
    if (status != ORR_OK) {
        return status;
    }
    const size_t max = 2 * (size_t)tracker.count;
    struct change *changes = orr_arena_array(arena, max, sizeof *changes);
    struct wl_memory_step *steps = orr_arena_array(arena, max, sizeof *steps);
    uint32_t *nodes = orr_arena_array(arena, max, sizeof *nodes);
    if (changes == NULL || steps == NULL || nodes == NULL) {
        return orr_diag_no_memory(diag, "tracking memory");
    }
    const size_t count = list_changes(&tracker, changes);
    if (count != 0) {
        qsort(changes, count, sizeof *changes, compare_changes);
    }
    out->step = steps;
    out->node = nodes;
    build_steps(changes, count, steps, nodes, out);
    return ORR_OK;
}
