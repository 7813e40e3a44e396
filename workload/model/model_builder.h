/* Makes a graph of operators in memory, one operator behind its inputs.
 *
 *     struct model_builder *builder = orr_model_builder_create(arena, &about, diag);
 *     orr_model_add(builder, &(struct model_op_spec){.kind = &orr_model_kind_data}, &image, &x,
 * diag); orr_model_add(builder, &(struct model_op_spec){.kind = &orr_model_kind_dense, .input = &x,
 *                                                    .inputs = 1}, &dense, &x, diag);
 *     orr_model_finish(builder, &graph, diag); */
#ifndef ORR_WORKLOAD_MODEL_MODEL_BUILDER_H
#define ORR_WORKLOAD_MODEL_MODEL_BUILDER_H

#include "workload/model/kinds/kind.h"
#include "workload/model/op_graph.h"

/* Data or an operator, as the builder numbers them. */
typedef uint32_t model_value;
#define MODEL_NO_VALUE UINT32_MAX

struct model_info {
    const char *name, *file;
    uint64_t batch, batch_per_device;
    uint64_t measured_batch; /* 0: batch, else batch_per_device */
    uint64_t element_bytes;  /* >= 1 */
    bool lists_gradients;
    bool parts; /* every operator can be split in "parts" too: orr_model_add_parts_dim */
};

struct model_op_spec {
    const struct model_kind_ops *kind;
    const char *name; /* NULL: "KIND NUMBER" */
    const char *profile;
    const model_value *input; /* [inputs] */
    uint32_t inputs;
    bool shared;                   /* it uses the weights of ... */
    model_value owner;             /* ... this operator, */
    bool of_block;                 /* if it has any: its whole block does */
    uint64_t output_element_bytes; /* 0: the model's */
    const struct orr_conf *section;
};

struct model_builder;

/* Everything is in the arena, texts are taken as they are. NULL when memory is out. */
struct model_builder *orr_model_builder_create(struct orr_arena *arena,
                                               const struct model_info *info,
                                               struct orr_diag *diag);

/* Adds an operator of a kind with its attributes (kinds/kinds.h). Errors: what the kind refuses;
 * inputs that do not stand before it; a number of inputs that the kind does not take; a name that
 * is taken; an owner that has other weights; more than MODEL_MAX_OPS; sizes of 2^63 and more.
 * O(inputs), and O(length of the name). */
enum orr_status orr_model_add(struct model_builder *builder, const struct model_op_spec *spec,
                              const void *attributes, model_value *out, struct orr_diag *diag);

/* Values so far: the next one's number. */
uint32_t orr_model_values(const struct model_builder *builder);

/* What a value is. */
bool orr_model_value_is_data(const struct model_builder *builder, model_value value);
const struct model_shape *orr_model_value_shape(const struct model_builder *builder,
                                                model_value value);

/* The graph, which needs an operator. */
enum orr_status orr_model_finish(struct model_builder *builder, struct model_graph *out,
                                 struct orr_diag *diag);

#endif
