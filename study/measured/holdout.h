/* Holdout rules: which rows of measured tables are fitted, and which are held out to test the fit.
 * The caller, who has the rows, looks up the columns of the rules.
 *
 *     orr_holdout_read -> orr_condition_holds (each row) -> orr_holdout_count */
#ifndef ORR_STUDY_MEASURED_HOLDOUT_H
#define ORR_STUDY_MEASURED_HOLDOUT_H

#include "core/diag.h"

struct orr_arena;

/* A condition on a column: NAME, NAME>VALUE. */
struct orr_condition {
    const char *name, *value;
    enum {
        ORR_IS_SET, /* any value except 0, no, false and fit */
        ORR_LESS,
        ORR_MORE,
        ORR_AT_MAX,
        ORR_AT_LEAST,
        ORR_EQUAL
    } how;
    bool has_number; /* the value is a number */
    double number;
};

struct orr_holdout {
    const char *rule; /* "": nothing is held out */
    struct orr_diag *diag;
    enum { ORR_HOLD_NONE, ORR_HOLD_EVERY, ORR_HOLD_COLUMN } kind;
    uint64_t step; /* EVERY: rows 0, step, 2 step, ... are fitted */
    struct orr_condition condition;
};

/* The split of rows into fitted and held-out ones. */
struct orr_measured_split {
    const bool *held; /* [rows] */
    size_t fitted, tested;
};

/* Fails with ORR_ERR_INPUT and the rule. */
#define orr_holdout_fail(holdout, format, ...)                                                     \
    orr_diag_fail((holdout)->diag, ORR_ERR_INPUT, NULL, "holdout \"%s\": " format,                 \
                  (holdout)->rule, __VA_ARGS__)

/* Parses a rule (NULL: none): every:N, column:NAME, column:NAME>VALUE (<, >=, <=, =). Errors:
 * another text. */
enum orr_status orr_holdout_read(const char *rule, struct orr_arena *arena, struct orr_holdout *out,
                                 struct orr_diag *diag);

/* Fails because no column has the name. */
enum orr_status orr_holdout_no_column(const struct orr_holdout *holdout, const char *const *column,
                                      size_t columns);

/* Fails because the condition's value is not a number, but is compared with one. */
enum orr_status orr_holdout_no_number(const struct orr_holdout *holdout);

/* True if a number meets a condition with a numeric value. */
bool orr_condition_compares(const struct orr_condition *condition, double value);

/* True if a text meets the condition; `location` is that of its row. Errors: a text that is not a
 * number, if it is compared as one. */
enum orr_status orr_condition_holds(const struct orr_holdout *holdout, const char *text,
                                    const struct orr_location *location, bool *out);

/* Counts both sides. Errors: no row, or every row, is held out. */
enum orr_status orr_holdout_count(const struct orr_holdout *holdout, const bool *held, size_t rows,
                                  struct orr_measured_split *out);

#endif
