/* Tasks as nodes; see tg_traces.c. */
#include <inttypes.h>
#include <stdio.h>

#include "workload/taskgraph/tg_traces_private.h"

/* An end of a transfer whose other end is a task too. */
static bool has_mate(const struct tg_maker *maker, uint32_t task)
{
    return maker->mate != NULL && maker->mate[task] != TG_NONE;
}

uint32_t orr_tg_begins_on(const struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    if (at->role == TG_ALL_REDUCE) {
        return maker->graph->member[at->from];
    }
    return at->role == TG_RECEIVE && has_mate(maker, task) ? at->to : at->from;
}

uint32_t orr_tg_done_at(const struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    if (at->role == TG_ALL_REDUCE) {
        return maker->graph->member[at->from];
    }
    return at->role == TG_SEND && has_mate(maker, task) ? at->from : at->to;
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

struct orr_trace_builder *orr_tg_trace_builder(const struct tg_maker *maker)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(maker->arena);
    if (builder != NULL) {
        const char *file = maker->graph->file;
        orr_trace_builder_set_source(builder, file != NULL ? file : "", "0.0.4");
        orr_trace_builder_set_rules(builder, maker->graph->first_come ? ORR_RULES_TASK_GRAPH
                                                                      : ORR_RULES_BY_NUMBER);
    }
    return builder;
}

enum orr_status orr_tg_node(struct tg_maker *maker, uint32_t npu, struct orr_node_spec *spec,
                            uint32_t *id)
{
    struct tg_npu *at = &maker->npu[npu];
    if (at->builder == NULL) {
        at->builder = orr_tg_trace_builder(maker);
        if (at->builder == NULL) {
            return no_memory(maker);
        }
    }
    if (maker->next_id == TG_NONE) {
        return orr_diag_fail(maker->diag, ORR_ERR_INPUT, NULL,
                             "a task graph: expected fewer than 2^32 nodes in its traces");
    }
    spec->id = maker->next_id++;
    spec->data_deps = (struct orr_deps){maker->deps, maker->dep_count};
    *id = (uint32_t)spec->id;
    return orr_trace_builder_add(at->builder, spec, maker->diag);
}

bool orr_tg_keep_dep(struct tg_maker *maker, uint32_t node)
{
    uint64_t *grown = orr_arena_grow(maker->scratch, maker->deps, &maker->dep_room,
                                     maker->dep_count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    maker->deps = grown;
    grown[maker->dep_count++] = node;
    return true;
}

/* From one NPU of a group to another, for all groups. */
static uint32_t distance(const struct tg_maker *maker, uint32_t from, uint32_t to)
{
    const uint32_t npus = maker->graph->npus * maker->copies;
    return to >= from ? to - from : npus - (from - to);
}

/* Adds the node of one end of a message, at which the peer is as the groups share it. */
static enum orr_status add_message_end(struct tg_maker *maker, uint32_t npu,
                                       const struct orr_node_spec *given, uint32_t *id)
{
    struct orr_node_spec spec = *given;
    if (maker->copies > 1) {
        spec.flags |= ORR_NODE_RELATIVE_PEER;
        spec.src = distance(maker, npu, given->src);
        spec.dst = distance(maker, npu, given->dst);
    }
    return orr_tg_node(maker, npu, &spec, id);
}

/* Both ends of a message; the dependencies at hand are those of its sending. */
static enum orr_status add_message(struct tg_maker *maker, const struct orr_node_spec *what,
                                   uint32_t *received)
{
    struct orr_node_spec send = *what, receive;
    send.kind = ORR_NODE_SEND;
    send.tag = maker->npu[what->src].next_tag++;
    receive = send;
    receive.kind = ORR_NODE_RECV;
    const enum orr_status status = add_message_end(maker, what->src, &send, received);
    maker->dep_count = 0;
    return status == ORR_OK ? add_message_end(maker, what->dst, &receive, received) : status;
}

/* ---- dependencies ---- */

/* Where the task is done is another NPU: there, a signal waits for it. */
static enum orr_status signal_to(struct tg_maker *maker, const struct tg_edge *edge, uint32_t npu,
                                 uint32_t *node)
{
    char name[TG_NODE_NAME_BYTES], label[TG_NODE_NAME_BYTES + 16];
    const struct orr_node_spec signal = {
        .name = label, .signal = true, .src = orr_tg_done_at(maker, edge->task), .dst = npu};
    (void)snprintf(label, sizeof label, "%s_done",
                   orr_tg_node_name(maker->graph, edge->task, name));
    maker->apart |= maker->graph->task[edge->task].across && maker->copies > 1;
    maker->dep_count = 0;
    maker->traces->signals++;
    orr_tg_found(maker, TG_TOLD, edge->task, npu);
    if (!orr_tg_keep_dep(maker, maker->end[edge->task])) {
        return no_memory(maker);
    }
    maker->begin[edge->next] = (uint32_t)maker->next_id;
    return add_message(maker, &signal, node);
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

/* Whether what waits is told by the message that the other end sends. */
static bool by_message(const struct tg_maker *maker, uint32_t task, const struct tg_edge *edge)
{
    return maker->graph->task[task].role == TG_RECEIVE && has_mate(maker, task) &&
           edge->task == maker->mate[task];
}

/* Sets the dependencies at hand to what the task waits for. Signals come first, because they use
 * the same list; then the node itself begins behind the tasks of its own NPU. */
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
        if (!orr_tg_keep_dep(maker, nodes[i])) {
            return no_memory(maker);
        }
    }
    return ORR_OK;
}

/* The node that waits, of all dependencies on tasks that are done on its NPU. */
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

static enum orr_status add_local(struct tg_maker *maker, uint32_t task, const char *name)
{
    const struct tg_task *at = &maker->graph->task[task];
    const bool cpu = at->role != TG_COMPUTE, alone = at->role == TG_ALL_REDUCE;
    const uint32_t npu = orr_tg_begins_on(maker, task);
    struct orr_node_spec spec = {.kind = ORR_NODE_COMP,
                                 .name = name,
                                 .flags = cpu ? ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG : 0,
                                 .duration_ps = alone ? 0 : at->duration_ps,
                                 .delay = at->role >= TG_DELAY};
    if (orr_tg_is_transfer(at)) {
        orr_tg_found(maker, TG_STAYS, task, npu);
    }
    return orr_tg_node(maker, npu, &spec, &maker->end[task]);
}

/* What waits for the receiving end waits for a delay of no time behind it, as for any task that
 * only says that others are done. */
static enum orr_status add_received(struct tg_maker *maker, uint32_t task, const char *name)
{
    struct orr_node_spec spec = {.kind = ORR_NODE_COMP,
                                 .name = name,
                                 .flags = ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG,
                                 .delay = true};
    return orr_tg_keep_dep(maker, maker->end[task])
               ? orr_tg_node(maker, maker->graph->task[task].to, &spec, &maker->end[task])
               : no_memory(maker);
}

/* An end of a transfer that is a task of its own; its tag is that of the end that came first. */
static enum orr_status add_end(struct tg_maker *maker, uint32_t task, const char *name)
{
    const struct tg_task *at = &maker->graph->task[task];
    const bool sends = at->role == TG_SEND;
    if (maker->tag[maker->mate[task]] == 0) {
        maker->tag[task] = maker->tag[maker->mate[task]] = ++maker->npu[at->from].next_tag;
    }
    struct orr_node_spec spec = {.kind = sends ? ORR_NODE_SEND : ORR_NODE_RECV,
                                 .name = name,
                                 .comm_bytes = at->bytes,
                                 .src = at->from,
                                 .dst = at->to,
                                 .tag = maker->tag[task] - 1};
    if (sends) {
        return add_message_end(maker, at->from, &spec, &maker->end[task]);
    }
    const size_t deps = maker->dep_count;
    maker->dep_count = 0;
    const enum orr_status status = add_message_end(maker, at->to, &spec, &maker->end[task]);
    maker->dep_count = deps;
    return status == ORR_OK ? add_received(maker, task, name) : status;
}

enum orr_status orr_tg_add_plain(struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    const uint32_t npu = orr_tg_begins_on(maker, task);
    char name[TG_NODE_NAME_BYTES];
    const enum orr_status status = gather(maker, task, npu);
    if (status != ORR_OK) {
        return status;
    }
    (void)orr_tg_node_name(maker->graph, task, name);
    const bool mated = has_mate(maker, task);
    begin_with(maker, task, npu,
               (uint32_t)maker->next_id + (mated && at->role == TG_RECEIVE ? 1 : 0));
    if (mated) {
        return add_end(maker, task, name);
    }
    if (!orr_tg_is_transfer(at) || at->from == at->to) {
        return add_local(maker, task, name);
    }
    const struct orr_node_spec transfer = {
        .name = name, .comm_bytes = at->bytes, .src = at->from, .dst = at->to};
    return add_message(maker, &transfer, &maker->end[task]);
}
