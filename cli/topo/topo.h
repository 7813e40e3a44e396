/* What the views of orrery topo share. */
#ifndef ORR_CLI_TOPO_TOPO_H
#define ORR_CLI_TOPO_TOPO_H

#include "report/report.h"
#include "sim/sim.h"

/* A picture that goes to a file, in the format that its name ends in. */
struct orr_drawing {
    enum orr_status (*draw)(FILE *out, const void *context, const char *format,
                            struct orr_diag *diag);
    const void *context;
    const char *path;
};

/* Whether the name ends in .svg, .pdf, .png or .dot; says on stderr when not. (topo_file.c) */
bool orr_topo_has_format(const char *path);

/* The text, or in `path` that of the platform that ships by this name, where no file has it. */
const char *orr_topo_network(const char *text, char path[ORR_INPUT_PATH_BYTES]);

/* Writes the picture; an exit status. */
int orr_topo_write(const struct orr_drawing *drawing);

/* show, draw and check of graphs, which have options of their own: whether the arguments ask for
 * one (--npus, check, or a file with a graph), and the command. */
bool orr_topo_is_graph_command(int argc, char **argv);
int orr_topo_graph(int argc, char **argv);

/* trees and rings laid on a network's links, which have options of their own. */
bool orr_topo_is_embedding_command(int argc, char **argv);
int orr_topo_embedding(int argc, char **argv);
/* Their options. */
extern const char orr_topo_embedding_help[];

/* SiP-ML's hardware, which is no network; likewise. */
bool orr_topo_is_sip_ml_command(int argc, char **argv);
int orr_topo_sip_ml(int argc, char **argv);
extern const char orr_topo_sip_ml_help[];

#endif
