/* Random platforms and workloads; see property_support.h. */
#include "tests/property/property_support.h"

#include <stdlib.h>
#include <string.h>

#include "network/coordinates.h"
#include "system/collectives/program.h"
#include "system/plan/planning.h"
#include "system/state.h"
#include "system/sys_policy.h"

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

unsigned prop_cases_of(unsigned quick, unsigned many)
{
    return prop_cases(SANITIZED || getenv("ORRERY_LONG") != NULL ? many : quick);
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

void *prop_array(struct prop_job *job, size_t count, size_t size)
{
    void *memory = orr_arena_array(job->arena, count, size);
    assert_non_null(memory);
    return memory;
}

/* ---- platforms ---- */

void prop_set_dims(struct prop_job *job, unsigned dims)
{
    job->net = (struct net_config){.backend = "analytical", .dims = dims, .dim = job->dim};
    job->npus = orr_net_npus(&job->net);
    job->sys = (struct sys_config){.policy = &orr_sys_policy_default,
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
    dim->reduces = dim->block == NET_SWITCH;
}

static const struct coll_algorithm *random_algorithm(struct prop_job *job)
{
    unsigned count = 0;
    while (orr_coll_algorithms[count] != NULL && !orr_coll_algorithms[count]->on_rings) {
        count++;
    }
    return orr_coll_algorithms[prop_below(job, count)];
}

static void random_system(struct prop_job *job)
{
    static const uint32_t chunks[] = {1, 1, 2, 3, 4, 8};
    job->sys.chunks = chunks[prop_below(job, 6)];
    job->sys.priority = (enum sys_priority)prop_below(job, 3);
    job->sys.scheduler =
        chance(job, 30) ? orr_sys_scheduler_find("themis") : orr_sys_scheduler_find("baseline");
    job->sys.port_order = chance(job, 30) ? SYS_SMALLEST_FIRST : SYS_BY_AGE;
    job->sys.port_sharing = job->seed % 4 != 0 ? SYS_SHARE_STREAMS : SYS_SHARE_MESSAGES;
    job->sys.service = chance(job, 25) ? SYS_BY_PHASE : SYS_BY_MESSAGE;
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

void prop_random_platform(struct prop_job *job, uint32_t max)
{
    const unsigned dims = 1 + prop_below(job, PROP_DIMS);
    uint32_t npus = 1;
    for (unsigned d = 0; d < dims; d++) {
        random_dim(job, &job->dim[d]);
        while (npus * job->dim[d].npus > max) {
            job->dim[d].npus--;
        }
        npus *= job->dim[d].npus;
    }
    prop_set_dims(job, dims);
    random_system(job);
}

void prop_random_overhead(struct prop_job *job)
{
    static const sim_time overhead_ns[] = {10, 250, 1000, 20000};
    if (prop_below(job, 3) == 0) {
        job->net.message_overhead_ps = overhead_ns[prop_below(job, 4)] * ORR_PS_PER_NS;
    }
    if (prop_below(job, 4) == 0) {
        job->communication_slowdown = 1 + 0.1 * (1 + prop_below(job, 20));
    }
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
    assert_true(job->names < PROP_NAMES);
    job->name[job->names] = orr_arena_printf(job->arena, "g%u", job->names);
    return (int)job->names++;
}

void prop_add_group(struct prop_job *job, int name, const uint32_t *ranks, uint32_t count)
{
    struct prop_group *grown = orr_arena_grow(job->arena, job->group, &job->group_capacity,
                                              job->groups + (size_t)1, sizeof *grown);
    uint32_t *copy = prop_array(job, count, sizeof *copy);
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
    uint32_t *ranks = prop_array(job, job->npus, sizeof *ranks);
    uint32_t first[PROP_DIMS], other[PROP_DIMS];
    for (uint32_t r = 0; r < job->npus; r++) {
        uint32_t count = 0;
        orr_net_coords(&job->net, r, first);
        for (uint32_t s = 0; s < job->npus; s++) {
            orr_net_coords(&job->net, s, other);
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
    uint32_t *ranks = prop_array(job, job->npus, sizeof *ranks);
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
    job->program = prop_array(job, job->npus, sizeof *job->program);
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
    const uint64_t max = UINT64_C(1) << prop_below(job, 23);
    return chance(job, 10) ? 0 : orr_rng_below(&job->rng, max) + (chance(job, 50) ? 0 : max);
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
    uint32_t *ranks = prop_array(job, width, sizeof *ranks);
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

/* ---- parts of collectives ---- */

/* By what the node is and not by whose, in two cases of three. */
static uint64_t random_part(const struct prop_job *job, uint64_t bytes, uint32_t node, uint32_t dep)
{
    struct orr_rng rng;
    orr_rng_init(&rng, job->seed, (uint64_t)node * PROP_DEPS + dep);
    return orr_rng_below(&rng, 3) != 0 ? 1 + orr_rng_below(&rng, bytes) : 0;
}

void prop_random_prefixes(struct prop_job *job)
{
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        struct prop_program *program = &job->program[rank];
        for (uint32_t i = 0; i < program->nodes; i++) {
            struct prop_node *node = &program->node[i];
            for (uint32_t d = 0; d < node->deps; d++) {
                const struct prop_node *of = &program->node[node->dep[d]];
                const bool twice = d > 0 && node->dep[d] == node->dep[0];
                if (of->kind == ORR_NODE_COLL && of->comm != ORR_COMM_BARRIER && of->amount != 0 &&
                    !twice) {
                    node->prefix[d] = random_part(job, of->amount, i, d);
                }
            }
        }
    }
}
