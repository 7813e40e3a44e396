/* Who gets which servers when: jobs that arrive, wait, and leave their servers to others (TopoOpt,
 * appendix C). No network and no iterations: how long a job runs is told by who asks.
 *
 * Without look-ahead a job takes its servers when enough are free, and starts when these are
 * patched. With look-ahead every server has two ports to each interface, on the panels of side 0
 * and of side 1. A job claims one side of its servers, of those on whose other side the present
 * job runs, or which are idle, and that no other job claims: the ones that are free first, and not
 * before they are free within the time of patching, so that nobody is bound to servers longer than
 * that hides. It is patched there meanwhile; when it is its turn and all of its servers
 * are free and patched it flips them together, and when it runs others may claim them. Links join
 * ports of one panel, so all servers of a job take the same side. With backfill a job that has to
 * wait so, but could have idle servers that others wait for, takes these.
 *
 * Where a job needs a block, it takes one of free servers around the ring
 * (sim/cluster/ring_block.h), and waits while there is none, though enough may be free. This goes
 * without look-ahead.
 *
 * Invariants: a server runs one job at most, and at most one waits for it; with fifo jobs start in
 * the order of arrival. */
#ifndef ORR_STUDY_CLUSTER_JOB_SCHEDULER_H
#define ORR_STUDY_CLUSTER_JOB_SCHEDULER_H

#include "core/core.h"

#define ORR_SCHED_NOBODY UINT32_MAX

enum orr_sched_state {
    ORR_SCHED_FUTURE,
    ORR_SCHED_WAITS,
    ORR_SCHED_DECIDED, /* look-ahead: it knows its servers, which others may run on */
    ORR_SCHED_STARTS,  /* it has its servers and starts at start_ps */
    ORR_SCHED_RUNS,
    ORR_SCHED_DONE
};

struct orr_sched_job {
    sim_time arrival_ps;
    uint32_t servers;
    const uint32_t *user_servers; /* [servers]; NULL: by the order of servers */
    uint32_t *server;             /* [servers] room for those that it gets */
    /* What came of it. */
    enum orr_sched_state state;
    uint32_t rank; /* in the order of arrival; of those that arrive together, by number */
    unsigned side;
    bool claims; /* it waits for servers on their look-ahead side, until it starts */
    sim_time patching_ps, patched_ps, ready_ps; /* ready: its turn, and all its servers are free */
    sim_time start_ps;
    sim_time for_block_ps; /* it was its turn and enough servers were free, but not in a block */
    sim_time end_ps;       /* set by who asks; ORR_TIME_MAX: not known yet */
};

struct orr_sched_rules {
    bool fifo, look_ahead;
    bool block; /* servers that are not given are neighbours around the ring */
    sim_time patch_ps, flip_ps, notice_ps;
};

struct orr_sched {
    /* Given. */
    struct orr_sched_rules rules;
    uint32_t servers;
    const uint32_t *order; /* [servers] in which they are taken */
    uint32_t jobs;
    struct orr_sched_job *job; /* [jobs] */
    /* When the job ends that gets its servers now and starts at start_ps; ORR_TIME_MAX: not known
     * yet, not with look-ahead. */
    sim_time (*compute_end)(void *context, uint32_t job, sim_time start_ps);
    void *context;
    /* Its own. */
    uint32_t *by_arrival, known;            /* [jobs], of which so many are known */
    uint32_t *waits, first_wait, waits_end; /* [jobs] not decided, in order of arrival */
    uint32_t *decided, decided_count;       /* [jobs], in order of arrival */
    uint32_t *active, active_count;         /* [jobs] with servers */
    uint32_t *runs_on, *waits_on;           /* [servers] jobs; ORR_SCHED_NOBODY */
    uint32_t free, unclaimed;               /* servers: that run nothing, that nobody waits for */
    struct orr_sched_choice *choice;        /* [servers] */
    sim_time now_ps;
    orr_sum fragmented_ps; /* free servers times how long a job waits for a block of so many */
    uint32_t largest_hole; /* at such a time */
};

/* Takes what is given into a schedule; memory is the arena's. */
enum orr_status orr_sched_init(struct orr_sched *sched, struct orr_arena *arena,
                               struct orr_diag *diag);

/* When something happens next; ORR_TIME_MAX: never. O(servers). */
sim_time orr_sched_next(const struct orr_sched *sched);

/* Goes on to that time: jobs end, start, arrive and get servers. Whether others run than before.
 * O(waiting jobs + servers log servers for each that is decided). */
bool orr_sched_step(struct orr_sched *sched, sim_time now_ps);

#endif
