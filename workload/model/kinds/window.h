/* A square window that moves over height and width: what convolutions and pools share. */
#ifndef ORR_WORKLOAD_MODEL_KINDS_WINDOW_H
#define ORR_WORKLOAD_MODEL_KINDS_WINDOW_H

#include "workload/model/kinds/kind.h"

struct model_window {
    uint64_t kernel, stride, pad;
};

/* How often a kernel fits along an axis. */
static inline uint64_t orr_model_steps(uint64_t length, const struct model_window *window)
{
    return (length + 2 * window->pad - window->kernel) / window->stride + 1;
}

/* The shape behind the window, with the channels of the input. Errors: no image; a kernel larger
 * than the padded input. */
enum orr_status orr_model_window_shape(const struct model_draft *draft,
                                       const struct model_window *window, struct model_shape *out,
                                       struct orr_diag *diag);

/* The dimensions "height" and "width": slices of the input with a halo of as many rows as windows
 * on both sides of a cut share. */
void orr_model_add_window_dims(struct model_draft *draft, const struct model_window *window,
                               enum model_weights weights);

#endif
