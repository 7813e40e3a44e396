/* Converts tasks to nodes; see tg_traces.c. */
#include <inttypes.h>
#include <stdio.h>

#include "core/arena.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_traces_private.h"

/* Whether the other end of a transfer is a task too. */
static bool has_other_end(const struct tg_maker *maker, uint32_t task)
{
    return maker->other_end != NULL && maker->other_end[task] != TG_NONE;
}

uint32_t orr_tg_begins_on(const struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    if (at->role == TG_ALL_REDUCE) {
        return maker->graph->member[at->from];
    }
    return at->role == TG_RECEIVE && has_other_end(maker, task) ? at->to : at->from;
}

uint32_t orr_tg_done_at(const struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    if (at->role == TG_ALL_REDUCE) {
        return maker->graph->member[at->from];
    }
    return at->role == TG_SEND && has_other_end(maker, task) ? at->from : at->to;
}

const char *orr_tg_node_name(const struct tg_graph *graph, uint32_t task,
                             char text[TG_NODE_NAME_BYTES])
{
    static const char *const roles[TG_ROLES] = {"compute", "compute", "comm",      "transfer",
                                                "send",    "receive", "all_reduce"};
    const struct tg_task *at = &graph->task[task];
    const bool computes = at->role <= TG_COMPUTE_CPU && at->pass != TG_NO_PASS;
    if (at->name != 0) {
        (void)snprintf(text, TG_NODE_NAME_BYTES, "%.100s", graph->name[at->name]);
    } else {
        (void)snprintf(text, TG_NODE_NAME_BYTES, "%s_%" PRIu32,
                       computes ? orr_tg_pass_name(at->pass) : roles[at->role], task);
    }
    return text;
}

void orr_tg_found(const struct tg_maker *maker, enum tg_finding finding, uint32_t task, uint32_t to)
{
    if (maker->listener != NULL) {
        maker->listener->found(maker->listener->context, finding, task, orr_tg_done_at(maker, task),
                               to);
    }
}

static enum orr_status no_memory(const struct tg_maker *maker)
{
    return orr_diag_no_memory(maker->diag, "the traces of a task graph");
}

/* ---- nodes ---- */

static bool reserve(struct tg_nodes *nodes, size_t deps)
{
    return orr_heap_reserve(&nodes->node, &nodes->capacity, nodes->count + 1,
                            sizeof *nodes->node) &&
           orr_heap_reserve(&nodes->dep, &nodes->dep_capacity, nodes->deps + deps,
                            sizeof *nodes->dep);
}

enum orr_status orr_tg_node(struct tg_maker *maker, const struct tg_node *node, uint32_t *id)
{
    struct tg_nodes *nodes = &maker->nodes;
    if (nodes->count == TG_NONE || nodes->deps > UINT32_MAX - maker->dep_count) {
        return orr_diag_fail(maker->diag, ORR_ERR_INPUT, NULL,
                             "a task graph: expected fewer than 2^32 %s in its traces",
                             nodes->count == TG_NONE ? "nodes" : "dependencies");
    }
    if (!reserve(nodes, maker->dep_count)) {
        return no_memory(maker);
    }
    *id = tg_next_id(maker);
    nodes->node[*id] = *node;
    nodes->node[*id].first_dep = (uint32_t)nodes->deps;
    nodes->count++;
    for (size_t i = 0; i < maker->dep_count; i++) {
        nodes->dep[nodes->deps++] = maker->deps[i];
    }
    return ORR_OK;
}

bool orr_tg_add_dep(struct tg_maker *maker, uint32_t node)
{
    uint32_t *grown = orr_arena_grow(maker->scratch, maker->deps, &maker->dep_capacity,
                                     maker->dep_count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    maker->deps = grown;
    grown[maker->dep_count++] = node;
    return true;
}

/* A message of a task: its ends and tag. */
struct message {
    uint32_t task, from, to, tag;
};

static enum orr_status add_message_end(struct tg_maker *maker, enum tg_node_role what,
                                       const struct message *message, uint32_t *id)
{
    const bool sends = what == TG_NODE_SEND || what == TG_NODE_SIGNAL;
    const struct tg_node node = {
        .npu = sends ? message->from : message->to,
        .task = message->task,
        .of.message = {.peer = sends ? message->to : message->from, .tag = message->tag},
        .what = (uint8_t)what};
    return orr_tg_node(maker, &node, id);
}

/* Adds both ends of a message; the current dependencies are those of the send. */
static enum orr_status add_message(struct tg_maker *maker, struct message message, bool signal,
                                   uint32_t *received)
{
    message.tag = maker->npu[message.from].next_tag++;
    const enum orr_status status =
        add_message_end(maker, signal ? TG_NODE_SIGNAL : TG_NODE_SEND, &message, received);
    maker->dep_count = 0;
    return status == ORR_OK ? add_message_end(maker, signal ? TG_NODE_SIGNALED : TG_NODE_RECEIVE,
                                              &message, received)
                            : status;
}

/* ---- dependencies ---- */

/* Adds a signal from the NPU where the task is done. */
static enum orr_status signal_to(struct tg_maker *maker, const struct tg_edge *edge, uint32_t npu,
                                 uint32_t *node)
{
    const struct message signal = {
        .task = edge->task, .from = orr_tg_done_at(maker, edge->task), .to = npu};
    maker->is_asymmetric |= maker->graph->task[edge->task].across && maker->copies > 1;
    maker->dep_count = 0;
    maker->traces->signals++;
    orr_tg_found(maker, TG_SIGNAL_ADDED, edge->task, npu);
    if (!orr_tg_add_dep(maker, maker->end[edge->task])) {
        return no_memory(maker);
    }
    maker->begin[edge->next] = tg_next_id(maker);
    return add_message(maker, signal, true, node);
}

enum orr_status orr_tg_done_on(struct tg_maker *maker, const struct tg_edge *edge, uint32_t npu,
                               uint32_t *node)
{
    if (maker->graph->task[edge->task].role == TG_ALL_REDUCE &&
        maker->begin[edge->next] != TG_NONE) {
        *node = maker->begin[edge->next]; /* the NPU is a member */
        return ORR_OK;
    }
    if (orr_tg_done_at(maker, edge->task) != npu) {
        return signal_to(maker, edge, npu, node);
    }
    *node = maker->end[edge->task];
    return ORR_OK;
}

/* Whether the dependency goes through the message of the other end. */
static bool by_message(const struct tg_maker *maker, uint32_t task, const struct tg_edge *edge)
{
    return maker->graph->task[task].role == TG_RECEIVE && has_other_end(maker, task) &&
           edge->task == maker->other_end[task];
}

/* Sets the current dependencies to the task's predecessors. Signals are added first, because they
 * use the same list; then the node itself follows the tasks of its own NPU. */
static enum orr_status gather(struct tg_maker *maker, uint32_t task, uint32_t npu)
{
    const uint32_t first = maker->prev.first[task], last = maker->prev.first[task + 1];
    uint32_t *nodes = orr_arena_array(maker->scratch, last - first, sizeof *nodes);
    size_t count = 0;
    if (nodes == NULL && last != first) {
        return no_memory(maker);
    }
    for (uint32_t e = first; e < last; e++) {
        const struct tg_edge *edge = &maker->prev.edge[e];
        if (by_message(maker, task, edge)) {
            continue;
        }
        const enum orr_status status = orr_tg_done_on(maker, edge, npu, &nodes[count++]);
        if (status != ORR_OK) {
            return status;
        }
    }
    maker->dep_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!orr_tg_add_dep(maker, nodes[i])) {
            return no_memory(maker);
        }
    }
    return ORR_OK;
}

/* Sets the waiting node of all dependencies on tasks that are done on its NPU. */
static void begin_with(struct tg_maker *maker, uint32_t task, uint32_t npu, uint32_t node)
{
    for (uint32_t e = maker->prev.first[task]; e < maker->prev.first[task + 1]; e++) {
        const struct tg_edge *edge = &maker->prev.edge[e];
        if (maker->graph->task[edge->task].role != TG_ALL_REDUCE &&
            orr_tg_done_at(maker, edge->task) == npu && !by_message(maker, task, edge)) {
            maker->begin[edge->next] = node;
        }
    }
}

/* ---- tasks ---- */

static enum orr_status add_local(struct tg_maker *maker, uint32_t task)
{
    const struct tg_node node = {
        .npu = orr_tg_begins_on(maker, task), .task = task, .what = TG_NODE_TASK};
    if (orr_tg_is_transfer(&maker->graph->task[task])) {
        orr_tg_found(maker, TG_LOCAL_TRANSFER, task, node.npu);
    }
    return orr_tg_node(maker, &node, &maker->end[task]);
}

/* Successors of the receiving end wait for a delay of zero time after it, as for any task that only
 * joins others. */
static enum orr_status add_received(struct tg_maker *maker, uint32_t task)
{
    const struct tg_node node = {
        .npu = maker->graph->task[task].to, .task = task, .what = TG_NODE_RECEIVED};
    return orr_tg_add_dep(maker, maker->end[task]) ? orr_tg_node(maker, &node, &maker->end[task])
                                                   : no_memory(maker);
}

/* Adds an end of a transfer whose other end is a task; the end that is added first chooses the tag.
 */
static enum orr_status add_end(struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    if (maker->tag[maker->other_end[task]] == 0) {
        maker->tag[task] = maker->tag[maker->other_end[task]] = ++maker->npu[at->from].next_tag;
    }
    const struct message message = {
        .task = task, .from = at->from, .to = at->to, .tag = maker->tag[task] - 1};
    if (at->role == TG_SEND) {
        return add_message_end(maker, TG_NODE_SEND, &message, &maker->end[task]);
    }
    const size_t deps = maker->dep_count;
    maker->dep_count = 0;
    const enum orr_status status =
        add_message_end(maker, TG_NODE_RECEIVE, &message, &maker->end[task]);
    maker->dep_count = deps;
    return status == ORR_OK ? add_received(maker, task) : status;
}

enum orr_status orr_tg_add_plain(struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    const uint32_t npu = orr_tg_begins_on(maker, task);
    const enum orr_status status = gather(maker, task, npu);
    if (status != ORR_OK) {
        return status;
    }
    const bool mated = has_other_end(maker, task);
    begin_with(maker, task, npu, tg_next_id(maker) + (mated && at->role == TG_RECEIVE ? 1 : 0));
    if (mated) {
        return add_end(maker, task);
    }
    if (!orr_tg_is_transfer(at) || at->from == at->to) {
        return add_local(maker, task);
    }
    const struct message transfer = {.task = task, .from = at->from, .to = at->to};
    return add_message(maker, transfer, false, &maker->end[task]);
}
