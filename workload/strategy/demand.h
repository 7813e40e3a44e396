/* What a strategy sends in an iteration, without times. Here are the rules, once for the task
 * graphs made of strategies, for matrices of bytes and for the evaluator (SiP-ML, SIGCOMM'21,
 * section 3.2; TopoOpt, NSDI'23, section 4.1; FlexFlow's tensor overlaps).
 *
 * EDGES. The output of an operator is cut along axes: samples, height (or tokens), width, features.
 * A dimension of the producer that gives slices cuts its axis into equal intervals; one that gives
 * partial sums cuts nothing, each part has a sum of all. A dimension of the consumer that needs
 * slices cuts its axis likewise; one that needs all of the input cuts nothing. So a part of the
 * producer sends to a part of the consumer what its interval and the other's share on every axis:
 *
 *     bytes = output bytes x samples x product over axes of |[i/a, (i+1)/a) n [j/b, (j+1)/b)|
 *
 * for interval i of a and j of b, rounded to whole bytes. Slice to slice is S / max(a, b) where one
 * divides the other, slice to all S / a to every part, partial sums to slices S / b from every
 * part, which the receiver adds up. Beyond the slice come halos: halo_bytes of a sample at each cut
 * of the consumer, from who has what is next to the cut. Back go the gradients, as many bytes the
 * other way, unless the model lists them as operators.
 *
 * A tensor goes once to a device: a part that needs what another part there was sent already, of
 * the same operator or of an earlier consumer, gets it there (`carried` below).
 *
 * WEIGHTS. Dimensions cut weights into shards or copy them. Parts with the same shard, of the
 * operator and of all that share its weights, reduce its gradient: once, after the last use.
 * Biases are a tensor of their own, reduced apart (as FlexFlow does). */
#ifndef ORR_WORKLOAD_STRATEGY_DEMAND_H
#define ORR_WORKLOAD_STRATEGY_DEMAND_H

#include "workload/strategy/demand_grid.h"
#include "workload/strategy/strategy.h"

struct demand_transfer {
    uint32_t from_part, to_part; /* of the producer, of the consumer */
    uint32_t from, to;           /* their devices, in the group */
    uint64_t bytes;            /* forward over the network; 0 inside of a device and when carried */
    bool carried;              /* by an earlier transfer, to the same device: this one */
    uint32_t by_edge, by_part; /*   edge, and part of its consumer; else this transfer itself */
};

struct demand_reduce {
    uint32_t op, shard;
    bool bias;              /* of the second tensor of the weights, else of the first */
    uint64_t bytes;         /* of the shard's gradient */
    const uint32_t *member; /* devices of the group, ascending; valid during the visit */
    uint32_t members;
    bool across; /* over all groups: `member` of each of them */
};

typedef void (*demand_transfer_fn)(void *context, const struct demand_transfer *transfer);
typedef void (*demand_reduce_fn)(void *context, const struct demand_reduce *reduce);

/* A model under a strategy. What the strategy points to may change between calls, not its devices
 * and copies. Several threads need one each. */
struct demand {
    const struct model_graph *model;
    const struct strategy *strategy;
    double samples;              /* of a group */
    uint32_t *consumer;          /* [edges] */
    uint32_t *first_user;        /* [ops + 1] into user */
    uint32_t *user;              /* [edges] edges that an operator's output goes along, ascending */
    uint32_t *first_sharer;      /* [ops + 1] into sharer */
    uint32_t *sharer;            /* [ops] operators that use an operator's weights, itself first */
    uint32_t *stamp;             /* [group] scratch: marks, */
    uint32_t *by_edge, *by_part; /* [group] and what a mark is of */
    uint32_t *member;            /* [group] scratch */
    uint32_t mark;
};

/* Prepares; scratch of O(operators + edges + devices) in the arena, nothing is allocated later. The
 * model's batch is known and the strategy checked (orr_strategy_check). False when memory is out.
 */
bool orr_demand_init(struct orr_arena *arena, const struct model_graph *model,
                     const struct strategy *strategy, struct demand *out);

/* Visits the transfers of an edge (number in model->input), by parts of the producer, then of the
 * consumer; those inside of a device too. O(transfers), times earlier consumers of the output. */
void orr_demand_edge(struct demand *demand, uint32_t edge, demand_transfer_fn visit, void *context);

/* Whether every part has all that it needs of an edge on its own device, and sends nothing: the
 * transfers are from part i to part i. O(parts). */
bool orr_demand_is_local(const struct demand *demand, uint32_t edge);

/* Visits the all-reduces of an operator's weights, by shard: none where the weights are another's,
 * there are none, or one device alone has the shard and there is one group. O(parts). */
void orr_demand_reduces(struct demand *demand, uint32_t op, demand_reduce_fn visit, void *context);

/* The shard of its weights that a part of an operator has. */
uint32_t orr_demand_shard(const struct demand *demand, uint32_t op, uint32_t part);

#endif
