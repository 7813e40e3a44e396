/* What the views of orrery topo share. */
#ifndef ORR_CLI_TOPO_H
#define ORR_CLI_TOPO_H

#include <stdio.h>

#include "network/network.h"

struct orr_topo {
    struct net_config config; /* bandwidths may be 0: not known */
    struct orr_arena *arena;
    bool has_rank;
    uint32_t rank; /* whose coordinates and neighbours are asked for */
    bool json;
};

enum { ORR_NOTATION_BYTES = NET_MAX_DIMS * 24 };

/* Tables of the dimensions, the whole network and the rank, or the same as JSON. 0, or an exit
 * status. */
int orr_topo_show(FILE *out, const struct orr_topo *topo);
int orr_topo_show_json(FILE *out, const struct orr_topo *topo);

/* Draws the network into the file, by its extension; an exit status. */
int orr_topo_draw(const struct orr_topo *topo, const char *path);

/* The graph in a file: DOT by its name, else the network section of a YAML file, which may include
 * others. (graph_source.c) */
enum orr_status orr_read_graph(struct orr_arena *arena, const char *path, struct net_link_kind kind,
                               struct net_graph *graph, struct orr_diag *diag);

/* show and check of graphs, which have options of their own: whether the arguments ask for one
 * (--npus, or check), and the command. */
bool orr_wants_graph(int argc, char **argv);
int orr_topo_graph(int argc, char **argv);

#endif
