/* Results of a completed sweep by name, for programs: points by number and by rank. */
#ifndef ORR_STUDY_RANKING_SWEEP_VALUES_H
#define ORR_STUDY_RANKING_SWEEP_VALUES_H

#include "study/ranking/sweep_rank.h"
#include "study/sweep/sweep_store.h"

enum { ORR_SWEEP_ORDERS = 5 }; /* points, by_time, by_cost, by_both, pareto */

struct orr_sweep_values {
    struct orr_arena *arena;
    struct orr_sweep sweep;
    struct orr_sweep_store store;
    bool listed; /* listed only, not run */
    /* Entries of each order but the first: [count]; NULL: not computed. */
    struct orr_sweep_entry *order[ORR_SWEEP_ORDERS];
    uint32_t count[ORR_SWEEP_ORDERS];
    struct orr_sweep_result last; /* last result read */
    bool read;
};

/* Number of rows of a table; a value of a row: as of struct orr_study_kind. */
enum orr_status orr_sweep_count_rows(void *values, const char *table_name, size_t *rows,
                                     struct orr_diag *diag);
enum orr_status orr_sweep_get_value(void *values, const char *name, size_t row,
                                    struct orr_value *value, struct orr_diag *diag);

/* Write the points as a table, JSON lines or CSV; 0, or 1 with errno set. */
int orr_sweep_write_table(FILE *out, const void *values);
int orr_sweep_write_json(FILE *out, const void *values);
int orr_sweep_write_csv(FILE *out, const void *values);

void orr_sweep_values_fini(struct orr_sweep_values *values);

#endif
