/* A model as a graph of operators, before anybody has split it: what each of them computes,
 * touches, holds and gives, and for each dimension it can be split in what a part needs and gives
 * (SiP-ML, SIGCOMM'21, section 3.2; TopoOpt, NSDI'23, section 2). Generators, files of models and
 * readers of other programs' models fill it (model_builder.h, model_read.h); strategies split it.
 * docs/models.md has the rules.
 *
 * All sizes are of the whole model; what depends on the batch is of one sample. */
#ifndef ORR_WORKLOAD_MODEL_OP_GRAPH_H
#define ORR_WORKLOAD_MODEL_OP_GRAPH_H

#include "core/core.h"
#include "workload/trace/trace.h"

enum { MODEL_MAX_AXES = 3, MODEL_MAX_DIMS = 8, MODEL_MAX_OPS = 200000, MODEL_MAX_EDGES = 10000000 };

/* Axes of an operator's tensors: 0 is the sample, 1.. those of its shape, the outermost first. */
enum { MODEL_SAMPLE_AXIS = 0, MODEL_NO_AXIS = 255 };

/* What a sample is for an operator: features; tokens x features; channels x height x width. */
struct model_shape {
    uint32_t axes;
    uint64_t size[MODEL_MAX_AXES];
};

enum model_needs { MODEL_NEEDS_SLICE, MODEL_NEEDS_ALL };
enum model_gives { MODEL_GIVES_SLICE, MODEL_GIVES_PARTIAL_SUM };
enum model_weights { MODEL_WEIGHTS_SLICED, MODEL_WEIGHTS_COPIED };

/* What part i of p needs of an input: all of it, or [i/p, (i+1)/p) of an axis. */
struct model_cut {
    uint8_t needs; /* enum model_needs */
    uint8_t axis;  /* of the input, that is sliced; MODEL_NO_AXIS with MODEL_NEEDS_ALL */
};

enum { MODEL_FIRST_INPUT, MODEL_OTHER_INPUTS, MODEL_INPUT_CUTS };

/* A dimension that an operator can be split in; with several at once each part is one of the
 * product of all. */
struct model_dim {
    const char
        *name; /* "sample", "output", "input", "heads", "tokens", "channels", "height", ... */
    struct model_cut cut[MODEL_INPUT_CUTS]; /* of the first input, and of each other */
    uint8_t gives;                          /* enum model_gives */
    uint8_t axis;                           /* of the output, that a part has a slice of */
    uint8_t weights;                        /* enum model_weights */
    uint64_t size;                          /* the most parts; 0: as many as there are samples */
    uint64_t halo_bytes; /* of the input, of a sample, that both sides of a cut need */
    /* More than 0: each token goes to so many of the most parts (experts), evenly. Of what a part
     * needs all of, or gives a partial sum of, it needs or gives experts_per_token / parts, at most
     * all. The work's inputs and outputs are the tokens at their experts, of which a part touches
     * 1 / parts. */
    double experts_per_token;
};

/* What an operator does in a pass, for one sample but for the weights, and the gradients of its
 * weights, that are touched once for all samples. */
struct model_work {
    uint64_t flops;
    uint64_t input_bytes; /* arrays like the inputs: a part touches what it needs, halos too */
    uint64_t other_input_bytes; /* of input_bytes, those of the inputs behind the first */
    uint64_t output_bytes;      /* arrays like the output: a part touches what it gives */
    uint64_t inner_bytes; /* what only the operator sees, rows of tables: divided among the parts */
    uint64_t weight_bytes; /* for all samples; divided where weights are sliced */
};

struct model_kind_ops;

struct model_op {
    const char *name;    /* no other operator's */
    const char *profile; /* its name in profiles; NULL: none */
    const struct model_kind_ops *kind;
    uint8_t op_kind; /* enum orr_op_kind: which efficiency it reaches */
    bool of_data;    /* no input is an operator's: there is no gradient of its input */
    bool table;      /* its weights are rows, of which a sample touches few; not reduced whole */
    uint32_t dims;
    const struct model_dim *dim;         /* [dims]; dim[0] is "sample" */
    struct model_work forward, backward; /* backward: both gradients together */
    bool measured;                       /* its times are these, and not those of its work */
    sim_time forward_ps, backward_ps;    /* of one device for model_graph.measured_batch */
    uint64_t weights;                    /* parameters that it uses */
    uint64_t weight_bytes;               /* of these */
    /* Of the parameters, those of a second tensor: frameworks keep biases apart, and the gradient
     * of each tensor is reduced on its own. */
    uint64_t bias;
    uint32_t owner; /* whose weights: its own number, or an earlier operator's that has them */
    struct model_shape shape;       /* of its output */
    uint64_t output_bytes;          /* of a sample; as much comes back as a gradient */
    uint32_t first_edge, edges;     /* into model_graph.edge: its inputs */
    const struct orr_conf *section; /* in a file, for messages; NULL: made in memory */
};

/* What an operator takes from another one: all of its output. An operator that is named twice among
 * the inputs is one edge. */
struct model_edge {
    uint32_t from;  /* number of the operator */
    uint32_t input; /* as which input: 0 is the first, for model_dim.cut */
};

struct model_graph {
    const char *name, *file;   /* file: NULL: made in memory */
    uint64_t batch;            /* samples of an iteration of the whole job; 0: not said, or ... */
    uint64_t batch_per_device; /* ... said for each device */
    /* Samples that the times of measured operators are for, which stays when another batch is
     * taken; 0: as many as are asked for. */
    uint64_t measured_batch;
    uint64_t element_bytes;
    bool lists_gradients; /* gradients are operators of the graph: nothing goes back through it */
    uint32_t ops, edges;
    const struct model_op *op;     /* [ops], each behind its inputs */
    const struct model_edge *edge; /* [edges], those of an operator behind each other */
};

/* Sums over all operators; weights that several share count once. */
struct model_totals {
    uint64_t weights, weight_bytes;         /* without those of tables */
    uint64_t table_weights, table_bytes;    /* of tables */
    uint64_t forward_flops, backward_flops; /* of a sample */
    /* Of a sample, of matrix products, convolutions and attention alone: what is called the FLOPs
     * of a model. */
    uint64_t product_flops;
    uint64_t output_bytes; /* of a sample */
};

struct model_totals orr_model_totals(const struct model_graph *graph);

/* Samples of an iteration on so many devices; 0: the model does not say. */
uint64_t orr_model_batch(const struct model_graph *graph, uint64_t devices);

/* The dimension of that name, or UINT32_MAX. O(dims). */
uint32_t orr_model_dim_named(const struct model_op *op, const char *name);

/* The operator of that name, or UINT32_MAX. O(ops). */
uint32_t orr_model_op_named(const struct model_graph *graph, const char *name);

/* What a dimension needs of what an edge brings. */
static inline const struct model_cut *orr_model_cut(const struct model_dim *dim,
                                                    const struct model_edge *edge)
{
    return &dim->cut[edge->input == 0 ? MODEL_FIRST_INPUT : MODEL_OTHER_INPUTS];
}

/* Numbers in a sample's tensor. */
uint64_t orr_model_elements(const struct model_shape *shape);

#endif
