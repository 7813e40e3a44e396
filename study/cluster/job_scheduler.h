/* Job scheduler: assigns servers to jobs that arrive, wait, run and leave (TopoOpt, appendix C). It
 * has no network and no iterations; the caller provides the run time of a job.
 *
 * Without look-ahead a job takes its servers when enough are free, and starts when these are
 * patched.
 *
 * With look-ahead every interface of a server has two ports, on the panels of side 0 and of side 1.
 * A waiting job claims one side of its servers. Each of them must be idle, or run a job on the
 * other side, and have no other claim. The job claims the servers that are free first, and not
 * earlier than the patching time before they are free, so that no job is bound to servers longer
 * than that hides. They are patched meanwhile. When it is the job's turn and all of its servers are
 * free and patched, it flips them together; when it runs, others may claim them. Links join ports
 * of one panel, so all servers of a job use the same side. With backfill a job that would wait so,
 * but could have idle servers that others wait for, takes these.
 *
 * A job that needs a block takes free servers that are neighbors around the ring
 * (sim/cluster/ring_block.h), and waits while there is no block, even if enough servers are free.
 * Blocks exclude look-ahead.
 *
 * Invariants: a server runs at most one job, and at most one waits for it; with fifo jobs start in
 * the order of arrival. */
#ifndef ORR_STUDY_CLUSTER_JOB_SCHEDULER_H
#define ORR_STUDY_CLUSTER_JOB_SCHEDULER_H

#include "core/status.h"
#include "core/sum.h"
#include "core/time.h"

struct orr_arena;
struct orr_diag;
struct orr_sched_choice;

#define ORR_SCHED_NOBODY UINT32_MAX

enum orr_sched_state {
    ORR_SCHED_FUTURE,
    ORR_SCHED_WAITS,
    ORR_SCHED_DECIDED, /* look-ahead: it has claimed servers that other jobs may run on */
    ORR_SCHED_STARTS,  /* it has its servers, and starts at start_ps */
    ORR_SCHED_RUNS,
    ORR_SCHED_DONE
};

struct orr_sched_job {
    sim_time arrival_ps;
    uint32_t servers;
    const uint32_t *user_servers; /* [servers] of the user; NULL: by the order of servers */
    uint32_t *server;             /* [servers] output: its servers */
    /* Results. */
    enum orr_sched_state state;
    uint32_t rank; /* in the order of arrival, ties by number */
    unsigned side;
    bool claims; /* it has a claim on the look-ahead side of its servers, until it starts */
    sim_time patching_ps, patched_ps, ready_ps; /* ready: it is its turn and its servers are free */
    sim_time start_ps;
    sim_time for_block_ps; /* it was its turn and enough servers were free, but no block */
    sim_time end_ps;       /* set by the caller; ORR_TIME_MAX: not known yet */
};

struct orr_sched_rules {
    bool fifo, look_ahead;
    bool block; /* servers not set by the user are neighbors around the ring */
    sim_time patch_ps, flip_ps, notice_ps;
};

struct orr_sched {
    /* Input. */
    struct orr_sched_rules rules;
    uint32_t servers;
    const uint32_t *order; /* [servers] order of assignment */
    uint32_t jobs;
    struct orr_sched_job *job; /* [jobs] */
    /* Callback: the end of a job that gets its servers now and starts at start_ps; ORR_TIME_MAX:
     * not known yet, only without look-ahead. */
    sim_time (*compute_end)(void *context, uint32_t job, sim_time start_ps);
    void *context;
    /* Private. */
    uint32_t *by_arrival, known;            /* [jobs] sorted; `known` of them have arrived */
    uint32_t *waits, first_wait, waits_end; /* [jobs] not decided, in order of arrival */
    uint32_t *decided, decided_count;       /* [jobs], in order of arrival */
    uint32_t *active, active_count;         /* [jobs] with servers */
    uint32_t *runs_on, *waits_on;           /* [servers] jobs; ORR_SCHED_NOBODY */
    uint32_t free, unclaimed;               /* number of servers: idle, without a claim */
    struct orr_sched_choice *choice;        /* [servers] */
    sim_time now_ps;
    orr_sum
        fragmented_ps; /* free servers times the time in which a job waits for a block of as many */
    uint32_t largest_hole; /* largest block of free servers then */
};

/* Initializes a schedule from its input; memory is from the arena. Errors: memory. */
enum orr_status orr_sched_init(struct orr_sched *sched, struct orr_arena *arena,
                               struct orr_diag *diag);

/* The time of the next event; ORR_TIME_MAX: none. O(servers). */
sim_time orr_sched_next(const struct orr_sched *sched);

/* Advances to a time: jobs end, start, arrive and get servers. True if the set of running jobs has
 * changed. O(waiting jobs + servers log servers for each assignment). */
bool orr_sched_step(struct orr_sched *sched, sim_time now_ps);

#endif
