/* Collectives as shared operations: the parts that the NPUs of a group start are paired by ordinal,
 * each part moves its chunks through their phases, and the operation ends with its last member. */
#include <string.h>

#include "core/evq.h"
#include "core/fold.h"
#include "system/collectives/program.h"
#include "system/groups/group.h"
#include "system/plan/operation.h"
#include "system/plan/planning.h"
#include "system/run/running.h"
#include "system/state.h"
#include "system/step/stepping.h"
#include "system/sys_config.h"
#include "system/sys_groups.h"
#include "system/sys_position.h"

/* ---- creation and end ---- */

/* Index of the lower median among the members in order of start. */
static uint32_t middle_start(const struct sys_operation *operation)
{
    return (operation->group->members - 1) / 2;
}

static void free_operation(struct sys *sys, struct sys_operation *operation)
{
    struct sys_group *group = operation->group;
    if (operation->previous != NULL) {
        operation->previous->next = operation->next;
    } else {
        group->operations = operation->next;
    }
    if (operation->next != NULL) {
        operation->next->previous = operation->previous;
    } else {
        group->last_operation = operation->previous;
    }
    sys->tally.operation_bytes -= operation->bytes_counted;
    orr_cause_forget(orr_evq_causes(sys->queue), &operation->middle);
    orr_cause_forget(orr_evq_causes(sys->queue), &operation->last);
    orr_arena_destroy(operation->arena);
}

void orr_sys_operations_destroy(struct sys *sys)
{
    for (uint32_t g = 0; g < sys->all.count; g++) {
        while (sys->all.groups[g]->operations != NULL) {
            free_operation(sys, sys->all.groups[g]->operations);
        }
    }
}

static void link_operation(struct sys_operation *operation)
{
    struct sys_group *group = operation->group;
    operation->previous = group->last_operation;
    if (group->last_operation != NULL) {
        group->last_operation->next = operation;
    } else {
        group->operations = operation;
    }
    group->last_operation = operation;
}

/* Allocates all streams at once: messages may arrive before their receiver has started. */
static bool allocate_members(struct sys_operation *operation)
{
    const uint32_t members = operation->group->members;
    /* At most 2^31 x 2^13 of them: the size does not overflow. */
    const size_t bytes = (size_t)members * operation->chunks * sizeof(struct sys_stream);
    struct sys_stream *stream = orr_arena_alloc_raw(operation->arena, bytes, sizeof *stream);
    operation->member = orr_arena_array(operation->arena, members, sizeof *operation->member);
    operation->stream = stream;
    if (operation->member == NULL || stream == NULL) {
        return false;
    }
    for (uint32_t member = 0; member < members; member++) {
        for (uint32_t c = 0; c < operation->chunks; c++) {
            *stream++ = (struct sys_stream){
                .operation = operation, .member = sys_member_id(member), .chunk = (uint16_t)c};
        }
    }
    return true;
}

/* Position of the root; 0 if the root is not in the group. */
static struct sys_position root_of(const struct sys *sys, const struct sys_collective *request)
{
    const struct sys_position root = orr_sys_group_position(sys, request->group, request->root);
    return sys_in_group(root) ? root : sys_position(0);
}

/* A monolithic collective has no chunks and streams. */
static bool plan_mono(struct sys *sys, struct sys_operation *operation,
                      const struct sys_mono *choice)
{
    struct sys_mono *whole = orr_arena_alloc(operation->arena, sizeof *whole);
    operation->whole = whole;
    operation->member =
        orr_arena_array(operation->arena, operation->group->members, sizeof *operation->member);
    if (whole == NULL || operation->member == NULL) {
        return false;
    }
    *whole = *choice;
    return orr_sys_labels_fit(sys, operation);
}

static struct sys_operation *fill_operation(struct sys *sys, struct sys_operation *operation,
                                            struct orr_arena *arena,
                                            const struct sys_collective *request, uint32_t ordinal)
{
    operation->sys = sys;
    operation->id = sys->tally.operation_ids++;
    operation->arena = arena;
    operation->group = sys->all.groups[request->group];
    operation->ordinal = ordinal;
    operation->kind = request->kind;
    operation->bytes = request->kind == COLL_BARRIER ? 0 : request->bytes;
    operation->sizes = request->sizes;
    operation->size_of = request->sizes != NULL ? orr_sys_uneven_size : NULL;
    operation->dim_mask = request->dim_mask;
    operation->tokens = request->tokens;
    operation->launched = request->launched;
    operation->root = root_of(sys, request);
    const bool flat = operation->group->whole || sys->policy->group_endpoint_ps < 0;
    operation->endpoint_ps = flat ? sys->config->endpoint_delay_ps : sys->policy->group_endpoint_ps;
    const struct sys_mono *whole = sys_mono_of(sys, request);
    if (whole != NULL) {
        return plan_mono(sys, operation, whole) ? operation : NULL;
    }
    if (orr_sys_plan_operation(sys, operation, NULL) != ORR_OK ||
        !orr_sys_labels_fit(sys, operation) || !allocate_members(operation) ||
        (operation->custom_program != NULL && orr_sys_custom_prepare(operation) != ORR_OK)) {
        return NULL;
    }
    if (operation->plan[0]->phases != 0 && operation->plan[0]->phase[0].rings != NULL) {
        orr_mono_note_rings(sys, operation->group);
    }
    return operation;
}

static struct sys_operation *create_operation(struct sys *sys, const struct sys_collective *request,
                                              uint32_t ordinal)
{
    struct orr_arena *arena = orr_arena_create();
    struct sys_operation *operation =
        arena != NULL ? orr_arena_alloc(arena, sizeof *operation) : NULL;
    if (operation == NULL || fill_operation(sys, operation, arena, request, ordinal) == NULL) {
        orr_arena_destroy(arena);
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return NULL;
    }
    operation->bytes_counted = orr_arena_bytes(arena);
    sys->tally.operation_bytes += operation->bytes_counted;
    link_operation(operation);
    return operation;
}

static struct sys_operation *find_operation(const struct sys_group *group, uint32_t ordinal)
{
    for (struct sys_operation *operation = group->last_operation; operation != NULL;
         operation = operation->previous) {
        if (operation->ordinal == ordinal) {
            return operation;
        }
    }
    return NULL;
}

/* ---- starting ---- */

static int64_t next_priority(struct sys *sys, const struct sys_collective *request)
{
    switch (sys->config->priority) {
    case SYS_LIFO:
        return sys->priority[request->npu.slot]++;
    case SYS_FIFO:
        return sys->priority[request->npu.slot]--;
    case SYS_EXPLICIT:
        break;
    }
    return request->priority;
}

static bool same_mono(const struct sys_mono *one, const struct sys_mono *other)
{
    return one == NULL || other == NULL
               ? one == other
               : one->kind == other->kind && one->program == other->program &&
                     one->number == other->number && one->inside == other->inside &&
                     one->across == other->across &&
                     !(one->inner_bytes_per_s < other->inner_bytes_per_s) &&
                     !(one->inner_bytes_per_s > other->inner_bytes_per_s);
}

static bool agrees(const struct sys_operation *operation, const struct sys_collective *request,
                   struct sys_position root)
{
    const bool same_size = operation->bytes == request->bytes || request->kind == COLL_BARRIER;
    return operation->kind == request->kind && same_size &&
           operation->root.position == root.position && operation->dim_mask == request->dim_mask &&
           same_mono(operation->whole, sys_mono_of(operation->sys, request));
}

static void post_done(struct sys *sys, struct sys_stream *stream)
{
    const struct orr_event event = {.label = sys_label(stream, 0),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_slot_of(stream).slot,
                                    .kind = EVENT_DONE};
    orr_evq_post_batched(sys->queue, orr_evq_now(sys->queue), &event);
}

static void start_chunks(struct sys *sys, struct sys_operation *operation,
                         struct sys_member_id member)
{
    for (uint32_t c = 0; c < operation->chunks; c++) {
        struct sys_stream *stream = &operation->stream[sys_stream_index(operation, member, c)];
        if (operation->plan[c]->phases == 0) {
            post_done(sys, stream);
        } else {
            sys->policy->chunks->start(sys, stream);
        }
    }
}

static struct sys_operation *operation_for(struct sys *sys, const struct sys_collective *request,
                                           struct sys_position position)
{
    struct sys_group *group = sys->all.groups[request->group];
    const uint32_t ordinal =
        sys->policy->pair_by_issue ? group->issued[position.position]++ : request->ordinal;
    struct sys_operation *operation = find_operation(group, ordinal);
    return operation != NULL ? operation : create_operation(sys, request, ordinal);
}

/* Members that start after the median are stragglers: the causes of a member lead along the
 * median's path, and then through the wait for the straggler. */
static void account_start(struct sys *sys, struct sys_operation *operation)
{
    struct orr_causes *causes = orr_evq_causes(sys->queue);
    const sim_time now = orr_evq_now(sys->queue);
    const uint32_t order = operation->starts++, middle = middle_start(operation);
    if (order <= middle || now == operation->middle_ps) {
        orr_cause_join(causes, &operation->middle, now, order <= middle);
        operation->middle_ps = now;
    } else {
        orr_cause_follow(causes, operation->middle.cause, ORR_PART_STRAGGLER, now);
    }
    if (operation->whole != NULL) {
        orr_cause_join(causes, &operation->last, now, true);
    }
}

/* All members have started: members that have not finished no longer wait for others. */
static void notify_transfers(struct sys *sys, const struct sys_operation *operation)
{
    const struct sys_group *group = operation->group;
    const struct sys_listener *listener = &sys->listener;
    for (uint32_t i = 0; i < group->members && listener->transfers != NULL; i++) {
        const struct sys_member *member = &operation->member[i];
        if (member->started && !member->finished) {
            listener->transfers(listener->context, sys_slot_of_member(group, sys_member_id(i)),
                                member->cookie);
        }
    }
}

void orr_sys_collective_start(struct sys *sys, const struct sys_collective *request)
{
    const struct orr_rank rank = orr_sys_rank_of_slot(sys, request->npu);
    const struct sys_position position = orr_sys_group_position(sys, request->group, rank);
    ORR_ASSERT(sys_in_group(position));
    orr_sys_loads_start(sys, request->npu);
    struct sys_operation *operation = operation_for(sys, request, position);
    if (operation == NULL || !agrees(operation, request, root_of(sys, request))) {
        return; /* never completes; orr_sys_explain_collective says why */
    }
    const struct sys_member_id index = orr_sys_member_at(sys, operation->group, position);
    struct sys_member *member = &operation->member[index.member];
    *member =
        (struct sys_member){.cookie = request->cookie,
                            .priority = next_priority(sys, request),
                            .chunks_left = operation->chunks,
                            .age = sys->started[request->npu.slot]++,
                            .name = request->name,
                            .node_id = request->node_id,
                            .started = true,
                            .watched = request->watched && orr_sys_delivers_chunks(operation)};
    const struct sys_chunk_ops *chunks = sys->policy->chunks;
    if (operation->whole == NULL && chunks->plan != NULL &&
        chunks->plan(sys, operation, request->npu, member) != ORR_OK) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    struct orr_causes *causes = orr_evq_causes(sys->queue);
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    account_start(sys, operation);
    const bool last = operation->starts == operation->group->members;
    if (last) {
        notify_transfers(sys, operation);
    }
    if (operation->whole == NULL) {
        start_chunks(sys, operation, index);
    } else if (last) {
        const orr_cause own = orr_cause_joined(causes, &operation->last);
        orr_sys_mono_begin(sys, operation);
        orr_cause_leave(causes, own);
    }
    orr_cause_leave(causes, before);
}

/* ---- phases ---- */

static sim_time total_latency(const struct sys_operation *operation)
{
    sim_time sum = 0;
    for (unsigned d = 0; d < operation->dims; d++) {
        sum = orr_time_add(sum, operation->latency_ps[d]);
    }
    return sum;
}

/* With a service order, a member is done after the latencies of its chunks. */
static void post_settled(struct sys *sys, struct sys_stream *stream)
{
    struct orr_causes *causes = orr_evq_causes(sys->queue);
    const struct sys_operation *operation = stream->operation;
    const struct orr_event event = {.label = sys_label(stream, 0),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_slot_of(stream).slot,
                                    .kind = EVENT_SETTLED};
    const orr_cause before = orr_cause_enter(causes, orr_cause_current(causes));
    sim_time time = orr_evq_now(sys->queue);
    for (unsigned d = 0; d < operation->dims; d++) {
        time = orr_time_add(time, operation->latency_ps[d]);
        orr_cause_spend(causes, ORR_PART_LATENCY(operation->dim[d].queue_dim), time);
    }
    orr_evq_post_batched(sys->queue, time, &event);
    orr_cause_leave(causes, before);
}

/* The callback may start other collectives; the operation lives until release_member. */
static void member_done(struct sys *sys, struct sys_stream *stream)
{
    struct sys_member *member = sys_member_of(stream);
    member->finished = true;
    sys->listener.done(sys->listener.context, sys_slot_of(stream), member->cookie);
}

/* A watched member's chunk is complete after its latencies. */
static void watched_chunk_done(struct sys *sys, struct sys_stream *stream)
{
    if (stream->operation->order != NULL && total_latency(stream->operation) != 0) {
        post_settled(sys, stream);
    } else if (--sys_member_of(stream)->chunks_left != 0) {
        orr_sys_chunk_delivered(sys, stream);
    } else {
        member_done(sys, stream);
    }
}

static void chunk_done(struct sys *sys, struct sys_stream *stream)
{
    if (__builtin_expect(sys_member_of(stream)->watched, 0)) {
        watched_chunk_done(sys, stream);
        return;
    }
    if (--sys_member_of(stream)->chunks_left != 0) {
        return;
    }
    if (stream->operation->order != NULL && total_latency(stream->operation) != 0) {
        post_settled(sys, stream);
    } else {
        member_done(sys, stream);
    }
}

static void release_member(struct sys *sys, struct sys_operation *operation,
                           struct sys_member_id member)
{
    if (operation->member[member.member].finished &&
        ++operation->finished == operation->group->members) {
        free_operation(sys, operation);
    }
}

void orr_sys_mono_member_done(struct sys *sys, struct sys_operation *operation,
                              struct sys_member_id member)
{
    struct sys_member *part = &operation->member[member.member];
    part->finished = true;
    sys->listener.done(sys->listener.context, sys_slot_of_member(operation->group, member),
                       part->cookie);
    release_member(sys, operation, member);
}

void orr_sys_on_settled(void *context, const struct orr_event *event)
{
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)event->cookie;
    struct sys_operation *operation = stream->operation;
    const struct sys_member_id member = stream->member;
    if (sys_member_of(stream)->watched && --sys_member_of(stream)->chunks_left != 0) {
        orr_sys_chunk_delivered(context, stream);
        return;
    }
    member_done(context, stream);
    release_member(context, operation, member);
}

static void end_chunk(struct sys *sys, struct sys_stream *stream)
{
    struct sys_operation *operation = stream->operation;
    const struct sys_member_id member = stream->member;
    const struct sys_chunk_ops *chunks = sys->policy->chunks;
    const bool leaves = chunks->leave != NULL && operation->plan[stream->chunk]->phases != 0;
    chunk_done(sys, stream);
    if (leaves) {
        chunks->leave(sys, stream);
    }
    release_member(sys, operation, member);
}

/* First the chunk continues, then its old dimension; the operation may be freed with its last
 * chunk. */
static void end_turn(struct sys *sys, struct sys_stream *stream)
{
    struct sys_operation *operation = stream->operation;
    const struct sys_member_id member = stream->member;
    const unsigned dim = sys_phase_of(stream)->dim;
    const bool last = stream->phase + 1u >= operation->plan[stream->chunk]->phases;
    if (!last) {
        stream->phase++;
        orr_sys_phase_enter(sys, stream);
    }
    orr_sys_phase_serve_next(sys, operation, member, dim);
    if (last) {
        end_chunk(sys, stream);
    }
}

void orr_sys_phase_finished(struct sys *sys, struct sys_stream *stream)
{
    stream->flags &= (uint8_t)~STREAM_ACTIVE;
    if (stream->operation->order != NULL) {
        end_turn(sys, stream);
        return;
    }
    if (stream->phase + 1u >= stream->operation->plan[stream->chunk]->phases) {
        end_chunk(sys, stream);
        return;
    }
    sys->policy->chunks->next(sys, stream);
}

void orr_sys_on_done(void *context, const struct orr_event *event)
{
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)event->cookie;
    end_chunk(context, stream);
}
