/* Which dimensions ranks cut of a graph's operators, chosen or given; see graph_cut.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "workload/parallel/graph/graph_cut.h"
#include "workload/strategy/axis_cut.h"
#include "workload/strategy/strategy_file.h"

struct maker {
    struct orr_arena *arena;
    const struct model_graph *graph;
    const struct gen_plan *plan;
    struct orr_diag *diag;
    uint32_t *given; /* [ops] dimensions that patterns name, or AXIS_NOT_GIVEN */
};

/* ---- patterns ---- */

static enum orr_status fail_at(const struct maker *maker, const struct orr_conf *node,
                               const char *text)
{
    const struct orr_location place = orr_conf_location(node);
    return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place, "%s: %s", node->path, text);
}

static enum orr_status fail_pattern(const struct maker *maker, const struct orr_conf *node,
                                    const char *pattern)
{
    const uint32_t ops = maker->graph->ops;
    const char **name = orr_arena_array(maker->arena, (size_t)ops + 1, sizeof *name);
    for (uint32_t i = 0; i < ops && name != NULL; i++) {
        name[i] = maker->graph->op[i].name;
    }
    const char *near = name != NULL ? orr_strategy_nearest(pattern, name, ops) : NULL;
    const struct orr_location place = orr_conf_key_location(node);
    return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                         "%s: the model has no operator \"%s\"%s%s%s", node->path, pattern,
                         near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                         near != NULL ? "\"?" : "");
}

/* Names of the dimensions that tensor-parallel ranks may cut: "tokens, output, input or none". */
static void list_dims(const struct model_op *op, char *text, size_t bytes)
{
    size_t used = 0;
    for (uint32_t d = 1; d < op->dims && used < bytes; d++) {
        if (op->dim[d].experts_per_token == 0) {
            used += (size_t)snprintf(text + used, bytes - used, "\"%s\", ", op->dim[d].name);
        }
    }
    if (used < bytes) {
        (void)snprintf(text + used, bytes - used, "or \"none\"");
    }
}

static enum orr_status set_dim(const struct maker *maker, const struct orr_conf *node,
                               const char *dim, uint32_t index)
{
    const struct model_op *op = &maker->graph->op[index];
    const uint32_t ranks = maker->plan->layout.size[GEN_TENSOR];
    const uint32_t d = orr_model_dim_named(op, dim);
    const bool is_none = strcmp(dim, "none") == 0;
    char names[256], text[512];
    maker->given[index] = is_none ? EXCHANGE_NO_DIM : d;
    if (is_none) {
        return ORR_OK;
    }
    if (d == UINT32_MAX || d == 0 || op->dim[d].experts_per_token > 0) {
        list_dims(op, names, sizeof names);
        (void)snprintf(text, sizeof text, "expected a dimension of operator \"%s\": %s, got \"%s\"",
                       op->name, names, dim);
        return fail_at(maker, node, text);
    }
    if (op->dim[d].size % ranks != 0) {
        (void)snprintf(text, sizeof text,
                       "%u tensor-parallel ranks do not divide \"%s\" of operator \"%s\", %" PRIu64,
                       ranks, dim, op->name, op->dim[d].size);
        return fail_at(maker, node, text);
    }
    return ORR_OK;
}

static enum orr_status read_pattern(const struct maker *maker, const char *pattern,
                                    const struct orr_conf *node)
{
    const char *dim = NULL;
    bool any = false;
    enum orr_status status = orr_conf_text(node, &dim, maker->diag);
    for (uint32_t i = 0; i < maker->graph->ops && status == ORR_OK; i++) {
        if (orr_strategy_matches(pattern, maker->graph->op[i].name)) {
            status = set_dim(maker, node, dim, i);
            any = true;
        }
    }
    return status == ORR_OK && !any ? fail_pattern(maker, node, pattern) : status;
}

static enum orr_status read_patterns(const struct maker *maker)
{
    const struct orr_conf *map = maker->plan->operators;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < maker->graph->ops; i++) {
        maker->given[i] = AXIS_NOT_GIVEN;
    }
    if (map == NULL) {
        return ORR_OK;
    }
    if (map->kind != ORR_CONF_MAP) {
        return orr_conf_expected(map,
                                 "names or patterns of operators with a dimension, such as "
                                 "{\"qkv*\": output}",
                                 maker->diag);
    }
    if (maker->plan->layout.size[GEN_TENSOR] == 1) {
        return fail_at(maker, map,
                       "names what tensor-parallel ranks cut; expected parallel.tensor "
                       "above 1");
    }
    for (size_t i = 0; i < map->count && status == ORR_OK; i++) {
        status = read_pattern(maker, map->key[i], map->item[i]);
    }
    return status;
}

/* ---- axes ---- */

static enum orr_status set_tensor(const struct maker *maker, struct graph_cut *cut)
{
    const uint32_t ops = maker->graph->ops, ranks = maker->plan->layout.size[GEN_TENSOR];
    const struct axis_rule rule = {.model = maker->graph,
                                   .tensor = ranks,
                                   .experts = 1,
                                   .rest = maker->plan->sequence_parallel ? AXIS_WHOLE
                                                                          : AXIS_RATHER_WHOLE,
                                   .given = maker->given};
    struct axis_cut *chosen = orr_arena_array(maker->arena, (size_t)ops + 1, sizeof *chosen);
    bool any = ranks == 1;
    if (chosen == NULL) {
        return orr_diag_no_memory(maker->diag, "parts of operators");
    }
    orr_axis_cut(&rule, chosen);
    for (uint32_t i = 0; i < ops; i++) {
        cut->tensor[i] = ranks > 1 ? chosen[i].dim : EXCHANGE_NO_DIM;
        any = any || cut->tensor[i] != EXCHANGE_NO_DIM;
    }
    return any ? ORR_OK
               : orr_gen_fail(maker->plan->parallel, "tensor", maker->diag,
                              "no operator of the model can be cut in %u equal parts", ranks);
}

static enum orr_status set_context(const struct maker *maker, struct graph_cut *cut)
{
    const uint32_t ranks = maker->plan->layout.size[GEN_CONTEXT];
    for (uint32_t i = 0; i < maker->graph->ops; i++) {
        const struct model_op *op = &maker->graph->op[i];
        const uint32_t d = orr_model_dim_named(op, "tokens");
        const bool is_cut = d != UINT32_MAX && op->dim[d].size % ranks == 0;
        cut->context[i] = ranks > 1 ? d : EXCHANGE_NO_DIM;
        if (ranks > 1 && !is_cut && orr_axis_experts(op) == 0) {
            return orr_gen_fail(maker->plan->parallel, "context", maker->diag,
                                "operator \"%s\" cannot be cut by tokens in %u equal parts",
                                op->name, ranks);
        }
    }
    return ORR_OK;
}

/* An operator without experts behind such a one is of the same slices. */
static uint32_t slices_behind(const struct graph_cut *cut, uint32_t op)
{
    const struct model_op *of = &cut->graph->op[op];
    const struct model_edge *edge = &cut->graph->edge[of->first_edge];
    const uint32_t before = of->edges == 1 ? cut->expert[edge->from] : 0;
    const struct model_dim *given = &cut->graph->op[edge->from].dim[before];
    for (uint32_t d = 1; d < of->dims && before != 0; d++) {
        const struct model_cut *needs = orr_model_cut(&of->dim[d], edge);
        if (given->gives == MODEL_GIVES_SLICE && needs->needs == MODEL_NEEDS_SLICE &&
            needs->axis == given->axis) {
            return d;
        }
    }
    return 0;
}

static enum orr_status set_experts(const struct maker *maker, struct graph_cut *cut)
{
    const uint32_t ranks = maker->plan->layout.size[GEN_EXPERT];
    bool any = ranks == 1;
    for (uint32_t i = 0; i < maker->graph->ops; i++) {
        const struct model_op *op = &maker->graph->op[i];
        const uint64_t experts = orr_axis_experts(op);
        cut->expert[i] = slices_behind(cut, i);
        for (uint32_t d = 0; d < op->dims; d++) {
            cut->expert[i] = op->dim[d].experts_per_token > 0 ? d : cut->expert[i];
        }
        any = any || experts > 0;
        if (experts % ranks != 0) {
            return orr_gen_fail(maker->plan->parallel, "expert", maker->diag,
                                "%u ranks do not divide the %" PRIu64 " experts of operator \"%s\"",
                                ranks, experts, op->name);
        }
    }
    return any ? ORR_OK
               : orr_gen_fail(maker->plan->parallel, "expert", maker->diag,
                              "the model has no experts to spread; expected 1, got %u", ranks);
}

/* ---- all ---- */

static struct graph_cut *make(const struct maker *maker)
{
    const size_t ops = (size_t)maker->graph->ops + 1;
    struct graph_cut *cut = orr_arena_alloc(maker->arena, sizeof *cut);
    if (cut == NULL) {
        return NULL;
    }
    *cut = (struct graph_cut){.graph = maker->graph,
                              .plan = maker->plan,
                              .tensor = orr_arena_array(maker->arena, ops, sizeof(uint32_t)),
                              .context = orr_arena_array(maker->arena, ops, sizeof(uint32_t)),
                              .expert = orr_arena_array(maker->arena, ops, sizeof(uint32_t))};
    return cut->tensor != NULL && cut->context != NULL && cut->expert != NULL ? cut : NULL;
}

enum orr_status orr_graph_cut_create(struct orr_arena *arena, const struct model_graph *graph,
                                     const struct gen_plan *plan, const struct graph_cut **out,
                                     struct orr_diag *diag)
{
    struct maker maker = {arena, graph, plan, diag,
                          orr_arena_array(arena, (size_t)graph->ops + 1, sizeof(uint32_t))};
    struct graph_cut *cut = make(&maker);
    const uint32_t *size = plan->layout.size;
    *out = NULL;
    if (maker.given == NULL || cut == NULL) {
        return orr_diag_no_memory(diag, "parts of operators");
    }
    enum orr_status status = read_patterns(&maker);
    if (size[GEN_TENSOR] == 1 && size[GEN_CONTEXT] == 1 && size[GEN_EXPERT] == 1) {
        return status; /* nothing is cut */
    }
    if (status == ORR_OK) {
        status = set_experts(&maker, cut);
    }
    if (status == ORR_OK) {
        status = set_context(&maker, cut);
    }
    if (status == ORR_OK) {
        status = set_tensor(&maker, cut);
    }
    *out = status == ORR_OK ? cut : NULL;
    return status;
}
