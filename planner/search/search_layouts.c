/* Layouts as start strategies; see search_layouts.h. */
#include "planner/search/search_layouts.h"

#include "core/arena.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/axis_cut.h"

/* ---- the layouts of a model ---- */

static uint32_t most_experts(const struct model_graph *model, uint32_t group)
{
    uint64_t most = 1;
    for (uint32_t op = 0; op < model->ops; op++) {
        const uint64_t experts = orr_axis_experts(&model->op[op]);
        most = experts > most ? experts : most;
    }
    return most < group ? (uint32_t)most : group;
}

/* The n-th layout, or their number if n is as large. */
static uint32_t walk(const struct model_graph *model, uint32_t group, uint32_t n,
                     struct search_layout *out)
{
    const uint32_t most = most_experts(model, group);
    uint32_t at = 0;
    for (uint32_t t = 1; t <= group; t++) {
        for (uint32_t e = 1; group % t == 0 && e <= most; e++) {
            if (group % e == 0 && (t > 1 || e > 1) && at++ == n) {
                *out = (struct search_layout){.tensor = t, .experts = e};
                return n;
            }
        }
    }
    return at;
}

uint32_t orr_search_count_layouts(const struct model_graph *model, uint32_t group)
{
    struct search_layout none;
    return walk(model, group, UINT32_MAX, &none);
}

struct search_layout orr_search_layout_at(const struct model_graph *model, uint32_t group,
                                          uint32_t n)
{
    struct search_layout layout = {.tensor = 1, .experts = 1};
    (void)walk(model, group, n, &layout);
    return layout;
}

/* ---- the strategy ---- */

static bool may_cut(const void *context, const char *dim)
{
    return orr_search_can_split(context, dim);
}

static bool set_op(struct strategy_draft *draft, uint32_t op, const struct axis_cut *cut)
{
    const uint32_t group = orr_strategy_group(&draft->strategy);
    uint32_t degree[MODEL_MAX_DIMS] = {group / cut->degree, 1, 1, 1, 1, 1, 1, 1};
    degree[cut->dim] *= cut->degree;
    return draft->model->op[op].table || orr_strategy_set(draft, op, degree, NULL);
}

bool orr_search_set_layout(struct strategy_draft *draft, const struct search_dimensions *dimensions,
                           const struct search_layout *layout)
{
    const uint32_t ops = draft->model->ops;
    const struct axis_rule rule = {.model = draft->model,
                                   .tensor = layout->tensor,
                                   .experts = layout->experts,
                                   .rest = AXIS_SAMPLES,
                                   .may_cut = may_cut,
                                   .context = dimensions};
    struct axis_cut *cut = orr_arena_array(draft->arena, (size_t)ops + 1, sizeof *cut);
    bool made = cut != NULL;
    if (made) {
        orr_axis_cut(&rule, cut);
    }
    for (uint32_t op = 0; op < ops && made; op++) {
        made = set_op(draft, op, &cut[op]);
    }
    return made;
}
