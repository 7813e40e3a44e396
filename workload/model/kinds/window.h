/* A square window that moves over height and width; shared by convolutions and pools. */
#ifndef ORR_WORKLOAD_MODEL_KINDS_WINDOW_H
#define ORR_WORKLOAD_MODEL_KINDS_WINDOW_H

#include "workload/model/kinds/kind.h"
#include "workload/model/op_graph.h"

struct orr_diag;

struct model_window {
    uint64_t kernel, stride, pad;
};

/* Number of positions of a kernel along an axis. */
static inline uint64_t orr_model_steps(uint64_t length, const struct model_window *window)
{
    return (length + 2 * window->pad - window->kernel) / window->stride + 1;
}

/* The shape of the output, with the channels of the input. Errors: the input is no image; the
 * kernel is larger than the padded input. */
enum orr_status orr_model_window_shape(const struct model_draft *draft,
                                       const struct model_window *window, struct model_shape *out,
                                       struct orr_diag *diag);

/* Adds the dimensions "height" and "width": slices of the input with a halo, the rows on either
 * side of a cut that windows on the other side read. */
void orr_model_add_window_dims(struct model_draft *draft, const struct model_window *window,
                               enum model_weights weights);

#endif
