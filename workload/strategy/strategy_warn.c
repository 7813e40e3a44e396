/* Warnings of strategies that are valid but probably not intended; see strategy_check.h. */
#include <inttypes.h>
#include <stdio.h>

#include "core/conf/conf.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy_check.h"

/* A dimension in which an operator is split. */
struct split_dim {
    const struct model_dim *dim; /* NULL: none */
    uint32_t degree;
};

/* The dimension whose parts each give a slice of an axis of the output. */
static struct split_dim producer_split(const struct strategy *strategy, const struct model_op *op,
                                       uint32_t number)
{
    const uint32_t *degree = orr_strategy_degrees(strategy, number);
    for (uint32_t d = 1; d < op->dims; d++) {
        if (degree[d] > 1 && op->dim[d].gives == MODEL_GIVES_SLICE) {
            return (struct split_dim){&op->dim[d], degree[d]};
        }
    }
    return (struct split_dim){NULL, 1};
}

/* Whether an operator is split in as many parts that each need a slice of that axis of an input. */
static bool needs_slices(const struct strategy *strategy, const struct model_op *op,
                         uint32_t number, const struct model_edge *edge, struct split_dim split)
{
    const uint32_t *degree = orr_strategy_degrees(strategy, number);
    for (uint32_t d = 1; d < op->dims; d++) {
        const struct model_cut *cut = orr_model_cut(&op->dim[d], edge);
        if (degree[d] == split.degree && cut->needs == MODEL_NEEDS_SLICE &&
            cut->axis == split.dim->axis) {
            return true;
        }
    }
    return false;
}

/* The dimension in which the operator in between could pass on slices of the axis, if it is split
 * at most by samples; NULL: none, or it is split. */
static const struct model_dim *unused_dim(const struct strategy *strategy,
                                          const struct model_op *op, uint32_t number,
                                          struct split_dim split)
{
    const uint32_t *degree = orr_strategy_degrees(strategy, number);
    const struct model_dim *found = NULL;
    for (uint32_t d = 1; d < op->dims; d++) {
        const struct model_dim *dim = &op->dim[d];
        const struct model_cut *cut = &dim->cut[MODEL_FIRST_INPUT];
        if (degree[d] > 1) {
            return NULL;
        }
        if (dim->gives == MODEL_GIVES_SLICE && dim->axis == split.dim->axis &&
            cut->needs == MODEL_NEEDS_SLICE && cut->axis == split.dim->axis &&
            dim->size >= split.degree) {
            found = dim;
        }
    }
    return found;
}

/* The first of `count` unsplit operators between two operators of the same split. */
struct regathered {
    uint32_t count;
    uint32_t before, between, after; /* indices of operators */
    const struct model_dim *dim;     /* of the operator in between */
    uint32_t degree;
};

/* Adds the edge's producer if it is unsplit between two operators of the same split. */
static void check_edge(const struct model_graph *model, const struct strategy *strategy,
                       uint32_t after, const struct model_edge *edge, struct regathered *found)
{
    const struct model_op *middle = &model->op[edge->from];
    if (middle->edges != 1) {
        return;
    }
    const uint32_t before = model->edge[middle->first_edge].from;
    const struct split_dim split = producer_split(strategy, &model->op[before], before);
    const struct model_dim *dim =
        split.dim != NULL ? unused_dim(strategy, middle, edge->from, split) : NULL;
    if (dim == NULL || !needs_slices(strategy, &model->op[after], after, edge, split)) {
        return;
    }
    if (found->count == 0) {
        *found = (struct regathered){0, before, edge->from, after, dim, split.degree};
    }
    found->count++;
}

void orr_strategy_warn_regathered(const struct model_graph *model, const struct strategy *strategy,
                                  struct orr_diag *diag)
{
    struct regathered found = {.count = 0};
    for (uint32_t op = 0; op < model->ops; op++) {
        for (uint32_t e = 0; e < model->op[op].edges; e++) {
            check_edge(model, strategy, op, &model->edge[model->op[op].first_edge + e], &found);
        }
    }
    if (found.count == 0) {
        return;
    }
    char others[48] = "";
    if (found.count > 1) {
        (void)snprintf(others, sizeof others, " (and %" PRIu32 " more like it)", found.count - 1);
    }
    const struct orr_location location =
        strategy->file != NULL ? orr_conf_location(strategy->file) : orr_location_none();
    orr_diag_warn(diag, &location,
                  "operator \"%s\" is whole between \"%s\" and \"%s\", which are both split in "
                  "%" PRIu32 ": its input is gathered and its output scattered again; split: {%s: "
                  "%" PRIu32 "} would leave the slices where they are%s",
                  model->op[found.between].name, model->op[found.before].name,
                  model->op[found.after].name, found.degree, found.dim->name, found.degree, others);
}
