/* Which rows of measured tables are fitted, and which are held out to test the fit: rules as users
 * write them. Those who have rows find the columns that rules name.
 *
 *     orr_holdout_read -> orr_condition_holds (each row) -> orr_holdout_count
 */
#ifndef ORR_STUDY_MEASURED_HOLDOUT_H
#define ORR_STUDY_MEASURED_HOLDOUT_H

#include "core/core.h"

/* A condition on a column: NAME, NAME>VALUE. */
struct orr_condition {
    const char *name, *value;
    enum {
        ORR_IS_SET, /* a value but 0, no, false and fit */
        ORR_LESS,
        ORR_MORE,
        ORR_AT_MAX,
        ORR_AT_LEAST,
        ORR_EQUAL
    } how;
    bool has_number; /* the value is one */
    double number;
};

struct orr_holdout {
    const char *rule; /* "": nothing is held out */
    struct orr_diag *diag;
    enum { ORR_HOLD_NONE, ORR_HOLD_EVERY, ORR_HOLD_COLUMN } kind;
    uint64_t step; /* EVERY: rows 0, step, 2 step, ... are fitted */
    struct orr_condition condition;
};

/* What is fitted, and what is held out to test it. */
struct orr_measured_split {
    const bool *held; /* [rows] */
    size_t fitted, tested;
};

/* ORR_ERR_INPUT that names the rule. */
#define orr_holdout_fail(holdout, format, ...)                                                     \
    orr_diag_fail((holdout)->diag, ORR_ERR_INPUT, NULL, "holdout \"%s\": " format,                 \
                  (holdout)->rule, __VA_ARGS__)

/* Reads a rule (NULL: none): every:N, column:NAME, column:NAME>VALUE (<, >=, <=, =). */
enum orr_status orr_holdout_read(const char *rule, struct orr_arena *arena, struct orr_holdout *out,
                                 struct orr_diag *diag);

/* The error that none of the columns has the name. */
enum orr_status orr_holdout_no_column(const struct orr_holdout *holdout, const char *const *column,
                                      size_t columns);

/* The error that the condition's value is no number, where one is to be compared with. */
enum orr_status orr_holdout_no_number(const struct orr_holdout *holdout);

/* Whether a number meets the condition, of which the value is one. */
bool orr_condition_compares(const struct orr_condition *condition, double value);

/* Whether a text does; `place` is its row's. Errors: a text that is no number, where it is compared
 * as one. */
enum orr_status orr_condition_holds(const struct orr_holdout *holdout, const char *text,
                                    const struct orr_location *location, bool *out);

/* Counts both sides. Errors: a rule by which none is held out, or all are. */
enum orr_status orr_holdout_count(const struct orr_holdout *holdout, const bool *held, size_t rows,
                                  struct orr_measured_split *out);

#endif
