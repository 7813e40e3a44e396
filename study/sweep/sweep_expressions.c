/* Expressions of a sweep file: constraints, cost, axes of the front, ranking; see sweep_reading.h.
 */
#include "core/arena.h"
#include "core/conf/conf.h"
#include "study/sweep/sweep_columns.h"
#include "study/sweep/sweep_money.h"
#include "study/sweep/sweep_reading.h"

static enum orr_status read_expr(struct orr_sweep *sweep, const struct orr_conf *node,
                                 const char *text, struct orr_sweep_expr *out,
                                 struct orr_diag *diag)
{
    *out = (struct orr_sweep_expr){
        .text = text, .where = node->path, .place = orr_conf_location(node)};
    return orr_sweep_parse(sweep, out, diag);
}

/* Constraints on results are kept apart: points must have run for them. */
static enum orr_status read_wheres(struct orr_sweep *sweep, const struct orr_conf *where,
                                   const struct orr_conf_list *texts, struct orr_diag *diag)
{
    const char *const *text = texts->values;
    enum orr_status status = ORR_OK;
    sweep->where = orr_arena_array(sweep->arena, texts->count + 1, sizeof *sweep->where);
    sweep->filter = orr_arena_array(sweep->arena, texts->count + 1, sizeof *sweep->filter);
    if (sweep->where == NULL || sweep->filter == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    for (size_t i = 0; i < texts->count && status == ORR_OK; i++) {
        const struct orr_conf *node = where->kind == ORR_CONF_LIST ? where->item[i] : where;
        struct orr_sweep_expr expr;
        status = read_expr(sweep, node, text[i], &expr, diag);
        if (status == ORR_OK && orr_sweep_needs_results(&expr)) {
            sweep->filter[sweep->filters++] = expr;
        } else {
            sweep->where[sweep->wheres++] = expr;
        }
    }
    return status;
}

/* Axes of the front and the ranking: less is better, but for a result of which more is. */
static enum orr_status read_goal(struct orr_sweep *sweep, const struct orr_conf *node,
                                 const char *text, struct orr_sweep_expr *out,
                                 struct orr_diag *diag)
{
    const enum orr_status status = read_expr(sweep, node, text, out, diag);
    out->more = status == ORR_OK && orr_sweep_more_is_better(text);
    return status;
}

static enum orr_status read_goals(struct orr_sweep *sweep, const struct orr_conf *map,
                                  const struct orr_sweep_texts *texts, struct orr_diag *diag)
{
    const char *const *text = texts->front.values;
    const struct orr_conf *front = orr_conf_get(map, "front");
    const struct orr_conf *rank_by = orr_conf_get(map, "rank_by");
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < texts->front.count && status == ORR_OK; i++) {
        status = read_goal(sweep, front->item[i], text[i], &sweep->front[sweep->fronts++], diag);
    }
    return status == ORR_OK && rank_by != NULL
               ? read_goal(sweep, rank_by, texts->rank_by, &sweep->rank_by, diag)
               : status;
}

static enum orr_status read_cost(struct orr_sweep *sweep, const struct orr_conf *cost,
                                 const char *text, struct orr_diag *diag)
{
    sweep->cost = (struct orr_sweep_expr){.text = text,
                                          .where = "sweep.cost",
                                          .place = cost != NULL ? orr_conf_location(cost)
                                                                : orr_location_file(sweep->file)};
    return orr_sweep_parse(sweep, &sweep->cost, diag);
}

enum orr_status orr_sweep_read_expressions(struct orr_sweep *sweep, const struct orr_conf *map,
                                           const struct orr_sweep_texts *texts,
                                           struct orr_diag *diag)
{
    struct orr_sweep_money *money = orr_arena_alloc(sweep->arena, sizeof *money);
    if (money == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    sweep->money = money;
    enum orr_status status = orr_sweep_read_money(texts->prices, money, diag);
    if (status == ORR_OK) {
        status = read_wheres(sweep, orr_conf_get(map, "where"), &texts->where, diag);
    }
    if (status == ORR_OK) {
        status = read_cost(sweep, orr_conf_get(map, "cost"), texts->cost, diag);
    }
    return status == ORR_OK ? read_goals(sweep, map, texts, diag) : status;
}
