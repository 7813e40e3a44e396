/* The rules of a decision about circuits; see circuits.h. */
#include <stdio.h>

#include "network/optical/circuits.h"

/* Circuits from a node, and to it. */
struct use {
    uint64_t from, to;
};

static struct use use_of(const struct net_circuits_view *view, const uint16_t *set, uint32_t node)
{
    struct use use = {0, 0};
    for (uint32_t other = 0; other < view->nodes; other++) {
        use.from += set[(size_t)node * view->nodes + other];
        use.to += set[(size_t)other * view->nodes + node];
    }
    return use;
}

/* The first node that `node` has another number of circuits to than from, or `nodes`. */
static uint32_t first_one_way(const struct net_circuits_view *view, const uint16_t *set,
                              uint32_t node)
{
    uint32_t other = 0;
    while (other < view->nodes &&
           set[(size_t)node * view->nodes + other] == set[(size_t)other * view->nodes + node]) {
        other++;
    }
    return other;
}

bool orr_circuits_check(const struct net_circuits_view *view, const uint16_t *set, char *text,
                        size_t bytes)
{
    for (uint32_t node = 0; node < view->nodes; node++) {
        const struct use use = use_of(view, set, node);
        const uint32_t one_way = view->duplex ? first_one_way(view, set, node) : view->nodes;
        if (set[(size_t)node * view->nodes + node] != 0) {
            (void)snprintf(text, bytes, "sets a circuit from node %u to itself", node);
        } else if (use.from > view->ports || use.to > view->ports) {
            (void)snprintf(text, bytes, "sets %llu circuits %s node %u, which has %u ports",
                           (unsigned long long)(use.from > view->ports ? use.from : use.to),
                           use.from > view->ports ? "from" : "to", node, view->ports);
        } else if (one_way < view->nodes) {
            (void)snprintf(text, bytes,
                           "sets another number of circuits from node %u to %u than back", node,
                           one_way);
        } else {
            continue;
        }
        return false;
    }
    return true;
}
