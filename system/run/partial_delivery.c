/* Partial delivery: the prefix of a collective's result at a member, for nodes that wait for the
 * first bytes only. It consists of the chunks that have finished all phases, from the first on.
 * Chunks may end out of order; a chunk after a missing one does not count. */
#include "system/run/running.h"

/* Custom programs define their own messages per chunk, whatever the buffer. */
bool orr_sys_delivers_chunks(const struct sys_operation *operation)
{
    return operation->whole == NULL && operation->custom_program == NULL && operation->chunks > 1;
}

uint64_t orr_sys_collective_prefixes(struct sys *sys, const struct sys_collective *request)
{
    const struct sys_algorithm_list *list = orr_sys_list_of(sys, request->kind);
    const bool custom = list != NULL && list->custom != NULL;
    return sys_mono_of(sys, request) != NULL || custom ? 1 : orr_sys_plan_chunks(sys, request);
}

/* Under ASTRA-sim's rules chunks may exceed the buffer. */
uint64_t orr_sys_delivered_bytes(const struct sys_operation *operation,
                                 const struct sys_member *member)
{
    const uint64_t max =
        operation->chunk_bytes != 0 ? operation->bytes / operation->chunk_bytes : 0;
    return member->delivered > max ? operation->bytes : member->delivered * operation->chunk_bytes;
}

void orr_sys_chunk_delivered(struct sys *sys, struct sys_stream *stream)
{
    const struct sys_operation *operation = stream->operation;
    struct sys_member *member = sys_member_of(stream);
    const struct sys_stream *first =
        &operation->stream[sys_stream_index(operation, stream->member, 0)];
    const uint32_t before = member->delivered;
    stream->flags |= STREAM_OVER;
    while (member->delivered < operation->chunks &&
           (first[member->delivered].flags & STREAM_OVER) != 0) {
        member->delivered++;
    }
    if (member->delivered != before) {
        sys->listener.progress(sys->listener.context, sys_slot_of(stream), member->cookie,
                               orr_sys_delivered_bytes(operation, member));
    }
}
