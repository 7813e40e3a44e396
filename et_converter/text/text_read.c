/* Reader of ASTRA-sim 1.0 text workloads; see text.h. */
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/time.h"
#include "et_converter/text/text.h"
#include "et_converter/text/tokenizer.h"

enum { MAX_LAYERS = 10000000, WHAT_BYTES = 160, MAX_NPUS = INT32_MAX };

static const char *const policy_names[TEXT_POLICIES] = {"DATA",
                                                        "MODEL",
                                                        "HYBRID_DATA_MODEL",
                                                        "HYBRID_MODEL_DATA",
                                                        "HYBRID_DLRM",
                                                        "HYBRID_DLRM_ENHANCED",
                                                        "HYBRID_TRANSFORMER",
                                                        "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                                        "HYBRID_CUSTOMIZED",
                                                        "MICRO",
                                                        "DISTRIBUTED_INFERENCE"};

static const char *const collective_names[TEXT_COLLECTIVES] = {
    "NONE", "ALLREDUCE", "ALLTOALL", "ALLREDUCEALLTOALL", "ALLGATHER", "REDUCESCATTER"};

static const char *const phase_names[TEXT_PHASES] = {"forward", "input gradient",
                                                     "weight gradient"};

const char *orr_text_policy_name(enum text_policy policy)
{
    return policy_names[policy];
}

const char *orr_text_collective_name(enum text_collective collective)
{
    return collective_names[collective];
}

const char *orr_text_phase_name(enum text_phase phase)
{
    return phase_names[phase];
}

struct text_reader {
    struct orr_arena *arena;
    struct conv_tokenizer words;
    struct text_model *model;
    struct orr_diag *diag;
    /* lists of the first line, applied once the layers are known */
    struct conv_tokenizer checkpoints, recomputes;
};

/* ---- words ---- */

static unsigned find_name(const char *const *names, unsigned count, const struct conv_token *word)
{
    unsigned i = 0;
    while (i < count && !orr_convert_token_is(word, names[i])) {
        i++;
    }
    return i;
}

/* Fails for a word that is none of the names; suggests the nearest one. */
static enum orr_status fail_name(struct text_reader *reader, const struct conv_token *word,
                                 const char *what, const char *const *names, unsigned count)
{
    char shown[CONV_TOKEN_BYTES];
    const char *nearest = word->length > 0
                              ? orr_nearest_name(orr_convert_token_text(word, shown), names, count)
                              : NULL;
    char expected[512] = "";
    size_t used = 0;
    for (unsigned i = 0; i < count && used < sizeof expected; i++) {
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 names[i]);
    }
    const enum orr_status status =
        orr_convert_token_fail(&reader->words, word, what, expected, reader->diag);
    if (nearest != NULL) {
        orr_diag_append(reader->diag, "; did you mean \"%s\"?", nearest);
    }
    return status;
}

static enum orr_status read_number(struct text_reader *reader, const char *what, uint64_t max,
                                   uint64_t *out)
{
    struct conv_token word;
    (void)orr_convert_tokenizer_next(&reader->words, &word);
    if (orr_convert_token_number(&word, max, out)) {
        return ORR_OK;
    }
    char expected[80];
    (void)snprintf(expected, sizeof expected, "a whole number from 0 to %llu",
                   (unsigned long long)max);
    return orr_convert_token_fail(&reader->words, &word, what, expected, reader->diag);
}

/* ---- the first line ---- */

static enum orr_status read_value(struct text_reader *reader, const struct conv_token *key,
                                  uint64_t min, uint32_t *out)
{
    struct conv_token word;
    uint64_t value = 0;
    char what[CONV_TOKEN_BYTES], expected[64];
    (void)orr_convert_tokenizer_next_in_line(&reader->words, &word);
    if (orr_convert_token_number(&word, MAX_NPUS, &value) && value >= min) {
        *out = (uint32_t)value;
        return ORR_OK;
    }
    (void)snprintf(expected, sizeof expected, "a whole number from %u to %d", (unsigned)min,
                   MAX_NPUS);
    (void)orr_convert_token_text(key, what);
    what[strcspn(what, ":")] = '\0';
    return orr_convert_token_fail(&reader->words, &word, what, expected, reader->diag);
}

/* "checkpoints: 3 0 9 18": stores the position of the numbers. */
static enum orr_status read_list(struct text_reader *reader, const struct conv_token *key,
                                 struct conv_tokenizer *list)
{
    uint32_t count = 0, number;
    enum orr_status status = read_value(reader, key, 0, &count);
    *list = reader->words;
    for (uint32_t i = 0; i < count && status == ORR_OK; i++) {
        status = read_value(reader, key, 0, &number);
    }
    list->count = status == ORR_OK ? reader->words.at : list->at;
    return status;
}

static enum orr_status read_key(struct text_reader *reader, const struct conv_token *key)
{
    struct text_model *model = reader->model;
    uint32_t ignored;
    const struct {
        const char *name;
        uint32_t *value;
        bool extended;
    } keys[] = {{"model_parallel_NPU_group:", &model->model_group, false},
                {"ep:", &model->expert, true},
                {"pp:", &model->stages, true},
                {"all_gpus:", &model->all_npus, true},
                {"vpp:", &ignored, true},
                {"ga:", &ignored, true}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (orr_convert_token_is(key, keys[i].name)) {
            model->extended = model->extended || keys[i].extended;
            return read_value(reader, key, 1, keys[i].value);
        }
    }
    if (orr_convert_token_is(key, "checkpoints:")) {
        return read_list(reader, key, &reader->checkpoints);
    }
    if (orr_convert_token_is(key, "checkpoint_initiates:")) {
        return read_list(reader, key, &reader->recomputes);
    }
    struct conv_token word; /* other keys of SimAI, such as "pp_comm: 4096" and "mode: 1" */
    if (key->text[key->length - 1] == ':' || orr_convert_token_is(key, "pp_comm")) {
        return orr_convert_tokenizer_next_in_line(&reader->words, &word)
                   ? ORR_OK
                   : orr_convert_token_fail(&reader->words, &word, "the first line", "a value",
                                            reader->diag);
    }
    return orr_convert_token_fail(&reader->words, key, "the first line", "a key such as \"ep:\"",
                                  reader->diag);
}

static enum orr_status read_transformer(struct text_reader *reader, const struct conv_token *policy)
{
    struct conv_token word;
    enum orr_status status = ORR_OK;
    while (status == ORR_OK && orr_convert_tokenizer_next_in_line(&reader->words, &word)) {
        status = read_key(reader, &word);
    }
    if (status == ORR_OK && reader->model->model_group == 0) {
        const struct orr_location place =
            orr_location_text(reader->words.name, policy->line, policy->column);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s needs \"model_parallel_NPU_group: N\" behind it",
                             orr_text_policy_name(reader->model->policy));
    }
    return status;
}

static enum orr_status read_dlrm(struct text_reader *reader, const struct conv_token *policy)
{
    struct conv_tokenizer before = reader->words;
    struct conv_token word;
    if (!orr_convert_tokenizer_next_in_line(&reader->words, &word) ||
        !orr_convert_token_is(&word, "DLRM_LAST_BOTTOM_LAYER:")) {
        reader->words = before;
    }
    return read_value(reader, policy, 0, &reader->model->last_bottom_layer);
}

static enum orr_status read_first_line(struct text_reader *reader)
{
    struct conv_token word;
    (void)orr_convert_tokenizer_next(&reader->words, &word);
    const unsigned policy = find_name(policy_names, TEXT_POLICIES, &word);
    if (policy == TEXT_POLICIES) {
        return fail_name(reader, &word, "the policy", policy_names, TEXT_POLICIES);
    }
    reader->model->policy = (enum text_policy)policy;
    enum orr_status status = ORR_OK;
    if (policy == TEXT_TRANSFORMER || policy == TEXT_RECOMPUTE) {
        status = read_transformer(reader, &word);
    } else if (policy == TEXT_DLRM || policy == TEXT_DLRM_ENHANCED) {
        status = read_dlrm(reader, &word);
    }
    if (status == ORR_OK && orr_convert_tokenizer_next_in_line(&reader->words, &word)) {
        return orr_convert_token_fail(&reader->words, &word, "the first line", "nothing more",
                                      reader->diag);
    }
    return status;
}

/* ---- layers ---- */

/* Removes a suffix; of suffixes that end alike, try the longest first. */
static bool split_suffix(struct conv_token *word, const char *suffix)
{
    const size_t length = strlen(suffix);
    if (word->length <= length || memcmp(word->text + word->length - length, suffix, length) != 0) {
        return false;
    }
    word->length -= length;
    return true;
}

static enum orr_status read_collective(struct text_reader *reader, const char *what,
                                       struct text_work *work)
{
    struct conv_token word;
    (void)orr_convert_tokenizer_next(&reader->words, &word);
    const struct conv_token full_word = word;
    if (reader->model->extended) {
        work->scope = split_suffix(&word, "_DP_EP") ? TEXT_EXPERT_DATA_GROUP
                      : split_suffix(&word, "_EP")  ? TEXT_EXPERT_GROUP
                                                    : TEXT_NO_SCOPE;
    }
    const unsigned collective = find_name(collective_names, TEXT_COLLECTIVES, &word);
    work->collective = (uint8_t)collective;
    return collective < TEXT_COLLECTIVES
               ? ORR_OK
               : fail_name(reader, &full_word, what, collective_names, TEXT_COLLECTIVES);
}

static enum orr_status read_work(struct text_reader *reader, const char *layer,
                                 enum text_phase phase, struct text_work *work)
{
    char what[WHAT_BYTES];
    (void)snprintf(what, sizeof what, "%s: time of the %s", layer, orr_text_phase_name(phase));
    enum orr_status status = read_number(reader, what, ORR_TIME_MAX / 1000, &work->cycles);
    if (status == ORR_OK) {
        (void)snprintf(what, sizeof what, "%s: communication of the %s", layer,
                       orr_text_phase_name(phase));
        status = read_collective(reader, what, work);
    }
    if (status == ORR_OK) {
        (void)snprintf(what, sizeof what, "%s: bytes of the %s", layer, orr_text_phase_name(phase));
        status = read_number(reader, what, INT64_MAX, &work->bytes);
    }
    return status;
}

/* Reads the policy of a layer in HYBRID_CUSTOMIZED, which needs no number. */
static enum orr_status read_layer_policy(struct text_reader *reader, const char *what,
                                         struct text_layer *layer)
{
    static const char *const names[] = {"DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA"};
    struct conv_token word;
    (void)orr_convert_tokenizer_next(&reader->words, &word);
    const unsigned policy = find_name(names, 4, &word);
    layer->policy = (uint8_t)policy; /* the first four of enum text_policy */
    return policy < 4 ? ORR_OK : fail_name(reader, &word, what, names, 4);
}

static enum orr_status read_dependency(struct text_reader *reader, const char *what)
{
    struct conv_token word;
    uint64_t number;
    (void)orr_convert_tokenizer_next(&reader->words, &word);
    return orr_convert_token_is(&word, "-1") || orr_convert_token_number(&word, MAX_LAYERS, &number)
               ? ORR_OK
               : orr_convert_token_fail(&reader->words, &word, what, "-1 (reserved)", reader->diag);
}

static enum orr_status read_layer(struct text_reader *reader, uint32_t index,
                                  struct text_layer *layer)
{
    struct conv_token word;
    char what[WHAT_BYTES], label[WHAT_BYTES / 2], shown[CONV_TOKEN_BYTES];
    (void)snprintf(what, sizeof what, "layer %u of %u", index, reader->model->layers);
    if (!orr_convert_tokenizer_next(&reader->words, &word)) {
        return orr_convert_token_fail(&reader->words, &word, what, "its name", reader->diag);
    }
    layer->name = orr_arena_strndup(reader->arena, word.text, word.length);
    if (layer->name == NULL) {
        return orr_diag_no_memory(reader->diag, "layers");
    }
    (void)snprintf(label, sizeof label, "layer %u (%s)", index,
                   orr_convert_token_text(&word, shown));
    (void)snprintf(what, sizeof what, "%s: dependency", label);
    enum orr_status status = read_dependency(reader, what);
    for (unsigned phase = 0; phase < TEXT_PHASES && status == ORR_OK; phase++) {
        status = read_work(reader, label, (enum text_phase)phase, &layer->work[phase]);
    }
    (void)snprintf(what, sizeof what, "%s: time of the update", label);
    if (status == ORR_OK) {
        status = read_number(reader, what, ORR_TIME_MAX / 1000, &layer->update_cycles);
    }
    layer->policy = (uint8_t)reader->model->policy;
    if (status == ORR_OK && reader->model->policy == TEXT_CUSTOMIZED) {
        (void)snprintf(what, sizeof what, "%s: its policy", label);
        status = read_layer_policy(reader, what, layer);
    }
    return status;
}

/* Memory grows with the layers in the file, not with the number that the file claims. */
static enum orr_status read_layers(struct text_reader *reader)
{
    struct text_model *model = reader->model;
    uint64_t layers = 0;
    size_t capacity = 0;
    enum orr_status status = read_number(reader, "the number of layers", MAX_LAYERS, &layers);
    if (status == ORR_OK && layers == 0) {
        const struct orr_location place =
            orr_location_text(reader->words.name, reader->words.line, reader->words.column);
        status = orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                               "the number of layers: expected at least 1, got 0");
    }
    model->layers = (uint32_t)layers;
    for (uint32_t i = 0; i < model->layers && status == ORR_OK; i++) {
        struct text_layer *grown =
            orr_arena_grow(reader->arena, model->layer, &capacity, (size_t)i + 1, sizeof *grown);
        if (grown == NULL) {
            return orr_diag_no_memory(reader->diag, "layers");
        }
        model->layer = grown;
        grown[i] = (struct text_layer){.name = ""};
        status = read_layer(reader, i, &grown[i]);
    }
    return status;
}

static enum orr_status mark(struct text_reader *reader, struct conv_tokenizer list, bool recomputes)
{
    struct conv_token word;
    while (orr_convert_tokenizer_next(&list, &word)) {
        uint64_t index = 0;
        char expected[64];
        if (!orr_convert_token_number(&word, reader->model->layers - 1, &index)) {
            (void)snprintf(expected, sizeof expected, "a layer from 0 to %u",
                           reader->model->layers - 1);
            return orr_convert_token_fail(&list, &word,
                                          recomputes ? "checkpoint_initiates" : "checkpoints",
                                          expected, reader->diag);
        }
        struct text_layer *layer = &reader->model->layer[index];
        *(recomputes ? &layer->recomputes : &layer->checkpoint) = true;
    }
    return ORR_OK;
}

static enum orr_status check_end(struct text_reader *reader)
{
    struct conv_token word;
    char expected[64];
    if (!orr_convert_tokenizer_next(&reader->words, &word)) {
        return ORR_OK;
    }
    (void)snprintf(expected, sizeof expected, "the end of the file behind %u layers",
                   reader->model->layers);
    return orr_convert_token_fail(&reader->words, &word, "behind the last layer", expected,
                                  reader->diag);
}

/* Checks that each recomputing layer has a checkpoint at or before it. */
static enum orr_status check_recomputation(const struct text_reader *reader)
{
    const struct text_model *model = reader->model;
    bool checkpoint = false;
    for (uint32_t i = 0; i < model->layers; i++) {
        checkpoint = checkpoint || model->layer[i].checkpoint;
        if (model->layer[i].recomputes && !checkpoint) {
            const struct orr_location place = orr_location_text(model->name, 1, 1);
            return orr_diag_fail(
                reader->diag, ORR_ERR_INPUT, &place,
                "checkpoint_initiates: no checkpoint is at or before layer %u (%s)", i,
                model->layer[i].name);
        }
    }
    return ORR_OK;
}

static enum orr_status check_bottom(const struct text_reader *reader)
{
    const struct text_model *model = reader->model;
    if (model->last_bottom_layer < model->layers) {
        return ORR_OK;
    }
    const struct orr_location place = orr_location_text(model->name, 1, 1);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                         "%s: expected a layer from 0 to %u as the last of the bottom, got %u",
                         orr_text_policy_name(model->policy), model->layers - 1,
                         model->last_bottom_layer);
}

enum orr_status orr_text_read(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                              struct text_model *model, struct orr_diag *diag)
{
    *model = (struct text_model){.name = bytes->name, .expert = 1, .stages = 1};
    struct text_reader reader = {.arena = arena, .model = model, .diag = diag};
    orr_convert_tokenizer_init(&reader.words, bytes->name, bytes->data, bytes->count);
    orr_convert_tokenizer_init(&reader.checkpoints, bytes->name, NULL, 0);
    orr_convert_tokenizer_init(&reader.recomputes, bytes->name, NULL, 0);
    enum orr_status status = read_first_line(&reader);
    if (status == ORR_OK) {
        status = read_layers(&reader);
    }
    if (status == ORR_OK) {
        status = check_end(&reader);
    }
    if (status == ORR_OK) {
        status = mark(&reader, reader.checkpoints, false);
    }
    if (status == ORR_OK) {
        status = mark(&reader, reader.recomputes, true);
    }
    if (status == ORR_OK) {
        status = check_recomputation(&reader);
    }
    return status == ORR_OK ? check_bottom(&reader) : status;
}
