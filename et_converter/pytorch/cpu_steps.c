/* Steps of CPU threads; see steps.h. */
#include <string.h>

#include "core/strings.h"
#include "et_converter/pytorch/kineto.h"
#include "et_converter/pytorch/pytorch_trace.h"
#include "et_converter/pytorch/steps_private.h"

enum {
    /* minimum gap of an idle thread that waits for a thread that has stopped */
    MIN_GAP_NS = 100000,
    MIN_LONE_GAP_NS = 1000000, /* ... that waits for a running thread */
    MAX_DEPTH = 512            /* nested operators that are distinguished */
};

uint32_t orr_pytorch_add_step(struct pt_builder *builder, const struct pt_step *step)
{
    struct pt_timeline *out = builder->out;
    struct pt_step *grown =
        out->steps < PT_NONE - 1
            ? orr_arena_grow(builder->trace->arena, out->step, &out->step_capacity,
                             (size_t)out->steps + 1, sizeof *grown)
            : NULL;
    if (grown == NULL) {
        builder->complete = false;
        return PT_NONE;
    }
    out->step = grown;
    grown[out->steps] = *step;
    return out->steps++;
}

void orr_pytorch_add_edge(struct pt_builder *builder, uint32_t from, uint32_t to)
{
    struct pt_timeline *out = builder->out;
    if (from == PT_NONE || to == PT_NONE) {
        return;
    }
    if (out->step[from].order_ns >= out->step[to].order_ns) {
        out->contradicted++;
        return;
    }
    struct pt_edge *grown =
        out->edges < PT_NONE - 1
            ? orr_arena_grow(builder->trace->arena, out->edge, &out->edge_capacity,
                             (size_t)out->edges + 1, sizeof *grown)
            : NULL;
    if (grown == NULL) {
        builder->complete = false;
        return;
    }
    out->edge = grown;
    grown[out->edges++] = (struct pt_edge){from, to};
}

/* ---- a thread ---- */

struct open_op {
    int64_t end_ns;
    uint32_t node, comm; /* its own or those of the enclosing operator */
};

struct walk {
    struct pt_builder *builder;
    uint32_t thread;
    uint32_t op, op_end, call, call_end; /* the thread's events not yet walked */
    struct open_op open[MAX_DEPTH];
    unsigned depth;
    int64_t cursor_ns; /* end of the thread's time that is assigned to steps */
    int64_t busy_ns;   /* end of the current busy time */
    uint32_t last;     /* step, or PT_NONE */
    bool last_open;    /* its end is unknown so far */
    uint32_t node;     /* nodes of the trace before this one have steps, if their thread is `tid` */
    uint32_t tid;      /* PT_NONE: not known yet */
};

static void close_last(struct walk *walk, int64_t end_ns)
{
    if (!walk->last_open) {
        return;
    }
    struct pt_step *step = &walk->builder->out->step[walk->last];
    step->end_ns = end_ns > step->start_ns ? end_ns : step->start_ns;
    step->duration_ns = step->end_ns - step->start_ns;
    walk->cursor_ns = step->end_ns;
    walk->last_open = false;
}

/* Appends a step of zero length at the cursor, behind the last one. */
static void begin_step(struct walk *walk, int64_t begun_ns, uint32_t name, uint32_t node)
{
    const struct pt_step *last =
        walk->last != PT_NONE ? &walk->builder->out->step[walk->last] : NULL;
    const bool late = last != NULL && last->order_ns >= begun_ns;
    const struct pt_step step = {.start_ns = walk->cursor_ns,
                                 .order_ns = late ? last->order_ns + 1 : begun_ns,
                                 .begun_ns = begun_ns,
                                 .end_ns = walk->cursor_ns,
                                 .name = name,
                                 .node = node,
                                 .work = PT_NONE,
                                 .comm = PT_NONE,
                                 .thread = walk->thread,
                                 .kind = PT_STEP_CPU,
                                 .after_idle = walk->last == PT_NONE || begun_ns > walk->busy_ns};
    const uint32_t added = orr_pytorch_add_step(walk->builder, &step);
    orr_pytorch_add_edge(walk->builder, walk->last, added);
    walk->last = added != PT_NONE ? added : walk->last;
}

/* Appends steps of zero length for the nodes before `node` that are not in the profile. */
static void pass_unmatched(struct walk *walk, uint32_t node)
{
    const struct pt_trace *trace = walk->builder->trace;
    for (; walk->node < node; walk->node++) {
        const struct pt_node *passed = &trace->node[walk->node];
        if (passed->tid == walk->tid && !passed->is_label &&
            walk->builder->link->op[walk->node] == PT_NONE) {
            begin_step(walk, walk->cursor_ns, passed->name, walk->node);
        }
    }
}

/* Closes the last step when an event starts: at its start, or earlier at the end of busy time. */
static void close_before(struct walk *walk, int64_t start_ns)
{
    close_last(walk, start_ns > walk->busy_ns ? walk->busy_ns : start_ns);
}

static void push_open(struct walk *walk, const struct kt_op *op)
{
    const struct pt_trace *trace = walk->builder->trace;
    while (walk->depth > 0 && walk->open[walk->depth - 1].end_ns <= op->start_ns &&
           walk->open[walk->depth - 1].end_ns < op->end_ns) {
        walk->depth--;
    }
    struct open_op open = {.end_ns = op->end_ns, .node = PT_NONE, .comm = PT_NONE};
    if (walk->depth > 0) {
        open.node = walk->open[walk->depth - 1].node;
        open.comm = walk->open[walk->depth - 1].comm;
    }
    if (op->node != PT_NONE) {
        open.node = op->node;
        open.comm = trace->node[op->node].comm != PT_NONE ? trace->node[op->node].comm : open.comm;
    }
    if (walk->depth < MAX_DEPTH) {
        walk->open[walk->depth++] = open;
    }
}

static void walk_op(struct walk *walk, const struct kt_op *op)
{
    if (op->start_ns > walk->builder->to_ns || op->end_ns < walk->builder->from_ns) {
        walk->builder->out->outside++;
        return;
    }
    const int64_t start_ns =
        op->start_ns < walk->builder->from_ns ? walk->builder->from_ns : op->start_ns;
    if (walk->last == PT_NONE) {
        walk->cursor_ns = walk->busy_ns = start_ns;
    }
    push_open(walk, op);
    close_before(walk, start_ns);
    if (op->node != PT_NONE) {
        walk->tid = walk->builder->trace->node[op->node].tid;
        pass_unmatched(walk, op->node);
    }
    begin_step(walk, start_ns, op->name, op->node);
    walk->last_open = !op->is_annotation || walk->busy_ns > start_ns;
    if (!op->is_annotation) {
        walk->busy_ns = op->end_ns > walk->busy_ns ? op->end_ns : walk->busy_ns;
    }
}

/* Whether `call` is a copy that began before the call returned: copies from and to pageable memory
 * block until all work before them is done. */
static bool is_blocking(const struct walk *walk, const struct kt_call *call, uint32_t work)
{
    const struct kt_trace *kineto = walk->builder->kineto;
    return work != PT_NONE && kineto->work[work].is_copy &&
           strstr(kineto->strings->text[call->name], "Memcpy") != NULL &&
           kineto->work[work].start_ns < call->end_ns;
}

static void end_step(struct walk *walk, int64_t end_ns)
{
    walk->last_open = true;
    close_last(walk, end_ns);
}

/* Orders the last step, which waits, by its end, because the awaited work may start before that. */
static void order_by_end(struct walk *walk)
{
    struct pt_step *step = &walk->builder->out->step[walk->last];
    step->order_ns = step->end_ns > step->order_ns ? step->end_ns : step->order_ns;
}

/* Time of the last step from when the work that it awaited had ended. */
static void leave_waiting_out(struct walk *walk, uint32_t awaited)
{
    struct pt_step *step = &walk->builder->out->step[walk->last];
    const int64_t released_ns = walk->builder->kineto->work[awaited].end_ns;
    const int64_t from = released_ns > step->start_ns ? released_ns : step->start_ns;
    step->duration_ns = step->end_ns > from ? step->end_ns - from : 0;
}

/* Ends the step of a copy where the copy begins, less the time in which it waited for the work
 * before it, and begins one for the rest of the call: behind the copy, if the call went on that
 * long, else beside it. */
static void walk_copy(struct walk *walk, const struct kt_call *call, struct pt_call_site *site,
                      const struct kt_work *copy)
{
    const struct kt_call until = {
        .start_ns = call->start_ns, .end_ns = copy->start_ns, .thread = call->thread};
    const bool behind = copy->end_ns <= call->end_ns;
    site->awaited = orr_pytorch_awaited_work(walk->builder, &until);
    end_step(walk, copy->start_ns);
    if (site->awaited != PT_NONE && walk->builder->complete) {
        leave_waiting_out(walk, site->awaited);
        order_by_end(walk);
    }
    if (behind) {
        walk->cursor_ns = copy->end_ns > walk->cursor_ns ? copy->end_ns : walk->cursor_ns;
    }
    begin_step(walk, behind ? copy->end_ns : copy->start_ns, call->name, PT_NONE);
    site->after = behind ? walk->last : PT_NONE;
}

/* Adds a step for a call, and a second one for what follows the copy that it waits for. */
static void walk_call(struct walk *walk, uint32_t index)
{
    struct pt_builder *builder = walk->builder;
    const struct kt_call *call = &builder->kineto->call[index];
    struct pt_call_site *site = &builder->site[index];
    const uint32_t work = builder->work_of_call[index];
    while (walk->depth > 0 && walk->open[walk->depth - 1].end_ns < call->start_ns) {
        walk->depth--;
    }
    site->node = walk->depth > 0 ? walk->open[walk->depth - 1].node : PT_NONE;
    site->comm = walk->depth > 0 ? walk->open[walk->depth - 1].comm : PT_NONE;
    const uint32_t awaited =
        call->kind == KT_SYNC ? orr_pytorch_awaited_work(builder, call) : PT_NONE;
    if (call->start_ns < builder->from_ns || call->start_ns > builder->to_ns ||
        call->kind == KT_STREAM_WAIT || (call->kind == KT_SYNC && awaited == PT_NONE) ||
        (call->kind == KT_LAUNCH && work == PT_NONE)) {
        return;
    }
    if (walk->last == PT_NONE) {
        walk->cursor_ns = walk->busy_ns = call->start_ns;
    }
    close_before(walk, call->start_ns);
    begin_step(walk, call->start_ns, call->name, PT_NONE);
    site->step = walk->last;
    site->awaited = awaited;
    walk->busy_ns = call->end_ns > walk->busy_ns ? call->end_ns : walk->busy_ns;
    if (is_blocking(walk, call, work)) {
        walk_copy(walk, call, site, &builder->kineto->work[work]);
    }
    end_step(walk, call->end_ns);
    if (call->kind == KT_SYNC || site->after != PT_NONE) {
        order_by_end(walk);
    }
    if (call->kind == KT_SYNC && builder->complete) {
        leave_waiting_out(walk, awaited);
    }
}

static void walk_thread(struct walk *walk)
{
    const struct kt_trace *kineto = walk->builder->kineto;
    int64_t latest_ns = INT64_MIN;
    while (walk->op < walk->op_end || walk->call < walk->call_end) {
        const bool op_next = walk->call == walk->call_end ||
                             (walk->op < walk->op_end &&
                              kineto->op[walk->op].start_ns <= kineto->call[walk->call].start_ns);
        if (op_next) {
            const struct kt_op *op = &kineto->op[walk->op++];
            const bool in_range =
                op->start_ns >= walk->builder->from_ns && op->start_ns <= walk->builder->to_ns;
            latest_ns = in_range && op->end_ns > latest_ns ? op->end_ns : latest_ns;
            walk_op(walk, op);
        } else {
            walk_call(walk, walk->call++);
        }
    }
    if (walk->last == PT_NONE) {
        return;
    }
    pass_unmatched(walk, walk->tid != PT_NONE ? walk->builder->trace->nodes : 0);
    const int64_t end_ns = latest_ns > walk->busy_ns ? latest_ns : walk->busy_ns;
    struct pt_step *last = &walk->builder->out->step[walk->last];
    if (!walk->last_open && end_ns > last->end_ns) {
        last->duration_ns += end_ns - last->end_ns;
        last->end_ns = end_ns;
    }
    close_last(walk, end_ns);
}

static void walk_threads(struct pt_builder *builder, uint32_t *first)
{
    const struct kt_trace *kineto = builder->kineto;
    struct walk *walk = orr_arena_alloc(builder->trace->arena, sizeof *walk);
    uint32_t op = 0, call = 0;
    builder->complete = builder->complete && walk != NULL;
    for (uint32_t t = 0; t < kineto->threads && builder->complete; t++) {
        *walk = (struct walk){.builder = builder,
                              .thread = t,
                              .op = op,
                              .call = call,
                              .last = PT_NONE,
                              .tid = PT_NONE};
        while (op < kineto->ops && kineto->op[op].thread == t) {
            op++;
        }
        while (call < kineto->calls && kineto->call[call].thread == t) {
            call++;
        }
        walk->op_end = op;
        walk->call_end = call;
        first[t] = builder->out->steps;
        walk_thread(walk);
    }
    first[kineto->threads] = builder->out->steps;
}

/* ---- threads that wait for each other ---- */

/* The last step of [first, end) that has ended at time_ns; PT_NONE: none. */
static uint32_t last_ended(const struct pt_timeline *out, uint32_t first, uint32_t end,
                           int64_t time_ns)
{
    uint32_t low = first, high = end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct pt_step *step = &out->step[middle];
        const bool ended = step->end_ns <= time_ns && step->begun_ns <= time_ns;
        low = ended ? middle + 1 : low;
        high = ended ? high : middle;
    }
    return low > first ? low - 1 : PT_NONE;
}

/* The step of another thread that wakes the thread, which resumes at resume_ns after a gap from
 * gap_ns on. */
static uint32_t waker(const struct pt_builder *builder, const uint32_t *first, uint32_t thread,
                      int64_t gap_ns, int64_t resume_ns)
{
    const struct pt_timeline *out = builder->out;
    const bool begins = gap_ns == INT64_MIN;
    const int64_t gap = begins ? INT64_MAX : resume_ns - gap_ns;
    uint32_t found = PT_NONE;
    bool found_idle = false;
    for (uint32_t t = 0; t < builder->kineto->threads && gap >= MIN_GAP_NS; t++) {
        const uint32_t step =
            t != thread ? last_ended(out, first[t], first[t + 1], resume_ns) : PT_NONE;
        if (step == PT_NONE || (!begins && out->step[step].end_ns <= gap_ns)) {
            continue;
        }
        const bool idle = step + 1 == first[t + 1] || out->step[step + 1].begun_ns > resume_ns;
        if (!idle && gap < MIN_LONE_GAP_NS) {
            continue;
        }
        if (found == PT_NONE || (idle && !found_idle) ||
            (idle == found_idle && out->step[step].end_ns > out->step[found].end_ns)) {
            found = step;
            found_idle = idle;
        }
    }
    return found;
}

static void add_thread_waits(struct pt_builder *builder, const uint32_t *first)
{
    struct pt_timeline *out = builder->out;
    for (uint32_t t = 0; t < builder->kineto->threads && builder->complete; t++) {
        for (uint32_t s = first[t]; s < first[t + 1]; s++) {
            const struct pt_step *step = &out->step[s];
            const int64_t gap_ns = s == first[t] ? INT64_MIN : step->start_ns;
            const uint32_t by =
                step->after_idle ? waker(builder, first, t, gap_ns, step->begun_ns) : PT_NONE;
            if (by == PT_NONE || out->step[by].order_ns >= step->order_ns) {
                continue;
            }
            /* the first step of a thread takes its start from the waking step */
            const int64_t waited = out->step[by].end_ns - step->start_ns;
            const int64_t left = step->duration_ns - (waited > 0 || s == first[t] ? waited : 0);
            out->step[s].duration_ns = left > 0 ? left : 0;
            orr_pytorch_add_edge(builder, by, s);
        }
    }
}

/* The last step of a thread that had begun by the time; PT_NONE: none. */
static uint32_t last_begun(const struct pt_timeline *out, uint32_t first, uint32_t end,
                           int64_t time_ns)
{
    uint32_t low = first, high = end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool begun = out->step[middle].begun_ns <= time_ns;
        low = begun ? middle + 1 : low;
        high = begun ? high : middle;
    }
    return low > first ? low - 1 : PT_NONE;
}

/* Lets backward operators wait for their forward operators on other threads. */
static void add_links(struct pt_builder *builder, const uint32_t *first)
{
    const struct kt_trace *kineto = builder->kineto;
    for (uint32_t i = 0; i + 1 < kineto->link_ends && builder->complete; i++) {
        const struct kt_link_end *from = &kineto->link_end[i], *to = &kineto->link_end[i + 1];
        if (from->id != to->id || !from->is_start || to->is_start || from->thread == to->thread) {
            continue;
        }
        const uint32_t before =
            last_begun(builder->out, first[from->thread], first[from->thread + 1], from->at_ns);
        const uint32_t behind =
            last_begun(builder->out, first[to->thread], first[to->thread + 1], to->at_ns);
        if (before != PT_NONE && behind != PT_NONE &&
            builder->out->step[behind].begun_ns == to->at_ns) {
            orr_pytorch_add_edge(builder, before, behind);
        }
    }
}

/* ---- all ---- */

/* Sets the time that the trace covers: from its first to its last operator. A trace with all
 * operators of the profile covers all of it. */
static void find_times(struct pt_builder *builder)
{
    const struct kt_trace *kineto = builder->kineto;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < kineto->ops; i++) {
        const struct kt_op *op = &kineto->op[i];
        if (op->node != PT_NONE) {
            first = op->start_ns < first ? op->start_ns : first;
            last = op->end_ns > last ? op->end_ns : last;
        }
    }
    /* The marker of a step belongs to the step, though it starts before the first operator. */
    for (uint32_t i = 0; i < kineto->ops; i++) {
        const struct kt_op *op = &kineto->op[i];
        if (op->start_ns < first && op->end_ns >= first &&
            strncmp(kineto->strings->text[op->name], "ProfilerStep", 12) == 0) {
            first = op->start_ns;
            last = op->end_ns > last ? op->end_ns : last;
            break;
        }
    }
    builder->from_ns = first;
    builder->to_ns = last;
}

static void find_span(struct pt_timeline *out)
{
    out->first_ns = INT64_MAX;
    out->last_ns = INT64_MIN;
    for (uint32_t s = 0; s < out->steps; s++) {
        const struct pt_step *step = &out->step[s];
        out->first_ns = step->start_ns < out->first_ns ? step->start_ns : out->first_ns;
        out->last_ns = step->end_ns > out->last_ns ? step->end_ns : out->last_ns;
    }
}

enum orr_status orr_pytorch_timeline_build(struct pt_trace *trace, const struct kt_trace *kineto,
                                           const struct pt_link *link, struct pt_timeline *out,
                                           struct orr_diag *diag)
{
    *out = (struct pt_timeline){0};
    struct orr_arena *arena = trace->arena;
    struct pt_builder builder = {
        .trace = trace,
        .kineto = kineto,
        .link = link,
        .out = out,
        .site = orr_arena_array(arena, (size_t)kineto->calls + 1, sizeof *builder.site),
        .work_of_call = orr_arena_array(arena, (size_t)kineto->calls + 1, sizeof(uint32_t)),
        .call_of_work = orr_arena_array(arena, (size_t)kineto->works + 1, sizeof(uint32_t))};
    uint32_t *first = orr_arena_array(arena, (size_t)kineto->threads + 1, sizeof *first);
    builder.complete = builder.site != NULL && builder.work_of_call != NULL &&
                       builder.call_of_work != NULL && first != NULL;
    for (uint32_t c = 0; builder.complete && c < kineto->calls; c++) {
        builder.site[c] = (struct pt_call_site){PT_NONE, PT_NONE, PT_NONE, PT_NONE, PT_NONE};
    }
    if (builder.complete) {
        find_times(&builder);
        orr_pytorch_pair_works(&builder);
        walk_threads(&builder, first);
    }
    if (builder.complete) {
        add_thread_waits(&builder, first);
        add_links(&builder, first);
        orr_pytorch_add_works(&builder);
        find_span(out);
    }
    return builder.complete ? ORR_OK : orr_diag_no_memory(diag, "the steps of a profile");
}
