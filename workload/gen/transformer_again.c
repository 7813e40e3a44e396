/* What the backward pass makes again of a layer: modules that are recomputed (recompute.h), and of
 * gated dense layers the product with the gate, which the kernel of its gradient makes from the two
 * factors. Outputs that are made again are not kept; what a module takes from outside is. */
#include <string.h>

#include "core/saturate.h"
#include "workload/gen/transformer_cut.h"
#include "workload/parallel/recompute.h"

/* Modules that an operator is of: in dense layers, and with experts. */
static const struct {
    const char *label;
    unsigned dense, experts;
} modules[] = {
    {"attention norm", GEN_LAYER_NORM, GEN_LAYER_NORM},
    {"mamba norm", GEN_LAYER_NORM, GEN_LAYER_NORM},
    {"ffn norm", GEN_LAYER_NORM, GEN_LAYER_NORM},
    {"query up", GEN_LATENT_UP, GEN_LATENT_UP},
    {"queries", GEN_LATENT_UP, GEN_LATENT_UP},
    {"kv up", GEN_LATENT_UP, GEN_LATENT_UP},
    {"rotary keys", GEN_LATENT_UP, GEN_LATENT_UP},
    {"router", 0, GEN_EXPERTS},
    {"shared gate", 0, GEN_EXPERTS | GEN_SHARED_EXPERTS},
    {"shared up", 0, GEN_EXPERTS | GEN_SHARED_EXPERTS},
    {"shared activation", 0, GEN_EXPERTS | GEN_SHARED_EXPERTS},
    {"shared down", 0, GEN_EXPERTS | GEN_SHARED_EXPERTS},
    {"latent down", 0, GEN_EXPERTS},
    {"ffn up", GEN_FEED_FORWARD, GEN_EXPERTS},
    {"activation", GEN_FEED_FORWARD, GEN_EXPERTS | GEN_EXPERT_ACTIVATION},
    {"ffn down", GEN_FEED_FORWARD, GEN_EXPERTS},
    {"latent up", 0, GEN_EXPERTS},
};

static unsigned modules_of(const char *label, bool experts)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        if (strcmp(modules[i].label, label) == 0) {
            return experts ? modules[i].experts : modules[i].dense;
        }
    }
    return 0;
}

static bool has_experts(const struct tf_cut *cut)
{
    bool found = false;
    for (uint32_t i = cut->first; i < cut->end; i++) {
        found = found || tf_place_of(cut, i)->of_experts;
    }
    return found;
}

void orr_transformer_mark_again(struct tf_cut *cut)
{
    const struct gen_plan *plan = &cut->job->plan;
    const bool experts = has_experts(cut), selective = plan->recompute == GEN_RECOMPUTE_SELECTIVE;
    for (uint32_t i = cut->first; i < cut->end; i++) {
        const char *label = cut->graph->op[i].label;
        if (selective && (modules_of(label, experts) & plan->recompute_modules) != 0) {
            cut->again |= tf_cut_bit(cut, i);
        } else if (!experts && cut->model->gated && !plan->keep_gated &&
                   strcmp(label, "activation") == 0) {
            cut->remade |= tf_cut_bit(cut, i);
        }
    }
}

/* The operator in front of whose backward pass it is made again: the last that uses it, itself or
 * by way of others that are made again. */
static uint32_t needed_by(const struct tf_cut *cut, uint32_t index)
{
    uint32_t last = 0;
    for (uint32_t i = index + 1; i < cut->end; i++) {
        const struct model_op *op = &cut->graph->op[i];
        for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
            if (cut->graph->edge[e].from == index) {
                const bool again = (cut->again & tf_cut_bit(cut, i)) != 0;
                const uint32_t at = cut->at[i + 1 - cut->first];
                const uint32_t user = again ? cut->ops->op[at].again_for : at;
                last = user > last ? user : last;
            }
        }
    }
    return last;
}

/* With the exchanges and casts in front of it. */
static void set_again(struct tf_cut *cut, uint32_t index)
{
    uint32_t at = cut->at[index + 1 - cut->first];
    struct rank_op *op = cut->ops->op;
    op[at].again_for = needed_by(cut, index);
    op[at].again_bytes = orr_transformer_held_bytes(cut, index);
    for (uint32_t i = at; i-- > 0 && (op[i].forward.bytes == 0 || op[i].kind == ORR_OP_CAST);) {
        op[i].again_for = op[at].again_for;
    }
}

void orr_transformer_finish_again(struct tf_cut *cut)
{
    for (uint32_t i = cut->end; i-- > cut->first;) {
        if ((cut->again & tf_cut_bit(cut, i)) != 0) {
            set_again(cut, i);
        } else if ((cut->remade & tf_cut_bit(cut, i)) != 0) {
            cut->ops->op[cut->at[i + 1 - cut->first]].again_bytes =
                orr_transformer_held_bytes(cut, i);
        }
    }
}
