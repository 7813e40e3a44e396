/* Links that fail one by one, or a few at once (TopoOpt, NSDI'23, section 7): what an iteration
 * takes where all works, where a link is gone, by each way in which rings recover, and when a spare
 * port has taken its place; and the time that is lost in a month. */
#ifndef ORR_STUDY_FAILURES_FAILURES_H
#define ORR_STUDY_FAILURES_FAILURES_H

#include "core/core.h"
#include "orrery/parts.h"

enum {
    ORR_FAILURES_MAX_TOGETHER = 8,
    ORR_FAILURES_MAX_GIVEN = 256,
    ORR_FAILURES_RECOVERIES = 3, /* as orr_net_ring_recoveries */
    ORR_FAILURES_MONTH_S = 30 * 86400
};

/* A cable: links side by side that go both ways, or one way. One of them fails at a time. */
struct orr_failures_cable {
    uint32_t from, to, count;
    uint32_t class;
    char *name; /* "0-1"; of the heap */
};

/* Cables that are alike: of one jump of a circulant, or between nodes of the same kinds. */
struct orr_failures_class {
    char name[48];
    uint32_t cables; /* each of the links side by side is one here */
};

/* What has failed, and the runs without it; times are picoseconds, 0: not run. */
struct orr_failure {
    uint32_t cable[ORR_FAILURES_MAX_TOGETHER];
    char *name; /* "0-1", "0-1, 4-5"; of the heap */
    bool disconnected;
    int64_t degraded_ps[ORR_FAILURES_RECOVERIES];
    int64_t repaired_ps; /* 0: the network cannot change while a job runs */
};

struct orr_failures {
    /* of the caller */
    const struct orrery_inputs *own;  /* our own files; or */
    const struct orrery_parts *parts; /* a platform and a workload in memory */
    const char *const *link;          /* [links] that fail, "0-1"; none: all, or a sample */
    unsigned links;
    uint32_t sample;   /* so many, of each class one at least, by the seed; 0: all */
    unsigned together; /* links that fail at once, with a sample; 0: 1 */
    uint64_t seed;
    bool recovers[ORR_FAILURES_RECOVERIES];     /* the recoveries that are run; none: all */
    double mtbf_s, repair_s;                    /* of one link; 0: not told */
    double restart_s;                           /* of a job that is disconnected */
    unsigned threads;                           /* runs at a time; 0: one for each processor */
    void (*warn)(void *user, const char *text); /* hears the warnings of the first run; or NULL */
    void *warn_user;
    /* results */
    int64_t healthy_ps;
    uint32_t npus;
    struct orr_failures_cable *cable;
    uint32_t cables;
    struct orr_failures_class *class;
    uint32_t classes;
    struct orr_failure *failure;
    uint32_t failures;
    bool rings;            /* the network has some: else only `path` is run */
    struct orrery *failed; /* the job as it is, when it failed; else NULL */
    struct orr_failures_runs *runs;
};

/* Runs the job as it is, then for every failure without its links, by each recovery, and with links
 * that die and are replaced before it begins. A failure that parts NPUs is not run, but told.
 * Errors: that of the first run that fails, whose place is the failure; a network that is no graph,
 * or has failures, changes or circuits of its own; a link that is not there. To be freed with
 * orr_failures_fini also after an error. O(failures) runs. */
enum orr_status orr_failures_run(struct orr_failures *failures, struct orr_diag *diag);
void orr_failures_fini(struct orr_failures *failures);

/* "5 min", "4 h", "3 y": a time from 1 ps to 1,000,000 y (with `zero` 0 as well) in s; longer than
 * a run lasts. */
bool orr_failures_parse_span(const char *text, bool zero, double *seconds);

/* ---- cables (failures_cables.c) ---- */

struct net_graph;

/* The graph's cables and their classes. Error: memory. */
enum orr_status orr_failures_list(struct orr_failures *failures, const struct net_graph *graph,
                                  struct orr_diag *diag);
/* Which of them fail. Errors: a link that is not there, more at once than there are; memory. */
enum orr_status orr_failures_choose(struct orr_failures *failures, const struct net_graph *graph,
                                    struct orr_diag *diag);
/* Whether some NPUs cannot reach others without the links of a failure; *no_memory is then set or
 * not. O(nodes + links). */
bool orr_failures_disconnects(const struct orr_failures *failures, const struct net_graph *graph,
                              const struct orr_failure *failure, bool *no_memory);

#endif
