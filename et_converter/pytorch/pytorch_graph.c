/* Nodes of the execution trace of a run; see pytorch_graph.h. */
#include "et_converter/pytorch/pytorch_graph.h"

#include "core/strings.h"
#include "core/time.h"
#include "et_converter/conversion_report.h"
#include "et_converter/pytorch/pytorch_trace.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct share {
    int64_t duration_ns; /* of the work of an operator */
    uint32_t works;
};

struct emitter {
    struct pt_graph *graph;
    struct orr_trace_builder *builder;
    uint32_t *order;             /* [steps]: steps by time */
    uint64_t *first_id;          /* [steps]: first id of a step ... */
    uint32_t *ids;               /* [steps]: ... and its number of ids */
    uint32_t *first_edge, *from; /* steps that a step waits for: from[first_edge[s] ..] */
    struct share *share;         /* [trace->nodes] */
    uint32_t *record;            /* [comms]: communication in the order of its operators */
    uint32_t *record_node;
    bool *used; /* [comms] */
    uint32_t records;
    uint32_t *part, *first_part; /* communication of a step: part[first_part[s] ..] */
    uint64_t *deps;
    size_t traffic_capacity;
    struct orr_diag *diag;
};

/* ---- communication of NCCL kernels ---- */

static const struct pt_comm *comm_at(const struct emitter *emitter, uint32_t comm)
{
    return &emitter->graph->trace->comm[comm];
}

static bool moves(const struct pt_comm *comm)
{
    return comm->kind == PT_COLLECTIVE || comm->kind == PT_SEND || comm->kind == PT_RECV;
}

static void list_records(struct emitter *emitter)
{
    const struct pt_trace *trace = emitter->graph->trace;
    for (uint32_t n = 0; n < trace->nodes; n++) {
        const uint32_t comm = trace->node[n].comm;
        if (comm != PT_NONE && moves(&trace->comm[comm])) {
            emitter->record[emitter->records] = comm;
            emitter->record_node[emitter->records++] = n;
        }
    }
}

static bool is_nccl(const struct emitter *emitter, const struct pt_step *step)
{
    const struct pt_graph *graph = emitter->graph;
    return step->kind == PT_STEP_GPU &&
           (step->work == PT_NONE ? step->comm != PT_NONE
                                  : graph->kineto->work[step->work].is_nccl);
}

static const struct pt_group_use *group_of(const struct emitter *emitter, uint32_t group)
{
    const uint32_t all = emitter->graph->trace->groups;
    return &emitter->graph->group[group < all ? group : all];
}

/* Collects the records since the previous kernel: a kernel outside of any record ends coalesced
 * operations. Groups of one rank have no kernel (single_rank_groups.c). */
static uint32_t collect_pending(struct emitter *emitter, uint32_t *next, uint32_t until_node,
                                uint32_t *part)
{
    uint32_t count = 0;
    for (; *next < emitter->records && emitter->record_node[*next] <= until_node; (*next)++) {
        const uint32_t comm = emitter->record[*next];
        if (!emitter->used[comm] && group_of(emitter, comm_at(emitter, comm)->group)->size != 1) {
            emitter->used[comm] = true;
            part[count++] = comm;
        }
    }
    return count;
}

/* Whether the step has a communication record that no kernel uses yet. */
static bool has_unused_record(const struct emitter *emitter, const struct pt_step *step)
{
    return step->comm != PT_NONE && moves(comm_at(emitter, step->comm)) &&
           !emitter->used[step->comm];
}

/* Whether coalesced collectives are of one kind and group, and so become one. */
static bool are_one(const struct emitter *emitter, const uint32_t *part, uint32_t parts)
{
    const struct pt_comm *first = comm_at(emitter, part[0]);
    bool one = first->kind == PT_COLLECTIVE;
    for (uint32_t p = 1; p < parts; p++) {
        const struct pt_comm *comm = comm_at(emitter, part[p]);
        one = one && comm->kind == first->kind && comm->comm == first->comm &&
              comm->group == first->group;
    }
    return one;
}

/* Assigns communication records to NCCL kernels, in the order of time. */
static void assign_records(struct emitter *emitter)
{
    const struct pt_timeline *timeline = emitter->graph->timeline;
    uint32_t next = 0, parts = 0;
    for (uint32_t i = 0; i < timeline->steps; i++) {
        const struct pt_step *step = &timeline->step[emitter->order[i]];
        if (is_nccl(emitter, step) && has_unused_record(emitter, step)) {
            emitter->used[step->comm] = true;
        }
    }
    for (uint32_t i = 0; i < timeline->steps; i++) {
        const uint32_t s = emitter->order[i];
        const struct pt_step *step = &timeline->step[s];
        emitter->first_part[s] = parts;
        emitter->ids[s] = 1;
        if (!is_nccl(emitter, step)) {
            continue;
        }
        if (step->comm != PT_NONE && moves(comm_at(emitter, step->comm))) {
            emitter->part[parts++] = step->comm;
        } else if (step->node != PT_NONE) {
            const uint32_t count =
                collect_pending(emitter, &next, step->node, emitter->part + parts);
            const bool one = count < 2 || are_one(emitter, emitter->part + parts, count);
            parts += count;
            emitter->ids[s] = one ? 1 : count;
        }
    }
    emitter->first_part[timeline->steps] = parts;
}

/* ---- nodes ---- */

static uint64_t ps_of(int64_t ns)
{
    return (uint64_t)orr_time_mul(ORR_PS_PER_NS, ns > 0 ? (uint64_t)ns : 0);
}

static uint32_t gather_deps(const struct emitter *emitter, uint32_t step)
{
    uint32_t count = 0;
    for (uint32_t e = emitter->first_edge[step]; e < emitter->first_edge[step + 1]; e++) {
        const uint32_t from = emitter->from[e];
        for (uint32_t k = 0; k < emitter->ids[from]; k++) {
            emitter->deps[count++] = emitter->first_id[from] + k;
        }
    }
    if (count == 0 && emitter->graph->delay_ns > 0) {
        emitter->deps[count++] = 0;
    }
    return count;
}

static const char *name_of(const struct emitter *emitter, uint32_t name)
{
    return emitter->graph->trace->strings->text[name];
}

/* Sets operations and bytes of a kernel: its share of its operator's, by duration. */
static void set_work(const struct emitter *emitter, const struct pt_step *step,
                     struct orr_node_spec *spec)
{
    const struct pt_graph *graph = emitter->graph;
    const struct kt_work *work = step->work != PT_NONE ? &graph->kineto->work[step->work] : NULL;
    if (work != NULL && work->is_copy) {
        spec->op = ORR_OP_MEMORY;
        spec->tensor_bytes = work->bytes;
        spec->flags |= work->bytes > 0 ? ORR_NODE_HAS_TENSOR_SIZE : 0;
        return;
    }
    const struct pt_node *node = step->node != PT_NONE ? &graph->trace->node[step->node] : NULL;
    if (node == NULL || node->bytes == 0) {
        return;
    }
    const struct share *all = &emitter->share[step->node];
    const double part = all->duration_ns > 0 ? (double)step->duration_ns / (double)all->duration_ns
                                             : 1.0 / (all->works > 0 ? all->works : 1);
    spec->num_ops = (uint64_t)((double)node->flops * part);
    spec->tensor_bytes = (uint64_t)((double)node->bytes * part);
    spec->op = node->op;
    spec->flags |= ORR_NODE_HAS_NUM_OPS | ORR_NODE_HAS_TENSOR_SIZE;
}

static enum orr_status add_compute(struct emitter *emitter, uint32_t index, struct orr_deps deps)
{
    const struct pt_step *step = &emitter->graph->timeline->step[index];
    struct orr_node_spec spec = {.id = emitter->first_id[index],
                                 .kind = ORR_NODE_COMP,
                                 .flags = ORR_NODE_HAS_CPU_FLAG,
                                 .name = name_of(emitter, step->name),
                                 .duration_ps = ps_of(step->duration_ns),
                                 .data_deps = deps,
                                 /* threads and streams are dependencies already */
                                 .delay = emitter->graph->kineto != NULL};
    if (step->kind == PT_STEP_CPU) {
        spec.flags |= ORR_NODE_IS_CPU;
    } else {
        set_work(emitter, step, &spec);
    }
    return orr_trace_builder_add(emitter->builder, &spec, emitter->diag);
}

static enum orr_status add_traffic(struct emitter *emitter, const struct orr_node_spec *spec)
{
    struct pt_graph *graph = emitter->graph;
    struct pt_traffic *grown =
        orr_arena_grow(graph->trace->arena, graph->traffic, &emitter->traffic_capacity,
                       (size_t)graph->traffics + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(emitter->diag, "communication");
    }
    graph->traffic = grown;
    grown[graph->traffics++] = (struct pt_traffic){.group = spec->group,
                                                   .bytes = spec->comm_bytes,
                                                   .recorded_ps = (int64_t)spec->duration_ps,
                                                   .kind = (uint8_t)spec->kind,
                                                   .comm = (uint8_t)spec->comm,
                                                   .uneven = orr_comm_is_uneven(&spec->sizes)};
    return ORR_OK;
}

/* The global rank of the peer; adds a note if the peer is not in the group. */
static uint32_t peer_of(struct emitter *emitter, const struct pt_comm *comm, const char *name)
{
    const struct pt_group_use *group = group_of(emitter, comm->group);
    const bool known = comm->peer >= 0 && comm->peer < (int64_t)group->size;
    if (!known) {
        orr_convert_report_note(emitter->graph->report, "messages whose peer is not in their group",
                                "%s to %" PRId64 " of %" PRIu32 " ranks", name, comm->peer,
                                group->size);
        return 0;
    }
    return group->rank != NULL ? group->rank[comm->peer] : (uint32_t)comm->peer;
}

/* Whether a rank that takes part is missing, so that the recorded time stands for it. */
static bool is_replayed(const struct pt_group_use *group, const struct pt_comm *comm)
{
    const bool peer = comm->peer >= 0 && comm->peer < (int64_t)group->size;
    return comm->is_lone ||
           (comm->kind == PT_COLLECTIVE ? group->replayed
                                        : group->lacks != NULL && peer && group->lacks[comm->peer]);
}

static enum orr_status add_comm(struct emitter *emitter, const struct pt_comm *comm,
                                struct orr_node_spec spec)
{
    const struct pt_group_use *group = group_of(emitter, comm->group);
    char name[128];
    (void)snprintf(name, sizeof name, "nccl:%s", name_of(emitter, comm->name));
    spec.name = name;
    if (is_replayed(group, comm)) {
        if (!comm->is_lone) {
            orr_convert_report_note(emitter->graph->report,
                                    "communication with missing ranks: takes its recorded time",
                                    "%s", name);
        }
        spec.kind = ORR_NODE_COMP;
        spec.delay = true;
        return orr_trace_builder_add(emitter->builder, &spec, emitter->diag);
    }
    spec.comm_bytes = comm->bytes;
    if (comm->kind == PT_COLLECTIVE) {
        spec.kind = ORR_NODE_COLL;
        spec.comm = (enum orr_trace_comm)comm->comm;
        spec.group = group->name;
        spec.sizes = comm->sizes;
        orr_pytorch_splits_note(emitter->graph->report, comm, name);
    } else {
        spec.kind = comm->kind == PT_SEND ? ORR_NODE_SEND : ORR_NODE_RECV;
        spec.src = spec.dst = peer_of(emitter, comm, name);
        spec.flags |= comm->kind == PT_SEND ? ORR_NODE_HAS_DST : ORR_NODE_HAS_SRC;
        spec.tag = group->name != NULL ? (uint32_t)strtoul(group->name, NULL, 10) : 0;
    }
    const enum orr_status status = orr_trace_builder_add(emitter->builder, &spec, emitter->diag);
    return status == ORR_OK ? add_traffic(emitter, &spec) : status;
}

/* The communication of a kernel without record: from its own attributes, or else from its name. */
static bool kernel_comm(struct emitter *emitter, const struct pt_step *step, struct pt_comm *comm)
{
    const struct pt_graph *graph = emitter->graph;
    const struct kt_work *work = step->work != PT_NONE ? &graph->kineto->work[step->work] : NULL;
    if (work != NULL && work->nccl != PT_NONE && moves(&graph->kineto->nccl[work->nccl].comm)) {
        *comm = graph->kineto->nccl[work->nccl].comm;
        return true;
    }
    *comm = (struct pt_comm){.group = PT_NONE, .name = step->name, .peer = -1};
    const char *name = name_of(emitter, step->name);
    const bool known = orr_pytorch_comm_of_name(name, comm) && comm->kind == PT_COLLECTIVE;
    orr_convert_report_note(graph->report,
                            known ? "kernels of NCCL without a record: taken by name, of no bytes"
                                  : "kernels of NCCL without a record: replayed as computations",
                            "%s", name);
    return known;
}

static enum orr_status add_parts(struct emitter *emitter, uint32_t index, struct orr_deps deps)
{
    const struct pt_step *step = &emitter->graph->timeline->step[index];
    const uint32_t *part = emitter->part + emitter->first_part[index];
    const uint32_t parts = emitter->ids[index];
    struct orr_node_spec spec = {.id = emitter->first_id[index],
                                 .flags = ORR_NODE_HAS_CPU_FLAG,
                                 .duration_ps = ps_of(step->duration_ns),
                                 .data_deps = deps};
    enum orr_status status = ORR_OK;
    for (uint32_t p = 0; p < parts && status == ORR_OK; p++) {
        status = add_comm(emitter, comm_at(emitter, part[p]), spec);
        spec.id++;
    }
    return status;
}

static enum orr_status add_nccl(struct emitter *emitter, uint32_t index, struct orr_deps deps,
                                uint32_t parts)
{
    const struct pt_step *step = &emitter->graph->timeline->step[index];
    const uint32_t *part = emitter->part + emitter->first_part[index];
    struct pt_comm comm;
    if (parts == 0 && !kernel_comm(emitter, step, &comm)) {
        return add_compute(emitter, index, deps);
    }
    if (parts > 0 && emitter->ids[index] > 1) {
        return add_parts(emitter, index, deps);
    }
    if (parts > 0) {
        comm = *comm_at(emitter, part[0]);
        for (uint32_t p = 1; p < parts; p++) {
            comm.bytes += comm_at(emitter, part[p])->bytes;
            if (!orr_pytorch_splits_add(emitter->graph->trace->arena, &comm.sizes,
                                        &comm_at(emitter, part[p])->sizes)) {
                return orr_diag_no_memory(emitter->diag, "communication");
            }
        }
        const uint32_t nccl =
            step->work != PT_NONE ? emitter->graph->kineto->work[step->work].nccl : PT_NONE;
        if (nccl != PT_NONE && parts == 1) {
            orr_pytorch_comm_complete(&comm, &emitter->graph->kineto->nccl[nccl].comm);
        } else if (nccl != PT_NONE && comm.bytes == 0) {
            comm.bytes = emitter->graph->kineto->nccl[nccl].comm.bytes;
        }
    }
    if (group_of(emitter, comm.group)->idle) {
        return add_compute(emitter, index, deps);
    }
    const struct orr_node_spec spec = {.id = emitter->first_id[index],
                                       .flags = ORR_NODE_HAS_CPU_FLAG,
                                       .duration_ps = ps_of(step->duration_ns),
                                       .data_deps = deps};
    return add_comm(emitter, &comm, spec);
}

/* Adds node 0, the delay of this rank after the first rank. */
static enum orr_status add_delay(struct emitter *emitter)
{
    const struct orr_node_spec spec = {.kind = ORR_NODE_COMP,
                                       .flags = ORR_NODE_HAS_CPU_FLAG | ORR_NODE_IS_CPU,
                                       .name = "start after the first rank",
                                       .duration_ps = ps_of(emitter->graph->delay_ns)};
    return emitter->graph->delay_ns > 0
               ? orr_trace_builder_add(emitter->builder, &spec, emitter->diag)
               : ORR_OK;
}

static enum orr_status add_steps(struct emitter *emitter)
{
    const struct pt_timeline *timeline = emitter->graph->timeline;
    enum orr_status status = add_delay(emitter);
    for (uint32_t i = 0; i < timeline->steps && status == ORR_OK; i++) {
        const uint32_t s = emitter->order[i];
        const struct pt_step *step = &timeline->step[s];
        const bool nccl = is_nccl(emitter, step);
        const struct orr_deps deps = {emitter->deps, gather_deps(emitter, s)};
        const uint32_t end = i + 1 < timeline->steps ? emitter->first_part[emitter->order[i + 1]]
                                                     : emitter->first_part[timeline->steps];
        emitter->graph->kernels += step->kind == PT_STEP_GPU;
        emitter->graph->nccl_kernels += nccl;
        status = nccl ? add_nccl(emitter, s, deps, end - emitter->first_part[s])
                      : add_compute(emitter, s, deps);
    }
    return status;
}

/* ---- preparing ---- */

struct timed_step {
    int64_t order_ns;
    uint32_t step;
};

static int compare_steps(const void *a, const void *b)
{
    const struct timed_step *x = a, *y = b;
    if (x->order_ns != y->order_ns) {
        return x->order_ns > y->order_ns ? 1 : -1;
    }
    return (x->step > y->step) - (x->step < y->step);
}

static bool sort_steps(struct emitter *emitter)
{
    const struct pt_timeline *timeline = emitter->graph->timeline;
    struct timed_step *timed = orr_heap_calloc((size_t)timeline->steps + 1, sizeof *timed);
    for (uint32_t s = 0; timed != NULL && s < timeline->steps; s++) {
        timed[s] = (struct timed_step){timeline->step[s].order_ns, s};
    }
    if (timed == NULL) {
        return false;
    }
    qsort(timed, timeline->steps, sizeof *timed, compare_steps);
    for (uint32_t i = 0; i < timeline->steps; i++) {
        emitter->order[i] = timed[i].step;
    }
    orr_heap_free(timed);
    return true;
}

static void number_steps(struct emitter *emitter)
{
    uint64_t id = emitter->graph->delay_ns > 0 ? 1 : 0;
    for (uint32_t i = 0; i < emitter->graph->timeline->steps; i++) {
        emitter->first_id[emitter->order[i]] = id;
        id += emitter->ids[emitter->order[i]];
    }
}

/* Sorts edges by target step; returns the largest number of ids in a list. */
static size_t sort_edges(struct emitter *emitter)
{
    const struct pt_timeline *timeline = emitter->graph->timeline;
    size_t max = 0;
    for (uint32_t e = 0; e < timeline->edges; e++) {
        emitter->first_edge[timeline->edge[e].to + 1]++;
    }
    for (uint32_t s = 0; s < timeline->steps; s++) {
        emitter->first_edge[s + 1] += emitter->first_edge[s];
    }
    for (uint32_t e = timeline->edges; e-- > 0;) {
        emitter->from[--emitter->first_edge[timeline->edge[e].to + 1]] = timeline->edge[e].from;
    }
    /* first_edge[s + 1] is now the start of the list of s */
    memmove(emitter->first_edge, emitter->first_edge + 1,
            (size_t)timeline->steps * sizeof *emitter->first_edge);
    emitter->first_edge[timeline->steps] = timeline->edges;
    for (uint32_t s = 0; s < timeline->steps; s++) {
        size_t ids = 0;
        for (uint32_t e = emitter->first_edge[s]; e < emitter->first_edge[s + 1]; e++) {
            ids += emitter->ids[emitter->from[e]];
        }
        max = ids > max ? ids : max;
    }
    return max;
}

static void sum_shares(struct emitter *emitter)
{
    const struct pt_timeline *timeline = emitter->graph->timeline;
    for (uint32_t s = 0; s < timeline->steps; s++) {
        const struct pt_step *step = &timeline->step[s];
        if (step->kind == PT_STEP_GPU && step->node != PT_NONE && !is_nccl(emitter, step)) {
            emitter->share[step->node].duration_ns += step->duration_ns;
            emitter->share[step->node].works++;
        }
    }
}

static bool allocate(struct emitter *emitter)
{
    const struct pt_graph *graph = emitter->graph;
    struct orr_arena *arena = graph->trace->arena;
    const size_t steps = (size_t)graph->timeline->steps + 2,
                 comms = (size_t)graph->trace->comms + 1;
    emitter->order = orr_arena_array(arena, steps, sizeof(uint32_t));
    emitter->first_id = orr_arena_array(arena, steps, sizeof(uint64_t));
    emitter->ids = orr_arena_array(arena, steps, sizeof(uint32_t));
    emitter->first_edge = orr_arena_array(arena, steps, sizeof(uint32_t));
    emitter->first_part = orr_arena_array(arena, steps, sizeof(uint32_t));
    emitter->from = orr_arena_array(arena, (size_t)graph->timeline->edges + 1, sizeof(uint32_t));
    emitter->share = orr_arena_array(arena, (size_t)graph->trace->nodes + 1, sizeof(struct share));
    emitter->record = orr_arena_array(arena, comms, sizeof(uint32_t));
    emitter->record_node = orr_arena_array(arena, comms, sizeof(uint32_t));
    emitter->used = orr_arena_array(arena, comms, sizeof(bool));
    emitter->part = orr_arena_array(arena, steps + comms, sizeof(uint32_t));
    emitter->builder = orr_trace_builder_create(arena);
    return emitter->order != NULL && emitter->first_id != NULL && emitter->ids != NULL &&
           emitter->first_edge != NULL && emitter->first_part != NULL && emitter->from != NULL &&
           emitter->share != NULL && emitter->record != NULL && emitter->record_node != NULL &&
           emitter->used != NULL && emitter->part != NULL && emitter->builder != NULL;
}

enum orr_status orr_pytorch_graph_build(struct pt_graph *graph, struct orr_diag *diag)
{
    struct emitter emitter = {.graph = graph, .diag = diag};
    enum orr_status status = ORR_ERR_MEMORY;
    if (allocate(&emitter) && sort_steps(&emitter)) {
        orr_trace_builder_set_source(emitter.builder, graph->trace->path, "");
        list_records(&emitter);
        assign_records(&emitter);
        number_steps(&emitter);
        sum_shares(&emitter);
        emitter.deps =
            orr_arena_array(graph->trace->arena, sort_edges(&emitter) + 1, sizeof *emitter.deps);
        status = emitter.deps != NULL ? add_steps(&emitter) : status;
    }
    if (status == ORR_OK) {
        status = orr_trace_builder_finish(emitter.builder, &graph->out, diag);
    }
    orr_trace_builder_destroy(emitter.builder);
    return status != ORR_ERR_MEMORY ? status : orr_diag_no_memory(diag, "a converted trace");
}
