/* A profile alone as a trace; see profile_trace.h. */
#include "et_converter/pytorch/profile_trace.h"

#include <stdlib.h>
#include <string.h>

#include "core/strings.h"

/* ---- a step ---- */

/* The time of a step; the last one ends with its row. */
struct range {
    int64_t from_ns, to_ns;
};

static struct range range_of(const struct kt_steps *steps, uint32_t step)
{
    const struct kt_step *own = &steps->step[step];
    const bool last = step + 1 == steps->count;
    return (struct range){own->start_ns, last ? own->end_ns : steps->step[step + 1].start_ns - 1};
}

static bool is_in(struct range range, int64_t time_ns)
{
    return time_ns >= range.from_ns && time_ns <= range.to_ns;
}

static void keep_step(struct kt_trace *kineto, const struct kt_steps *steps, uint32_t step)
{
    uint32_t ops = 0, calls = 0, works = 0;
    const struct range range = range_of(steps, step);
    for (uint32_t w = 0; w < kineto->works; w++) {
        if (steps->of_work[w] == step) {
            kineto->work[works++] = kineto->work[w];
        }
    }
    for (uint32_t i = 0; i < kineto->ops; i++) {
        if (is_in(range, kineto->op[i].start_ns)) {
            kineto->op[ops++] = kineto->op[i];
        }
    }
    for (uint32_t i = 0; i < kineto->calls; i++) {
        if (is_in(range, kineto->call[i].start_ns)) {
            kineto->call[calls++] = kineto->call[i];
        }
    }
    kineto->ops = ops;
    kineto->calls = calls;
    kineto->works = works;
}

/* ---- communication of older records ---- */

/* Lets a record without a name be what the row "nccl:NAME" inside says. */
static void take_row(struct pt_comm *record, const struct pt_comm *row)
{
    if (record->kind != PT_OTHER && record->kind != PT_WAIT) {
        return;
    }
    record->kind = row->kind;
    record->comm = row->comm;
    record->name = row->name;
    record->bytes = record->bytes != 0 ? record->bytes : row->bytes;
    record->sizes.differ = row->sizes.differ;
}

static bool is_row(const struct kt_trace *kineto, const struct kt_op *op)
{
    return op->comm != PT_NONE && op->is_annotation &&
           strncmp(kineto->strings->text[op->name], "nccl:", 5) == 0;
}

/* Joins each row with the record around it; operators are by thread, then start. A row outside of
 * any record is a record itself. */
static void join_rows(struct pt_trace *trace, struct kt_trace *kineto)
{
    const struct kt_op *record = NULL;
    for (uint32_t i = 0; i < kineto->ops; i++) {
        struct kt_op *op = &kineto->op[i];
        if (op->comm == PT_NONE) {
            continue;
        }
        if (!is_row(kineto, op)) {
            record = op;
        } else if (record != NULL && record->thread == op->thread && record->end_ns >= op->end_ns &&
                   record->start_ns <= op->start_ns) {
            take_row(&trace->comm[record->comm], &trace->comm[op->comm]);
            op->comm = PT_NONE;
        }
    }
}

/* ---- nodes ---- */

struct timed {
    int64_t start_ns;
    uint32_t op;
};

static int compare_timed(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->start_ns != y->start_ns) {
        return x->start_ns > y->start_ns ? 1 : -1;
    }
    return (x->op > y->op) - (x->op < y->op);
}

static void add_node(struct pt_trace *trace, struct kt_trace *kineto, struct pt_link *link,
                     uint32_t index)
{
    struct kt_op *op = &kineto->op[index];
    link->op[trace->nodes] = index;
    op->node = trace->nodes;
    trace->node[trace->nodes++] = (struct pt_node){.id = (uint64_t)op->index + 1,
                                                   .rf_id = op->rf_id,
                                                   .sequence = op->sequence,
                                                   .flops = op->flops,
                                                   .bytes = op->bytes,
                                                   .op = op->op,
                                                   .name = op->name,
                                                   .tid = op->thread + 1,
                                                   .comm = op->comm};
}

/* Keeps the records of the nodes, in their order. */
static bool keep_records(struct pt_trace *trace)
{
    struct pt_comm *kept = orr_arena_array(trace->arena, (size_t)trace->comms + 1, sizeof *kept);
    uint32_t count = 0;
    for (uint32_t n = 0; kept != NULL && n < trace->nodes; n++) {
        struct pt_node *node = &trace->node[n];
        if (node->comm != PT_NONE) {
            kept[count] = trace->comm[node->comm];
            node->comm = count++;
        }
    }
    trace->comm = kept;
    trace->comms = count;
    return kept != NULL;
}

static enum orr_status build_nodes(struct pt_trace *trace, struct kt_trace *kineto,
                                   struct pt_link *link, struct orr_diag *diag)
{
    struct timed *timed = orr_heap_calloc((size_t)kineto->ops + 1, sizeof *timed);
    trace->node = orr_arena_array(trace->arena, (size_t)kineto->ops + 1, sizeof *trace->node);
    *link = (struct pt_link){
        .op = orr_arena_array(trace->arena, (size_t)kineto->ops + 1, sizeof *link->op),
        .matched = kineto->ops,
        .by_id = true};
    bool complete = timed != NULL && trace->node != NULL && link->op != NULL;
    if (complete) {
        join_rows(trace, kineto);
        for (uint32_t i = 0; i < kineto->ops; i++) {
            timed[i] = (struct timed){kineto->op[i].start_ns, i};
        }
        qsort(timed, kineto->ops, sizeof *timed, compare_timed);
        for (uint32_t i = 0; i < kineto->ops; i++) {
            add_node(trace, kineto, link, timed[i].op);
        }
        trace->operators = trace->nodes;
        trace->finished = true;
        trace->pid = kineto->pid;
        complete = keep_records(trace);
    }
    orr_heap_free(timed);
    return complete ? ORR_OK : orr_diag_no_memory(diag, "the operators of a profile");
}

enum orr_status orr_profile_trace_read(const struct profile_reading *reading,
                                       struct pt_trace *trace, struct kt_trace *kineto,
                                       struct pt_link *link, struct orr_diag *diag)
{
    struct kt_steps steps;
    *trace = (struct pt_trace){.path = reading->source.path,
                               .schema = "",
                               .time = "",
                               .pid = -1,
                               .arena = trace->arena,
                               .strings = trace->strings};
    enum orr_status status = orr_kineto_alone_read(trace, &reading->source, kineto, diag);
    if (status == ORR_OK) {
        status = orr_kineto_steps(kineto, &steps, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    for (uint32_t s = 0; s < steps.count && steps.count > 1 && reading->step >= 0; s++) {
        if (steps.step[s].number == reading->step) {
            keep_step(kineto, &steps, s);
            break;
        }
    }
    return build_nodes(trace, kineto, link, diag);
}
