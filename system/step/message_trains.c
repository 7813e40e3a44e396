/* Message trains: phases with equal back-to-back messages as one event. These are the callbacks of
 * the network (network.h; docs/models.md, section 9). The network forms a train if no other message
 * uses the port, and ends it when one does. */
#include "system/step/stepping.h"

/* Whether a train will probably not be interrupted at once. Otherwise it would be exact too, but
 * slower: chunks of a collective share ports, unless they take turns. */
static bool is_likely(const struct sys *sys, const struct sys_operation *operation)
{
    return sys->config->advance == SYS_ADVANCE_ALWAYS || operation->order != NULL ||
           operation->chunks == 1;
}

bool orr_sys_repeats(void *context, uint64_t source_cookie, struct net_repeat *repeat)
{
    if ((source_cookie & 3) != 0) {
        return false; /* point-to-point */
    }
    const struct sys_stream *stream = (const struct sys_stream *)(uintptr_t)source_cookie;
    const struct sys_phase *phase = sys_phase_of(stream);
    const bool at_begin = stream->sent[0] == 1 && stream->left == 0 && stream->received[0] == 0;
    if (phase->stepper != &orr_sys_generic_steps || !at_begin || stream->unexpected != 0 ||
        phase->algorithm->repeats == NULL || stream->operation->sizes != NULL ||
        !is_likely(context, stream->operation) ||
        !phase->algorithm->repeats((enum coll_kind)phase->kind)) {
        return false;
    }
    const struct coll_args args = orr_sys_args_of(stream);
    struct coll_send send;
    phase->algorithm->send(&args, 0, &send);
    *repeat = (struct net_repeat){
        .count = stream->sends, .pause_ps = stream->operation->endpoint_ps, .bytes = send.bytes};
    return true;
}

void orr_sys_repeating(void *context, uint64_t source_cookie)
{
    struct sys *sys = context;
    const struct sys_stream *stream = (const struct sys_stream *)(uintptr_t)source_cookie;
    sys_count_messages(sys, sys_rank_of(stream), stream->sends - 1);
}

void orr_sys_repeated(void *context, uint64_t source_cookie)
{
    struct sys *sys = context;
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)source_cookie;
    stream->sent[0] = stream->left = stream->received[0] = stream->sends;
    sys->up.phase_finished(sys, stream);
}

void orr_sys_interrupted(void *context, uint64_t source_cookie, const struct net_progress *progress)
{
    struct sys *sys = context;
    struct sys_stream *stream = (struct sys_stream *)(uintptr_t)source_cookie;
    sys->tally.messages -= stream->sends - progress->sent;
    stream->sent[0] = progress->sent;
    stream->left = progress->left;
    stream->received[0] = progress->taken;
    if (progress->taken_ps >= 0) {
        orr_sys_generic_accept_at(sys, stream, progress->taken, progress->taken_ps);
    } else if (progress->taken == progress->sent) {
        orr_sys_generic_pump(sys, stream);
    }
}
