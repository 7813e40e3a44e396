/* The file of orrery run --cluster: a cluster, and jobs on it (docs/user-guide.md). */
#ifndef ORR_SIM_CLUSTER_JOBS_H
#define ORR_SIM_CLUSTER_JOBS_H

#include "et_converter/et_converter.h"
#include "orrery/orrery.h"
#include "sim/cluster/queue.h"

enum { ORR_JOBS_MAX_SERVERS = 1 << 16, ORR_JOBS_MAX = 1 << 16 };

extern const struct orr_key_table orr_jobs_table;

enum { ORR_JOB_TASKGRAPH, ORR_JOB_TRACES, ORR_JOB_WORKLOAD };

/* What a job runs; a task graph is read once for all jobs that run it (jobs_source.c). Ranks are
 * the job's own, from 0 on. */
struct orr_jobs_source {
    unsigned kind;
    const char *path; /* of the task graph, the prefix of traces, the workload file */
    uint32_t npus;
    const struct orr_trace *const *trace; /* [npus] */
    const struct tg_group *group;         /* [groups] */
    uint32_t groups;
    bool by_rules;                      /* by those of task graphs */
    const struct orr_task_graph *graph; /* NULL: it is none */
    const struct sys_mono *all_reduce;  /* as the workload says; NULL: it does not */
    struct orr_jobs_source *next;
};

/* What a job's network is, where that is not the cluster's: a fabric with keys of its own, or a
 * plan's, with the servers that it was planned for (job_platform.c). */
struct orr_job_platform {
    const char *fabric;          /* as the file says: a name or a file */
    const char *path;            /* of a file; NULL: it is a name */
    const char *plan;            /* the plan's folder; NULL: it is none */
    const char *routing, *rings; /* NULL: as the network says */
    struct net_link_kind kind;
    const struct orr_conf *node;                      /* the key, for messages */
    const struct orr_conf *system, *memory, *compute; /* sections of its platform */
};

/* One job; of an entry with `count` there are several. */
struct orr_job {
    const char *name;
    const struct orr_jobs_source *source;
    const struct orr_conf *node;    /* its entry, for messages */
    const struct orr_conf *servers; /* NULL: not given */
    const struct orr_job_platform
        *own; /* of a plan or a sharded cluster; NULL: as the cluster says */
    uint32_t copy, copies;
    uint32_t *server; /* [orr_job_servers] */
    struct sys_mono all_reduce;
    bool starts; /* at a time that is given */
    sim_time start_ps;
    uint32_t iterations;
};

enum { ORR_JOBS_SHARED, ORR_JOBS_SHARDED };
enum {
    ORR_JOBS_CONTIGUOUS,
    ORR_JOBS_RANDOM,
    ORR_JOBS_BLOCK, /* neighbours around the ring of servers (ring_block.h) */
    ORR_JOBS_PLACEMENT_BY_FABRIC
};
enum { ORR_JOBS_MAXMIN, ORR_JOBS_WINDOWS, ORR_JOBS_MODEL_BY_NETWORK };

struct orr_jobs {
    const char *file;
    struct orr_arena *arena;
    uint32_t servers;
    const struct orr_conf *cluster;                   /* the section, for messages */
    const struct orr_conf *system, *memory, *compute; /* sections of the platform; NULL: none */
    sim_time flow_setup_ps, forwarding_ps;
    double forwarding_limit_bytes_per_s; /* 0: as the network says */
    const char *fabric, *routing;        /* routing NULL: as suits the fabric */
    const char *rings;                   /* "totient:4"; NULL: those of the fabric */
    struct net_link_kind kind;
    unsigned flow_model, network, placement;
    bool ring_ocs; /* a switch puts servers anywhere on the ring: any are a block */
    uint64_t seed;
    sim_time start_within_ps;
    struct orr_queue queue;
    size_t jobs;
    struct orr_job *job;    /* [jobs] */
    const uint32_t *number; /* [jobs] in the file, of some of its jobs; NULL: all are there */
    struct orr_jobs_source *sources;
};

/* How many servers it has. */
static inline uint32_t orr_job_servers(const struct orr_job *job)
{
    return job->source->npus;
}

/* Whose network it is; NULL: the cluster's. */
static inline const struct orr_job_platform *orr_job_platform_of(const struct orr_jobs *jobs,
                                                                 const struct orr_job *job)
{
    return jobs->network == ORR_JOBS_SHARDED ? job->own : NULL;
}

/* Whether jobs need servers next to each other around the ring. */
static inline bool orr_jobs_need_blocks(const struct orr_jobs *jobs)
{
    return jobs->placement == ORR_JOBS_BLOCK && !jobs->ring_ocs;
}

/* Whether they wait for servers, which others take afterwards (cluster.queue). */
static inline bool orr_jobs_wait(const struct orr_jobs *jobs)
{
    return jobs->queue.order != ORR_QUEUE_NONE;
}

/* Reads the file, the assignments ("PATH=VALUE") on top of it, and the task graphs that it names.
 * Errors: those of the file with their place; those of the task graphs. */
enum orr_status orr_jobs_read(struct orr_arena *arena, const char *file, const char *const *set,
                              size_t sets, struct orr_jobs *jobs, struct orr_diag *diag);

/* Gives every job its servers and its start (jobs_place.c): first those with given servers; then
 * the others in the order of the file, by the placement, from what is left. With a queue only given
 * servers, which may be those of others too; copies that are given as many as one has share them.
 * Blocks are those of ring_block.h, in their order around the ring.
 * Errors, with their place: servers that are not there or given twice, a number of them that is not
 * the task graph's, more than are left, or than there are; where blocks are needed also given
 * servers that are none, and jobs that none is left for. O(servers + given), with blocks
 * O(jobs servers). */
enum orr_status orr_jobs_place(struct orr_jobs *jobs, struct orr_diag *diag);

/* All servers in the order in which a placement takes them, into order[servers]. O(servers). */
void orr_jobs_server_order(const struct orr_jobs *jobs, uint32_t *order);

/* Whether two jobs run the same in the same way, and so take the same time on servers and a network
 * alike. */
bool orr_jobs_are_equivalent(const struct orr_job *a, const struct orr_job *b);

/* What a job was like. */
struct orr_jobs_result {
    const sim_time *iteration_ps;   /* [iterations] */
    sim_time end_ps;                /* of the last iteration */
    sim_time mean_ps, p99_ps;       /* of an iteration */
    sim_time compute_max_ps;        /* in an iteration, of the server that computes longest */
    uint64_t all_reduces, rounds;   /* of all iterations; rounds are those with a barrier */
    uint64_t ring_fallbacks, flows; /* all-reduces that the chosen way does not fit; messages */
    bool windows;
};

/* A network that jobs run on. */
struct orr_cluster_network {
    struct net_graph graph;
    struct net_route_options routes;
    struct net_flow_model flows;
};

/* How jobs are run; all zero: as usual. */
struct orr_jobs_options {
    unsigned record; /* what for (ORRERY_RECORD_...) */
    enum orrery_status (*run)(struct orrery *handle, const void *context); /* NULL: orrery_run */
    const void *context;
};

/* A run: with a shared network one handle, else one for each job. */
struct orr_jobs_run {
    const struct orr_jobs *jobs;
    struct orr_jobs_options how;
    size_t handles;
    struct orrery **handle;              /* [handles] */
    struct orr_cluster_network *network; /* [handles] */
    struct orr_jobs_result *result;      /* [jobs] */
    sim_time mean_ps, p99_ps;            /* of the iterations of all jobs */
    sim_time end_ps;
    uint64_t iterations, events;
};

/* Runs all jobs. To be freed with orr_jobs_run_free also after an error. (jobs_run.c) */
enum orr_status orr_jobs_run(const struct orr_jobs *jobs, const struct orr_jobs_options *how,
                             struct orr_jobs_run *run, struct orr_diag *diag);
void orr_jobs_run_free(struct orr_jobs_run *run);

/* The flows of a shared network. */
const struct net_flows *orr_jobs_flows(const struct orr_jobs_run *run);

/* Runs one of the jobs by itself, on the servers and the shared network that it has in the run.
 * *mean_ps becomes its mean iteration. */
enum orr_status orr_jobs_run_alone(const struct orr_jobs_run *run, size_t number, sim_time *mean_ps,
                                   struct orr_diag *diag);

/* ---- for the files of this folder ---- */

/* Finds what a job asks for, or reads it. Errors: those of the files; a job whose NPUs nobody
 * says. (jobs_source.c) */
struct orr_job_request {
    unsigned kind;
    const char *path;
    uint32_t npus; /* 0: as the source says */
    const char *groups_file;
    const struct orr_conf *groups, *node; /* node: the entry, for messages */
    const struct orr_job_platform *own;   /* whose servers they are; NULL: the cluster's */
};
enum orr_status orr_jobs_source_find(struct orr_jobs *jobs, const struct orr_job_request *request,
                                     const struct orr_jobs_source **out, struct orr_diag *diag);

/* What a job says of a network of its own, *out NULL where it says nothing; of a plan, also the
 * workload that it runs, in the section. Errors, with their place: keys that a plan comes without
 * or a shared cluster has no use for, files that are not there. (job_platform.c) */
struct orr_job_section;
enum orr_status orr_job_platform_read(const struct orr_jobs *jobs, const struct orr_conf *node,
                                      struct orr_job_section *section,
                                      const struct orr_job_platform **out, struct orr_diag *diag);

/* A plan's network has the servers of its strategy. (job_platform.c) */
enum orr_status orr_job_platform_check(const struct orr_job *job, const struct net_graph *graph,
                                       struct orr_diag *diag);

/* The network of all jobs, or of one of a sharded cluster. Errors: those of the fabric, and of
 * bandwidths that nobody says, with their place. (jobs_run.c) */
enum orr_status orr_jobs_build_network(const struct orr_jobs *jobs, const struct orr_job *of,
                                       struct orr_cluster_network *out, struct orr_diag *diag);

/* Makes the jobs from number `first` on a job of the handle, on the network, which must outlive it.
 * Errors, in the handle's diagnostic: what the engine refuses. (cluster_load.c) */
struct orr_cluster_part {
    const struct orr_jobs *jobs;
    size_t first, count;
    const struct orr_cluster_network *network;
};
enum orr_status orr_cluster_load(struct orrery *handle, const struct orr_cluster_part *part);

#endif
