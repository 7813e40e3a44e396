/* Measured times of collectives compared with those of a platform: every row is simulated alone,
 * with the platform's settings, on a group of as many NPUs.
 *
 *     orr_measured_bench_open -> orr_measured_bench_run -> rows and blocks, and causes of gaps */
#ifndef ORR_STUDY_BENCH_MEASURED_BENCH_H
#define ORR_STUDY_BENCH_MEASURED_BENCH_H

#include "orrery/parts.h"
#include "study/measured/measured.h"

enum {
    ORR_MEASURED_LARGE = 1 << 20, /* bytes; from here on bandwidth matters more than latency */
    ORR_MEASURED_ALGORITHM_BYTES = 64
};

/* Maximum relative deviation of a normal bandwidth from the expected one. */
#define ORR_MEASURED_NORMAL 0.15

/* Classes of sizes: latency up to 64 KiB, bandwidth from 64 MiB, and the middle. */
enum orr_measured_class {
    ORR_MEASURED_LATENCY,
    ORR_MEASURED_MIDDLE,
    ORR_MEASURED_BANDWIDTH,
    ORR_MEASURED_CLASSES
};

/* The rows of a class. Normal: the median time is within a factor of the expected one, which is 2
 * for latencies (launches differ by host), 2.5 in the middle (protocols ramp up, which the
 * library's cost model does not have), 1.25 for bandwidths. */
struct orr_measured_sizes {
    size_t rows;
    double ratio; /* median of measured / simulated time; 0: no rows */
    bool normal;
};

/* A likely cause of a gap, and what is left of it then. */
struct orr_measured_cause {
    const char *text;
    bool is_setting;       /* of the library, and no fault of a machine */
    double bandwidth, gap; /* as those of a block; bandwidth 0: not simulated */
};

enum { ORR_MEASURED_MAX_CAUSES = 3 };

/* A change of the platform for a run. */
struct orr_measured_change {
    struct orrery_scale scale[2];
    unsigned scales;
    const char *set[5];
    unsigned sets;
};

/* A run of a row. */
struct orr_measured_point {
    const struct orr_measured_row *row;
    uint32_t block;
    bool is_repeat; /* repeats the point before it: not run */
    bool library;   /* the platform's communication library did it */
    int64_t wall_ps;
    int64_t launch_ps; /* the library's launch in it */
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
    /* |gap| <= ORR_MEASURED_NORMAL, or, where `bytes` tells no bandwidth, as its class is; in
     * `all`: for every block */
    bool normal;
    const char *group; /* ranks as a list in YAML; NULL: all NPUs */
    struct orr_measured_sizes sizes[ORR_MEASURED_CLASSES];
    struct orr_measured_cause cause[ORR_MEASURED_MAX_CAUSES]; /* the likeliest first */
    unsigned causes;
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
    /* bytes/s of an NPU through switches in and between nodes; 0: other blocks, or none */
    double inner_bytes_per_s, outer_bytes_per_s;
    unsigned dims;
    int64_t launch_ps; /* of the library, in every expected time */
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

/* Simulates the row of a point on a changed platform, or NULL: the platform as it is. Sets the
 * point's time, algorithm, status and error. */
void orr_measured_bench_run_point(const struct orr_measured_bench *bench,
                                  const struct orr_measured_change *change,
                                  struct orr_measured_point *point);

/* simulated / measured - 1. */
double orr_measured_point_error(const struct orr_measured_point *point);

/* Bytes/s, as nccl-tests define them, at a time in seconds above 0. */
double orr_measured_bus_bandwidth(const struct orr_measured_row *row, double seconds);

#endif
