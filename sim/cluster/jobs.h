/* The file of `orrery run --cluster`: a cluster, and jobs on it (docs/how-to/shared-cluster.md). */
#ifndef ORR_SIM_CLUSTER_JOBS_H
#define ORR_SIM_CLUSTER_JOBS_H

#include "core/conf/keys.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/graph_source.h"
#include "network/route_options.h"
#include "orrery/orrery.h"
#include "sim/cluster/queue.h"
#include "system/sys_mono.h"

struct net_flows;
struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orr_task_graph;
struct orr_trace;
struct orrery;
struct tg_group;

enum { ORR_JOBS_MAX_SERVERS = 1 << 16, ORR_JOBS_MAX = 1 << 16 };

extern const struct orr_key_table orr_jobs_table;

enum { ORR_JOB_TASKGRAPH, ORR_JOB_TRACES, ORR_JOB_WORKLOAD };

/* The source of a job's traces. A task graph is read once for all jobs that run it (jobs_source.c).
 * Ranks are the job's, from 0 on. */
struct orr_jobs_source {
    unsigned kind;
    const char *path; /* of the task graph, the prefix of traces, the workload file */
    uint32_t npus;
    const struct orr_trace *const *trace; /* [npus] */
    const struct tg_group *group;         /* [groups] */
    uint32_t groups;
    bool by_rules;                      /* the job runs by the rules of task graphs */
    const struct orr_task_graph *graph; /* NULL: no task graph */
    const struct sys_mono *all_reduce;  /* the workload's all-reduce; NULL: not set */
    struct orr_jobs_source *next;
};

/* A job's own network, in place of the cluster's: a fabric with its keys, or that of a plan, with
 * the servers of the plan (job_platform.c). */
struct orr_job_platform {
    const char *fabric;          /* as written: a name or a file */
    const char *path;            /* of the file; NULL: a name */
    const char *plan;            /* folder of the plan; NULL: no plan */
    const char *routing, *rings; /* NULL: those of the network */
    struct net_link_kind kind;
    const struct orr_conf *node;                      /* the key, for messages */
    const struct orr_conf *system, *memory, *compute; /* sections of its platform */
};

/* A job; an entry with `count` makes several. */
struct orr_job {
    const char *name;
    const struct orr_jobs_source *source;
    const struct orr_conf *node;        /* its entry, for error locations */
    const struct orr_conf *servers;     /* NULL: not set */
    const struct orr_job_platform *own; /* of a plan or a sharded cluster; NULL: the cluster's */
    uint32_t copy, copies;
    uint32_t *server; /* [orr_job_servers] */
    struct sys_mono all_reduce;
    bool starts; /* start_ps is set by the user */
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
    double forwarding_limit_bytes_per_s; /* 0: the network's */
    const char *fabric, *routing;        /* routing NULL: the default of the fabric */
    const char *rings;                   /* "totient:4"; NULL: those of the fabric */
    struct net_link_kind kind;
    unsigned flow_model, network, placement;
    bool ring_ocs; /* an optical switch in front of the ring: any servers form a block */
    uint64_t seed;
    sim_time start_within_ps;
    struct orr_queue queue;
    size_t jobs;
    struct orr_job *job; /* [jobs] */
    const uint32_t
        *number; /* [jobs] index in the file, if only some of its jobs are present; NULL: all are */
    struct orr_jobs_source *sources;
};

/* The number of a job's servers. */
static inline uint32_t orr_job_servers(const struct orr_job *job)
{
    return job->source->npus;
}

/* The job's own network; NULL: the cluster's. */
static inline const struct orr_job_platform *orr_job_platform_of(const struct orr_jobs *jobs,
                                                                 const struct orr_job *job)
{
    return jobs->network == ORR_JOBS_SHARDED ? job->own : NULL;
}

/* Whether jobs need neighbouring servers around the ring. */
static inline bool orr_jobs_need_blocks(const struct orr_jobs *jobs)
{
    return jobs->placement == ORR_JOBS_BLOCK && !jobs->ring_ocs;
}

/* Whether jobs queue for servers (cluster.queue). */
static inline bool orr_jobs_wait(const struct orr_jobs *jobs)
{
    return jobs->queue.order != ORR_QUEUE_NONE;
}

/* Reads the file with assignments ("PATH=VALUE") on top, and its task graphs. Errors, with
 * location: those of the file and of the task graphs. */
enum orr_status orr_jobs_read(struct orr_arena *arena, const char *file, const char *const *set,
                              size_t sets, struct orr_jobs *jobs, struct orr_diag *diag);

/* Places the jobs: sets the servers and the start of each (jobs_place.c). Jobs with listed servers
 * come first, then the others in file order, by the placement policy, on the remaining servers.
 * With a queue only listed servers are set, which may overlap; copies share a list of one job's
 * size. Blocks are those of ring_block.h, in their order around the ring.
 *
 * Errors, with location: unknown servers, or servers listed twice; a number of servers that differs
 * from the task graph's, or exceeds the remaining or existing ones; with blocks also a listed set
 * that is no block, and a job without a free block. O(servers + listed), with blocks O(jobs
 * servers). */
enum orr_status orr_jobs_place(struct orr_jobs *jobs, struct orr_diag *diag);

/* The order in which the placement policy takes servers, into order[servers]. O(servers). */
void orr_jobs_server_order(const struct orr_jobs *jobs, uint32_t *order);

/* Whether two jobs are equivalent: they run the same source with the same settings, so that they
 * take the same time on equivalent servers and networks. */
bool orr_jobs_are_equivalent(const struct orr_job *a, const struct orr_job *b);

/* The result of a job. */
struct orr_jobs_result {
    const sim_time *iteration_ps;   /* [iterations] */
    sim_time end_ps;                /* of the last iteration */
    sim_time mean_ps, p99_ps;       /* of an iteration */
    sim_time compute_max_ps;        /* in an iteration, of the server with the longest computing */
    uint64_t all_reduces, rounds;   /* of all iterations; rounds: those with a barrier */
    uint64_t ring_fallbacks, flows; /* all-reduces that fell back to a ring; flows: messages */
    bool windows;
};

/* A network of jobs. */
struct orr_cluster_network {
    struct net_graph graph;
    struct net_route_options routes;
    struct net_flow_model flows;
};

/* Options of a run; all 0: defaults. */
struct orr_jobs_options {
    unsigned record; /* ORRERY_RECORD_... flags */
    enum orrery_status (*run)(struct orrery *handle, const void *context); /* NULL: orrery_run */
    const void *context;
};

/* A run: one handle with a shared network, else one for each job. */
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

/* Runs all jobs. Free the run with orr_jobs_run_free, also after an error. (jobs_run.c) */
enum orr_status orr_jobs_run(const struct orr_jobs *jobs, const struct orr_jobs_options *how,
                             struct orr_jobs_run *run, struct orr_diag *diag);
void orr_jobs_run_free(struct orr_jobs_run *run);

/* The flows of a shared network. */
const struct net_flows *orr_jobs_flows(const struct orr_jobs_run *run);

/* Runs one job alone, on its servers and on the shared network of the run. *mean_ps becomes its
 * mean iteration time. */
enum orr_status orr_jobs_run_alone(const struct orr_jobs_run *run, size_t number, sim_time *mean_ps,
                                   struct orr_diag *diag);

/* ---- for the files of this folder ---- */

/* Finds or reads the source of a job. Errors: those of the files; a job of unknown size.
 * (jobs_source.c) */
struct orr_job_request {
    unsigned kind;
    const char *path;
    uint32_t npus; /* 0: the source's */
    const char *groups_file;
    const struct orr_conf *groups, *node; /* node: the entry, for error locations */
    const struct orr_job_platform *own;   /* the job's own network; NULL: the cluster's */
};
enum orr_status orr_jobs_source_find(struct orr_jobs *jobs, const struct orr_job_request *request,
                                     const struct orr_jobs_source **out, struct orr_diag *diag);

/* Reads a job's own network; *out is NULL if it has none. A plan also sets the workload in the
 * section. Errors, with location: keys that a plan defines itself, or that a shared cluster does
 * not use; missing files. (job_platform.c) */
struct orr_job_section;
enum orr_status orr_job_platform_read(const struct orr_jobs *jobs, const struct orr_conf *node,
                                      struct orr_job_section *section,
                                      const struct orr_job_platform **out, struct orr_diag *diag);

/* Checks that a plan's network has as many servers as its strategy. (job_platform.c) */
enum orr_status orr_job_platform_check(const struct orr_job *job, const struct net_graph *graph,
                                       struct orr_diag *diag);

/* Builds the shared network, or that of one job of a sharded cluster. Errors, with location: those
 * of the fabric, and missing bandwidths. (jobs_run.c) */
enum orr_status orr_jobs_build_network(const struct orr_jobs *jobs, const struct orr_job *of,
                                       struct orr_cluster_network *out, struct orr_diag *diag);

/* Loads `count` jobs from number `first` on as one job of the handle, on the network, which must
 * outlive it. Errors, in the handle's diagnostic: those of the engine. (cluster_load.c) */
struct orr_cluster_part {
    const struct orr_jobs *jobs;
    size_t first, count;
    const struct orr_cluster_network *network;
};
enum orr_status orr_cluster_load(struct orrery *handle, const struct orr_cluster_part *part);

#endif
