/* A bench: one collective of all NPUs in a range of sizes and in every variant: as `auto` selects,
 * with the algorithms of the dimensions' blocks and each scheduler, and with each algorithm in all
 * dimensions.
 *
 *     orr_collective_bench_inspect -> orr_collective_bench_range -> orr_collective_bench_run */
#ifndef ORR_STUDY_BENCH_COLLECTIVE_BENCH_H
#define ORR_STUDY_BENCH_COLLECTIVE_BENCH_H

#include "core/status.h"
#include "network/net_dims.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"
#include "system/collectives/program.h"

struct orr_diag;

enum { ORR_BENCH_MAX_SIZES = 64, ORR_BENCH_MAX_VARIANTS = 32 };

enum { ORR_BENCH_NAME_BYTES = 96 };

struct orr_bench_variant {
    const char *algorithm;
    const char *scheduler; /* NULL: the platform's, or selected with the algorithms */
    bool platform_variant; /* the platform's algorithms; `algorithm` names them */
};

struct orr_bench_point {
    int64_t wall_ps;
    int64_t turnaround_ps; /* until the first chunk is at every NPU; 0: not requested */
    int64_t launch_ps;     /* the library's launch in it */
    char algorithm[ORR_BENCH_NAME_BYTES]; /* of a library, with its protocol; "": the variant's */
    enum orrery_status status;
    char error[512];
};

struct orr_collective_bench {
    /* input */
    const struct orrery_inputs *platform; /* its workload and algorithms are overridden; or */
    const struct orrery_parts *parts;     /* a platform in memory */
    enum coll_kind collective;
    uint64_t min, max, step; /* sizes: min, times step, ... up to max; bytes, step >= 2 */
    unsigned threads;        /* concurrent runs; 0: one for each processor */
    bool turnaround;         /* also measure the time of the first chunk */
    bool bound;              /* also compare with the bound of the network */
    bool only_own;           /* only as the platform says, with the algorithm that it takes */
    /* of the platform */
    uint32_t npus;
    unsigned dims;
    uint32_t dim_npus[NET_MAX_DIMS];
    bool dim_reduces[NET_MAX_DIMS];
    bool has_rings; /* a graph, not built of dimensions, with rings on its links */
    char platform_variant[ORR_BENCH_NAME_BYTES]; /* the platform's algorithms, if no other variant
                                                    covers them; "": another does */
    bool only_platform_variant; /* the platform's settings exclude other algorithms */
    bool uses_ccl; /* the platform variant is a library; the others are idealised beside it */
    /* results */
    uint64_t size[ORR_BENCH_MAX_SIZES];
    struct orr_bench_variant variant[ORR_BENCH_MAX_VARIANTS];
    unsigned sizes, variants;
    struct orr_bench_point *point; /* [sizes * variants] */
    /* With `bound`, of each size: what no algorithm is faster than, and the optimum that is known
     * (-1: none). */
    int64_t bound_ps[ORR_BENCH_MAX_SIZES], optimum_ps[ORR_BENCH_MAX_SIZES];
};

/* Sets the collective by name. False: unknown. */
bool orr_collective_bench_name(struct orr_collective_bench *bench, const char *name);

/* Loads the platform once to read its shape and to check it. Errors: those of the platform. */
enum orr_status orr_collective_bench_inspect(struct orr_collective_bench *bench,
                                             struct orr_diag *diag);

/* Validity of the range of sizes. */
enum orr_bench_range {
    ORR_BENCH_RANGE_FITS,
    ORR_BENCH_RANGE_TOO_SMALL, /* the minimum is below a byte for each NPU */
    ORR_BENCH_RANGE_EMPTY,     /* the maximum is below the minimum */
    ORR_BENCH_RANGE_TOO_LONG   /* more than ORR_BENCH_MAX_SIZES */
};

/* Lists the sizes. O(sizes). */
enum orr_bench_range orr_collective_bench_range(struct orr_collective_bench *bench);

/* Computes the bounds of all sizes, on the network of a job on the platform. Errors: those of
 * orr_bound_compute. (collective_bounds.c) */
struct orrery;
enum orr_status orr_collective_bench_bounds(struct orr_collective_bench *bench,
                                            const struct orrery *job, struct orr_diag *diag);

/* Runs every size in every variant. The error is that of the first run that fails, in this order.
 * Call orr_collective_bench_fini also after an error. */
enum orr_status orr_collective_bench_run(struct orr_collective_bench *bench, struct orr_diag *diag);
void orr_collective_bench_fini(struct orr_collective_bench *bench);

/* ---- results; `size` and `variant` are indices ---- */

/* The time of a run. */
int64_t orr_collective_bench_wall_ps(const struct orr_collective_bench *bench, unsigned size,
                                     unsigned variant);

/* Time until the first chunk is complete on every NPU; 0 if it was not requested. */
int64_t orr_collective_bench_turnaround_ps(const struct orr_collective_bench *bench, unsigned size,
                                           unsigned variant);

/* The fastest variant of a size, the first of equals; that of the platform's library if it has one,
 * since the others leave out what a library's steps and launch take. */
unsigned orr_collective_bench_best(const struct orr_collective_bench *bench, unsigned size);

/* Bytes/s, as nccl-tests define them: size / time (algorithm bandwidth), and the minimum of what
 * each NPU has to send / time (bus bandwidth). */
double orr_collective_bench_algorithm_bandwidth(const struct orr_collective_bench *bench,
                                                unsigned size, unsigned variant);
double orr_collective_bench_bus_bandwidth(const struct orr_collective_bench *bench, unsigned size,
                                          unsigned variant);

#endif
