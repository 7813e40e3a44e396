/* What the ranks of an axis of parallelism communicate along an edge of a model, where every rank
 * runs the same operators on its own part. It follows from the dimensions that the axis cuts at the
 * edge's two ends (docs/models.md, section 10; workload/model/README.md has the table). */
#ifndef ORR_WORKLOAD_STRATEGY_EXCHANGE_H
#define ORR_WORKLOAD_STRATEGY_EXCHANGE_H

#include "workload/model/op_graph.h"

/* No dimension: every rank of the axis does the whole operator, as all others do. */
#define EXCHANGE_NO_DIM UINT32_MAX

struct exchange {
    bool is_needed;
    uint8_t comm; /* enum orr_trace_comm */
};

/* Of the tensor, and of its gradient on its way back. */
struct exchange_pair {
    struct exchange forward, backward;
};

/* The exchanges along an edge, of an axis that cuts the producer by one of its dimensions and the
 * consumer by one of its own (indices, or EXCHANGE_NO_DIM). The bytes are those of the whole tensor
 * as the other axes leave it; to experts and back, those of
 * the tokens that are sent. O(1). */
struct exchange_pair orr_exchange_of(const struct model_op *producer, uint32_t producer_dim,
                                     const struct model_op *consumer, uint32_t consumer_dim,
                                     const struct model_edge *edge);

#endif
