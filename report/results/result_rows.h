/* Results by name: "PLACE.NAME" of a row. A place is the name of a table whose rows can be counted
 * and read by index; a name without a place is of the first table. */
#ifndef ORR_REPORT_RESULTS_RESULT_ROWS_H
#define ORR_REPORT_RESULTS_RESULT_ROWS_H

#include "core/diag.h"
#include "orrery/results.h"
#include "report/results/result.h"

struct orr_result_rows {
    const struct orr_result_table *table; /* its `place` is not NULL */
    size_t (*count)(const void *of);
    /* Fills the row's struct for an index below the count. */
    void (*get)(const void *of, size_t index, void *row);
    /* Called first; fails, saying what is missing, if there cannot be rows. NULL: nothing to
     * prepare. */
    enum orr_status (*prepare)(void *of, struct orr_diag *diag);
};

/* The tables of one kind of source, ended by an entry without a table. */
struct orr_result_sources {
    const struct orr_result_rows *rows;
    const char *of; /* "a job", for messages */
};

/* A query: a source, its tables, and storage for a row. */
struct orr_result_query {
    const struct orr_result_sources *result_sources;
    void *source;
    void *row; /* storage for a row of any table */
};

/* Counts the rows of a place. Errors: no such place (with the known ones); those of `prepare`. */
enum orr_status orr_result_count_rows(const struct orr_result_query *query, const char *place,
                                      size_t *rows, struct orr_diag *diag);

/* The value of a row. Errors: no such place, result or row, with the known ones. */
enum orr_status orr_result_get(const struct orr_result_query *query, const char *name, size_t index,
                               struct orr_value *value, struct orr_diag *diag);

/* Fails for a row index that is not below `rows`. */
enum orr_status orr_result_fail_row(const char *place, size_t index, size_t rows,
                                    struct orr_diag *diag);

/* The value as the public struct; its text is borrowed from `value`. */
struct orrery_value orr_result_public_value(const struct orr_value *value);

#endif
