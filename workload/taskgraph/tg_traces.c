/* Converts a task graph to traces; see tg_traces.h.
 *
 * A task becomes a node on its NPU: a computation, or a delay if it uses no resource. A transfer is
 * a send and a receive with a unique tag. An all-reduce is a delay (the reduction inside the
 * server) and a collective on each of its NPUs, after its predecessors on that NPU. If a task waits
 * for a task of another NPU without a transfer between them, a signal carries the dependency. Ids
 * are unique over all NPUs, and nodes have the order in which their successors begin, so nothing of
 * the graph is lost.
 *
 * For a graph with copies the traces of group 0 are made and shared by all groups: peers are
 * relative, and a group of all-reduces has the same name everywhere. The traces are made separately
 * only if an all-reduce across the groups has a predecessor or successor on an NPU that is not its
 * member: signals then connect it to the first member of all groups. */
#include "workload/taskgraph/tg_traces.h"

#include "core/arena.h"
#include "workload/taskgraph/tg_pairs.h"
#include "workload/taskgraph/tg_traces_private.h"

static enum orr_status add_task(struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    const uint32_t npu = orr_tg_begins_on(maker, task);
    uint32_t nexts;
    (void)orr_tg_next(maker->graph, task, &nexts);
    maker->traces->counts[npu].tasks++;
    if (tg_reduces(maker, at)) {
        return orr_tg_add_reduce(maker, task);
    }
    if (at->role == TG_ALL_REDUCE) {
        orr_tg_found(maker, TG_SINGLE_NPU_REDUCE, task, npu);
        maker->traces->counts[npu].dropped += nexts == 0;
    }
    return at->role == TG_ALL_REDUCE && nexts == 0 ? ORR_OK : orr_tg_add_plain(maker, task);
}

/* ---- all ---- */

static bool allocate(struct tg_maker *maker)
{
    const struct tg_graph *graph = maker->graph;
    const size_t npus = graph->npus, tasks = graph->tasks;
    maker->npu = orr_arena_array(maker->scratch, npus, sizeof *maker->npu);
    maker->end = orr_arena_array(maker->scratch, tasks, sizeof *maker->end);
    maker->begin = orr_arena_array(maker->scratch, (size_t)graph->nexts + 1, sizeof *maker->begin);
    maker->traces->trace =
        orr_arena_array(maker->arena, npus * maker->copies, sizeof *maker->traces->trace);
    maker->traces->counts =
        orr_arena_array(maker->arena, npus * maker->copies, sizeof *maker->traces->counts);
    for (size_t e = 0; maker->begin != NULL && e < graph->nexts; e++) {
        maker->begin[e] = TG_NONE;
    }
    return maker->npu != NULL && maker->end != NULL && maker->begin != NULL &&
           maker->traces->trace != NULL && maker->traces->counts != NULL &&
           orr_tg_predecessors_make(&maker->prev, graph, maker->scratch);
}

static enum orr_status pair_ends(struct tg_maker *maker)
{
    const size_t tasks = maker->graph->tasks;
    if (!orr_tg_has_ends(maker->graph)) {
        return ORR_OK;
    }
    maker->other_end = orr_arena_array(maker->scratch, tasks, sizeof *maker->other_end);
    maker->tag = orr_arena_array(maker->scratch, tasks, sizeof *maker->tag);
    return maker->other_end != NULL && maker->tag != NULL
               ? orr_tg_pair_ends(maker->graph, maker->other_end, maker->diag)
               : orr_diag_no_memory(maker->diag, "the transfers of a task graph");
}

static enum orr_status add_all(struct tg_maker *maker)
{
    const uint32_t tasks = maker->graph->tasks;
    uint32_t *order = orr_arena_array(maker->scratch, tasks, sizeof *order);
    if (order == NULL) {
        return orr_diag_no_memory(maker->diag, "the order of a task graph");
    }
    enum orr_status status = orr_tg_order(maker->graph, order, maker->diag);
    for (uint32_t i = 0; i < tasks && status == ORR_OK; i++) {
        status = add_task(maker, order[i]);
    }
    return status;
}

static enum orr_status make(struct tg_maker *maker)
{
    enum orr_status status = allocate(maker)
                                 ? pair_ends(maker)
                                 : orr_diag_no_memory(maker->diag, "the traces of a task graph");
    if (status == ORR_OK) {
        status = add_all(maker);
    }
    if (status == ORR_OK) {
        status = orr_tg_build_traces(maker);
    }
    orr_heap_free(maker->nodes.node);
    orr_heap_free(maker->nodes.dep);
    maker->nodes = (struct tg_nodes){0};
    return status;
}

/* ---- groups ---- */

/* Shares the traces of group 0 with all groups. */
static void copy_traces(struct tg_maker *maker)
{
    const uint32_t npus = maker->graph->npus;
    struct tg_traces *traces = maker->traces;
    for (uint32_t i = npus; i < npus * maker->copies; i++) {
        traces->trace[i] = traces->trace[i - npus];
        traces->counts[i] = traces->counts[i - npus];
    }
    for (uint32_t task = 0; task < maker->graph->tasks; task++) {
        const uint32_t first = orr_tg_begins_on(maker, task);
        for (uint32_t g = 1; maker->graph->task[task].across && g < maker->copies; g++) {
            traces->counts[first + g * npus].tasks--;
        }
    }
    traces->signals *= maker->copies;
}

static enum orr_status make_copies(struct tg_maker *maker)
{
    const enum orr_status status = make(maker);
    if (status == ORR_OK && maker->copies > 1) {
        copy_traces(maker);
        if (!orr_tg_groups_copy(&maker->groups, maker->copies, maker->graph->npus)) {
            return orr_diag_no_memory(maker->diag, "the groups of a task graph");
        }
    }
    return status;
}

static enum orr_status make_for(struct tg_maker *maker, const struct tg_graph *graph)
{
    struct tg_graph group = *graph;
    group.npus = orr_tg_group_npus(graph);
    group.copies = 1;
    maker->graph = &group;
    maker->copies = graph->copies;
    maker->scratch = orr_arena_create();
    *maker->traces = (struct tg_traces){.alike = graph->copies};
    orr_tg_groups_init(&maker->groups, maker->arena);
    const enum orr_status status =
        maker->scratch != NULL ? make_copies(maker)
                               : orr_diag_no_memory(maker->diag, "the traces of a task graph");
    maker->traces->group = maker->groups.group;
    maker->traces->groups = maker->groups.count;
    orr_arena_destroy(maker->scratch);
    return status;
}

enum orr_status orr_tg_traces_make(struct tg_traces *traces, const struct tg_graph *graph,
                                   struct orr_arena *arena, const struct tg_listener *listener,
                                   struct orr_diag *diag)
{
    struct tg_maker maker = {.traces = traces, .listener = listener, .arena = arena, .diag = diag};
    struct tg_graph plain;
    enum orr_status status = make_for(&maker, graph);
    if (status == ORR_OK && maker.is_asymmetric) {
        status = orr_tg_expand(arena, graph, &plain, diag);
        maker =
            (struct tg_maker){.traces = traces, .listener = listener, .arena = arena, .diag = diag};
        status = status == ORR_OK ? make_for(&maker, &plain) : status;
    }
    return status;
}
