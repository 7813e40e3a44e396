/* The report of a bench of a collective: a table, CSV, JSON, and a plot. */
#ifndef ORR_STUDY_BENCH_BENCH_REPORT_H
#define ORR_STUDY_BENCH_BENCH_REPORT_H

#include <stdio.h>

#include "study/bench/collective_bench.h"

/* Prints the runs as nccl-tests do. */
void orr_bench_table(FILE *out, const struct orr_collective_bench *bench);

/* Writers for struct orr_output; the context is the bench. */
int orr_bench_csv(FILE *out, const void *context);
int orr_bench_json(FILE *out, const void *context);
int orr_bench_svg(FILE *out, const void *context); /* bus bandwidth over size (bench_chart.c) */

#endif
