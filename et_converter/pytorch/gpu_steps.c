/* Steps of GPU work, and waits for it; see steps.h. */
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/pytorch/kineto.h"
#include "et_converter/pytorch/pytorch_trace.h"
#include "et_converter/pytorch/steps_private.h"

enum { SKEW_NS = 1000 /* largest difference between the clocks of CPU and GPU */ };

/* ---- calls and their work ---- */

struct pair {
    int64_t correlation;
    uint32_t index;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->correlation != y->correlation) {
        return x->correlation > y->correlation ? 1 : -1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

/* The first pair with the correlation; NULL: none. */
static const struct pair *find_pair(const struct pair *pair, uint32_t count, int64_t correlation)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = pair[middle].correlation < correlation;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < count && pair[low].correlation == correlation ? &pair[low] : NULL;
}

void orr_pytorch_pair_works(struct pt_builder *builder)
{
    const struct kt_trace *kineto = builder->kineto;
    struct pair *pair = orr_heap_calloc((size_t)kineto->calls + 1, sizeof *pair);
    uint32_t pairs = 0;
    for (uint32_t c = 0; pair != NULL && c < kineto->calls; c++) {
        builder->work_of_call[c] = PT_NONE;
        if (kineto->call[c].kind == KT_LAUNCH && kineto->call[c].correlation >= 0) {
            pair[pairs++] = (struct pair){kineto->call[c].correlation, c};
        }
    }
    if (pair == NULL) {
        builder->complete = false;
        return;
    }
    qsort(pair, pairs, sizeof *pair, compare_pairs);
    for (uint32_t w = 0; w < kineto->works; w++) {
        const struct pair *of = find_pair(pair, pairs, kineto->work[w].correlation);
        builder->call_of_work[w] = of != NULL ? of->index : PT_NONE;
        if (of != NULL && builder->work_of_call[of->index] == PT_NONE) {
            builder->work_of_call[of->index] = w;
        }
    }
    orr_heap_free(pair);
}

/* Works are sorted by start, so the search goes back from the last one that started before the
 * call's end. It is limited to LOOK_BACK_WORKS works, to bound the cost of a wait. */
uint32_t orr_pytorch_awaited_work(const struct pt_builder *builder, const struct kt_call *call)
{
    enum { LOOK_BACK_WORKS = 4096 };
    const struct kt_trace *kineto = builder->kineto;
    uint32_t low = 0, high = kineto->works, found = PT_NONE;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = kineto->work[middle].start_ns <= call->end_ns;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    for (uint32_t w = low, looked = 0; w-- > 0 && looked < LOOK_BACK_WORKS; looked++) {
        const struct kt_work *work = &kineto->work[w];
        const uint32_t launch = builder->call_of_work[w];
        if (launch != PT_NONE && kineto->call[launch].start_ns < call->start_ns &&
            work->end_ns > call->start_ns && work->end_ns <= call->end_ns &&
            (found == PT_NONE || work->end_ns > kineto->work[found].end_ns)) {
            found = w;
        }
    }
    return found;
}

/* ---- streams ---- */

struct stream {
    int64_t number;
    uint32_t device;
    uint32_t last; /* the last work by start; PT_NONE: none yet */
    uint32_t tail; /* the work launched last, PT_NONE: none yet */
    uint32_t wait; /* the collective that the next work waits for; PT_NONE: none */
};

struct streams {
    struct pt_builder *builder;
    struct stream *stream;
    uint32_t *of_work; /* [works]: stream */
    uint32_t *step;    /* [works]: step, or PT_NONE */
    uint32_t *before;  /* [works]: the work that was launched before it on its stream, or PT_NONE */
    uint32_t count;
    size_t capacity;
    uint32_t *last_of_thread; /* [threads]: work launched last, NCCL's not counted */
    uint32_t *waits;          /* [threads]: number of stream waits since the last launch */
    uint32_t *first_wait;     /* [threads]: the first of these waits */
    struct pair *sequence;    /* NCCL's work by sequence number */
    uint32_t sequences;
};

static uint32_t stream_of(struct streams *streams, int64_t number, uint32_t device)
{
    for (uint32_t s = 0; s < streams->count; s++) {
        if (streams->stream[s].number == number && streams->stream[s].device == device) {
            return s;
        }
    }
    struct stream *grown =
        orr_arena_grow(streams->builder->trace->arena, streams->stream, &streams->capacity,
                       (size_t)streams->count + 1, sizeof *grown);
    if (grown == NULL) {
        streams->builder->complete = false;
        return PT_NONE;
    }
    streams->stream = grown;
    grown[streams->count] = (struct stream){
        .number = number, .device = device, .last = PT_NONE, .tail = PT_NONE, .wait = PT_NONE};
    return streams->count++;
}

static void add_work_step(struct streams *streams, uint32_t w)
{
    struct pt_builder *builder = streams->builder;
    const struct kt_work *work = &builder->kineto->work[w];
    const uint32_t call = builder->call_of_work[w];
    const struct pt_call_site *site = call != PT_NONE ? &builder->site[call] : NULL;
    streams->step[w] = PT_NONE;
    streams->of_work[w] = stream_of(streams, work->stream, work->device);
    if (site == NULL || site->step == PT_NONE || !builder->complete) {
        const bool inside = work->start_ns >= builder->from_ns && work->start_ns <= builder->to_ns;
        builder->out->without_launch += inside ? 1 : 0;
        builder->out->works_outside += inside ? 0 : 1;
        return;
    }
    const struct pt_step *launch = &builder->out->step[site->step];
    struct pt_step step = {.start_ns = work->start_ns,
                           .end_ns = work->end_ns,
                           .duration_ns = work->end_ns - work->start_ns,
                           .begun_ns = work->start_ns,
                           .name = work->name,
                           .node = site->node,
                           .work = w,
                           .comm = work->is_nccl ? site->comm : PT_NONE,
                           .thread = PT_NONE,
                           .kind = PT_STEP_GPU};
    struct stream *stream = &streams->stream[streams->of_work[w]];
    const struct pt_step *before =
        stream->last != PT_NONE ? &builder->out->step[streams->step[stream->last]] : NULL;
    step.order_ns = launch->order_ns >= work->start_ns ? launch->order_ns + 1 : work->start_ns;
    if (before != NULL && before->order_ns >= step.order_ns) {
        step.order_ns = before->order_ns + 1;
    }
    streams->step[w] = orr_pytorch_add_step(builder, &step);
    orr_pytorch_add_edge(builder, site->step, streams->step[w]);
    orr_pytorch_add_edge(builder, site->after != PT_NONE ? streams->step[w] : PT_NONE, site->after);
    orr_pytorch_add_edge(builder, stream->last != PT_NONE ? streams->step[stream->last] : PT_NONE,
                         streams->step[w]);
    stream->last = w;
}

/* ---- streams that wait for each other ---- */

/* Lets `work` wait for `before`, unless the recorded times contradict it. */
static void wait_for(struct streams *streams, uint32_t before, uint32_t work)
{
    const struct kt_trace *kineto = streams->builder->kineto;
    if (before == PT_NONE || work == PT_NONE || before == work ||
        streams->of_work[before] == streams->of_work[work] ||
        kineto->work[before].end_ns > kineto->work[work].start_ns + SKEW_NS) {
        return;
    }
    orr_pytorch_add_edge(streams->builder, streams->step[before], streams->step[work]);
}

/* The tail of the other stream with the latest launch, or PT_NONE. */
static uint32_t latest_elsewhere(const struct streams *streams, uint32_t own)
{
    const struct pt_builder *builder = streams->builder;
    uint32_t found = PT_NONE;
    int64_t at = INT64_MIN;
    for (uint32_t s = 0; s < streams->count; s++) {
        const uint32_t tail = streams->stream[s].tail;
        if (s == own || tail == PT_NONE) {
            continue;
        }
        const int64_t launched = builder->kineto->call[builder->call_of_work[tail]].start_ns;
        if (launched > at) {
            at = launched;
            found = tail;
        }
    }
    return found;
}

static const struct kt_wait *find_wait(const struct kt_trace *kineto, int64_t correlation)
{
    uint32_t low = 0, high = kineto->waits;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = kineto->wait[middle].correlation < correlation;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    const bool found = low < kineto->waits && kineto->wait[low].correlation == correlation;
    return found ? &kineto->wait[low] : NULL;
}

/* The work of a stream that was launched last before the awaited event was recorded; before the
 * wait, if that is not known. */
static uint32_t recorded_tail(const struct streams *streams, const struct kt_wait *wait,
                              uint32_t tail)
{
    const struct kt_trace *kineto = streams->builder->kineto;
    uint32_t low = 0, high = wait->record >= 0 ? kineto->records : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = kineto->record[middle].correlation < wait->record;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    if (wait->record < 0 || low == kineto->records ||
        kineto->record[low].correlation != wait->record) {
        return tail;
    }
    while (tail != PT_NONE && kineto->call[streams->builder->call_of_work[tail]].start_ns >
                                  kineto->record[low].start_ns) {
        tail = streams->before[tail];
    }
    return tail;
}

/* Adds the wait that one call, made before the launch of `work`, stands for. */
static void apply_wait(struct streams *streams, uint32_t call, uint32_t work)
{
    const struct pt_builder *builder = streams->builder;
    const struct kt_trace *kineto = builder->kineto;
    const uint32_t thread = kineto->call[call].thread, own = streams->of_work[work];
    const struct kt_wait *recorded = find_wait(kineto, kineto->call[call].correlation);
    if (recorded != NULL) {
        const uint32_t other = stream_of(streams, recorded->for_stream, kineto->work[work].device);
        if (recorded->stream == kineto->work[work].stream && other != PT_NONE) {
            wait_for(streams, recorded_tail(streams, recorded, streams->stream[other].tail), work);
        }
    } else if (kineto->work[work].is_nccl) {
        wait_for(streams, streams->last_of_thread[thread], work);
    } else {
        wait_for(streams, latest_elsewhere(streams, own), work);
    }
}

/* The collective that a "wait" record around a call names by its sequence number; PT_NONE: none. */
static uint32_t named_collective(const struct streams *streams, uint32_t call)
{
    const struct pt_trace *trace = streams->builder->trace;
    const uint32_t comm = streams->builder->site[call].comm;
    if (comm == PT_NONE || trace->comm[comm].kind != PT_WAIT || trace->comm[comm].sequence < 0) {
        return PT_NONE;
    }
    const struct pair *found =
        find_pair(streams->sequence, streams->sequences, trace->comm[comm].sequence);
    uint32_t work = PT_NONE;
    for (; found != NULL && found < streams->sequence + streams->sequences &&
           found->correlation == trace->comm[comm].sequence;
         found++) {
        const uint32_t launch = streams->builder->call_of_work[found->index];
        const struct kt_call *calls = streams->builder->kineto->call;
        if (launch != PT_NONE && calls[launch].start_ns < calls[call].start_ns) {
            work = found->index;
        }
    }
    return work;
}

/* Records a stream wait. If its record names a collective, the thread's stream waits for that;
 * otherwise the thread's next launch decides. A stream runs its collectives one after the other, so
 * the latest of several waits suffices. */
static void record_wait(struct streams *streams, uint32_t call, uint32_t at)
{
    const uint32_t thread = streams->builder->kineto->call[call].thread;
    const uint32_t named = named_collective(streams, call);
    const uint32_t before = streams->last_of_thread[thread];
    if (named != PT_NONE) {
        if (before != PT_NONE) {
            streams->stream[streams->of_work[before]].wait = named;
        }
    } else if (streams->waits[thread]++ == 0) {
        streams->first_wait[thread] = at;
    }
}

static void launch(struct streams *streams, const uint32_t *order, uint32_t at)
{
    const struct pt_builder *builder = streams->builder;
    const uint32_t call = order[at], thread = builder->kineto->call[call].thread;
    const uint32_t work = builder->work_of_call[call];
    if (work == PT_NONE || streams->step[work] == PT_NONE) {
        return;
    }
    for (uint32_t i = streams->first_wait[thread]; streams->waits[thread] > 0 && i < at; i++) {
        const struct kt_call *before = &builder->kineto->call[order[i]];
        if (before->thread == thread && before->kind == KT_STREAM_WAIT &&
            named_collective(streams, order[i]) == PT_NONE) {
            apply_wait(streams, order[i], work);
            streams->waits[thread]--;
        }
    }
    struct stream *stream = &streams->stream[streams->of_work[work]];
    wait_for(streams, stream->wait, work);
    stream->wait = PT_NONE;
    streams->before[work] = stream->tail;
    stream->tail = work;
    if (!builder->kineto->work[work].is_nccl) {
        streams->last_of_thread[thread] = work;
    }
}

struct timed {
    int64_t start_ns;
    uint32_t call;
};

static int compare_timed(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->start_ns != y->start_ns) {
        return x->start_ns > y->start_ns ? 1 : -1;
    }
    return (x->call > y->call) - (x->call < y->call);
}

/* All calls by ascending start; NULL if out of memory. */
static uint32_t *calls_by_time(const struct pt_builder *builder)
{
    const struct kt_trace *kineto = builder->kineto;
    struct timed *timed = orr_heap_calloc((size_t)kineto->calls + 1, sizeof *timed);
    uint32_t *order = orr_heap_calloc((size_t)kineto->calls + 1, sizeof *order);
    for (uint32_t c = 0; timed != NULL && c < kineto->calls; c++) {
        timed[c] = (struct timed){kineto->call[c].start_ns, c};
    }
    if (timed != NULL) {
        qsort(timed, kineto->calls, sizeof *timed, compare_timed);
    }
    for (uint32_t c = 0; timed != NULL && order != NULL && c < kineto->calls; c++) {
        order[c] = timed[c].call;
    }
    orr_heap_free(timed);
    return timed != NULL ? order : NULL;
}

static void add_stream_waits(struct streams *streams)
{
    struct pt_builder *builder = streams->builder;
    uint32_t *order = calls_by_time(builder);
    builder->complete = builder->complete && order != NULL;
    for (uint32_t at = 0; builder->complete && at < builder->kineto->calls; at++) {
        const struct kt_call *call = &builder->kineto->call[order[at]];
        if (call->kind == KT_STREAM_WAIT) {
            record_wait(streams, order[at], at);
        } else if (call->kind == KT_LAUNCH) {
            launch(streams, order, at);
        }
    }
    orr_heap_free(order);
}

/* Adds the waits of synchronizing calls and of copies for work. */
static void add_sync_waits(struct streams *streams)
{
    struct pt_builder *builder = streams->builder;
    for (uint32_t c = 0; c < builder->kineto->calls; c++) {
        if (builder->site[c].awaited != PT_NONE && builder->site[c].step != PT_NONE) {
            orr_pytorch_add_edge(builder, streams->step[builder->site[c].awaited],
                                 builder->site[c].step);
        }
    }
}

/* Indexes NCCL's work by the sequence number of its record. */
static void index_sequences(struct streams *streams)
{
    const struct pt_builder *builder = streams->builder;
    for (uint32_t w = 0; w < builder->kineto->works; w++) {
        const uint32_t step = streams->step[w];
        const uint32_t comm = step != PT_NONE ? builder->out->step[step].comm : PT_NONE;
        if (comm != PT_NONE && builder->trace->comm[comm].sequence >= 0) {
            streams->sequence[streams->sequences++] =
                (struct pair){builder->trace->comm[comm].sequence, w};
        }
    }
    qsort(streams->sequence, streams->sequences, sizeof *streams->sequence, compare_pairs);
}

void orr_pytorch_add_works(struct pt_builder *builder)
{
    struct orr_arena *arena = builder->trace->arena;
    const size_t works = (size_t)builder->kineto->works + 1,
                 threads = (size_t)builder->kineto->threads + 1;
    struct streams streams = {.builder = builder,
                              .of_work = orr_arena_array(arena, works, sizeof(uint32_t)),
                              .step = orr_arena_array(arena, works, sizeof(uint32_t)),
                              .before = orr_arena_array(arena, works, sizeof(uint32_t)),
                              .last_of_thread = orr_arena_array(arena, threads, sizeof(uint32_t)),
                              .waits = orr_arena_array(arena, threads, sizeof(uint32_t)),
                              .first_wait = orr_arena_array(arena, threads, sizeof(uint32_t)),
                              .sequence = orr_arena_array(arena, works, sizeof(struct pair))};
    builder->complete = builder->complete && streams.of_work != NULL && streams.step != NULL &&
                        streams.before != NULL && streams.last_of_thread != NULL &&
                        streams.waits != NULL && streams.first_wait != NULL &&
                        streams.sequence != NULL;
    for (size_t t = 0; builder->complete && t < threads; t++) {
        streams.last_of_thread[t] = PT_NONE;
    }
    for (uint32_t w = 0; builder->complete && w < builder->kineto->works; w++) {
        add_work_step(&streams, w);
    }
    if (builder->complete) {
        index_sequences(&streams);
        add_stream_waits(&streams);
        add_sync_waits(&streams);
    }
}
