/* Megatron's arguments that are words or lists: how context-parallel ranks share attention, which
 * parts are computed again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/launch_rows.h"
#include "et_converter/launch/megatron_values.h"

enum { MAX_WORD = 63 };

/* What stands between the words of a list: of a flag, of Python, of YAML. */
static const char between[] = " \t\n,[]()'\"";

/* The next word of a list at *at; false: none, or one that is too long. */
static bool next_word(const char **at, char word[MAX_WORD + 1])
{
    *at += strspn(*at, between);
    const size_t length = strcspn(*at, between);
    if (length == 0 || length > MAX_WORD) {
        return false;
    }
    memcpy(word, *at, length);
    word[length] = '\0';
    *at += length;
    return true;
}

/* ---- context parallelism ---- */

/* One word for all layers. */
static bool one_word(const char *list, char word[MAX_WORD + 1])
{
    char next[MAX_WORD + 1];
    bool same = next_word(&list, word);
    while (same && next_word(&list, next)) {
        same = strcmp(word, next) == 0;
    }
    return same;
}

static void set_both(struct megatron_reading *reading)
{
    char word[MAX_WORD + 1] = "";
    const char *sizes = reading->values.context_sizes;
    const bool has = sizes != NULL && next_word(&sizes, word) &&
                     strspn(word, "0123456789") == strlen(word) && strtoul(word, NULL, 10) > 0;
    if (!has) {
        (void)orr_megatron_fail(reading, "cp_comm_type",
                                "a2a+p2p needs hierarchical_context_parallel_sizes, expected two "
                                "numbers%s",
                                "");
        return;
    }
    orr_launch_set(reading->build, "parallel.context_ulysses", word,
                   "hierarchical_context_parallel_sizes");
}

/* Megatron's default is p2p. */
void orr_megatron_set_context(struct megatron_reading *reading)
{
    static const struct {
        const char *word, *exchange;
    } words[] = {{"p2p", "ring_attention"},
                 {"all_gather", "all_gather"},
                 {"a2a", "ulysses"},
                 {"a2a+p2p", "ulysses_ring"}};
    const struct megatron_values *values = &reading->values;
    char word[MAX_WORD + 1] = "p2p";
    if (values->context <= 1) {
        return;
    }
    const bool given = values->context_type != NULL;
    const bool one = !given || one_word(values->context_type, word);
    for (size_t i = 0; one && i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) == 0) {
            orr_launch_set(reading->build, "parallel.context_exchange", words[i].exchange,
                           given ? "cp_comm_type" : "context_parallel_size");
            if (i == 3) {
                set_both(reading);
            }
            return;
        }
    }
    (void)orr_megatron_fail(reading, "cp_comm_type",
                            "expected one of p2p, all_gather, a2a and a2a+p2p for all layers, got "
                            "\"%.80s\"",
                            values->context_type);
}

/* ---- recomputation ---- */

static bool is_module(const char *word)
{
    static const char *const modules[] = {"core_attn", "mla_up_proj", "layernorm",     "moe_act",
                                          "mlp",       "moe",         "shared_experts"};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        if (strcmp(word, modules[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Of whole layers: Megatron's default is groups of one. */
static void set_layers(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    const bool full =
        values->recompute_granularity != NULL && strcmp(values->recompute_granularity, "full") == 0;
    if (full && values->recompute_method != NULL) {
        orr_launch_set(reading->build, "training.recompute_method", values->recompute_method,
                       "recompute_method");
    }
    if (full && values->recompute_layers > 0) {
        orr_launch_set_number(reading->build, "training.recompute_layers", values->recompute_layers,
                              "recompute_num_layers");
    }
}

void orr_megatron_set_modules(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    set_layers(reading);
    const bool selective = values->recompute_granularity != NULL
                               ? strcmp(values->recompute_granularity, "selective") == 0
                               : values->recompute_activations > 0;
    const char *list = values->recompute_modules;
    char word[MAX_WORD + 1], text[256];
    size_t used = 0;
    while (selective && list != NULL && next_word(&list, word)) {
        if (!is_module(word)) {
            (void)orr_megatron_fail(reading, "recompute_modules",
                                    "expected core_attn, mla_up_proj, layernorm, moe_act, mlp, moe "
                                    "or shared_experts, got \"%.63s\"",
                                    word);
            return;
        }
        if (used + strlen(word) + 3 < sizeof text) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     used == 0 ? "[" : ", ", word);
        }
    }
    if (used > 0) {
        (void)snprintf(text + used, sizeof text - used, "]");
        orr_launch_set(reading->build, "training.recompute_modules", text, "recompute_modules");
    }
}
