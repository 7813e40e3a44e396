/* The results of a run of a bench. */
#ifndef ORR_STUDY_BENCH_BENCH_RESULTS_H
#define ORR_STUDY_BENCH_BENCH_RESULTS_H

#include "study/bench/collective_bench.h"

struct orr_bench_row {
    uint64_t bytes;
    const char *algorithm, *scheduler;
    int64_t wall_ps, turnaround_ps;
    double algorithm_bandwidth, bus_bandwidth; /* bytes/s */
    bool best, turns;                          /* turns: turnaround_ps is known */
    bool idealised;                            /* beside a library */
    int64_t launch_ps;                         /* of the library, in wall_ps */
    uint64_t rank_bytes, total_bytes; /* of gathers and scatters: a rank's part, all parts */
    const char *collective;
    uint32_t npus, npus_per_node;
};

/* Fills the row of the index-th run: all variants of a size, then the next size. */
struct orr_bench_row orr_bench_row(const struct orr_collective_bench *bench, unsigned index);

extern const struct orr_result_table orr_bench_results;      /* struct orr_bench_row */
extern const struct orr_result_table orr_bench_time_results; /* the same without the turnaround */
/* Further columns of gathers and scatters, whose sizes are counted in two ways. With them a bench
 * reads back as measured times. */
extern const struct orr_result_table orr_bench_part_results;

#endif
