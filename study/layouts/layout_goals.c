/* Expressions of a search for layouts; see layout_goals.h. */
#include "study/layouts/layout_goals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/strings.h"
#include "orrery/layouts.h"
#include "report/results/result.h"
#include "sim/expr/expr.h"
#include "study/layouts/layout_study.h"

enum { MAX_NAMES = 64 };

/* Other names of results. */
static const char *const alias[][2] = {{"MFU", "model_flops_utilization"}, {"time", "time_s"}};
/* Results of which more is better. */
static const char *const more[] = {"tokens_per_s", "model_flops_utilization", "MFU",
                                   "memory_left_bytes"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- names ---- */

struct needs {
    const struct orrery_layout_search *search;
};

/* What a result needs that is not given; NULL: nothing. */
static const char *lacking(const struct orrery_layout_search *search, const char *name)
{
    const struct {
        const char *name;
        bool tokens, price, power, energy;
    } needed[] = {{"days", true, false, false, false},
                  {"cost", true, true, false, false},
                  {"dollars_per_million_tokens", false, true, false, false},
                  {"kwh", true, false, true, false},
                  {"energy_dollars", true, false, true, true}};
    for (size_t i = 0; i < COUNT(needed); i++) {
        if (strcmp(name, needed[i].name) == 0) {
            return needed[i].tokens && !(search->tokens > 0)                ? "tokens: 15e12"
                   : needed[i].price && !(search->dollars_per_gpu_hour > 0) ? "price: 2.95 $/h"
                   : needed[i].power && !(search->watts_per_gpu > 0)        ? "gpu power: 700 W"
                   : needed[i].energy && !(search->dollars_per_kwh > 0) ? "energy price: 0.08 $/kWh"
                                                                        : NULL;
        }
    }
    return NULL;
}

static bool is_number(const struct orr_result *result)
{
    return result->type != ORR_RESULT_TEXT && result->type != ORR_RESULT_LIST;
}

static int find(void *context, const char *name, char *why, size_t bytes)
{
    const struct needs *needs = context;
    const char *names[MAX_NAMES];
    char suggestion[ORR_SUGGESTION_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(alias); i++) {
        name = strcmp(name, alias[i][0]) == 0 ? alias[i][1] : name;
    }
    const char *lacks = lacking(needs->search, name);
    if (lacks != NULL) {
        (void)snprintf(why, bytes, "%s needs what is not given, such as the %s", name, lacks);
        return -1;
    }
    for (size_t i = 0; i < orr_best_layout_results.count; i++) {
        const struct orr_result *result = &orr_best_layout_results.results[i];
        if (is_number(result) && strcmp(result->name, name) == 0) {
            return (int)i;
        }
        if (is_number(result) && count < MAX_NAMES) {
            names[count++] = result->name;
        }
    }
    (void)orr_suggest_name(name, names, count, suggestion, sizeof suggestion);
    (void)snprintf(why, bytes, "unknown name \"%s\"%s", name,
                   *suggestion != '\0' ? suggestion
                                       : "; expected a result of a layout, such as time_s, "
                                         "tokens_per_s, memory_bytes, npus, days or cost");
    return -1;
}

static bool get(const void *context, int name, struct orr_expr_value *out, char *why, size_t bytes)
{
    const struct orr_result *result = &orr_best_layout_results.results[name];
    const struct orr_value value = orr_result_value(result, context);
    *out = (struct orr_expr_value){.number = value.kind == ORR_VALUE_REAL ? value.real
                                                                          : (double)value.integer};
    (void)snprintf(why, bytes, "the layout has no %s", result->name);
    return value.kind != ORR_VALUE_NONE && isfinite(out->number);
}

/* ---- reading ---- */

static enum orr_status read_goal(struct orr_arena *arena, struct needs *needs, const char *where,
                                 const char *text, struct orr_layout_goal *goal,
                                 struct orr_diag *diag)
{
    const struct orr_expr_names names = {.find = find, .context = needs};
    struct orr_expr_error error;
    *goal = (struct orr_layout_goal){.text = orr_arena_strdup(arena, text)};
    if (goal->text == NULL) {
        return orr_diag_no_memory(diag, "an expression");
    }
    goal->expr = orr_expr_parse(arena, goal->text, &names, &error);
    if (goal->expr == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: %s\n  %s\n  %*s", where, error.message,
                             text, (int)error.column, "^");
    }
    for (size_t i = 0; i < COUNT(more); i++) {
        goal->more = goal->more || strcmp(text, more[i]) == 0;
    }
    return ORR_OK;
}

enum orr_status orr_layout_goals_read(struct orr_arena *arena,
                                      const struct orrery_layout_search *search,
                                      struct orr_layout_goals *goals, struct orr_diag *diag)
{
    struct needs needs = {search};
    enum orr_status status = ORR_OK;
    *goals = (struct orr_layout_goals){.wheres = 0};
    if (search->wheres > ORR_LAYOUT_MAX_WHERES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "where: expected at most %d limits",
                             ORR_LAYOUT_MAX_WHERES);
    }
    if (search->fronts == 1 || search->fronts > ORR_LAYOUT_MAX_FRONT) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "front: expected two or three results, such as "
                             "time_s,memory_bytes, got %zu",
                             search->fronts);
    }
    for (size_t i = 0; i < search->wheres && status == ORR_OK; i++) {
        status = read_goal(arena, &needs, "where", search->where[i], &goals->where[goals->wheres++],
                           diag);
    }
    for (size_t i = 0; i < search->fronts && status == ORR_OK; i++) {
        status = read_goal(arena, &needs, "front", search->front[i], &goals->front[goals->fronts++],
                           diag);
    }
    return status == ORR_OK && search->rank_by != NULL
               ? read_goal(arena, &needs, "rank by", search->rank_by, &goals->rank_by, diag)
               : status;
}

/* ---- values ---- */

static bool evaluate(const struct orr_expr *expr, const struct orr_best_layout *layout,
                     double *number)
{
    const struct orr_expr_values values = {.get = get, .context = layout};
    struct orr_expr_value value;
    struct orr_expr_error error;
    const bool known = orr_expr_eval(expr, &values, &value, &error) && value.text == NULL;
    *number = known ? value.number : INFINITY;
    return known;
}

/* How far the larger side of a comparison that fails is above the smaller one. */
static double excess_of(const struct orr_expr *expr, const struct orr_best_layout *layout)
{
    const struct orr_expr *left, *right;
    double a, b;
    if (!orr_expr_sides(expr, &left, &right) || !evaluate(left, layout, &a) ||
        !evaluate(right, layout, &b)) {
        return -1;
    }
    const double least = fmin(fabs(a), fabs(b));
    return least > 0 ? fabs(a - b) / least : INFINITY;
}

bool orr_layout_meets(const struct orr_layout_goal *where, const struct orr_best_layout *layout,
                      double *excess)
{
    double value;
    const bool meets = evaluate(where->expr, layout, &value) && value != 0;
    *excess = meets ? 0 : excess_of(where->expr, layout);
    return meets;
}

double orr_layout_goal_value(const struct orr_layout_goal *goal,
                             const struct orr_best_layout *layout)
{
    double value;
    return !evaluate(goal->expr, layout, &value) ? INFINITY : goal->more ? -value : value;
}

double orr_layout_rank(const struct orr_layout_goals *goals, const struct orr_best_layout *layout)
{
    if (goals->rank_by.expr != NULL) {
        return orr_layout_goal_value(&goals->rank_by, layout);
    }
    const double units = layout->batch_tokens > 0 ? layout->batch_tokens : layout->batch;
    return layout->time_s / (units > 0 ? units : 1);
}
