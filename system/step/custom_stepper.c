/* Custom collectives: each member of a chunk runs a small dependency graph of sends, receives and
 * computations, read from traces by the workload layer. */
#include "core/evq.h"
#include "core/fold.h"
#include "system/custom_program.h"
#include "system/plan/operation.h"
#include "system/state.h"
#include "system/step/stepping.h"

struct custom_state {
    uint32_t *waiting; /* [ops], parents still to finish */
    uint32_t unfinished;
};

/* The position's program; larger groups were rejected before. */
static const struct sys_custom_program *program_of(const struct sys_stream *stream)
{
    return &stream->operation->custom_program->program[sys_position_of(stream).position];
}

static struct custom_state *state_of(const struct sys_stream *stream)
{
    const struct sys_operation *operation = stream->operation;
    return &operation->custom[sys_stream_index(operation, stream->member, stream->chunk)];
}

enum orr_status orr_sys_custom_prepare(struct sys_operation *operation)
{
    if (operation->group->size > operation->custom_program->ranks) {
        return ORR_ERR_INPUT;
    }
    operation->custom =
        orr_arena_array(operation->arena, (size_t)operation->group->size * operation->chunks,
                        sizeof *operation->custom);
    return operation->custom != NULL ? ORR_OK : ORR_ERR_MEMORY;
}

static struct p2p_op message_of(const struct sys *sys, struct sys_stream *stream, uint32_t op)
{
    const struct sys_custom_op *node = &program_of(stream)->op[op];
    const struct orr_rank own = sys_rank_of(stream);
    const struct orr_rank peer = sys_rank_at(stream->operation->group, node->peer);
    const bool sends = node->type == SYS_CUSTOM_SEND;
    const uint64_t space = sys->policy->shared_custom_space
                               ? 1
                               : ((uint64_t)stream->operation->id << 16 | stream->chunk) + 2;
    return (struct p2p_op){
        .src = sends ? own : peer,
        .dst = sends ? peer : own,
        .tag = node->tag,
        .bytes = node->bytes,
        .space = space,
        .owner = {.stream = stream, .cookie = op, .port_stream = stream->operation->port_stream}};
}

static void post_compute(struct sys *sys, struct sys_stream *stream, uint32_t op)
{
    const struct orr_event event = {.label = sys_label(stream, op),
                                    .cookie = (uintptr_t)stream,
                                    .entity = sys_slot_of(stream).slot,
                                    .kind = EVENT_CUSTOM_COMPUTE,
                                    .part = ORR_PART_COMPUTE};
    const sim_time duration = program_of(stream)->op[op].duration_ps;
    orr_evq_post_batched(sys->queue, orr_time_add(orr_evq_now(sys->queue), duration), &event);
}

static void issue(struct sys *sys, struct sys_stream *stream, uint32_t op)
{
    const enum sys_custom_type type = program_of(stream)->op[op].type;
    if (type == SYS_CUSTOM_SEND || type == SYS_CUSTOM_RECV) {
        const struct p2p_op message = message_of(sys, stream, op);
        if (type == SYS_CUSTOM_SEND) {
            orr_p2p_send(sys, &message);
        } else {
            orr_p2p_recv(sys, &message);
        }
    } else {
        post_compute(sys, stream, op);
    }
}

static void begin(struct sys *sys, struct sys_stream *stream)
{
    const struct sys_custom_program *program = program_of(stream);
    struct custom_state *state = state_of(stream);
    state->waiting =
        orr_arena_array(stream->operation->arena, program->ops, sizeof *state->waiting);
    if (state->waiting == NULL) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    state->unfinished = program->ops;
    for (uint32_t op = 0; op < program->ops; op++) {
        state->waiting[op] = program->op[op].parents;
    }
    for (uint32_t op = 0; op < program->ops; op++) {
        if (program->op[op].parents == 0) {
            issue(sys, stream, op);
        }
    }
    if (program->ops == 0) {
        orr_sys_post_now(sys, stream, EVENT_EMPTY, 0);
    }
}

void orr_sys_custom_op_done(struct sys *sys, struct sys_stream *stream, uint32_t op)
{
    const struct sys_custom_program *program = program_of(stream);
    struct custom_state *state = state_of(stream);
    state->unfinished--;
    for (uint32_t i = program->op[op].first_child; i < program->op[op].child_end; i++) {
        const uint32_t child = program->children[i];
        if (--state->waiting[child] == 0) {
            issue(sys, stream, child);
        }
    }
    if (state->unfinished == 0) {
        sys->up.phase_finished(sys, stream);
    }
}

void orr_sys_on_custom_compute(void *context, const struct orr_event *event)
{
    orr_sys_custom_op_done(context, (struct sys_stream *)(uintptr_t)event->cookie,
                           sys_label_step(context, event->label));
}

const struct sys_stepper_ops orr_sys_custom_steps = {
    .name = "custom",
    .begin = begin,
};
