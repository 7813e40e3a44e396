/* Models as operator graphs: reading, checks, metrics and drawing, as `orrery model`
 * (docs/how-to/models.md).
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
 * One thread at a time may use a handle. A failed call stores its message, "LOCATION: MESSAGE", for
 * orrery_op_graph_error. Errors: ORRERY_ERROR_INPUT (an invalid model, an operator without a source
 * of its time, NULL, a struct of another version, nothing read yet), _IO, _MEMORY. */
#ifndef ORRERY_MODEL_H
#define ORRERY_MODEL_H

#include <stdio.h>

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_op_graph;

/* Create and free a handle: NULL if out of memory; freeing NULL is fine. orrery_op_graph_error: the
 * error of the last failed call, owned by the handle. */
ORRERY_API struct orrery_op_graph *orrery_op_graph_new(void);
ORRERY_API void orrery_op_graph_free(struct orrery_op_graph *graph);
ORRERY_API const char *orrery_op_graph_error(const struct orrery_op_graph *graph);

/* `warn` is called with the text of each warning from now on; NULL (default): warnings are
 * ignored. */
ORRERY_API void orrery_op_graph_on_warning(struct orrery_op_graph *graph,
                                           void (*warn)(void *user, const char *text), void *user);

struct orrery_op_graph_input {
    size_t size;      /* ORRERY_SIZED(orrery_op_graph_input) */
    const char *path; /* a file with a `model` section, or a `workload` with a generated model; the
                       * name of one that ships */
    uint64_t batch;   /* samples of an iteration; 0: that of the model */
    uint32_t devices; /* that share the samples, for times and a batch per device; 0: 1 */
    const char *profile; /* measured times; NULL: none */
    /* estimates times by peak rate, efficiency and memory bandwidth: a file, or the name of one
     * that ships; NULL: no estimates */
    const char *platform;
    const char *const *set; /* [set_count] values of the platform: "compute.peak=312 TFLOP/s" */
    size_t set_count;
};

/* Reads the model; replaces the previous one. Computes times if a profile or a platform is given.
 * Texts are only read during the call. O(bytes + operators + edges). */
ORRERY_API enum orrery_status orrery_op_graph_read(struct orrery_op_graph *graph,
                                                   const struct orrery_op_graph_input *input);

struct orrery_op_graph_figures {
    size_t size; /* ORRERY_SIZED(orrery_op_graph_figures) */
    uint32_t operators, edges, tables;
    uint64_t batch;                         /* samples of an iteration; 0: not given */
    uint64_t weights, weight_bytes;         /* tables not included; shared weights count once */
    uint64_t table_weights, table_bytes;    /* of tables */
    uint64_t forward_flops, backward_flops; /* of a sample */
    uint64_t product_flops;                 /* part of GEMMs and attention, forward and backward */
    bool timed;                             /* the times below are known */
    uint64_t forward_ps, backward_ps;       /* of a device, tables not included */
    uint64_t table_forward_ps, table_backward_ps; /* of all tables, each on one device */
};

/* Fills in the metrics; set their `size` before. O(operators). */
ORRERY_API enum orrery_status orrery_op_graph_figures(struct orrery_op_graph *graph,
                                                      struct orrery_op_graph_figures *figures);

enum orrery_op_graph_view {
    ORRERY_OP_GRAPH_CHECK, /* "FILE: ok, ..." */
    ORRERY_OP_GRAPH_SHOW,  /* totals, and one line an operator */
    ORRERY_OP_GRAPH_JSON,
    ORRERY_OP_GRAPH_DOT /* a graph for Graphviz */
};

/* Writes the output of the command. O(operators + edges). */
ORRERY_API enum orrery_status orrery_op_graph_write(struct orrery_op_graph *graph, FILE *out,
                                                    enum orrery_op_graph_view view);

/* The same as a text, owned by the handle until the next call; NULL on an error. */
ORRERY_API const char *orrery_op_graph_text(struct orrery_op_graph *graph,
                                            enum orrery_op_graph_view view);

#ifdef __cplusplus
}
#endif

#endif
