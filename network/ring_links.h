/* Whether rings of a graph keep to its links, and what they do about links that fail. */
#ifndef ORR_NETWORK_RING_LINKS_H
#define ORR_NETWORK_RING_LINKS_H

#include "network/graph.h"
#include "network/net_config.h"
#include "network/route_options.h"

/* Whether steps of rings (NET_LINK) may take another path than messages between the same NPUs. */
static inline bool net_keeps_ring_links(const struct net_config *config)
{
    return config->graph != NULL && config->graph->circuits == NULL &&
           (net_graph_has_rings(config->graph) || net_graph_finds_rings(config->graph)) &&
           !config->routes.rings_routed && net_routing_of(&config->routes)->leaves_links;
}

/* Whether rings of the config's graph can lose links; whether all-reduces then do something other
 * than use the routing (network.ring_recovery); and whether that is a detour over links of no ring.
 */
static inline bool net_can_recover_rings(const struct net_config *config)
{
    const struct net_graph *graph = config->graph;
    return graph != NULL && !config->routes.rings_routed &&
           (net_graph_has_rings(graph) || net_graph_finds_rings(graph)) &&
           (graph->failed_links != 0 || graph->changes != 0);
}
static inline bool net_recovers_rings(const struct net_config *config)
{
    return net_can_recover_rings(config) && config->graph->recovery != NET_RECOVER_PATH;
}
static inline bool net_uses_detours(const struct net_config *config)
{
    return net_recovers_rings(config) && config->graph->recovery == NET_RECOVER_DETOUR;
}

#endif
