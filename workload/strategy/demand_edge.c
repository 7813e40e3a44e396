/* The transfers of an edge; see demand.h. For a part of the producer the receiving parts of the
 * consumer are enumerated axis by axis, so parts that get nothing are never visited. */
#include <string.h>

#include "core/saturate.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/demand_dedup.h"
#include "workload/strategy/demand_grid.h"
#include "workload/strategy/strategy.h"

/* The share of the tensor on the axes visited so far, times the product of their a b. */
struct share {
    uint64_t scaled;
    uint64_t halo[DEMAND_COPIES]; /* halos at the cuts of each axis */
};

/* The current edge. */
struct edge_walk {
    struct demand *demand;
    struct demand_pair pair;
    struct demand_range part;         /* the producer's part, and the consumer's slices so far */
    unsigned axis[DEMAND_AXES], axes; /* the axes that are cut, the copies last */
    const uint32_t *from_device, *to_device;
    double bytes,
        halo[DEMAND_COPIES]; /* of all samples of the group, divided by the product of all a b */
    struct share last;       /* of the transfer before; usually equal to the next one's */
    uint64_t last_bytes;
    demand_transfer_fn visit;
    void *context;
};

/* The overlap of interval i of a and j of b, times a b. */
static uint64_t overlap(uint64_t i, uint64_t a, uint64_t j, uint64_t b)
{
    const uint64_t low = i * b > j * a ? i * b : j * a;
    const uint64_t high = (i + 1) * b < (j + 1) * a ? (i + 1) * b : (j + 1) * a;
    return high > low ? high - low : 0;
}

/* The number of ends of the consumer's interval j of b that are cuts adjacent to the producer's
 * interval i of a. */
static uint64_t cuts(uint64_t i, uint64_t a, uint64_t j, uint64_t b)
{
    const bool before = j > 0 && i * b < j * a && j * a <= (i + 1) * b;
    const bool behind = j + 1 < b && i * b <= (j + 1) * a && (j + 1) * a < (i + 1) * b;
    return (uint64_t)before + behind;
}

static uint64_t bytes_of(struct edge_walk *edge_walk, const struct share *share)
{
    if (memcmp(share, &edge_walk->last, sizeof *share) != 0) {
        double bytes = edge_walk->bytes * (double)share->scaled + 0.5;
        for (unsigned axis = 1; axis < DEMAND_COPIES; axis++) {
            bytes += edge_walk->halo[axis] * (double)share->halo[axis];
        }
        edge_walk->last = *share;
        edge_walk->last_bytes = sat_integer(bytes);
    }
    return edge_walk->last_bytes;
}

static void send(struct edge_walk *edge_walk, uint32_t to_part, const struct share *share)
{
    struct demand_transfer transfer = {.from_part = edge_walk->part.from,
                                       .to_part = to_part,
                                       .from = edge_walk->from_device[edge_walk->part.from],
                                       .to = edge_walk->to_device[to_part],
                                       .by_edge = edge_walk->pair.edge,
                                       .by_part = to_part};
    if (transfer.from != transfer.to) {
        transfer.carried = orr_demand_is_duplicate(edge_walk->demand, &edge_walk->pair,
                                                   &edge_walk->part, &transfer);
        transfer.bytes = transfer.carried ? 0 : bytes_of(edge_walk, share);
    }
    edge_walk->visit(edge_walk->context, &transfer);
}

static void send_copies(struct edge_walk *edge_walk, uint32_t to_part, const struct share *share)
{
    const struct demand_grid *needs = &edge_walk->pair.needs;
    orr_demand_dedup_reset(edge_walk->demand);
    for (uint32_t c = 0; c < needs->slices[DEMAND_COPIES]; c++) {
        send(edge_walk, to_part + orr_demand_part(needs, DEMAND_COPIES, c), share);
    }
}

/* Restricts the share to interval j of b of an axis; false if it is empty. */
static bool narrow(const struct edge_walk *edge_walk, unsigned axis, uint64_t j,
                   const struct share *share, struct share *out)
{
    const uint64_t a = edge_walk->pair.gives.slices[axis], b = edge_walk->pair.needs.slices[axis];
    const uint64_t i = edge_walk->part.gives[axis], part = overlap(i, a, j, b);
    const bool cut = edge_walk->pair.needs.halo[axis] != 0;
    uint64_t any = out->scaled = share->scaled * part;
    out->halo[0] = 0; /* samples have no halo, but shares are compared by memcmp */
    for (unsigned h = 1; h < DEMAND_COPIES; h++) {
        out->halo[h] =
            h == axis && cut ? share->scaled * cuts(i, a, j, b) * a * b : share->halo[h] * part;
        any |= out->halo[h];
    }
    return any != 0;
}

static void walk_axes(struct edge_walk *edge_walk, unsigned level, uint32_t to_part,
                      const struct share *share)
{
    if (level == edge_walk->axes) {
        send_copies(edge_walk, to_part, share);
        return;
    }
    const unsigned axis = edge_walk->axis[level];
    const uint64_t a = edge_walk->pair.gives.slices[axis], b = edge_walk->pair.needs.slices[axis];
    const uint64_t i = edge_walk->part.gives[axis],
                   halo = edge_walk->pair.needs.halo[axis] != 0 && b > 1;
    uint64_t j = i * b / a, end = ((i + 1) * b + a - 1) / a;
    j -= halo != 0 && j > 0;
    end += halo != 0 && end < b;
    for (; j < end; j++) {
        struct share rest;
        if (narrow(edge_walk, axis, j, share, &rest)) {
            edge_walk->part.needs[axis] = (uint32_t)j;
            walk_axes(edge_walk, level + 1,
                      to_part + orr_demand_part(&edge_walk->pair.needs, axis, (uint32_t)j), &rest);
        }
    }
}

static void set_sizes(struct edge_walk *edge_walk, const struct model_op *producer)
{
    double parts = 1;
    for (unsigned axis = 0; axis < DEMAND_COPIES; axis++) {
        const uint32_t a = edge_walk->pair.gives.slices[axis],
                       b = edge_walk->pair.needs.slices[axis];
        parts *= (double)a * b;
        if (a > 1 || b > 1) {
            edge_walk->axis[edge_walk->axes++] = axis;
        }
    }
    const double samples = edge_walk->demand->samples / parts;
    edge_walk->bytes = (double)producer->output_bytes * samples * edge_walk->pair.share *
                       edge_walk->pair.needs_share;
    for (unsigned axis = 1; axis < DEMAND_COPIES; axis++) {
        edge_walk->halo[axis] = (double)edge_walk->pair.needs.halo[axis] * samples;
    }
}

void orr_demand_edge(struct demand *demand, uint32_t edge, demand_transfer_fn visit, void *context)
{
    const struct strategy *strategy = demand->strategy;
    struct edge_walk edge_walk = {.demand = demand, .visit = visit, .context = context};
    orr_demand_pair(demand, edge, &edge_walk.pair);
    const uint32_t from = edge_walk.pair.producer, to = edge_walk.pair.consumer;
    edge_walk.from_device = orr_strategy_devices(strategy, from);
    edge_walk.to_device = orr_strategy_devices(strategy, to);
    set_sizes(&edge_walk, &demand->model->op[from]);
    const struct share all = {.scaled = 1};
    for (uint32_t i = 0; i < strategy->op[from].parts; i++) {
        edge_walk.part.from = i;
        for (unsigned axis = 0; axis < DEMAND_COPIES; axis++) {
            edge_walk.part.gives[axis] = orr_demand_slice(&edge_walk.pair.gives, axis, i);
        }
        walk_axes(&edge_walk, 0, 0, &all);
    }
}

bool orr_demand_is_local(const struct demand *demand, uint32_t edge)
{
    const struct strategy *strategy = demand->strategy;
    struct demand_pair pair;
    orr_demand_pair(demand, edge, &pair);
    const uint32_t parts = strategy->op[pair.producer].parts;
    const uint32_t *from = orr_strategy_devices(strategy, pair.producer);
    const uint32_t *to = orr_strategy_devices(strategy, pair.consumer);
    bool same = parts == strategy->op[pair.consumer].parts &&
                pair.gives.slices[MODEL_SAMPLE_AXIS] == parts &&
                pair.needs.slices[MODEL_SAMPLE_AXIS] == parts;
    for (uint32_t i = 0; i < parts && same; i++) {
        same = from[i] == to[i];
    }
    return same;
}
