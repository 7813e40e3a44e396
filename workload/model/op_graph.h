/* The operator graph of a model, unsplit: the work, tensors and weights of each operator, and for
 * each dimension in which it can be split the data that a part needs and gives (SiP-ML, SIGCOMM'21,
 * section 3.2; TopoOpt, NSDI'23, section 2). Generators, model files and readers of other programs'
 * models build it (model_builder.h, model_read.h); strategies split it. docs/models.md has the
 * rules.
 *
 * Sizes are of the whole model; sizes that depend on the batch are of one sample. */
#ifndef ORR_WORKLOAD_MODEL_OP_GRAPH_H
#define ORR_WORKLOAD_MODEL_OP_GRAPH_H

#include "core/time.h"
#include "workload/trace/trace.h"

struct orr_conf;

enum { MODEL_MAX_AXES = 3, MODEL_MAX_DIMS = 8, MODEL_MAX_OPS = 200000, MODEL_MAX_EDGES = 10000000 };

/* Axes of an operator's tensors: 0 is the sample, 1.. are the axes of its shape, outermost first.
 */
enum { MODEL_SAMPLE_AXIS = 0, MODEL_NO_AXIS = 255 };

/* The shape of a sample: features; tokens x features; channels x height x width. */
struct model_shape {
    uint32_t axes;
    uint64_t size[MODEL_MAX_AXES];
};

enum model_needs { MODEL_NEEDS_SLICE, MODEL_NEEDS_ALL };
enum model_gives { MODEL_GIVES_SLICE, MODEL_GIVES_PARTIAL_SUM };
enum model_weights { MODEL_WEIGHTS_SLICED, MODEL_WEIGHTS_COPIED };

/* The part of an input that part i of p needs: all of it, or [i/p, (i+1)/p) of an axis. */
struct model_cut {
    uint8_t needs; /* enum model_needs */
    uint8_t axis;  /* the sliced axis of the input; MODEL_NO_AXIS with MODEL_NEEDS_ALL */
};

enum { MODEL_FIRST_INPUT, MODEL_OTHER_INPUTS, MODEL_INPUT_CUTS };

/* A dimension in which an operator can be split. With several at once, the parts are the product of
 * all. */
struct model_dim {
    const char
        *name; /* "sample", "output", "input", "heads", "tokens", "channels", "height", ... */
    struct model_cut cut[MODEL_INPUT_CUTS]; /* of the first input, and of every other one */
    uint8_t gives;                          /* enum model_gives */
    uint8_t axis;                           /* the axis of the output that is sliced */
    uint8_t weights;                        /* enum model_weights */
    uint64_t size;                          /* the maximum of parts; 0: the number of samples */
    uint64_t halo_bytes; /* bytes of the input, per sample, that both sides of a cut need */
    /* > 0: each token goes to this many of the `size` parts (experts), evenly. A part that needs
     * all of an input, or gives a partial sum, then needs or gives the share min(1,
     * experts_per_token / parts). The work's inputs and outputs are the tokens at their experts, of
     * which a part touches 1 / parts. */
    double experts_per_token;
};

/* The work of an operator in a pass for one sample; weights, and their gradients, are touched once
 * for all samples. */
struct model_work {
    uint64_t flops;
    uint64_t input_bytes;       /* arrays like the inputs: a part touches its share, halos too */
    uint64_t other_input_bytes; /* those of input_bytes that belong to inputs after the first */
    uint64_t output_bytes;      /* arrays like the output: a part touches the share that it gives */
    uint64_t inner_bytes;       /* internal arrays, rows of tables: divided among the parts */
    uint64_t weight_bytes;      /* for all samples; divided if the weights are sliced */
};

struct model_kind_ops;
struct model_input;

struct model_op {
    const char *name;    /* unique */
    const char *label;   /* its name in traces: "conv 3" */
    uint32_t layer;      /* its layer */
    const char *profile; /* its name in profiles; NULL: none */
    const struct model_kind_ops *kind;
    const void *attributes;          /* of its kind */
    const struct model_input *input; /* [inputs] as listed, data too */
    uint32_t inputs;
    uint8_t op_kind; /* enum orr_op_kind, for its efficiency */
    bool of_data;    /* all inputs are data, which have no gradient */
    bool takes_data; /* some input is data */
    bool uncounted;  /* its products are not among the model FLOPs of the literature */
    bool table; /* an embedding table: a sample touches few of its rows; its gradient is not reduced
                   as a whole */
    uint32_t dims;
    const struct model_dim *dim; /* [dims]; dim[0] is "sample" */
    /* backward: both gradients together. weight_gradient: the part of it that frameworks compute
     * apart, beside what follows: of matrix products. Other weights' gradients come with those of
     * the inputs. */
    struct model_work forward, backward, weight_gradient;
    bool keeps_inputs, keeps_output;  /* the backward pass needs them */
    uint64_t kept_bytes;              /* internal arrays that are kept: of a sample */
    bool measured;                    /* the times below apply instead of those of its work */
    sim_time forward_ps, backward_ps; /* of one device for model_graph.measured_batch */
    uint64_t weights;                 /* number of parameters */
    uint64_t weight_bytes;            /* bytes of the parameters */
    /* Parameters of a second tensor: frameworks keep biases apart, and the gradient of each tensor
     * is reduced separately. */
    uint64_t bias;
    uint32_t owner;             /* the operator that has the weights: itself or an earlier one */
    struct model_shape shape;   /* of its output */
    uint64_t output_bytes;      /* of a sample; its gradient has as many */
    uint32_t first_edge, edges; /* into model_graph.edge: its inputs */
    const struct orr_conf *section; /* in a file, for messages; NULL: made in memory */
};

/* An edge: the whole output of another operator. An operator that is listed twice among the inputs
 * is one edge. */
struct model_edge {
    uint32_t from;  /* index of the operator */
    uint32_t input; /* index of the input: 0 is the first, for model_dim.cut */
};

/* Consecutive operators whose weights are reduced, gathered and updated together. */
struct model_layer {
    const char *name;    /* NULL: the operators before the first layer */
    uint32_t first, end; /* the operators [first, end) */
    uint64_t weights;    /* of those that have their own */
    bool of_block;       /* made of the operators of a block, as one of a transformer's layers */
    bool is_loose;       /* operators without weights behind a block, at the end of the model */
};

struct model_graph {
    const char *name, *file;   /* file: NULL: made in memory */
    uint64_t batch;            /* samples per iteration of the whole job; 0: unknown, or ... */
    uint64_t batch_per_device; /* ... set per device */
    /* Samples to which the times of measured operators apply, independent of the batch of the run;
     * 0: the batch of the run. */
    uint64_t measured_batch;
    uint64_t element_bytes;
    uint64_t data_bytes;  /* of a sample: the inputs of the model */
    bool lists_gradients; /* gradients are operators: no implied backward pass */
    uint32_t ops, edges, layers;
    const struct model_op *op;       /* [ops], each after its inputs */
    const struct model_edge *edge;   /* [edges], those of an operator contiguous */
    const struct model_layer *layer; /* [layers], which have all operators */
};

/* Sums over all operators; shared weights count once. */
struct model_totals {
    uint64_t weights, weight_bytes;         /* without those of tables */
    uint64_t table_weights, table_bytes;    /* of tables */
    uint64_t forward_flops, backward_flops; /* of a sample */
    /* Of a sample, for matrix products, convolutions and attention only: the model FLOPs of the
     * literature. */
    uint64_t product_flops;
    uint64_t output_bytes; /* of a sample */
};

struct model_totals orr_model_totals(const struct model_graph *graph);

/* Samples of an iteration on `devices` devices; 0: the model does not define it. */
uint64_t orr_model_batch(const struct model_graph *graph, uint64_t devices);

/* The index of the dimension of that name, or UINT32_MAX. O(dims). */
uint32_t orr_model_dim_named(const struct model_op *op, const char *name);

/* The index of the operator of that name, or UINT32_MAX. O(ops). */
uint32_t orr_model_op_named(const struct model_graph *graph, const char *name);

/* The part of an edge's tensor that a part of the dimension needs. */
static inline const struct model_cut *orr_model_cut(const struct model_dim *dim,
                                                    const struct model_edge *edge)
{
    return &dim->cut[edge->input == 0 ? MODEL_FIRST_INPUT : MODEL_OTHER_INPUTS];
}

/* Number of elements of a sample's tensor. */
uint64_t orr_model_elements(const struct model_shape *shape);

#endif
