/* Random platforms and workloads for the property tests, and a run of them that tells everything
 * that can be observed. A job is a pure function of its seed: a failing case is run again with
 * ORRERY_SEED (its seed) and ORRERY_CASES=1.
 *
 * A job keeps its programs as lists of nodes, so that it can be built for a permutation of the
 * ranks: rank r's program then runs on rank permutation[r], with peers, roots and groups renamed.*/
#ifndef ORR_TESTS_PROPERTY_PROPERTY_SUPPORT_H
#define ORR_TESTS_PROPERTY_PROPERTY_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/cause.h"
#include "core/rng.h"
#include "core/sum.h"
#include "memory/mem.h"
#include "memory/mem_local.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "system/sys_config.h"
#include "workload/engine/engine.h"
#include "workload/trace/trace.h"

struct net_traffic;
struct orr_arena;

enum { PROP_DIMS = 4, PROP_DEPS = 4, PROP_NO_GROUP = -1, PROP_NAMES = 640 };

struct prop_node {
    enum orr_node_kind kind;
    enum orr_trace_comm comm;
    bool local;         /* memory */
    bool gathered;      /* memory */
    uint64_t amount;    /* compute: ps; otherwise bytes */
    uint32_t peer, tag; /* send, receive */
    uint32_t root;      /* rooted collectives */
    int group;          /* names[group], or PROP_NO_GROUP: all NPUs */
    bool has_mask;      /* involved_dim, PROP_NO_GROUP only */
    uint32_t mask;
    uint32_t deps;
    uint32_t dep[PROP_DEPS];     /* earlier nodes of the program */
    uint64_t prefix[PROP_DEPS];  /* of a collective: the bytes that it waits for; 0: its end */
    struct orr_comm_sizes sizes; /* of an uneven collective */
};

struct prop_program {
    struct prop_node *node;
    size_t capacity;
    uint32_t nodes;
};

struct prop_group {
    const char *name;
    const uint32_t *ranks;
    uint32_t count;
};

/* An NPU begins (+1) or ends (-1) to forward a message of others. */
struct prop_forward {
    sim_time time_ps;
    uint32_t npu;
    int change;
};

struct prop_job {
    uint64_t seed;
    struct orr_rng rng;
    struct orr_arena *arena;
    /* the platform */
    uint32_t npus;
    struct net_dim dim[PROP_DIMS];
    struct net_config net;
    struct sys_config sys;
    struct sys_algorithm algorithm[SYS_LISTED_KINDS][PROP_DIMS];
    struct mem_local local;
    struct mem_config remote;
    /* What computations take longer for, and what the network says of forwarding by itself. */
    double forwarding_slowdown, communication_slowdown, sms, collective_sms;
    bool forwarding_lasts;
    const struct prop_forward *forward;
    unsigned forwards;
    /* the workload */
    struct prop_program *program; /* [npus] */
    struct prop_group *group;
    size_t group_capacity;
    uint32_t groups;
    const char *name[PROP_NAMES]; /* of groups, by prop_node.group */
    uint32_t names;
};

/* What a run showed. Arrays live in the job's arena. */
struct prop_result {
    enum orr_status status;
    char message[ORR_DIAG_MESSAGE_BYTES];
    sim_time wall_ps;
    struct wl_times *times; /* [npus] */
    orr_sum messages;
    uint64_t events;
    uint32_t classes;                        /* NPUs that were simulated */
    uint64_t *sent, *received;               /* [npus * dims], counted at the network */
    uint64_t *sent_expected, *recv_expected; /* the same, from the programs of the algorithms */
    struct net_dim_stats dims[PROP_DIMS];
    bool has_path; /* asked for with options.causes */
    sim_time path_ps[ORR_PART_BANDWIDTH(PROP_DIMS)];
    unsigned path_steps; /* the first of them follow, in order of time */
    struct orr_mark path_step[8];
};

struct prop_options {
    const uint32_t *permutation; /* [npus], or NULL */
    const uint32_t *start_order; /* [npus], order in which NPUs' first events are posted, or NULL */
    bool expect;                 /* fill the expected bytes */
    bool causes;                 /* keep causes and tell the critical path */
    bool fold;                   /* simulate NPUs that do alike once */
    struct net_traffic *traffic; /* counts what is sent, or NULL */
};

/* ---- cases ---- */
uint64_t prop_first_seed(void);        /* ORRERY_SEED, or 1 */
unsigned prop_cases(unsigned release); /* ORRERY_CASES, or fewer under sanitizers */
/* `quick`, or `many` with ORRERY_LONG, of which there are fewer under sanitizers, or ORRERY_CASES
 */
unsigned prop_cases_of(unsigned quick, unsigned many);
void prop_open(struct prop_job *job, uint64_t seed);
void prop_close(struct prop_job *job);
uint32_t prop_below(struct prop_job *job, uint32_t bound);
/* Zeroed memory that lives as long as the job. */
void *prop_array(struct prop_job *job, size_t count, size_t size);

/* ---- platforms ---- */
/* 1 to 4 dimensions of 1 to 6, at most `most` NPUs, any bandwidths, algorithms and schedulers. */
void prop_random_platform(struct prop_job *job, uint32_t max);
/* Gives messages an overhead, in one of three jobs, and slows computations beside collectives, in
 * one of four. */
void prop_random_overhead(struct prop_job *job);
/* A torus of `dims` rings of `k`, whose algorithms treat all positions alike. */
void prop_torus(struct prop_job *job, unsigned dims, uint32_t k);
/* Sets npus and the config from job->dim; rules of ours, one chunk. */
void prop_set_dims(struct prop_job *job, unsigned dims);

/* ---- workloads ---- */
void prop_start_programs(struct prop_job *job);
/* Adds a node to a rank's program and returns its index. */
uint32_t prop_add(struct prop_job *job, uint32_t rank, struct prop_node node);
void prop_add_to_all(struct prop_job *job, struct prop_node node);
/* The name of a partition of the ranks into boxes over the dimensions of `mask`. */
int prop_box_groups(struct prop_job *job, uint32_t mask);
/* The name of a partition of the ranks into random sets. */
int prop_random_groups(struct prop_job *job);
/* Adds one group under a name. */
void prop_add_group(struct prop_job *job, int name, const uint32_t *ranks, uint32_t count);
int prop_add_name(struct prop_job *job);

/* The same random graph on every rank: compute, memory, collectives of several groups. With
 * `boxes` only whole boxes are groups and no masks are given. */
void prop_sym_workload(struct prop_job *job, bool boxes);
/* Pipeline stages: forward and backward over microbatches. With `replicas` ranks of a stage, which
 * all-reduce among themselves, at the end or after each microbatch. */
void prop_pipe_workload(struct prop_job *job, uint32_t stages);
/* One collective of all ranks. */
void prop_single_collective(struct prop_job *job, enum orr_trace_comm comm, uint64_t bytes);
/* Random traffic between ranks: every message has its receive. */
void prop_traffic_workload(struct prop_job *job, uint32_t messages);

/* Has nodes that wait for a collective wait for a part of it, at random; nodes that are the same on
 * several ranks for the same part. */
void prop_random_prefixes(struct prop_job *job);

/* ---- running ---- */
void prop_run(struct prop_job *job, const struct prop_options *options, struct prop_result *result);
/* Whether two runs spent their paths alike, step by step; whose the steps are is not looked at. */
bool prop_same_path(const struct prop_job *job, const struct prop_result *one,
                    const struct prop_result *other);
/* As above, but the arena of the run fails after so many allocations; < 0: never. */
enum orr_status prop_run_failing(struct prop_job *job, int64_t allocations);
/* Prints what the job is, for the report of a failure. */
void prop_print(const struct prop_job *job, const struct prop_result *result);
/* Compute that a rank does one after the other: the longest chain of its program. */
sim_time prop_critical_ps(struct prop_job *job, uint32_t rank);

/* Checks with the seed on failure. */
#define PROP_CHECK(job, result, condition)                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            prop_print((job), (result));                                                           \
            fail_msg("seed %llu: %s", (unsigned long long)(job)->seed, #condition);                \
        }                                                                                          \
    } while (0)

#endif
