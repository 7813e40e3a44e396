/* Registry of routings, and their roles. */
#include <string.h>

#include "core/units.h"
#include "network/route_options.h"
#include "network/routing/router.h"

static const struct net_routing *const routings[] = {
#define ORR_ROUTING(name) &name,
#include "network/routing/routing_list.h"
#undef ORR_ROUTING
    NULL};

static const struct net_routing *const roles[NET_ROUTING_ROLES] = {
    [NET_ROUTES_SHORTEST] = &orr_routing_shortest,
    [NET_ROUTES_SPREAD] = &orr_routing_ecmp,
    [NET_ROUTES_FIXED] = &orr_routing_ecmp_pairs,
    [NET_ROUTES_BY_DIMENSION] = &orr_routing_dimension_order,
    [NET_ROUTES_BY_TABLE] = &orr_routing_table};

const struct net_routing *orr_net_routing_for(enum net_routing_role role)
{
    return roles[role];
}

const struct net_routing *orr_net_routing_at(size_t index)
{
    return routings[index];
}

const char *orr_net_routing_name(size_t index)
{
    return routings[index] != NULL ? routings[index]->name : NULL;
}

size_t orr_net_routing_index(const struct net_routing *routing)
{
    size_t i = 0;
    while (routings[i] != routing) {
        i++;
    }
    return i;
}

const struct net_routing *orr_net_routing_find(const char *name)
{
    size_t i = 0;
    while (routings[i] != NULL && strcmp(name, routings[i]->name) != 0) {
        i++;
    }
    return routings[i];
}

bool orr_net_route_options_parse(const char *text, struct net_route_options *out)
{
    const size_t length = strcspn(text, ":");
    int64_t paths = 0;
    size_t i = 0;
    while (routings[i] != NULL &&
           (strlen(routings[i]->name) != length || strncmp(text, routings[i]->name, length) != 0)) {
        i++;
    }
    if (routings[i] == NULL ||
        (text[length] != '\0' &&
         (!routings[i]->counts_paths || !orr_parse_integer(text + length + 1, &paths) ||
          paths < 1 || paths > NET_MAX_PATHS))) {
        return false;
    }
    out->routing = routings[i];
    out->paths = (uint32_t)paths;
    return true;
}
