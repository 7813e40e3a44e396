/* All-reduces in rounds with a barrier: a round begins when all messages of the previous one have
 * arrived. All members send the same number of messages in a round, defined by the kind. A run
 * without rounds ends when the one message of each member has arrived. */
#include "system/monolithic/mono_private.h"

void orr_mono_rounds_start(struct sys *sys, uint32_t handle)
{
    struct mono_run *run = mono_run_at(sys, handle);
    const uint32_t members = mono_members(run->operation);
    orr_mono_counts(sys, run->operation)->rounds +=
        run->rounds > 0 ? mono_copies(sys, run->operation) : 0;
    if (orr_mono_send_batch(sys, handle)) {
        run->flows = 1;
        return;
    }
    run->flows = run->ops->messages != NULL ? run->ops->messages(run) : members;
    if (!mono_by_insertion(sys)) {
        orr_mono_post_acts(sys, handle);
        return;
    }
    for (uint32_t i = 0; i < members; i++) {
        run->ops->act(sys, handle, i);
    }
}

void orr_mono_rounds_act(struct sys *sys, uint32_t handle, uint32_t member)
{
    const struct mono_run *run = mono_run_at(sys, handle);
    struct mono_send send;
    for (uint32_t i = 0; run->ops->nth(run, member, i, &send); i++) {
        orr_mono_send(sys, handle, &send);
    }
}

void orr_mono_rounds_delivered(struct sys *sys, uint32_t handle, uint32_t part)
{
    struct orr_causes *causes = orr_evq_causes(sys->queue);
    struct mono_run *run = mono_run_at(sys, handle);
    (void)part;
    orr_cause_join(causes, &run->last, orr_evq_now(sys->queue), true);
    if (--run->flows != 0) {
        return;
    }
    const orr_cause own = orr_cause_joined(causes, &run->last);
    if (++run->round < run->rounds) {
        orr_mono_rounds_start(sys, handle);
    } else {
        orr_mono_end_run(sys, handle);
    }
    orr_cause_leave(causes, own);
}
