/* Measured times of collectives beside those that a platform gives: every row is run by itself, as
 * the platform says, on a group of as many NPUs.
 *
 *     orr_measured_bench_open -> orr_measured_bench_run -> rows and blocks */
#ifndef ORR_STUDY_MEASURED_BENCH_H
#define ORR_STUDY_MEASURED_BENCH_H

#include "orrery/parts.h"
#include "study/measured/measured.h"

enum {
    ORR_MEASURED_LARGE = 1 << 20, /* bytes, from which on bandwidth counts more than latency */
    ORR_MEASURED_ALGORITHM_BYTES = 64
};

/* How far a bandwidth may be from what is expected, and is still normal. */
#define ORR_MEASURED_NORMAL 0.15

/* A run of a row. */
struct orr_measured_point {
    const struct orr_measured_row *row;
    uint32_t block;
    bool is_repeat; /* as the one before it: not run */
    bool library;   /* the platform's communication library did it */
    int64_t wall_ps;
    char algorithm[ORR_MEASURED_ALGORITHM_BYTES];
    enum orrery_status status;
    char error[512];
};

/* Rows of a table, or of all. */
struct orr_measured_block {
    const struct orr_measured_table *table; /* NULL: all */
    size_t first, count;                    /* of points; >= 1 */
    uint64_t skipped;                       /* rows of less than a byte for each NPU */
    double median_large, median_small;      /* of |ours / measured - 1|; < 0: no rows */
    size_t large, small;                    /* rows */
    /* of the largest size; of all: of the block that is farthest off */
    uint64_t bytes;
    double measured_bandwidth, bandwidth; /* bus bandwidth, bytes/s */
    double gap;                           /* measured_bandwidth / bandwidth - 1 */
    bool normal;                          /* |gap| <= ORR_MEASURED_NORMAL; of all: all blocks are */
    const char *group;                    /* ranks as a list in YAML; NULL: all NPUs */
};

struct orr_measured_bench {
    /* of the caller */
    const struct orrery_inputs *platform; /* its workload is set on top; or */
    const struct orrery_parts *parts;     /* a platform in memory */
    struct orr_measured_inputs data;
    unsigned threads; /* runs at a time; 0: one for each processor */
    /* read */
    struct orr_arena *arena;
    struct orr_measured measured;
    struct orr_measured_machine machine; /* node_npus: of the first dimension */
    /* what was run: by tables, in these by bytes */
    struct orr_measured_point *point; /* [points] */
    size_t points;
    struct orr_measured_block *block; /* [blocks] tables with rows that can be run */
    size_t blocks;
    struct orr_measured_block all;
    bool uses_ccl;               /* the platform's communication library did rows */
    unsigned abnormal, farthest; /* blocks that are not normal; the one farthest off */
};

/* Reads the measured times, and what the platform is. Warnings: the reader's. Errors: what the
 * reader refuses; a platform that cannot be loaded; a row of more NPUs than the platform has, or
 * that it has not in so many nodes; no row of a byte or more for each NPU. To be freed with
 * orr_measured_bench_fini also after an error. */
enum orr_status orr_measured_bench_open(struct orr_measured_bench *bench, struct orr_diag *diag);

/* Runs every row. The error is that of the first that fails, with the row's place. */
enum orr_status orr_measured_bench_run(struct orr_measured_bench *bench, struct orr_diag *diag);
void orr_measured_bench_fini(struct orr_measured_bench *bench);

/* Ours / measured - 1. */
double orr_measured_point_error(const struct orr_measured_point *point);

/* Bytes/s, as nccl-tests define them, at a time in seconds above 0. */
double orr_measured_bus_bandwidth(const struct orr_measured_row *row, double seconds);

#endif
