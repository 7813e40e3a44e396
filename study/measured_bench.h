/* Measured times of collectives compared with those of a platform: every row is simulated alone,
 * with the platform's settings, on a group of as many NPUs.
 *
 *     orr_measured_bench_open -> orr_measured_bench_run -> rows and blocks */
#ifndef ORR_STUDY_MEASURED_BENCH_H
#define ORR_STUDY_MEASURED_BENCH_H

#include "orrery/parts.h"
#include "study/measured/measured.h"

enum {
    ORR_MEASURED_LARGE = 1 << 20, /* bytes; from here on bandwidth matters more than latency */
    ORR_MEASURED_ALGORITHM_BYTES = 64
};

/* Maximum relative deviation of a normal bandwidth from the expected one. */
#define ORR_MEASURED_NORMAL 0.15

/* A run of a row. */
struct orr_measured_point {
    const struct orr_measured_row *row;
    uint32_t block;
    bool is_repeat; /* repeats the point before it: not run */
    bool library;   /* the platform's communication library did it */
    int64_t wall_ps;
    char algorithm[ORR_MEASURED_ALGORITHM_BYTES];
    enum orrery_status status;
    char error[512];
};

/* Statistics of the rows of a table, or of all tables. */
struct orr_measured_block {
    const struct orr_measured_table *table; /* NULL: all */
    size_t first, count;                    /* of points; >= 1 */
    uint64_t skipped;                       /* rows of less than a byte for each NPU */
    double median_large, median_small;      /* of |simulated / measured - 1|; < 0: no rows */
    size_t large, small;                    /* rows */
    /* of the largest size; in `all`: of the block with the largest gap */
    uint64_t bytes;
    double measured_bandwidth, bandwidth; /* bus bandwidth, bytes/s */
    double gap;                           /* measured_bandwidth / bandwidth - 1 */
    bool normal;       /* |gap| <= ORR_MEASURED_NORMAL; in `all`: for every block */
    const char *group; /* ranks as a list in YAML; NULL: all NPUs */
};

struct orr_measured_bench {
    /* input */
    const struct orrery_inputs *platform; /* its workload is overridden; or */
    const struct orrery_parts *parts;     /* a platform in memory */
    struct orr_measured_inputs data;
    unsigned threads; /* concurrent runs; 0: one for each processor */
    /* read by orr_measured_bench_open */
    struct orr_arena *arena;
    struct orr_measured measured;
    struct orr_measured_machine machine; /* node_npus: of the first dimension */
    /* results: by table, then by bytes */
    struct orr_measured_point *point; /* [points] */
    size_t points;
    struct orr_measured_block *block; /* [blocks] tables with rows that can be simulated */
    size_t blocks;
    struct orr_measured_block all;
    bool uses_ccl;               /* the platform's communication library did rows */
    unsigned abnormal, farthest; /* number of abnormal blocks; the block with the largest gap */
};

/* Reads the measured times and the platform's size. Warnings: the reader's. Errors: those of the
 * reader; a platform that cannot be loaded; a row of more NPUs, or more nodes, than the platform
 * has; no row of at least a byte for each NPU. Call orr_measured_bench_fini also after an error. */
enum orr_status orr_measured_bench_open(struct orr_measured_bench *bench, struct orr_diag *diag);

/* Simulates every row. The error is that of the first row that fails, with the row's location. */
enum orr_status orr_measured_bench_run(struct orr_measured_bench *bench, struct orr_diag *diag);
void orr_measured_bench_fini(struct orr_measured_bench *bench);

/* simulated / measured - 1. */
double orr_measured_point_error(const struct orr_measured_point *point);

/* Bytes/s, as nccl-tests define them, at a time in seconds above 0. */
double orr_measured_bus_bandwidth(const struct orr_measured_row *row, double seconds);

#endif
