/* Kinds of operators. Each kind is a file with the keys of its entries in a model's file and a
 * function that fills in the operator for these keys and inputs.
 *
 * To add a kind: a file in this folder that defines `orr_model_kind_NAME`, and a line in
 * kind_list.h. Schema, documentation of the keys, reader and checks follow from these. */
#ifndef ORR_WORKLOAD_MODEL_KINDS_KIND_H
#define ORR_WORKLOAD_MODEL_KINDS_KIND_H

#include "core/conf/keys.h"
#include "core/diag.h"
#include "workload/model/op_graph.h"

struct orr_conf;

/* The keys that every kind has; the first member of the struct that a kind's keys are read into.
 * Operators made in memory leave it empty. */
struct model_entry {
    const char *name, *profile, *shared;
    struct orr_conf_list input;
    int64_t output_element_bytes;
};

/* The keys of model_entry: the first ones of a kind's table. */
#define MODEL_ENTRY_KEYS                                                                           \
    {.name = "name",                                                                               \
     .type = ORR_KEY_TEXT,                                                                         \
     .offset = offsetof(struct model_entry, name),                                                 \
     .absent = "the kind and a number",                                                            \
     .example = "name: attention",                                                                 \
     .doc = "its name, for the inputs of others"},                                                 \
        {.name = "input",                                                                          \
         .type = ORR_KEY_TEXT,                                                                     \
         .offset = offsetof(struct model_entry, input),                                            \
         .list = true,                                                                             \
         .scalar_as_list = true,                                                                   \
         .min = 1,                                                                                 \
         .absent = "the operator before it",                                                       \
         .example = "input: [attention, above]",                                                   \
         .doc = "operators or blocks listed before it; `above`: the input of its block"},          \
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

/* An integer key. */
#define MODEL_INTEGER(type_name, key, min, max, text)                                              \
    .name = #key, .type = ORR_KEY_INTEGER, .offset = offsetof(struct type_name, key), .low = min,  \
    .high = max, .doc = text

struct model_input {
    struct model_shape shape;
    uint64_t element_bytes;
    uint32_t from; /* the operator's index; MODEL_DATA: data of the samples */
};

#define MODEL_DATA UINT32_MAX

/* An operator that its kind fills in. Set before: inputs, element_bytes, section. To be set: op's
 * op_kind, shape, forward, backward, weight_gradient, weights, bias and table, what it keeps for
 * the backward pass, and the dimensions. Default 0. */
struct model_draft {
    const struct model_input *input; /* [inputs], as listed; some may be equal */
    uint32_t inputs;
    bool of_data; /* all inputs are data, which have no gradient */
    uint64_t element_bytes;
    const struct orr_conf *section; /* NULL: made in memory */
    const char *name;               /* for messages */
    struct model_op op;
    struct model_dim dim[MODEL_MAX_DIMS];
};

struct model_kind_ops {
    const char *name, *summary;
    struct orr_key_table table; /* MODEL_ENTRY_KEYS first */
    size_t attributes;          /* size of the struct that the keys are read into */
    uint32_t min_inputs, max_inputs;
    bool source;    /* data of the samples: no operator */
    bool is_lookup; /* in a file the entry before is the default input only if it is data */
    enum orr_status (*fill)(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag);
    /* Makes the attributes those of one of `parts` parts of the dimension of that name, and the
     * inputs, which are cut by their axes already, if they are of other sizes. NULL: the shapes of
     * the inputs say all. */
    void (*cut)(void *attributes, struct model_input *input, const struct model_op *whole,
                const char *dim, uint64_t parts);
};

/* The size of the largest of `parts` parts. */
static inline int64_t orr_model_cut_size(int64_t size, uint64_t parts)
{
    return (size + (int64_t)parts - 1) / (int64_t)parts;
}

/* The table ends with NULL. */
extern const struct model_kind_ops *const orr_model_kinds[];

/* ---- for kinds ---- */

/* Fails at a key of the operator's entry: "PATH.KEY: TEXT". */
enum orr_status orr_model_fail(const struct model_draft *draft, const char *key,
                               struct orr_diag *diag, const char *format, ...) ORR_PRINTF(4, 5);

/* Adds a dimension. */
void orr_model_add_dim(struct model_draft *draft, struct model_dim dim);

/* Adds a dimension whose parts need a slice of every input and give a slice of the output, of the
 * same axis: samples, tokens. */
void orr_model_add_axis_dim(struct model_draft *draft, const char *name, uint8_t axis,
                            uint64_t size, enum model_weights weights);

/* Fails if an input's number of axes is neither `first` nor `second` (0: only `first` is allowed).
 */
enum orr_status orr_model_check_axes(const struct model_draft *draft, uint32_t first,
                                     uint32_t second, struct orr_diag *diag);

/* Fails if the inputs do not all have the same shape. */
enum orr_status orr_model_check_same_shape(const struct model_draft *draft, struct orr_diag *diag);

/* "64 x 56 x 56" */
enum { MODEL_SHAPE_BYTES = 80 };
const char *orr_model_shape_text(const struct model_shape *shape, char text[MODEL_SHAPE_BYTES]);

/* Adds the dimension "parts" unless there is one: part i of p needs its slice of every input, gives
 * a slice, of the outermost axis, and has a slice of the weights. If two operators are split so,
 * each part of the finer one exchanges data with one part of the other (the rule of SiP-ML's
 * simulator). */
void orr_model_add_parts_dim(struct model_draft *draft);

/* Adds the dimensions of a product of `in` by `out` features: tokens if there are any, output,
 * input. */
void orr_model_add_product_dims(struct model_draft *draft, uint64_t in, uint64_t out);

/* Adds a dimension for each axis of the output, which the inputs have too. */
void orr_model_add_axis_dims(struct model_draft *draft, enum model_weights weights);

/* Names of the axes 1.. of a shape: "features"; "tokens", "features"; "channels", "height",
 * "width". */
const char *orr_model_axis_name(const struct model_shape *shape, uint8_t axis);

/* Bytes of all inputs of a sample. */
uint64_t orr_model_input_bytes(const struct model_draft *draft);

/* Bytes of the inputs after the first. */
uint64_t orr_model_other_input_bytes(const struct model_draft *draft);

/* Bytes of the output of a sample, in the model's element size. */
uint64_t orr_model_output_bytes(const struct model_draft *draft);

/* Needs of a part: all of an input, or a slice. */
static inline struct model_cut orr_model_all(void)
{
    return (struct model_cut){MODEL_NEEDS_ALL, MODEL_NO_AXIS};
}

static inline struct model_cut orr_model_slice(uint8_t axis)
{
    return (struct model_cut){MODEL_NEEDS_SLICE, axis};
}

/* Sets the backward work to the forward work times the number of gradients: of the inputs unless
 * they are data, and of the weights if there are any. The inputs are kept. */
void orr_model_products_back(struct model_draft *draft);

/* Sets elementwise work: `flops` operations, and arrays of the output's size that are read or
 * written in each pass. Data have no gradient. */
void orr_model_stream(struct model_draft *draft, uint64_t flops, unsigned forward_arrays,
                      unsigned backward_arrays);

#endif
