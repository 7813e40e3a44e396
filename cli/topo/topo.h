/* What the views of orrery topo share. */
#ifndef ORR_CLI_TOPO_TOPO_H
#define ORR_CLI_TOPO_TOPO_H

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

/* A graph that is looked at. */
struct orr_graph_view {
    const char *name;
    struct net_graph graph;
    struct orr_arena *arena;
    bool has_bandwidths; /* else all are relative to that of a link */
    enum net_optical optical;
    bool json, brief; /* brief: without bisection and cost */
};

/* Figures of a graph, as a table or JSON; an exit status. (topo_graph_show.c) */
int orr_graph_show(const struct orr_graph_view *view);

/* Draws the graph into the file, or writes it as DOT that reads back; an exit status.
 * (topo_graph_draw.c) */
int orr_graph_draw(const struct orr_graph_view *view, const char *path);

/* What of a large graph is drawn: NPUs that hang on one switch as one node, then the nodes nearest
 * to the first, at most `most`; names of its own, in the view's arena. `note` tells what is left
 * out, if anything is. (topo_graph_small.c) */
enum { ORR_NOTE_BYTES = 160 };
enum orr_status orr_graph_small(const struct orr_graph_view *view, uint32_t most,
                                struct net_graph *out, char note[ORR_NOTE_BYTES]);

/* show, draw and check of graphs, which have options of their own: whether the arguments ask for
 * one (--npus, check, or a file with a graph), and the command. */
bool orr_wants_graph(int argc, char **argv);
int orr_topo_graph(int argc, char **argv);

#endif
