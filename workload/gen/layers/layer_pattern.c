/* The pattern of a model's layers: key `transformer.pattern`.
 *
 * A list of layers, each "MIXER+FEED", "MIXER" or "FEED", with "N x " in front for N of them: [3 x
 * attention+dense, 58 x attention+experts]. Or one text of letters, a layer with one part each, as
 * Megatron-LM's hybrid models are written: M mamba2, * attention, E experts, - dense. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/conf/keys.h"
#include "core/diag.h"
#include "workload/gen/transformer.h"

static const char *const mixers[TF_MIXERS] = {[TF_NO_MIXER] = "",
                                              [TF_ATTENTION] = "attention",
                                              [TF_WINDOW] = "window",
                                              [TF_CHUNK] = "chunk",
                                              [TF_MAMBA2] = "mamba2"};
static const char *const feeds[TF_FEEDS] = {
    [TF_NO_FEED] = "", [TF_DENSE] = "dense", [TF_EXPERTS] = "experts"};

#define LETTERS "M*E-"
static const struct tf_kind of_letter[] = {{TF_DECODER, TF_MAMBA2, TF_NO_FEED},
                                           {TF_DECODER, TF_ATTENTION, TF_NO_FEED},
                                           {TF_DECODER, TF_NO_MIXER, TF_EXPERTS},
                                           {TF_DECODER, TF_NO_MIXER, TF_DENSE}};

/* ---- words ---- */

static unsigned word_of(const char *const *words, unsigned count, const char *text, size_t length)
{
    unsigned i = 0;
    while (i < count && (strlen(words[i]) != length || strncmp(words[i], text, length) != 0)) {
        i++;
    }
    return i;
}

/* "attention+experts"; false if it is no layer. */
static bool parse_kind(const char *text, struct tf_kind *kind)
{
    const size_t first = strcspn(text, "+");
    const char *second = text[first] == '+' ? text + first + 1 : "";
    unsigned mixer = word_of(mixers, TF_MIXERS, text, first);
    unsigned feed = word_of(feeds, TF_FEEDS, second, strlen(second));
    if (mixer == TF_MIXERS && *second == '\0') {
        mixer = TF_NO_MIXER;
        feed = word_of(feeds, TF_FEEDS, text, first);
    }
    *kind = (struct tf_kind){TF_DECODER, (enum tf_mixer)mixer, (enum tf_feed)feed};
    return first > 0 && mixer < TF_MIXERS && feed < TF_FEEDS &&
           (text[first] != '+' || *second != '\0');
}

/* "3 x attention+dense": the number, and what stands behind it. */
static const char *parse_count(const char *text, uint64_t *count)
{
    const size_t digits = strspn(text, "0123456789");
    const char *behind = text + digits + strspn(text + digits, " ");
    *count = 1;
    if (digits == 0 || digits > 7 || *behind != 'x') {
        return text;
    }
    *count = strtoull(text, NULL, 10);
    return behind + 1 + strspn(behind + 1, " ");
}

static bool is_letters(const struct orr_conf_list *words)
{
    const char *text = ((const char *const *)words->values)[0];
    return words->count == 1 && *text != '\0' && strspn(text, LETTERS) == strlen(text);
}

/* ---- the list ---- */

/* The number of a kind among those of the pattern so far; a new one is added. They are fewer than
 * TF_MIXERS x TF_FEEDS. */
static uint8_t number_of(struct tf_model *model, struct tf_kind kind)
{
    const struct tf_kind *known = &model->kind[TF_FIRST_KIND];
    uint32_t k = 0;
    while (k < model->pattern_kinds &&
           (known[k].mixer != kind.mixer || known[k].feed != kind.feed)) {
        k++;
    }
    model->kind[TF_FIRST_KIND + k] = kind;
    model->pattern_kinds = k < model->pattern_kinds ? model->pattern_kinds : k + 1;
    return (uint8_t)k;
}

static enum orr_status fail(const struct orr_conf *map, struct orr_diag *diag, const char *found)
{
    return orr_gen_fail(map, "pattern", diag,
                        "expected layers such as \"3 x attention+dense\", of attention, window, "
                        "chunk or mamba2 and dense or experts, or letters M (mamba2), * "
                        "(attention), E (experts), - (dense), got \"%s\"",
                        found);
}

/* Adds `count` layers of a kind; false if the model has not as many. */
static bool add_layers(struct tf_model *model, uint8_t *pattern, struct tf_kind kind,
                       uint64_t count)
{
    if (count > model->layers - model->period) {
        return false;
    }
    memset(pattern + model->period, number_of(model, kind), count);
    model->period += (uint32_t)count;
    return true;
}

static enum orr_status fill(const struct orr_conf *map, const struct orr_conf_list *words,
                            uint8_t *pattern, struct tf_model *model, struct orr_diag *diag)
{
    const char *const *text = words->values;
    const size_t entries = is_letters(words) ? strlen(text[0]) : words->count;
    for (size_t i = 0; i < entries; i++) {
        uint64_t count = 1;
        struct tf_kind kind;
        if (is_letters(words)) {
            kind = of_letter[strchr(LETTERS, text[0][i]) - LETTERS];
        } else if (!parse_kind(parse_count(text[i], &count), &kind) || count == 0) {
            return fail(map, diag, text[i]);
        }
        if (!add_layers(model, pattern, kind, count)) {
            return orr_gen_fail(map, "pattern", diag,
                                "has more layers than the model, which has %" PRIu32,
                                model->layers);
        }
    }
    return ORR_OK;
}

enum orr_status orr_transformer_read_mtp_layer(const struct orr_conf *map, const char *text,
                                               struct tf_model *model, struct orr_diag *diag)
{
    return parse_kind(text, &model->mtp_layer)
               ? ORR_OK
               : orr_gen_fail(map, "mtp_layer", diag,
                              "expected a layer such as \"attention+experts\", of attention, "
                              "window, chunk or mamba2 and dense or experts, got \"%s\"",
                              text);
}

enum orr_status orr_transformer_read_pattern(struct orr_arena *arena, const struct orr_conf *map,
                                             const struct orr_conf_list *words,
                                             struct tf_model *model, struct orr_diag *diag)
{
    if (words->count == 0) {
        return ORR_OK;
    }
    uint8_t *pattern = orr_arena_alloc(arena, model->layers);
    model->period = model->pattern_kinds = 0;
    model->pattern = pattern;
    return pattern != NULL ? fill(map, words, pattern, model, diag)
                           : orr_diag_no_memory(diag, "a pattern of layers");
}
