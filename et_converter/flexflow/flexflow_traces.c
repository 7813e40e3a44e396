/* Traces of a task graph; see flexflow_traces.h.
 *
 * A task becomes a node where it runs: computation, or a delay for what happens inside of a server.
 * A transfer is a send and a receive with a tag of their own. An all-reduce is a delay (the
 * reduction inside of the server) and a collective on each of its servers, behind the tasks that
 * feed it on that server. Where a task waits for one of another NPU with no transfer between them,
 * a signal says that it is done. Ids are those of all NPUs together, and nodes say in which order
 * what waits for them begins (flexflow_next.c), so that nothing of the graph is lost. */
#include "et_converter/flexflow/flexflow_traces.h"

#include <inttypes.h>
#include <stdio.h>

#include "et_converter/flexflow/flexflow_next.h"
#include "workload/workload.h"

enum { NAME_BYTES = 128 };

struct npu {
    struct orr_trace_builder *builder; /* NULL: it has no node yet */
    uint32_t next_tag;                 /* of what it sends */
    uint32_t feeding; /* of the all-reduce at hand: a task here, plus one; 0: none */
};

struct maker {
    const struct flexflow_plan *plan;
    const struct flexflow_graph *graph;
    struct flexflow_traces *traces;
    struct conv_output *output;
    struct conv_report *report;
    struct orr_arena *arena, *scratch;
    struct orr_diag *diag;
    struct npu *npu; /* [npus] */
    uint64_t next_id;
    struct flexflow_next next;
    uint64_t *end; /* [tasks], the node that what waits for a task waits for, on its NPU */
    uint32_t *tag; /* [tasks], ends of transfers */
    uint32_t
        *feeds_next; /* [tasks], the next that feeds the all-reduce on the same NPU, plus one */
    uint64_t *deps;
    size_t dep_count, dep_capacity;
};

/* ---- nodes ---- */

/* How long a task takes. Transfers are simulated, so that their recorded times do not count;
 * updates and barriers take none. */
static sim_time runtime_of(const struct flexflow_task *task, uint8_t role)
{
    const bool timed = role == FLEXFLOW_COMPUTES || role == FLEXFLOW_COMPUTES_CPU ||
                       role == FLEXFLOW_DELAYS || role == FLEXFLOW_REDUCES;
    if (!timed || task->type == FLEXFLOW_UPDATE || task->type == FLEXFLOW_BARRIER) {
        return 0;
    }
    const double ps = (double)((float)task->runtime_ms * 1e9f); /* floats, as in FlexNetPacket */
    return ps < 9e18 ? (sim_time)ps : ORR_TIME_MAX;
}

static uint64_t duration_ps(const struct maker *maker, uint32_t task)
{
    return (uint64_t)runtime_of(&maker->graph->task[task], maker->plan->step[task].role);
}

static struct orr_trace_builder *create_builder(const struct maker *maker)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(maker->arena);
    if (builder != NULL) {
        orr_trace_builder_set_source(builder, maker->graph->file, "0.0.4");
        orr_trace_builder_set_rules(builder, ORR_RULES_TASK_GRAPH);
    }
    return builder;
}

static enum orr_status add(struct maker *maker, uint32_t npu, struct orr_node_spec *spec,
                           uint64_t *id)
{
    struct npu *at = &maker->npu[npu];
    if (at->builder == NULL) {
        at->builder = create_builder(maker);
        if (at->builder == NULL) {
            return orr_diag_no_memory(maker->diag, "a trace");
        }
    }
    spec->id = maker->next_id++;
    spec->data_deps = (struct orr_deps){maker->deps, maker->dep_count};
    *id = spec->id;
    return orr_trace_builder_add(at->builder, spec, maker->diag);
}

static const char *name_of(const struct maker *maker, uint32_t task, char text[NAME_BYTES])
{
    static const char *const kinds[FLEXFLOW_TASK_TYPES] = {"forward",    "backward", "comm",
                                                           "update",     "barrier",  "transfer",
                                                           "all_reduce", "send",     "receive"};
    const struct flexflow_task *at = &maker->graph->task[task];
    if (at->name != NULL) {
        (void)snprintf(text, NAME_BYTES, "%.100s", at->name);
    } else {
        (void)snprintf(text, NAME_BYTES, "%s_%" PRIu32, kinds[at->type], task);
    }
    return text;
}

static bool keep_dep(struct maker *maker, uint64_t id)
{
    uint64_t *grown = orr_arena_grow(maker->scratch, maker->deps, &maker->dep_capacity,
                                     maker->dep_count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    maker->deps = grown;
    grown[maker->dep_count++] = id;
    return true;
}

/* Both ends of a message; the dependencies at hand are those of its sending. */
static enum orr_status add_message(struct maker *maker, const struct flexflow_step *way,
                                   const struct orr_node_spec *what, uint64_t *received)
{
    const uint32_t tag = maker->npu[way->from].next_tag++;
    struct orr_node_spec send = {.kind = ORR_NODE_SEND,
                                 .name = what->name,
                                 .comm_bytes = what->comm_bytes,
                                 .src = way->from,
                                 .dst = way->to,
                                 .tag = tag,
                                 .signal = what->signal};
    struct orr_node_spec receive = send;
    receive.kind = ORR_NODE_RECV;
    const enum orr_status status = add(maker, way->from, &send, received);
    maker->dep_count = 0;
    return status == ORR_OK ? add(maker, way->to, &receive, received) : status;
}

/* ---- dependencies ---- */

/* The node on an NPU that stands for "the task is done", for one that waits for it. The
 * dependencies at hand are lost. */
static enum orr_status done_on(struct maker *maker, uint32_t task, uint32_t behind, uint32_t npu,
                               uint64_t *id)
{
    const struct flexflow_step *step = &maker->plan->step[task];
    char name[NAME_BYTES], label[NAME_BYTES + 16];
    *id = maker->end[task];
    if (step->to == npu) {
        return orr_flexflow_next_add(&maker->next, task, behind, FLEXFLOW_NEXT_ITSELF)
                   ? ORR_OK
                   : orr_diag_no_memory(maker->diag, "a task graph");
    }
    const struct flexflow_step way = {.from = step->to, .to = npu};
    maker->dep_count = 0;
    maker->traces->messages++;
    orr_convert_report_note(maker->report,
                            "tasks that wait for a task of another NPU without a transfer: told by "
                            "signals",
                            "%s, from NPU %" PRIu32 " to NPU %" PRIu32, name_of(maker, task, name),
                            way.from, way.to);
    (void)snprintf(label, sizeof label, "%s_done", name);
    if (!keep_dep(maker, maker->end[task]) ||
        !orr_flexflow_next_add(&maker->next, task, behind, maker->next_id)) {
        return orr_diag_no_memory(maker->diag, "a task graph");
    }
    const struct orr_node_spec signal = {.name = label, .signal = true};
    return add_message(maker, &way, &signal, id);
}

/* Dependencies are sorted by the task that is waited for. */
static bool repeated(const struct flexflow_plan *plan, uint32_t first, uint32_t at)
{
    return at > first && plan->prev[at] == plan->prev[at - 1];
}

/* Sets the dependencies at hand to what the task waits for. Messages come first, because they
 * use the same list. */
static enum orr_status gather(struct maker *maker, uint32_t task)
{
    const struct flexflow_plan *plan = maker->plan;
    const struct flexflow_step *step = &plan->step[task];
    const uint32_t first = plan->first_prev[task], last = plan->first_prev[task + 1];
    uint64_t *ids = orr_arena_array(maker->scratch, last - first, sizeof *ids);
    size_t count = 0;
    if (ids == NULL && last != first) {
        return orr_diag_no_memory(maker->diag, "a task graph");
    }
    for (uint32_t e = first; e < last; e++) {
        const bool own = step->role == FLEXFLOW_RECEIVES && plan->prev[e] == step->mate;
        if (own || repeated(plan, first, e)) {
            continue; /* the message itself; once is enough */
        }
        const enum orr_status status =
            done_on(maker, plan->prev[e], task, step->from, &ids[count++]);
        if (status != ORR_OK) {
            return status;
        }
    }
    maker->dep_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!keep_dep(maker, ids[i])) {
            return orr_diag_no_memory(maker->diag, "a task graph");
        }
    }
    return ORR_OK;
}

/* ---- tasks ---- */

static enum orr_status add_local(struct maker *maker, uint32_t task, const char *name)
{
    const struct flexflow_step *step = &maker->plan->step[task];
    const bool cpu = step->role != FLEXFLOW_COMPUTES;
    const bool delay = step->role == FLEXFLOW_DELAYS || step->role == FLEXFLOW_STAYS;
    struct orr_node_spec spec = {.kind = ORR_NODE_COMP,
                                 .name = name,
                                 .flags = cpu ? ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG : 0,
                                 .duration_ps = duration_ps(maker, task),
                                 .delay = delay};
    if (step->role == FLEXFLOW_STAYS) {
        orr_convert_report_note(maker->report, "transfers inside of a server, which take no time",
                                "%s, %" PRIu64 " bytes on NPU %" PRIu32, name,
                                maker->graph->task[task].bytes, step->from);
    }
    return add(maker, step->from, &spec, &maker->end[task]);
}

/* What waits for the receiving end waits for a delay of no time behind it, as for any task that
 * only says that others are done. */
static enum orr_status add_received(struct maker *maker, uint32_t task, const char *name)
{
    struct orr_node_spec spec = {.kind = ORR_NODE_COMP,
                                 .name = name,
                                 .flags = ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG,
                                 .delay = true};
    return keep_dep(maker, maker->end[task])
               ? add(maker, maker->plan->step[task].from, &spec, &maker->end[task])
               : orr_diag_no_memory(maker->diag, "a task graph");
}

/* An end of a transfer that is a task of its own; its tag is that of the end that came first. */
static enum orr_status add_end(struct maker *maker, uint32_t task, const char *name)
{
    const struct flexflow_step *step = &maker->plan->step[task];
    const bool sends = step->role == FLEXFLOW_SENDS;
    const uint32_t src = sends ? step->from : step->peer, dst = sends ? step->peer : step->from;
    if (maker->tag[step->mate] == 0) {
        maker->tag[task] = maker->tag[step->mate] = ++maker->npu[src].next_tag;
    }
    struct orr_node_spec spec = {.kind = sends ? ORR_NODE_SEND : ORR_NODE_RECV,
                                 .name = name,
                                 .comm_bytes = maker->graph->task[task].bytes,
                                 .src = src,
                                 .dst = dst,
                                 .tag = maker->tag[task] - 1};
    if (sends) {
        return add(maker, step->from, &spec, &maker->end[task]);
    }
    const size_t deps = maker->dep_count;
    maker->dep_count = 0;
    const enum orr_status status = add(maker, step->from, &spec, &maker->end[task]);
    maker->dep_count = deps;
    return status == ORR_OK ? add_received(maker, task, name) : status;
}

/* ---- all-reduces ---- */

/* One server's part; its dependencies are at hand. */
static enum orr_status add_member(struct maker *maker, uint32_t task, uint32_t npu,
                                  const char *group)
{
    const struct flexflow_task *from = &maker->graph->task[task];
    char name[NAME_BYTES], label[NAME_BYTES + 16];
    uint64_t id = 0;
    (void)name_of(maker, task, name);
    (void)snprintf(label, sizeof label, "%s_in_server", name);
    struct orr_node_spec delay = {.kind = ORR_NODE_COMP,
                                  .name = label,
                                  .flags = ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG,
                                  .duration_ps = duration_ps(maker, task),
                                  .delay = true};
    const enum orr_status status = add(maker, npu, &delay, &id);
    maker->dep_count = 0;
    if (status != ORR_OK) {
        return status;
    }
    if (!keep_dep(maker, id)) {
        return orr_diag_no_memory(maker->diag, "a task graph");
    }
    struct orr_node_spec spec = {.kind = ORR_NODE_COLL,
                                 .comm = ORR_COMM_ALL_REDUCE,
                                 .name = name,
                                 .comm_bytes = from->bytes,
                                 .group = group};
    return add(maker, npu, &spec, &id);
}

/* Sorts what feeds the all-reduce by server. Tasks of other servers are told to its first one; the
 * nodes that this gives are kept in `foreign`. */
static enum orr_status sort_feeding(struct maker *maker, uint32_t task, const uint32_t *servers,
                                    uint64_t *foreign, size_t *foreigners)
{
    const struct flexflow_plan *plan = maker->plan;
    const uint32_t members = plan->members[task];
    for (uint32_t i = 0; i < members; i++) {
        maker->npu[servers[i]].feeding = UINT32_MAX; /* a member, fed by nobody yet */
    }
    for (uint32_t e = plan->first_prev[task]; e < plan->first_prev[task + 1]; e++) {
        const uint32_t prev = plan->prev[e];
        if (repeated(plan, plan->first_prev[task], e)) {
            continue;
        }
        struct npu *npu = &maker->npu[plan->step[prev].to];
        if (npu->feeding != 0) {
            maker->feeds_next[prev] = npu->feeding;
            npu->feeding = prev + 1;
            continue;
        }
        const enum orr_status status =
            done_on(maker, prev, task, servers[0], &foreign[(*foreigners)++]);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}

static enum orr_status reduce_on(struct maker *maker, uint32_t task, uint32_t npu,
                                 const char *group)
{
    bool kept = true;
    for (uint32_t at = maker->npu[npu].feeding; at != UINT32_MAX && kept;) {
        const uint32_t next = maker->feeds_next[at - 1];
        kept = keep_dep(maker, maker->end[at - 1]) &&
               orr_flexflow_next_add(&maker->next, at - 1, task, maker->next_id);
        at = next;
    }
    maker->npu[npu].feeding = 0;
    return kept ? add_member(maker, task, npu, group)
                : orr_diag_no_memory(maker->diag, "a task graph");
}

static enum orr_status add_reduce(struct maker *maker, uint32_t task)
{
    const struct flexflow_plan *plan = maker->plan;
    const uint32_t *servers = plan->next + maker->graph->task[task].first_next;
    const uint32_t feeding = plan->first_prev[task + 1] - plan->first_prev[task];
    uint64_t *foreign = orr_arena_array(maker->scratch, feeding + 1u, sizeof *foreign);
    size_t foreigners = 0;
    const char *group;
    enum orr_status status =
        orr_convert_output_group(maker->output, servers, plan->members[task], &group, maker->diag);
    if (status == ORR_OK && foreign == NULL) {
        status = orr_diag_no_memory(maker->diag, "a task graph");
    }
    if (status == ORR_OK) {
        status = sort_feeding(maker, task, servers, foreign, &foreigners);
    }
    for (uint32_t i = 0; i < plan->members[task] && status == ORR_OK; i++) {
        maker->dep_count = 0;
        for (size_t f = 0; i == 0 && f < foreigners && status == ORR_OK; f++) {
            status = keep_dep(maker, foreign[f]) ? ORR_OK
                                                 : orr_diag_no_memory(maker->diag, "a task graph");
        }
        status = status == ORR_OK ? reduce_on(maker, task, servers[i], group) : status;
    }
    return status;
}

/* ---- all tasks ---- */

static void drop(struct maker *maker, uint32_t task)
{
    const struct flexflow_step *step = &maker->plan->step[task];
    maker->traces->counts[step->from].dropped++;
    orr_convert_report_note(maker->report, "all-reduces of one server, which need no communication",
                            "%" PRIu64 " bytes on NPU %" PRIu32, maker->graph->task[task].bytes,
                            step->from);
}

static enum orr_status add_task(struct maker *maker, uint32_t task)
{
    const struct flexflow_step *step = &maker->plan->step[task];
    char name[NAME_BYTES];
    maker->traces->counts[step->from].tasks++;
    if (step->role == FLEXFLOW_ALONE) {
        drop(maker, task);
        return ORR_OK;
    }
    if (step->role == FLEXFLOW_REDUCES) {
        return add_reduce(maker, task);
    }
    const enum orr_status status = gather(maker, task);
    if (status != ORR_OK) {
        return status;
    }
    (void)name_of(maker, task, name);
    const struct orr_node_spec transfer = {.name = name,
                                           .comm_bytes = maker->graph->task[task].bytes};
    maker->next.node[task] = maker->next_id + (step->role == FLEXFLOW_RECEIVES);
    switch (step->role) {
    case FLEXFLOW_TRANSFERS:
        return add_message(maker, step, &transfer, &maker->end[task]);
    case FLEXFLOW_SENDS:
    case FLEXFLOW_RECEIVES:
        return add_end(maker, task, name);
    default:
        return add_local(maker, task, name);
    }
}

static enum orr_status create(struct maker *maker)
{
    const uint32_t npus = maker->plan->npus;
    const size_t tasks = maker->graph->tasks;
    maker->npu = orr_arena_array(maker->scratch, npus, sizeof *maker->npu);
    maker->end = orr_arena_array(maker->scratch, tasks, sizeof *maker->end);
    maker->tag = orr_arena_array(maker->scratch, tasks, sizeof *maker->tag);
    maker->feeds_next = orr_arena_array(maker->scratch, tasks, sizeof *maker->feeds_next);
    maker->traces->trace = orr_arena_array(maker->arena, npus, sizeof *maker->traces->trace);
    maker->traces->counts = orr_arena_array(maker->arena, npus, sizeof *maker->traces->counts);
    if (maker->npu == NULL || maker->end == NULL || maker->tag == NULL ||
        maker->feeds_next == NULL || maker->traces->trace == NULL ||
        maker->traces->counts == NULL ||
        !orr_flexflow_next_init(&maker->next, maker->plan, maker->scratch)) {
        return orr_diag_no_memory(maker->diag, "the traces of a task graph");
    }
    return ORR_OK;
}

/* The order in which what waits for a task begins. */
static enum orr_status order_next(struct maker *maker)
{
    bool kept = orr_flexflow_next_sort(&maker->next);
    for (uint32_t task = 0; task < maker->graph->tasks && kept; task++) {
        const struct orr_deps next = orr_flexflow_next_of(&maker->next, task);
        struct orr_trace_builder *builder = maker->npu[maker->plan->step[task].to].builder;
        kept = next.count == 0 || orr_trace_builder_order_next(builder, maker->end[task], next);
    }
    return kept ? ORR_OK : orr_diag_no_memory(maker->diag, "the order of a task graph");
}

/* The traces; NPUs without a node share an empty one. */
static enum orr_status finish(struct maker *maker)
{
    const struct orr_trace **traces = maker->traces->trace, *empty = NULL;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < maker->plan->npus && status == ORR_OK; i++) {
        struct npu *npu = &maker->npu[i];
        if (npu->builder == NULL && empty != NULL) {
            traces[i] = empty;
            continue;
        }
        const bool idle = npu->builder == NULL;
        if (idle && (npu->builder = create_builder(maker)) == NULL) {
            return orr_diag_no_memory(maker->diag, "a trace");
        }
        orr_trace_builder_set_rules(npu->builder, ORR_RULES_TASK_GRAPH);
        status = orr_trace_builder_finish(npu->builder, &traces[i], maker->diag);
        empty = idle ? traces[i] : empty;
    }
    return status;
}

static enum orr_status make(struct maker *maker)
{
    enum orr_status status = create(maker);
    for (size_t i = 0; i < maker->graph->tasks && status == ORR_OK; i++) {
        status = add_task(maker, maker->plan->order[i]);
    }
    if (status == ORR_OK) {
        status = order_next(maker);
    }
    if (status == ORR_OK) {
        status = finish(maker);
    }
    for (uint32_t i = 0; maker->npu != NULL && i < maker->plan->npus; i++) {
        orr_trace_builder_destroy(maker->npu[i].builder);
    }
    return status;
}

enum orr_status orr_flexflow_traces_make(struct flexflow_traces *traces,
                                         const struct flexflow_plan *plan, struct orr_arena *arena,
                                         struct conv_output *output, struct conv_report *report,
                                         struct orr_diag *diag)
{
    struct maker maker = {.plan = plan,
                          .graph = plan->graph,
                          .traces = traces,
                          .output = output,
                          .report = report,
                          .arena = arena,
                          .scratch = orr_arena_create(),
                          .diag = diag};
    *traces = (struct flexflow_traces){.messages = 0};
    const enum orr_status status = maker.scratch != NULL
                                       ? make(&maker)
                                       : orr_diag_no_memory(diag, "the traces of a task graph");
    orr_arena_destroy(maker.scratch);
    return status;
}
