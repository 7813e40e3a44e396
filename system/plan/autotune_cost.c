/* Lower bound of the time of a collective, from the messages of its algorithms' programs.
 *
 * A message occupies a port of its sender; in a ring a port of every NPU it passes; at a switch
 * also a port of the receiver. The load of a phase is the bytes of the busiest server over its
 * bandwidth. The chain of a phase is its longest sequence of dependent messages: each leaves when
 * the receives it needs are complete and arrives after the latencies of its hops. All chunks take
 * at least the load of the busiest dimension plus the time a chunk spends in other dimensions
 * before and after it. */
#include <string.h>

#include "network/coordinates.h"
#include "network/net_backend.h"
#include "network/net_dims.h"
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/rings.h"
#include "system/plan/autotune.h"
#include "system/plan/companions.h"
#include "system/plan/phase.h"
#include "system/plan/planning.h"

enum {
    MAX_REPLAYED = 8192,
    MAX_REPLAYED_TOGETHER = 1 << 20,
    MAX_RANKS = 512,
    MAX_PORTS = 4096,
    SAMPLED_RANKS = 8
};

static double max(double a, double b)
{
    return a > b ? a : b;
}

/* Ports (servers) of an NPU in a dimension. */
struct servers {
    const struct net_dim *dim;
    uint32_t ports;
    double bytes_per_s;
    double overhead_bytes; /* message overhead in bytes */
    double latency_s, endpoint_s;
    bool ring;
    bool is_part; /* of a ring: the group has fewer members than the ring; or on a mesh */
    struct sys_row row;
    bool is_unknown; /* routes are those of a graph, or of arbitrary ranks: the blocks give no bound
                      */
    unsigned unknown_hops; /* then, of a message */
};

/* A message between any two NPUs; around rings on links. */
enum { UNKNOWN_HOPS = 4, HOPS_OF_LINK = 1 };

static struct servers dim_servers(const struct sys *sys, const struct sys_operation *operation,
                                  unsigned d)
{
    const struct net_config *net = sys->net->config;
    const struct net_dim *dim = &net->dim[operation->dim[d].queue_dim];
    const struct net_ops *backend = orr_net_backend_find(net->backend);
    const bool pooled = dim->per_npu && backend != NULL && backend->links == NULL;
    struct servers servers = {.dim = dim,
                              .ports = 1,
                              .bytes_per_s = dim->bandwidth_bytes_per_s,
                              .latency_s = (double)dim->latency_ps * 1e-12,
                              .endpoint_s = (double)operation->endpoint_ps * 1e-12,
                              .ring = net_passes_on(dim->block),
                              .is_unknown = operation->flat || !sys_routes_follow_blocks(net)};
    if (servers.is_unknown) {
        servers.ring = false;
        servers.bytes_per_s = 1e9; /* arbitrary */
        return servers;
    }
    servers.row = orr_sys_group_row(sys, operation->group, operation->dim[d].queue_dim);
    servers.is_part = servers.row.n == operation->dim[d].n &&
                      orr_sys_is_part_of_ring(sys, operation->group, operation->dim[d].queue_dim);
    if (net_passes_on(dim->block) && !pooled) {
        servers.ports = dim->npus == 2 && dim->per_npu ? 1 : 2;
    } else if (dim->block == NET_FULLY_CONNECTED && !pooled && dim->npus > 1) {
        servers.ports = dim->npus - 1;
    }
    servers.bytes_per_s /= dim->per_npu ? servers.ports : 1;
    return servers;
}

static struct servers servers_of(const struct sys *sys, const struct sys_operation *operation,
                                 unsigned d)
{
    struct servers servers = dim_servers(sys, operation, d);
    servers.overhead_bytes =
        (double)sys->net->config->message_overhead_ps * 1e-12 * servers.bytes_per_s;
    return servers;
}

/* Hops of a message to a member, and its port. */
static unsigned hops_of(const struct servers *servers, const struct coll_args *args,
                        const struct coll_send *send, uint32_t *port)
{
    const uint32_t ahead = coll_minus(args->n, send->peer, args->rank);
    struct net_route route = {.forward = ahead,
                              .hops = ahead < args->n - ahead ? ahead : args->n - ahead};
    const struct net_dim whole = {.block = NET_RING, .npus = args->n};
    *port = 0;
    if (servers->is_unknown) {
        return servers->unknown_hops;
    }
    if (servers->dim->block == NET_FULLY_CONNECTED) {
        *port = servers->ports > 1 ? (ahead - 1) % servers->ports : 0;
        return 1;
    }
    if (!servers->ring) {
        return 2;
    }
    if (servers->is_part) {
        route = orr_sys_ring_part_route(servers->dim, servers->row, args->rank, send->peer);
    }
    const bool against =
        net_goes_down(servers->is_part ? servers->dim : &whole, &route, send->backwards);
    *port = against && servers->ports > 1 ? 1 : 0;
    return route.hops;
}

/* ---- symmetric ranks: one represents all ----
 *
 * In a part of a ring, and on a mesh, ranks differ in the hops of their messages: the messages of
 * all of them are replayed together, or, of a large group, those of some ranks each for itself. */

struct replay {
    const struct sys_phase *phase;
    const struct servers *servers;
    /* Queues of a rank: a port each; where ranks differ one for each lane of a port, because which
     * lane is due first is not known there, and a bound must not make it wait. */
    uint32_t queues, queues_per_port;
    uint32_t sends;
    double *busy;  /* [ranks][queues] until when */
    double *taken; /* [ranks][sends] when a receive and all before it are complete */
};

/* The time when message k of a rank, the slot-th that is replayed, is complete at its peer. */
static double replay_send(struct replay *replay, const struct coll_args *args, uint32_t slot,
                          uint32_t k, struct coll_send *send)
{
    const struct servers *servers = replay->servers;
    const double *taken = replay->taken + (size_t)slot * replay->sends;
    uint32_t port;
    replay->phase->algorithm->send(args, k, send);
    const unsigned hops = hops_of(servers, args, send, &port);
    const double service = ((double)send->bytes + servers->overhead_bytes) / servers->bytes_per_s;
    const size_t receive = (size_t)(send->need - 1) * replay->phase->algorithm->lanes + send->lane;
    double *busy = &replay->busy[(size_t)slot * replay->queues + port * replay->queues_per_port +
                                 send->lane % replay->queues_per_port];
    const double start = max(send->need != 0 ? taken[receive] : 0, *busy);
    *busy = start + service * (servers->ring && !servers->is_part ? hops : 1);
    return start + service + hops * servers->latency_s + servers->endpoint_s;
}

/* A receive counts as complete when those of its lane before it are; returns when. */
static double complete_in_order(struct replay *replay, uint32_t slot, uint32_t k)
{
    const uint32_t lanes = replay->phase->algorithm->lanes;
    double *taken = replay->taken + (size_t)slot * replay->sends;
    taken[k] = k >= lanes ? max(taken[k], taken[k - lanes]) : taken[k];
    return taken[k];
}

/* The rank's receives are those that its own messages make elsewhere. */
static double replay_one(struct replay *replay, const struct coll_args *args)
{
    double last = 0;
    for (uint32_t k = 0; k < replay->sends; k++) {
        struct coll_send send;
        replay->taken[k] = replay_send(replay, args, 0, k, &send);
        last = max(last, complete_in_order(replay, 0, k));
    }
    return last;
}

static double replay_all(struct replay *replay, const struct coll_args *args)
{
    struct coll_args of = *args;
    double last = 0;
    for (uint32_t k = 0; k < replay->sends; k++) {
        for (of.rank = 0; of.rank < of.n; of.rank++) {
            struct coll_send send;
            const double in = replay_send(replay, &of, of.rank, k, &send);
            replay->taken[(size_t)send.peer * replay->sends + send.peer_recv] = in;
        }
        for (uint32_t r = 0; r < of.n; r++) {
            last = max(last, complete_in_order(replay, r, k));
        }
    }
    return last;
}

/* < 0: no memory. */
static double replay_chain_s(const struct sys_phase *phase, const struct coll_args *args,
                             const struct servers *servers, bool all)
{
    const size_t ranks = all ? args->n : 1;
    struct replay replay = {.phase = phase,
                            .servers = servers,
                            .queues_per_port = servers->is_part ? phase->algorithm->lanes : 1,
                            .sends = phase->algorithm->sends(args)};
    replay.queues = servers->ports * replay.queues_per_port;
    replay.busy = orr_heap_calloc(ranks * replay.queues, sizeof(double));
    replay.taken = orr_heap_calloc(ranks * replay.sends + 1, sizeof(double));
    double last = -1;
    if (replay.busy != NULL && replay.taken != NULL) {
        last = all ? replay_all(&replay, args) : replay_one(&replay, args);
    }
    orr_heap_free(replay.busy);
    orr_heap_free(replay.taken);
    return last;
}

/* Shortest and longest chain of the ranks; < 0: too many messages. */
static double symmetric_chain_s(const struct sys_phase *phase, struct coll_args *args,
                                const struct servers *servers, double *longest_s)
{
    const uint32_t sends = phase->algorithm->sends(args);
    *longest_s = -1;
    if (sends > MAX_REPLAYED || servers->ports > MAX_PORTS) {
        return -1;
    }
    const bool all = servers->is_part && (uint64_t)sends * args->n <= MAX_REPLAYED_TOGETHER;
    double shortest_s = *longest_s = replay_chain_s(phase, args, servers, all);
    const uint32_t step = args->n / SAMPLED_RANKS + 1;
    for (args->rank = step; servers->is_part && !all && args->rank < args->n; args->rank += step) {
        const double chain_s = replay_chain_s(phase, args, servers, false);
        shortest_s = chain_s < shortest_s ? chain_s : shortest_s;
        *longest_s = max(*longest_s, chain_s);
    }
    args->rank = 0;
    return shortest_s;
}

/* ---- loads ---- */

/* Traffic of the sampled ranks: bytes x hops, maxima of a rank's port and receiver. */
struct traffic {
    double *port; /* [ports] of the rank */
    double link_bytes, max_sent, max_received, hops, messages, first_bytes;
    uint32_t ranks;
};

static void add_rank(const struct sys_phase *phase, const struct coll_args *args,
                     const struct servers *servers, struct traffic *traffic)
{
    const struct coll_algorithm *algorithm = phase->algorithm;
    const uint32_t sends = algorithm->sends(args), recvs = algorithm->recvs(args);
    const uint32_t step = sends > MAX_REPLAYED ? sends / MAX_REPLAYED : 1;
    double received = 0;
    memset(traffic->port, 0, servers->ports * sizeof *traffic->port);
    for (uint32_t k = 0; k < sends; k += step) {
        struct coll_send send;
        uint32_t port;
        algorithm->send(args, k, &send);
        const unsigned hops = hops_of(servers, args, &send, &port);
        const double bytes = ((double)send.bytes + servers->overhead_bytes) * step;
        traffic->port[port] += bytes;
        traffic->link_bytes += bytes * hops;
        traffic->hops += (double)hops * step;
        traffic->messages += step;
        traffic->first_bytes =
            bytes / step > traffic->first_bytes ? bytes / step : traffic->first_bytes;
        traffic->max_sent =
            traffic->port[port] > traffic->max_sent ? traffic->port[port] : traffic->max_sent;
    }
    for (uint32_t k = 0; k < recvs && servers->dim->block == NET_SWITCH; k += step) {
        struct coll_recv recv;
        algorithm->recv(args, k, &recv);
        received += ((double)recv.bytes + servers->overhead_bytes) * step;
    }
    traffic->max_received = received > traffic->max_received ? received : traffic->max_received;
    traffic->ranks++;
}

static bool ranks_are_symmetric(const struct sys_phase *phase, uint32_t n)
{
    return phase->algorithm->symmetry != NULL &&
           phase->algorithm->symmetry((enum coll_kind)phase->kind, n) != COLL_ASYMMETRIC;
}

static void add_ranks(const struct sys_phase *phase, struct coll_args *args,
                      const struct servers *servers, struct traffic *traffic)
{
    const uint32_t n = args->n;
    const bool one = ranks_are_symmetric(phase, n) && !servers->is_part;
    const uint32_t ranks = one ? 1 : n < MAX_RANKS ? n : MAX_RANKS;
    const uint32_t step = n / ranks;
    for (uint32_t i = 0; i < ranks; i++) {
        args->rank = i * step;
        add_rank(phase, args, servers, traffic);
    }
    args->rank = 0;
}

/* Load of the busiest port of a part of a ring. */
static double part_load_s(const struct sys *sys, const struct sys_operation *operation,
                          const struct sys_phase *phase, const struct servers *servers)
{
    const struct sys_ring_part part = {.block = servers->dim,
                                       .row = servers->row,
                                       .dim = operation->dim[phase->dim].queue_dim,
                                       .ports = servers->ports,
                                       .overhead_bytes = servers->overhead_bytes};
    return orr_sys_ring_part_bytes(sys, operation, phase, &part) / servers->bytes_per_s;
}

/* Load of the busiest server; for a ring at least the mean of its links. */
static double load_of(const struct servers *servers, const struct traffic *traffic)
{
    double bytes = max(traffic->max_sent, traffic->max_received);
    if (servers->ring && !servers->is_part && traffic->ranks > 0) {
        bytes = max(bytes, traffic->link_bytes / traffic->ranks / servers->ports);
    }
    return bytes / servers->bytes_per_s;
}

/* Lower bound of sequential messages of a chunk. To or from a root the blocks of a ring are
 * pipelined: their steps overlap. */
static double steps_of(const struct sys_phase *phase, uint32_t n)
{
    const enum coll_kind kind = (enum coll_kind)phase->kind;
    const bool rooted = kind >= COLL_BROADCAST && kind <= COLL_SCATTER;
    return phase->algorithm->around && rooted ? n - 1 : phase->algorithm->steps(kind, n);
}

/* Asymmetric ranks: number of steps x time of a message with mean hops. */
static void cost_by_steps(const struct sys_phase *phase, uint32_t n, const struct servers *servers,
                          const struct traffic *traffic, struct sys_cost *cost)
{
    const double hop_s = servers->latency_s * (servers->dim->block == NET_SWITCH ? 2 : 1);
    const double steps = steps_of(phase, n);
    const double mean_hops = traffic->messages > 0 ? traffic->hops / traffic->messages : 1;
    cost->is_approximate = !ranks_are_symmetric(phase, n);
    cost->chain_s = max(cost->load_s, steps * (hop_s + servers->endpoint_s));
    cost->alone_s =
        max(cost->chain_s, steps * (mean_hops * servers->latency_s + servers->endpoint_s) +
                               phase->algorithm->steps((enum coll_kind)phase->kind, n) *
                                   traffic->first_bytes / servers->bytes_per_s);
}

struct sys_cost orr_sys_phase_cost(const struct sys *sys, const struct sys_operation *operation,
                                   const struct sys_phase *phase)
{
    struct servers servers = servers_of(sys, operation, phase->dim);
    servers.unknown_hops =
        phase->rings != NULL && phase->rings->on_links ? HOPS_OF_LINK : UNKNOWN_HOPS;
    struct coll_args args = orr_sys_phase_args(operation, phase);
    struct traffic traffic = {.port = orr_heap_calloc((size_t)servers.ports, sizeof(double))};
    if (traffic.port == NULL) {
        return (struct sys_cost){0};
    }
    add_ranks(phase, &args, &servers, &traffic);
    double longest = -1;
    const double chain = ranks_are_symmetric(phase, args.n)
                             ? symmetric_chain_s(phase, &args, &servers, &longest)
                             : -1;
    struct sys_cost cost = {.load_s = load_of(&servers, &traffic),
                            .hops = traffic.ranks > 0 ? traffic.hops / traffic.ranks : 0,
                            .chain_s = chain};
    if (servers.is_part) {
        cost.load_s = max(cost.load_s, part_load_s(sys, operation, phase, &servers));
    }
    cost.alone_s = servers.is_part ? max(longest, cost.load_s) : chain;
    if (chain < 0) {
        cost_by_steps(phase, args.n, &servers, &traffic, &cost);
    }
    orr_heap_free(traffic.port);
    return cost;
}

/* ---- a collective ---- */

/* Cache of phase costs by dimension, kind, algorithm and bytes. */
enum { MAX_KNOWN = 64 };

struct known {
    struct sys_phase phase[MAX_KNOWN];
    struct sys_cost cost[MAX_KNOWN];
    unsigned count;
};

static struct sys_cost known_cost(const struct sys *sys, const struct sys_operation *operation,
                                  const struct sys_phase *phase, struct known *known)
{
    for (unsigned i = 0; i < known->count; i++) {
        const struct sys_phase *other = &known->phase[i];
        if (other->dim == phase->dim && other->kind == phase->kind &&
            other->bytes == phase->bytes && other->algorithm == phase->algorithm) {
            return known->cost[i];
        }
    }
    const unsigned at = known->count < MAX_KNOWN ? known->count++ : MAX_KNOWN - 1;
    known->phase[at] = *phase;
    known->cost[at] = orr_sys_phase_cost(sys, operation, phase);
    return known->cost[at];
}

struct totals {
    double load_s[SYS_MAX_DIMS];
    double outside_s[SYS_MAX_DIMS]; /* minimum over chunks of the time before and after the
                                       dimension */
    double chain_s, alone_s;        /* maximum over chunks */
    double hops;
    bool is_approximate;
};

/* Updates outside_s with the time that the chunk spends before its first and after its last phase
 * in each dimension. */
static void add_outside_times(const struct sys_operation *operation, const struct sys_plan *plan,
                              const double *chain, struct totals *totals)
{
    for (unsigned d = 0; d < operation->dims; d++) {
        double before = 0, behind = 0;
        bool found = false;
        for (unsigned p = 0; p < plan->phases; p++) {
            if (plan->phase[p].dim == d) {
                found = true;
                behind = 0;
            } else if (found) {
                behind += chain[p];
            } else {
                before += chain[p];
            }
        }
        if (found && before + behind < totals->outside_s[d]) {
            totals->outside_s[d] = before + behind;
        }
    }
}

static void add_chunk(const struct sys *sys, const struct sys_operation *operation, uint32_t c,
                      struct known *known, struct totals *totals)
{
    const struct sys_plan *plan = operation->plan[c];
    double chain[2 * SYS_MAX_DIMS], sum = 0, alone = 0;
    for (unsigned p = 0; p < plan->phases; p++) {
        const struct sys_cost cost = known_cost(sys, operation, &plan->phase[p], known);
        totals->load_s[plan->phase[p].dim] += cost.load_s;
        totals->hops += cost.hops;
        totals->is_approximate |= cost.is_approximate;
        chain[p] = cost.chain_s;
        sum += cost.chain_s;
        alone += cost.alone_s;
    }
    add_outside_times(operation, plan, chain, totals);
    totals->chain_s = max(totals->chain_s, sum);
    totals->alone_s = max(totals->alone_s, alone);
}

struct sys_bound orr_sys_operation_bound(const struct sys *sys,
                                         const struct sys_operation *operation)
{
    struct known known = {.count = 0};
    struct totals totals = {.hops = 0};
    for (unsigned d = 0; d < operation->dims; d++) {
        totals.outside_s[d] = 1e30;
    }
    for (uint32_t c = 0; c < operation->chunks; c++) {
        add_chunk(sys, operation, c, &known, &totals);
    }
    double min = totals.chain_s, busiest = 0;
    for (unsigned d = 0; d < operation->dims; d++) {
        if (totals.load_s[d] > 0) {
            min = max(min, totals.load_s[d] + totals.outside_s[d]);
            busiest = max(busiest, totals.load_s[d]);
        }
    }
    if (operation->flat || !sys_routes_follow_blocks(sys->net->config)) {
        return (struct sys_bound){.hops = totals.hops,
                                  .is_unknown = true}; /* routes do not follow from blocks */
    }
    const double share = 1 - 1.0 / operation->chunks;
    return (struct sys_bound){.min_s = min,
                              .estimate_s = max(min, busiest * share + totals.alone_s),
                              .hops = totals.hops,
                              .is_approximate = totals.is_approximate};
}
