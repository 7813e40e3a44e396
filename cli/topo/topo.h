/* Shared by the views of orrery topo. */
#ifndef ORR_CLI_TOPO_TOPO_H
#define ORR_CLI_TOPO_TOPO_H

#include <stdio.h>

#include "sim/load/find_input.h"

struct orr_diag;

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

/* show, draw and check of graphs, which have their own options: whether the arguments are such a
 * command (--npus, check, or a file with a graph), and the command. */
bool orr_topo_is_graph_command(int argc, char **argv);
int orr_topo_graph(int argc, char **argv);

/* trees and rings embedded in a network, likewise. */
bool orr_topo_is_embedding_command(int argc, char **argv);
int orr_topo_embedding(int argc, char **argv);
/* Their part of --help. */
extern const char orr_topo_embedding_help[];

#endif
