/* Studies of many runs: what-if changes, sweeps over a design space, comparisons of two results,
 * benchmarks of collectives.
 *
 *     struct orrery_study *study = orrery_study_new();
 *     const struct orrery_whatif whatif = {ORRERY_SIZED(orrery_whatif), .parts = &parts};
 *     struct orrery_value saved;
 *     if (orrery_whatif(study, &whatif) == ORRERY_OK &&
 *         orrery_study_result(study, "changes.saved_ps", 1, &saved) == ORRERY_OK) {
 *         printf("%lld ps\n", (long long)saved.integer);
 *     } else {
 *         fprintf(stderr, "%s\n", orrery_study_error(study));
 *     }
 *     orrery_study_free(study);
 *
 * One thread at a time may use a study; its arguments are only read during the call. Results are
 * rows of tables (docs/results.md), read by name like those of a job (orrery/results.h), or written
 * as the commands write them. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY, _DEADLOCK, always with a
 * message (orrery_study_error); a struct that is NULL or of another version is rejected. */
#ifndef ORRERY_STUDY_H
#define ORRERY_STUDY_H

#include <signal.h>
#include <stdio.h>

#include "orrery/bench.h"
#include "orrery/fit.h"
#include "orrery/parts.h"
#include "orrery/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parallel loop: calls work(context, i) once for each i < count, in any order, on at most `threads`
 * threads (0: one for each processor), and returns when all calls have. Calls may run their own
 * simulations, also of shared platforms and workloads. If threads cannot be created, the caller's
 * thread does the work. */
ORRERY_API void orrery_parallel(unsigned threads, unsigned count,
                                void (*work)(void *context, unsigned index), void *context);

/* ---- a study and its results ---- */

struct orrery_study;

/* Creates a study without results; NULL if out of memory. */
ORRERY_API struct orrery_study *orrery_study_new(void);

/* Frees it with its results; NULL is fine. */
ORRERY_API void orrery_study_free(struct orrery_study *study);

/* The error of the last failed call; "": none. Owned by the study. */
ORRERY_API const char *orrery_study_error(const struct orrery_study *study);

/* The number of rows of a table of results. ORRERY_ERROR_INPUT before a study, and for an unknown
 * table. O(1). */
ORRERY_API enum orrery_status orrery_study_rows(struct orrery_study *study, const char *place,
                                                size_t *rows);

/* A result of a row, from 0, by name: "changes.saved_ps". A text is owned by the study until the
 * next value. O(1) except where noted below. */
ORRERY_API enum orrery_status orrery_study_result(struct orrery_study *study, const char *name,
                                                  size_t row, struct orrery_value *value);

enum orrery_form { ORRERY_FORM_TABLE, ORRERY_FORM_JSON, ORRERY_FORM_CSV };

/* Writes the results as the command does. ORRERY_ERROR_INPUT if the study does not have the
 * form. */
ORRERY_API enum orrery_status orrery_study_write(struct orrery_study *study, FILE *out,
                                                 enum orrery_form form);

/* ---- what if ---- */

/* The job is given by exactly one of the first three. */
struct orrery_whatif {
    size_t size;                              /* ORRERY_SIZED(orrery_whatif) */
    const struct orrery_inputs *files;        /* Orrery's own files */
    const struct orrery_astra_sim *astra_sim; /* those of ASTRA-sim */
    const struct orrery_parts *parts;         /* a platform and a workload in memory */
    /* [changes] additional changes, "network.dims[1].bandwidth=100 GB/s"; not with ASTRA-sim's
     * files; at most 128 */
    const char *const *change;
    size_t changes;
    double factor;    /* of bandwidth and rates, above 0; 0: 2 */
    unsigned threads; /* runs at a time; 0: one for each processor */
    /* Callback for the warnings of the unchanged job, in the caller's thread; or NULL. */
    void (*warn)(void *user, const char *text);
    void *user;
};

/* Runs the job unchanged and with one change at a time, as `orrery whatif`. Results: rows of
 * "changes": the unchanged job first, then the changes, fastest first, and those that cannot be
 * built (`bound`). The error is that of the first failed run. Forms: all. */
ORRERY_API enum orrery_status orrery_whatif(struct orrery_study *study,
                                            const struct orrery_whatif *whatif);

/* ---- sweeps ---- */

/* Progress of a sweep. */
struct orrery_sweep_progress {
    uint32_t points, done, failed; /* done: failed ones included */
    uint32_t point;                /* the point just finished */
    const char *error;             /* its error; NULL: none; valid during the call */
};

struct orrery_sweep {
    size_t size;      /* ORRERY_SIZED(orrery_sweep) */
    const char *file; /* YAML (docs/file-formats.md); or */
    const char *text; /* the same as a text; names of files are relative to the working directory */
    const char *output; /* prefix of the result files; NULL: see `keep` */
    /* write the results to the files that the sweep's file names; else keep them in memory only */
    bool keep;
    bool restart;  /* discard the results in the files */
    bool retry;    /* run failed points again */
    bool list;     /* list points and their values without running them */
    bool threads;  /* points run on threads of this process instead of processes: for programs
                    * that have threads; a fault of one point ends the program */
    unsigned jobs; /* points at a time; 0: one for each processor */
    /* Callback for each finished point, one at a time: in the caller's thread, with `threads` in
     * any thread; or NULL. */
    void (*progress)(void *user, const struct orrery_sweep_progress *progress);
    void *user;
    /* not 0: no further point begins. `progress`, a signal handler or another thread may set it;
     * only with `threads`; NULL: never. Points that have not run are failed ones; with files they
     * stay to be run, and the call fails and says how to go on. */
    const volatile sig_atomic_t *stop;
};

/* Runs a job at every point of a design space, as `orrery sweep`; a failed point is a result. With
 * files it resumes from the results in them. Without `threads` the points run in forked processes,
 * so no other thread may run meanwhile.
 *
 * Results: rows of "points", by number, and rankings without failed points: "by_time", "by_cost",
 * "by_both" (time * cost) and "pareto" (no other point is as fast and as cheap; with `group_by`
 * within its group, group by group). They have the results that docs/results.md marks *sweep*, and
 * the axis values by path: "points.network.dims[0].bandwidth". O(points log points) for the first
 * access to a ranking, else O(bytes of a point). Forms: the table of `orrery sweep`; CSV and JSON,
 * a line for each point; with `list` CSV only. */
ORRERY_API enum orrery_status orrery_sweep(struct orrery_study *study,
                                           const struct orrery_sweep *sweep);

/* ---- comparisons ---- */

/* A result of `orrery run --json` (orrery_write_json): one of these. */
struct orrery_diff_side {
    const char *path;   /* a file */
    const char *text;   /* its text */
    struct orrery *job; /* a job that has run */
};

struct orrery_diff {
    size_t size; /* ORRERY_SIZED(orrery_diff) */
    struct orrery_diff_side a, b;
};

/* Compares two results, as `orrery diff`. Results: a row of "diff": both times; rows of
 * "differences": quantities that differ, with `section`, `what`, `a`, `b`, `change` and `unit`;
 * rows of "settings": configuration values that differ. Forms: all. */
ORRERY_API enum orrery_status orrery_diff(struct orrery_study *study,
                                          const struct orrery_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
