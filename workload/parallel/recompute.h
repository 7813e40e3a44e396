/* Parts of a layer that are computed again in the backward pass (Korthikanti et al. 2022, section
 * 5; Megatron-LM's --recompute-modules, whose words the key takes). */
#ifndef ORR_WORKLOAD_PARALLEL_RECOMPUTE_H
#define ORR_WORKLOAD_PARALLEL_RECOMPUTE_H

#include "core/conf/keys.h"
#include "core/status.h"
#include "workload/parallel/parallel_plan.h"

struct orr_diag;

/* Bits. */
enum gen_module {
    GEN_CORE_ATTENTION = 1u << 0, /* scores and weighted sums */
    GEN_LATENT_UP = 1u << 1,      /* queries, keys and values from low ranks */
    GEN_LAYER_NORM = 1u << 2,     /* norms in front of a layer's parts */
    GEN_EXPERT_ACTIVATION = 1u << 3,
    GEN_FEED_FORWARD = 1u << 4, /* of dense layers */
    GEN_EXPERTS = 1u << 5,      /* router, exchange, experts */
    GEN_SHARED_EXPERTS = 1u << 6
};

/* The name of a module, by its number; NULL after the last. */
const char *orr_gen_module_name(size_t number);

/* Whether attention is computed again. */
static inline bool gen_recomputes_core(const struct gen_plan *plan)
{
    return plan->recompute == GEN_RECOMPUTE_SELECTIVE &&
           (plan->recompute_modules & GEN_CORE_ATTENTION) != 0;
}

/* Sets plan->recompute_modules from the key's texts. Errors: without recompute: selective. */
enum orr_status orr_gen_recompute_read(const struct orr_conf_list *words, struct gen_plan *plan,
                                       struct orr_diag *diag);

/* Sets how many layers are computed again with recompute: full (0: not said). Errors: without it;
 * blocks without a number. */
enum orr_status orr_gen_recompute_set_layers(bool blocks, int64_t layers, struct gen_plan *plan,
                                             struct orr_diag *diag);

/* "uniform", "block": the choices of recompute_method. */
extern const char *const orr_gen_recompute_methods[];

/* The keys, of a section that has members of these names. */
#define GEN_RECOMPUTE_KEYS(section)                                                                \
    {.name = "recompute_method",                                                                   \
     .type = ORR_KEY_CHOICE,                                                                       \
     .offset = offsetof(section, recompute_method),                                                \
     .choices = orr_gen_recompute_methods,                                                         \
     .default_text = "uniform",                                                                    \
     .output_if_given = true,                                                                      \
     .doc = "recompute: full: all layers, in groups of recompute_layers of which the input is "    \
            "kept; or the first recompute_layers of each chunk of a stage"},                       \
        {.name = "recompute_layers",                                                               \
         .type = ORR_KEY_INTEGER,                                                                  \
         .offset = offsetof(section, recompute_layers),                                            \
         .low = 1,                                                                                 \
         .high = 1e6,                                                                              \
         .absent = "uniform 1",                                                                    \
         .output_if_given = true,                                                                  \
         .example = "recompute_layers: 2",                                                         \
         .doc = "recompute: full: layers of a group, or that are computed again"},                 \
        {.name = "recompute_modules",                                                              \
         .type = ORR_KEY_TEXT,                                                                     \
         .offset = offsetof(section, recompute_modules),                                           \
         .list = true,                                                                             \
         .scalar_as_list = true,                                                                   \
         .min = 1,                                                                                 \
         .names = orr_gen_module_name,                                                             \
         .absent = "core_attn",                                                                    \
         .example = "recompute_modules: [moe_act, layernorm]",                                     \
         .doc = "transformer, recompute: selective: what is computed again: attention, "           \
                "up-projections "                                                                  \
                "of latent attention, norms, the activation of experts, feed-forward parts, "      \
                "experts"},                                                                        \
        {.name = "recompute_operators",                                                            \
         .type = ORR_KEY_TEXT,                                                                     \
         .offset = offsetof(section, recompute_operators),                                         \
         .list = true,                                                                             \
         .scalar_as_list = true,                                                                   \
         .min = 1,                                                                                 \
         .max = 4096,                                                                              \
         .absent = "none",                                                                         \
         .example = "recompute_operators: [layer.*.norm, layer.*.act]",                            \
         .doc =                                                                                    \
             "a model of operators, recompute: selective: which are computed again, by name or "   \
             "pattern"},                                                                           \
    {                                                                                              \
        .name = "keep_gated", .type = ORR_KEY_BOOL, .offset = offsetof(section, keep_gated),       \
        .default_text = "false",                                                                   \
        .doc = "transformer: dense layers keep the activation's product with the gate; false: it " \
               "is made again from its factors, which are kept, in the kernel of its gradient"     \
    }

#endif
