/* Results by name: "PLACE.NAME" of a row. A place is a table with rows that can be counted and
 * looked at one by one; what has no place is of the first. */
#ifndef ORR_REPORT_RESULTS_RESULT_ROWS_H
#define ORR_REPORT_RESULTS_RESULT_ROWS_H

#include "orrery/results.h"
#include "report/results/result.h"

struct orr_result_rows {
    const struct orr_result_table *table; /* has a place */
    size_t (*count)(const void *of);
    /* Fills the row's struct, of an index below the count. */
    void (*get)(const void *of, size_t index, void *row);
    /* Comes first, and says what is missing for there to be rows; NULL: nothing ever is. */
    enum orr_status (*prepare)(void *of, struct orr_diag *diag);
};

/* Places of one kind of source, ended by one without a table. */
struct orr_result_sources {
    const struct orr_result_rows *rows;
    const char *of; /* "a job", for messages */
};

/* What is asked of a source. */
struct orr_result_query {
    const struct orr_result_sources *result_sources;
    void *source;
    void *row; /* room for a row of any place */
};

/* How many rows a place has. */
enum orr_status orr_result_count_rows(const struct orr_result_query *query, const char *place,
                                      size_t *rows, struct orr_diag *diag);

/* The value of a row. Errors: no such place, result or row, with what there is. */
enum orr_status orr_result_get(const struct orr_result_query *query, const char *name, size_t index,
                               struct orr_value *value, struct orr_diag *diag);

/* Refuses a row beyond the last of so many. */
enum orr_status orr_result_fail_row(const char *place, size_t index, size_t rows,
                                    struct orr_diag *diag);

/* As programs see it; the text is that of `value`. */
struct orrery_value orr_result_public_value(const struct orr_value *value);

#endif
