/* Evaluation of expressions; see expr.h. A chain such as 1+1+1+... is as deep as it is long;
 * the parser limits the length. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "sim/expr/expr_private.h"

struct evaluation {
    const struct orr_expr_values *values;
    struct orr_expr_error *error;
};

static bool fail(const struct evaluation *evaluation, const struct orr_expr *at,
                 const char *message)
{
    evaluation->error->column = at->column;
    (void)snprintf(evaluation->error->message, sizeof evaluation->error->message, "%s", message);
    return false;
}

static bool eval(const struct evaluation *evaluation, const struct orr_expr *expr,
                 struct orr_expr_value *out);

/* ---- units ---- */

const char *orr_expr_unit_text(struct orr_expr_unit unit, char *out)
{
    const struct {
        const char *name;
        int power;
    } parts[] = {{"bytes", unit.bytes}, {"operations", unit.operations}, {"s", unit.seconds}};
    size_t used = 0;
    out[0] = '\0';
    for (size_t over = 0; over < 2; over++) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            const int power = over == 0 ? parts[i].power : -parts[i].power;
            if (power > 0 && used < ORR_EXPR_UNIT_BYTES) {
                used += (size_t)snprintf(out + used, ORR_EXPR_UNIT_BYTES - used, "%s%s",
                                         over != 0   ? used == 0 ? "1/" : "/"
                                         : used != 0 ? " "
                                                     : "",
                                         parts[i].name);
            }
            if (power > 1 && used < ORR_EXPR_UNIT_BYTES) {
                used += (size_t)snprintf(out + used, ORR_EXPR_UNIT_BYTES - used, "^%d", power);
            }
        }
    }
    if (used == 0) {
        (void)snprintf(out, ORR_EXPR_UNIT_BYTES, "no unit");
    }
    return out;
}

static bool same_unit(struct orr_expr_unit a, struct orr_expr_unit b)
{
    return a.bytes == b.bytes && a.operations == b.operations && a.seconds == b.seconds;
}

/* Fails if units are checked and two numbers do not have the same; 0 has any. */
static bool check_units(const struct evaluation *evaluation, const struct orr_expr *at,
                        const struct orr_expr_value *a, const struct orr_expr_value *b)
{
    char message[64 + 2 * ORR_EXPR_UNIT_BYTES], first[ORR_EXPR_UNIT_BYTES],
        second[ORR_EXPR_UNIT_BYTES];
    if (!evaluation->values->units || same_unit(a->unit, b->unit) || a->number == 0 ||
        b->number == 0) {
        return true;
    }
    (void)snprintf(message, sizeof message, "expected values of one unit, got %s and %s",
                   orr_expr_unit_text(a->unit, first), orr_expr_unit_text(b->unit, second));
    return fail(evaluation, at, message);
}

/* The unit of a sum, product or function of one or two numbers. */
static struct orr_expr_unit unit_of(enum orr_expr_op op, const struct orr_expr_value *a,
                                    const struct orr_expr_value *b)
{
    const struct orr_expr_unit none = {0}, first = a->unit, second = b->unit;
    const int sign = op == ORR_EXPR_DIVIDE ? -1 : 1;
    switch (op) {
    case ORR_EXPR_MULTIPLY:
    case ORR_EXPR_DIVIDE:
        return (struct orr_expr_unit){first.bytes + sign * second.bytes,
                                      first.operations + sign * second.operations,
                                      first.seconds + sign * second.seconds};
    case ORR_EXPR_SQRT:
        return (struct orr_expr_unit){first.bytes / 2, first.operations / 2, first.seconds / 2};
    case ORR_EXPR_ADD:
    case ORR_EXPR_SUBTRACT:
    case ORR_EXPR_REMAINDER:
    case ORR_EXPR_MIN:
    case ORR_EXPR_MAX:
        return a->number == 0 ? second : first;
    case ORR_EXPR_MINUS:
    case ORR_EXPR_FLOOR:
    case ORR_EXPR_CEIL:
        return first;
    default:
        return none;
    }
}

static bool eval_value(const struct evaluation *evaluation, const struct orr_expr *expr,
                       struct orr_expr_value *out)
{
    if (!eval(evaluation, expr, out)) {
        return false;
    }
    if (out->text != NULL) {
        char message[128];
        (void)snprintf(message, sizeof message, "expected a number, got the text \"%.80s\"",
                       out->text);
        return fail(evaluation, expr, message);
    }
    return true;
}

static bool eval_number(const struct evaluation *evaluation, const struct orr_expr *expr,
                        double *out)
{
    struct orr_expr_value value;
    if (!eval_value(evaluation, expr, &value)) {
        return false;
    }
    *out = value.number;
    return true;
}

static bool eval_name(const struct evaluation *evaluation, const struct orr_expr *expr,
                      struct orr_expr_value *out)
{
    char why[sizeof evaluation->error->message] = "";
    const struct orr_expr_values *values = evaluation->values;
    return values->get(values->context, expr->name, out, why, sizeof why) ||
           fail(evaluation, expr, why);
}

static bool eval_equal(const struct evaluation *evaluation, const struct orr_expr *expr,
                       struct orr_expr_value *out)
{
    struct orr_expr_value a, b;
    if (!eval(evaluation, expr->a, &a) || !eval(evaluation, expr->b, &b)) {
        return false;
    }
    const bool texts = a.text != NULL && b.text != NULL;
    const bool equal = texts ? strcmp(a.text, b.text) == 0
                             : a.text == NULL && b.text == NULL && a.number == b.number;
    out->number = equal == (expr->op == ORR_EXPR_EQUAL);
    return true;
}

/* && || ?: */
static bool eval_logic(const struct evaluation *evaluation, const struct orr_expr *expr,
                       struct orr_expr_value *out)
{
    double a = 0, b = 0;
    if (!eval_number(evaluation, expr->a, &a)) {
        return false;
    }
    if (expr->op == ORR_EXPR_CHOOSE) {
        return eval(evaluation, a != 0 ? expr->b : expr->c, out);
    }
    out->number = expr->op == ORR_EXPR_OR;
    if ((a != 0) == (expr->op == ORR_EXPR_OR)) {
        return true;
    }
    if (!eval_number(evaluation, expr->b, &b)) {
        return false;
    }
    out->number = b != 0;
    return true;
}

static double compare(enum orr_expr_op op, double a, double b)
{
    switch (op) {
    case ORR_EXPR_LESS:
        return a < b;
    case ORR_EXPR_LESS_EQUAL:
        return a <= b;
    case ORR_EXPR_GREATER:
        return a > b;
    default:
        return a >= b;
    }
}

static double compute(enum orr_expr_op op, double a, double b)
{
    switch (op) {
    case ORR_EXPR_ADD:
        return a + b;
    case ORR_EXPR_SUBTRACT:
        return a - b;
    case ORR_EXPR_MULTIPLY:
        return a * b;
    case ORR_EXPR_DIVIDE:
        return a / b;
    case ORR_EXPR_REMAINDER:
        return fmod(a, b);
    case ORR_EXPR_MIN:
        return a < b ? a : b;
    case ORR_EXPR_MAX:
        return a > b ? a : b;
    default:
        return compare(op, a, b);
    }
}

static double apply(enum orr_expr_op op, double a)
{
    switch (op) {
    case ORR_EXPR_NOT:
        return a == 0;
    case ORR_EXPR_MINUS:
        return -a;
    case ORR_EXPR_FLOOR:
        return floor(a);
    case ORR_EXPR_CEIL:
        return ceil(a);
    case ORR_EXPR_SQRT:
        return sqrt(a);
    default:
        return log2(a);
    }
}

static bool eval_arithmetic(const struct evaluation *evaluation, const struct orr_expr *expr,
                            struct orr_expr_value *out)
{
    struct orr_expr_value a, b = {0};
    if (!eval_value(evaluation, expr->a, &a) ||
        (expr->b != NULL && !eval_value(evaluation, expr->b, &b))) {
        return false;
    }
    const bool scales = expr->op == ORR_EXPR_MULTIPLY || expr->op == ORR_EXPR_DIVIDE;
    if (b.number == 0 && (expr->op == ORR_EXPR_DIVIDE || expr->op == ORR_EXPR_REMAINDER)) {
        return fail(evaluation, expr, "division by zero");
    }
    if (expr->b != NULL && !scales && !check_units(evaluation, expr, &a, &b)) {
        return false;
    }
    out->number =
        expr->b != NULL ? compute(expr->op, a.number, b.number) : apply(expr->op, a.number);
    out->unit = unit_of(expr->op, &a, &b);
    return isfinite(out->number) || fail(evaluation, expr, "the result is not a finite number");
}

static bool eval(const struct evaluation *evaluation, const struct orr_expr *expr,
                 struct orr_expr_value *out)
{
    *out = (struct orr_expr_value){0};
    switch (expr->op) {
    case ORR_EXPR_CONSTANT:
        *out = expr->value;
        return true;
    case ORR_EXPR_NAME:
        return eval_name(evaluation, expr, out);
    case ORR_EXPR_CHOOSE:
    case ORR_EXPR_OR:
    case ORR_EXPR_AND:
        return eval_logic(evaluation, expr, out);
    case ORR_EXPR_EQUAL:
    case ORR_EXPR_UNEQUAL:
        return eval_equal(evaluation, expr, out);
    default:
        return eval_arithmetic(evaluation, expr, out);
    }
}

bool orr_expr_eval(const struct orr_expr *expr, const struct orr_expr_values *values,
                   struct orr_expr_value *out, struct orr_expr_error *error)
{
    const struct evaluation evaluation = {.values = values, .error = error};
    return eval(&evaluation, expr, out);
}

bool orr_expr_uses(const struct orr_expr *expr, bool (*visit)(void *context, int name),
                   void *context)
{
    if (expr == NULL) {
        return false;
    }
    return (expr->op == ORR_EXPR_NAME && visit(context, expr->name)) ||
           orr_expr_uses(expr->a, visit, context) || orr_expr_uses(expr->b, visit, context) ||
           orr_expr_uses(expr->c, visit, context);
}

void orr_expr_read_value(const char *text, struct orr_expr_value *out)
{
    sim_time ps;
    uint64_t bytes;
    *out = (struct orr_expr_value){0};
    if (orr_parse_number(text, &out->number)) {
        return;
    }
    if (orr_parse_bandwidth(text, &out->number)) {
        out->unit = (struct orr_expr_unit){.bytes = 1, .seconds = -1};
    } else if (orr_parse_compute_rate(text, &out->number)) {
        out->unit = (struct orr_expr_unit){.operations = 1, .seconds = -1};
    } else if (orr_parse_bytes(text, &bytes)) {
        out->number = (double)bytes;
        out->unit.bytes = 1;
    } else if (orr_parse_time(text, &ps)) {
        out->number = (double)ps * 1e-12;
        out->unit.seconds = 1;
    } else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        out->number = text[0] == 't';
    } else {
        out->text = text;
    }
}

bool orr_expr_sides(const struct orr_expr *expr, const struct orr_expr **left,
                    const struct orr_expr **right)
{
    *left = expr->a;
    *right = expr->b;
    return expr->op == ORR_EXPR_LESS || expr->op == ORR_EXPR_LESS_EQUAL ||
           expr->op == ORR_EXPR_GREATER || expr->op == ORR_EXPR_GREATER_EQUAL;
}
