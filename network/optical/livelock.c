/* See livelock.h. */
#include "network/optical/livelock.h"

#include <string.h>

enum { ENOUGH = 4 }; /* times that a state comes back */

/* Of anybody but the network, and of controllers. */
#define OF_OTHERS (~UINT64_C(0) << ORR_EVENT_MEMORY | UINT64_C(1) << NET_EVENT_CONTROL)

bool orr_circuits_livelock_init(struct circuits_livelock *stall, struct orr_arena *arena,
                                uint32_t pairs)
{
    *stall =
        (struct circuits_livelock){.all = pairs,
                                   .next = 1,
                                   .present = orr_arena_array(arena, pairs, sizeof *stall->present),
                                   .waits = orr_arena_array(arena, pairs, sizeof *stall->waits)};
    return stall->present != NULL && stall->waits != NULL;
}

static bool is_as_kept(const struct circuits_livelock *stall, const struct net_circuits_view *view)
{
    if (stall->looks < 2 || stall->waiting != view->asking) {
        return false;
    }
    for (uint32_t i = 0; i < stall->waiting; i++) {
        const double now = view->waiting[stall->waits[i].pair];
        if (now < stall->waits[i].bytes || now > stall->waits[i].bytes) {
            return false;
        }
    }
    return memcmp(stall->present, view->present, stall->all * sizeof *stall->present) == 0;
}

static void keep(struct circuits_livelock *stall, const struct net_circuits_view *view,
                 const struct orr_evq *queue)
{
    memcpy(stall->present, view->present, stall->all * sizeof *stall->present);
    stall->waiting = view->asking;
    for (uint32_t i = 0; i < view->asking; i++) {
        stall->waits[i] = (struct net_circuits_wish){.bytes = view->waiting[view->asks[i]],
                                                     .pair = view->asks[i]};
    }
    stall->kept_at = view->now;
    stall->last = orr_evq_ahead(queue, 0).last;
    stall->next = 2 * stall->looks;
    stall->repeats = 0;
}

bool orr_circuits_livelocked(struct circuits_livelock *stall, const struct net_circuits_view *view,
                             const struct net *net, bool offered)
{
    if (offered || net->in_flight != stall->in_flight || view->asking == 0) {
        stall->in_flight = net->in_flight;
        stall->since = view->now;
        stall->looks = 0;
        stall->next = 1;
    }
    stall->looks++;
    if (is_as_kept(stall, view) && ++stall->repeats >= ENOUGH && view->now > stall->last) {
        if (orr_evq_ahead(net->queue, OF_OTHERS).of_kinds == 0) {
            return true;
        }
        stall->repeats = 0;
    }
    if (stall->looks >= stall->next) {
        keep(stall, view, net->queue);
    }
    return false;
}
