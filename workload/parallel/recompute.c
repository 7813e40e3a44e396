/* Parts that are computed again; see recompute.h. */
#include "workload/parallel/recompute.h"

#include <string.h>

static const char *const names[] = {"core_attn", "mla_up_proj", "layernorm",     "moe_act",
                                    "mlp",       "moe",         "shared_experts"};

enum { MODULES = sizeof names / sizeof *names };

const char *orr_gen_module_name(size_t number)
{
    return number < MODULES ? names[number] : NULL;
}

enum orr_status orr_gen_recompute_read(const struct orr_conf_list *words, struct gen_plan *plan,
                                       struct orr_diag *diag)
{
    const char *const *text = words->values;
    plan->recompute_modules = words->count == 0 ? (unsigned)GEN_CORE_ATTENTION : 0;
    for (size_t i = 0; i < words->count; i++) {
        for (unsigned m = 0; m < MODULES; m++) {
            plan->recompute_modules |= strcmp(text[i], names[m]) == 0 ? 1u << m : 0;
        }
    }
    if (words->count > 0 && plan->recompute != GEN_RECOMPUTE_SELECTIVE) {
        return orr_gen_fail(plan->training, "recompute_modules", diag,
                            "only recompute: selective computes modules again");
    }
    return ORR_OK;
}

const char *const orr_gen_recompute_methods[] = {"uniform", "block", NULL};

enum orr_status orr_gen_recompute_set_layers(bool blocks, int64_t layers, struct gen_plan *plan,
                                             struct orr_diag *diag)
{
    const char *key = layers > 0 ? "recompute_layers" : "recompute_method";
    plan->recompute_blocks = blocks;
    plan->recompute_layers = layers > 0 ? (uint32_t)layers : 1;
    if ((layers > 0 || blocks) && plan->recompute != GEN_RECOMPUTE_FULL) {
        return orr_gen_fail(plan->training, key, diag,
                            "only recompute: full computes whole layers again");
    }
    if (blocks && layers == 0) {
        return orr_gen_fail(plan->training, key, diag,
                            "block needs recompute_layers: how many layers of each chunk");
    }
    return ORR_OK;
}
