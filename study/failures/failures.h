/* Study of link failures, one by one or a few at once (TopoOpt, NSDI'23, section 7): iteration time
 * with all links, without a link by each ring recovery, and after a spare port has replaced it; and
 * the time lost per month. */
#ifndef ORR_STUDY_FAILURES_FAILURES_H
#define ORR_STUDY_FAILURES_FAILURES_H

#include <signal.h>

#include "core/status.h"
#include "orrery/parts.h"

struct orr_diag;
struct orr_failures_runs;
struct orrery;
struct orrery_inputs;

enum {
    ORR_FAILURES_MAX_TOGETHER = 8,
    ORR_FAILURES_MAX_GIVEN = 256,
    ORR_FAILURES_RECOVERIES = 3, /* as orr_net_ring_recoveries */
    ORR_FAILURES_MONTH_S = 30 * 86400
};

/* A cable: parallel links, duplex or in one direction. One of them fails at a time. */
struct orr_failures_cable {
    uint32_t from, to, count;
    uint32_t class;
    char *name; /* "0-1"; of the heap */
};

/* A class of equivalent cables: one jump of a circulant, or between nodes of the same kinds. */
struct orr_failures_class {
    char name[48];
    uint32_t cables; /* parallel links count one by one */
};

/* A failure and its runs. Times are picoseconds, 0: not run. */
struct orr_failure {
    uint32_t cable[ORR_FAILURES_MAX_TOGETHER];
    char *name; /* "0-1", "0-1, 4-5"; of the heap */
    bool disconnected;
    int64_t degraded_ps[ORR_FAILURES_RECOVERIES];
    int64_t repaired_ps; /* 0: the network cannot change during a run */
};

struct orr_failures {
    /* set by the caller */
    const struct orrery_inputs *own;  /* input files; or */
    const struct orrery_parts *parts; /* a platform and a workload in memory */
    const char *const *link;          /* [links] failing links, "0-1"; none: all, or a sample */
    unsigned links;
    uint32_t sample;   /* number of links, at least one of each class, drawn by the seed; 0: all */
    unsigned together; /* links that fail together, with a sample; 0: 1 */
    uint64_t seed;
    bool recovers[ORR_FAILURES_RECOVERIES];     /* recoveries to run; none: all */
    double mtbf_s, repair_s;                    /* of one link; 0: unknown */
    double restart_s;                           /* restart of a disconnected job */
    unsigned threads;                           /* concurrent runs; 0: one per processor */
    void (*warn)(void *user, const char *text); /* gets the warnings of the first run; or NULL */
    void *warn_user;
    /* after each run, by one thread at a time: runs done, and all; or NULL */
    void (*progress)(void *user, uint32_t done, uint32_t all);
    void *progress_user;
    const volatile sig_atomic_t *stop; /* runs end once it is not 0; NULL: never */
    /* results */
    int64_t healthy_ps;
    uint32_t npus;
    struct orr_failures_cable *cable;
    uint32_t cables;
    struct orr_failures_class *class;
    uint32_t classes;
    struct orr_failure *failure;
    uint32_t failures;     /* that were run */
    uint32_t unfinished;   /* further ones that were not run to the end: stopped, or an error */
    bool rings;            /* the network has rings; else only `path` is run */
    struct orrery *failed; /* the job without failures if it failed, else NULL */
    struct orr_failures_runs *runs;
};

/* Runs the job without failures; then for each failure without its links, by each recovery; and
 * with links that fail and are replaced before it begins. A failure that disconnects NPUs is
 * reported, not run. Once stopped, or after an error, the results are those of the failures that
 * were run, if any were. Errors: that of the first failed run, located at the failure; a network
 * that is no graph or has failures, changes or circuits; an unknown link. Free it with
 * orr_failures_fini also after an error. O(failures) runs. */
enum orr_status orr_failures_run(struct orr_failures *failures, struct orr_diag *diag);
void orr_failures_fini(struct orr_failures *failures);

/* ---- cables (failures_cables.c) ---- */

struct net_graph;

/* Lists the graph's cables and their classes. Error: memory. */
enum orr_status orr_failures_list(struct orr_failures *failures, const struct net_graph *graph,
                                  struct orr_diag *diag);
/* Selects the failing cables. Errors: an unknown link; more at once than there are; memory. */
enum orr_status orr_failures_choose(struct orr_failures *failures, const struct net_graph *graph,
                                    struct orr_diag *diag);
/* Whether a failure disconnects some NPUs; sets *no_memory. O(nodes x links). */
bool orr_failures_disconnects(const struct orr_failures *failures, const struct net_graph *graph,
                              const struct orr_failure *failure, bool *no_memory);

#endif
