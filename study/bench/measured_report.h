/* The report of a bench of measured times: measured and simulated times as a table, JSON, CSV and a
 * plot. */
#ifndef ORR_STUDY_BENCH_MEASURED_REPORT_H
#define ORR_STUDY_BENCH_MEASURED_REPORT_H

#include <stdio.h>

#include "study/bench/measured_bench.h"

enum { ORR_MEASURED_BLOCK_BYTES = 128 };

struct orr_measured_run_row {
    const char *collective, *algorithm;
    uint32_t npus, npus_per_node;
    uint64_t bytes;
    double measured_us, model_us, error, measured_bandwidth, bandwidth;
    const char *file;
    uint32_t line;
};

/* A block; the last row is of all blocks, with the collective "all" and without numbers of NPUs. */
struct orr_measured_block_row {
    const char *collective;
    bool all;
    uint32_t npus, npus_per_node;
    uint64_t rows, skipped;
    double median_large, median_small; /* < 0: no rows */
    uint64_t bytes;
    double measured_bandwidth, bandwidth, gap;
    bool normal;
    double ratio[ORR_MEASURED_CLASSES]; /* measured / simulated time; 0: no rows */
    const char *cause;                  /* the likeliest; NULL: none found, or normal */
    double cause_bandwidth;             /* 0: not simulated */
};

/* Fill the row of a point by index; of a block by index (blocks: the row of all). */
struct orr_measured_run_row orr_measured_run_row(const struct orr_measured_bench *bench,
                                                 size_t index);
/* index <= blocks */
struct orr_measured_block_row orr_measured_block_row(const struct orr_measured_bench *bench,
                                                     size_t index);

extern const struct orr_result_table orr_measured_run_results;   /* orr_measured_run_row */
extern const struct orr_result_table orr_measured_block_results; /* orr_measured_block_row */

/* Prints a table for each block, medians, the verdict and the notes. */
void orr_measured_bench_table(FILE *out, const struct orr_measured_bench *bench);

/* Writers for struct orr_output; the context is the bench. */
int orr_measured_bench_csv(FILE *out, const void *context);
int orr_measured_bench_json(FILE *out, const void *context);
/* As orr_bench_svg: points and a curve for each block (bench_chart.c). */
int orr_measured_bench_svg(FILE *out, const void *context);

/* "all_reduce on 16 NPUs of 2 nodes"; returns the text. */
const char *orr_measured_block_name(const struct orr_measured_block *block,
                                    char text[ORR_MEASURED_BLOCK_BYTES]);

#endif
