/* Builds the traces from the nodes of a task graph, one NPU after another; see tg_traces.c. Until
 * then a node is a few numbers, and the rest is its task's: a builder's nodes are several times as
 * large and exist for one NPU at a time. */
#include <stdio.h>

#include "core/arena.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_traces_private.h"
#include "workload/trace/trace.h"

/* State shared by the traces. */
struct trace_maker {
    struct tg_maker *maker;
    const uint32_t *node, *first_node; /* [nodes] sorted by NPU, and the begin of each NPU */
    const uint32_t *task, *first_task; /* [tasks] sorted by the NPU on which they are done */
    uint64_t *ids; /* buffer for the dependencies of a node, or the successors of a task */
};

static enum orr_status no_memory(const struct tg_maker *maker)
{
    return orr_diag_no_memory(maker->diag, "the traces of a task graph");
}

/* ---- nodes ---- */

static const char *label(const struct tg_maker *maker, const struct tg_node *node,
                         char text[TG_NODE_NAME_BYTES + 16])
{
    char name[TG_NODE_NAME_BYTES];
    const bool is_signal = node->what == TG_NODE_SIGNAL || node->what == TG_NODE_SIGNALED;
    const char *end = is_signal ? "_done" : node->what == TG_NODE_IN_SERVER ? "_in_server" : "";
    (void)snprintf(text, TG_NODE_NAME_BYTES + 16, "%s%s",
                   orr_tg_node_name(maker->graph, node->task, name), end);
    return text;
}

/* The relative peer from one NPU of a group to another. */
static uint32_t distance(const struct tg_maker *maker, uint32_t from, uint32_t to)
{
    const uint32_t npus = maker->graph->npus * maker->copies;
    return to >= from ? to - from : npus - (from - to);
}

/* Sets one end of a message; the peer is relative if groups share the trace. */
static void set_message(const struct tg_maker *maker, const struct tg_node *node,
                        struct orr_node_spec *spec)
{
    const bool sends = node->what == TG_NODE_SEND || node->what == TG_NODE_SIGNAL;
    const bool shared = maker->copies > 1;
    spec->kind = sends ? ORR_NODE_SEND : ORR_NODE_RECV;
    spec->signal = node->what == TG_NODE_SIGNAL || node->what == TG_NODE_SIGNALED;
    spec->comm_bytes = spec->signal ? 0 : maker->graph->task[node->task].bytes;
    spec->flags = shared ? ORR_NODE_RELATIVE_PEER : 0u;
    spec->src = spec->dst =
        shared ? distance(maker, node->npu, node->of.message.peer) : node->of.message.peer;
    spec->tag = node->of.message.tag;
}

static void set_local(const struct tg_maker *maker, const struct tg_node *node,
                      struct orr_node_spec *spec)
{
    const struct tg_task *at = &maker->graph->task[node->task];
    const bool task = node->what == TG_NODE_TASK;
    const bool cpu = !task || at->role != TG_COMPUTE;
    const bool takes = task ? at->role != TG_ALL_REDUCE : node->what == TG_NODE_IN_SERVER;
    spec->kind = ORR_NODE_COMP;
    spec->flags = cpu ? ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG : 0u;
    spec->duration_ps = takes ? at->duration_ps : 0;
    spec->delay = !task || at->role >= TG_DELAY;
}

static void set(const struct tg_maker *maker, const struct tg_node *node,
                struct orr_node_spec *spec)
{
    switch ((enum tg_node_role)node->what) {
    case TG_NODE_TASK:
    case TG_NODE_RECEIVED:
    case TG_NODE_IN_SERVER:
        set_local(maker, node, spec);
        break;
    case TG_NODE_REDUCE:
        spec->kind = ORR_NODE_COLL;
        spec->comm = ORR_COMM_ALL_REDUCE;
        spec->comm_bytes = maker->graph->task[node->task].bytes;
        spec->group = maker->groups.group[node->of.group].name;
        break;
    case TG_NODE_SEND:
    case TG_NODE_RECEIVE:
    case TG_NODE_SIGNAL:
    case TG_NODE_SIGNALED:
        set_message(maker, node, spec);
        break;
    }
}

static enum orr_status add_node(const struct trace_maker *all, struct orr_trace_builder *builder,
                                uint32_t id)
{
    const struct tg_nodes *nodes = &all->maker->nodes;
    const struct tg_node *node = &nodes->node[id];
    const size_t end = id + 1 < nodes->count ? node[1].first_dep : nodes->deps;
    char text[TG_NODE_NAME_BYTES + 16];
    struct orr_node_spec spec = {.id = id, .name = label(all->maker, node, text)};
    for (size_t dep = node->first_dep; dep < end; dep++) {
        all->ids[dep - node->first_dep] = nodes->dep[dep];
    }
    spec.data_deps = (struct orr_deps){.ids = all->ids, .count = end - node->first_dep};
    set(all->maker, node, &spec);
    return orr_trace_builder_add(builder, &spec, all->maker->diag);
}

/* ---- the order of successors ---- */

/* Ids of the nodes that begin after a task, in order; none if that is by id. */
static struct orr_deps order_of(const struct tg_maker *maker, uint32_t task, uint64_t *ids)
{
    uint32_t count;
    const uint32_t *next = orr_tg_next(maker->graph, task, &count);
    const uint32_t *begin = maker->begin + (next - maker->graph->next);
    bool ascending = true;
    size_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (begin[i] == TG_NONE) {
            continue; /* its dependency goes through a message */
        }
        ids[kept] = begin[i];
        ascending = ascending && (kept == 0 || ids[kept - 1] < ids[kept]);
        kept++;
    }
    return (struct orr_deps){.ids = ids, .count = ascending ? 0 : kept};
}

/* Sets the order of successors; after all-reduces it is by id, because each NPU has its own. */
static bool order_next(const struct trace_maker *all, struct orr_trace_builder *builder,
                       uint32_t task)
{
    const struct tg_maker *maker = all->maker;
    if (maker->graph->task[task].role == TG_ALL_REDUCE) {
        return true;
    }
    const struct orr_deps next = order_of(maker, task, all->ids);
    return next.count == 0 || orr_trace_builder_order_next(builder, maker->end[task], next);
}

/* ---- all ---- */

static struct orr_trace_builder *new_builder(const struct tg_maker *maker)
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

static enum orr_status make_trace(const struct trace_maker *all, uint32_t npu,
                                  const struct orr_trace **trace)
{
    struct orr_trace_builder *builder = new_builder(all->maker);
    bool kept = builder != NULL;
    enum orr_status status = ORR_OK;
    for (uint32_t i = all->first_node[npu];
         kept && status == ORR_OK && i < all->first_node[npu + 1]; i++) {
        status = add_node(all, builder, all->node[i]);
    }
    for (uint32_t i = all->first_task[npu];
         kept && status == ORR_OK && i < all->first_task[npu + 1]; i++) {
        kept = order_next(all, builder, all->task[i]);
    }
    if (kept && status == ORR_OK) {
        status = orr_trace_builder_finish(builder, trace, all->maker->diag);
    }
    orr_trace_builder_destroy(builder);
    return kept ? status : no_memory(all->maker);
}

/* Allocates the buffer for the dependencies of any node and the successors of any task. */
static uint64_t *make_ids(const struct tg_maker *maker)
{
    const struct tg_nodes *nodes = &maker->nodes;
    size_t max = 0;
    uint32_t count;
    for (uint32_t task = 0; task < maker->graph->tasks; task++) {
        (void)orr_tg_next(maker->graph, task, &count);
        max = count > max ? count : max;
    }
    for (size_t i = 0; i < nodes->count; i++) {
        const size_t end = i + 1 < nodes->count ? nodes->node[i + 1].first_dep : nodes->deps;
        const size_t deps = end - nodes->node[i].first_dep;
        max = deps > max ? deps : max;
    }
    return orr_arena_array(maker->scratch, max + 1, sizeof(uint64_t));
}

/* Prefix sums: the entries of NPU i begin at first[i]. */
static void prefix_sums(uint32_t *first, uint32_t npus)
{
    for (uint32_t i = 0; i < npus; i++) {
        first[i + 1] += first[i];
    }
}

/* Filling backward moves the ends of rows to their begins. */
static bool sort_nodes(struct trace_maker *all)
{
    const struct tg_maker *maker = all->maker;
    const uint32_t npus = maker->graph->npus;
    uint32_t *first = orr_arena_array(maker->scratch, (size_t)npus + 1, sizeof *first);
    uint32_t *sorted = orr_arena_array(maker->scratch, maker->nodes.count, sizeof *sorted);
    if (first == NULL || sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < maker->nodes.count; i++) {
        first[maker->nodes.node[i].npu]++;
    }
    prefix_sums(first, npus);
    for (size_t i = maker->nodes.count; i-- > 0;) {
        sorted[--first[maker->nodes.node[i].npu]] = (uint32_t)i;
    }
    all->node = sorted;
    all->first_node = first;
    return true;
}

static bool sort_tasks(struct trace_maker *all)
{
    const struct tg_maker *maker = all->maker;
    const uint32_t npus = maker->graph->npus, tasks = maker->graph->tasks;
    uint32_t *first = orr_arena_array(maker->scratch, (size_t)npus + 1, sizeof *first);
    uint32_t *sorted = orr_arena_array(maker->scratch, tasks, sizeof *sorted);
    if (first == NULL || sorted == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < tasks; i++) {
        first[orr_tg_done_at(maker, i)]++;
    }
    prefix_sums(first, npus);
    for (uint32_t i = tasks; i-- > 0;) {
        sorted[--first[orr_tg_done_at(maker, i)]] = i;
    }
    all->task = sorted;
    all->first_task = first;
    return true;
}

enum orr_status orr_tg_build_traces(struct tg_maker *maker)
{
    struct trace_maker all = {.maker = maker, .ids = make_ids(maker)};
    if (all.ids == NULL || !sort_nodes(&all) || !sort_tasks(&all)) {
        return no_memory(maker);
    }
    const struct orr_trace **traces = maker->traces->trace, *empty = NULL;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < maker->graph->npus && status == ORR_OK; i++) {
        const bool idle = all.first_node[i] == all.first_node[i + 1];
        if (idle && empty != NULL) {
            traces[i] = empty;
            continue;
        }
        status = make_trace(&all, i, &traces[i]);
        empty = idle ? traces[i] : empty;
    }
    return status;
}
