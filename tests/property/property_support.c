/* Random platforms and workloads, and runs of them; see property_support.h. */
#include "tests/property/property_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/internal.h"
#include "workload/engine_private.h"
#include "workload/trace_builder.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* ---- cases ---- */

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : otherwise;
}

uint64_t prop_first_seed(void)
{
    return from_environment("ORRERY_SEED", 1);
}

unsigned prop_cases(unsigned release)
{
    const unsigned fewer = release >= 20 ? release / 20 : 1;
    return (unsigned)from_environment("ORRERY_CASES", SANITIZED ? fewer : release);
}

void prop_open(struct prop_job *job, uint64_t seed)
{
    *job = (struct prop_job){.seed = seed, .arena = orr_arena_create()};
    assert_non_null(job->arena);
    orr_rng_init(&job->rng, seed, 0);
}

void prop_close(struct prop_job *job)
{
    orr_arena_destroy(job->arena);
}

uint32_t prop_below(struct prop_job *job, uint32_t bound)
{
    return (uint32_t)orr_rng_below(&job->rng, bound);
}

static bool chance(struct prop_job *job, uint32_t percent)
{
    return prop_below(job, 100) < percent;
}

static void *array(struct prop_job *job, size_t count, size_t size)
{
    void *memory = orr_arena_array(job->arena, count, size);
    assert_non_null(memory);
    return memory;
}

/* ---- platforms ---- */

void prop_set_dims(struct prop_job *job, unsigned dims)
{
    job->net = (struct net_config){.backend = "analytical", .dims = dims, .dim = job->dim};
    job->npus = net_npus(&job->net);
    job->sys = (struct sys_config){.policy = &sys_policy_default,
                                   .chunks = 1,
                                   .active_chunks = 1,
                                   .queues_per_dim = 1,
                                   .priority = SYS_FIFO,
                                   .bandwidth_aware = true};
    job->local = (struct mem_local){.bandwidth_bytes_per_s = 1e12};
    job->remote = (struct mem_config){
        .type = "per_npu", .bandwidth_bytes_per_s = 1e11, .latency_ps = 100 * ORR_PS_PER_NS};
}

static void random_dim(struct prop_job *job, struct net_dim *dim)
{
    static const uint32_t gb_per_s[] = {1, 3, 10, 25, 50, 50, 100, 200};
    static const sim_time latency_ns[] = {0, 1, 50, 500, 500, 2000};
    *dim = (struct net_dim){
        .block = (enum net_block)prop_below(job, NET_BLOCKS),
        .npus = 1 + prop_below(job, 6),
        .bandwidth_bytes_per_s = 1e9 * gb_per_s[prop_below(job, 8)],
        .latency_ps = latency_ns[prop_below(job, 6)] * ORR_PS_PER_NS,
        .per_npu = chance(job, 50),
    };
}

static const struct coll_algorithm *random_algorithm(struct prop_job *job)
{
    unsigned count = 0;
    while (coll_algorithms[count] != NULL) {
        count++;
    }
    return coll_algorithms[prop_below(job, count)];
}

static void random_system(struct prop_job *job)
{
    static const uint32_t chunks[] = {1, 1, 2, 3, 4, 8};
    job->sys.chunks = chunks[prop_below(job, 6)];
    job->sys.priority = (enum sys_priority)prop_below(job, 3);
    job->sys.scheduler = chance(job, 30) ? SYS_THEMIS : SYS_BASELINE;
    job->sys.port_order = chance(job, 30) ? SYS_SMALLEST_FIRST : SYS_BY_AGE;
    job->sys.bandwidth_aware = chance(job, 70);
    job->sys.rendezvous = chance(job, 15);
    job->sys.endpoint_delay_ps = chance(job, 30) ? 10 * ORR_PS_PER_NS : 0;
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        if (chance(job, 50)) {
            continue; /* the defaults of the blocks */
        }
        for (unsigned d = 0; d < job->net.dims; d++) {
            job->algorithm[kind][d] = (struct sys_algorithm){.algorithm = random_algorithm(job),
                                                             .window = prop_below(job, 3)};
        }
        job->sys.algorithms[kind] =
            (struct sys_algorithm_list){.items = job->algorithm[kind], .count = job->net.dims};
    }
}

void prop_random_platform(struct prop_job *job, uint32_t most)
{
    const unsigned dims = 1 + prop_below(job, PROP_DIMS);
    uint32_t npus = 1;
    for (unsigned d = 0; d < dims; d++) {
        random_dim(job, &job->dim[d]);
        while (npus * job->dim[d].npus > most) {
            job->dim[d].npus--;
        }
        npus *= job->dim[d].npus;
    }
    prop_set_dims(job, dims);
    random_system(job);
}

void prop_torus(struct prop_job *job, unsigned dims, uint32_t k)
{
    for (unsigned d = 0; d < dims; d++) {
        job->dim[d] = (struct net_dim){
            .block = NET_RING, .npus = k, .bandwidth_bytes_per_s = 1e11, .latency_ps = 0};
    }
    prop_set_dims(job, dims);
}

/* ---- groups ---- */

int prop_add_name(struct prop_job *job)
{
    assert_true(job->names < 16);
    job->name[job->names] = orr_arena_printf(job->arena, "g%u", job->names);
    return (int)job->names++;
}

void prop_add_group(struct prop_job *job, int name, const uint32_t *ranks, uint32_t count)
{
    struct prop_group *grown = orr_arena_grow(job->arena, job->group, &job->group_capacity,
                                              job->groups + (size_t)1, sizeof *grown);
    uint32_t *copy = array(job, count, sizeof *copy);
    assert_non_null(grown);
    memcpy(copy, ranks, count * sizeof *copy);
    job->group = grown;
    grown[job->groups++] =
        (struct prop_group){.name = job->name[name], .ranks = copy, .count = count};
}

/* Ranks that agree outside of `mask` are a group. */
int prop_box_groups(struct prop_job *job, uint32_t mask)
{
    const int name = prop_add_name(job);
    uint32_t *ranks = array(job, job->npus, sizeof *ranks);
    uint32_t first[PROP_DIMS], other[PROP_DIMS];
    for (uint32_t r = 0; r < job->npus; r++) {
        uint32_t count = 0;
        net_coords(&job->net, r, first);
        for (uint32_t s = 0; s < job->npus; s++) {
            net_coords(&job->net, s, other);
            bool same = true;
            for (unsigned d = 0; d < job->net.dims; d++) {
                same = same && ((mask >> d & 1) != 0 || first[d] == other[d]);
            }
            if (same) {
                ranks[count++] = s;
            }
        }
        if (ranks[0] == r) {
            prop_add_group(job, name, ranks, count);
        }
    }
    return name;
}

static uint32_t *shuffled(struct prop_job *job)
{
    uint32_t *ranks = array(job, job->npus, sizeof *ranks);
    for (uint32_t i = 0; i < job->npus; i++) {
        const uint32_t at = prop_below(job, i + 1);
        ranks[i] = ranks[at];
        ranks[at] = i;
    }
    return ranks;
}

int prop_random_groups(struct prop_job *job)
{
    const int name = prop_add_name(job);
    const uint32_t *ranks = shuffled(job);
    const uint32_t size = 1 + prop_below(job, job->npus);
    for (uint32_t at = 0; at < job->npus; at += size) {
        prop_add_group(job, name, ranks + at, job->npus - at < size ? job->npus - at : size);
    }
    return name;
}

static const struct prop_group *group_of(const struct prop_job *job, int name, uint32_t rank)
{
    for (uint32_t g = 0; g < job->groups; g++) {
        for (uint32_t i = 0; job->group[g].name == job->name[name] && i < job->group[g].count;
             i++) {
            if (job->group[g].ranks[i] == rank) {
                return &job->group[g];
            }
        }
    }
    return NULL;
}

/* ---- workloads ---- */

void prop_start_programs(struct prop_job *job)
{
    job->program = array(job, job->npus, sizeof *job->program);
}

uint32_t prop_add(struct prop_job *job, uint32_t rank, struct prop_node node)
{
    struct prop_program *program = &job->program[rank];
    struct prop_node *grown = orr_arena_grow(job->arena, program->node, &program->capacity,
                                             program->nodes + (size_t)1, sizeof *grown);
    assert_non_null(grown);
    program->node = grown;
    grown[program->nodes] = node;
    return program->nodes++;
}

void prop_add_to_all(struct prop_job *job, struct prop_node node)
{
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        (void)prop_add(job, rank, node);
    }
}

/* Mostly small, at times none, up to 4 MiB, odd sizes among them. */
static uint64_t random_bytes(struct prop_job *job)
{
    const uint64_t most = UINT64_C(1) << prop_below(job, 23);
    return chance(job, 10) ? 0 : orr_rng_below(&job->rng, most) + (chance(job, 50) ? 0 : most);
}

/* Round numbers make events coincide, odd ones do not. */
static uint64_t random_duration(struct prop_job *job)
{
    return chance(job, 50) ? prop_below(job, 20) * UINT64_C(1000000) : prop_below(job, 20000000);
}

static void random_deps(struct prop_job *job, struct prop_node *node, uint32_t index)
{
    const uint32_t wanted = index != 0 ? prop_below(job, 3) : 0;
    for (uint32_t i = 0; i < wanted; i++) {
        const uint32_t back = 1 + prop_below(job, index < 4 ? index : 4);
        node->dep[node->deps++] = index - back;
    }
}

/* The root of a rank: the member of its group at a place that all groups of the name have. */
static uint32_t root_of(const struct prop_job *job, const struct prop_node *node, uint32_t rank,
                        uint32_t draw)
{
    if (node->group == PROP_NO_GROUP) {
        return draw % job->npus;
    }
    const struct prop_group *group = group_of(job, node->group, rank);
    return group->ranks[draw % group->count];
}

static void add_collective(struct prop_job *job, struct prop_node node, bool boxes)
{
    const uint32_t draw = (uint32_t)orr_rng_next(&job->rng);
    node.kind = ORR_NODE_COLL;
    node.comm = (enum orr_trace_comm)prop_below(job, ORR_COMM_KINDS);
    node.amount = random_bytes(job);
    node.group = (int)prop_below(job, job->names + 1) - 1;
    node.has_mask = !boxes && node.group == PROP_NO_GROUP && chance(job, 40);
    node.mask = prop_below(job, 1u << job->net.dims);
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        node.root = root_of(job, &node, rank, draw);
        (void)prop_add(job, rank, node);
    }
}

static void add_local_work(struct prop_job *job, struct prop_node node)
{
    if (chance(job, 60)) {
        node.kind = ORR_NODE_COMP;
        node.amount = random_duration(job);
    } else {
        node.kind = chance(job, 50) ? ORR_NODE_MEM_LOAD : ORR_NODE_MEM_STORE;
        node.local = chance(job, 50);
        node.amount = random_bytes(job);
    }
    prop_add_to_all(job, node);
}

void prop_sym_workload(struct prop_job *job, bool boxes)
{
    prop_start_programs(job);
    const uint32_t names = prop_below(job, 4);
    for (uint32_t i = 0; i < names; i++) {
        if (boxes || chance(job, 60)) {
            (void)prop_box_groups(job, 1 + prop_below(job, (1u << job->net.dims) - 1));
        } else {
            (void)prop_random_groups(job);
        }
    }
    const uint32_t nodes = 2 + prop_below(job, 12);
    for (uint32_t i = 0; i < nodes; i++) {
        struct prop_node node = {.group = PROP_NO_GROUP};
        random_deps(job, &node, i);
        if (chance(job, 50)) {
            add_collective(job, node, boxes);
        } else {
            add_local_work(job, node);
        }
    }
}

static struct prop_node transfer(enum orr_node_kind kind, uint32_t peer, uint32_t tag,
                                 uint64_t bytes)
{
    return (struct prop_node){
        .kind = kind, .group = PROP_NO_GROUP, .peer = peer, .tag = tag, .amount = bytes};
}

static struct prop_node work(uint64_t ps)
{
    return (struct prop_node){.kind = ORR_NODE_COMP, .group = PROP_NO_GROUP, .amount = ps};
}

static void depend(struct prop_node *node, uint32_t on)
{
    node->dep[node->deps++] = on;
}

/* One microbatch of a rank in one direction: receive, compute, send. */
struct pass {
    uint32_t from, to; /* SYS_NONE: an end of the pipeline */
    uint32_t tag;
    uint64_t bytes, work_ps;
};

static uint32_t add_pass(struct prop_job *job, uint32_t rank, const struct pass *pass)
{
    struct prop_node compute = work(pass->work_ps);
    if (pass->from != SYS_NONE) {
        depend(&compute,
               prop_add(job, rank, transfer(ORR_NODE_RECV, pass->from, pass->tag, pass->bytes)));
    }
    const uint32_t done = prop_add(job, rank, compute);
    if (pass->to != SYS_NONE) {
        struct prop_node send = transfer(ORR_NODE_SEND, pass->to, pass->tag, pass->bytes);
        depend(&send, done);
        (void)prop_add(job, rank, send);
    }
    return done;
}

/* Ranks of a stage are neighbours; `stages` divides the number of ranks. */
void prop_pipe_workload(struct prop_job *job, uint32_t stages)
{
    prop_start_programs(job);
    const uint32_t width = job->npus / stages, microbatches = 1 + prop_below(job, 5);
    const uint64_t bytes = random_bytes(job), gradient = random_bytes(job);
    const uint64_t forward = random_duration(job), backward = random_duration(job);
    const bool every_microbatch = chance(job, 30);
    const int name = prop_add_name(job);
    uint32_t *ranks = array(job, width, sizeof *ranks);
    for (uint32_t stage = 0; stage < stages; stage++) {
        for (uint32_t i = 0; i < width; i++) {
            ranks[i] = stage * width + i;
        }
        prop_add_group(job, name, ranks, width);
    }
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        const uint32_t stage = rank / width;
        const uint32_t before = stage > 0 ? rank - width : SYS_NONE;
        const uint32_t behind = stage + 1 < stages ? rank + width : SYS_NONE;
        for (uint32_t m = 0; m < microbatches; m++) {
            (void)add_pass(job, rank, &(struct pass){before, behind, m, bytes, forward});
        }
        for (uint32_t m = 0; m < microbatches; m++) {
            const uint32_t done = add_pass(
                job, rank, &(struct pass){behind, before, microbatches + m, bytes, backward});
            if (every_microbatch || m + 1 == microbatches) {
                struct prop_node reduce = {.kind = ORR_NODE_COLL,
                                           .comm = ORR_COMM_ALL_REDUCE,
                                           .group = name,
                                           .amount = gradient};
                depend(&reduce, done);
                (void)prop_add(job, rank, reduce);
            }
        }
    }
}

void prop_single_collective(struct prop_job *job, enum orr_trace_comm comm, uint64_t bytes)
{
    prop_start_programs(job);
    prop_add_to_all(job, (struct prop_node){.kind = ORR_NODE_COLL,
                                            .comm = comm,
                                            .group = PROP_NO_GROUP,
                                            .amount = bytes,
                                            .root = prop_below(job, job->npus)});
}

/* Messages in one order that all ranks follow, so that they cannot wait for each other in a ring:
 * a node depends on earlier nodes only. */
void prop_traffic_workload(struct prop_job *job, uint32_t messages)
{
    prop_start_programs(job);
    const uint64_t usual = 1000 * (1 + prop_below(job, 64));
    for (uint32_t m = 0; m < messages && job->npus > 1; m++) {
        const uint32_t src = prop_below(job, job->npus);
        const uint32_t dst = (src + 1 + prop_below(job, job->npus - 1)) % job->npus;
        const uint64_t bytes = chance(job, 70) ? usual : random_bytes(job);
        struct prop_node ends[2] = {transfer(ORR_NODE_SEND, dst, m, bytes),
                                    transfer(ORR_NODE_RECV, src, m, bytes)};
        for (unsigned e = 0; e < 2; e++) {
            const uint32_t rank = e == 0 ? src : dst;
            if (chance(job, 40)) {
                struct prop_node compute = work(1000000 * UINT64_C(1) * prop_below(job, 4));
                random_deps(job, &compute, job->program[rank].nodes);
                (void)prop_add(job, rank, compute);
            }
            random_deps(job, &ends[e], job->program[rank].nodes);
            (void)prop_add(job, rank, ends[e]);
        }
    }
}

/* ---- traces ---- */

static uint32_t renamed(const uint32_t *permutation, uint32_t rank)
{
    return permutation != NULL ? permutation[rank] : rank;
}

static struct orr_node_spec spec_of(const struct prop_job *job, const struct prop_node *node,
                                    uint32_t index, const uint32_t *permutation)
{
    const bool computes = node->kind == ORR_NODE_COMP;
    const bool memory = node->kind == ORR_NODE_MEM_LOAD || node->kind == ORR_NODE_MEM_STORE;
    const uint32_t peer = renamed(permutation, node->peer);
    return (struct orr_node_spec){
        .id = index,
        .kind = node->kind,
        .comm = node->comm,
        .flags = (computes ? ORR_NODE_HAS_NUM_OPS : 0u) |
                 (memory && node->local ? ORR_NODE_LOCAL_MEMORY : 0u),
        .name = "n",
        .num_ops = computes ? node->amount : 0,
        .tensor_bytes = memory ? node->amount : 0,
        .comm_bytes = node->amount,
        .src = peer,
        .dst = peer,
        .tag = node->tag,
        .root = renamed(permutation, node->root),
        .group = node->group != PROP_NO_GROUP ? job->name[node->group] : NULL,
        .has_involved_dim = node->has_mask,
        .involved_dims = (uint8_t)job->net.dims,
        .involved_mask = node->mask,
    };
}

static const struct orr_trace *build_trace(const struct prop_job *job, uint32_t rank,
                                           const uint32_t *permutation, struct orr_arena *arena)
{
    const struct prop_program *program = &job->program[rank];
    struct orr_trace_builder *builder = orr_trace_builder_create(arena);
    const struct orr_trace *trace = NULL;
    enum orr_status status = builder != NULL ? ORR_OK : ORR_ERR_MEMORY;
    for (uint32_t i = 0; i < program->nodes && status == ORR_OK; i++) {
        const struct prop_node *node = &program->node[i];
        struct orr_node_spec spec = spec_of(job, node, i, permutation);
        uint64_t deps[PROP_DEPS];
        for (uint32_t d = 0; d < node->deps; d++) {
            deps[d] = node->dep[d];
        }
        spec.data_deps = (struct orr_deps){deps, node->deps};
        status = orr_trace_builder_add(builder, &spec, NULL);
    }
    if (status == ORR_OK && orr_trace_builder_finish(builder, &trace, NULL) != ORR_OK) {
        trace = NULL;
    }
    orr_trace_builder_destroy(builder);
    return trace;
}

/* ---- the run ---- */

/* Counts what is sent, by standing before the network's operations. */
struct counter {
    struct net_ops ops; /* must be first */
    const struct net_ops *real;
    uint64_t *sent, *received;
};

struct run {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct counter counter;
    struct orr_evq *queue;
    struct net *net;
    struct mem *mem;
    struct sys *sys;
    struct wl_compute compute;
    struct wl_engine *engine;
    const struct orr_trace **traces;
};

static void count(const struct net_config *config, uint64_t *sent, uint64_t *received,
                  const struct net_msg *msg)
{
    const struct net_route route = net_route(config, msg->src, msg->dst);
    if (route.dim < config->dims) {
        sent[(size_t)msg->src * config->dims + route.dim] += msg->bytes;
        received[(size_t)msg->dst * config->dims + route.dim] += msg->bytes;
    }
}

static void counting_send(struct net *net, const struct net_msg *msg)
{
    const struct counter *counter = (const struct counter *)(const void *)net->ops;
    count(net->config, counter->sent, counter->received, msg);
    counter->real->send(net, msg);
}

static enum orr_status add_groups(const struct prop_job *job, struct run *run,
                                  const uint32_t *permutation)
{
    for (uint32_t g = 0; g < job->groups; g++) {
        const struct prop_group *group = &job->group[g];
        uint32_t *ranks = orr_arena_array(run->arena, group->count, sizeof *ranks);
        if (ranks == NULL) {
            return ORR_ERR_MEMORY;
        }
        for (uint32_t i = 0; i < group->count; i++) {
            ranks[i] = renamed(permutation, group->ranks[i]);
        }
        uint32_t index;
        const enum orr_status status =
            sys_group_add(run->sys, group->name, ranks, group->count, &index, &run->diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}

static enum orr_status build_layers(const struct prop_job *job, struct run *run)
{
    run->queue = orr_evq_create(job->sys.policy->order, job->npus);
    if (run->queue == NULL) {
        return ORR_ERR_MEMORY;
    }
    enum orr_status status = net_create(&run->net, &job->net, run->queue, run->arena, &run->diag);
    if (status == ORR_OK) {
        status = mem_create(&run->mem, &job->remote, job->npus, run->queue, run->arena, &run->diag);
    }
    if (status == ORR_OK) {
        status = sys_create(&run->sys, &job->sys, run->net, run->queue, run->arena, &run->diag);
    }
    return status;
}

static enum orr_status build_traces(const struct prop_job *job, struct run *run,
                                    const uint32_t *permutation)
{
    run->traces = orr_arena_array(run->arena, job->npus, sizeof *run->traces);
    for (uint32_t rank = 0; run->traces != NULL && rank < job->npus; rank++) {
        const struct orr_trace *trace = build_trace(job, rank, permutation, run->arena);
        if (trace == NULL) {
            return ORR_ERR_MEMORY;
        }
        run->traces[renamed(permutation, rank)] = trace;
    }
    return run->traces != NULL ? ORR_OK : ORR_ERR_MEMORY;
}

static enum orr_status build(const struct prop_job *job, struct run *run,
                             const uint32_t *permutation)
{
    enum orr_status status = build_layers(job, run);
    if (status == ORR_OK) {
        status = build_traces(job, run, permutation);
    }
    if (status == ORR_OK) {
        status = add_groups(job, run, permutation);
    }
    if (status != ORR_OK) {
        return status;
    }
    /* One operation is one picosecond. */
    run->compute =
        (struct wl_compute){.roofline = true, .peak_flops = 1e12, .memory_bytes_per_s = INFINITY};
    const struct wl_parts parts = {.sys = run->sys,
                                   .remote = run->mem,
                                   .local = &job->local,
                                   .compute = &run->compute,
                                   .policy = job->sys.policy,
                                   .queue = run->queue,
                                   .arena = run->arena};
    return wl_engine_create(&run->engine, &parts, run->traces, job->npus, &run->diag);
}

static void close_run(struct run *run)
{
    if (run->net != NULL && run->counter.real != NULL) {
        run->net->ops = run->counter.real;
    }
    sys_destroy(run->sys);
    net_destroy(run->net);
    orr_evq_destroy(run->queue);
    orr_arena_destroy(run->arena);
}

/* What wl_engine_run does first, with the NPUs in another order. */
static void start_in_order(struct run *run, const uint32_t *order, uint32_t npus)
{
    run->engine->started = true;
    for (uint32_t i = 0; i < npus; i++) {
        struct wl_npu *npu = &run->engine->npu[order[i]];
        for (uint32_t node = 0; node < npu->trace->nodes; node++) {
            if (npu->waiting[node] == 0) {
                wl_lane_push(run->engine, npu, node);
            }
        }
        const struct orr_event event = {.entity = order[i], .kind = EVENT_START};
        orr_evq_post(run->queue, 0, &event);
    }
}

/* ---- what the programs say ---- */

static void expect_phase(const struct sys *sys, struct sys_stream *stream, uint64_t *sent,
                         uint64_t *received)
{
    const struct coll_args args = sys_args_of(stream);
    const struct sys_run *run = stream->run;
    const struct sys_phase *phase = sys_phase_of(stream);
    const uint32_t sends = phase->algorithm->sends(&args);
    for (uint32_t k = 0; k < sends; k++) {
        struct coll_send send;
        phase->algorithm->send(&args, k, &send);
        const uint32_t peer =
            sys_peer_position(&run->dim[phase->dim], stream->member, args.rank, send.peer);
        const struct net_msg msg = {
            .src = sys_npu_of(stream), .dst = sys_rank_at(run->group, peer), .bytes = send.bytes};
        count(sys->net->config, sent, received, &msg);
    }
}

static void expect_collective(struct sys *sys, const struct sys_collective *request,
                              struct prop_result *result)
{
    struct orr_arena *arena = orr_arena_create();
    struct sys_run run = {.sys = sys,
                          .arena = arena,
                          .group = sys->groups[request->group],
                          .kind = request->kind,
                          .bytes = request->kind == COLL_BARRIER ? 0 : request->bytes,
                          .dim_mask = request->dim_mask};
    const uint32_t root = sys_group_position(sys, request->group, request->root);
    run.root = root != SYS_NONE ? root : 0;
    assert_int_equal(sys_plan_run(sys, &run, NULL), ORR_OK);
    for (uint32_t c = 0; c < run.chunks; c++) {
        for (unsigned p = 0; p < run.plan[c]->phases; p++) {
            struct sys_stream stream = {.run = &run,
                                        .member =
                                            sys_group_position(sys, request->group, request->npu),
                                        .chunk = (uint16_t)c,
                                        .phase = (uint8_t)p};
            expect_phase(sys, &stream, result->sent_expected, result->recv_expected);
        }
    }
    orr_arena_destroy(arena);
}

static void expect_bytes(const struct prop_job *job, struct run *run, struct prop_result *result)
{
    for (uint32_t npu = 0; npu < job->npus; npu++) {
        const struct orr_trace *trace = run->traces[npu];
        for (uint32_t i = 0; i < trace->nodes; i++) {
            const struct orr_node *node = &trace->node[i];
            if (node->kind == ORR_NODE_COLL) {
                const struct sys_collective request = wl_collective_of(run->engine, npu, i);
                expect_collective(run->sys, &request, result);
            } else if (node->kind == ORR_NODE_SEND) {
                const struct net_msg msg = {
                    .src = npu, .dst = node->of.p2p.peer, .bytes = node->amount};
                count(&job->net, result->sent_expected, result->recv_expected, &msg);
            } else if (node->kind == ORR_NODE_RECV && job->sys.rendezvous) {
                const struct net_msg msg = {
                    .src = npu, .dst = node->of.p2p.peer, .bytes = SYS_REQUEST_BYTES};
                count(&job->net, result->sent_expected, result->recv_expected, &msg);
            }
        }
    }
}

/* ---- results ---- */

static void allocate_result(struct prop_job *job, struct prop_result *result)
{
    const size_t cells = (size_t)job->npus * job->net.dims;
    *result = (struct prop_result){0};
    result->times = array(job, job->npus, sizeof *result->times);
    result->sent = array(job, cells, sizeof *result->sent);
    result->received = array(job, cells, sizeof *result->received);
    result->sent_expected = array(job, cells, sizeof *result->sent_expected);
    result->recv_expected = array(job, cells, sizeof *result->recv_expected);
}

static void collect(const struct prop_job *job, struct run *run, struct prop_result *result)
{
    result->wall_ps = wl_engine_wall(run->engine);
    result->messages = sys_messages(run->sys);
    result->events = orr_evq_handled(run->queue);
    for (uint32_t npu = 0; npu < job->npus; npu++) {
        wl_engine_times(run->engine, npu, &result->times[npu]);
    }
    run->net->ops->stats(run->net, result->dims);
}

void prop_run(struct prop_job *job, const struct prop_options *options, struct prop_result *result)
{
    struct run run = {.arena = orr_arena_create()};
    assert_non_null(run.arena);
    orr_diag_init(&run.diag);
    allocate_result(job, result);
    result->status = build(job, &run, options->permutation);
    if (result->status == ORR_OK) {
        run.counter = (struct counter){.ops = *run.net->ops,
                                       .real = run.net->ops,
                                       .sent = result->sent,
                                       .received = result->received};
        run.counter.ops.send = counting_send;
        run.net->ops = &run.counter.ops;
        if (options->start_order != NULL) {
            start_in_order(&run, options->start_order, job->npus);
        }
        result->status = wl_engine_run(run.engine, &run.diag);
    }
    if (result->status == ORR_OK) {
        collect(job, &run, result);
    }
    if (result->status == ORR_OK && options->expect) {
        expect_bytes(job, &run, result);
    }
    (void)orr_diag_render(&run.diag, result->message, sizeof result->message);
    close_run(&run);
}

enum orr_status prop_run_failing(struct prop_job *job, int64_t allocations)
{
    struct run run = {.arena = orr_arena_create()};
    assert_non_null(run.arena);
    orr_diag_init(&run.diag);
    orr_arena_fail_after(run.arena, allocations);
    enum orr_status status = build(job, &run, NULL);
    if (status == ORR_OK) {
        status = wl_engine_run(run.engine, &run.diag);
    }
    close_run(&run);
    return status;
}

/* ---- reports ---- */

void prop_print(const struct prop_job *job, const struct prop_result *result)
{
    char notation[256];
    print_message("seed %llu: %s, %s, %u chunks%s%s, %u nodes on rank 0: %s\n",
                  (unsigned long long)job->seed,
                  net_format_notation(&job->net, notation, sizeof notation), job->net.backend,
                  job->sys.chunks, job->sys.scheduler == SYS_THEMIS ? ", themis" : "",
                  job->sys.rendezvous ? ", rendezvous" : "", job->program[0].nodes,
                  result->status == ORR_OK ? "finished" : result->message);
    for (uint32_t i = 0; i < job->program[0].nodes; i++) {
        const struct prop_node *node = &job->program[0].node[i];
        print_message("  %u: kind %d comm %d amount %llu peer %u tag %u root %u group %d mask %d "
                      "%x deps",
                      i, (int)node->kind, (int)node->comm, (unsigned long long)node->amount,
                      node->peer, node->tag, node->root, node->group, node->has_mask, node->mask);
        for (uint32_t d = 0; d < node->deps; d++) {
            print_message(" %u", node->dep[d]);
        }
        print_message("\n");
    }
}

sim_time prop_critical_ps(struct prop_job *job, uint32_t rank)
{
    const struct prop_program *program = &job->program[rank];
    sim_time *end = array(job, program->nodes, sizeof *end);
    sim_time longest = 0;
    for (uint32_t i = 0; i < program->nodes; i++) {
        const struct prop_node *node = &program->node[i];
        for (uint32_t d = 0; d < node->deps; d++) {
            end[i] = end[node->dep[d]] > end[i] ? end[node->dep[d]] : end[i];
        }
        end[i] += node->kind == ORR_NODE_COMP ? (sim_time)node->amount : 0;
        longest = end[i] > longest ? end[i] : longest;
    }
    return longest;
}
