/* What operators of a graph keep for the backward pass, and what is made again instead. */
#include "core/saturate.h"
#include "workload/parallel/graph/program_build.h"

/* Whether an operator gathers an input again for the gradient of its weights. */
static bool regathers(struct build *build, uint32_t index, const struct graph_exchange *what)
{
    struct rank_op *op = &build->op[build->ops];
    const bool regathers = what->is_gathered && what->family == GEN_TP &&
                           build->graph->op[index].weight_gradient.flops > 0;
    op->regather = regathers ? what->forward : op->regather;
    return regathers;
}

/* What an operator keeps of an input that was exchanged, and whether not what was sent. */
static bool keep_exchanged(struct build *build, uint32_t index, struct made *made)
{
    struct rank_op *op = &build->op[build->ops];
    const struct graph_exchange *what = &made->what;
    if (regathers(build, index, what)) {
        return false;
    }
    if (what->kept_bytes == 0 || what->family == GEN_CP) {
        return false; /* keys and values of others are not kept */
    }
    op->kept_bytes = sat_plus(op->kept_bytes, made->is_kept ? 0 : what->kept_bytes);
    made->is_kept = true;
    return true;
}

static void keep_input(struct build *build, uint32_t layer, uint32_t from)
{
    struct rank_op *op = &build->op[build->ops];
    struct rank_block *block = &build->block[layer];
    const uint32_t part = build->part[layer] + 1;
    if (build->kept[from].output != part) {
        build->kept[from].output = part;
        op->kept_bytes = sat_plus(op->kept_bytes, build->output[from]);
        block->outer_bytes = sat_plus(
            block->outer_bytes, build->graph->op[from].layer != layer ? build->output[from] : 0);
    }
}

/* What an operator keeps of the outputs of others, if no other operator of the part does. */
void orr_graph_keep_inputs(struct build *build, uint32_t layer, uint32_t index)
{
    const struct model_op *op = &build->graph->op[index];
    const uint32_t part = build->part[layer] + 1;
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        const uint32_t from = build->graph->edge[e].from;
        const bool outside = build->graph->op[from].layer != layer;
        if (outside && build->kept[from].input != part) {
            build->kept[from].input = part;
            build->block[layer].input_bytes =
                sat_plus(build->block[layer].input_bytes, build->output[from]);
        }
        const bool needed = op->keeps_inputs || orr_graph_is_again(build, index);
        const bool again = orr_graph_is_again(build, from);
        if (needed && !again &&
            (build->arrives[e] == NULL || !keep_exchanged(build, index, build->arrives[e]))) {
            keep_input(build, layer, from);
        } else if (needed && again && build->arrives[e] != NULL) {
            (void)regathers(build, index, &build->arrives[e]->what);
        }
    }
}

void orr_graph_keep_output(struct build *build, uint32_t layer, uint32_t index)
{
    struct rank_op *op = &build->op[build->ops];
    if (orr_graph_is_again(build,
                           index)) { /* held while it is made again, with what is kept inside */
        op->again_bytes = sat_plus(build->inner[index], build->output[index]);
        op->kept_bytes -= build->inner[index];
    } else if (build->graph->op[index].keeps_output) {
        build->kept[index].output = build->part[layer] + 1;
        op->kept_bytes = sat_plus(op->kept_bytes, build->output[index]);
    }
}

/* ---- what is made again ---- */

static void make_again_for(struct rank_op *op, uint32_t user)
{
    op->again_for = user > op->again_for ? user : op->again_for;
}

/* An input is needed again before the backward pass of `user`: what it comes from, and what
 * exchanged it, unless the operator gathers it again by itself. */
static void need_again(const struct build *build, struct rank_op *first, uint32_t e, uint32_t user,
                       bool regathers)
{
    const uint32_t from = build->graph->edge[e].from;
    const struct made *made = build->arrives[e];
    if (orr_graph_is_again(build, from)) {
        make_again_for(&first[build->at[from]], user);
    }
    if (made != NULL && !made->is_kept && !regathers) {
        make_again_for(&first[made->at.op], user);
    }
}

/* An operator that is made again needs its inputs before, others for their own backward pass. */
static void need_inputs_again(const struct build *build, uint32_t index, struct rank_op *first)
{
    const struct model_op *op = &build->graph->op[index];
    const uint32_t at = build->at[index], again_for = first[at].again_for;
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        const bool of_again = orr_graph_is_again(build, build->graph->edge[e].from);
        if (again_for > 0) {
            need_again(build, first, e, again_for, false);
        } else if (op->keeps_inputs && of_again) {
            need_again(build, first, e, at, first[at].regather.is_set);
        }
    }
}

/* What nobody needs is not made again: what is kept inside of it is. */
void orr_graph_finish_again(const struct build *build, const struct model_layer *of,
                            struct rank_op *first)
{
    for (uint32_t i = of->end; i-- > of->first && build->again != NULL;) {
        struct rank_op *out = &first[build->at[i]];
        if (orr_graph_is_again(build, i) && out->again_for == 0) {
            const uint64_t output = build->graph->op[i].keeps_output ? 0 : build->output[i];
            out->kept_bytes = sat_plus(out->kept_bytes, out->again_bytes - output);
            out->again_bytes = 0;
        }
        need_inputs_again(build, i, first);
    }
}
