/* Helpers of the kinds of operators; see kind.h. */
#include "workload/model/kinds/kind.h"

#include "core/conf/conf.h"
#include "core/saturate.h"
#include "workload/trace/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ---- */

enum orr_status orr_model_fail(const struct model_draft *draft, const char *key,
                               struct orr_diag *diag, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (draft->section == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "operator \"%s\": %s%s%s", draft->name,
                             key != NULL ? key : "", key != NULL ? ": " : "", text);
    }
    const struct orr_conf *node = key != NULL ? orr_conf_get(draft->section, key) : NULL;
    const struct orr_location location = orr_conf_location(node != NULL ? node : draft->section);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s%s%s: %s", draft->section->path,
                         key != NULL ? "." : "", key != NULL ? key : "", text);
}

/* ---- dimensions ---- */

void orr_model_add_dim(struct model_draft *draft, struct model_dim dim)
{
    ORR_ASSERT(draft->op.dims < MODEL_MAX_DIMS);
    draft->dim[draft->op.dims++] = dim;
}

void orr_model_add_axis_dim(struct model_draft *draft, const char *name, uint8_t axis,
                            uint64_t size, enum model_weights weights)
{
    const struct model_cut cut = {MODEL_NEEDS_SLICE, axis};
    orr_model_add_dim(draft, (struct model_dim){.name = name,
                                                .cut = {cut, cut},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = axis,
                                                .weights = (uint8_t)weights,
                                                .size = size});
}

void orr_model_add_parts_dim(struct model_draft *draft)
{
    for (uint32_t d = 0; d < draft->op.dims; d++) {
        if (strcmp(draft->dim[d].name, "parts") == 0) {
            return;
        }
    }
    orr_model_add_axis_dim(draft, "parts", 1, UINT32_MAX, MODEL_WEIGHTS_SLICED);
}

void orr_model_add_axis_dims(struct model_draft *draft, enum model_weights weights)
{
    const struct model_shape *shape = &draft->op.shape;
    for (uint8_t axis = 1; axis <= shape->axes; axis++) {
        orr_model_add_axis_dim(draft, orr_model_axis_name(shape, axis), axis, shape->size[axis - 1],
                               weights);
    }
}

void orr_model_add_product_dims(struct model_draft *draft, uint64_t in, uint64_t out)
{
    const struct model_shape *from = &draft->input[0].shape;
    const uint8_t last = from->axes == 2 ? 2 : 1; /* channels of channels x height x width */
    if (last == 2) {
        orr_model_add_axis_dim(draft, "tokens", 1, from->size[0], MODEL_WEIGHTS_COPIED);
    }
    orr_model_add_dim(draft, (struct model_dim){.name = "output",
                                                .cut = {orr_model_all(), orr_model_all()},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = last,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = out});
    orr_model_add_dim(draft,
                      (struct model_dim){.name = "input",
                                         .cut = {orr_model_slice(last), orr_model_slice(last)},
                                         .gives = MODEL_GIVES_PARTIAL_SUM,
                                         .axis = MODEL_NO_AXIS,
                                         .weights = MODEL_WEIGHTS_SLICED,
                                         .size = from->axes == 3 ? from->size[0] : in});
}

const char *orr_model_axis_name(const struct model_shape *shape, uint8_t axis)
{
    static const char *const names[MODEL_MAX_AXES][MODEL_MAX_AXES] = {
        {"features"}, {"tokens", "features"}, {"channels", "height", "width"}};
    return names[shape->axes - 1][axis - 1];
}

/* ---- shapes ---- */

const char *orr_model_shape_text(const struct model_shape *shape, char text[MODEL_SHAPE_BYTES])
{
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < shape->axes; i++) {
        at += (size_t)snprintf(text + at, MODEL_SHAPE_BYTES - at, "%s%" PRIu64, i > 0 ? " x " : "",
                               shape->size[i]);
    }
    return text;
}

enum orr_status orr_model_check_axes(const struct model_draft *draft, uint32_t first,
                                     uint32_t second, struct orr_diag *diag)
{
    static const char *const names[] = {"features", "tokens x features",
                                        "channels x height x width"};
    for (uint32_t i = 0; i < draft->inputs; i++) {
        const uint32_t axes = draft->input[i].shape.axes;
        if (axes != first && axes != second) {
            char text[MODEL_SHAPE_BYTES];
            return orr_model_fail(draft, "input", diag, "expected %s%s%s, got %s", names[first - 1],
                                  second != 0 ? " or " : "", second != 0 ? names[second - 1] : "",
                                  orr_model_shape_text(&draft->input[i].shape, text));
        }
    }
    return ORR_OK;
}

static bool is_same_shape(const struct model_shape *a, const struct model_shape *b)
{
    bool alike = a->axes == b->axes;
    for (uint32_t i = 0; i < a->axes && alike; i++) {
        alike = a->size[i] == b->size[i];
    }
    return alike;
}

enum orr_status orr_model_check_same_shape(const struct model_draft *draft, struct orr_diag *diag)
{
    for (uint32_t i = 1; i < draft->inputs; i++) {
        const struct model_shape *first = &draft->input[0].shape, *other = &draft->input[i].shape;
        if (!is_same_shape(first, other)) {
            char one[MODEL_SHAPE_BYTES], two[MODEL_SHAPE_BYTES];
            return orr_model_fail(
                draft, "input", diag, "expected inputs of one shape, got %s and %s",
                orr_model_shape_text(first, one), orr_model_shape_text(other, two));
        }
    }
    return ORR_OK;
}

/* ---- work ---- */

uint64_t orr_model_output_bytes(const struct model_draft *draft)
{
    return sat_times(orr_model_elements(&draft->op.shape), draft->element_bytes);
}

static uint64_t input_bytes_from(const struct model_draft *draft, uint32_t from)
{
    uint64_t bytes = 0;
    for (uint32_t i = from; i < draft->inputs; i++) {
        const struct model_input *input = &draft->input[i];
        bytes = sat_plus(bytes, sat_times(orr_model_elements(&input->shape), input->element_bytes));
    }
    return bytes;
}

uint64_t orr_model_input_bytes(const struct model_draft *draft)
{
    return input_bytes_from(draft, 0);
}

uint64_t orr_model_other_input_bytes(const struct model_draft *draft)
{
    return input_bytes_from(draft, 1);
}

void orr_model_products_back(struct model_draft *draft)
{
    struct model_op *op = &draft->op;
    const uint64_t times = (draft->of_data ? 0u : 1u) + (op->weights != 0 ? 1u : 0u);
    op->weight_gradient = op->weights != 0 ? op->forward : (struct model_work){0};
    op->keeps_inputs = true;
    op->backward =
        (struct model_work){.flops = sat_times(op->forward.flops, times),
                            .input_bytes = sat_times(op->forward.input_bytes, times),
                            .other_input_bytes = sat_times(op->forward.other_input_bytes, times),
                            .output_bytes = sat_times(op->forward.output_bytes, times),
                            .inner_bytes = sat_times(op->forward.inner_bytes, times),
                            .weight_bytes = sat_times(op->forward.weight_bytes, times)};
}

void orr_model_stream(struct model_draft *draft, uint64_t flops, unsigned forward_arrays,
                      unsigned backward_arrays)
{
    struct model_op *op = &draft->op;
    const uint64_t bytes = orr_model_output_bytes(draft);
    op->op_kind = ORR_OP_ELEMENTWISE;
    op->forward = (struct model_work){
        .flops = flops, .input_bytes = sat_times(bytes, forward_arrays - 1), .output_bytes = bytes};
    if (!draft->of_data) {
        op->backward = (struct model_work){.flops = flops,
                                           .input_bytes = sat_times(bytes, backward_arrays - 1),
                                           .output_bytes = bytes};
    }
}
