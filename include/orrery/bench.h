/* Benchmarks of collectives; their results are those of a study (orrery/study.h). */
#ifndef ORRERY_BENCH_H
#define ORRERY_BENCH_H

#include "orrery/base.h"
#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_study;

struct orrery_bench {
    size_t size;                       /* ORRERY_SIZED(orrery_bench) */
    const struct orrery_inputs *files; /* the platform; or */
    const struct orrery_parts *parts;  /* one in memory; without a workload */
    const char *collective;            /* "all_reduce" (NULL), "all_gather", ... */
    uint64_t min_bytes, max_bytes;     /* 0: 1 MiB, 1 GiB; at least a byte for each NPU */
    uint64_t step;                     /* factor between successive sizes; 0: 4 */
    unsigned threads;                  /* runs at a time; 0: one for each processor */
    bool turnaround;                   /* also measure `turnaround_ps` */
};

/* Runs a collective of all NPUs in at most 64 sizes with each algorithm and scheduler, as `orrery
 * bench-collective`. Results: rows of "runs", grouped by size: `bytes`, `algorithm`, `scheduler`,
 * `time_ps`, `algbw_bytes_per_s`, `busbw_bytes_per_s`, `best`; with `turnaround` also
 * `turnaround_ps`, the time until the first chunk is complete on every NPU. The platform's own
 * algorithm comes first if no other row has it (`trees`, which run only if named; "whole ring"); it
 * is the only row if the platform's settings exclude the others. Forms: table and CSV. */
ORRERY_API enum orrery_status orrery_bench_collective(struct orrery_study *study,
                                                      const struct orrery_bench *bench);

struct orrery_bench_measured {
    size_t size;                        /* ORRERY_SIZED(orrery_bench_measured) */
    const struct orrery_inputs *files;  /* the platform; or */
    const struct orrery_parts *parts;   /* one in memory; without a workload */
    const struct orrery_measured *data; /* [sources] measured times (orrery/fit.h) */
    size_t sources;
    const char *collective;       /* default for data without it; NULL: none */
    uint32_t npus, npus_per_node; /* likewise; 0: none */
    unsigned threads;             /* runs at a time; 0: one for each processor */
    /* Callback for warnings about the data, in the caller's thread; or NULL. */
    void (*warn)(void *user, const char *text);
    void *user;
};

/* Compares measured times with simulated ones: runs each measured collective on as many NPUs of as
 * many nodes (the first dimension) of the platform, as `orrery bench-collective --measured`.
 * Results: rows of "measured_runs", by collective, NPUs and size, and of "measured", for each
 * collective and number of NPUs, the last one for all: the median errors, and whether the measured
 * bus bandwidth at the largest size is `normal`, within 15 % of the simulated one. Errors:
 * unreadable data; a row with more NPUs than the platform has, or that cannot be run. Forms: table
 * and CSV. */
ORRERY_API enum orrery_status orrery_bench_measured(struct orrery_study *study,
                                                    const struct orrery_bench_measured *measured);

#ifdef __cplusplus
}
#endif

#endif
