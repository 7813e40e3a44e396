/* A bench of a collective on a platform and on the same platform with other values, size by size:
 * what the platform takes by itself, old and new side by side. */
#ifndef ORR_STUDY_BENCH_BENCH_COMPARISON_H
#define ORR_STUDY_BENCH_BENCH_COMPARISON_H

#include <stdio.h>

#include "orrery/orrery.h"
#include "study/bench/collective_bench.h"

struct orr_diag;

enum { ORR_BENCH_COMPARISON_SETS = 16 };

struct orr_bench_comparison {
    /* input; own.platform and the sizes are set by the caller */
    struct orr_collective_bench own;
    const char *set[ORR_BENCH_COMPARISON_SETS]; /* PATH=VALUE */
    size_t sets;
    /* of orr_bench_comparison_run */
    struct orr_collective_bench other;
    struct orrery_inputs inputs;
    const char **all; /* the platform's own assignments, then these */
};

/* A size on both. */
struct orr_bench_comparison_row {
    uint64_t bytes;
    const char *algorithm, *other_algorithm;
    int64_t wall_ps, other_wall_ps;
    double bandwidth, other_bandwidth; /* bus bandwidth, bytes/s */
    double ratio;                      /* new time / old time */
};

/* Runs both; `own` has its sizes (orr_collective_bench_range). Errors: those of the platform with
 * the assignments, and of runs; another number of NPUs. Call orr_bench_comparison_fini also then.
 */
enum orr_status orr_bench_comparison_run(struct orr_bench_comparison *bench, struct orr_diag *diag);
void orr_bench_comparison_fini(struct orr_bench_comparison *bench);

struct orr_bench_comparison_row orr_bench_comparison_row(const struct orr_bench_comparison *bench,
                                                         unsigned size);

extern const struct orr_result_table
    orr_bench_comparison_results; /* struct orr_bench_comparison_row */

/* The table, and writers for struct orr_output with the bench as context. */
void orr_bench_comparison_table(FILE *out, const struct orr_bench_comparison *bench);
int orr_bench_comparison_csv(FILE *out, const void *context);
int orr_bench_comparison_json(FILE *out, const void *context);

#endif
