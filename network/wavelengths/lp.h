/* Linear and integer programs: the greatest gain . x with least <= A x <= most for every row and
 * least <= x <= most for every column. lp_glpk.c is the only file that knows which solver that is;
 * it is loaded when a program is first opened. The same programs, opened and solved in the same
 * order, have the same solutions. */
#ifndef ORR_NETWORK_WAVELENGTHS_LP_H
#define ORR_NETWORK_WAVELENGTHS_LP_H

#include "core/core.h"

#define LP_NO_BOUND INFINITY

struct lp_range {
    double min, max; /* -LP_NO_BOUND, LP_NO_BOUND: none */
};

struct lp_column {
    struct lp_range range;
    double objective;
    bool is_integer; /* an integer */
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

/* 0: no limit. Steps are those of the simplex method; nodes, of the search for integers. What a
 * limit of time leaves depends on the machine. */
struct lp_limits {
    uint32_t steps, nodes, ms;
};

enum lp_status {
    LP_OPTIMAL,       /* the optimum */
    LP_LIMIT_REACHED, /* a limit was met: the best that was found */
    LP_INFEASIBLE     /* no solution was found, or there is no greatest one */
};

struct lp_result {
    enum lp_status end;
    double objective;
    double bound; /* no solution has more; LP_NO_BOUND: that is not known */
};

struct lp;

/* A copy of the program; close it in any case. Programs of a thread are closed last opened first.
 * Errors: memory; the solver cannot be loaded (input/output) or breaks off (internal), its own lack
 * of memory among the reasons, and all programs of the thread are lost then. */
enum orr_status orr_lp_open(struct lp **out, const struct lp_program *program,
                            struct orr_diag *diag);
void orr_lp_close(struct lp *lp); /* NULL is fine */

/* Another gain for one column. */
void orr_lp_set_objective(struct lp *lp, uint32_t column, double objective);

/* Solves it, from the last solution on. `value` [columns] gets the solution, unless it is
 * LP_INFEASIBLE. Errors as above. Exponential at worst: set limits where that matters. */
enum orr_status orr_lp_solve(struct lp *lp, const struct lp_limits *limits,
                             struct lp_result *result, double *value, struct orr_diag *diag);

#endif
