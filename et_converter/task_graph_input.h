/* Task graph files of any form, read for jobs that run them, and written. */
#ifndef ORR_ET_CONVERTER_TASK_GRAPH_INPUT_H
#define ORR_ET_CONVERTER_TASK_GRAPH_INPUT_H

#include "network/graph_source.h"
#include "workload/taskgraph/tg_graph.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

/* The network that a task graph's file contains. */
struct conv_file_network {
    double bytes_per_s; /* of a link; 0: not given */
    /* Builds it in the arena. The bandwidth of a link is that of `kind`, or the file's if that is
     * 0. NULL: the file has no network. Errors: no links; no bandwidth. */
    enum orr_status (*make)(const void *context, struct orr_arena *arena, struct net_link_kind kind,
                            struct net_graph *out, struct orr_diag *diag);
    const void *context;
};

struct conv_task_graph {
    struct tg_graph graph;
    struct conv_file_network network;
};

/* Reads a task graph into the arena: .otg, JSON, FlexFlow's FlatBuffers or DOT, plain or gzip,
 * detected by the first bytes. Errors have their location in the file. O(bytes + (tasks +
 * dependencies) log tasks). */
enum orr_status orr_convert_read_task_graph(struct orr_arena *arena, const char *path,
                                            struct conv_task_graph *out, struct orr_diag *diag);

/* Forms in which task graphs are written. */
enum conv_task_graph_form { CONV_OTG, CONV_TASK_JSON, CONV_FBUF };

struct conv_task_graph_output {
    enum conv_task_graph_form form;
    const char *path;
    double link_bytes_per_s; /* of the network in a FlatBuffer; 0: not given */
};

/* The form by the ending of a path: .otg, .json, .fbuf. *wrong: NULL, or the start of an error
 * message, "--output: expected ..., got ". */
enum conv_task_graph_form orr_convert_task_graph_form(const char *path, const char **wrong);

/* Writes a task graph; warns about information that the form does not keep. Errors: those of
 * orr_tg_write_file and orr_flexflow_write. */
enum orr_status orr_convert_write_task_graph(const struct conv_task_graph *graph,
                                             const struct conv_task_graph_output *output,
                                             struct orr_diag *diag);

/* Builds the network of the file (conv_file_network.make); an error if there is none. */
enum orr_status orr_convert_file_network(const struct conv_task_graph *graph,
                                         struct orr_arena *arena, struct net_link_kind kind,
                                         struct net_graph *out, struct orr_diag *diag);

#endif
