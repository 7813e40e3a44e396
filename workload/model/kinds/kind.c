/* The registry of operator kinds, and what they share; see kind.h. */
#include "workload/model/kinds/kind.h"

#include <stdarg.h>
#include <stdio.h>

#define ENTRY(kind, text) &orr_model_kind_##kind,
const struct model_kind_ops *const orr_model_kinds[] = {ORR_MODEL_KINDS(ENTRY) NULL};
#undef ENTRY

/* ---- messages ---- */

enum orr_status orr_model_refuse(const struct model_draft *draft, const char *key,
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
    const struct orr_place place = orr_conf_place(node != NULL ? node : draft->section);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s%s%s: %s", draft->section->path,
                         key != NULL ? "." : "", key != NULL ? key : "", text);
}

/* ---- dimensions ---- */

void orr_model_split(struct model_draft *draft, struct model_dim dim)
{
    ORR_ASSERT(draft->op.dims < MODEL_MOST_DIMS);
    draft->dim[draft->op.dims++] = dim;
}

void orr_model_split_alike(struct model_draft *draft, const char *name, uint8_t axis, uint64_t size,
                           enum model_weights weights)
{
    const struct model_cut cut = {MODEL_NEEDS_SLICE, axis};
    orr_model_split(draft, (struct model_dim){.name = name,
                                              .cut = {cut, cut},
                                              .gives = MODEL_GIVES_SLICE,
                                              .axis = axis,
                                              .weights = (uint8_t)weights,
                                              .size = size});
}

const char *orr_model_axis_name(const struct model_shape *shape, uint8_t axis)
{
    static const char *const names[MODEL_MOST_AXES][MODEL_MOST_AXES] = {
        {"features"}, {"tokens", "features"}, {"channels", "height", "width"}};
    return names[shape->axes - 1][axis - 1];
}

/* ---- work ---- */

uint64_t orr_model_input_bytes(const struct model_draft *draft)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < draft->inputs; i++) {
        const struct model_input *input = &draft->input[i];
        bytes = sat_plus(bytes, sat_times(orr_model_elements(&input->shape), input->element_bytes));
    }
    return bytes;
}

void orr_model_products_back(struct model_draft *draft)
{
    struct model_op *op = &draft->op;
    const uint64_t times = (draft->of_data ? 0u : 1u) + (op->weights != 0 ? 1u : 0u);
    op->backward = (struct model_work){.flops = sat_times(op->forward.flops, times),
                                       .input_bytes = sat_times(op->forward.input_bytes, times),
                                       .output_bytes = sat_times(op->forward.output_bytes, times),
                                       .inner_bytes = sat_times(op->forward.inner_bytes, times),
                                       .weight_bytes = sat_times(op->forward.weight_bytes, times)};
}

void orr_model_stream(struct model_draft *draft, uint64_t flops, unsigned forward_arrays,
                      unsigned backward_arrays)
{
    struct model_op *op = &draft->op;
    const uint64_t bytes = sat_times(orr_model_elements(&op->shape), draft->element_bytes);
    op->op_kind = ORR_OP_ELEMENTWISE;
    op->forward = (struct model_work){
        .flops = flops, .input_bytes = sat_times(bytes, forward_arrays - 1), .output_bytes = bytes};
    op->backward = (struct model_work){.flops = flops,
                                       .input_bytes = sat_times(bytes, backward_arrays - 1),
                                       .output_bytes = bytes};
}
