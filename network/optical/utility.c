/* The utility controller (TopoOpt, NSDI'23, appendix E.4, Eqs. 1 and 2, Algorithm 5): a pair's
 * waiting bytes count `discount` times as much for each circuit that it has. A discount of 1 is the
 * SiP-ML of appendix F: the pair takes all ports that its ends have left. */
#include "network/optical/circuits.h"

extern const struct net_circuits_ops orr_circuits_utility;

static double need(const struct net_circuits_view *view, double bytes, uint32_t has)
{
    for (uint32_t i = 0; i < has && view->discount < 1; i++) {
        bytes *= view->discount;
    }
    return bytes;
}

static void decide(const struct net_circuits_view *view, uint16_t *set)
{
    orr_circuits_greedy(view, need, set);
}

const struct net_circuits_ops orr_circuits_utility = {
    .name = "utility",
    .summary = "circuits go where most bytes wait, each further one of a pair for less",
    .decide = decide,
    .need = need,
};
