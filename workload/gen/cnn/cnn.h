/* Convolutional networks: a list of layers, or of the residual blocks of ResNet (He et al. 2016),
 * expanded into a graph of operators. The forward pass follows the graph, the backward pass follows
 * it in reverse; parameters, operations and kept activations are sums over it. Data-parallel.
 * docs/how-to/generated-cnn.md gives the formulas. */
#ifndef ORR_WORKLOAD_GEN_CNN_H
#define ORR_WORKLOAD_GEN_CNN_H

#include "workload/gen/data_parallel.h"
#include "workload/model/model_builder.h"

/* The tensor of one sample. */
struct cnn_shape {
    uint64_t channels, height, width;
};

enum cnn_kind { CNN_CONV, CNN_NORM, CNN_POOL, CNN_SUM, CNN_DENSE, CNN_LOSS, CNN_KINDS };

#define CNN_IMAGE UINT32_MAX /* as an input: the images */

/* An activation function belongs to the operator before it. */
struct cnn_op {
    enum cnn_kind kind;
    uint32_t number; /* among the operators of its kind, from 1 */
    uint32_t input[2],
        input_count; /* input_count: how many of the two are set; each is an earlier operator */
    struct cnn_shape in, out;
    uint64_t kernel_height, kernel_width, groups; /* convolutions and pools */
    uint64_t stride, pad;                         /* the same; stride 0: a global pool */
    bool bias;
    uint64_t parameters; /* of a convolution or dense layer, including the norm behind it */
    bool keeps_input;    /* the backward pass needs it */
    bool keeps_output;   /* the output is kept: a later operator needs it */
};

struct cnn_net {
    struct cnn_op *op;
    uint32_t count;
    size_t capacity;
    uint32_t kind_count[CNN_KINDS];
    struct cnn_shape image;
};

struct cnn_job {
    struct gen_plan plan;
    struct cnn_net net;
    const struct orr_conf *section; /* for the locations of errors */
};

extern const struct orr_key_table orr_cnn_key_table;

/* Reads the model into the arena. Requires job->plan. */
enum orr_status orr_cnn_read(struct orr_arena *arena, const struct orr_conf *section,
                             struct cnn_job *job, struct orr_diag *diag);

/* ---- building a network (cnn_net.c) ---- */

/* Adds a copy of the operator behind its inputs; *index is its index in the net. Its input shape
 * and its number are filled in. Errors: no memory. */
enum orr_status orr_cnn_add(struct orr_arena *arena, struct cnn_net *net, struct cnn_op op,
                            uint32_t *index, struct orr_diag *diag);

/* Output of an operator, or the images. */
struct cnn_shape orr_cnn_shape_of(const struct cnn_net *net, uint32_t index);

/* Number of positions of a kernel along an axis. */
uint64_t orr_cnn_steps(uint64_t length, uint64_t kernel, uint64_t stride, uint64_t pad);

/* ---- operators ---- */

enum cnn_pass { CNN_FORWARD, CNN_INPUT_GRADIENT, CNN_WEIGHT_GRADIENT };

/* "conv 3" */
const char *orr_cnn_op_name(const struct cnn_op *op, char text[32]);
enum orr_op_kind orr_cnn_op_kind(const struct cnn_op *op);
bool orr_cnn_has_weights(const struct cnn_op *op);

/* The work of an operator in a pass over `samples` samples. */
struct gen_work orr_cnn_work(const struct cnn_op *op, enum cnn_pass pass, uint64_t samples,
                             uint64_t element_bytes);

/* ---- results ---- */

void orr_cnn_totals(const struct cnn_job *job, struct gen_totals *totals);
void orr_cnn_memory(const struct cnn_job *job, struct gen_memory *memory);
void orr_cnn_emit(const struct cnn_job *job, struct gen_emitter *emitter);
/* The model as a graph of operators. (cnn_graph.c) */
enum orr_status orr_cnn_graph(const struct cnn_job *job, struct model_builder *builder,
                              struct orr_diag *diag);

struct gen_model_ops;
extern const struct gen_model_ops orr_cnn_model;

#endif
