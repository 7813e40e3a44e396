/* A plan file (JOB.yml): the model, its servers, and the options of planning
 * (docs/file-formats.md). These are in the section `plan`; the sections `network`, `compute` and
 * `memory` are those of platforms.
 *
 *     plan:
 *       model: topoopt/dlrm_5_3
 *       servers: 16
 *       server: {gpus: 4, bandwidth: 150 GB/s}
 *       interfaces: {degree: 4, bandwidth: 100 Gb/s}
 *     compute: {peak: 312 TFLOP/s, efficiency: 0.5} */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_JOB_H
#define ORR_PLANNER_PLAN_FILE_PLAN_JOB_H

#include "core/conf/keys.h"
#include "network/net_config.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/strategy/strategy.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;
struct plan_kind;

/* Upper bounds of keys. */
enum {
    PLAN_MAX_SERVERS = 4096,
    PLAN_MAX_ROUNDS = 1000,
    PLAN_MAX_TOPOLOGIES = 64,
    PLAN_MAX_LAYOUTS = 20,
    PLAN_MAX_COMPARED = 64
};

/* Choices, in the order of their texts in plan_keys.c. */
enum plan_links { PLAN_DUPLEX, PLAN_ONE_WAY };
enum plan_discount { PLAN_HALVING, PLAN_LINEAR, PLAN_FACTORIAL, PLAN_NO_DISCOUNT };
enum plan_select { PLAN_GEOMETRIC, PLAN_LEAST_MEAN_PATH };
enum plan_scale { PLAN_PER_MILLE, PLAN_PER_MS };

struct plan_interfaces {
    uint32_t degree;    /* of a server */
    double bytes_per_s; /* of one, in each direction */
    sim_time latency_ps;
    /* Forwarding by a server: added latency, and limit (0: none). */
    sim_time forward_ps;
    double forward_bytes_per_s;
    enum plan_links links;
    uint32_t ring_degree; /* for all-reduces; 0: by the traffic */
    bool any_port;        /* cables may join interfaces of different numbers */
    bool primes;          /* jumps of 1 and primes only */
};

struct plan_search {
    uint64_t budget, seed, max_strategies;
    double alpha, propagation;
    enum plan_scale scale;
    uint32_t chains, restarts;
    bool exhaustive;
    const char *const *dimension; /* that may be split, [dimensions]; none: all */
    size_t dimensions;
};

struct plan_panels {
    uint32_t ports; /* of a panel; 0: as many as needed */
    bool look_ahead;
};

/* Parameters of plans on a network with demand-aware circuits. */
struct plan_circuits {
    const double *weight; /* [weights] of bytes inside of a group; 0: no such network */
    uint32_t weights;
    bool tries_weights; /* default weights, because the network sets none */
    uint32_t degree;    /* peers of a GPU that circuits reach */
    bool bidirectional; /* rings send half in each direction, `bidirectional_ring_stream` */
};

/* A plan file that was read; everything is in the arena. */
struct plan_job {
    const struct plan_kind *kind;   /* keys of other kinds are ignored */
    const struct orr_conf *root;    /* the file with its includes and `set` values */
    const struct orr_conf *section; /* plan */

    const struct orr_conf *model_root; /* the model as a file by itself */
    struct model_graph model;          /* with its batch */
    uint64_t batch;                    /* plan.batch; 0: that of the model */
    struct model_speed speed;
    const char *profile; /* path of plan.profile; NULL: none */

    uint32_t servers, groups; /* devices, and equivalent groups of them */
    struct strategy_server server;
    uint64_t memory_bytes; /* of a device; 0: not checked */

    bool fixed;                /* there is a section network: only strategies are searched */
    struct net_config network; /* if fixed; a graph */
    struct plan_interfaces interfaces;
    bool stream; /* all-reduces are `ring_stream`, else `ring` */
    enum plan_discount discount;
    enum plan_select select;
    uint32_t rounds, topologies;
    uint32_t layouts; /* that are simulated */
    bool converge;    /* stop after rounds without improvement */
    struct plan_search search;

    struct strategy start; /* start strategy; ops 0: none */
    struct plan_panels panels;
    bool compares;              /* with all default fabrics ... */
    const char *const *compare; /* ... or with these, [compared] */
    size_t compared;
    const struct orr_conf *compare_at;

    struct plan_circuits circuits;
    void *own; /* what its kind reads of a section of its own */
};

/* A plan file, and values to set: "plan.interfaces.degree=8". */
struct plan_source {
    const struct plan_kind *kind;
    const char *path;       /* NULL: `text` */
    const char *text;       /* YAML or JSON without includes, of the working directory */
    const char *const *set; /* [sets] */
    size_t sets;
};

/* Reads a plan file into the arena. Errors have a location: invalid keys; models, profiles and
 * strategies that cannot be read; degrees that are impossible for the servers, with the reason; a
 * strategy of other devices. The cost is that of reading the model. */
enum orr_status orr_plan_job_read(struct orr_arena *arena, const struct plan_source *source,
                                  struct plan_job *out, struct orr_diag *diag);

/* The same for a configuration tree. */
enum orr_status orr_plan_job_of(struct orr_arena *arena, const struct orr_conf *root,
                                const struct plan_kind *kind, struct plan_job *out,
                                struct orr_diag *diag);

/* The table of keys, for reading, schema and documentation. */
extern const struct orr_key_table orr_plan_file_table;

#endif
