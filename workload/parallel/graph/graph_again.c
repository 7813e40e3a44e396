/* Operators that are computed again; see graph_again.h. */
#include "workload/parallel/graph/graph_again.h"

#include "core/arena.h"
#include "core/diag.h"
#include "workload/strategy/strategy_file.h"

static const char key[] = "recompute_operators";

static enum orr_status fail_pattern(struct orr_arena *arena, const struct model_graph *graph,
                                    const struct gen_plan *plan, const char *pattern,
                                    struct orr_diag *diag)
{
    const char **name = orr_arena_array(arena, (size_t)graph->ops + 1, sizeof *name);
    for (uint32_t i = 0; i < graph->ops && name != NULL; i++) {
        name[i] = graph->op[i].name;
    }
    const char *near = name != NULL ? orr_strategy_nearest(pattern, name, graph->ops) : NULL;
    return orr_gen_fail(plan->training, key, diag, "the model has no operator \"%s\"%s%s%s",
                        pattern, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                        near != NULL ? "\"?" : "");
}

static bool mark(const struct model_graph *graph, const char *pattern, bool *again)
{
    bool any = false;
    for (uint32_t i = 0; i < graph->ops; i++) {
        if (orr_strategy_matches(pattern, graph->op[i].name)) {
            again[i] = any = true;
        }
    }
    return any;
}

/* An output that another layer keeps cannot be dropped. */
static enum orr_status check_users(const struct model_graph *graph, const struct gen_plan *plan,
                                   const bool *again, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < graph->ops; i++) {
        const struct model_op *op = &graph->op[i];
        for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
            const struct model_op *from = &graph->op[graph->edge[e].from];
            if (again[graph->edge[e].from] && from->layer != op->layer) {
                return orr_gen_fail(plan->training, key, diag,
                                    "\"%s\" is used by \"%s\" outside of its layer; expected "
                                    "operators that only operators of their layer use",
                                    from->name, op->name);
            }
        }
        if (again[i] && op->table) {
            return orr_gen_fail(plan->training, key, diag,
                                "\"%s\" is a table, whose rows are looked up once", op->name);
        }
    }
    return ORR_OK;
}

enum orr_status orr_graph_again_create(struct orr_arena *arena, const struct model_graph *graph,
                                       const struct gen_plan *plan, const bool **out,
                                       struct orr_diag *diag)
{
    const char *const *pattern = plan->recompute_operators.values;
    *out = NULL;
    if (plan->recompute != GEN_RECOMPUTE_SELECTIVE) {
        return ORR_OK;
    }
    bool *again = orr_arena_array(arena, (size_t)graph->ops + 1, sizeof *again);
    if (again == NULL) {
        return orr_diag_no_memory(diag, "operators that are computed again");
    }
    for (size_t i = 0; i < plan->recompute_operators.count; i++) {
        if (!mark(graph, pattern[i], again)) {
            return fail_pattern(arena, graph, plan, pattern[i], diag);
        }
    }
    *out = again;
    return check_users(graph, plan, again, diag);
}
