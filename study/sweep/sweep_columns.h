/* The columns of a sweep's results: those of the tables of results that name a group of them, in
 * the order of the groups. */
#ifndef ORR_STUDY_SWEEP_SWEEP_COLUMNS_H
#define ORR_STUDY_SWEEP_SWEEP_COLUMNS_H

#include "report/report.h"

enum { ORR_SWEEP_MAX_COLUMNS = 64 };

/* What a point that ran came to. */
struct orr_sweep_point {
    struct orr_job_row job;
    struct orr_npu_row last; /* the NPU that is last */
    double cost;             /* INFINITY: there is none */
    /* where results of a point are asked for by name */
    uint32_t point;
    const char *status, *error;
    bool pareto;
};

struct orr_sweep_columns {
    struct {
        const struct orr_result *result;
        const struct orr_result_table *table;
        size_t offset; /* of its row in struct orr_sweep_point */
    } column[ORR_SWEEP_MAX_COLUMNS];
    size_t count;
};

/* What a sweep adds to the results of its jobs: struct orr_sweep_point. */
extern const struct orr_result_table orr_sweep_results;

void orr_sweep_list_columns(struct orr_sweep_columns *columns);

/* The value of a column; whole numbers at most what 64 bits hold. */
struct orr_value orr_sweep_column_value(const struct orr_sweep_columns *columns, size_t index,
                                        const struct orr_sweep_point *point);

#endif
