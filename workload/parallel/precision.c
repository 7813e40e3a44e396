/* Precision by tensor; see precision.h. */
#include "workload/parallel/precision.h"

#include <string.h>

#include "core/conf/conf.h"
#include "core/diag.h"
#include "core/saturate.h"
#include "workload/parallel/parallel_plan.h"
#include "workload/trace/trace.h"

/* ---- formats ---- */

/* Bytes of a number with its share of the scales: of activations and gradients, of weights. */
struct share {
    uint64_t bytes, numbers;
};

static const struct format {
    enum orr_product_type type;
    struct share of, of_weights;
} formats[GEN_FORMATS] = {
    [GEN_ELEMENT] = {ORR_PRODUCT_ELEMENT, {0, 1}, {0, 1}},
    [GEN_FP8] = {ORR_PRODUCT_FP8, {1, 1}, {1, 1}},
    [GEN_FP8_BLOCK] = {ORR_PRODUCT_FP8, {128 + 4, 128}, {16384 + 4, 16384}},
    [GEN_MXFP8] = {ORR_PRODUCT_FP8, {32 + 1, 32}, {32 + 1, 32}},
    [GEN_NVFP4] = {ORR_PRODUCT_FP4, {8 + 1, 16}, {8 + 1, 16}},
};

const char *const orr_gen_format_names[GEN_FORMATS + 1] = {
    [GEN_ELEMENT] = "element", [GEN_FP8] = "fp8",     [GEN_FP8_BLOCK] = "fp8_block",
    [GEN_MXFP8] = "mxfp8",     [GEN_NVFP4] = "nvfp4", [GEN_FORMATS] = NULL};

unsigned orr_gen_format_type(enum gen_format format)
{
    return formats[format].type;
}

static uint64_t bytes_of(const struct share *share, uint64_t element_bytes, uint64_t numbers)
{
    if (share->bytes == 0) {
        return sat_times(numbers, element_bytes);
    }
    const uint64_t whole = numbers / share->numbers, rest = numbers % share->numbers;
    return sat_plus(sat_times(whole, share->bytes),
                    sat_divide_up(rest * share->bytes, share->numbers));
}

uint64_t orr_gen_format_bytes(enum gen_format format, uint64_t element_bytes, uint64_t numbers)
{
    return bytes_of(&formats[format].of, element_bytes, numbers);
}

uint64_t orr_gen_weight_format_bytes(enum gen_format format, uint64_t element_bytes,
                                     uint64_t numbers)
{
    return bytes_of(&formats[format].of_weights, element_bytes, numbers);
}

/* ---- recipes ---- */

/* As Megatron-Bridge sets them (training/mixed_precision.py, 2026): weights are stored in FP8 with
 * delayed and current scaling and MXFP8 (fp8_param_gather), of which MXFP8 is gathered in elements
 * and cast then, since rows and columns have scales of their own. With one scale a tensor the
 * transposed form is made too, which Hopper needs; Blackwell does not: narrow_forms: 1. Current
 * scaling and NVFP4 read a gradient once more for its maximum; that of an input is found by the
 * norm or activation before it (Transformer Engine 2.8). */
static const struct recipe {
    const char *name;
    struct gen_precision precision;
} recipes[] = {
    {"bf16", {.passes = 1}},
    {"fp16", {.passes = 1}},
    {"fp8_delayed",
     {.product = GEN_FP8,
      .kept = GEN_FP8,
      .weight = GEN_FP8,
      .gather = GEN_FP8,
      .forms = 2,
      .passes = 1,
      .casts = GEN_CAST_GRADIENTS}},
    {"fp8_cs",
     {.product = GEN_FP8,
      .kept = GEN_FP8,
      .weight = GEN_FP8,
      .gather = GEN_FP8,
      .forms = 2,
      .passes = 2,
      .casts = GEN_CAST_ALL}},
    {"fp8_block",
     {.product = GEN_FP8_BLOCK,
      .kept = GEN_FP8_BLOCK,
      .forms = 2,
      .passes = 1,
      .casts = GEN_CAST_ALL}},
    {"mxfp8",
     {.product = GEN_MXFP8,
      .kept = GEN_MXFP8,
      .weight = GEN_MXFP8,
      .forms = 2,
      .passes = 1,
      .casts = GEN_CAST_ALL}},
    {"nvfp4",
     {.product = GEN_NVFP4, .kept = GEN_NVFP4, .forms = 2, .passes = 2, .casts = GEN_CAST_ALL}},
};

enum { RECIPES = sizeof recipes / sizeof *recipes };

const char *const orr_gen_recipe_names[] = {"bf16",      "fp16",  "fp8_delayed", "fp8_cs",
                                            "fp8_block", "mxfp8", "nvfp4",       NULL};
_Static_assert(sizeof orr_gen_recipe_names / sizeof *orr_gen_recipe_names == RECIPES + 1,
               "a name for each recipe");

const char *const orr_gen_cast_names[] = {"none", "gradients", "all", NULL};

static const char *const part_names[] = {"attention",      "mamba",  "dense", "experts",
                                         "shared_experts", "latent", "mtp"};

enum { PARTS = sizeof part_names / sizeof *part_names, CASTS = GEN_CAST_ALL + 1 };

const char *orr_gen_part_name(size_t number)
{
    return number < PARTS ? part_names[number] : NULL;
}

/* ---- reading ---- */

struct gen_precision_section orr_gen_precision_absent(void)
{
    return (struct gen_precision_section){.recipe = RECIPES,
                                          .casts = CASTS,
                                          .product = GEN_FORMATS,
                                          .kept = GEN_FORMATS,
                                          .activation = GEN_FORMATS,
                                          .weight = GEN_FORMATS,
                                          .gather = GEN_FORMATS,
                                          .dispatch = GEN_FORMATS,
                                          .combine = GEN_FORMATS,
                                          .forms = -1,
                                          .first_layers = 0,
                                          .last_layers = 0,
                                          .moment_bytes = -1,
                                          .gradient_bytes = -1,
                                          .optimizer_bytes = -1};
}

static void set_format(unsigned given, enum gen_format *format)
{
    *format = given < GEN_FORMATS ? (enum gen_format)given : *format;
}

static unsigned parts_of(const struct orr_conf_list *words)
{
    const char *const *text = words->values;
    unsigned parts = 0;
    for (size_t i = 0; i < words->count; i++) {
        for (unsigned p = 0; p < PARTS; p++) {
            parts |= strcmp(text[i], part_names[p]) == 0 ? 1u << p : 0;
        }
    }
    return parts;
}

/* A product_type of its own stores as its recipe does, in its own format. */
static void set_product(unsigned given, struct gen_precision *precision)
{
    const enum gen_format before = precision->product;
    set_format(given, &precision->product);
    if (before == GEN_ELEMENT || precision->product == before) {
        return;
    }
    enum gen_format *const follow[] = {&precision->kept, &precision->weight, &precision->gather};
    for (unsigned i = 0; i < 3; i++) {
        *follow[i] = *follow[i] == before ? precision->product : *follow[i];
    }
}

static void set_keys(const struct gen_precision_section *section, struct gen_precision *precision)
{
    set_product(section->product, precision);
    set_format(section->kept, &precision->kept);
    set_format(section->weight, &precision->weight);
    set_format(section->gather, &precision->gather);
    set_format(section->activation, &precision->activation);
    set_format(section->dispatch, &precision->dispatch);
    set_format(section->combine, &precision->combine);
    precision->forms = section->forms >= 0 ? (unsigned)section->forms : precision->forms;
    precision->casts = section->casts < CASTS ? (enum gen_casts)section->casts : precision->casts;
    precision->first_layers = (uint32_t)section->first_layers;
    precision->last_layers = (uint32_t)section->last_layers;
    precision->element_parts = parts_of(&section->element_parts);
}

/* Keys of narrow types, those first that say something of narrow products. */
static const char *const keys[] = {"kept_type",
                                   "weight_type",
                                   "gather_type",
                                   "narrow_forms",
                                   "casts",
                                   "layers_at_start_in_bf16",
                                   "layers_at_end_in_bf16",
                                   "bf16_products",
                                   "precision",
                                   "product_type",
                                   "activation_type",
                                   "dispatch_type",
                                   "combine_type"};

enum { KEYS = sizeof keys / sizeof *keys, OF_PRODUCTS = 8 };

static const char *first_of(const struct orr_conf *training, size_t count)
{
    for (size_t i = 0; i < count && training != NULL; i++) {
        if (orr_conf_get(training, keys[i]) != NULL) {
            return keys[i];
        }
    }
    return NULL;
}

const char *orr_gen_precision_key(const struct orr_conf *training)
{
    return first_of(training, KEYS);
}

static enum orr_status check(const struct gen_plan *plan, struct orr_diag *diag)
{
    const char *key = first_of(plan->training, OF_PRODUCTS);
    return key == NULL || plan->precision.product != GEN_ELEMENT
               ? ORR_OK
               : orr_gen_fail(plan->training, key, diag,
                              "all products are of elements; expected a product_type, or a "
                              "precision such as mxfp8, beside it");
}

enum orr_status orr_gen_precision_read(const struct gen_precision_section *section, bool adam,
                                       uint64_t state_bytes, struct gen_plan *plan,
                                       struct orr_diag *diag)
{
    enum { MASTER_BYTES = 4, MOMENT_BYTES = 4, MOMENTS = 2 };
    plan->precision = recipes[section->recipe < RECIPES ? section->recipe : 0].precision;
    set_keys(section, &plan->precision);
    plan->element_bytes = (uint64_t)section->element_bytes;
    plan->gradient_bytes =
        section->gradient_bytes > 0 ? (uint64_t)section->gradient_bytes : plan->element_bytes;
    const uint64_t moment =
        section->moment_bytes > 0 ? (uint64_t)section->moment_bytes : MOMENT_BYTES;
    plan->optimizer_bytes = section->optimizer_bytes >= 0 ? (uint64_t)section->optimizer_bytes
                            : adam                        ? MASTER_BYTES + MOMENTS * moment
                                                          : state_bytes;
    if (section->moment_bytes > 0 && (!adam || section->optimizer_bytes >= 0)) {
        return orr_gen_fail(plan->training, "moment_bytes", diag, "%s",
                            adam ? "optimizer_bytes says what it would"
                                 : "only optimizer: adam has two moments");
    }
    return check(plan, diag);
}

struct gen_precision orr_gen_precision_plain(const struct gen_precision *precision)
{
    struct gen_precision plain = *precision;
    plain.product = GEN_ELEMENT;
    return plain;
}

/* ---- bytes ---- */

static uint64_t plain_bytes(const struct gen_plan *plan, struct gen_weight_count weights)
{
    return sat_times(weights.all - weights.narrow, plan->element_bytes);
}

static uint64_t narrow_bytes(const struct gen_plan *plan, enum gen_format format, uint64_t narrow)
{
    return orr_gen_weight_format_bytes(format, plan->element_bytes, narrow);
}

/* Of a tensor that is narrow: one at least. */
static uint64_t forms_of(const struct gen_plan *plan)
{
    return plan->precision.forms > 0 ? plan->precision.forms : 1;
}

uint64_t orr_gen_gathered_bytes(const struct gen_plan *plan, struct gen_weight_count weights)
{
    return sat_plus(plain_bytes(plan, weights),
                    narrow_bytes(plan, plan->precision.gather, weights.narrow));
}

uint64_t orr_gen_shard_bytes(const struct gen_plan *plan, struct gen_weight_count weights)
{
    const enum gen_format format = plan->precision.weight;
    const uint64_t forms = format != GEN_ELEMENT ? forms_of(plan) : 1;
    return sat_plus(plain_bytes(plan, weights),
                    sat_times(forms, narrow_bytes(plan, format, weights.narrow)));
}

/* Weights that are stored in elements have narrow copies for their products. */
uint64_t orr_gen_held_bytes(const struct gen_plan *plan, struct gen_weight_count weights)
{
    const struct gen_precision *of = &plan->precision;
    const uint64_t copied = of->weight == GEN_ELEMENT ? weights.narrow : 0;
    return sat_plus(orr_gen_shard_bytes(plan, weights),
                    sat_times(of->forms, narrow_bytes(plan, of->product, copied)));
}

uint64_t orr_gen_cast_bytes(const struct gen_plan *plan, uint64_t numbers, bool gradient)
{
    const struct gen_precision *of = &plan->precision;
    const uint64_t passes = gradient ? of->passes : 1;
    const uint64_t read = sat_times(sat_times(passes, numbers), plan->element_bytes);
    const uint64_t written = orr_gen_format_bytes(of->product, plan->element_bytes, numbers);
    return sat_plus(read, sat_times(forms_of(plan), written));
}
