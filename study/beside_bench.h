/* A bench of a collective on a platform and on the same platform with other values, size by size:
 * what the platform takes by itself, old and new side by side. */
#ifndef ORR_STUDY_BESIDE_BENCH_H
#define ORR_STUDY_BESIDE_BENCH_H

#include <stdio.h>

#include "report/report.h"
#include "study/collective_bench.h"

enum { ORR_BESIDE_MAX_SETS = 16 };

struct orr_beside_bench {
    /* input; own.platform and the sizes are set by the caller */
    struct orr_collective_bench own;
    const char *set[ORR_BESIDE_MAX_SETS]; /* PATH=VALUE */
    size_t sets;
    /* of orr_beside_bench_run */
    struct orr_collective_bench beside;
    struct orrery_inputs inputs;
    const char **all; /* the platform's own assignments, then these */
};

/* A size on both. */
struct orr_beside_row {
    uint64_t bytes;
    const char *algorithm, *beside_algorithm;
    int64_t wall_ps, beside_wall_ps;
    double bandwidth, beside_bandwidth; /* bus bandwidth, bytes/s */
    double ratio;                       /* new time / old time */
};

/* Runs both; `own` has its sizes (orr_collective_bench_range). Errors: those of the platform with
 * the assignments, and of runs; another number of NPUs. Call orr_beside_bench_fini also then. */
enum orr_status orr_beside_bench_run(struct orr_beside_bench *bench, struct orr_diag *diag);
void orr_beside_bench_fini(struct orr_beside_bench *bench);

struct orr_beside_row orr_beside_row(const struct orr_beside_bench *bench, unsigned size);

extern const struct orr_result_table orr_beside_results; /* struct orr_beside_row */

/* The table, and writers for struct orr_output with the bench as context. */
void orr_beside_table(FILE *out, const struct orr_beside_bench *bench);
int orr_beside_csv(FILE *out, const void *context);
int orr_beside_json(FILE *out, const void *context);

#endif
