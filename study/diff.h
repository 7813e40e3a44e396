/* The difference of two results of orrery run --json, quantity by quantity. */
#ifndef ORR_STUDY_DIFF_H
#define ORR_STUDY_DIFF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "report/results/result.h"

struct orr_arena;
struct orr_diag;
struct orrery;

enum orr_diff_section {
    ORR_DIFF_TIMES, /* of the NPU that finishes last; the parts add up to the job's time */
    ORR_DIFF_PATH,  /* parts of the critical path */
    ORR_DIFF_DIMS,
    ORR_DIFF_COLLECTIVES, /* exposed time and counts */
    ORR_DIFF_OPERATORS,
    ORR_DIFF_SECTIONS
};

struct orr_diff_row {
    enum orr_diff_section section;
    enum orr_result_unit unit;
    bool part; /* a part of the time of the NPU that finishes last */
    const char *what;
    int64_t a, b;
};

/* A value of the configuration that differs; NULL: the run does not have it. */
struct orr_diff_setting {
    const char *key, *a, *b;
};

struct orr_diff {
    struct orr_arena *arena;
    json_t *root[2];
    int64_t wall_ps[2], npus[2];
    struct orr_diff_row *row; /* including equal ones */
    size_t rows, row_capacity;
    struct orr_diff_setting *setting;
    size_t settings, setting_capacity;
};

/* One of two results: a file, a text, or a job that has run. */
struct orr_diff_side {
    const char *name; /* for messages */
    const char *path, *text;
    struct orrery *job;
};

/* Compares two results. Errors name the side and what is missing in it. Call orr_diff_fini in any
 * case. */
enum orr_status orr_diff_compare(struct orr_diff *diff, const struct orr_diff_side side[2],
                                 struct orr_diag *diag);

/* The same for two files. */
enum orr_status orr_diff_read(struct orr_diff *diff, const char *const path[2],
                              struct orr_diag *diag);
void orr_diff_fini(struct orr_diff *diff);

/* The name of a section, for tables and JSON. */
const char *orr_diff_section_name(enum orr_diff_section section);
/* True if the results have no difference. */
bool orr_diff_empty(const struct orr_diff *diff);

/* The part of the time that changed most in the direction of the total; NULL: none. */
const struct orr_diff_row *orr_diff_largest(const struct orr_diff *diff);

#endif
