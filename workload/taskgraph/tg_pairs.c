/* Pairs the ends of transfers; see tg_pairs.h. */
#include "workload/taskgraph/tg_pairs.h"

#include "core/arena.h"

#include <inttypes.h>
#include <stdlib.h>

struct end {
    uint32_t from, to; /* NPUs of the transfer */
    uint32_t task;
};

/* Whether the task is an end of a transfer between two NPUs; within an NPU there is nothing to
 * pair. */
static bool is_end(const struct tg_task *task)
{
    return (task->role == TG_SEND || task->role == TG_RECEIVE) && task->from != task->to;
}

bool orr_tg_has_ends(const struct tg_graph *graph)
{
    uint32_t i = 0;
    while (i < graph->tasks && !is_end(&graph->task[i])) {
        i++;
    }
    return i < graph->tasks;
}

static bool fit(const struct tg_graph *graph, const uint32_t *other_end, uint32_t send,
                uint32_t receive)
{
    const struct tg_task *a = &graph->task[send], *b = &graph->task[receive];
    return b->role == TG_RECEIVE && other_end[send] == TG_NONE && other_end[receive] == TG_NONE &&
           a->from == b->from && a->to == b->to;
}

static enum orr_status pair(const struct tg_graph *graph, uint32_t *other_end, uint32_t send,
                            uint32_t receive, struct orr_diag *diag)
{
    char label[TG_LABEL_BYTES];
    if (graph->task[send].bytes != graph->task[receive].bytes) {
        return orr_tg_fail(
            graph, receive, diag, "expected the %" PRIu64 " bytes that %s sends, got %" PRIu64,
            graph->task[send].bytes, orr_tg_label(graph, send, label), graph->task[receive].bytes);
    }
    other_end[send] = receive;
    other_end[receive] = send;
    return ORR_OK;
}

/* Pairs ends with a dependency of the receiving on the sending one. */
static enum orr_status pair_linked(const struct tg_graph *graph, uint32_t *other_end,
                                   struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0, count; i < graph->tasks && status == ORR_OK; i++) {
        if (graph->task[i].role != TG_SEND || !is_end(&graph->task[i])) {
            continue;
        }
        const uint32_t *next = orr_tg_next(graph, i, &count);
        for (uint32_t e = 0; e < count && status == ORR_OK; e++) {
            status = fit(graph, other_end, i, next[e]) ? pair(graph, other_end, i, next[e], diag)
                                                       : ORR_OK;
        }
    }
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct end *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    if (a->to != b->to) {
        return a->to < b->to ? -1 : 1;
    }
    return (a->task > b->task) - (a->task < b->task);
}

/* Pairs the n-th sending with the n-th receiving end of one pair of NPUs. */
static enum orr_status pair_in_order(const struct tg_graph *graph, uint32_t *other_end,
                                     const struct end *ends, size_t count, struct orr_diag *diag)
{
    size_t send = 0, receive = 0;
    for (;; send++, receive++) {
        while (send < count && graph->task[ends[send].task].role != TG_SEND) {
            send++;
        }
        while (receive < count && graph->task[ends[receive].task].role != TG_RECEIVE) {
            receive++;
        }
        if (send == count || receive == count) {
            return ORR_OK;
        }
        const enum orr_status status =
            pair(graph, other_end, ends[send].task, ends[receive].task, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
}

static enum orr_status pair_rest(const struct tg_graph *graph, uint32_t *other_end,
                                 struct end *ends, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    size_t count = 0;
    for (uint32_t i = 0; i < graph->tasks; i++) {
        const struct tg_task *task = &graph->task[i];
        if (is_end(task) && other_end[i] == TG_NONE) {
            ends[count++] = (struct end){.from = task->from, .to = task->to, .task = i};
        }
    }
    qsort(ends, count, sizeof *ends, compare);
    for (size_t first = 0, next; first < count && status == ORR_OK; first = next) {
        next = first + 1;
        while (next < count && ends[next].from == ends[first].from &&
               ends[next].to == ends[first].to) {
            next++;
        }
        status = pair_in_order(graph, other_end, ends + first, next - first, diag);
    }
    return status;
}

enum orr_status orr_tg_pair_ends(const struct tg_graph *graph, uint32_t *other_end,
                                 struct orr_diag *diag)
{
    for (uint32_t i = 0; i < graph->tasks; i++) {
        other_end[i] = TG_NONE;
    }
    if (!orr_tg_has_ends(graph)) {
        return ORR_OK;
    }
    struct end *ends = orr_heap_calloc(graph->tasks, sizeof *ends);
    enum orr_status status = ends != NULL
                                 ? pair_linked(graph, other_end, diag)
                                 : orr_diag_no_memory(diag, "the transfers of a task graph");
    if (status == ORR_OK) {
        status = pair_rest(graph, other_end, ends, diag);
    }
    orr_heap_free(ends);
    return status;
}
