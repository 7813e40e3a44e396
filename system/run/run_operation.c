/* Collectives as shared runs: the parts that the NPUs of a group start are paired by ordinal, each
 * part walks its chunks through their phases, and a run ends with its last member. */
#include <string.h>

#include "system/run/running.h"

/* ---- creation and end ---- */

/* The lower median of the members, counted from 0 by when they start. */
static uint32_t middle_start(const struct sys_run *run)
{
    return (run->group->members - 1) / 2;
}

static void free_run(struct sys *sys, struct sys_run *run)
{
    struct sys_group *group = run->group;
    if (run->previous != NULL) {
        run->previous->next = run->next;
    } else {
        group->runs = run->next;
    }
    if (run->next != NULL) {
        run->next->previous = run->previous;
    } else {
        group->last_run = run->previous;
    }
    sys->run_bytes -= run->bytes_counted;
    if (run->starts > middle_start(run)) {
        orr_cause_drop(orr_evq_causes(sys->queue), run->middle);
    }
    orr_arena_destroy(run->arena);
}

void sys_runs_destroy(struct sys *sys)
{
    for (uint32_t g = 0; g < sys->group_count; g++) {
        while (sys->groups[g]->runs != NULL) {
            free_run(sys, sys->groups[g]->runs);
        }
    }
}

static void link_run(struct sys_run *run)
{
    struct sys_group *group = run->group;
    run->previous = group->last_run;
    if (group->last_run != NULL) {
        group->last_run->next = run;
    } else {
        group->runs = run;
    }
    group->last_run = run;
}

/* Messages may come before their receiver has started, so all streams are there from now on. */
static bool allocate_members(struct sys_run *run)
{
    const uint32_t members = run->group->members;
    /* At most 2^31 x 2^13 of them: the size does not overflow. */
    const size_t bytes = (size_t)members * run->chunks * sizeof(struct sys_stream);
    struct sys_stream *stream = orr_arena_alloc_raw(run->arena, bytes, sizeof *stream);
    run->member = orr_arena_array(run->arena, members, sizeof *run->member);
    run->stream = stream;
    if (run->member == NULL || stream == NULL) {
        return false;
    }
    for (uint32_t member = 0; member < members; member++) {
        for (uint32_t c = 0; c < run->chunks; c++) {
            *stream++ = (struct sys_stream){.run = run, .member = member, .chunk = (uint16_t)c};
        }
    }
    return true;
}

static struct sys_run *fill_run(struct sys *sys, struct sys_run *run, struct orr_arena *arena,
                                const struct sys_collective *request, uint32_t ordinal)
{
    run->sys = sys;
    run->id = sys->run_ids++;
    run->arena = arena;
    run->group = sys->groups[request->group];
    run->ordinal = ordinal;
    run->kind = request->kind;
    run->bytes = request->kind == COLL_BARRIER ? 0 : request->bytes;
    run->dim_mask = request->dim_mask;
    const uint32_t root = sys_group_position(sys, request->group, request->root);
    run->root = root != SYS_NONE ? root : 0;
    const bool flat = run->group->whole || sys->policy->group_endpoint_ps < 0;
    run->endpoint_ps = flat ? sys->config->endpoint_delay_ps : sys->policy->group_endpoint_ps;
    if (sys_plan_run(sys, run, NULL) != ORR_OK || !sys_labels_fit(sys, run) ||
        !allocate_members(run) ||
        (run->custom_program != NULL && sys_custom_prepare(run) != ORR_OK)) {
        return NULL;
    }
    return run;
}

static struct sys_run *create_run(struct sys *sys, const struct sys_collective *request,
                                  uint32_t ordinal)
{
    struct orr_arena *arena = orr_arena_create();
    struct sys_run *run = arena != NULL ? orr_arena_alloc(arena, sizeof *run) : NULL;
    if (run == NULL || fill_run(sys, run, arena, request, ordinal) == NULL) {
        orr_arena_destroy(arena);
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return NULL;
    }
    run->bytes_counted = orr_arena_bytes(arena);
    sys->run_bytes += run->bytes_counted;
    link_run(run);
    return run;
}

static struct sys_run *find_run(const struct sys_group *group, uint32_t ordinal)
{
    for (struct sys_run *run = group->last_run; run != NULL; run = run->previous) {
        if (run->ordinal == ordinal) {
            return run;
        }
    }
    return NULL;
}

/* ---- starting ---- */

static int64_t next_priority(struct sys *sys, const struct sys_collective *request)
{
    switch (sys->config->priority) {
    case SYS_LIFO:
        return sys->priority[request->npu]++;
    case SYS_FIFO:
        return sys->priority[request->npu]--;
    case SYS_EXPLICIT:
        break;
    }
    return request->priority;
}

static bool agrees(const struct sys_run *run, const struct sys_collective *request,
                   uint32_t root_position)
{
    const bool same_size = run->bytes == request->bytes || request->kind == COLL_BARRIER;
    return run->kind == request->kind && same_size && run->root == root_position &&
           run->dim_mask == request->dim_mask;
}

static void post_done(struct sys *sys, struct sys_stream *stream)
{
    const struct orr_event event = {.label = sys_label(stream, 0),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_npu_of(stream),
                                    .kind = EVENT_DONE};
    orr_evq_post_own(sys->queue, orr_evq_now(sys->queue), &event);
}

static void start_chunks(struct sys *sys, struct sys_run *run, uint32_t member)
{
    for (uint32_t c = 0; c < run->chunks; c++) {
        struct sys_stream *stream = &run->stream[(size_t)member * run->chunks + c];
        if (run->plan[c]->phases == 0) {
            post_done(sys, stream);
        } else if (sys->policy->admit_chunks) {
            sys_queue_push(sys, stream);
            sys_queue_start(sys, stream);
        } else {
            sys_phase_enter(sys, stream);
        }
    }
}

static struct sys_run *run_for(struct sys *sys, const struct sys_collective *request,
                               uint32_t position)
{
    struct sys_group *group = sys->groups[request->group];
    const uint32_t ordinal =
        sys->policy->pair_by_issue ? group->issued[position]++ : request->ordinal;
    struct sys_run *run = find_run(group, ordinal);
    return run != NULL ? run : create_run(sys, request, ordinal);
}

/* A job waits for the members that start after the median one. From the median's point of view the
 * path to here was its own, and then the wait for a straggler. */
static void account_start(struct sys *sys, struct sys_run *run)
{
    struct orr_causes *causes = orr_evq_causes(sys->queue);
    const sim_time now = orr_evq_now(sys->queue);
    const uint32_t order = run->starts++;
    if (order == middle_start(run)) {
        run->middle = orr_cause_hold(causes, ORR_PART_OTHER, now);
        run->middle_ps = now;
    } else if (order > middle_start(run) && now > run->middle_ps) {
        orr_cause_follow(causes, run->middle, ORR_PART_STRAGGLER, now);
    }
}

/* All members have started: whoever has not finished no longer waits for others. */
static void tell_transfers(struct sys *sys, const struct sys_run *run)
{
    const struct sys_group *group = run->group;
    const struct sys_listener *listener = &sys->listener;
    for (uint32_t i = 0; i < group->members && listener->transfers != NULL; i++) {
        const struct sys_member *member = &run->member[i];
        if (member->started && !member->finished) {
            const uint32_t npu =
                group->member_slot != NULL ? group->member_slot[i] : sys_rank_at(group, i);
            listener->transfers(listener->context, npu, member->cookie);
        }
    }
}

void sys_collective_start(struct sys *sys, const struct sys_collective *request)
{
    const uint32_t rank = sys_rank_of_slot(sys, request->npu);
    const uint32_t position = sys_group_position(sys, request->group, rank);
    ORR_ASSERT(position != SYS_NONE);
    sys_loads_start(sys, request->npu);
    struct sys_run *run = run_for(sys, request, position);
    const uint32_t root = sys_group_position(sys, request->group, request->root);
    if (run == NULL || !agrees(run, request, root != SYS_NONE ? root : 0)) {
        return; /* never completes; sys_explain_collective says why */
    }
    const uint32_t index = sys_member_at(sys, run->group, position);
    struct sys_member *member = &run->member[index];
    *member = (struct sys_member){.cookie = request->cookie,
                                  .priority = next_priority(sys, request),
                                  .chunks_left = run->chunks,
                                  .age = sys->started[request->npu]++,
                                  .name = request->name,
                                  .node_id = request->node_id,
                                  .started = true};
    if (sys_plan_queues(sys, run, request->npu, member) != ORR_OK) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    struct orr_causes *causes = orr_evq_causes(sys->queue);
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    account_start(sys, run);
    if (run->starts == run->group->members) {
        tell_transfers(sys, run);
    }
    start_chunks(sys, run, index);
    orr_cause_leave(causes, before);
}

/* ---- phases ---- */

static sim_time total_latency(const struct sys_run *run)
{
    sim_time sum = 0;
    for (unsigned d = 0; d < run->dims; d++) {
        sum = orr_time_add(sum, run->latency_ps[d]);
    }
    return sum;
}

/* With an order, a member is done when the latencies of its chunks' way are over too. */
static void post_settled(struct sys *sys, struct sys_stream *stream)
{
    struct orr_causes *causes = orr_evq_causes(sys->queue);
    const struct sys_run *run = stream->run;
    const struct orr_event event = {.label = sys_label(stream, 0),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_npu_of(stream),
                                    .kind = EVENT_SETTLED};
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    sim_time time = orr_evq_now(sys->queue);
    for (unsigned d = 0; d < run->dims; d++) {
        time = orr_time_add(time, run->latency_ps[d]);
        orr_cause_spend(causes, ORR_PART_LATENCY(run->dim[d].queue_dim), time);
    }
    orr_evq_post_own(sys->queue, time, &event);
    orr_cause_leave(causes, before);
}

/* The callback may start other collectives; the run itself stays until release_member. */
static void member_done(struct sys *sys, struct sys_stream *stream)
{
    struct sys_member *member = &stream->run->member[stream->member];
    member->finished = true;
    sys->listener.done(sys->listener.context, sys_npu_of(stream), member->cookie);
}

static void chunk_done(struct sys *sys, struct sys_stream *stream)
{
    if (--stream->run->member[stream->member].chunks_left != 0) {
        return;
    }
    if (stream->run->order != NULL && total_latency(stream->run) != 0) {
        post_settled(sys, stream);
    } else {
        member_done(sys, stream);
    }
}

static void release_member(struct sys *sys, struct sys_run *run, uint32_t member)
{
    if (run->member[member].finished && ++run->finished == run->group->members) {
        free_run(sys, run);
    }
}

void sys_on_settled(void *context, const struct orr_event *event)
{
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)event->cookie;
    struct sys_run *run = stream->run;
    const uint32_t member = stream->member;
    member_done(context, stream);
    release_member(context, run, member);
}

static void end_chunk(struct sys *sys, struct sys_stream *stream)
{
    struct sys_run *run = stream->run;
    const uint32_t member = stream->member;
    const bool queued = sys->policy->admit_chunks && run->plan[stream->chunk]->phases != 0;
    chunk_done(sys, stream);
    if (queued) {
        sys_queue_leave(sys, stream);
    }
    release_member(sys, run, member);
}

/* First the chunk goes on, then its old dimension; the run may be freed with its last chunk. */
static void end_turn(struct sys *sys, struct sys_stream *stream)
{
    struct sys_run *run = stream->run;
    const uint32_t member = stream->member;
    const unsigned dim = sys_phase_of(stream)->dim;
    const bool last = stream->phase + 1u >= run->plan[stream->chunk]->phases;
    if (!last) {
        stream->phase++;
        sys_phase_enter(sys, stream);
    }
    sys_phase_serve_next(sys, run, member, dim);
    if (last) {
        end_chunk(sys, stream);
    }
}

void sys_phase_finished(struct sys *sys, struct sys_stream *stream)
{
    stream->flags &= (uint8_t)~STREAM_ACTIVE;
    if (stream->run->order != NULL) {
        end_turn(sys, stream);
        return;
    }
    if (stream->phase + 1u >= stream->run->plan[stream->chunk]->phases) {
        end_chunk(sys, stream);
        return;
    }
    if (!sys->policy->admit_chunks) {
        stream->phase++;
        sys_phase_begin(sys, stream);
        return;
    }
    struct sys_queue *old = sys_queue_of(sys, stream);
    stream->phase++;
    sys_queue_push(sys, stream);
    sys_queue_vacate(sys, old);
    sys_queue_start(sys, stream);
}

void sys_on_done(void *context, const struct orr_event *event)
{
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)event->cookie;
    end_chunk(context, stream);
}
