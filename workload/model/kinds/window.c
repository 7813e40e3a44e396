/* Windows over height and width; see window.h. */
#include "workload/model/kinds/window.h"

#include "core/saturate.h"

#include <inttypes.h>

enum orr_status orr_model_window_shape(const struct model_draft *draft,
                                       const struct model_window *window, struct model_shape *out,
                                       struct orr_diag *diag)
{
    const struct model_shape *in = &draft->input[0].shape;
    const enum orr_status status = orr_model_check_axes(draft, 3, 0, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t padded = 2 * window->pad;
    if (window->kernel > in->size[1] + padded || window->kernel > in->size[2] + padded) {
        return orr_model_fail(draft, "kernel", diag,
                              "%" PRIu64 " x %" PRIu64 " is larger than the input, %" PRIu64
                              " x %" PRIu64 " padded by %" PRIu64,
                              window->kernel, window->kernel, in->size[1], in->size[2],
                              window->pad);
    }
    *out = (struct model_shape){.axes = 3,
                                .size = {in->size[0], orr_model_steps(in->size[1], window),
                                         orr_model_steps(in->size[2], window)}};
    return ORR_OK;
}

static void split(struct model_draft *draft, const struct model_window *window, uint8_t axis,
                  enum model_weights weights)
{
    const struct model_input *input = &draft->input[0];
    const uint64_t rows = window->kernel > window->stride ? window->kernel - window->stride : 0;
    const uint64_t row = sat_times(orr_model_elements(&input->shape) / input->shape.size[axis - 1],
                                   input->element_bytes);
    orr_model_add_axis_dim(draft, orr_model_axis_name(&input->shape, axis), axis,
                           draft->op.shape.size[axis - 1], weights);
    draft->dim[draft->op.dims - 1].halo_bytes = sat_times(rows, row);
}

void orr_model_add_window_dims(struct model_draft *draft, const struct model_window *window,
                               enum model_weights weights)
{
    split(draft, window, 2, weights);
    split(draft, window, 3, weights);
}
