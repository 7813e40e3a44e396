/* Linear and integer programs: maximize objective . x, subject to min <= A x <= max for every row
 * and min <= x <= max for every column. Only lp_glpk.c depends on the solver, which is loaded when
 * the first program is opened. Programs that are opened and solved in the same order have the same
 * solutions. */
#ifndef ORR_NETWORK_LP_LP_H
#define ORR_NETWORK_LP_LP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct orr_diag;

#define LP_NO_BOUND INFINITY

struct lp_range {
    double min, max; /* -LP_NO_BOUND, LP_NO_BOUND: none */
};

struct lp_column {
    struct lp_range range;
    double objective;
    bool is_integer; /* x is an integer */
};

struct lp_entry {
    uint32_t row, column; /* each pair at most once */
    double value;
};

struct lp_program {
    uint32_t rows, columns, entries;
    const struct lp_range *row;
    const struct lp_column *column;
    const struct lp_entry *entry;
};

/* Limits; 0: none. Steps of the simplex method, nodes of the branch and bound. The result of a time
 * limit depends on the machine. */
struct lp_limits {
    uint32_t steps, nodes, ms;
};

enum lp_status {
    LP_OPTIMAL,       /* the optimum */
    LP_LIMIT_REACHED, /* a limit was met: the best solution found */
    LP_INFEASIBLE     /* no solution, or unbounded */
};

struct lp_result {
    enum lp_status end;
    double objective;
    double bound; /* upper bound of all solutions; LP_NO_BOUND: not known */
};

struct lp;

/* Opens a copy of the program; close it in any case, last opened first within a thread. Errors:
 * memory; the solver cannot be loaded (input/output), or aborts (internal), e.g. for lack of
 * memory; then all programs of the thread are lost. */
enum orr_status orr_lp_open(struct lp **out, const struct lp_program *program,
                            struct orr_diag *diag);
void orr_lp_close(struct lp *lp); /* NULL is fine */

/* Sets the objective coefficient of a column. */
void orr_lp_set_objective(struct lp *lp, uint32_t column, double objective);

/* Adds a column; its `entries` are of its rows, their member `column` is ignored. The solution so
 * far stays feasible if 0 is in its range. Errors as above. */
enum orr_status orr_lp_add_column(struct lp *lp, const struct lp_column *column,
                                  const struct lp_entry *entry, uint32_t entries,
                                  struct orr_diag *diag);

/* The dual value of a row after an optimum of a program without integers: how much the objective
 * gains if the row's active bound is raised by one. */
double orr_lp_row_dual(struct lp *lp, uint32_t row);

/* Solves the program, starting from the last solution. value[columns], added ones included, gets
 * the solution, unless LP_INFEASIBLE. Errors as above. Exponential at worst: set limits if that
 * matters. */
enum orr_status orr_lp_solve(struct lp *lp, const struct lp_limits *limits,
                             struct lp_result *result, double *value, struct orr_diag *diag);

#endif
