/* The two ends of a transfer, where a file has a task for each; see flexflow_plan.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "et_converter/flexflow/flexflow_plan.h"

struct end {
    uint32_t from, to; /* NPUs of the transfer */
    uint32_t task;
};

static bool is_end(const struct flexflow_step *step)
{
    return step->role == FLEXFLOW_SENDS || step->role == FLEXFLOW_RECEIVES;
}

static bool fit(const struct flexflow_plan *plan, uint32_t send, uint32_t receive)
{
    const struct flexflow_step *a = &plan->step[send], *b = &plan->step[receive];
    return a->role == FLEXFLOW_SENDS && b->role == FLEXFLOW_RECEIVES && a->mate == UINT32_MAX &&
           b->mate == UINT32_MAX && a->from == b->peer && a->peer == b->from;
}

static enum orr_status join(const struct flexflow_plan *plan, uint32_t send, uint32_t receive,
                            struct orr_diag *diag)
{
    const struct flexflow_graph *graph = plan->graph;
    char label[FLEXFLOW_LABEL_BYTES];
    if (graph->task[send].bytes != graph->task[receive].bytes) {
        return orr_flexflow_fail(graph, receive, diag,
                                 "expected the %" PRIu64 " bytes that %s sends, got %" PRIu64,
                                 graph->task[send].bytes, orr_flexflow_label(graph, send, label),
                                 graph->task[receive].bytes);
    }
    plan->step[send].mate = receive;
    plan->step[receive].mate = send;
    return ORR_OK;
}

/* Ends with a dependency of the receiving on the sending one. */
static enum orr_status join_linked(const struct flexflow_plan *plan, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < plan->graph->tasks && status == ORR_OK; i++) {
        const struct flexflow_task *task = &plan->graph->task[i];
        const uint64_t count = plan->step[i].role == FLEXFLOW_SENDS ? task->next_count : 0;
        for (uint64_t e = 0; e < count && status == ORR_OK; e++) {
            const uint32_t next = plan->next[task->first_next + e];
            status = fit(plan, i, next) ? join(plan, i, next, diag) : ORR_OK;
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

/* Of one pair of NPUs: the n-th that sends and the n-th that receives. */
static enum orr_status join_in_order(const struct flexflow_plan *plan, const struct end *ends,
                                     size_t count, struct orr_diag *diag)
{
    size_t send = 0, receive = 0;
    for (;; send++, receive++) {
        while (send < count && plan->step[ends[send].task].role != FLEXFLOW_SENDS) {
            send++;
        }
        while (receive < count && plan->step[ends[receive].task].role != FLEXFLOW_RECEIVES) {
            receive++;
        }
        if (send == count || receive == count) {
            return ORR_OK;
        }
        const enum orr_status status = join(plan, ends[send].task, ends[receive].task, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
}

static enum orr_status join_rest(const struct flexflow_plan *plan, struct end *ends, size_t count,
                                 struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    qsort(ends, count, sizeof *ends, compare);
    for (size_t first = 0, next; first < count && status == ORR_OK; first = next) {
        next = first + 1;
        while (next < count && ends[next].from == ends[first].from &&
               ends[next].to == ends[first].to) {
            next++;
        }
        status = join_in_order(plan, ends + first, next - first, diag);
    }
    return status;
}

enum orr_status orr_flexflow_mate(struct flexflow_plan *plan, struct orr_arena *arena,
                                  struct orr_diag *diag)
{
    struct end *ends = orr_arena_array(arena, plan->graph->tasks, sizeof *ends);
    size_t count = 0;
    if (ends == NULL) {
        return orr_diag_no_memory(diag, "the transfers of a task graph");
    }
    enum orr_status status = join_linked(plan, diag);
    for (uint32_t i = 0; i < plan->graph->tasks; i++) {
        const struct flexflow_step *step = &plan->step[i];
        if (is_end(step) && step->mate == UINT32_MAX) {
            const bool sends = step->role == FLEXFLOW_SENDS;
            ends[count++] = (struct end){.from = sends ? step->from : step->peer,
                                         .to = sends ? step->peer : step->from,
                                         .task = i};
        }
    }
    status = status == ORR_OK ? join_rest(plan, ends, count, diag) : status;
    for (size_t i = 0; i < count; i++) {
        struct flexflow_step *step = &plan->step[ends[i].task];
        if (step->mate == UINT32_MAX) {
            *step = (struct flexflow_step){
                .role = FLEXFLOW_TRANSFERS, .from = ends[i].from, .to = ends[i].to};
        }
    }
    return status;
}
