/* State of a port map under construction (port_map.c, port_map_assign.c). */
#ifndef ORR_PLANNER_FINDER_PORT_MAP_PRIVATE_H
#define ORR_PLANNER_FINDER_PORT_MAP_PRIVATE_H

#include "planner/finder/port_map.h"

struct edge_ends;
struct finder_layer;
struct finder_topology;
struct orr_arena;
struct orr_diag;

struct assignment {
    struct orr_arena *arena;
    const struct finder_topology *topology;
    struct port_map *out;
    struct orr_diag *diag;
    uint32_t *there, *back; /* [links] */
    uint32_t *color;        /* [2 * links] scratch */
    struct edge_ends *ends; /* [2 * links] scratch */
    bool *sends, *receives; /* [servers * panels] */
    uint32_t *panel;        /* [panels] scratch */
    uint32_t *scratch;      /* [3 * servers] */
    enum orr_status status;
};

static inline const struct finder_layer *ports_layer(const struct assignment *assignment,
                                                     uint32_t layer)
{
    return &assignment->topology->layer[layer];
}

static inline bool ports_is_cable(const struct assignment *assignment, uint32_t layer, bool split)
{
    return ports_layer(assignment, layer)->duplex && !split;
}

/* Fails with "out of memory for a map of ports". */
enum orr_status orr_ports_no_memory(const struct assignment *assignment);

/* Assigns the links to panels: sets `there`, `back` and the fields of the map about cables. */
enum orr_status orr_ports_assign(struct assignment *assignment, enum port_method method);

#endif
