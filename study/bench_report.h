/* A bench of a collective as a table, as CSV, and as a plot. */
#ifndef ORR_STUDY_BENCH_REPORT_H
#define ORR_STUDY_BENCH_REPORT_H

#include <stdio.h>

#include "study/collective_bench.h"

/* As nccl-tests print them. */
void orr_bench_table(FILE *out, const struct orr_collective_bench *bench);

/* Writers for struct orr_output; the context is the bench. */
int orr_bench_csv(FILE *out, const void *context);
int orr_bench_json(FILE *out, const void *context);

/* Commands for gnuplot, which draws bus bandwidth by size into the file. The name of the file has
 * no quotes. */
void orr_bench_plot(FILE *gnuplot, const struct orr_collective_bench *bench, const char *file,
                    bool pdf);

#endif
