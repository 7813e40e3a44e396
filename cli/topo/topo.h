/* Shared by the views of orrery topo. */
#ifndef ORR_CLI_TOPO_TOPO_H
#define ORR_CLI_TOPO_TOPO_H

#include <stdio.h>

#include "cli/cli.h"
#include "cli/platform_options.h"
#include "cli/topo/cost_options.h"
#include "sim/load/find_input.h"

struct orr_diag;
struct orrery_topology;

/* A picture to write to a file, in the format of its ending. */
struct orr_drawing {
    enum orr_status (*draw)(FILE *out, const void *context, const char *format,
                            struct orr_diag *diag);
    const void *context;
    const char *path;
};

/* Whether the name ends in .svg, .pdf, .png or .dot; prints an error on stderr if not.
 * (topo_file.c) */
bool orr_topo_has_format(const char *path);

/* The path of the platform that ships under this name, if there is no such file; else the text. */
const char *orr_topo_network(const char *text, char path[ORR_INPUT_PATH_BYTES]);

/* Writes the picture; returns the exit status. */
int orr_topo_write(const struct orr_drawing *drawing);

/* What the library writes of a network in a format. */
struct orr_topo_making {
    struct orrery_topology *topology;
    enum orrery_status (*make)(struct orrery_topology *topology, const void *context, FILE *out,
                               const char *format);
    const void *context;
};

/* Makes it, and then writes the file; "-": standard output. Returns the exit status. (topo_file.c)
 */
int orr_topo_make_file(const struct orr_topo_making *making, const char *path, const char *format);

/* Arguments of show, draw and check. */
struct orr_topo_arguments {
    const char *view;                     /* "show" */
    const char *network;                  /* file, name, notation or fabric; NULL: none */
    struct orr_platform_options platform; /* --topology, ... */
    const char *file, *astra, *output, *rank, *hops, *json;
    int64_t npus, seed; /* of a graph; npus 0: a file, seed -1: not given */
    struct orr_cost_options cost;
    struct orr_texts set;
    char shipped[ORR_INPUT_PATH_BYTES]; /* storage of the path of a platform that ships */
};

/* show, draw and check of a graph: whether the arguments have one (--npus, check, or a file with
 * one), and the command. */
bool orr_topo_is_graph(const struct orr_topo_arguments *arguments);
int orr_topo_graph(struct orr_topo_arguments *arguments);

extern const struct orr_command orr_topo_trees, orr_topo_rings, orr_topo_bound;

#endif
