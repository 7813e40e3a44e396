/* Expression tree, built by expr_parse.c and evaluated by expr_eval.c. */
#ifndef ORR_SIM_EXPR_EXPR_PRIVATE_H
#define ORR_SIM_EXPR_EXPR_PRIVATE_H

#include "sim/expr/expr.h"

enum orr_expr_op {
    ORR_EXPR_CONSTANT,
    ORR_EXPR_NAME,
    ORR_EXPR_CHOOSE, /* a ? b : c */
    ORR_EXPR_OR,
    ORR_EXPR_AND,
    ORR_EXPR_EQUAL,
    ORR_EXPR_UNEQUAL,
    ORR_EXPR_LESS,
    ORR_EXPR_LESS_EQUAL,
    ORR_EXPR_GREATER,
    ORR_EXPR_GREATER_EQUAL,
    ORR_EXPR_ADD,
    ORR_EXPR_SUBTRACT,
    ORR_EXPR_MULTIPLY,
    ORR_EXPR_DIVIDE,
    ORR_EXPR_REMAINDER,
    ORR_EXPR_NOT,
    ORR_EXPR_MINUS,
    ORR_EXPR_MIN,
    ORR_EXPR_MAX,
    ORR_EXPR_FLOOR,
    ORR_EXPR_CEIL,
    ORR_EXPR_SQRT,
    ORR_EXPR_LOG2
};

struct orr_expr {
    enum orr_expr_op op;
    unsigned column;             /* of the operator, name or constant */
    struct orr_expr_value value; /* CONSTANT */
    int name;                    /* NAME */
    const struct orr_expr *a, *b, *c;
};

#endif
