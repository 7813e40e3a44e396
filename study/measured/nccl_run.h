/* A run of nccl-tests, from text or JSON: its devices and its results, which become rows when the
 * run is complete. */
#ifndef ORR_STUDY_MEASURED_NCCL_RUN_H
#define ORR_STUDY_MEASURED_NCCL_RUN_H

#include "core/strings.h"
#include "study/measured/measured_build.h"
#include "study/measured/measured_fields.h"
#include "study/measured/nccl_line.h"
#include "system/collectives/program.h"

struct orr_arena;

struct nccl_member {
    uint32_t rank, group, host; /* host: index into the run's hosts */
    uint64_t pid;               /* 0: not known */
};

struct nccl_result {
    uint64_t bytes, count;
    unsigned type_bytes; /* 0: not known */
    double time_us;
    struct measured_number algbw, busbw; /* GB/s */
    uint32_t line, column;
};

/* The sizes that a run was told to measure; last 0: not known. */
struct nccl_sizes {
    uint64_t last, factor, increment; /* factor or increment; 0: not the one */
};

struct nccl_run {
    const char *name;       /* of the program in the file; NULL: missing */
    uint32_t line, column;  /* of the beginning of the run */
    uint32_t threads, gpus; /* of a process; 0: not known */
    struct nccl_member *member;
    struct nccl_result *result;
    size_t members, member_capacity, results, result_capacity;
    struct orr_strings hosts;
    struct nccl_sizes sizes;
    bool closed;    /* the lines behind the last row were read */
    bool cut;       /* the list of members is incomplete */
    bool processes; /* a member represents all devices of a process */
};

/* Initializes an empty run, which allocates from the arena. */
void orr_nccl_run_init(struct nccl_run *run, struct orr_arena *arena);

/* Adds a member. `host`, NUL-terminated, is copied. Errors: memory. */
enum orr_status orr_nccl_add_member(struct orr_measured_build *build, struct nccl_run *run,
                                    struct nccl_member member, const char *host);
enum orr_status orr_nccl_add_result(struct orr_measured_build *build, struct nccl_run *run,
                                    const struct nccl_result *result);

/* What a check of a row's data found, as printed: N/A, the number of wrong values, or (old) the
 * largest error, with * where it is too large. */
struct nccl_wrong {
    const char *text, *type; /* type: of the elements, NULL: not known */
    bool is_error;           /* the old form */
    uint32_t line, column;
};

/* Checks and notes that both forms share. */
enum orr_status orr_nccl_check_wrong(const struct orr_measured_build *build,
                                     const struct nccl_wrong *wrong);
enum orr_status orr_nccl_note_empty(struct orr_measured_build *build, uint32_t line);
enum orr_status orr_nccl_note_cpu(struct orr_measured_build *build, uint32_t line);

/* ---- of logs (nccl_check.c) ---- */

/* Checks `Out of bounds values : N FAILED`. */
enum orr_status orr_nccl_check_bounds(const struct orr_measured_build *build,
                                      const struct nccl_line *line, size_t first);

/* Checks that a device is of the same kind as the first one of all files, which is kept. `name` is
 * its kind, at a line and column. Errors: two machines; memory. */
enum orr_status orr_nccl_check_gpu(const struct orr_measured_build *build, const char *name,
                                   uint32_t line, uint32_t column);

/* The same for a line of a log; one that is cut off is passed over. */
enum orr_status orr_nccl_check_device(const struct orr_measured_build *build,
                                      const struct nccl_line *line,
                                      const struct nccl_device *device);

struct nccl_sizes orr_nccl_sizes(const struct nccl_line *line, size_t first);

/* Warns where the last run has rows up to a smaller size than it was told to measure, and no line
 * behind them. */
void orr_nccl_warn_of_cut(const struct orr_measured_build *build, const struct nccl_run *run);

/* Makes rows of the results and begins the next run, without a name. Errors: the collective, the
 * number of NPUs or the number of nodes is unknown or contradictory. */
enum orr_status orr_nccl_run_end(struct orr_measured_build *build, struct nccl_run *run);

/* The number of NPUs of a run, and of each of its nodes. */
struct nccl_size {
    uint32_t npus, npus_per_node;
};
enum orr_status orr_nccl_size(const struct orr_measured_build *build, const struct nccl_run *run,
                              enum coll_kind kind, struct nccl_size *out);

#endif
