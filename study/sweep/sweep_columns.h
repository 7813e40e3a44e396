/* Columns of a sweep's results: those of the result tables that belong to a column group, in the
 * order of the groups. */
#ifndef ORR_STUDY_SWEEP_SWEEP_COLUMNS_H
#define ORR_STUDY_SWEEP_SWEEP_COLUMNS_H

#include "report/results/results.h"

struct orr_result;
struct orr_result_table;

enum { ORR_SWEEP_MAX_COLUMNS = 64 };

/* Results of a point that ran. */
struct orr_sweep_point {
    struct orr_job_row job;
    struct orr_npu_row last; /* the NPU that finishes last */
    double cost;             /* INFINITY: none */
    /* for results of a point by name */
    uint32_t point;
    const char *status, *error;
    bool pareto;
};

struct orr_sweep_columns {
    struct {
        const struct orr_result *result;
        const struct orr_result_table *table;
        size_t offset; /* offset of its row in struct orr_sweep_point */
    } column[ORR_SWEEP_MAX_COLUMNS];
    size_t count;
};

/* The sweep's own results: struct orr_sweep_point. */
extern const struct orr_result_table orr_sweep_results;

void orr_sweep_list_columns(struct orr_sweep_columns *columns);

/* The index of a column by its name; -1: there is none. */
int orr_sweep_column_of(const char *name);

/* Whether more of it is better; of all others less is. */
bool orr_sweep_more_is_better(const char *name);

/* The value of a column; integers are clamped to 64 bits. */
struct orr_value orr_sweep_column_value(const struct orr_sweep_columns *columns, size_t index,
                                        const struct orr_sweep_point *point);

#endif
