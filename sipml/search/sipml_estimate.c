/* The time of an iteration without events: see sipml_estimate.h.
 *
 * Every device computes one part at a time, in the order of the operators. Every link sends one
 * transfer at a time; a message over several links arrives when the last of them has sent it. A
 * ring between groups has a queue of its own. Transfers that leave a device while it reduces share
 * links with those rings. */
#include "sipml/search/sipml_estimate.h"

#include "core/arena.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/demand.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { KEPT_RINGS = 64 }; /* of a device, whose ends are kept */

struct device_state {
    double free_ps;             /* when its parts are done */
    double ring_ps;             /* when its rings are */
    double end_ps[KEPT_RINGS];  /* of the last queued rings, a ring buffer */
    uint32_t rings;             /* queued */
    double work_ps, latency_ps; /* of gradients at the end */
    double last_part_ps;        /* end of the last part of the current operator on this device */
};

struct estimate {
    const struct model_graph *model;
    const struct strategy *strategy;
    struct strategy_times times;
    struct demand demand;
    struct sipml_routes route_table;
    struct device_state *device_state; /* [group] */
    uint32_t *first;                   /* [ops + 1] first part */
    double *ready, *end;               /* [parts] of the current pass */
    double *shard_ps; /* [parts of an operator] when the gradient of a shard is ready */
    uint32_t *row;    /* [ops] index of an output with several users; others: 0 */
    double *kept;     /* [rows][group] when a device has an output, or the gradient for it */
    size_t rows;
    uint32_t op, from; /* the current edge, from -> op, */
    double *of_output; /* [group] and the row of its output */
    double last_ps;    /* end of the gradients so far */
    bool failed;       /* no route, or memory is out */
};

static double *row_of(const struct estimate *estimate, uint32_t op)
{
    return estimate->kept + (size_t)estimate->row[op] * orr_strategy_group(estimate->strategy);
}

static double duration(const struct estimate *estimate, uint32_t op, bool backward)
{
    return (double)(backward ? estimate->times.backward_ps : estimate->times.forward_ps)[op];
}

/* Computes the parts of an operator, each when its device is free and its inputs are there. */
static void compute(struct estimate *estimate, uint32_t op, bool backward)
{
    const uint32_t *device = orr_strategy_devices(estimate->strategy, op);
    const uint32_t first = estimate->first[op], parts = estimate->strategy->op[op].parts;
    const double takes = duration(estimate, op, backward);
    for (uint32_t i = 0; i < parts; i++) {
        struct device_state *device_state = &estimate->device_state[device[i]];
        device_state->free_ps = fmax(device_state->free_ps, estimate->ready[first + i]) + takes;
        estimate->end[first + i] = device_state->free_ps;
        device_state->last_part_ps = device_state->free_ps;
    }
}

/* Sends a transfer; rings of the sender that run meanwhile share its links. */
static double send(struct estimate *estimate, const struct demand_transfer *transfer, bool back,
                   double ready_ps)
{
    const uint32_t from = back ? transfer->to : transfer->from;
    const uint32_t to = back ? transfer->from : transfer->to;
    const struct sipml_route *route = orr_sipml_route(&estimate->route_table, from, to);
    struct device_state *device_state = &estimate->device_state[from];
    if (route == NULL) {
        estimate->failed = true;
        return ready_ps;
    }
    uint32_t rings = 0;
    while (rings < KEPT_RINGS && rings < device_state->rings &&
           device_state->end_ps[(device_state->rings - 1 - rings) % KEPT_RINGS] > ready_ps) {
        rings++;
    }
    if (rings != 0 && !estimate->route_table.network->circuits) {
        device_state->ring_ps += (double)transfer->bytes * 1e12 /
                                 orr_sipml_route_bytes_per_s(&estimate->route_table, route);
    }
    return orr_sipml_route_send(&estimate->route_table, route, (double)transfer->bytes, ready_ps,
                                rings);
}

/* ---- forwards ---- */

static void deliver(void *context, const struct demand_transfer *transfer)
{
    struct estimate *estimate = context;
    const double sent = estimate->end[estimate->first[estimate->from] + transfer->from_part];
    double *ready = &estimate->ready[estimate->first[estimate->op] + transfer->to_part];
    double *there = &estimate->of_output[transfer->to];
    if (transfer->from == transfer->to) {
        *ready = fmax(*ready, sent);
    } else if (transfer->carried) {
        *ready = fmax(*ready, fmax(sent, *there));
    } else {
        *there = fmax(*there, send(estimate, transfer, false, sent));
        *ready = fmax(*ready, *there);
    }
}

static void visit_edges(struct estimate *estimate, uint32_t op, demand_transfer_fn visit)
{
    const struct model_op *of = &estimate->model->op[op];
    const uint32_t group = orr_strategy_group(estimate->strategy);
    estimate->op = op;
    for (uint32_t e = of->first_edge; e < of->first_edge + of->edges; e++) {
        estimate->from = estimate->model->edge[e].from;
        estimate->of_output = row_of(estimate, estimate->from);
        if (estimate->row[estimate->from] == 0) {
            memset(estimate->of_output, 0, group * sizeof *estimate->of_output);
        }
        orr_demand_edge(&estimate->demand, e, visit, estimate);
    }
}

static void forward_pass(struct estimate *estimate)
{
    for (uint32_t op = 0; op < estimate->model->ops; op++) {
        visit_edges(estimate, op, deliver);
        compute(estimate, op, false);
    }
}

/* ---- gradients of weights ---- */

/* The share of one device in the reduction of a shard. The devices exchange their shares before and
 * after the ring. */
struct share {
    double ring_ps;     /* on the ring between groups, or on a ring of the devices */
    double exchange_ps; /* in each direction */
    double latency_ps;  /* of an exchange */
};

/* The time a byte takes to be scattered. On circuits only the members of the reduction have links.
 */
static double scatter_of(struct sipml_routes *route_table, const struct demand_reduce *reduce,
                         uint32_t device)
{
    return route_table->network->circuits
               ? orr_sipml_route_scatter_direct(route_table, device, reduce->member,
                                                reduce->members)
               : orr_sipml_route_scatter(route_table, device);
}

/* Bandwidth of a ring of the devices: of its next edge; if bidirectional twice the narrower of
 * both. */
static double ring_rate(struct estimate *estimate, const struct demand_reduce *reduce,
                        uint32_t member, const struct sipml_route *next)
{
    const uint32_t m = reduce->members;
    const double on = orr_sipml_route_bytes_per_s(&estimate->route_table, next);
    if (!estimate->route_table.network->bidirectional || m == 2) {
        return on;
    }
    const struct sipml_route *back = orr_sipml_route(&estimate->route_table, reduce->member[member],
                                                     reduce->member[(member + m - 1) % m]);
    if (back == NULL) {
        estimate->failed = true;
        return on;
    }
    return 2 * fmin(on, orr_sipml_route_bytes_per_s(&estimate->route_table, back));
}

/* Each of m devices sends (m - 1) / m of the bytes to the others, and receives as much. */
static void exchange(struct estimate *estimate, const struct demand_reduce *reduce, uint32_t member,
                     struct share *share)
{
    const uint32_t m = reduce->members, device = reduce->member[member];
    struct sipml_routes *route_table = &estimate->route_table;
    const struct sipml_route *route =
        orr_sipml_route(route_table, device, reduce->member[(member + 1) % m]);
    const double scatter = reduce->across ? scatter_of(route_table, reduce, device) : 0;
    const double bytes = (double)reduce->bytes * (m - 1) / m;
    if (route == NULL || scatter < 0) {
        estimate->failed = true;
        return;
    }
    share->latency_ps = route->latency_ps;
    if (reduce->across) {
        share->exchange_ps = bytes * scatter;
    } else {
        share->ring_ps = 2 * bytes * 1e12 / ring_rate(estimate, reduce, member, route);
    }
}

static struct share share_of(struct estimate *estimate, const struct demand_reduce *reduce,
                             uint32_t member)
{
    const uint32_t m = reduce->members, l = estimate->strategy->copies;
    struct share share = {0};
    if (m > 1) {
        exchange(estimate, reduce, member, &share);
    }
    if (reduce->across) {
        share.ring_ps = 2.0 * (l - 1) / l * (double)reduce->bytes / m * 1e12 /
                        estimate->route_table.ring_bytes_per_s[reduce->member[member]];
    }
    return share;
}

/* When the exchanges are done on circuits: they use the circuits of transfers, before and after
 * together. */
static double exchange_on_circuits(struct estimate *estimate, const struct demand_reduce *reduce,
                                   uint32_t member, double ready_ps)
{
    const uint32_t m = reduce->members, device = reduce->member[member];
    double done_ps = ready_ps;
    for (uint32_t i = 0; i < m; i++) {
        const struct sipml_route *route =
            i != member ? orr_sipml_route(&estimate->route_table, device, reduce->member[i]) : NULL;
        if (route != NULL) {
            done_ps =
                fmax(done_ps, orr_sipml_route_send(&estimate->route_table, route,
                                                   2.0 * (double)reduce->bytes / m, ready_ps, 0));
        }
    }
    return done_ps;
}

/* Reduces after the present reductions of the device, with the exchanges before and after. */
static void reduce_now(struct estimate *estimate, const struct demand_reduce *reduce,
                       uint32_t member, double ready_ps)
{
    const struct share share = share_of(estimate, reduce, member);
    struct device_state *device_state = &estimate->device_state[reduce->member[member]];
    const double latency =
        reduce->across ? estimate->route_table.ring_latency_ps : share.latency_ps;
    if (share.exchange_ps > 0 && estimate->route_table.network->circuits) {
        const double done_ps = exchange_on_circuits(estimate, reduce, member, ready_ps);
        device_state->ring_ps = fmax(device_state->ring_ps, done_ps) + share.ring_ps;
    } else {
        device_state->ring_ps =
            fmax(device_state->ring_ps, ready_ps) + share.ring_ps + 2 * share.exchange_ps;
    }
    device_state->end_ps[device_state->rings++ % KEPT_RINGS] = device_state->ring_ps;
    estimate->last_ps =
        fmax(estimate->last_ps,
             device_state->ring_ps + latency + (share.exchange_ps > 0 ? 2 * share.latency_ps : 0));
}

static void reduce_later(struct estimate *estimate, const struct demand_reduce *reduce,
                         uint32_t member)
{
    const struct share share = share_of(estimate, reduce, member);
    struct device_state *device_state = &estimate->device_state[reduce->member[member]];
    const double latency =
        reduce->across ? estimate->route_table.ring_latency_ps : share.latency_ps;
    device_state->work_ps += share.ring_ps + 2 * share.exchange_ps;
    device_state->latency_ps = fmax(device_state->latency_ps,
                                    latency + (share.exchange_ps > 0 ? 2 * share.latency_ps : 0));
}

static void reduce(void *context, const struct demand_reduce *reduce)
{
    struct estimate *estimate = context;
    const sim_time inside = orr_strategy_inside_ps(&estimate->strategy->server,
                                                   &estimate->model->op[reduce->op], reduce->bytes);
    for (uint32_t i = 0; i < reduce->members; i++) {
        if (estimate->strategy->server.reduce_at_end) {
            reduce_later(estimate, reduce, i);
        } else {
            reduce_now(estimate, reduce, i, estimate->shard_ps[reduce->shard] + (double)inside);
        }
    }
}

/* Reduces the weights of an operator once all their users, which have higher numbers, have gone
 * back. */
static void reduce_weights(struct estimate *estimate, uint32_t op)
{
    const struct demand *demand = &estimate->demand;
    if (estimate->model->op[op].owner != op || estimate->model->op[op].weights == 0) {
        return;
    }
    memset(estimate->shard_ps, 0, estimate->strategy->op[op].parts * sizeof *estimate->shard_ps);
    for (uint32_t s = demand->first_sharer[op]; s < demand->first_sharer[op + 1]; s++) {
        const uint32_t sharer = demand->sharer[s];
        for (uint32_t i = 0; i < estimate->strategy->op[sharer].parts; i++) {
            double *shard = &estimate->shard_ps[orr_demand_shard(demand, sharer, i)];
            *shard = fmax(*shard, estimate->end[estimate->first[sharer] + i]);
        }
    }
    orr_demand_reduces(&estimate->demand, op, reduce, estimate);
}

/* ---- backwards ---- */

/* Gradients go back along the transfers. An output that was sent once for several parts is returned
 * once, as their sum. */
static void return_gradient(void *context, const struct demand_transfer *transfer)
{
    struct estimate *estimate = context;
    const double made = estimate->device_state[transfer->to].last_part_ps;
    double *ready = &estimate->ready[estimate->first[estimate->from] + transfer->from_part];
    double *added = &estimate->of_output[transfer->to];
    if (transfer->from == transfer->to) {
        *ready = fmax(*ready, made);
    } else if (transfer->carried) {
        *added = fmax(*added, made);
    } else {
        *ready = fmax(*ready, send(estimate, transfer, true, fmax(made, *added)));
    }
}

static void backward_pass(struct estimate *estimate)
{
    const bool listed = estimate->model->lists_gradients;
    const uint32_t ops = estimate->model->ops;
    memset(estimate->kept, 0,
           estimate->rows * orr_strategy_group(estimate->strategy) * sizeof *estimate->kept);
    for (uint32_t op = 0; !listed && op < ops; op++) {
        for (uint32_t i = estimate->first[op]; i < estimate->first[op + 1]; i++) {
            estimate->ready[i] = estimate->end[i];
        }
    }
    for (uint32_t op = ops; op-- > 0;) {
        if (!listed) {
            compute(estimate, op, true);
        }
        reduce_weights(estimate, op);
        if (!listed) {
            visit_edges(estimate, op, return_gradient);
        }
    }
}

/* ---- an iteration ---- */

static double last_compute_ps(const struct estimate *estimate)
{
    double last = 0;
    for (uint32_t i = 0; i < orr_strategy_group(estimate->strategy); i++) {
        last = fmax(last, estimate->device_state[i].free_ps);
    }
    return last;
}

static sim_time round_ps(double ps)
{
    return ps < (double)ORR_TIME_MAX ? (sim_time)(ps + 0.5) : ORR_TIME_MAX;
}

static void run(struct estimate *estimate, struct sipml_estimate *out)
{
    forward_pass(estimate);
    out->forward_ps = round_ps(last_compute_ps(estimate));
    backward_pass(estimate);
    const double back = last_compute_ps(estimate);
    out->backward_ps = round_ps(back);
    estimate->last_ps = fmax(estimate->last_ps, back);
    for (uint32_t i = 0; i < orr_strategy_group(estimate->strategy); i++) {
        const struct device_state *device_state = &estimate->device_state[i];
        estimate->last_ps = fmax(estimate->last_ps, device_state->free_ps + device_state->work_ps +
                                                        device_state->latency_ps);
    }
    out->iteration_ps = round_ps(estimate->last_ps);
}

/* ---- storage ---- */

static uint32_t count_rows(struct estimate *estimate)
{
    const struct demand *demand = &estimate->demand;
    uint32_t rows = 1; /* row 0: of all outputs with one user, cleared for each */
    for (uint32_t op = 0; op < estimate->model->ops; op++) {
        estimate->row[op] = demand->first_user[op + 1] - demand->first_user[op] > 1 ? rows++ : 0;
    }
    return rows;
}

static bool init_estimate(struct estimate *estimate, struct orr_arena *arena)
{
    const uint32_t ops = estimate->model->ops, group = orr_strategy_group(estimate->strategy);
    uint32_t parts = 0, max = 1;
    estimate->first = orr_arena_array(arena, (size_t)ops + 1, sizeof *estimate->first);
    estimate->row = orr_arena_array(arena, (size_t)ops + 1, sizeof *estimate->row);
    if (estimate->first == NULL || estimate->row == NULL ||
        !orr_demand_init(arena, estimate->model, estimate->strategy, &estimate->demand)) {
        return false;
    }
    for (uint32_t op = 0; op < ops; op++) {
        const uint32_t of = estimate->strategy->op[op].parts;
        estimate->first[op] = parts;
        parts += of;
        max = of > max ? of : max;
    }
    estimate->first[ops] = parts;
    estimate->rows = count_rows(estimate);
    estimate->device_state = orr_arena_array(arena, group, sizeof *estimate->device_state);
    estimate->ready = orr_arena_array(arena, (size_t)parts + 1, sizeof *estimate->ready);
    estimate->end = orr_arena_array(arena, (size_t)parts + 1, sizeof *estimate->end);
    estimate->shard_ps = orr_arena_array(arena, max, sizeof *estimate->shard_ps);
    estimate->kept = orr_arena_array(arena, estimate->rows * group, sizeof *estimate->kept);
    return estimate->device_state != NULL && estimate->ready != NULL && estimate->end != NULL &&
           estimate->shard_ps != NULL && estimate->kept != NULL;
}

static enum orr_status estimate_in(struct orr_arena *arena, const struct sipml_estimate_input *of,
                                   struct sipml_estimate *out, struct orr_diag *diag)
{
    struct estimate estimate = {.model = of->model, .strategy = of->strategy};
    enum orr_status status =
        orr_strategy_times(arena, of->model, of->strategy, of->speed, &estimate.times, diag);
    if (status == ORR_OK && !init_estimate(&estimate, arena)) {
        status = orr_diag_no_memory(diag, "an estimate");
    }
    if (status == ORR_OK) {
        status =
            orr_sipml_routes_init(&estimate.route_table, arena, of->network,
                                  orr_strategy_group(of->strategy), of->strategy->copies, diag);
    }
    if (status == ORR_OK) {
        run(&estimate, out);
    }
    return status == ORR_OK && estimate.failed
               ? orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "an estimate: no route between two devices of a group, or no memory")
               : status;
}

enum orr_status orr_sipml_estimate(const struct sipml_estimate_input *of,
                                   struct sipml_estimate *out, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    const enum orr_status status =
        arena != NULL ? estimate_in(arena, of, out, diag) : orr_diag_no_memory(diag, "an estimate");
    orr_arena_destroy(arena);
    return status;
}
