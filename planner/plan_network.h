/* A network with its routing, on which plans are made and run. */
#ifndef ORR_PLANNER_PLAN_NETWORK_H
#define ORR_PLANNER_PLAN_NETWORK_H

#include "network/route_options.h"

struct net_graph;

struct plan_network {
    const struct net_graph *graph;
    struct net_route_options routes;
};

#endif
