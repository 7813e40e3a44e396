/* The longest-queue controller: waiting bytes of a pair, divided by 1 + its circuits, are its need
 * for another circuit. */
#include "network/optical/circuits.h"

extern const struct net_circuits_ops orr_circuits_longest_queue;

static double need(const struct net_circuits_view *view, double bytes, uint32_t has)
{
    (void)view;
    return bytes / (has + 1);
}

static void decide(const struct net_circuits_view *view, uint16_t *set)
{
    orr_circuits_greedy(view, need, set);
}

const struct net_circuits_ops orr_circuits_longest_queue = {
    .name = "longest_queue",
    .summary = "circuits go where most bytes wait",
    .decide = decide,
    .need = need,
};
