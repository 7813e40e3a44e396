/* Livelock detection by Brent's cycle search: see livelock.h. */
#include "network/optical/livelock.h"

#include "core/evq.h"
#include "network/net_backend.h"
#include "network/optical/control.h"

#include <string.h>

enum { MIN_REPEATS = 4 }; /* recurrences of a state */

/* Event kinds of other layers than the network, and of controllers. */
#define OF_OTHERS (~UINT64_C(0) << ORR_EVENT_MEMORY | UINT64_C(1) << NET_EVENT_CONTROL)

bool orr_circuits_livelock_init(struct circuits_livelock *livelock, struct orr_arena *arena,
                                uint32_t pairs)
{
    *livelock = (struct circuits_livelock){
        .all = pairs,
        .next = 1,
        .present = orr_arena_array(arena, pairs, sizeof *livelock->present),
        .waits = orr_arena_array(arena, pairs, sizeof *livelock->waits)};
    return livelock->present != NULL && livelock->waits != NULL;
}

static bool is_as_kept(const struct circuits_livelock *livelock,
                       const struct net_circuits_view *view)
{
    if (livelock->decisions < 2 || livelock->waiting != view->waiting_pairs) {
        return false;
    }
    for (uint32_t i = 0; i < livelock->waiting; i++) {
        const double now = view->waiting[livelock->waits[i].pair];
        if (now < livelock->waits[i].bytes || now > livelock->waits[i].bytes) {
            return false;
        }
    }
    return memcmp(livelock->present, view->present, livelock->all * sizeof *livelock->present) == 0;
}

static void keep(struct circuits_livelock *livelock, const struct net_circuits_view *view,
                 const struct orr_evq *queue)
{
    memcpy(livelock->present, view->present, livelock->all * sizeof *livelock->present);
    livelock->waiting = view->waiting_pairs;
    for (uint32_t i = 0; i < view->waiting_pairs; i++) {
        livelock->waits[i] = (struct net_circuits_request){
            .bytes = view->waiting[view->waiting_pair[i]], .pair = view->waiting_pair[i]};
    }
    livelock->kept_at = view->now;
    livelock->last = orr_evq_ahead(queue, 0).last;
    livelock->next = 2 * livelock->decisions;
    livelock->repeats = 0;
}

bool orr_circuits_livelocked(struct circuits_livelock *livelock,
                             const struct net_circuits_view *view, const struct net *net,
                             bool offered)
{
    if (offered || net->in_flight != livelock->in_flight || view->waiting_pairs == 0) {
        livelock->in_flight = net->in_flight;
        livelock->since = view->now;
        livelock->decisions = 0;
        livelock->next = 1;
    }
    livelock->decisions++;
    if (is_as_kept(livelock, view) && ++livelock->repeats >= MIN_REPEATS &&
        view->now > livelock->last) {
        if (orr_evq_ahead(net->queue, OF_OTHERS).of_kinds == 0) {
            return true;
        }
        livelock->repeats = 0;
    }
    if (livelock->decisions >= livelock->next) {
        keep(livelock, view, net->queue);
    }
    return false;
}
