/* The job queue of a cluster: jobs arrive, and wait for servers (TopoOpt, section 5.6 and appendix
 * C): its settings and results. study/cluster has the scheduler. */
#ifndef ORR_SIM_CLUSTER_QUEUE_H
#define ORR_SIM_CLUSTER_QUEUE_H

#include "core/conf/keys.h"
#include "core/sum.h"
#include "network/cost/cost.h"

struct orr_conf;
struct orr_diag;

struct orr_jobs;

enum { ORR_QUEUE_NONE, ORR_QUEUE_FIFO, ORR_QUEUE_BACKFILL };
enum { ORR_QUEUE_SAMPLES = 3, ORR_QUEUE_MAX_SAMPLES = 10000 };

extern const char *const orr_queue_orders[];
extern const struct orr_key_table orr_panels_table;

/* Patch panels or optical switches that join the servers of a job before it starts. */
struct orr_panels {
    const struct orr_conf *node; /* the section; NULL: there are none */
    enum net_optical technology;
    sim_time reconfiguration_ps, flip_ps;
    sim_time notice_ps; /* how long before its arrival a job is known */
    bool look_ahead;    /* two panels for each interface */
    uint32_t count;     /* of panels; 0: as many as needed */
};

struct orr_queue {
    unsigned order;
    uint32_t sample; /* iterations of a job simulated while the same jobs run */
    struct orr_panels panels;
};

/* ---- results ---- */

/* Consecutive iterations of equal time. */
struct orr_queue_span {
    sim_time iteration_ps;
    uint64_t count;
};

enum { ORR_QUEUE_NO_SIDE = 2 };

struct orr_queued_job {
    /* [orr_job_servers] ascending, in ring order of a block, or as listed */
    const uint32_t *server;
    sim_time arrival_ps;
    sim_time patching_ps;                     /* when patching began; = start without panels */
    sim_time for_servers_ps, for_patching_ps; /* parts of the waiting time, which add up to it */
    sim_time for_block_ps; /* part of for_servers_ps during which the job was next and enough
                              servers were free, but no block */
    sim_time start_ps, end_ps;
    sim_time mean_ps, p99_ps; /* of an iteration */
    sim_time alone_ps;        /* mean iteration alone on these servers, if requested */
    unsigned side;            /* with look-ahead: 0 on panels 0 to d - 1, 1 on d to 2 d - 1 */
    const struct orr_queue_span *span; /* [spans] */
    size_t spans;
};

struct orr_queue_run {
    const struct orr_jobs *jobs;
    struct orr_queued_job *job; /* [jobs] */
    bool alone, windows;
    uint64_t iterations, events, simulations; /* simulations of jobs that run together */
    sim_time mean_ps, p99_ps;                 /* of all iterations */
    sim_time wait_mean_ps, wait_p99_ps;       /* of jobs */
    sim_time for_servers_mean_ps, for_patching_mean_ps, for_block_mean_ps;
    sim_time makespan_ps; /* first arrival to last end */
    double utilization;   /* of the servers in that time */
    orr_sum idle_ps;      /* idle server time, in the makespan */
    /* Free server time while a job waits for a block although enough servers are free. */
    orr_sum fragmented_ps;
    uint32_t largest_hole; /* largest hole during fragmentation; 0: no fragmentation */
};

/* ---- for the files of this folder ---- */

struct orr_queue_keys {
    unsigned order;
    int64_t sample; /* -1: not given */
    const struct orr_conf *panels;
};

/* Reads the cluster's queue keys into jobs->queue. Errors, with location: keys that need a queue,
 * or networks per job; too few panels, or too few ports; look-ahead with ring blocks; a ring switch
 * without a ring. (jobs_queue.c) */
enum orr_status orr_queue_read(struct orr_jobs *jobs, const struct orr_queue_keys *keys,
                               struct orr_diag *diag);

/* Checks that jobs with a start are in order of arrival; always ORR_OK without a queue. */
enum orr_status orr_queue_check(const struct orr_jobs *jobs, struct orr_diag *diag);

#endif
