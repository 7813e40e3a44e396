/* Batched rounds (net_round_ops): the pairs of a group's round are computed once per shape and
 * registered with the network, which sends the round as one batch. With insertion order results do
 * not change: all messages of a round are sent in one event, and only the last arrival matters. */
#include "network/net.h"
#include "system/monolithic/mono_private.h"

struct mono_round_batch {
    const struct mono_round_batch *next;
    const struct net_ring *ring;
    uint64_t shape;
    uint32_t messages;
    struct net_round *round; /* NULL: not supported */
};

/* Lists the current round's pairs, at most `max`; 0: there are more, or their bytes differ. */
static uint32_t list_pairs(const struct mono_run *run, struct net_ends *pair, uint32_t max)
{
    const uint32_t members = mono_members(run->operation);
    struct mono_send first, send;
    uint32_t count = 0;
    (void)run->ops->nth(run, 0, 0, &first);
    for (uint32_t i = 0; i < members; i++) {
        for (uint32_t n = 0; run->ops->nth(run, i, n, &send); n++) {
            if (count == max || send.bytes != first.bytes) {
                return 0;
            }
            pair[count++] = orr_mono_pair(run->operation, &send);
        }
    }
    return count;
}

static const struct mono_round_batch *make_batch(struct sys *sys, const struct mono_run *run,
                                                 uint64_t shape)
{
    struct sys_group *group = run->operation->group;
    const uint32_t messages =
        run->ops->messages != NULL ? run->ops->messages(run) : mono_members(run->operation);
    struct mono_round_batch *batch = orr_arena_alloc(sys->arena, sizeof *batch);
    struct net_ends *pair = orr_heap_calloc(messages, sizeof *pair);
    if (batch == NULL || pair == NULL) {
        orr_heap_free(pair);
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return NULL;
    }
    const uint32_t listed = list_pairs(run, pair, messages);
    *batch = (struct mono_round_batch){
        .next = group->round_batches,
        .ring = run->ring,
        .shape = shape,
        .messages = messages,
        .round = listed == messages ? net_round(sys->net, pair, messages) : NULL};
    orr_heap_free(pair);
    group->round_batches = batch;
    return batch;
}

/* Finds the batch, or prepares it if more rounds follow. */
static const struct mono_round_batch *find(struct sys *sys, const struct mono_run *run)
{
    const struct mono_round_batch *batch = run->operation->group->round_batches;
    const uint64_t shape = run->ops->shape(run);
    while (batch != NULL && (batch->ring != run->ring || batch->shape != shape)) {
        batch = batch->next;
    }
    const bool worth = shape != MONO_SHAPE_UNKNOWN && run->round + 1 < run->rounds;
    return batch != NULL || !worth ? batch : make_batch(sys, run, shape);
}

/* Routes by label would need the label of each message. */
bool orr_mono_send_batch(struct sys *sys, uint32_t handle)
{
    const struct mono_run *run = mono_run_at(sys, handle);
    const bool can_batch =
        mono_by_insertion(sys) && sys->policy->key_by_start && sys->net->ops->rounds != NULL;
    const struct mono_round_batch *batch = can_batch ? find(sys, run) : NULL;
    if (batch == NULL || batch->round == NULL) {
        return false;
    }
    struct mono_send first;
    (void)run->ops->nth(run, 0, 0, &first);
    orr_mono_send_round(sys, handle, batch->round, batch->messages, &first);
    return true;
}
