/* Monolithic all-reduces: begin, and dispatch of messages and events to the kind. */
#include "system/monolithic/mono_private.h"
#include "system/sys_groups.h"
#include "system/sys_mono.h"

void orr_sys_mono_begin(struct sys *sys, struct sys_operation *operation)
{
    const uint32_t members = mono_size(operation);
    if (members < 2) {
        orr_mono_end(sys, operation, true);
        return;
    }
    const struct sys_mono_kind *kind = operation->whole->kind;
    if (kind != NULL && kind->ops == &orr_mono_ccl) {
        kind->ops->start(sys, operation);
        return;
    }
    struct sys_mono_counts *counts = orr_mono_counts(sys, operation);
    counts->all_reduces += mono_copies(sys, operation);
    if (!orr_sys_mono_fits(operation->whole, members)) {
        counts->ring_fallbacks += mono_copies(sys, operation);
        kind = NULL;
    }
    kind = kind == NULL ? orr_sys_mono_default() : kind;
    kind->ops->start(sys, operation);
}

static uint32_t run_of(uint64_t cookie)
{
    return (uint32_t)(cookie >> 32);
}

/* Bits below the run's handle; the low two bits are the kind of message (orr_mono_send). */
static uint32_t part_of(uint64_t cookie)
{
    return (uint32_t)cookie >> 2;
}

ORR_NOINLINE void orr_sys_mono_delivered(struct sys *sys, uint64_t cookie)
{
    mono_run_at(sys, run_of(cookie))->ops->delivered(sys, run_of(cookie), part_of(cookie));
}

ORR_NOINLINE void orr_sys_mono_left(struct sys *sys, uint64_t cookie)
{
    mono_run_at(sys, run_of(cookie))->ops->left(sys, run_of(cookie), part_of(cookie));
}

void orr_sys_on_mono(void *context, const struct orr_event *event)
{
    struct sys *sys = context;
    const uint32_t run = run_of(event->cookie), low = (uint32_t)event->cookie;
    switch (event->aux) {
    case MONO_ACT:
        mono_run_at(sys, run)->ops->act(sys, run, low);
        break;
    case MONO_SEND:
        mono_run_at(sys, run)->ops->send(sys, run, low);
        break;
    case MONO_OVER: {
        struct sys_operation *operation = (struct sys_operation *)(uintptr_t)event->cookie;
        operation->whole->kind->ops->over(sys, operation);
        break;
    }
    default:
        orr_mono_member_done(sys, (struct sys_operation *)(uintptr_t)event->cookie,
                             orr_sys_rank_of_slot(sys, orr_slot(event->entity)));
        break;
    }
}

struct sys_mono_counts orr_sys_mono_counts(const struct sys *sys)
{
    struct sys_mono_counts all = sys->monos->counts;
    for (uint32_t i = 0; i < sys->tally.tenants.count; i++) {
        const struct sys_mono_counts *of = &sys->tally.tenant[i].counts.whole;
        all.all_reduces += of->all_reduces;
        all.rounds += of->rounds;
        all.ring_fallbacks += of->ring_fallbacks;
    }
    return all;
}
