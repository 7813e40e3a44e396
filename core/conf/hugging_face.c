/* The example of a workload with the numbers of a model's config.json of Hugging Face. Families
 * name them differently: hidden_size (LLaMA, Qwen, DeepSeek), n_embd (GPT-2), d_model (T5). A
 * number that the file does not have is one of a model of 8 billion parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/foreign_formats.h"

enum { MAX_NAMES = 7, MAX_DIGITS = 9, LONGEST_SEQUENCE = 8192 };

/* The names of a number, the first that is there; ends with NULL. */
struct number {
    const char *name[MAX_NAMES];
    unsigned otherwise;
};

static const struct number layers = {{"num_decoder_layers", "decoder_layers", "num_hidden_layers",
                                      "n_layer", "num_layers", "n_layers"},
                                     32};
static const struct number hidden = {{"hidden_size", "n_embd", "n_embed", "d_model"}, 4096};
static const struct number heads = {
    {"num_attention_heads", "n_head", "num_heads", "n_heads", "decoder_attention_heads"}, 0};
static const struct number kv_heads = {{"num_key_value_heads", "num_kv_heads"}, 0};
static const struct number head_size = {{"head_dim", "d_kv", "v_head_dim"}, 0};
static const struct number ffn = {
    {"intermediate_size", "n_inner", "d_ff", "ffn_dim", "decoder_ffn_dim"}, 0};
static const struct number sequence = {{"max_position_embeddings", "n_positions", "n_ctx",
                                        "max_seq_len", "max_sequence_length", "seq_length"},
                                       4096};
static const struct number vocabulary = {{"vocab_size"}, 128256};
static const struct number experts = {{"num_local_experts", "n_routed_experts", "num_experts"}, 0};
static const struct number per_token = {{"num_experts_per_tok", "moe_k", "top_k_experts"}, 1};
static const struct number expert_ffn = {{"moe_intermediate_size"}, 0};
static const struct number t5_layers = {{"num_layers"}, 0};
static const struct number encoder_layers = {{"encoder_layers"}, 0};

/* The value behind a key in quotes; NULL: none. */
static const char *value_of(const char *head, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = head; (at = strstr(at, name)) != NULL; at += length) {
        if (at != head && at[-1] == '"' && at[length] == '"') {
            const char *value = at + length + 1;
            value += strspn(value, " \t\r\n");
            if (*value == ':') {
                return value + 1 + strspn(value + 1, " \t\r\n");
            }
        }
    }
    return NULL;
}

static unsigned read_number(const char *head, const struct number *number)
{
    for (size_t i = 0; i < MAX_NAMES && number->name[i] != NULL; i++) {
        const char *value = value_of(head, number->name[i]);
        const size_t digits = value != NULL ? strspn(value, "0123456789") : 0;
        const unsigned long read =
            digits > 0 && digits <= MAX_DIGITS ? strtoul(value, NULL, 10) : 0;
        if (read > 0) {
            return (unsigned)read;
        }
    }
    return number->otherwise;
}

static bool is_true(const char *head, const char *name)
{
    const char *value = value_of(head, name);
    return value != NULL && strncmp(value, "true", 4) == 0;
}

static bool has_value(const char *head, const char *name, const char *part)
{
    const char *value = value_of(head, name);
    const char *end = value != NULL ? strpbrk(value + 1, "\",}") : NULL;
    const char *found = value != NULL ? strstr(value, part) : NULL;
    return found != NULL && end != NULL && found < end;
}

/* A gate beside the first product: SiLU activations, or said so. */
static bool is_gated(const char *head)
{
    return has_value(head, "hidden_act", "silu") || is_true(head, "is_gated_act") ||
           has_value(head, "feed_forward_proj", "gated") || has_value(head, "model_type", "gemma");
}

/* The largest of 8, 4, 2 and 1 that divides all. */
static unsigned share_of(unsigned a, unsigned b)
{
    unsigned share = 8;
    while (a % share != 0 || b % share != 0) {
        share /= 2;
    }
    return share;
}

struct text {
    char *at;
    size_t room;
};

static void append(struct text *text, const char *part)
{
    const size_t length = strlen(part);
    if (length < text->room) {
        memcpy(text->at, part, length + 1);
        text->at += length;
        text->room -= length;
    }
}

/* ", name: 8", if there is such a number. */
static void append_number(struct text *text, const char *name, unsigned value)
{
    char part[64];
    (void)snprintf(part, sizeof part, ", %s: %u", name, value);
    append(text, value > 0 ? part : "");
}

static void append_experts(struct text *text, const char *head, unsigned count)
{
    if (count > 1) {
        append_number(text, "experts", count);
        append_number(text, "experts_per_token", read_number(head, &per_token));
        append_number(text, "expert_ffn", read_number(head, &expert_ffn));
    }
}

/* Splits that every such model takes: tensor parallelism, or experts on ranks; and all states
 * sharded, so that large ones fit. */
static void append_parallel(struct text *text, unsigned count, unsigned tensor)
{
    const bool moe = count > 1;
    const unsigned share = moe ? share_of(count, count) : tensor;
    append(text, "}, parallel: {zero: 3");
    append_number(text, moe ? "expert" : "tensor", share > 1 ? share : 0);
    append(text, "}, training: {recompute: full}}");
}

void orr_hugging_face_example(const char *head, char *out, size_t bytes)
{
    const unsigned width = read_number(head, &hidden), of_head = read_number(head, &head_size);
    const unsigned tokens = read_number(head, &sequence), count = read_number(head, &experts);
    const unsigned coder = read_number(head, &encoder_layers);
    unsigned n = read_number(head, &heads), kv = read_number(head, &kv_heads);
    n = n > 0 ? n : width / 128 > 0 ? width / 128 : 1;
    kv = kv > 0 && kv < n && n % kv == 0 ? kv : 0;
    struct text text = {out, bytes};
    char first[48];
    (void)snprintf(first, sizeof first, "workload: {transformer: {layers: %u",
                   read_number(head, &layers));
    append(&text, first);
    append_number(&text, "encoder_layers",
                  !is_true(head, "is_encoder_decoder") ? 0
                  : coder > 0                          ? coder
                                                       : read_number(head, &t5_layers));
    append_number(&text, "hidden", width);
    append_number(&text, "heads", n);
    append_number(&text, "kv_heads", kv);
    append_number(&text, "head_size", of_head > 0 || width % n == 0 ? of_head : width / n + 1);
    append_number(&text, "ffn", read_number(head, &ffn));
    append(&text, is_gated(head) ? ", gated: true" : "");
    append_number(&text, "sequence", tokens < LONGEST_SEQUENCE ? tokens : LONGEST_SEQUENCE);
    append_number(&text, "vocabulary", read_number(head, &vocabulary));
    append_experts(&text, head, count);
    append(&text, has_value(head, "model_type", "bert") ? "" : ", causal: true");
    append_parallel(&text, count, share_of(n, kv > 0 ? kv : n));
}
