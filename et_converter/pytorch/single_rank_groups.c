/* Collectives of single-rank groups, for which NCCL runs no kernel because nothing is sent. If the
 * rank is the whole job they become steps of zero duration, so that a trace of one GPU can be
 * scaled to many. Such a step follows the work launched before it. Work launched after its wait, or
 * after its operator if it has no wait, follows the step. */
#include <stdlib.h>

#include "core/arena.h"
#include "et_converter/pytorch/pytorch_graph.h"
#include "et_converter/pytorch/pytorch_trace.h"
#include "et_converter/pytorch/steps_private.h"

struct pending {
    uint32_t step;
    /* sequence number of its wait; < 0: no wait follows, the next work waits for it */
    int64_t sequence;
};

struct single_rank {
    struct pt_builder builder; /* of steps and edges only */
    const struct pt_trace *trace;
    const struct pt_group_use *group; /* as in struct pt_graph */
    bool *has_step;                   /* [comms] */
    int64_t *wait;                    /* [comms]: sequence numbers of waits, ascending */
    uint32_t *order; /* [steps]: CPU steps by time, work on the GPU where it was launched */
    struct pending *pending;
    uint32_t pendings, waits, work, tail;
    struct pt_single_rank_count count;
};

static int compare_numbers(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool is_waited_for(const struct single_rank *single_rank, int64_t sequence)
{
    return sequence >= 0 && bsearch(&sequence, single_rank->wait, single_rank->waits,
                                    sizeof *single_rank->wait, compare_numbers) != NULL;
}

static const struct pt_comm *comm_of(const struct single_rank *single_rank,
                                     const struct pt_step *step)
{
    const struct pt_trace *trace = single_rank->trace;
    const uint32_t comm = step->node != PT_NONE ? trace->node[step->node].comm : PT_NONE;
    return comm != PT_NONE ? &trace->comm[comm] : NULL;
}

static bool is_single_rank(const struct single_rank *single_rank, const struct pt_comm *comm)
{
    const uint32_t all = single_rank->trace->groups;
    return comm->kind == PT_COLLECTIVE &&
           single_rank->group[comm->group < all ? comm->group : all].size == 1 &&
           !single_rank->has_step[comm - single_rank->trace->comm];
}

/* Adds the collective of an operator's step. */
static void add_collective(struct single_rank *single_rank, const struct pt_step *by,
                           uint32_t index, const struct pt_comm *comm)
{
    struct pt_builder *builder = &single_rank->builder;
    const uint32_t at = (uint32_t)(comm - single_rank->trace->comm);
    const struct pt_step *others = builder->out->step;
    int64_t order_ns = by->order_ns;
    if (single_rank->work != PT_NONE && others[single_rank->work].order_ns > order_ns) {
        order_ns = others[single_rank->work].order_ns;
    }
    if (single_rank->tail != PT_NONE && others[single_rank->tail].order_ns > order_ns) {
        order_ns = others[single_rank->tail].order_ns;
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
    orr_pytorch_add_edge(builder, single_rank->work, added);
    orr_pytorch_add_edge(builder, single_rank->tail, added);
    single_rank->tail = added;
    single_rank->has_step[at] = true;
    single_rank->pending[single_rank->pendings++] =
        (struct pending){added, is_waited_for(single_rank, comm->sequence) ? comm->sequence : -1};
    single_rank->count.kept++;
}

static void end_pending(struct single_rank *single_rank, int64_t sequence)
{
    for (uint32_t i = 0; i < single_rank->pendings; i++) {
        if (single_rank->pending[i].sequence == sequence) {
            single_rank->pending[i].sequence = -1;
        }
    }
}

/* Lets work wait for the collectives whose waits are over. */
static void add_work(struct single_rank *single_rank, uint32_t index)
{
    const struct pt_step *step = single_rank->builder.out->step;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < single_rank->pendings; i++) {
        const struct pending pending = single_rank->pending[i];
        if (pending.sequence < 0 && step[pending.step].order_ns < step[index].order_ns) {
            orr_pytorch_add_edge(&single_rank->builder, pending.step, index);
        } else {
            single_rank->pending[kept++] = pending;
        }
    }
    single_rank->pendings = kept;
    single_rank->work = index;
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

/* Sorts steps by launch: work on the GPU directly follows the step that launched it, whenever it
 * started. */
static bool sort_by_launch(struct single_rank *single_rank)
{
    const struct pt_timeline *timeline = single_rank->builder.out;
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
        single_rank->order[s] = keyed[s].step;
    }
    orr_heap_free(keyed);
    return true;
}

static void add_steps(struct single_rank *single_rank, uint32_t steps)
{
    for (uint32_t i = 0; i < steps && single_rank->builder.complete; i++) {
        const uint32_t index = single_rank->order[i];
        const struct pt_step step = single_rank->builder.out->step[index];
        const struct pt_comm *comm = comm_of(single_rank, &step);
        if (step.kind == PT_STEP_GPU) {
            add_work(single_rank, index);
        } else if (comm != NULL && comm->kind == PT_WAIT) {
            end_pending(single_rank, comm->sequence);
        } else if (comm != NULL && is_single_rank(single_rank, comm)) {
            add_collective(single_rank, &step, index, comm);
        }
    }
}

/* Marks collectives that have a step, and lists the waits; returns whether any collective has no
 * step. */
static bool scan_timeline(struct single_rank *single_rank)
{
    const struct pt_trace *trace = single_rank->trace;
    const struct pt_timeline *timeline = single_rank->builder.out;
    bool found = false;
    for (uint32_t s = 0; s < timeline->steps; s++) {
        if (timeline->step[s].kind == PT_STEP_GPU && timeline->step[s].comm != PT_NONE) {
            single_rank->has_step[timeline->step[s].comm] = true;
        }
    }
    for (uint32_t c = 0; c < trace->comms; c++) {
        if (trace->comm[c].kind == PT_WAIT) {
            single_rank->wait[single_rank->waits++] = trace->comm[c].sequence;
        }
        if (is_single_rank(single_rank, &trace->comm[c])) {
            const uint32_t group = trace->comm[c].group;
            const bool idle =
                single_rank->group[group < trace->groups ? group : trace->groups].idle;
            single_rank->count.idle += idle ? 1 : 0;
            found = found || !idle;
        }
    }
    qsort(single_rank->wait, single_rank->waits, sizeof *single_rank->wait, compare_numbers);
    return found;
}

enum orr_status orr_pytorch_add_single_rank(struct pt_trace *trace,
                                            const struct pt_group_use *group,
                                            struct pt_timeline *timeline,
                                            struct pt_single_rank_count *count,
                                            struct orr_diag *diag)
{
    const size_t comms = (size_t)trace->comms + 1;
    struct single_rank single_rank = {
        .builder = {.trace = trace, .out = timeline, .complete = true},
        .trace = trace,
        .group = group,
        .has_step = orr_arena_array(trace->arena, comms, sizeof(bool)),
        .wait = orr_arena_array(trace->arena, comms, sizeof(int64_t)),
        .pending = orr_arena_array(trace->arena, comms, sizeof(struct pending)),
        .work = PT_NONE,
        .tail = PT_NONE};
    *count = (struct pt_single_rank_count){0};
    if (single_rank.has_step == NULL || single_rank.wait == NULL || single_rank.pending == NULL) {
        return orr_diag_no_memory(diag, "the collectives of a trace");
    }
    const bool has_kept = scan_timeline(&single_rank);
    *count = single_rank.count;
    if (!has_kept) {
        return ORR_OK;
    }
    single_rank.order = orr_arena_array(trace->arena, timeline->steps, sizeof *single_rank.order);
    if (single_rank.order == NULL || !sort_by_launch(&single_rank)) {
        return orr_diag_no_memory(diag, "the collectives of a trace");
    }
    add_steps(&single_rank, timeline->steps);
    *count = single_rank.count;
    return single_rank.builder.complete ? ORR_OK
                                        : orr_diag_no_memory(diag, "the steps of a profile");
}
