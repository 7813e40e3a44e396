/* Checks of a task graph; see tg_graph.h. */
#include <inttypes.h>

#include "core/arena.h"
#include "core/time.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_pairs.h"

static enum orr_status fail_graph(const struct tg_graph *graph, struct orr_diag *diag,
                                  const char *message, uint32_t found, uint32_t other)
{
    const struct orr_location location = orr_location_file(graph->file != NULL ? graph->file : "");
    return orr_diag_fail(diag, ORR_ERR_INPUT, graph->file != NULL ? &location : NULL,
                         "%s, got %" PRIu32 " and %" PRIu32, message, found, other);
}

static enum orr_status check_size(const struct tg_graph *graph, struct orr_diag *diag)
{
    if (graph->tasks == 0) {
        const struct orr_location location =
            orr_location_file(graph->file != NULL ? graph->file : "");
        return orr_diag_fail(diag, ORR_ERR_INPUT, graph->file != NULL ? &location : NULL,
                             "expected a graph with tasks, got none");
    }
    if (graph->npus == 0 || graph->npus > TG_MAX_NPUS || graph->copies == 0 ||
        graph->npus % graph->copies != 0) {
        return fail_graph(graph, diag, "expected 1 to 65536 NPUs, and copies that divide them",
                          graph->npus, graph->copies);
    }
    return ORR_OK;
}

/* Checks role, pass, name and `across`. */
static enum orr_status check_enums(const struct tg_graph *graph, uint32_t index,
                                   struct orr_diag *diag)
{
    const struct tg_task *task = &graph->task[index];
    if (task->role >= TG_ROLES || task->pass >= TG_PASSES) {
        return orr_tg_fail(graph, index, diag,
                           "expected a role below %d and a pass below %d, got %d and %d",
                           (int)TG_ROLES, (int)TG_PASSES, (int)task->role, (int)task->pass);
    }
    if (task->name >= graph->names && task->name != 0) {
        return orr_tg_fail(graph, index, diag, "expected one of %" PRIu32 " names, got %" PRIu32,
                           graph->names, task->name);
    }
    if (task->across > 1 || (task->across == 1 && task->role != TG_ALL_REDUCE)) {
        return orr_tg_fail(graph, index, diag,
                           "expected `across` only for all-reduces, got it for another role");
    }
    return ORR_OK;
}

static enum orr_status check_amounts(const struct tg_graph *graph, uint32_t index,
                                     struct orr_diag *diag)
{
    const struct tg_task *task = &graph->task[index];
    const bool moves = task->role >= TG_TRANSFER;
    if (task->duration_ps > (uint64_t)ORR_TIME_MAX) {
        return orr_tg_fail(graph, index, diag, "expected a duration below 2^63 ps, got %" PRIu64,
                           task->duration_ps);
    }
    if (orr_tg_is_transfer(task) && task->duration_ps != 0) {
        return orr_tg_fail(
            graph, index, diag,
            "expected no duration for a transfer, whose time depends on the network, got %" PRIu64
            " ps",
            task->duration_ps);
    }
    if (!moves && task->bytes != 0) {
        return orr_tg_fail(graph, index, diag,
                           "expected no bytes for a task without communication, got %" PRIu64,
                           task->bytes);
    }
    return ORR_OK;
}

static enum orr_status check_npus(const struct tg_graph *graph, uint32_t index,
                                  struct orr_diag *diag)
{
    const struct tg_task *task = &graph->task[index];
    const uint32_t npus = orr_tg_group_npus(graph);
    if (task->from >= npus || task->to >= npus) {
        return orr_tg_fail(graph, index, diag, "expected NPUs below %" PRIu32 ", got %" PRIu32,
                           npus, task->from >= npus ? task->from : task->to);
    }
    if (task->from != task->to && !orr_tg_is_transfer(task)) {
        return orr_tg_fail(graph, index, diag, "expected one NPU, got %" PRIu32 " and %" PRIu32,
                           task->from, task->to);
    }
    return ORR_OK;
}

/* last[npu]: the last all-reduce with this member, plus one. */
static enum orr_status check_members(const struct tg_graph *graph, uint32_t index, uint32_t *last,
                                     struct orr_diag *diag)
{
    const struct tg_task *task = &graph->task[index];
    const uint32_t npus = orr_tg_group_npus(graph);
    if (task->to == 0 || task->from > graph->members || task->to > graph->members - task->from) {
        return orr_tg_fail(graph, index, diag,
                           "expected at least one member, within the %" PRIu32
                           " of the graph, got %" PRIu32 " from %" PRIu32 " on",
                           graph->members, task->to, task->from);
    }
    for (uint32_t i = 0; i < task->to; i++) {
        const uint32_t npu = graph->member[task->from + i];
        if (npu >= npus) {
            return orr_tg_fail(graph, index, diag,
                               "members[%" PRIu32 "]: expected an NPU below %" PRIu32
                               ", got %" PRIu32,
                               i, npus, npu);
        }
        if (last[npu] == index + 1) {
            return orr_tg_fail(
                graph, index, diag,
                "members[%" PRIu32 "]: expected each NPU once, got %" PRIu32 " again", i, npu);
        }
        last[npu] = index + 1;
    }
    return ORR_OK;
}

/* Checks dependencies; last[next]: the last predecessor seen, plus one. */
static enum orr_status check_nexts(const struct tg_graph *graph, uint32_t index, uint32_t *last,
                                   struct orr_diag *diag)
{
    uint32_t first = graph->task[index].first_next;
    const uint32_t end =
        index + 1 < graph->tasks ? graph->task[index + 1].first_next : graph->nexts;
    if (first > end || end > graph->nexts || (index == 0 && first != 0)) {
        return orr_tg_fail(graph, index, diag,
                           "expected dependencies in the order of tasks, got those from %" PRIu32
                           " to %" PRIu32 " of %" PRIu32,
                           first, end, graph->nexts);
    }
    for (; first < end; first++) {
        const uint32_t next = graph->next[first];
        if (next >= graph->tasks) {
            return orr_tg_fail(graph, index, diag,
                               "expected a task below %" PRIu32 " that waits for it, got %" PRIu32,
                               graph->tasks, next);
        }
        if (last[next] == index + 1) {
            return orr_tg_fail(graph, index, diag,
                               "expected each task that waits for it once, got %" PRIu32 " again",
                               next);
        }
        last[next] = index + 1;
    }
    return ORR_OK;
}

static enum orr_status check_task(const struct tg_graph *graph, uint32_t index,
                                  uint32_t *last_reduce, uint32_t *last_waited,
                                  struct orr_diag *diag)
{
    enum orr_status status = check_enums(graph, index, diag);
    if (status == ORR_OK) {
        status = check_amounts(graph, index, diag);
    }
    if (status == ORR_OK) {
        status = graph->task[index].role == TG_ALL_REDUCE
                     ? check_members(graph, index, last_reduce, diag)
                     : check_npus(graph, index, diag);
    }
    return status == ORR_OK ? check_nexts(graph, index, last_waited, diag) : status;
}

static enum orr_status check_all(const struct tg_graph *graph, struct orr_arena *scratch,
                                 struct orr_diag *diag)
{
    uint32_t *last_reduce = orr_arena_array(scratch, graph->npus, sizeof *last_reduce);
    uint32_t *last_waited = orr_arena_array(scratch, graph->tasks, sizeof *last_waited);
    if (last_reduce == NULL || last_waited == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < graph->tasks && status == ORR_OK; i++) {
        status = check_task(graph, i, last_reduce, last_waited, diag);
    }
    if (status == ORR_OK) {
        status = orr_tg_pair_ends(graph, last_waited, diag);
    }
    return status == ORR_OK ? orr_tg_order(graph, last_waited, diag) : status;
}

enum orr_status orr_tg_check(const struct tg_graph *graph, struct orr_diag *diag)
{
    enum orr_status status = check_size(graph, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct orr_arena *scratch = orr_arena_create();
    status = scratch != NULL ? check_all(graph, scratch, diag)
                             : orr_diag_no_memory(diag, "a task graph");
    orr_arena_destroy(scratch);
    return status;
}
