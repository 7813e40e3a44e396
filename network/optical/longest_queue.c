/* Circuits for the longest queues: again and again the pair with the most waiting bytes for each
 * circuit that it would have then gets one, as long as both ends have a port; of equal ones the one
 * with the lower first, then second node. Of the ports that nobody waits for, the present circuits
 * keep what they have. O(circuits x pairs). */
#include "network/optical/circuits.h"

extern const struct net_circuits_ops orr_circuits_longest_queue;

enum { NOBODY = -1 };

static uint32_t used_by(const struct net_circuits_view *view, const uint16_t *set, uint32_t node,
                        bool sends)
{
    uint32_t sum = 0;
    for (uint32_t other = 0; other < view->nodes; other++) {
        sum += sends ? set[node * view->nodes + other] : set[other * view->nodes + node];
    }
    return sum;
}

static bool has_ports(const struct net_circuits_view *view, const uint16_t *set, uint32_t pair)
{
    return used_by(view, set, pair / view->nodes, true) < view->ports &&
           used_by(view, set, pair % view->nodes, false) < view->ports;
}

static int64_t neediest(const struct net_circuits_view *view, const uint16_t *set)
{
    int64_t best = NOBODY;
    double most = 0;
    for (uint32_t pair = 0; pair < view->nodes * view->nodes; pair++) {
        const double need = view->waiting[pair] / (set[pair] + 1);
        if (need > most && has_ports(view, set, pair)) {
            most = need;
            best = pair;
        }
    }
    return best;
}

static void decide(const struct net_circuits_view *view, uint16_t *set)
{
    for (int64_t pair = neediest(view, set); pair != NOBODY; pair = neediest(view, set)) {
        set[pair]++;
    }
    for (uint32_t pair = 0; pair < view->nodes * view->nodes; pair++) {
        while (set[pair] < view->present[pair] && has_ports(view, set, pair)) {
            set[pair]++;
        }
    }
}

const struct net_circuits_ops orr_circuits_longest_queue = {
    .name = "longest_queue",
    .summary = "circuits go where most bytes wait",
    .decide = decide,
};
