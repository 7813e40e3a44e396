/* How paths through a graph are chosen. */
#ifndef ORR_NETWORK_ROUTE_OPTIONS_H
#define ORR_NETWORK_ROUTE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum net_routing {
    NET_ROUTE_SHORTEST,   /* fewest links; ties over the lowest nodes */
    NET_ROUTE_ECMP,       /* fewest links; at every node one of the equal next links, by the key */
    NET_ROUTE_K_SHORTEST, /* any of the k shortest loopless paths, by the key */
    NET_ROUTE_DIMENSIONS, /* dimension by dimension; SHORTEST if a link is missing or the graph has
                             no dimensions */
    NET_ROUTE_TABLE,      /* the graph's table of paths; SHORTEST for pairs without an entry */
    NET_ROUTE_PAIRS,      /* as ECMP, but keyed by source and destination */
    NET_ROUTINGS
};

enum { NET_DEFAULT_PATHS = 4, NET_MAX_PATHS = 1024 };

/* Options of a router. */
struct net_route_options {
    enum net_routing routing;
    uint32_t paths; /* K_SHORTEST: of a pair, at most NET_MAX_PATHS; 0: NET_DEFAULT_PATHS */
    uint64_t seed;  /* mixed into the key: another seed gives other choices */
    /* Ring steps use the routing like other messages, even if a link joins their ends
     * (net_msg.channel). */
    bool rings_routed;
};

/* Whether the routing may not take the link between two neighbours, so that a ring step has to name
 * it. */
static inline bool net_routes_leave_links(const struct net_route_options *options)
{
    return options->routing == NET_ROUTE_K_SHORTEST || options->routing == NET_ROUTE_TABLE;
}

/* Names by the enum: "shortest", "ecmp", "k-shortest", "dimension-order", "table", "ecmp-pairs";
 * NULL after the last. */
const char *orr_net_routing_name(size_t index);
bool orr_net_routing_find(const char *name, enum net_routing *out);

/* Parses a name, or "k-shortest:8" with the number of paths; the seed is not changed. false if it
 * is neither; *out is then unchanged. */
bool orr_net_route_options_parse(const char *text, struct net_route_options *out);

#endif
