/* Many runs, and what they say together: what changes would save, a sweep over a design space, two
 * results compared, a bench of a collective.
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
 * A study is used by one thread at a time; what it is given is read during the call only. Results
 * are rows of places (docs/results.md), asked for by name as those of a job are (orrery/results.h),
 * or written as the commands write them. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY, _DEADLOCK,
 * always with a message (orrery_study_error); a struct that is NULL or of another interface is
 * refused. */
#ifndef ORRERY_STUDY_H
#define ORRERY_STUDY_H

#include <stdio.h>

#include "orrery/fit.h"
#include "orrery/parts.h"
#include "orrery/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls work(context, i) once for each i < count, at most `threads` at a time (0: one for each
 * processor), in any order, and returns when all have. Each call may make simulations of its own,
 * also of platforms and workloads that all share. Where threads cannot be made the caller's does
 * the work. */
ORRERY_API void orrery_parallel(unsigned threads, unsigned count,
                                void (*work)(void *context, unsigned index), void *context);

/* ---- a study and its results ---- */

struct orrery_study;

/* Without results yet, or NULL when memory is out. */
ORRERY_API struct orrery_study *orrery_study_new(void);

/* Frees it with its results; NULL is fine. */
ORRERY_API void orrery_study_free(struct orrery_study *study);

/* What was wrong with the last call that failed; "" when none has. The study's. */
ORRERY_API const char *orrery_study_error(const struct orrery_study *study);

/* How many rows a place of the results has. ORRERY_ERROR_INPUT where nothing was studied or there
 * is no such place. O(1). */
ORRERY_API enum orrery_status orrery_study_rows(struct orrery_study *study, const char *place,
                                                size_t *rows);

/* A result of a row from 0 on, by name: "changes.saved_ps". A text is the study's, until it is
 * asked for another value. O(1) unless said below. */
ORRERY_API enum orrery_status orrery_study_result(struct orrery_study *study, const char *name,
                                                  size_t row, struct orrery_value *value);

enum orrery_form { ORRERY_FORM_TABLE, ORRERY_FORM_JSON, ORRERY_FORM_CSV };

/* The results as the command writes them. ORRERY_ERROR_INPUT where it does not have the form. */
ORRERY_API enum orrery_status orrery_study_write(struct orrery_study *study, FILE *out,
                                                 enum orrery_form form);

/* ---- what if ---- */

/* What is run: one of the first three. */
struct orrery_whatif {
    size_t size;                              /* ORRERY_SIZED(orrery_whatif) */
    const struct orrery_inputs *files;        /* our own files */
    const struct orrery_astra_sim *astra_sim; /* those of ASTRA-sim */
    const struct orrery_parts *parts;         /* a platform and a workload in memory */
    const char *const *change; /* [changes] further ones, "network.dims[1].bandwidth=100 GB/s"; not
                                * with ASTRA-sim's files; at most 128 */
    size_t changes;
    double factor;    /* of bandwidth and rates, above 0; 0: 2 */
    unsigned threads; /* runs at a time; 0: one for each processor */
    /* Hears the warnings of the job as it is, in the caller's thread; or NULL. */
    void (*warn)(void *user, const char *text);
    void *user;
};

/* Runs the job as it is and with one thing changed at a time, as `orrery whatif` does. Results:
 * rows of "changes": first the job as it is, then the changes, the fastest first, and those that
 * cannot be built (`bound`). The error is that of the first run that fails. Forms: all. */
ORRERY_API enum orrery_status orrery_whatif(struct orrery_study *study,
                                            const struct orrery_whatif *whatif);

/* ---- sweeps ---- */

/* How far a sweep is. */
struct orrery_sweep_progress {
    uint32_t points, done, failed; /* done: failed ones as well */
    uint32_t point;                /* the one that has just been done */
    const char *error;             /* why it failed; NULL: it did not; valid during the call */
};

struct orrery_sweep {
    size_t size;      /* ORRERY_SIZED(orrery_sweep) */
    const char *file; /* YAML (docs/file-formats.md); or */
    const char *text; /* the same as a text; names of files are relative to the working directory */
    const char *output; /* prefix of the files of results; NULL: as `keep` says */
    bool keep;     /* results go to the files that the sweep's file names; else in memory only */
    bool restart;  /* without the results that are in the files */
    bool retry;    /* without those that failed */
    bool list;     /* runs nothing: the points and their values only */
    bool threads;  /* points run on threads of this process instead of processes: for programs
                    * that have threads; a fault of one point ends the program */
    unsigned jobs; /* points at a time; 0: one for each processor */
    /* Hears of each point that is done, in the caller's thread and with `threads` in any, one at a
     * time; or NULL. */
    void (*progress)(void *user, const struct orrery_sweep_progress *progress);
    void *user;
};

/* Runs a job at every point of a design space, as `orrery sweep` does; a point that fails is a
 * result. With files it goes on with the results that are there. Without `threads` the points run
 * in processes of their own, which are copies of this one: no other thread may run meanwhile.
 *
 * Results: rows of "points", by number, and the same in order of rank, those that failed left out:
 * "by_time", "by_cost", "by_both" (time * cost) and "pareto" (no other point is as fast and as
 * cheap; with `group_by` of its group, group by group). They have the results of docs/results.md
 * that say *sweep*, and the values of the axes by their paths: "points.network.dims[0].bandwidth".
 * O(points log points) for the first of a rank, else O(bytes of a point). Forms: the table of
 * `orrery sweep`; CSV and JSON, a line for each point; with `list` CSV only. */
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

/* Compares two results, as `orrery diff` does. Results: a row of "diff": both times; rows of
 * "differences": quantities that are not equal, with `section`, `what`, `a`, `b`, `change` and
 * `unit`; rows of "settings": values of the configuration that differ. Forms: all. */
ORRERY_API enum orrery_status orrery_diff(struct orrery_study *study,
                                          const struct orrery_diff *diff);

/* ---- benches ---- */

struct orrery_bench {
    size_t size;                       /* ORRERY_SIZED(orrery_bench) */
    const struct orrery_inputs *files; /* the platform; or */
    const struct orrery_parts *parts;  /* one in memory; without a workload */
    const char *collective;            /* "all_reduce" (NULL), "all_gather", ... */
    uint64_t min_bytes, max_bytes;     /* 0: 1 MiB, 1 GiB; at least a byte for each NPU */
    uint64_t step;                     /* each size is so many times the one before; 0: 4 */
    unsigned threads;                  /* runs at a time; 0: one for each processor */
    bool turnaround;                   /* tells `turnaround_ps` */
};

/* Runs a collective of all NPUs in at most 64 sizes and every way that it can be run, as `orrery
 * bench-collective` does. Results: rows of "runs", all ways of a size behind each other: `bytes`,
 * `algorithm`, `scheduler`, `time_ps`, `algbw_bytes_per_s`, `busbw_bytes_per_s`, `best`; with
 * `turnaround` also `turnaround_ps`, after which the first chunk is there on every NPU. The
 * platform's own way is the first where nothing else would run it (`trees`, which run only where
 * they are named; "whole ring"), and the only one where its settings refuse the others. Forms:
 * table and CSV. */
ORRERY_API enum orrery_status orrery_bench_collective(struct orrery_study *study,
                                                      const struct orrery_bench *bench);

struct orrery_bench_measured {
    size_t size;                        /* ORRERY_SIZED(orrery_bench_measured) */
    const struct orrery_inputs *files;  /* the platform; or */
    const struct orrery_parts *parts;   /* one in memory; without a workload */
    const struct orrery_measured *data; /* [sources] measured times (orrery/fit.h) */
    size_t sources;
    const char *collective;       /* of those that do not say it; NULL */
    uint32_t npus, npus_per_node; /* the same; 0 */
    unsigned threads;             /* runs at a time; 0: one for each processor */
    /* Hears the warnings of what is read, in the caller's thread; or NULL. */
    void (*warn)(void *user, const char *text);
    void *user;
};

/* Runs every measured time's collective as the platform says, on as many NPUs of as many nodes (the
 * first dimension), as `orrery bench-collective --measured` does. Results: rows of "measured_runs",
 * by collective, NPUs and size, and of "measured", for each collective and NPUs, the last for all:
 * the median errors, and whether bus bandwidth at the largest size is `normal`, within 15 % of what
 * it is here. Errors: what cannot be read; a row of more NPUs than the platform has, or that cannot
 * be run. Forms: table and CSV. */
ORRERY_API enum orrery_status orrery_bench_measured(struct orrery_study *study,
                                                    const struct orrery_bench_measured *measured);

#ifdef __cplusplus
}
#endif

#endif
