/* Precision by tensor: the types of products, of their weights and inputs as they are stored, of
 * what is exchanged, and of the optimizer's moments. A recipe (training.precision, by the names of
 * Transformer Engine, Megatron-LM and Megatron-Bridge) sets all; each has a key of its own.
 *
 * Formats are narrow types with the bytes of their scales:
 *
 *     fp8        one scale a tensor                                     1
 *     fp8_block  4 bytes for 128 of an activation, 128 x 128 weights    1 + 4/128, 1 + 4/16384
 *     mxfp8      1 byte for 32 (OCP Microscaling Formats 1.0, 2023)     1 + 1/32
 *     nvfp4      1 byte for 16 (NVIDIA 2025, arXiv 2509.25149)          0.5 + 1/16 */
#ifndef ORR_WORKLOAD_PARALLEL_PRECISION_H
#define ORR_WORKLOAD_PARALLEL_PRECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/conf/keys.h"
#include "core/status.h"

struct gen_plan;
struct orr_conf;
struct orr_diag;

/* The type of elements (element_bytes), or a narrow one. */
enum gen_format { GEN_ELEMENT, GEN_FP8, GEN_FP8_BLOCK, GEN_MXFP8, GEN_NVFP4, GEN_FORMATS };

/* Which casts to the type of products are kernels of their own: those of their inputs, too, or of
 * gradients alone where norms and activations write the narrow type. */
enum gen_casts { GEN_CAST_NONE, GEN_CAST_GRADIENTS, GEN_CAST_ALL };

/* Parts of layers whose products may stay in elements; bits. */
enum gen_part {
    GEN_PART_ATTENTION = 1u << 0, /* projections to and from attention */
    GEN_PART_MAMBA = 1u << 1,
    GEN_PART_DENSE = 1u << 2, /* feed-forward parts without experts */
    GEN_PART_EXPERTS = 1u << 3,
    GEN_PART_SHARED = 1u << 4, /* shared experts */
    GEN_PART_LATENT = 1u << 5, /* to and from the width of latent experts */
    GEN_PART_MTP = 1u << 6     /* modules of multi-token prediction, whole */
};

struct gen_precision {
    enum gen_format product;    /* inputs of the layers' products */
    enum gen_format kept;       /* these, kept for the backward pass */
    enum gen_format activation; /* inputs of activations between products, as they are kept */
    enum gen_format weight;     /* weights of products; a narrow type: no copy in elements */
    enum gen_format gather;     /* these weights when they are gathered */
    enum gen_format dispatch, combine; /* tokens to their experts, and back */
    unsigned forms;                    /* of a narrow tensor: rows and columns apart are two */
    unsigned passes; /* over a gradient when it is cast: 2 with its maximum first */
    enum gen_casts casts;
    uint32_t first_layers, last_layers; /* that stay in elements */
    unsigned element_parts;             /* parts that do, bits of enum gen_part */
};

/* The keys as they were read; absent formats are GEN_FORMATS, other absent numbers below 0. */
struct gen_precision_section {
    unsigned recipe, casts;
    unsigned product, kept, activation, weight, gather, dispatch, combine;
    int64_t forms, first_layers, last_layers, moment_bytes;
    int64_t element_bytes, gradient_bytes, optimizer_bytes;
    struct orr_conf_list element_parts;
};
struct gen_precision_section orr_gen_precision_absent(void);

extern const char *const orr_gen_format_names[GEN_FORMATS + 1];
extern const char *const orr_gen_recipe_names[], *const orr_gen_cast_names[];
/* The name of a part, by its number; NULL after the last. */
const char *orr_gen_part_name(size_t number);

/* Sets the plan's precision and the bytes of elements, gradients and optimizer state. Errors:
 * narrow kinds of storage without narrow products. `adam`: two moments beside a master copy. */
enum orr_status orr_gen_precision_read(const struct gen_precision_section *section, bool adam,
                                       uint64_t state_bytes, struct gen_plan *plan,
                                       struct orr_diag *diag);

/* The first key of a section (NULL: none) that says something of narrow types, of which other
 * models than transformers know nothing; NULL: there is none. */
const char *orr_gen_precision_key(const struct orr_conf *training);

/* The same with all products in elements, as of layers that stay in them. */
struct gen_precision orr_gen_precision_plain(const struct gen_precision *precision);

/* Whose peak products of the format have: an enum orr_product_type. */
unsigned orr_gen_format_type(enum gen_format format);

/* Bytes of numbers of a format with their scales, rounded up; of weights with the scales of
 * weights. O(1). */
uint64_t orr_gen_format_bytes(enum gen_format format, uint64_t element_bytes, uint64_t numbers);
uint64_t orr_gen_weight_format_bytes(enum gen_format format, uint64_t element_bytes,
                                     uint64_t numbers);

/* Parameters, and those among them that products of a narrow type use. */
struct gen_weight_count {
    uint64_t all, narrow;
};
/* Bytes of weights: as they are gathered; as a shard is stored; as they are held for products, with
 * all forms. O(1). */
uint64_t orr_gen_gathered_bytes(const struct gen_plan *plan, struct gen_weight_count weights);
uint64_t orr_gen_shard_bytes(const struct gen_plan *plan, struct gen_weight_count weights);
uint64_t orr_gen_held_bytes(const struct gen_plan *plan, struct gen_weight_count weights);

/* Bytes that the cast of numbers to the products' type reads and writes, of an input or a gradient.
 * O(1). */
uint64_t orr_gen_cast_bytes(const struct gen_plan *plan, uint64_t numbers, bool gradient);

#define GEN_FORMAT_KEY(section, key, member, when_absent, text)                                    \
    {                                                                                              \
        .name = key, .type = ORR_KEY_CHOICE, .offset = offsetof(section, precision.member),        \
        .choices = orr_gen_format_names, .absent = when_absent, .output_if_given = true,           \
        .doc = text                                                                                \
    }

#define GEN_PRECISION_COUNT_KEY(section, key, member, least, most, when_absent, text)              \
    {                                                                                              \
        .name = key, .type = ORR_KEY_INTEGER, .offset = offsetof(section, precision.member),       \
        .low = least, .high = most, .absent = when_absent, .doc = text                             \
    }

/* The keys, of a section with a member `precision`. */
#define GEN_PRECISION_KEYS(section)                                                                \
    {.name = "precision",                                                                          \
     .type = ORR_KEY_CHOICE,                                                                       \
     .offset = offsetof(section, precision.recipe),                                                \
     .choices = orr_gen_recipe_names,                                                              \
     .absent = "elements, products as product_type",                                               \
     .output_if_given = true,                                                                      \
     .doc = "recipe: the types of all tensors, of which each key below changes one"},              \
        {.name = "element_bytes",                                                                  \
         .type = ORR_KEY_INTEGER,                                                                  \
         .offset = offsetof(section, precision.element_bytes),                                     \
         .low = 1,                                                                                 \
         .high = 8,                                                                                \
         .default_text = "2",                                                                      \
         .doc = "bytes of a weight and of an activation"},                                         \
        GEN_FORMAT_KEY(section, "product_type", product, "element; by precision",                  \
                       "type of the inputs of the layers' products: that of elements, or a "       \
                       "narrow one (compute.fp8_peak, fp4_peak)"),                                 \
        GEN_FORMAT_KEY(section, "kept_type", kept, "element; by precision",                        \
                       "inputs of these products as they are kept for the backward pass"),         \
        GEN_FORMAT_KEY(section, "activation_type", activation, "element",                          \
                       "inputs of the activations between products, as they are kept "             \
                       "(Megatron-LM: --activation-func-fp8-input-store)"),                        \
        GEN_FORMAT_KEY(section, "weight_type", weight, "element; by precision",                    \
                       "weights of these products as they are stored; narrow: there is no copy "   \
                       "in elements"),                                                             \
        GEN_FORMAT_KEY(section, "gather_type", gather, "element; by precision",                    \
                       "weights of these products as ZeRO gathers them"),                          \
        GEN_FORMAT_KEY(section, "dispatch_type", dispatch, "element",                              \
                       "tokens, and gradients, on the way to their experts"),                      \
        GEN_FORMAT_KEY(section, "combine_type", combine, "element", "the same on the way back"),   \
        GEN_PRECISION_COUNT_KEY(section, "narrow_forms", forms, 0, 2, "by precision, else 0",      \
                                "forms of narrow weights that are held beside elements, and of "   \
                                "casts: 2 if rows and columns are apart"),                         \
        {.name = "casts",                                                                          \
         .type = ORR_KEY_CHOICE,                                                                   \
         .offset = offsetof(section, precision.casts),                                             \
         .choices = orr_gen_cast_names,                                                            \
         .absent = "none; by precision",                                                           \
         .output_if_given = true,                                                                  \
         .doc = "casts to product_type that are kernels of their own: none, of gradients alone, "  \
                "of inputs too (all)"},                                                            \
        GEN_PRECISION_COUNT_KEY(section, "layers_at_start_in_bf16", first_layers, 0, 1e6, "0",     \
                                "first layers whose products are of elements"),                    \
        GEN_PRECISION_COUNT_KEY(section, "layers_at_end_in_bf16", last_layers, 0, 1e6, "0",        \
                                "last layers whose products are of elements"),                     \
        {.name = "bf16_products",                                                                  \
         .type = ORR_KEY_TEXT,                                                                     \
         .offset = offsetof(section, precision.element_parts),                                     \
         .list = true,                                                                             \
         .scalar_as_list = true,                                                                   \
         .min = 1,                                                                                 \
         .names = orr_gen_part_name,                                                               \
         .absent = "none",                                                                         \
         .example = "bf16_products: [attention, latent, mtp]",                                     \
         .doc = "parts of all layers whose products are of elements"},                             \
        GEN_PRECISION_COUNT_KEY(section, "gradient_bytes", gradient_bytes, 1, 8,                   \
                                "as element_bytes",                                                \
                                "bytes of a gradient, in memory and when reduced"),                \
        GEN_PRECISION_COUNT_KEY(section, "moment_bytes", moment_bytes, 1, 8, "4",                  \
                                "adam: bytes of each of its two moments"),                         \
        GEN_PRECISION_COUNT_KEY(section, "optimizer_bytes", optimizer_bytes, 0, 64,                \
                                "adam 4 + 2 x moment_bytes, sgd 4, none 0",                        \
                                "bytes of optimizer state of a parameter")

#endif
