/* Steps of a trace without a profile; see pytorch_graph.h. */
#include <string.h>

#include "core/strings.h"
#include "et_converter/pytorch/pytorch_graph.h"
#include "et_converter/pytorch/pytorch_trace.h"
#include "et_converter/pytorch/steps_private.h"

struct pending {
    uint32_t step;
    uint32_t group;
    int64_t sequence;
};

struct untimed {
    struct pt_trace *trace;
    struct pt_builder builder; /* of steps and edges only */
    uint32_t *last_of_thread;  /* [threads]: step */
    uint32_t *tid;             /* [threads] */
    uint32_t threads, last;    /* last: step of any thread */
    uint32_t compute;          /* the last work on the GPU, or PT_NONE */
    uint32_t *await;           /* further steps that the next work waits for */
    uint32_t awaits;
    uint32_t *comm_tail;     /* [groups + 1]: the group's last communication */
    struct pending *pending; /* asynchronous collectives in flight */
    uint32_t pendings;
};

static uint32_t add_step(struct untimed *untimed, struct pt_step step)
{
    step.order_ns = untimed->builder.out->steps;
    return orr_pytorch_add_step(&untimed->builder, &step);
}

static void add_edge(struct untimed *untimed, uint32_t from, uint32_t to)
{
    orr_pytorch_add_edge(&untimed->builder, from, to);
}

/* Adds an operator behind the last one of its thread and the last one of any thread, because
 * operators are numbered by start. */
static uint32_t add_operator(struct untimed *untimed, uint32_t node)
{
    const struct pt_node *of = &untimed->trace->node[node];
    uint32_t t = 0;
    while (t < untimed->threads && untimed->tid[t] != of->tid) {
        t++;
    }
    if (t == untimed->threads) {
        untimed->tid[untimed->threads++] = of->tid;
        untimed->last_of_thread[t] = PT_NONE;
    }
    const struct pt_step step = {.name = of->name,
                                 .node = node,
                                 .work = PT_NONE,
                                 .comm = PT_NONE,
                                 .thread = t,
                                 .kind = PT_STEP_CPU};
    const uint32_t added = add_step(untimed, step);
    add_edge(untimed, untimed->last_of_thread[t], added);
    if (untimed->last != untimed->last_of_thread[t]) {
        add_edge(untimed, untimed->last, added);
    }
    untimed->last_of_thread[t] = untimed->last = added;
    return added;
}

/* Whether an operator starts no GPU work: views of a tensor, or allocation of an empty one. */
static bool starts_no_work(const char *name)
{
    static const char *const names[] = {
        "view",          "as_strided",    "detach",           "t",
        "transpose",     "permute",       "expand",           "slice",
        "select",        "unsqueeze",     "squeeze",          "empty",
        "empty_like",    "empty_strided", "resize_",          "alias",
        "unbind",        "split",         "narrow",           "chunk",
        "size",          "set_",          "_reshape_alias",   "lift_fresh",
        "record_stream", "_unsafe_view",  "reshape",          "expand_as",
        "view_as",       "detach_",       "split_with_sizes", "unflatten",
        "flatten",       "numel",         "is_nonzero",       "new_empty",
        "result_type",   "requires_grad_"};
    if (strncmp(name, "aten::", 6) != 0) {
        return strstr(name, "::") == NULL; /* annotations and functions of autograd */
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name + 6, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t add_gpu(struct untimed *untimed, uint32_t node, uint32_t comm, uint32_t operator)
{
    const struct pt_node *of = &untimed->trace->node[node];
    const struct pt_step step = {.name = of->name,
                                 .node = node,
                                 .work = PT_NONE,
                                 .comm = comm,
                                 .thread = PT_NONE,
                                 .kind = PT_STEP_GPU};
    const uint32_t added = add_step(untimed, step);
    add_edge(untimed, operator, added);
    add_edge(untimed, untimed->compute, added);
    return added;
}

static void await(struct untimed *untimed, uint32_t step)
{
    untimed->await[untimed->awaits++] = step;
}

/* Ends the collectives that a wait names by sequence number, and often without group. */
static void end_pending(struct untimed *untimed, const struct pt_comm *wait)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < untimed->pendings; i++) {
        const struct pending *pending = &untimed->pending[i];
        const bool ends = pending->sequence == wait->sequence &&
                          (wait->group == PT_NONE || wait->group == pending->group);
        if (ends) {
            await(untimed, pending->step);
        } else {
            untimed->pending[kept++] = *pending;
        }
    }
    untimed->pendings = kept;
}

/* Whether a wait for the collective follows. If not, its operator returns when the collective is
 * done. */
static bool is_waited_for(const struct untimed *untimed, const struct pt_comm *comm,
                          const bool *waited, int64_t max)
{
    (void)untimed;
    return comm->sequence >= 0 && comm->sequence <= max && waited[comm->sequence];
}

static void add_comm(struct untimed *untimed, uint32_t node, uint32_t operator, const bool * waited,
                     int64_t max)
{
    const struct pt_trace *trace = untimed->trace;
    const uint32_t index = trace->node[node].comm;
    const struct pt_comm *comm = &trace->comm[index];
    if (comm->kind == PT_WAIT) {
        end_pending(untimed, comm);
    }
    if (comm->kind == PT_WAIT || comm->kind == PT_OTHER) {
        return;
    }
    const uint32_t group = comm->group < trace->groups ? comm->group : trace->groups;
    const uint32_t step = add_gpu(untimed, node, index, operator);
    add_edge(untimed, untimed->comm_tail[group], step);
    untimed->comm_tail[group] = step;
    if (is_waited_for(untimed, comm, waited, max)) {
        untimed->pending[untimed->pendings++] = (struct pending){step, comm->group, comm->sequence};
    } else {
        await(untimed, step);
    }
}

static void add_work(struct untimed *untimed, uint32_t node, uint32_t operator)
{
    const uint32_t step = add_gpu(untimed, node, PT_NONE, operator);
    for (uint32_t i = 0; i < untimed->awaits; i++) {
        add_edge(untimed, untimed->await[i], step);
    }
    untimed->awaits = 0;
    untimed->compute = step;
}

/* The sequence numbers that have a wait, up to *max. Numbers ascend from small ones, so one far
 * above the number of records is ignored. NULL if out of memory. */
static bool *find_waits(const struct pt_trace *trace, int64_t *max)
{
    const int64_t limit = 1000 + 1000 * (int64_t)trace->comms;
    *max = 0;
    for (uint32_t c = 0; c < trace->comms; c++) {
        const int64_t sequence = trace->comm[c].sequence;
        *max = sequence > *max && sequence < limit ? sequence : *max;
    }
    bool *waited = orr_arena_array(trace->arena, (size_t)*max + 1, sizeof *waited);
    for (uint32_t c = 0; waited != NULL && c < trace->comms; c++) {
        const struct pt_comm *comm = &trace->comm[c];
        if (comm->kind == PT_WAIT && comm->sequence >= 0 && comm->sequence <= *max) {
            waited[comm->sequence] = true;
        }
    }
    return waited;
}

enum orr_status orr_pytorch_untimed_build(struct pt_trace *trace, struct pt_timeline *out,
                                          struct orr_diag *diag)
{
    *out = (struct pt_timeline){0};
    struct orr_arena *arena = trace->arena;
    const size_t nodes = (size_t)trace->nodes + 1, comms = (size_t)trace->comms + 1;
    int64_t max;
    const bool *waited = find_waits(trace, &max);
    struct untimed untimed = {
        .trace = trace,
        .builder = {.trace = trace, .out = out},
        .last_of_thread = orr_arena_array(arena, nodes, sizeof(uint32_t)),
        .tid = orr_arena_array(arena, nodes, sizeof(uint32_t)),
        .last = PT_NONE,
        .compute = PT_NONE,
        .await = orr_arena_array(arena, comms, sizeof(uint32_t)),
        .comm_tail = orr_arena_array(arena, (size_t)trace->groups + 1, sizeof(uint32_t)),
        .pending = orr_arena_array(arena, comms, sizeof(struct pending))};
    untimed.builder.complete = waited != NULL && untimed.last_of_thread != NULL &&
                               untimed.tid != NULL && untimed.await != NULL &&
                               untimed.comm_tail != NULL && untimed.pending != NULL;
    for (uint32_t g = 0; untimed.builder.complete && g <= trace->groups; g++) {
        untimed.comm_tail[g] = PT_NONE;
    }
    for (uint32_t n = 0; untimed.builder.complete && n < trace->nodes; n++) {
        const struct pt_node *node = &trace->node[n];
        if (node->is_label) {
            continue;
        }
        const uint32_t operator= add_operator(&untimed, n);
        if (node->comm != PT_NONE) {
            add_comm(&untimed, n, operator, waited, max);
        } else if (node->on_gpu && !node->has_children &&
                   !starts_no_work(trace->strings->text[node->name])) {
            add_work(&untimed, n, operator);
        }
    }
    return untimed.builder.complete ? ORR_OK : orr_diag_no_memory(diag, "the steps of a trace");
}
