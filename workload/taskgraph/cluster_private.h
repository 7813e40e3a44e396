/* What a cluster (cluster.c), the tasks of its jobs (taskgraph.c) and their all-reduces
 * (all_reduce/) share. */
#ifndef ORR_WORKLOAD_TASKGRAPH_CLUSTER_PRIVATE_H
#define ORR_WORKLOAD_TASKGRAPH_CLUSTER_PRIVATE_H

#include "system/system.h"
#include "workload/taskgraph/cluster.h"

enum {
    EVENT_BEGIN = ORR_EVENT_WORKLOAD, /* an iteration; cookie: job */
    EVENT_TASK_DONE,                  /* cookie: job and task */
    EVENT_REDUCE,                     /* likewise */
    EVENT_DELIVERED,                  /* cookie: that of the flow */
    EVENT_SEND                        /* the next message of a connection; cookie as of its flow */
};

#define CLUSTER_NONE UINT32_MAX

/* Cookies of flows: job and transfer, or with this bit something of an all-reduce (its handle) and
 * which part of it is meant. With the second bit the all-reduce hears when the sender is done. */
#define COOKIE_REDUCE (UINT64_C(1) << 63)
#define COOKIE_TELL (UINT64_C(1) << 62)
enum { COOKIE_PART_BITS = 30 };

static inline uint64_t cookie_of(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static inline uint32_t cookie_part(uint64_t cookie)
{
    return (uint32_t)(cookie >> 32) & ((UINT32_C(1) << COOKIE_PART_BITS) - 1);
}

/* A resource that does one task at a time, in the order in which they became ready. */
struct server {
    uint32_t head, tail; /* waiting tasks; CLUSTER_NONE: none */
    uint32_t running;    /* CLUSTER_NONE: idle */
    sim_time busy_ps;
};

struct orr_cluster;

struct cluster_job {
    struct orr_cluster *cluster;
    struct orr_cluster_job config;
    uint32_t number;
    struct server *server; /* [2 * servers]: accelerators, then CPUs */
    uint32_t *waits_for;   /* [tasks]: tasks that are not done; CLUSTER_NONE: it is done itself */
    uint32_t *behind;      /* [tasks]: the next in a server's line */
    const uint32_t *node;  /* [servers] */
    uint64_t flows;        /* started */
    uint32_t done;         /* tasks of this iteration */
    uint32_t reducing;     /* all-reduces (or rings of them) under way */
    uint32_t iteration;
    sim_time began_ps;
    sim_time *iteration_ps;
    struct orr_cluster_result result;
};

/* An all-reduce that is under way, or a ring of one. */
struct reduce_run {
    struct cluster_job *job;
    const struct all_reduce_ops *ops;
    uint32_t task;
    uint32_t flows;         /* of this round, under way */
    uint32_t round, rounds; /* the running one from 0 */
    uint32_t step;          /* ring: places from a server to the next; otherwise the group */
    uint64_t bytes;         /* ring: of a flow; otherwise of the all-reduce */
    struct program *program;
};

struct orr_cluster {
    struct orr_cluster_config config;
    struct orr_arena *arena;
    struct orr_evq *queue;
    struct net_flows *flows;
    struct net_router *router;
    struct cluster_job **job;
    size_t jobs, job_room;
    uint32_t *owner;          /* [npus]: 1 + the job; 0: none */
    struct orr_slab reduces;  /* struct reduce_run */
    struct orr_slab messages; /* of programs (all_reduce/program.c) */
    struct program *programs; /* those under way */
};

/* How an all-reduce goes. */
struct all_reduce_ops {
    /* Starts it; the task is an all-reduce among 2 servers or more. */
    void (*start)(struct cluster_job *job, const struct orr_all_reduce *choice, uint32_t task);
    /* Its flow has arrived; its part. */
    void (*delivered)(struct orr_cluster *cluster, uint32_t handle, uint32_t part);
    /* The sender of such a flow is done; a message of a connection may go. NULL: unused. */
    void (*left)(struct orr_cluster *cluster, uint32_t handle, uint32_t part);
    void (*send)(struct orr_cluster *cluster, uint32_t handle, uint32_t part);
    /* Starts the flows of a round (all_reduce/rounds.c). NULL: there are none. */
    void (*send_round)(struct reduce_run *run, uint32_t handle);
};

struct orr_all_reduce_kind {
    const char *name, *number, *summary; /* number: what it is called; NULL: there is none */
    uint32_t fallback;                   /* of the number; 0: it has to be given */
    const struct all_reduce_ops *ops;
    const struct coll_algorithm *program; /* NULL with orr_all_reduce_program: that of `role` */
    enum coll_role role;
    bool divides; /* the number divides the servers */
};

/* ---- cluster_calls.c ---- */

void orr_cluster_post(struct orr_cluster *cluster, sim_time time, uint16_t kind, uint64_t cookie);
void orr_cluster_no_memory(struct orr_cluster *cluster);

/* Between two servers of the job, by their places in it. */
void orr_cluster_start_flow(struct cluster_job *job, uint32_t from, uint32_t to, uint64_t bytes,
                            uint64_t cookie);

/* A new all-reduce of the job under way, or CLUSTER_NONE; and its end. */
uint32_t orr_cluster_new_reduce(struct cluster_job *job, const struct all_reduce_ops *ops,
                                uint32_t task);
void orr_cluster_end_reduce(struct orr_cluster *cluster, uint32_t handle);

/* Ends the iteration when all of it is done, and begins the next. */
void orr_cluster_check_end(struct cluster_job *job);

static inline struct reduce_run *cluster_reduce(const struct orr_cluster *cluster, uint32_t handle)
{
    return orr_slab_at(&cluster->reduces, handle);
}

static inline const struct orr_task *cluster_task(const struct cluster_job *job, uint32_t task)
{
    return &job->config.graph->task[task];
}

/* ---- taskgraph.c ---- */

enum orr_status orr_taskgraph_allocate(struct cluster_job *job, struct orr_diag *diag);
void orr_taskgraph_begin(struct cluster_job *job); /* an iteration */
void orr_taskgraph_finish(struct cluster_job *job, uint32_t task);
void orr_taskgraph_computed(struct cluster_job *job, uint32_t task); /* or waited */
void orr_taskgraph_reduce(struct cluster_job *job, uint32_t task);

/* ---- cluster_stuck.c ---- */

enum orr_status orr_cluster_stuck(const struct cluster_job *job, struct orr_diag *diag);

/* ---- all_reduce/ ---- */

extern const struct all_reduce_ops orr_all_reduce_ring, orr_all_reduce_hierarchical,
    orr_all_reduce_program;
extern const struct coll_algorithm orr_coll_parameter_server;

const struct orr_all_reduce_kind *orr_all_reduce_default(void);

/* For kinds with rounds: all flows of one arrive before the next begins. */
void orr_rounds_start(struct reduce_run *run, uint32_t handle);
void orr_rounds_delivered(struct orr_cluster *cluster, uint32_t handle, uint32_t part);

/* The rings that the network has for so many servers; the step of the index-th, 1 where there is
 * none. */
uint32_t orr_rings_of(const struct cluster_job *job, uint32_t servers);
uint32_t orr_ring_step(const struct cluster_job *job, uint32_t servers, uint32_t index);

/* Before the first program; and frees those that a run which failed has left. */
void orr_programs_init(struct orr_cluster *cluster);
void orr_programs_free(struct orr_cluster *cluster);

#endif
