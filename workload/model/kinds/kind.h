/* Kinds of operators: each is a file of its own, with the keys that a model's file gives it, and a
 * function that says what an operator with these keys and inputs is.
 *
 * A new kind: a file beside this one that defines `orr_model_kind_NAME`, and a line in
 * ORR_MODEL_KINDS. Schema, documentation of the keys, reader and checks follow from these. */
#ifndef ORR_WORKLOAD_MODEL_KINDS_KIND_H
#define ORR_WORKLOAD_MODEL_KINDS_KIND_H

#include "workload/model/op_graph.h"

/* What of an entry every kind takes; the first member of what a kind's keys are read into.
 * Operators made in memory leave it empty. */
struct model_entry {
    const char *name, *profile, *shared;
    struct orr_conf_list input;
    int64_t output_element_bytes;
};

/* Its keys: the first of a kind's table. */
#define MODEL_ENTRY_KEYS                                                                           \
    {.name = "name",                                                                               \
     .type = ORR_KEY_TEXT,                                                                         \
     .offset = offsetof(struct model_entry, name),                                                 \
     .absent = "the kind and a number",                                                            \
     .example = "name: attention",                                                                 \
     .doc = "by which others name it"},                                                            \
        {.name = "input",                                                                          \
         .type = ORR_KEY_TEXT,                                                                     \
         .offset = offsetof(struct model_entry, input),                                            \
         .list = true,                                                                             \
         .scalar_as_list = true,                                                                   \
         .min = 1,                                                                                 \
         .absent = "the operator before it",                                                       \
         .example = "input: [attention, above]",                                                   \
         .doc = "operators or blocks listed before it; `above`: what comes into its block"},       \
        {.name = "profile",                                                                        \
         .type = ORR_KEY_TEXT,                                                                     \
         .offset = offsetof(struct model_entry, profile),                                          \
         .absent = "none: its time is the roofline's",                                             \
         .example = "profile: Conv2D_3_3_64",                                                      \
         .doc = "its name among measured times"},                                                  \
        {.name = "shared",                                                                         \
         .type = ORR_KEY_TEXT,                                                                     \
         .offset = offsetof(struct model_entry, shared),                                           \
         .absent = "weights of its own",                                                           \
         .example = "shared: embedding",                                                           \
         .doc = "the operator before it whose weights it uses"},                                   \
    {                                                                                              \
        .name = "output_element_bytes", .type = ORR_KEY_INTEGER,                                   \
        .offset = offsetof(struct model_entry, output_element_bytes), .low = 1, .high = 64,        \
        .absent = "the model's element_bytes", .doc = "bytes of a number of its output"            \
    }

/* An integer key of a struct. */
#define MODEL_INTEGER(type_name, key, min, max, text)                                              \
    .name = #key, .type = ORR_KEY_INTEGER, .offset = offsetof(struct type_name, key), .low = min,  \
    .high = max, .doc = text

struct model_input {
    struct model_shape shape;
    uint64_t element_bytes;
    uint32_t from; /* number of the operator; MODEL_DATA: data of the samples */
};

#define MODEL_DATA UINT32_MAX

/* An operator that its kind fills. Given: inputs, element_bytes, section. To be filled: op's
 * op_kind, shape, forward, backward, weights, bias and table, and the dimensions. What is left out
 * is 0.
 */
struct model_draft {
    const struct model_input *input; /* [inputs], as they are listed, also where some are equal */
    uint32_t inputs;
    bool of_data; /* all inputs are data: no gradient of them is worked out */
    uint64_t element_bytes;
    const struct orr_conf *section; /* NULL: made in memory */
    const char *name;               /* for messages */
    struct model_op op;
    struct model_dim dim[MODEL_MAX_DIMS];
};

struct model_kind_ops {
    const char *name, *summary;
    struct orr_key_table table; /* MODEL_ENTRY_KEYS first */
    size_t attributes;          /* bytes of what the keys are read into */
    uint32_t min_inputs, max_inputs;
    bool source;    /* data of the samples: no operator */
    bool is_lookup; /* in a file the entry before it is its input only when that is data */
    enum orr_status (*fill)(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag);
};

/* Every kind: its name and what it is. */
#define ORR_MODEL_KINDS(KIND)                                                                      \
    KIND(data, "what samples are; no operator")                                                    \
    KIND(dense, "every input with every output")                                                   \
    KIND(conv2d, "a convolution over height and width")                                            \
    KIND(pool2d, "fewer pixels: the largest or the mean of each window")                           \
    KIND(batch_norm, "normalization of channels over the batch")                                   \
    KIND(layer_norm, "normalization of the features of each token")                                \
    KIND(activation, "a function of each number: relu, gelu, dropout; gated ones")                 \
    KIND(softmax, "shares of a whole, over the features")                                          \
    KIND(add, "the sum of its inputs")                                                             \
    KIND(multiply, "the product of its inputs, number by number")                                  \
    KIND(concat, "its inputs behind each other")                                                   \
    KIND(flatten, "all numbers of a sample as features")                                           \
    KIND(reshape, "the same numbers in another shape")                                             \
    KIND(take, "the first tokens")                                                                 \
    KIND(embedding, "rows of a table that are looked up")                                          \
    KIND(position, "learned rows, one added to each token")                                        \
    KIND(attention, "multi-head attention with its four projections")                              \
    KIND(attention_core, "scores and weighted sums, between projections of their own")             \
    KIND(expert_dense, "a dense layer for each expert, on the tokens sent to it")                  \
    KIND(interaction, "products of all pairs of vectors, with the last vector")                    \
    KIND(matmul, "the product of two matrices of activations")                                     \
    KIND(custom, "anything else, by its operations, bytes and weights")                            \
    KIND(measured, "an operator of which times were measured")                                     \
    KIND(loss, "the loss of the model")

#define ORR_MODEL_DECLARE(kind, text) extern const struct model_kind_ops orr_model_kind_##kind;
ORR_MODEL_KINDS(ORR_MODEL_DECLARE)
#undef ORR_MODEL_DECLARE

/* The table ends with NULL. */
extern const struct model_kind_ops *const orr_model_kinds[];

/* ---- for kinds ---- */

/* Fails at a key of the operator's entry: "PATH.KEY: TEXT". */
enum orr_status orr_model_fail(const struct model_draft *draft, const char *key,
                               struct orr_diag *diag, const char *format, ...) ORR_PRINTF(4, 5);

/* Adds a dimension. */
void orr_model_add_dim(struct model_draft *draft, struct model_dim dim);

/* Adds a dimension whose parts need and give slices of the same axis, of every input and of the
 * output: samples, tokens. */
void orr_model_add_axis_dim(struct model_draft *draft, const char *name, uint8_t axis,
                            uint64_t size, enum model_weights weights);

/* Fails when an input has another number of axes than one of these (0: only the first is meant). */
enum orr_status orr_model_check_axes(const struct model_draft *draft, uint32_t first,
                                     uint32_t second, struct orr_diag *diag);

/* Fails when the inputs are not all of one shape. */
enum orr_status orr_model_check_same_shape(const struct model_draft *draft, struct orr_diag *diag);

/* "64 x 56 x 56" */
enum { MODEL_SHAPE_BYTES = 80 };
const char *orr_model_shape_text(const struct model_shape *shape, char text[MODEL_SHAPE_BYTES]);

/* The dimension "parts", unless there is one: part i of p takes its slice of every input and gives
 * a slice, of the outermost axis; it has a slice of the weights. Where two operators are split so
 * each part of the finer one has to do with one of the other (the rule of SiP-ML's simulator). */
void orr_model_add_parts_dim(struct model_draft *draft);

/* Dimensions of all axes of the output that are also the inputs'. */
void orr_model_add_axis_dims(struct model_draft *draft, enum model_weights weights);

/* "features"; "tokens", "features"; "channels", "height", "width": of axis 1.. of a shape. */
const char *orr_model_axis_name(const struct model_shape *shape, uint8_t axis);

/* Bytes of a sample of all inputs together. */
uint64_t orr_model_input_bytes(const struct model_draft *draft);

/* Of these, those of the inputs behind the first. */
uint64_t orr_model_other_input_bytes(const struct model_draft *draft);

/* Bytes of a sample of the output, in the model's numbers. */
uint64_t orr_model_output_bytes(const struct model_draft *draft);

/* What parts need of an input. */
static inline struct model_cut orr_model_all(void)
{
    return (struct model_cut){MODEL_NEEDS_ALL, MODEL_NO_AXIS};
}

static inline struct model_cut orr_model_slice(uint8_t axis)
{
    return (struct model_cut){MODEL_NEEDS_SLICE, axis};
}

/* Makes the backward pass the forward pass as often as there are gradients: of the inputs, where
 * they are no data, and of the weights, where there are some. */
void orr_model_products_back(struct model_draft *draft);

/* Elementwise work: so many operations, and arrays of the output's size that are read or written in
 * each pass. Nothing goes back to data. */
void orr_model_stream(struct model_draft *draft, uint64_t flops, unsigned forward_arrays,
                      unsigned backward_arrays);

#endif
