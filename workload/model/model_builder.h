/* Builds an operator graph in memory; each operator is added after its inputs.
 *
 *     builder = orr_model_builder_create(arena, &info, diag);
 *     struct model_op_spec spec = {.kind = &orr_model_kind_data};
 *     orr_model_add(builder, &spec, &image, &x, diag);
 *     spec = (struct model_op_spec){.kind = &orr_model_kind_dense, .input = &x, .inputs = 1};
 *     orr_model_add(builder, &spec, &dense, &x, diag);
 *     orr_model_finish(builder, &graph, diag); */
#ifndef ORR_WORKLOAD_MODEL_MODEL_BUILDER_H
#define ORR_WORKLOAD_MODEL_MODEL_BUILDER_H

#include "workload/model/kinds/kind.h"
#include "workload/model/op_graph.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

/* The builder's number of a data node or an operator. */
typedef uint32_t model_value;
#define MODEL_NO_VALUE UINT32_MAX

struct model_info {
    const char *name, *file;
    uint64_t batch, batch_per_device;
    uint64_t measured_batch; /* 0: batch, else batch_per_device */
    uint64_t element_bytes;  /* >= 1 */
    bool lists_gradients;
    uint32_t max_ops; /* 0: MODEL_MAX_OPS */
    bool saturates;   /* sizes of 2^63 or more are no error */
    bool parts;       /* every operator also has the dimension "parts": orr_model_add_parts_dim */
};

struct model_op_spec {
    const struct model_kind_ops *kind;
    const char *name;  /* NULL: "KIND NUMBER" */
    const char *label; /* its name in traces; NULL: its name */
    const char *layer; /* the name of the layer that it begins; NULL: its label */
    bool joins_layer;  /* it begins none, even with weights */
    const char *profile;
    const model_value *input; /* [inputs] */
    uint32_t inputs;
    bool shared;                   /* it uses the weights of ... */
    model_value owner;             /* ... this operator, */
    bool of_block;                 /* may have no weights: the block as a whole shares weights */
    uint64_t output_element_bytes; /* 0: the model's */
    const struct orr_conf *section;
};

struct model_builder;

/* Creates a builder; everything lives in the arena, texts are borrowed. NULL when memory is out. */
struct model_builder *orr_model_builder_create(struct orr_arena *arena,
                                               const struct model_info *info,
                                               struct orr_diag *diag);

/* Adds an operator of a kind with its attributes (kinds/kinds.h). Errors: those of the kind; an
 * input that was not added before; a number of inputs that the kind does not take; a duplicate
 * name; an owner with other weights; more than MODEL_MAX_OPS; sizes of 2^63 or more. O(inputs +
 * length of the name). */
enum orr_status orr_model_add(struct model_builder *builder, const struct model_op_spec *spec,
                              const void *attributes, model_value *out, struct orr_diag *diag);

/* Another shape of a value, of as many elements; no operator. */
enum orr_status orr_model_add_view(struct model_builder *builder, model_value value,
                                   const struct model_shape *shape, model_value *out,
                                   struct orr_diag *diag);

/* The arena of the builder, for texts that it borrows. */
struct orr_arena *orr_model_builder_arena(const struct model_builder *builder);

/* Number of values so far: the number of the next one. */
uint32_t orr_model_values(const struct model_builder *builder);

/* Number of layers so far. */
uint32_t orr_model_layers(const struct model_builder *builder);

/* Properties of a value. */
bool orr_model_value_is_data(const struct model_builder *builder, model_value value);
const struct model_shape *orr_model_value_shape(const struct model_builder *builder,
                                                model_value value);

/* Finishes the graph, which must have at least one operator. */
enum orr_status orr_model_finish(struct model_builder *builder, struct model_graph *out,
                                 struct orr_diag *diag);

#endif
