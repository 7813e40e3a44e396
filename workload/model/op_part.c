/* Parts of operators; see op_part.h. */
#include "workload/model/op_part.h"

#include <stddef.h>
#include <string.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/model/kinds/kind.h"

/* Cuts an input where the part needs a slice of it. */
static void cut_input(const struct model_dim *dim, uint64_t parts, uint32_t number,
                      struct model_input *input)
{
    const struct model_cut *cut = &dim->cut[number == 0 ? MODEL_FIRST_INPUT : MODEL_OTHER_INPUTS];
    if (cut->needs == MODEL_NEEDS_SLICE && cut->axis != MODEL_SAMPLE_AXIS &&
        cut->axis <= input->shape.axes) {
        uint64_t *size = &input->shape.size[cut->axis - 1];
        *size = sat_divide_up(*size, parts);
    }
}

static enum orr_status fill(const struct model_op *whole, const void *attributes,
                            const struct model_input *input, uint64_t element_bytes,
                            struct model_op *out, struct orr_diag *diag)
{
    struct model_draft draft = {.input = input,
                                .inputs = whole->inputs,
                                .of_data = whole->of_data,
                                .element_bytes = element_bytes,
                                .section = whole->section,
                                .name = whole->name};
    orr_model_add_axis_dim(&draft, "sample", MODEL_SAMPLE_AXIS, 0, MODEL_WEIGHTS_COPIED);
    const enum orr_status status = whole->kind->fill(attributes, &draft, diag);
    const uint64_t bytes = whole->output_bytes / orr_model_elements(&whole->shape);
    *out = *whole;
    out->attributes = NULL;
    out->input = NULL;
    out->dims = 0;
    out->dim = NULL;
    out->forward = draft.op.forward;
    out->backward = draft.op.backward;
    out->weight_gradient = draft.op.weight_gradient;
    out->kept_bytes = draft.op.kept_bytes;
    out->weights = draft.op.weights;
    out->bias = draft.op.bias;
    out->shape = draft.op.shape;
    out->weight_bytes = sat_times(out->weights, element_bytes);
    out->output_bytes = sat_times(orr_model_elements(&out->shape), bytes);
    return status;
}

static enum orr_status cut_all(const struct model_op *whole, uint64_t element_bytes,
                               const uint32_t *degree, void *attributes, struct model_input *input,
                               struct model_op *out, struct orr_diag *diag)
{
    memcpy(attributes, whole->attributes, whole->kind->attributes);
    if (whole->inputs > 0) {
        memcpy(input, whole->input, whole->inputs * sizeof *input);
    }
    for (uint32_t d = 1; d < whole->dims; d++) {
        for (uint32_t i = 0; i < whole->inputs && degree[d] > 1; i++) {
            cut_input(&whole->dim[d], degree[d], i, &input[i]);
        }
        if (degree[d] > 1 && whole->kind->cut != NULL) {
            whole->kind->cut(attributes, input, whole, whole->dim[d].name, degree[d]);
        }
    }
    return fill(whole, attributes, input, element_bytes, out, diag);
}

enum { FEW_INPUTS = 4, FEW_BYTES = 256 };

enum orr_status orr_model_part(const struct model_op *whole, uint64_t element_bytes,
                               const uint32_t *degree, struct model_op *out, struct orr_diag *diag)
{
    _Alignas(max_align_t) unsigned char few_bytes[FEW_BYTES];
    struct model_input few_inputs[FEW_INPUTS];
    const bool many = whole->inputs > FEW_INPUTS || whole->kind->attributes > FEW_BYTES;
    void *attributes = many ? orr_heap_calloc(1, whole->kind->attributes) : few_bytes;
    struct model_input *input =
        many ? orr_heap_calloc(whole->inputs + 1u, sizeof *input) : few_inputs;
    const enum orr_status status =
        attributes != NULL && input != NULL
            ? cut_all(whole, element_bytes, degree, attributes, input, out, diag)
            : orr_diag_no_memory(diag, "a part of an operator");
    if (many) {
        orr_heap_free(attributes);
        orr_heap_free(input);
    }
    return status;
}
