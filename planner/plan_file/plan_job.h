/* The file of a plan (JOB.yml): what is to be planned, on which servers, and how it is searched for
 * (docs/file-formats.md). The section `plan` says that; `network`, `compute` and `memory` are those
 * of platforms.
 *
 *     plan:
 *       model: topoopt/dlrm_5_3
 *       servers: 16
 *       server: {gpus: 4, bandwidth: 150 GB/s}
 *       interfaces: {degree: 4, bandwidth: 100 Gb/s}
 *     compute: {peak: 312 TFLOP/s, efficiency: 0.5}
 */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_JOB_H
#define ORR_PLANNER_PLAN_FILE_PLAN_JOB_H

#include "planner/sipml/sipml_search.h"
#include "sim/sim.h"

/* As far as the tables of keys reach. */
enum {
    PLAN_MAX_SERVERS = 4096,
    PLAN_MAX_ROUNDS = 1000,
    PLAN_MAX_TOPOLOGIES = 64,
    PLAN_MAX_COMPARED = 64,
    PLAN_MAX_SPLITS = 64, /* of devices into groups, and ... */
    PLAN_MAX_BATCHES = 256
};

/* Who plans; what the file says for the other is not looked at. */
enum plan_planner { PLAN_TOPOOPT, PLAN_SIP_ML };

/* Choices, in the order of their words. */
enum plan_links { PLAN_DUPLEX, PLAN_ONE_WAY };
enum plan_discount { PLAN_HALVING, PLAN_LINEAR, PLAN_FACTORIAL, PLAN_NO_DISCOUNT };
enum plan_select { PLAN_GEOMETRIC, PLAN_LEAST_MEAN_PATH };
enum plan_scale { PLAN_PER_MILLE, PLAN_PER_MS };

struct plan_interfaces {
    uint32_t degree;    /* of a server */
    double bytes_per_s; /* of one, each way */
    sim_time latency_ps;
    /* Of what a server passes on for others; the limit is 0: there is none. */
    sim_time forward_ps;
    double forward_bytes_per_s;
    enum plan_links links;
    uint32_t ring_degree; /* that all-reduces get; 0: by the traffic */
    bool any_port;        /* cables may join interfaces of different numbers */
    bool primes;          /* jumps of 1 and primes only */
};

struct plan_search {
    uint64_t budget, seed, max_strategies;
    double alpha, propagation;
    enum plan_scale scale;
    uint32_t chains, restarts;
    bool exhaustive;
    const char *const *dimension; /* that are split, [dimensions]; none: all */
    size_t dimensions;
};

struct plan_panels {
    uint32_t ports; /* of a panel; 0: as many as are needed */
    bool look_ahead;
};

/* plan.sip_ml */
struct plan_sip_ml {
    struct sipml_rules rules;
    const uint32_t *group; /* [groups] k, rising; each divides the servers */
    uint32_t groups;
    const uint64_t *batch; /* [batches] rising */
    uint32_t batches;
    struct sipml_steps steps;
    uint32_t simulate; /* the best so many, at least 1 */
};

/* What follows from a network that sets circuits for demands, of SiP-ML's plans. */
struct plan_circuits {
    const double *weight; /* [weights] of bytes inside of a group, which runs try; 0: no such
                             network */
    uint32_t weights;
    bool tries_weights; /* these, as the network says none */
    uint32_t degree;    /* peers of a GPU that circuits reach, unless plan.sip_ml.degree says */
    bool bidirectional; /* rings go half each way, `bidirectional_ring_stream` */
};

/* Everything is the arena's that it was read into. */
struct plan_job {
    enum plan_planner planner;
    const struct orr_conf *root;    /* the file, with what it includes and the values set */
    const struct orr_conf *section; /* plan */

    const struct orr_conf *model_root; /* the model as a file of its own has it */
    struct model_graph model;          /* knows its batch */
    uint64_t batch;                    /* that the plan gives it; 0: its own */
    struct model_speed speed;
    const char *profile; /* the file of the measures; NULL: none */

    uint32_t servers, groups; /* devices, and alike groups of them */
    struct strategy_server server;
    uint64_t memory_bytes; /* of a device; 0: not checked */

    bool fixed;                /* there is a network already: only strategies are searched */
    struct net_config network; /* fixed; a graph */
    struct plan_interfaces interfaces;
    bool stream; /* all-reduces are `ring_stream`, else `ring` */
    enum plan_discount discount;
    enum plan_select select;
    uint32_t rounds, topologies;
    bool converge; /* ends where a round finds nothing better */
    struct plan_search search;

    struct strategy start; /* to begin with; ops 0: none */
    struct plan_panels panels;
    bool compares;              /* with every fabric at hand ... */
    const char *const *compare; /* ... or with these, [compared] */
    size_t compared;
    const struct orr_conf *compare_at;

    struct plan_sip_ml sip_ml; /* PLAN_SIP_ML */
    struct plan_circuits circuits;
};

/* A file, and values to set: "plan.interfaces.degree=8". */
struct plan_source {
    enum plan_planner planner;
    const char *path; /* NULL: `text` */
    const char *text; /* YAML or JSON, without includes; its files are of the working directory */
    const char *const *set; /* [sets] */
    size_t sets;
};

/* Reads a plan. Errors name the place: what the tables of keys refuse; models, profiles and
 * strategies that cannot be read; degrees that the servers cannot have, and why; a strategy of
 * other devices. Costs what reading the model costs. */
enum orr_status orr_plan_job_read(struct orr_arena *arena, const struct plan_source *source,
                                  struct plan_job *out, struct orr_diag *diag);

/* The same of a tree. */
enum orr_status orr_plan_job_of(struct orr_arena *arena, const struct orr_conf *root,
                                enum plan_planner planner, struct plan_job *out,
                                struct orr_diag *diag);

/* The keys, for reading, schema and documentation. */
extern const struct orr_key_table orr_plan_file_table;

#endif
