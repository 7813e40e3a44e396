/* Parameters and operations of models from their config.json: published counts, and sums by hand.
 * The numbers of a configuration are facts of the models named. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/launch/hugging_face_config.h"
#include "tests/unit/model_configs.h"

static const struct model *find(const char *name)
{
    const struct model *model = models;
    while (strcmp(model->name, name) != 0) {
        model++;
    }
    return model;
}

struct read {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct orr_hugging_face model;
    struct orr_shape_counts counts;
    char text[4096];
    char warning[512];
};

static void keep_warning(void *user, const char *text)
{
    (void)strncat(((struct read *)user)->warning, text, sizeof((struct read *)user)->warning - 1);
}

/* Reads a configuration written with ' for ". */
static enum orr_status read_text(struct read *read, const char *config, uint64_t sequence)
{
    memset(read, 0, sizeof *read);
    orr_diag_init(&read->diag);
    read->diag.warn = keep_warning;
    read->diag.warn_user = read;
    read->arena = orr_arena_create();
    assert_non_null(read->arena);
    assert_true(strlen(config) < sizeof read->text);
    (void)strcpy(read->text, config);
    for (char *at = read->text; (at = strchr(at, '\'')) != NULL;) {
        *at = '"';
    }
    json_t *root = orr_config_parse("config.json", read->text, strlen(read->text), &read->diag);
    if (root != NULL && orr_hugging_face_read("config.json", root, read->arena, &read->model,
                                              &read->diag) == ORR_OK) {
        orr_shape_count(&read->model.shape, sequence, &read->counts);
    }
    json_decref(root);
    return read->diag.status;
}

static void test_published_models_have_their_parameters_to_the_digit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct model *model = &models[i];
        struct read read;
        if (read_text(&read, model->config, model->sequence) != ORR_OK) {
            fail_msg("%s: %s", model->name, read.diag.message);
        }
        if (read.counts.parameters != model->parameters ||
            (model->active != 0 && read.counts.active_parameters != model->active)) {
            fail_msg("%s: expected %llu, active %llu, got %llu, active %llu", model->name,
                     (unsigned long long)model->parameters, (unsigned long long)model->active,
                     (unsigned long long)read.counts.parameters,
                     (unsigned long long)read.counts.active_parameters);
        }
        assert_string_equal(read.warning, "");
        orr_arena_destroy(read.arena);
    }
}

static void test_operations_of_published_models(void **state)
{
    (void)state;
    unsigned compared = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct model *model = &models[i];
        struct read read;
        assert_int_equal(read_text(&read, model->config, model->sequence), ORR_OK);
        const double gflops = (read.counts.product_flops + read.counts.mixer_flops) / 1e9;
        if (model->gflops > 0 && fabs(gflops - model->gflops) > 0.0011) {
            fail_msg("%s: expected %.3f GFLOP a token, got %.3f", model->name, model->gflops,
                     gflops);
        }
        compared += model->gflops > 0 ? 1 : 0;
        orr_arena_destroy(read.arena);
    }
    assert_true(compared >= 13);
}

/* DeepSeek-V3's module: 2 h x h = 102,760,448, a layer with 257 experts, five norms. */
static void test_multi_token_prediction_is_counted_beside(void **state)
{
    (void)state;
    struct read read;
    assert_int_equal(read_text(&read, find("dsv3")->config, 4096), ORR_OK);
    assert_int_equal(read.counts.mtp_parameters, 11610068224u);
    assert_true(
        fabs((read.counts.product_flops + read.counts.mixer_flops + read.counts.mtp_flops) / 1e9 -
             259.992) < 0.001);
    assert_true(read.counts.kv_bytes == 70272);
    orr_arena_destroy(read.arena);
}

/* Gemma 3 4B leaves out its vocabulary and heads; the tower is listed as not understood. */
static void test_what_a_published_file_leaves_out(void **state)
{
    (void)state;
    struct read read;
    assert_int_equal(
        read_text(&read,
                  "{'model_type': 'gemma3', 'text_config': {'model_type': 'gemma3_text', "
                  "'hidden_size': 2560, 'intermediate_size': 10240, 'num_hidden_layers': 34, "
                  "'sliding_window': 1024}, 'vision_config': {'hidden_size': 1152}}",
                  4096),
        ORR_OK);
    /* 262208 x 2560; 34 x (15,728,640 + 78,643,200 + 10,752); 2560 */
    assert_int_equal(read.counts.parameters, 3880263168u);
    assert_int_equal(read.model.ignoreds, 1);
    assert_string_equal(read.model.ignored[0], "vision_config");
    orr_arena_destroy(read.arena);
}

static void test_keys_that_are_not_understood_are_listed(void **state)
{
    (void)state;
    struct read read;
    assert_int_equal(
        read_text(
            &read,
            "{'model_type': 'llama', 'num_hidden_layers': 2, 'hidden_size': 64, 'vocab_size': "
            "100, 'num_attention_heads': 4, 'rms_norm_eps': 1e-5, 'engram_size': 7}",
            16),
        ORR_OK);
    assert_int_equal(read.model.ignoreds, 1);
    assert_string_equal(read.model.ignored[0], "engram_size");
    assert_true(read.model.understoods >= 4);
    orr_arena_destroy(read.arena);
}

static void test_an_unknown_type_is_read_as_llama_with_a_warning(void **state)
{
    (void)state;
    struct read read;
    assert_int_equal(
        read_text(&read,
                  "{'model_type': 'novel', 'num_hidden_layers': 1, 'hidden_size': 8, "
                  "'vocab_size': 10, 'num_attention_heads': 2, 'intermediate_size': 4}",
                  16),
        ORR_OK);
    assert_non_null(strstr(read.warning, "model_type \"novel\" is not known"));
    /* 2 x 80 of embedding and head, 4 x 64 of attention, 3 x 32, 3 norms of 8 */
    assert_int_equal(read.counts.parameters, 160 + 256 + 96 + 24);
    orr_arena_destroy(read.arena);
}

static void assert_refused(const char *config, const char *why)
{
    struct read read;
    assert_int_equal(read_text(&read, config, 16), ORR_ERR_INPUT);
    if (strstr(read.diag.message, why) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", why, read.diag.message);
    }
    assert_string_equal(read.diag.place.file, "config.json");
    orr_arena_destroy(read.arena);
}

static void test_bad_files_are_refused_by_key(void **state)
{
    (void)state;
    assert_refused("{'model_type': 'llama', 'num_hidden_layers': 2", "expected a JSON object: ");
    assert_refused("[1]", "expected a JSON object");
    assert_refused(
        "{'model_type': 'vit', 'hidden_size': 768, 'image_size': 224}",
        "image_size: a language model is expected, this is one of pictures or sound: vit");
    assert_refused("{'model_type': 'llama', 'num_hidden_layers': 1, 'num_hidden_layers': 2}",
                   "expected a JSON object: duplicate object key");
    assert_refused(
        "{'model_type': 'llama', 'num_hidden_layers': 1, 'hidden_size': 64, 'vocab_size': "
        "10, 'num_attention_heads': 4, 'num_key_value_heads': 3}",
        "num_key_value_heads: expected a divisor of 4 heads, got 3");
    assert_refused("{'model_type': 'llama'}",
                   "num_hidden_layers: expected a whole number from 1 to "
                   "4096, the key is missing");
    assert_refused("{'model_type': 'llama', 'num_hidden_layers': '32'}",
                   "num_hidden_layers: expected a whole number from 1 to 4096, got \"32\"");
    assert_refused("{'model_type': 'llama', 'num_hidden_layers': 1, 'hidden_size': 0}",
                   "hidden_size: expected a whole number from 1");
    assert_refused("{'model_type': 'nemotron_h', 'num_hidden_layers': 2, 'hidden_size': 8, "
                   "'vocab_size': 10, 'num_attention_heads': 2, 'hybrid_override_pattern': 'M'}",
                   "hybrid_override_pattern: expected 2 letters (num_hidden_layers), got 1");
    assert_refused("{'model_type': 'mixtral', 'num_hidden_layers': 2, 'hidden_size': 8, "
                   "'vocab_size': 10, 'num_attention_heads': 2, 'num_local_experts': 4, "
                   "'num_experts_per_tok': 5}",
                   "num_experts_per_tok: expected a whole number from 1 to 4, got 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_models_have_their_parameters_to_the_digit),
        cmocka_unit_test(test_operations_of_published_models),
        cmocka_unit_test(test_multi_token_prediction_is_counted_beside),
        cmocka_unit_test(test_what_a_published_file_leaves_out),
        cmocka_unit_test(test_keys_that_are_not_understood_are_listed),
        cmocka_unit_test(test_an_unknown_type_is_read_as_llama_with_a_warning),
        cmocka_unit_test(test_bad_files_are_refused_by_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
