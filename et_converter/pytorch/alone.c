/* Collectives of groups of one rank, of which NCCL has no kernel: nothing is sent. Where the rank
 * is all there is they become steps of no duration all the same, so that a trace of one GPU can be
 * scaled to many. Such a step comes behind the work that was launched before it, and what is
 * launched behind its wait, or behind its operator when nobody waits for it, comes behind the step.
 */
#include <stdlib.h>

#include "et_converter/pytorch/gpu_timeline_private.h"
#include "et_converter/pytorch/pytorch_graph.h"

struct pending {
    uint32_t step;
    int64_t sequence; /* its wait's; < 0: none follows, the next work waits for it */
};

struct alone {
    struct pt_builder builder; /* of steps and edges alone */
    const struct pt_trace *trace;
    const struct pt_group_use *group; /* as in struct pt_graph */
    bool *has_step;                   /* [comms] */
    int64_t *wait;                    /* [comms]: sequence numbers of waits, ascending */
    uint32_t *order; /* [steps]: CPU steps by time, work on the GPU where it was launched */
    struct pending *pending;
    uint32_t pendings, waits, work, tail;
    struct pt_alone_count count;
};

static int compare_numbers(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool is_waited_for(const struct alone *alone, int64_t sequence)
{
    return sequence >= 0 && bsearch(&sequence, alone->wait, alone->waits, sizeof *alone->wait,
                                    compare_numbers) != NULL;
}

static const struct pt_comm *comm_of(const struct alone *alone, const struct pt_step *step)
{
    const struct pt_trace *trace = alone->trace;
    const uint32_t comm = step->node != PT_NONE ? trace->node[step->node].comm : PT_NONE;
    return comm != PT_NONE ? &trace->comm[comm] : NULL;
}

static bool is_alone(const struct alone *alone, const struct pt_comm *comm)
{
    const uint32_t all = alone->trace->groups;
    return comm->kind == PT_COLLECTIVE &&
           alone->group[comm->group < all ? comm->group : all].size == 1 &&
           !alone->has_step[comm - alone->trace->comm];
}

/* The collective that the operator of a step asks for. */
static void add_collective(struct alone *alone, const struct pt_step *by, uint32_t index,
                           const struct pt_comm *comm)
{
    struct pt_builder *builder = &alone->builder;
    const uint32_t at = (uint32_t)(comm - alone->trace->comm);
    const struct pt_step *others = builder->out->step;
    int64_t order_ns = by->order_ns;
    if (alone->work != PT_NONE && others[alone->work].order_ns > order_ns) {
        order_ns = others[alone->work].order_ns;
    }
    if (alone->tail != PT_NONE && others[alone->tail].order_ns > order_ns) {
        order_ns = others[alone->tail].order_ns;
    }
    const struct pt_step step = {.start_ns = by->end_ns,
                                 .end_ns = by->end_ns,
                                 .begun_ns = by->end_ns,
                                 .order_ns = order_ns + 1,
                                 .name = by->name,
                                 .node = by->node,
                                 .work = PT_NONE,
                                 .comm = at,
                                 .thread = PT_NONE,
                                 .kind = PT_STEP_GPU};
    const uint32_t added = orr_pytorch_add_step(builder, &step);
    orr_pytorch_add_edge(builder, index, added);
    orr_pytorch_add_edge(builder, alone->work, added);
    orr_pytorch_add_edge(builder, alone->tail, added);
    alone->tail = added;
    alone->has_step[at] = true;
    alone->pending[alone->pendings++] =
        (struct pending){added, is_waited_for(alone, comm->sequence) ? comm->sequence : -1};
    alone->count.kept++;
}

static void end_pending(struct alone *alone, int64_t sequence)
{
    for (uint32_t i = 0; i < alone->pendings; i++) {
        if (alone->pending[i].sequence == sequence) {
            alone->pending[i].sequence = -1;
        }
    }
}

/* Work waits for the collectives whose waits are over. */
static void add_work(struct alone *alone, uint32_t index)
{
    const struct pt_step *step = alone->builder.out->step;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < alone->pendings; i++) {
        const struct pending pending = alone->pending[i];
        if (pending.sequence < 0 && step[pending.step].order_ns < step[index].order_ns) {
            orr_pytorch_add_edge(&alone->builder, pending.step, index);
        } else {
            alone->pending[kept++] = pending;
        }
    }
    alone->pendings = kept;
    alone->work = index;
}

struct keyed {
    int64_t key_ns;
    uint32_t step;
};

static int compare_keyed(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->key_ns != b->key_ns) {
        return a->key_ns > b->key_ns ? 1 : -1;
    }
    return (a->step > b->step) - (a->step < b->step);
}

/* Work on the GPU comes right behind the step that launched it, however late it began. */
static bool sort_by_launch(struct alone *alone)
{
    const struct pt_timeline *timeline = alone->builder.out;
    struct keyed *keyed = orr_heap_calloc((size_t)timeline->steps + 1, sizeof *keyed);
    if (keyed == NULL) {
        return false;
    }
    for (uint32_t s = 0; s < timeline->steps; s++) {
        keyed[s] = (struct keyed){timeline->step[s].order_ns, s};
    }
    for (uint32_t e = 0; e < timeline->edges; e++) {
        const struct pt_edge *edge = &timeline->edge[e];
        if (timeline->step[edge->from].kind == PT_STEP_CPU &&
            timeline->step[edge->to].kind == PT_STEP_GPU) {
            keyed[edge->to].key_ns = timeline->step[edge->from].order_ns;
        }
    }
    qsort(keyed, timeline->steps, sizeof *keyed, compare_keyed);
    for (uint32_t s = 0; s < timeline->steps; s++) {
        alone->order[s] = keyed[s].step;
    }
    orr_heap_free(keyed);
    return true;
}

static void walk(struct alone *alone, uint32_t steps)
{
    for (uint32_t i = 0; i < steps && alone->builder.complete; i++) {
        const uint32_t index = alone->order[i];
        const struct pt_step step = alone->builder.out->step[index];
        const struct pt_comm *comm = comm_of(alone, &step);
        if (step.kind == PT_STEP_GPU) {
            add_work(alone, index);
        } else if (comm != NULL && comm->kind == PT_WAIT) {
            end_pending(alone, comm->sequence);
        } else if (comm != NULL && is_alone(alone, comm)) {
            add_collective(alone, &step, index, comm);
        }
    }
}

/* What already has steps, and which waits there are; whether any collective has no step. */
static bool look(struct alone *alone)
{
    const struct pt_trace *trace = alone->trace;
    const struct pt_timeline *timeline = alone->builder.out;
    bool found = false;
    for (uint32_t s = 0; s < timeline->steps; s++) {
        if (timeline->step[s].kind == PT_STEP_GPU && timeline->step[s].comm != PT_NONE) {
            alone->has_step[timeline->step[s].comm] = true;
        }
    }
    for (uint32_t c = 0; c < trace->comms; c++) {
        if (trace->comm[c].kind == PT_WAIT) {
            alone->wait[alone->waits++] = trace->comm[c].sequence;
        }
        if (is_alone(alone, &trace->comm[c])) {
            const uint32_t group = trace->comm[c].group;
            const bool idle = alone->group[group < trace->groups ? group : trace->groups].idle;
            alone->count.idle += idle ? 1 : 0;
            found = found || !idle;
        }
    }
    qsort(alone->wait, alone->waits, sizeof *alone->wait, compare_numbers);
    return found;
}

enum orr_status orr_pytorch_add_alone(struct pt_trace *trace, const struct pt_group_use *group,
                                      struct pt_timeline *timeline, struct pt_alone_count *count,
                                      struct orr_diag *diag)
{
    const size_t comms = (size_t)trace->comms + 1;
    struct alone alone = {.builder = {.trace = trace, .out = timeline, .complete = true},
                          .trace = trace,
                          .group = group,
                          .has_step = orr_arena_array(trace->arena, comms, sizeof(bool)),
                          .wait = orr_arena_array(trace->arena, comms, sizeof(int64_t)),
                          .pending = orr_arena_array(trace->arena, comms, sizeof(struct pending)),
                          .work = PT_NONE,
                          .tail = PT_NONE};
    *count = (struct pt_alone_count){0};
    if (alone.has_step == NULL || alone.wait == NULL || alone.pending == NULL) {
        return orr_diag_no_memory(diag, "the collectives of a trace");
    }
    const bool keeps = look(&alone);
    *count = alone.count;
    if (!keeps) {
        return ORR_OK;
    }
    alone.order = orr_arena_array(trace->arena, timeline->steps, sizeof *alone.order);
    if (alone.order == NULL || !sort_by_launch(&alone)) {
        return orr_diag_no_memory(diag, "the collectives of a trace");
    }
    walk(&alone, timeline->steps);
    *count = alone.count;
    return alone.builder.complete ? ORR_OK : orr_diag_no_memory(diag, "the steps of a profile");
}
