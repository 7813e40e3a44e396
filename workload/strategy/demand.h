/* The communication demand of a strategy in an iteration, without times. These rules are shared by
 * task graphs of strategies, traffic matrices and the evaluator (SiP-ML, SIGCOMM'21, section 3.2;
 * TopoOpt, NSDI'23, section 4.1; FlexFlow's tensor overlaps).
 *
 * EDGES. The output of an operator is cut along axes: samples, height (or tokens), width, features.
 * A dimension of the producer that gives slices cuts its axis into equal intervals; one that gives
 * partial sums cuts nothing, and each part has a sum of the whole output. A dimension of the
 * consumer that needs slices cuts its axis likewise; one that needs all of the input cuts nothing.
 * A part of the producer sends to a part of the consumer the overlap of their intervals on every
 * axis:
 *
 *     bytes = output bytes x samples x product over axes of |[i/a, (i+1)/a) n [j/b, (j+1)/b)|
 *
 * for interval i of a and j of b, rounded to whole bytes. Slice to slice is S / max(a, b) if one
 * divides the other, slice to all S / a to every part, partial sums to slices S / b from every
 * part, which the receiver adds up. In addition come halos: halo_bytes of a sample at each cut of
 * the consumer, from the owner of the data next to the cut. Gradients go back with as many bytes in
 * the other direction, unless the model lists them as operators.
 *
 * A tensor goes to a device once: a part whose data was already sent to another part on its device,
 * of the same operator or of an earlier consumer, gets it there (`carried` below).
 *
 * WEIGHTS. Dimensions cut weights into shards or copy them. Parts with the same shard, of the
 * operator and of all operators that share its weights, all-reduce its gradient: once, after the
 * last use. Biases are a separate tensor, reduced apart (as FlexFlow does). */
#ifndef ORR_WORKLOAD_STRATEGY_DEMAND_H
#define ORR_WORKLOAD_STRATEGY_DEMAND_H

#include "workload/strategy/demand_grid.h"
#include "workload/strategy/strategy.h"

struct demand_transfer {
    uint32_t from_part, to_part; /* parts of the producer and of the consumer */
    uint32_t from, to;           /* the parts' devices in the group */
    uint64_t bytes;              /* forward, over the network; 0 within a device and if carried */
    bool carried; /* the data comes with an earlier transfer to the same device: ... */
    uint32_t by_edge,
        by_part; /* ... along this edge, to this part of its consumer; else this transfer */
};

struct demand_reduce {
    uint32_t op, shard;
    bool bias;              /* of the bias tensor, else of the weights */
    uint64_t bytes;         /* bytes of the shard's gradient */
    const uint32_t *member; /* devices of the group, ascending; valid only during the visit */
    uint32_t members;
    bool across; /* over these members of all groups */
};

typedef void (*demand_transfer_fn)(void *context, const struct demand_transfer *transfer);
typedef void (*demand_reduce_fn)(void *context, const struct demand_reduce *reduce);

/* A model under a strategy. The strategy's splits and placements may change between calls, but not
 * its devices and copies. Each thread needs its own. */
struct demand {
    const struct model_graph *model;
    const struct strategy *strategy;
    double samples;         /* samples of a group */
    uint32_t *consumer;     /* [edges] */
    uint32_t *first_user;   /* [ops + 1] into user */
    uint32_t *user;         /* [edges] the edges from an operator, ascending */
    uint32_t *first_sharer; /* [ops + 1] into sharer */
    uint32_t *sharer;       /* [ops] the operators that use an operator's weights, itself first */
    uint32_t *stamp;        /* [group] scratch: marks ... */
    uint32_t *by_edge, *by_part; /* [group] ... and the transfer of each mark */
    uint32_t *member;            /* [group] scratch */
    uint32_t mark;
};

/* Initializes; allocates O(operators + edges + devices) in the arena, later calls allocate nothing.
 * The model's batch must be known and the strategy checked (orr_strategy_check). False when memory
 * is out. */
bool orr_demand_init(struct orr_arena *arena, const struct model_graph *model,
                     const struct strategy *strategy, struct demand *out);

/* Visits the transfers of an edge (index in model->edge), by parts of the producer, then of the
 * consumer; including those within a device. O(transfers), times earlier consumers of the output.
 */
void orr_demand_edge(struct demand *demand, uint32_t edge, demand_transfer_fn visit, void *context);

/* Whether every part's data along an edge is on its own device, so that nothing is sent: the
 * transfers are from part i to part i. O(parts). */
bool orr_demand_is_local(const struct demand *demand, uint32_t edge);

/* Visits the all-reduces of an operator's weights, by shard: none if another operator owns the
 * weights, if there are none, or if there is one group and only one device has the shard. O(parts).
 */
void orr_demand_reduces(struct demand *demand, uint32_t op, demand_reduce_fn visit, void *context);

/* The shard of its weights that a part of an operator has. */
uint32_t orr_demand_shard(const struct demand *demand, uint32_t op, uint32_t part);

#endif
