/* The patch panels of a topology: which ports are joined on each (TopoOpt, section 3 and Fig. 5,
 * appendix C). Interface i of every server goes to panel i, or by its 1x2 switch to the look-ahead
 * panel d + i, at the port of the server's number.
 *
 * A cable joins the transmit and receive fibres of two ports crosswise; so a panel holds pairs of
 * servers, and the cables of a topology must be d matchings. The cycle of a jump gives two when it
 * is of even length, a matching is one. An odd number of servers has none (a panel leaves one out),
 * nor has an odd ring of its own two. A one-way crossconnect joins the transmit fibre of one port
 * with the receive fibre of another: what a server sends by an interface and what it receives by it
 * are apart. d panels always do for those (König: transmit and receive sides are two kinds of
 * nodes, network/wavelengths/edge_colors.h), and a cable can be two of them, each on a panel of its
 * own. */
#ifndef ORR_PLANNER_FINDER_PORT_MAP_H
#define ORR_PLANNER_FINDER_PORT_MAP_H

#include <stdio.h>

#include "planner/finder/finder.h"

/* Ports of a robotic patch panel and of an optical circuit switch of 3D MEMS (Table 1). */
enum { PORTS_OF_PATCH_PANEL = 1008, PORTS_OF_OPTICAL_SWITCH = 384 };

enum port_method {
    PORTS_CABLES_OR_SPLIT, /* cables; where they cannot be, each is two one-way crossconnects */
    PORTS_CABLES,          /* cables or an error */
    PORTS_ONE_WAY          /* crossconnects only */
};

struct port_options {
    enum port_method method;
    uint32_t panel_ports; /* 0: PORTS_OF_PATCH_PANEL */
    bool look_ahead;      /* on panels d .. 2 d - 1 */
};

/* Two ports of a panel joined, each of the server of its number. */
struct port_cross {
    uint32_t panel, from, to;
    uint32_t layer, link; /* of the topology, which it is for */
    bool cable;           /* both ways, from < to; else what `from` sends `to` receives */
};

struct port_map {
    uint32_t servers, panels, first_panel;
    bool split;                     /* cables are two crossconnects each */
    const char *why;                /* why cables cannot be, where they were asked for; or NULL */
    const struct port_cross *cross; /* [crosses], by panel, from, to */
    uint32_t crosses;
    uint32_t idle; /* transmit fibres that are joined to nothing, of all panels */
    /* Interfaces of link l of layer y: there[first_link[y] + l] sends what goes from its `from` to
     * its `to`, and is where `to` receives it; back[...] the other way, PORTS_NONE if it is one
     * way. */
    const uint32_t *first_link; /* [layers + 1] */
    const uint32_t *there, *back;
};

#define PORTS_NONE UINT32_MAX

/* The map of topology->layer, in the arena; of the topology `servers`, `degree` and its layers are
 * read. First come the layers as they are, each on the first panels that are free; if these do not
 * fit, all links are divided anew.
 * Errors, which begin with `ports`: a panel with fewer ports than servers; a server with more links
 * than interfaces; with PORTS_CABLES, links that are no d matchings; memory.
 * O(links x (servers + degree^2)); see orr_edge_colors for cables that do not fit by layers. */
enum orr_status orr_port_map(struct orr_arena *arena, const struct finder_topology *topology,
                             const struct port_options *options, struct port_map *out,
                             struct orr_diag *diag);

/* A line a crossconnect: "panel,from,to,kind,layer", servers by number; kind is `cable` or
 * `one-way`, layer what it is for, such as `ring +11`, `connection +1` or `matching 1`. false: the
 * file cannot be written. */
bool orr_port_map_write(FILE *file, const struct finder_topology *topology,
                        const struct port_map *map);

#endif
