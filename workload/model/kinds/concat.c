/* Concatenation of features, of tokens too, or of channels. One operation an element, and a copy.
 */
#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/model/op_graph.h"

static const struct orr_key keys[] = {MODEL_ENTRY_KEYS};

static enum orr_status check_others(const struct model_draft *draft, uint32_t axis,
                                    struct orr_diag *diag)
{
    const struct model_shape *first = &draft->input[0].shape;
    for (uint32_t i = 1; i < draft->inputs; i++) {
        const struct model_shape *other = &draft->input[i].shape;
        bool fits = other->axes == first->axes;
        for (uint32_t a = 0; a < first->axes && fits; a++) {
            fits = a == axis || other->size[a] == first->size[a];
        }
        if (!fits) {
            char one[MODEL_SHAPE_BYTES], two[MODEL_SHAPE_BYTES];
            return orr_model_fail(draft, "input", diag, "%s cannot be concatenated to %s",
                                  orr_model_shape_text(other, two),
                                  orr_model_shape_text(first, one));
        }
    }
    return ORR_OK;
}

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    struct model_shape *shape = &draft->op.shape;
    (void)attributes;
    *shape = draft->input[0].shape;
    const uint32_t joined = shape->axes == 2 ? 1 : 0;
    const enum orr_status status = check_others(draft, joined, diag);
    for (uint32_t i = 1; i < draft->inputs && status == ORR_OK; i++) {
        shape->size[joined] = sat_plus(shape->size[joined], draft->input[i].shape.size[joined]);
    }
    if (status == ORR_OK) {
        orr_model_stream(draft, orr_model_elements(shape), 2, 2);
        for (uint8_t axis = 1; axis <= shape->axes; axis++) {
            if (axis != joined + 1) {
                orr_model_add_axis_dim(draft, orr_model_axis_name(shape, axis), axis,
                                       shape->size[axis - 1], MODEL_WEIGHTS_COPIED);
            }
        }
    }
    return status;
}

const struct model_kind_ops orr_model_kind_concat = {
    .name = "concat",
    .summary = "the concatenation of its inputs",
    .table = {"a concatenation", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_plain),
    .min_inputs = 1,
    .max_inputs = 1000000,
    .fill = fill,
};
