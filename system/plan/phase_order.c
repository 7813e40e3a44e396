/* Service order of chunk-phases (dimension_service: phase; Themis, ISCA 2022, section 4.4;
 * docs/models.md, section 5). It is computed before the run by simulating one member, because all
 * members are equivalent. All members follow the same order. So no deadlock is possible: the
 * chunk-phase that starts first among those not yet served can always be served.
 *
 * A dimension is a server without preemption. Chunks are issued one by one at time 0. When a
 * chunk-phase ends, its chunk queues at the next dimension, then the old dimension starts its next
 * chunk-phase, then the new one. Of those that end at one time, the lowest chunk comes first. */
#include "system/plan/schedulers.h"

enum { CHUNK_SHIFT = 8 };

struct waiting {
    uint64_t key, tie; /* ascending */
    uint32_t chunk;
};

struct server {
    struct waiting *heap; /* [chunks] */
    uint32_t waiting;
    uint32_t serving; /* chunk, or SYS_NONE */
    sim_time until;
    uint32_t *item; /* service order so far */
    uint32_t items;
};

struct pipeline {
    const struct sys *sys;
    const struct sys_operation *operation;
    struct server server[SYS_MAX_DIMS];
    uint8_t *phase;   /* [chunks] next phase */
    uint64_t arrival; /* number of arrivals so far */
    double bytes_per_s[SYS_MAX_DIMS];
    sim_time overhead_ps[SYS_MAX_DIMS];
    sim_time now;
};

/* ---- a heap ---- */

static bool precedes(const struct waiting *a, const struct waiting *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

static void heap_push(struct server *server, struct waiting item)
{
    uint32_t at = server->waiting++;
    for (; at > 0 && precedes(&item, &server->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        server->heap[at] = server->heap[(at - 1) / 2];
    }
    server->heap[at] = item;
}

static uint32_t heap_pop(struct server *server)
{
    const uint32_t chunk = server->heap[0].chunk;
    const struct waiting last = server->heap[--server->waiting];
    uint32_t at = 0;
    for (uint32_t child = 1; child < server->waiting; child = 2 * at + 1) {
        if (child + 1 < server->waiting &&
            precedes(&server->heap[child + 1], &server->heap[child])) {
            child++;
        }
        if (!precedes(&server->heap[child], &last)) {
            break;
        }
        server->heap[at] = server->heap[child];
        at = child;
    }
    server->heap[at] = last;
    return chunk;
}

/* ---- the pipeline ---- */

static const struct sys_phase *phase_of(const struct pipeline *pipe, uint32_t chunk)
{
    return &pipe->operation->plan[chunk]->phase[pipe->phase[chunk]];
}

static bool gathers(const struct sys_phase *phase)
{
    return phase->kind == COLL_ALL_GATHER || phase->kind == COLL_GATHER;
}

static void enqueue(struct pipeline *pipe, uint32_t chunk)
{
    const struct sys_phase *phase = phase_of(pipe, chunk);
    const uint64_t arrival = pipe->arrival++;
    struct waiting item = {.key = 0, .tie = arrival, .chunk = chunk};
    if (pipe->sys->config->port_order == SYS_SMALLEST_FIRST) {
        item.key =
            gathers(phase) ? phase->bytes * pipe->operation->dim[phase->dim].n : phase->bytes;
        item.tie = arrival;
    } else if (pipe->sys->config->port_order == SYS_SMALLEST_INPUT_FIRST) {
        item.key = phase->bytes;
        item.tie = UINT64_MAX - arrival;
    }
    heap_push(&pipe->server[phase->dim], item);
}

/* Service time: bytes of each message over the send bandwidth in whole nanoseconds, its overhead,
 * and 2 ns for its two ends. The 2 ns break ties: of two orders with equal transfer time the one
 * with more messages takes longer (rule of the simulator of the Themis paper). */
static sim_time service_time(const struct pipeline *pipe, const struct sys_phase *phase)
{
    const struct coll_args args = orr_sys_phase_args(pipe->operation, phase);
    const uint32_t sends = phase->algorithm->sends(&args);
    sim_time sum = 0;
    for (uint32_t k = 0; k < sends; k++) {
        struct coll_send send;
        phase->algorithm->send(&args, k, &send);
        const sim_time wire = orr_time_of_bytes(send.bytes, pipe->bytes_per_s[phase->dim]);
        sum = orr_time_add(sum, wire - wire % ORR_PS_PER_NS);
        sum = orr_time_add(sum, pipe->overhead_ps[phase->dim]);
        sum = orr_time_add(sum, 2 * ORR_PS_PER_NS);
    }
    return sum;
}

static void start(struct pipeline *pipe, unsigned dim)
{
    struct server *server = &pipe->server[dim];
    if (server->serving != SYS_NONE || server->waiting == 0) {
        return;
    }
    const uint32_t chunk = heap_pop(server);
    server->serving = chunk;
    server->until = orr_time_add(pipe->now, service_time(pipe, phase_of(pipe, chunk)));
    server->item[server->items++] = chunk << CHUNK_SHIFT | pipe->phase[chunk];
}

/* The server that finishes first; ties: the lowest chunk. */
static struct server *next_done(struct pipeline *pipe)
{
    struct server *first = NULL;
    for (unsigned d = 0; d < pipe->operation->dims; d++) {
        struct server *server = &pipe->server[d];
        if (server->serving != SYS_NONE &&
            (first == NULL || server->until < first->until ||
             (server->until == first->until && server->serving < first->serving))) {
            first = server;
        }
    }
    return first;
}

static void run_pipeline(struct pipeline *pipe)
{
    for (uint32_t c = 0; c < pipe->operation->chunks; c++) {
        if (pipe->operation->plan[c]->phases != 0) {
            enqueue(pipe, c);
            start(pipe, phase_of(pipe, c)->dim);
        }
    }
    for (struct server *done; (done = next_done(pipe)) != NULL;) {
        const uint32_t chunk = done->serving;
        const unsigned old = phase_of(pipe, chunk)->dim;
        pipe->now = done->until;
        done->serving = SYS_NONE;
        pipe->phase[chunk]++;
        const bool more = pipe->phase[chunk] < pipe->operation->plan[chunk]->phases;
        if (more) {
            enqueue(pipe, chunk);
        }
        start(pipe, old);
        if (more) {
            start(pipe, phase_of(pipe, chunk)->dim);
        }
    }
}

/* ---- latency ---- */

/* Adds the latency of each phase of a plan: steps x latency between neighbors. */
static void add_latency(const struct sys *sys, struct sys_operation *operation)
{
    for (unsigned p = 0; p < operation->plan[0]->phases; p++) {
        const struct sys_phase *phase = &operation->plan[0]->phase[p];
        const struct coll_args args = orr_sys_phase_args(operation, phase);
        struct coll_send send;
        if (phase->algorithm->sends(&args) == 0) {
            continue;
        }
        phase->algorithm->send(&args, 0, &send);
        const struct sys_position first = sys_position(0);
        const struct sys_position peer =
            sys_peer_position(&operation->dim[phase->dim], first, 0, send.peer);
        const sim_time hop =
            sys->net->ops->latency(sys->net, sys_rank_at(operation->group, first).rank,
                                   sys_rank_at(operation->group, peer).rank);
        const uint32_t steps = phase->algorithm->steps((enum coll_kind)phase->kind, args.n);
        operation->latency_ps[phase->dim] =
            orr_time_add(operation->latency_ps[phase->dim], orr_time_mul(hop, steps));
    }
}

/* ---- entry ---- */

static bool init_servers(struct pipeline *pipe, uint32_t *items)
{
    const struct sys_operation *operation = pipe->operation;
    bool allocated = true;
    for (unsigned d = 0; d < operation->dims; d++) {
        struct server *server = &pipe->server[d];
        server->heap = orr_heap_calloc(operation->chunks, sizeof *server->heap);
        server->item = items;
        server->serving = SYS_NONE;
        pipe->bytes_per_s[d] = orr_sys_dim_bandwidth(pipe->sys, operation, d);
        pipe->overhead_ps[d] = orr_sys_dim_overhead(pipe->sys, operation, d);
        allocated = allocated && server->heap != NULL;
        for (uint32_t c = 0; c < operation->chunks; c++) {
            for (unsigned p = 0; p < operation->plan[c]->phases; p++) {
                items += operation->plan[c]->phase[p].dim == d ? 1 : 0;
            }
        }
    }
    pipe->phase = orr_heap_calloc(operation->chunks, sizeof *pipe->phase);
    return allocated && pipe->phase != NULL;
}

static void fini_servers(struct pipeline *pipe)
{
    for (unsigned d = 0; d < pipe->operation->dims; d++) {
        orr_heap_free(pipe->server[d].heap);
    }
    orr_heap_free(pipe->phase);
}

static size_t count_items(const struct sys_operation *operation)
{
    size_t items = 0;
    for (uint32_t c = 0; c < operation->chunks; c++) {
        items += operation->plan[c]->phases;
    }
    return items;
}

enum orr_status orr_sys_phase_order_create(const struct sys *sys, struct sys_operation *operation,
                                           struct orr_diag *diag)
{
    struct pipeline pipe = {.sys = sys, .operation = operation};
    struct sys_phase_order *order = orr_arena_alloc(operation->arena, sizeof *order);
    uint32_t *items = orr_arena_array(operation->arena, count_items(operation), sizeof *items);
    operation->turn =
        orr_arena_array(operation->arena, (size_t)operation->group->members * operation->dims,
                        sizeof *operation->turn);
    const bool allocated =
        order != NULL && items != NULL && operation->turn != NULL && init_servers(&pipe, items);
    if (allocated) {
        run_pipeline(&pipe);
        order->item = items;
        order->items = (uint32_t)count_items(operation);
        for (unsigned d = 0; d < operation->dims; d++) {
            order->first[d] = (uint32_t)(pipe.server[d].item - items);
        }
        operation->order = order;
        add_latency(sys, operation);
    }
    fini_servers(&pipe);
    return allocated ? ORR_OK : orr_diag_no_memory(diag, "the order of a collective's chunks");
}
