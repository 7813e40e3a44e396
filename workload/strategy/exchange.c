/* Exchanges along edges; see exchange.h. */
#include "workload/strategy/exchange.h"

#include "workload/trace/trace.h"

/* A tensor on the ranks of an axis: each has all of it; a slice of an axis of the tensor; a summand
 * of it. */
enum holding { WHOLE, SLICED, PARTIAL };

struct held {
    enum holding as;
    uint8_t axis; /* of SLICED */
};

static struct exchange none(void)
{
    return (struct exchange){.is_needed = false};
}

static struct exchange by(enum orr_trace_comm comm)
{
    return (struct exchange){.is_needed = true, .comm = (uint8_t)comm};
}

static struct exchange change(struct held from, struct held to)
{
    if (from.as == WHOLE) {
        return none(); /* each rank takes its slice */
    }
    if (from.as == PARTIAL) {
        return by(to.as == WHOLE ? ORR_COMM_ALL_REDUCE : ORR_COMM_REDUCE_SCATTER);
    }
    if (to.as == WHOLE) {
        return by(ORR_COMM_ALL_GATHER);
    }
    return from.axis == to.axis ? none() : by(ORR_COMM_ALL_TO_ALL);
}

static struct held given(const struct model_op *producer, uint32_t dim)
{
    if (dim == EXCHANGE_NO_DIM) {
        return (struct held){.as = WHOLE};
    }
    const struct model_dim *cut = &producer->dim[dim];
    return cut->gives == MODEL_GIVES_PARTIAL_SUM ? (struct held){.as = PARTIAL}
                                                 : (struct held){.as = SLICED, .axis = cut->axis};
}

static bool of_experts(const struct model_op *op, uint32_t dim)
{
    return dim != EXCHANGE_NO_DIM && op->dim[dim].experts_per_token > 0;
}

/* Its second input says which experts a token goes to: of each rank's own tokens. */
static bool is_routed(const struct model_op *op)
{
    bool routed = false;
    for (uint32_t d = 0; d < op->dims; d++) {
        routed = routed || of_experts(op, d);
    }
    return routed;
}

struct exchange_pair orr_exchange_of(const struct model_op *producer, uint32_t producer_dim,
                                     const struct model_op *consumer, uint32_t consumer_dim,
                                     const struct model_edge *edge)
{
    const struct held output = given(producer, producer_dim);
    const struct model_cut *cut =
        consumer_dim != EXCHANGE_NO_DIM ? orr_model_cut(&consumer->dim[consumer_dim], edge) : NULL;
    if (edge->input != 0 && is_routed(consumer)) {
        return (struct exchange_pair){none(), none()};
    }
    const bool sliced = cut != NULL && cut->needs == MODEL_NEEDS_SLICE;
    const struct held input = {.as = sliced ? SLICED : WHOLE, .axis = sliced ? cut->axis : 0};
    const bool alike = output.as == SLICED && input.as == SLICED && output.axis == input.axis;
    if (!alike && (of_experts(producer, producer_dim) || of_experts(consumer, consumer_dim))) {
        return (struct exchange_pair){by(ORR_COMM_ALL_TO_ALL), by(ORR_COMM_ALL_TO_ALL)};
    }
    /* A rank that takes all for a slice of the output has a summand of the gradient; the gradient
     * of a sum is the whole one for each summand. */
    const struct held gradient = cut != NULL && !sliced ? (struct held){.as = PARTIAL} : input;
    const struct held wanted = output.as == PARTIAL ? (struct held){.as = WHOLE} : output;
    return (struct exchange_pair){change(output, input), change(gradient, wanted)};
}
