/* The builder of operator graphs; see model_builder.h. Values, data or operators, are numbered in
 * the order in which they are added. */
#include "workload/model/model_builder.h"

#include "core/saturate.h"
#include "core/strings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct value {
    struct model_shape shape;
    uint64_t element_bytes;
    uint32_t op; /* MODEL_DATA: none */
};

struct model_builder {
    struct orr_arena *arena;
    struct model_info info;
    struct orr_strings names;
    struct model_op *op;
    struct model_edge *edge;
    struct value *value;
    uint32_t *taken; /* [ops]: the last operator that uses it, + 1 */
    struct model_layer *layer;
    uint32_t ops, edges, values, layers;
    uint64_t data_bytes; /* of all data */
    size_t layer_capacity;
    size_t op_capacity, edge_capacity, value_capacity, taken_capacity;
};

struct model_builder *orr_model_builder_create(struct orr_arena *arena,
                                               const struct model_info *info, struct orr_diag *diag)
{
    struct model_builder *builder = orr_arena_alloc(arena, sizeof *builder);
    if (builder == NULL) {
        (void)orr_diag_no_memory(diag, "a model");
        return NULL;
    }
    ORR_ASSERT(info->element_bytes > 0);
    *builder = (struct model_builder){.arena = arena, .info = *info};
    orr_strings_init(&builder->names, arena);
    return builder;
}

struct orr_arena *orr_model_builder_arena(const struct model_builder *builder)
{
    return builder->arena;
}

uint32_t orr_model_values(const struct model_builder *builder)
{
    return builder->values;
}

uint32_t orr_model_layers(const struct model_builder *builder)
{
    return builder->layers;
}

bool orr_model_value_is_data(const struct model_builder *builder, model_value value)
{
    ORR_ASSERT(value < builder->values);
    return builder->value[value].op == MODEL_DATA;
}

const struct model_shape *orr_model_value_shape(const struct model_builder *builder,
                                                model_value value)
{
    ORR_ASSERT(value < builder->values);
    return &builder->value[value].shape;
}

/* ---- inputs ---- */

static enum orr_status check_inputs(const struct model_builder *builder,
                                    const struct model_op_spec *spec,
                                    const struct model_draft *draft, struct orr_diag *diag)
{
    const struct model_kind_ops *kind = spec->kind;
    if (spec->inputs < kind->min_inputs || spec->inputs > kind->max_inputs) {
        char max[32];
        (void)snprintf(max, sizeof max, " to %" PRIu32, kind->max_inputs);
        const bool one = kind->min_inputs == kind->max_inputs;
        return orr_model_fail(draft, "input", diag,
                              "expected %s%" PRIu32 "%s input%s of a %s, got %" PRIu32,
                              kind->max_inputs == UINT32_MAX ? "at least " : "", kind->min_inputs,
                              one || kind->max_inputs == UINT32_MAX ? "" : max,
                              one ? orr_plural(kind->min_inputs) : "s", kind->name, spec->inputs);
    }
    for (uint32_t i = 0; i < spec->inputs; i++) {
        if (spec->input[i] >= builder->values) {
            return orr_model_fail(draft, "input", diag,
                                  "an input that is not made before the operator: a cycle");
        }
    }
    return ORR_OK;
}

/* Sets the inputs, and copies the attributes. */
static enum orr_status set_inputs(struct model_builder *builder, const struct model_op_spec *spec,
                                  const void *given, struct model_draft *draft,
                                  struct orr_diag *diag)
{
    const enum orr_status status = check_inputs(builder, spec, draft, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct model_input *input = orr_arena_array(builder->arena, spec->inputs, sizeof *input);
    void *attributes = orr_arena_array(builder->arena, 1, spec->kind->attributes);
    if (input == NULL || attributes == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    draft->op.attributes = memcpy(attributes, given, spec->kind->attributes);
    draft->input = draft->op.input = input;
    draft->inputs = draft->op.inputs = spec->inputs;
    draft->of_data = true;
    for (uint32_t i = 0; i < spec->inputs; i++) {
        const struct value *value = &builder->value[spec->input[i]];
        input[i] = (struct model_input){value->shape, value->element_bytes, value->op};
        draft->of_data = draft->of_data && value->op == MODEL_DATA;
        draft->op.takes_data = draft->op.takes_data || value->op == MODEL_DATA;
    }
    return ORR_OK;
}

/* An operator that is listed more than once among the inputs is one edge. */
static enum orr_status add_edges(struct model_builder *builder, const struct model_draft *draft,
                                 struct model_op *op, struct orr_diag *diag)
{
    struct model_edge *edge =
        orr_arena_grow(builder->arena, builder->edge, &builder->edge_capacity,
                       (size_t)builder->edges + draft->inputs + 1, sizeof *edge);
    uint32_t *taken = orr_arena_grow(builder->arena, builder->taken, &builder->taken_capacity,
                                     builder->ops + 1u, sizeof *taken);
    if (edge == NULL || taken == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    builder->edge = edge;
    builder->taken = taken;
    taken[builder->ops] = 0;
    op->first_edge = builder->edges;
    for (uint32_t i = 0; i < draft->inputs; i++) {
        const uint32_t from = draft->input[i].from;
        if (from != MODEL_DATA && taken[from] != builder->ops + 1) {
            taken[from] = builder->ops + 1;
            edge[builder->edges++] = (struct model_edge){.from = from, .input = i};
        }
    }
    op->edges = builder->edges - op->first_edge;
    return builder->edges <= MODEL_MAX_EDGES
               ? ORR_OK
               : orr_model_fail(draft, "input", diag, "a model of more than %d edges",
                                MODEL_MAX_EDGES);
}

/* ---- operators ---- */

static enum orr_status set_name(struct model_builder *builder, const struct model_op_spec *spec,
                                struct model_draft *draft, struct orr_diag *diag)
{
    const char *name = spec->name;
    if (name == NULL) {
        name = orr_arena_printf(builder->arena, "%s %" PRIu32, spec->kind->name, builder->values);
    }
    if (name == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    draft->name = draft->op.name = name;
    draft->op.label = spec->label != NULL ? spec->label : name;
    const uint32_t known = builder->names.count;
    if (orr_strings_add(&builder->names, name, strlen(name)) == UINT32_MAX) {
        return orr_diag_no_memory(diag, "a model");
    }
    return builder->names.count > known
               ? ORR_OK
               : orr_model_fail(draft, "name", diag, "\"%s\" is another operator's name", name);
}

static bool exceeds_limit(const struct model_work *work)
{
    return work->flops >= INT64_MAX || work->input_bytes >= INT64_MAX ||
           work->output_bytes >= INT64_MAX || work->inner_bytes >= INT64_MAX ||
           work->weight_bytes >= INT64_MAX;
}

static enum orr_status check_sizes(const struct model_draft *draft, struct orr_diag *diag)
{
    const struct model_op *op = &draft->op;
    return exceeds_limit(&op->forward) || exceeds_limit(&op->backward) ||
                   op->weights >= INT64_MAX || op->weight_bytes >= INT64_MAX ||
                   op->output_bytes >= INT64_MAX
               ? orr_model_fail(draft, NULL, diag,
                                "its operations, weights or bytes are more than 2^63")
               : ORR_OK;
}

static enum orr_status set_owner(const struct model_builder *builder,
                                 const struct model_op_spec *spec, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    struct model_op *op = &draft->op;
    op->owner = builder->ops;
    if (!spec->shared) {
        return ORR_OK;
    }
    const uint32_t owner =
        spec->owner < builder->values ? builder->value[spec->owner].op : MODEL_DATA;
    if (owner == MODEL_DATA) {
        return orr_model_fail(draft, "shared", diag, "expected an operator before it");
    }
    const struct model_op *first = &builder->op[owner];
    if (spec->of_block && op->weights == 0) {
        return ORR_OK;
    }
    if (first->weights != op->weights || op->weights == 0) {
        return orr_model_fail(draft, "shared", diag,
                              "\"%s\" has %" PRIu64 " weights, but \"%s\" has %" PRIu64,
                              first->name, first->weights, op->name, op->weights);
    }
    op->owner = first->owner;
    return ORR_OK;
}

/* Derives the remaining fields from those that the kind has set. */
static enum orr_status complete(struct model_builder *builder, const struct model_op_spec *spec,
                                struct model_draft *draft, struct orr_diag *diag)
{
    struct model_op *op = &draft->op;
    const uint64_t bytes =
        spec->output_element_bytes != 0 ? spec->output_element_bytes : builder->info.element_bytes;
    op->kind = spec->kind;
    op->profile = spec->profile;
    op->section = spec->section;
    op->of_data = draft->of_data;
    if (builder->info.lists_gradients) {
        op->backward = op->weight_gradient = (struct model_work){0};
    }
    op->output_bytes = sat_times(orr_model_elements(&op->shape), bytes);
    op->weight_bytes = sat_times(op->weights, builder->info.element_bytes);
    struct model_dim *dim = orr_arena_array(builder->arena, op->dims, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    memcpy(dim, draft->dim, op->dims * sizeof *dim);
    op->dim = dim;
    const enum orr_status status = builder->info.saturates ? ORR_OK : check_sizes(draft, diag);
    return status == ORR_OK ? set_owner(builder, spec, draft, diag) : status;
}

/* Operators without weights between two layers belong to the one behind them, or in front of a
 * block to the one before. */
static void merge_loose(struct model_builder *builder, struct model_layer *next)
{
    const struct model_layer *loose = &builder->layer[builder->layers - 1];
    builder->layers--;
    if (!next->of_block) {
        next->first = loose->first;
        return;
    }
    for (uint32_t i = loose->first; i < loose->end; i++) {
        builder->op[i].layer = builder->layers - 1;
    }
    builder->layer[builder->layers - 1].end = loose->end;
}

static enum orr_status begin_layer(struct model_builder *builder, struct model_layer layer,
                                   struct orr_diag *diag)
{
    if (builder->layers > 1 && builder->layer[builder->layers - 1].is_loose) {
        merge_loose(builder, &layer);
    }
    struct model_layer *grown =
        orr_arena_grow(builder->arena, builder->layer, &builder->layer_capacity,
                       builder->layers + 1u, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    builder->layer = grown;
    grown[builder->layers++] = layer;
    return ORR_OK;
}

/* The operator's layer: its own if it has weights, or stands behind a table, and joins no other.
 * One without weights behind a block is loose. */
static enum orr_status set_layer(struct model_builder *builder, const struct model_op_spec *spec,
                                 struct model_op *op, struct orr_diag *diag)
{
    const bool behind_table =
        builder->ops > 0 && builder->op[builder->ops - 1].table && !spec->joins_layer;
    const bool begins =
        spec->layer != NULL || (op->weights != 0 && !spec->joins_layer) || behind_table;
    const bool loose = !begins && !spec->joins_layer && builder->layers > 0 &&
                       builder->layer[builder->layers - 1].of_block;
    const struct model_layer layer = {.name = spec->layer != NULL ? spec->layer
                                              : begins || loose   ? op->label
                                                                  : NULL,
                                      .first = builder->ops,
                                      .of_block = spec->layer != NULL,
                                      .is_loose = loose};
    if (begins || loose || builder->layers == 0) {
        const enum orr_status status = begin_layer(builder, layer, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    struct model_layer *current = &builder->layer[builder->layers - 1];
    op->layer = builder->layers - 1;
    current->end = builder->ops + 1;
    current->weights = sat_plus(current->weights, op->owner == builder->ops ? op->weights : 0);
    return ORR_OK;
}

static enum orr_status append(struct model_builder *builder, const struct model_op_spec *spec,
                              struct model_draft *draft, struct orr_diag *diag)
{
    struct model_op *grown = orr_arena_grow(builder->arena, builder->op, &builder->op_capacity,
                                            builder->ops + 1u, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    builder->op = grown;
    enum orr_status status = add_edges(builder, draft, &draft->op, diag);
    if (status == ORR_OK) {
        status = set_layer(builder, spec, &draft->op, diag);
    }
    grown[builder->ops++] = draft->op;
    return status;
}

static enum orr_status add_value(struct model_builder *builder, struct value value,
                                 model_value *out, struct orr_diag *diag)
{
    struct value *grown = orr_arena_grow(builder->arena, builder->value, &builder->value_capacity,
                                         builder->values + 1u, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    builder->value = grown;
    *out = builder->values;
    grown[builder->values++] = value;
    return ORR_OK;
}

enum orr_status orr_model_add_view(struct model_builder *builder, model_value value,
                                   const struct model_shape *shape, model_value *out,
                                   struct orr_diag *diag)
{
    ORR_ASSERT(value < builder->values);
    struct value view = builder->value[value];
    ORR_ASSERT(orr_model_elements(shape) == orr_model_elements(&view.shape));
    view.shape = *shape;
    return add_value(builder, view, out, diag);
}

/* The value that an operator, or data, gives. */
static struct value value_of(struct model_builder *builder, const struct model_op_spec *spec,
                             const struct model_draft *draft)
{
    const uint64_t element =
        spec->output_element_bytes != 0 ? spec->output_element_bytes : builder->info.element_bytes;
    if (spec->kind->source) {
        builder->data_bytes =
            sat_plus(builder->data_bytes, sat_times(orr_model_elements(&draft->op.shape), element));
        return (struct value){draft->op.shape, element, MODEL_DATA};
    }
    return (struct value){draft->op.shape, element, builder->ops - 1};
}

enum orr_status orr_model_add(struct model_builder *builder, const struct model_op_spec *spec,
                              const void *attributes, model_value *out, struct orr_diag *diag)
{
    struct model_draft draft = {.section = spec->section,
                                .element_bytes = builder->info.element_bytes};
    enum orr_status status = set_name(builder, spec, &draft, diag);
    const uint32_t max = builder->info.max_ops != 0 ? builder->info.max_ops : MODEL_MAX_OPS;
    if (status == ORR_OK && builder->values >= max) {
        return orr_model_fail(&draft, NULL, diag, "a model of more than %" PRIu32 " operators",
                              max);
    }
    if (status == ORR_OK) {
        status = set_inputs(builder, spec, attributes, &draft, diag);
    }
    if (status == ORR_OK) {
        orr_model_add_axis_dim(&draft, "sample", MODEL_SAMPLE_AXIS, 0, MODEL_WEIGHTS_COPIED);
        status = spec->kind->fill(attributes, &draft, diag);
    }
    if (status == ORR_OK && builder->info.parts) {
        orr_model_add_parts_dim(&draft);
    }
    if (status == ORR_OK) {
        status = complete(builder, spec, &draft, diag);
    }
    if (status == ORR_OK && !spec->kind->source) {
        status = append(builder, spec, &draft, diag);
    }
    return status == ORR_OK ? add_value(builder, value_of(builder, spec, &draft), out, diag)
                            : status;
}

/* As set, else the model's batch: of the whole job, or per device. */
static uint64_t measured_batch(const struct model_info *info)
{
    const uint64_t output_element = info->batch != 0 ? info->batch : info->batch_per_device;
    return info->measured_batch != 0 ? info->measured_batch : output_element;
}

enum orr_status orr_model_finish(struct model_builder *builder, struct model_graph *out,
                                 struct orr_diag *diag)
{
    const struct model_info *info = &builder->info;
    if (builder->ops == 0) {
        const struct orr_location location =
            orr_location_file(info->file != NULL ? info->file : "");
        return orr_diag_fail(diag, ORR_ERR_INPUT, info->file != NULL ? &location : NULL,
                             "expected a model with an operator, got none");
    }
    *out = (struct model_graph){.name = info->name,
                                .file = info->file,
                                .batch = info->batch,
                                .batch_per_device = info->batch_per_device,
                                .measured_batch = measured_batch(info),
                                .element_bytes = info->element_bytes,
                                .data_bytes = builder->data_bytes,
                                .lists_gradients = info->lists_gradients,
                                .ops = builder->ops,
                                .edges = builder->edges,
                                .layers = builder->layers,
                                .op = builder->op,
                                .edge = builder->edge,
                                .layer = builder->layer};
    return ORR_OK;
}
