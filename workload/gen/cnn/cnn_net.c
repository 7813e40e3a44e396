/* The graph of a convolutional network and the work of its operators; see cnn.h. */
#include <inttypes.h>
#include <stdio.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/cnn/cnn.h"
#include "workload/model/kinds/window.h"
#include "workload/trace/trace.h"

/* ---- building ---- */

struct cnn_shape orr_cnn_shape_of(const struct cnn_net *net, uint32_t index)
{
    return index == CNN_IMAGE ? net->image : net->op[index].out;
}

uint64_t orr_cnn_steps(uint64_t length, uint64_t kernel, uint64_t stride, uint64_t pad)
{
    return orr_model_steps(length, &(struct model_window){kernel, stride, pad});
}

enum orr_status orr_cnn_add(struct orr_arena *arena, struct cnn_net *net, struct cnn_op op,
                            uint32_t *index, struct orr_diag *diag)
{
    struct cnn_op *grown =
        orr_arena_grow(arena, net->op, &net->capacity, net->count + 1u, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    net->op = grown;
    op.number = ++net->kind_count[op.kind];
    op.in = orr_cnn_shape_of(net, op.input[0]);
    for (uint32_t i = 0; i < op.input_count && op.keeps_input; i++) {
        if (op.input[i] != CNN_IMAGE) {
            net->op[op.input[i]].keeps_output = true;
        }
    }
    *index = net->count;
    net->op[net->count++] = op;
    return ORR_OK;
}

/* ---- operators ---- */

const char *orr_cnn_op_name(const struct cnn_op *op, char text[32])
{
    static const char *const names[CNN_KINDS] = {"conv", "norm", "pool", "sum", "dense", "loss"};
    (void)snprintf(text, 32, "%s %" PRIu32, names[op->kind], op->number);
    return text;
}

enum orr_op_kind orr_cnn_op_kind(const struct cnn_op *op)
{
    return orr_cnn_has_weights(op) ? ORR_OP_GEMM : ORR_OP_ELEMENTWISE;
}

bool orr_cnn_has_weights(const struct cnn_op *op)
{
    return op->kind == CNN_CONV || op->kind == CNN_DENSE;
}

static uint64_t elements(const struct cnn_shape *shape)
{
    return sat_times(shape->channels, sat_times(shape->height, shape->width));
}

/* A convolution as a matrix product (Chetlur et al. 2014), without the im2col copies of its input:
 * input, weights and output are touched once. */
static struct gen_work convolution(const struct cnn_op *op, uint64_t samples, uint64_t element)
{
    const uint64_t window =
        sat_times(sat_times(op->kernel_height, op->kernel_width), op->in.channels / op->groups);
    const uint64_t weights = sat_times(window, op->out.channels);
    const uint64_t moved = sat_times(samples, sat_plus(elements(&op->in), elements(&op->out)));
    return (struct gen_work){
        sat_times(sat_times(2, samples), sat_times(window, elements(&op->out))),
        sat_times(sat_plus(moved, weights), element)};
}

/* Number of arrays of the output's size that are read or written. A norm reads its input for the
 * sums and again to apply them; backward the same for the gradient (Ioffe and Szegedy 2015). */
static struct gen_work streams(const struct cnn_op *op, enum cnn_pass pass, uint64_t samples,
                               uint64_t element)
{
    static const unsigned arrays[CNN_KINDS][2] = {
        [CNN_NORM] = {3, 5}, [CNN_SUM] = {3, 3}, [CNN_LOSS] = {2, 3}};
    const uint64_t count = sat_times(samples, elements(&op->out));
    return (struct gen_work){count, sat_times(sat_times(count, arrays[op->kind][pass]), element)};
}

static struct gen_work pool(const struct cnn_op *op, uint64_t samples, uint64_t element)
{
    const uint64_t window = sat_times(op->kernel_height, op->kernel_width);
    const uint64_t moved = sat_plus(elements(&op->in), elements(&op->out));
    return (struct gen_work){sat_times(samples, sat_times(window, elements(&op->out))),
                             sat_times(sat_times(samples, moved), element)};
}

struct gen_work orr_cnn_work(const struct cnn_op *op, enum cnn_pass pass, uint64_t samples,
                             uint64_t element_bytes)
{
    switch (op->kind) {
    case CNN_CONV:
        return convolution(op, samples, element_bytes);
    case CNN_DENSE:
        return orr_gen_product(samples, elements(&op->in), op->out.channels, element_bytes);
    case CNN_POOL:
        return pool(op, samples, element_bytes);
    default:
        return streams(op, pass, samples, element_bytes);
    }
}
