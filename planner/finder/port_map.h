/* The port map of a topology: which ports are joined on each patch panel (TopoOpt, section 3 and
 * Fig. 5, appendix C). Interface i of every server goes to panel i, or by its 1x2 switch to the
 * look-ahead panel d + i, at the port with the server's number.
 *
 * A cable joins the transmit and receive fibers of two ports crosswise, so that a panel holds a
 * matching of servers, and the cables of a topology must be d matchings. The cycle of a jump is two
 * matchings if its length is even. With an odd number of servers a panel leaves one out, so that a
 * cycle of odd length does not fit two panels. A one-way crossconnect joins the transmit fiber of
 * one port with the receive fiber of another: sending and receiving by an interface are
 * independent. d panels are always enough for crossconnects (König; transmit and receive sides are
 * two kinds of nodes, network/wavelengths/edge_colors.h), and a cable can be replaced by two of
 * them on different panels. */
#ifndef ORR_PLANNER_FINDER_PORT_MAP_H
#define ORR_PLANNER_FINDER_PORT_MAP_H

#include <stdio.h>

#include "planner/finder/finder.h"

/* Ports of a robotic patch panel and of an optical circuit switch of 3D MEMS (Table 1). */
enum { PORTS_OF_PATCH_PANEL = 1008, PORTS_OF_OPTICAL_SWITCH = 384 };

enum port_method {
    PORTS_CABLES_OR_SPLIT, /* cables; if they do not fit, each is two one-way crossconnects */
    PORTS_CABLES,          /* cables or an error */
    PORTS_ONE_WAY          /* crossconnects only */
};

struct port_options {
    enum port_method method;
    uint32_t panel_ports; /* 0: PORTS_OF_PATCH_PANEL */
    bool look_ahead;      /* on panels d .. 2 d - 1 */
};

/* A joined pair of ports of a panel; a port has the number of its server. */
struct port_cross {
    uint32_t panel, from, to;
    uint32_t layer, link; /* of the topology */
    bool cable; /* duplex, from < to; else from the transmit side of `from` to the receive side of
                   `to` */
};

struct port_map {
    uint32_t servers, panels, first_panel;
    bool split;                     /* cables are two crossconnects each */
    const char *why;                /* why cables do not fit if they were requested; or NULL */
    const struct port_cross *cross; /* [crosses], by panel, from, to */
    uint32_t crosses;
    uint32_t idle; /* transmit fibers without a crossconnect, of all panels */
    /* Interfaces of link l of layer y: there[first_link[y] + l] is the one by which `from` sends
     * and `to` receives; back[...] is that of the other direction, PORTS_NONE if the link is
     * one-way. */
    const uint32_t *first_link; /* [layers + 1] */
    const uint32_t *there, *back;
};

#define PORTS_NONE UINT32_MAX

/* Computes the port map of topology->layer; the result is in the arena. Of the topology, `servers`,
 * `degree` and the layers are read. Layers are first assigned one by one to the first panels that
 * are free; if this fails, all links are assigned at once by edge coloring. Errors, which begin
 * with `ports`: a panel with fewer ports than servers; a server with more links than interfaces;
 * with PORTS_CABLES, links that are not d matchings; memory. O(links x (servers + degree^2)); see
 * orr_edge_colors for the cost if layers do not fit. */
enum orr_status orr_port_map(struct orr_arena *arena, const struct finder_topology *topology,
                             const struct port_options *options, struct port_map *out,
                             struct orr_diag *diag);

/* Writes a line for each crossconnect: "panel,from,to,kind,layer"; kind is `cable` or `one-way`,
 * layer is `ring +11`, `connection +1` or `matching 1`. false: the file cannot be written. */
bool orr_port_map_write(FILE *file, const struct finder_topology *topology,
                        const struct port_map *map);

#endif
