/* Task graphs from files of any form, for jobs that run them. */
#ifndef ORR_ET_CONVERTER_TASK_GRAPH_INPUT_H
#define ORR_ET_CONVERTER_TASK_GRAPH_INPUT_H

#include "workload/workload.h"

/* The network that a file brings beside its task graph. */
struct conv_file_network {
    double bytes_per_s; /* of a link; 0: it does not say */
    /* Makes it in the arena, its links with the speed that is given, or its own where that is 0.
     * NULL: it brings none. Errors: no links; no speed. */
    enum orr_status (*make)(const void *context, struct orr_arena *arena, struct net_link_kind kind,
                            struct net_graph *out, struct orr_diag *diag);
    const void *context;
};

struct conv_task_graph {
    struct tg_graph graph;
    struct conv_file_network network;
};

/* Reads a task graph into the arena: FlexFlow's FlatBuffers or DOT, also compressed; which of them
 * is seen by its first bytes. Errors: those of the file, with their place. O(bytes + (tasks +
 * dependencies) log tasks). */
enum orr_status orr_convert_read_task_graph(struct orr_arena *arena, const char *path,
                                            struct conv_task_graph *out, struct orr_diag *diag);

/* Forms that task graphs are written in. */
enum conv_task_graph_form { CONV_OTG, CONV_TASK_JSON, CONV_FBUF };

struct conv_task_graph_output {
    enum conv_task_graph_form form;
    const char *path;
    double link_bytes_per_s; /* of the network in a FlatBuffer; 0: not said */
};

/* The form that goes with a path's ending: .otg, .json, .fbuf. *wrong becomes NULL, or what is
 * expected: "--output: expected ..., got ". */
enum conv_task_graph_form orr_convert_task_graph_form(const char *path, const char **wrong);

/* Writes it; warns of what the form does not keep. Errors: those of orr_tg_write_file and
 * orr_flexflow_write. */
enum orr_status orr_convert_write_task_graph(const struct conv_task_graph *graph,
                                             const struct conv_task_graph_output *output,
                                             struct orr_diag *diag);

/* The network as conv_file_network makes it; where there is none, an error that says so. */
enum orr_status orr_convert_file_network(const struct conv_task_graph *graph,
                                         struct orr_arena *arena, struct net_link_kind kind,
                                         struct net_graph *out, struct orr_diag *diag);

#endif
