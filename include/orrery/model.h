/* Models as graphs of operators: read and checked, looked at, and drawn, as `orrery model` does
 * (docs/user-guide.md).
 *
 *     struct orrery_op_graph *graph = orrery_op_graph_new();
 *     struct orrery_op_graph_input input = {ORRERY_SIZED(orrery_op_graph_input),
 *                                           .path = "topoopt/vgg", .devices = 16,
 *                                           .profile = "vgg16.json"};
 *     struct orrery_op_graph_figures figures = {ORRERY_SIZED(orrery_op_graph_figures)};
 *     orrery_op_graph_read(graph, &input);
 *     orrery_op_graph_figures(graph, &figures);
 *     orrery_op_graph_write(graph, stdout, ORRERY_OP_GRAPH_SHOW);
 *     orrery_op_graph_free(graph);
 *
 * A handle is used by one thread at a time. Every call that fails keeps what is wrong for
 * orrery_op_graph_error, as "PLACE: MESSAGE". Errors: ORRERY_ERROR_INPUT (a model that is wrong, a
 * time that nothing tells, a NULL, a struct of another interface, nothing read yet), _IO, _MEMORY.
 */
#ifndef ORRERY_MODEL_H
#define ORRERY_MODEL_H

#include <stdio.h>

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_op_graph;

/* As of other objects: NULL when memory is out; NULL can be freed; texts are the handle's. */
ORRERY_API struct orrery_op_graph *orrery_op_graph_new(void);
ORRERY_API void orrery_op_graph_free(struct orrery_op_graph *graph);
ORRERY_API const char *orrery_op_graph_error(const struct orrery_op_graph *graph);

/* `warn` is called with the text of each warning from now on; NULL: nothing is (the default). */
ORRERY_API void orrery_op_graph_on_warning(struct orrery_op_graph *graph,
                                           void (*warn)(void *user, const char *text), void *user);

struct orrery_op_graph_input {
    size_t size;      /* ORRERY_SIZED(orrery_op_graph_input) */
    const char *path; /* a file with a `model` section, or a `workload` with a generated model; the
                       * name of one that ships */
    uint64_t batch;   /* samples of an iteration; 0: as the model says */
    uint32_t devices; /* that samples are divided among, for times and a batch per device; 0: 1 */
    const char *profile;    /* measured times; NULL: none */
    const char *platform;   /* whose peak rate, efficiency and memory bandwidth times are estimated
                             * by;   the name of one that ships; NULL: they are not */
    const char *const *set; /* [set_count] values of the platform: "compute.peak=312 TFLOP/s" */
    size_t set_count;
};

/* Reads the model in place of what the handle held, and works out times where a profile or a
 * platform tells them. Texts are only read during the call. O(bytes + operators + edges). */
ORRERY_API enum orrery_status orrery_op_graph_read(struct orrery_op_graph *graph,
                                                   const struct orrery_op_graph_input *input);

struct orrery_op_graph_figures {
    size_t size; /* ORRERY_SIZED(orrery_op_graph_figures) */
    uint32_t operators, edges, tables;
    uint64_t batch;                         /* samples of an iteration; 0: not said */
    uint64_t weights, weight_bytes;         /* without those of tables; shared ones once */
    uint64_t table_weights, table_bytes;    /* of tables */
    uint64_t forward_flops, backward_flops; /* of a sample */
    uint64_t product_flops;                 /* of these, of products and attention, both ways */
    bool timed;                             /* the times below are known */
    uint64_t forward_ps, backward_ps;       /* of a device, without tables */
    uint64_t table_forward_ps, table_backward_ps; /* of all tables, each on one device */
};

/* Fills in the figures, whose `size` is set. O(operators). */
ORRERY_API enum orrery_status orrery_op_graph_figures(struct orrery_op_graph *graph,
                                                      struct orrery_op_graph_figures *figures);

enum orrery_op_graph_view {
    ORRERY_OP_GRAPH_CHECK, /* "FILE: ok, ..." */
    ORRERY_OP_GRAPH_SHOW,  /* totals, and one line an operator */
    ORRERY_OP_GRAPH_JSON,
    ORRERY_OP_GRAPH_DOT /* a graph for Graphviz */
};

/* Writes what the command writes. O(operators + edges). */
ORRERY_API enum orrery_status orrery_op_graph_write(struct orrery_op_graph *graph, FILE *out,
                                                    enum orrery_op_graph_view view);

/* The same as a text, which is the handle's until the next one; NULL on an error. */
ORRERY_API const char *orrery_op_graph_text(struct orrery_op_graph *graph,
                                            enum orrery_op_graph_view view);

#ifdef __cplusplus
}
#endif

#endif
