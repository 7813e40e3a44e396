/* How paths through a graph are chosen. */
#ifndef ORR_NETWORK_ROUTE_OPTIONS_H
#define ORR_NETWORK_ROUTE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct net_route_links;
struct net_route_options;
struct net_router;
struct orr_diag;

/* A routing: an entry of network/routing/routing_list.h. Facts that others ask stand first. */
struct net_routing {
    const char *name, *summary;
    bool spreads;      /* messages of one pair may take different paths, by their keys */
    bool avoids;       /* can leave links out (orr_net_router_avoid) */
    bool counts_paths; /* takes a number of paths: net_route_options.paths */
    bool leaves_links; /* may not take the link between two neighbours */
    bool by_dimension; /* goes dimension by dimension: the graph needs dimensions */
    bool by_table;     /* takes the paths of the graph's table */
    const struct net_routing *fixed; /* the same with one path for each pair; NULL: none */
    /* Creates what only this routing needs. NULL: nothing. Errors: those of orr_net_router_create.
     */
    enum orr_status (*create)(struct net_router *router, const struct net_route_options *options,
                              struct orr_diag *diag);
    /* The path between two different nodes: orr_net_router_path. */
    enum orr_status (*path)(struct net_router *router, uint32_t src, uint32_t dst, uint64_t key,
                            struct net_route_links *out);
    /* Whether a pair has one path, whatever the key. NULL: as soon as it has one. */
    bool (*has_one_path)(struct net_router *router, uint32_t src, uint32_t dst);
};

/* What routings are needed for; orr_net_routing_for gives the entry. */
enum net_routing_role {
    NET_ROUTES_SHORTEST,     /* the shortest path, one for each pair */
    NET_ROUTES_SPREAD,       /* equally short paths share the messages */
    NET_ROUTES_FIXED,        /* equally short paths share the pairs */
    NET_ROUTES_BY_DIMENSION, /* through a stacked topology */
    NET_ROUTES_BY_TABLE,     /* the graph's own paths */
    NET_ROUTING_ROLES
};
const struct net_routing *orr_net_routing_for(enum net_routing_role role);

enum { NET_DEFAULT_PATHS = 4, NET_MAX_PATHS = 1024 };

/* Options of a router. */
struct net_route_options {
    const struct net_routing *routing; /* NULL: the first of the list (net_routing_of) */
    uint32_t paths;                    /* of a pair, at most NET_MAX_PATHS; 0: NET_DEFAULT_PATHS */
    uint64_t seed;                     /* mixed into the key: another seed gives other choices */
    /* Ring steps use the routing like other messages, even if a link joins their ends
     * (net_msg.channel). */
    bool rings_routed;
};

static inline const struct net_routing *net_routing_of(const struct net_route_options *options)
{
    return options->routing != NULL ? options->routing : orr_net_routing_for(NET_ROUTES_SHORTEST);
}

/* The routing, or the one with fixed routes that stands for it where estimates need them. */
static inline const struct net_routing *net_routing_fixed(const struct net_route_options *options)
{
    const struct net_routing *routing = net_routing_of(options);
    return routing->fixed != NULL ? routing->fixed : routing;
}

/* The entries, and their names, in order; NULL after the last. */
const struct net_routing *orr_net_routing_at(size_t index);
const char *orr_net_routing_name(size_t index);
/* The entry's place in the list. */
size_t orr_net_routing_index(const struct net_routing *routing);
/* The entry of a name, or NULL. */
const struct net_routing *orr_net_routing_find(const char *name);

/* Parses a name, or one with the number of paths as in "k-shortest:8"; the seed is not changed.
 * false if it is neither; *out is then unchanged. */
bool orr_net_route_options_parse(const char *text, struct net_route_options *out);

#endif
