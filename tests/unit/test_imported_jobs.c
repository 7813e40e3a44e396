/* Jobs that import writes for published models: parameters and operations of the job are those that
 * are counted from the configuration, and those published. */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/model_configs.h"
#include "tests/unit/model_fixture.h"

#include "study/import/import_study.h"
#include "workload/gen/transformer.h"

struct imported {
    struct orr_import_study study;
    char config[4096];
    char *job;
    size_t bytes;
};

/* The job of a configuration; false if none can be written. */
static bool import(struct fixture *fixture, const struct model *model, struct imported *out)
{
    memset(out, 0, sizeof *out);
    out->study.arena = fixture->arena;
    out->study.sequence = model->sequence;
    assert_true(strlen(model->config) < sizeof out->config);
    (void)strcpy(out->config, model->config);
    for (char *at = out->config; (at = strchr(at, '\'')) != NULL;) {
        *at = '"';
    }
    assert_int_equal(orr_launch_parse(model->name, out->config, strlen(out->config), fixture->arena,
                                      &out->study.launch, &fixture->diag),
                     ORR_OK);
    orr_shape_count(&out->study.launch.shape, model->sequence, &out->study.counts);
    if (orr_import_not_generated(&out->study) != NULL) {
        return false;
    }
    FILE *file = open_memstream(&out->job, &out->bytes);
    assert_non_null(file);
    assert_int_equal(orr_import_workload(file, &out->study), 0);
    assert_int_equal(fclose(file), 0);
    return true;
}

static struct gen_model job_of(struct fixture *fixture, const struct imported *imported)
{
    struct gen_model model;
    const struct orr_conf *map = parse(fixture, imported->job);
    (void)read_sections(fixture, orr_conf_get(map, "workload"), 1, &model);
    if (fixture->diag.message[0] != '\0') {
        fail_msg("%s\n%s", fixture->diag.message, imported->job);
    }
    return model;
}

static const struct model *find(const char *name)
{
    const struct model *model = models;
    while (strcmp(model->name, name) != 0) {
        model++;
    }
    return model;
}

/* Relative; sums of products of sizes are exact in 53 bits but for the largest. */
static void assert_near(const char *name, const char *what, double found, double expected,
                        double most)
{
    if (fabs(found - expected) > most * expected) {
        fail_msg("%s: %s: expected %.17g, got %.17g", name, what, expected, found);
    }
}

static void test_jobs_have_the_counts_of_their_configurations(void **state)
{
    struct fixture *fixture = *state;
    unsigned jobs = 0, published = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct imported imported;
        clear(fixture);
        if (!import(fixture, &models[i], &imported)) {
            continue;
        }
        const struct gen_model model = job_of(fixture, &imported);
        const struct gen_totals totals = totals_of(&model);
        const struct orr_shape_counts *counts = &imported.study.counts;
        const char *name = models[i].name;
        const double flops = totals.model_flops / totals.tokens;
        assert_near(name, "parameters", totals.parameters, (double)models[i].parameters, 0);
        assert_near(name, "active", totals.active_parameters, (double)counts->active_parameters, 0);
        assert_near(name, "modules", totals.mtp_parameters, (double)counts->mtp_parameters, 0);
        assert_near(name, "operations", flops,
                    counts->product_flops + counts->mixer_flops + counts->mtp_flops, 1e-12);
        if (models[i].gflops > 0) {
            assert_near(name, "published", flops - counts->mtp_flops, models[i].gflops * 1e9, 1e-3);
            published++;
        }
        free(imported.job);
        jobs++;
    }
    print_message("%u jobs of %zu models\n", jobs, sizeof models / sizeof *models);
    assert_true(jobs >= 26 && published >= 13);
}

/* ---- models that ship ---- */

static const struct {
    const char *name; /* inputs/models/NAME.yml */
    double parameters, active, modules;
    double gflops; /* a token of a training step, modules included; 0: not compared */
} shipped[] = {{"llama3_8b", 8030261248, 8030261248, 0, 51.470},
               {"llama3_70b", 70553706496, 70553706496, 0, 449.223},
               {"llama3_405b", 405853388800, 405853388800, 0, 2523.956},
               {"mixtral_8x7b", 46702792704, 12879925248, 0, 79.706},
               {"mixtral_8x22b", 140630071296, 39161468928, 0, 242.196},
               {"deepseek_v3", 671026419200, 37552297472, 11610068224, 259.992},
               {"kimi_k2", 1026408232448, 32861500928, 0, 204.477},
               {"qwen3_30b_a3b", 30532122624, 3353032704, 0, 23.006},
               {"qwen3_235b_a22b", 235093634560, 22190763520, 0, 148.035},
               {"gpt_oss_120b", 116829156672, 5711982912, 0, 32.630},
               {"gpt_oss_20b", 20914757184, 4187440704, 0, 0},
               {"llama4_scout", 107769861120, 17172894720, 0, 108.884},
               {"llama4_maverick", 400711848960, 17184691200, 0, 0},
               {"gemma3_27b", 27009346304, 27009346304, 0, 0},
               {"nemotron3_nano", 31577940288, 3580076352, 0, 20.775},
               {"nemotron3_super", 120668707840, 12770237440, 0, 75.372},
               {"nemotron3_ultra", 549308993536, 56058843136, 0, 335.611},
               /* each of two modules: 2 h^2, 3 norms, attention 23,396,352 + h, experts 128 x
                * 9,977,856 + 19,955,712 + 344,192 + h; operations of a token 3.0213 G */
               {"nemotron3_5_lightning", 31577940288, 3580076352, 2670651904, 26.818}};

static void test_models_that_ship_have_their_published_counts(void **state)
{
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "inputs/models/%s.yml", shipped[i].name);
        const struct gen_model model = load_model(*state, 1, path);
        const struct gen_totals totals = totals_of(&model);
        const double flops = totals.model_flops / totals.tokens;
        assert_near(path, "parameters", totals.parameters, shipped[i].parameters, 0);
        assert_near(path, "active", totals.active_parameters, shipped[i].active, 0);
        assert_near(path, "modules", totals.mtp_parameters, shipped[i].modules, 0);
        if (shipped[i].gflops > 0) {
            assert_near(path, "operations", flops, shipped[i].gflops * 1e9, 1e-4);
        }
    }
}

/* ---- bytes kept ---- */

/* Of a token in a layer, for the backward pass. */
static uint64_t kept_of_token(const struct gen_model *model, uint32_t layer)
{
    const struct tf_job *job = model->job;
    struct tf_ops ops;
    uint64_t kept = 0;
    orr_transformer_layer_ops(job, orr_transformer_kind_of(&job->model, layer), &ops);
    for (unsigned i = 0; i < ops.count; i++) {
        kept += ops.op[i].kept_bytes;
    }
    assert_int_equal(kept % job->model.sequence, 0);
    return kept / job->model.sequence;
}

/* DeepSeek-V3, a layer with experts: norms 4 x 14,336; low ranks 3,072 + 3,072 + 1,152 + 1,024;
 * queries and keys 49,152 each, values, result 32,768 each, sums 512; experts' input 8 x 14,336, up
 * and gate 65,536, activation 32,768; shared 8,192 + 4,096. Qwen3 30B: norms 16,384, attention
 * 27,648 with queries and keys before their norm, experts 32,768 + 36,864. Llama 3 405B: (5 h + a d
 * + 2 k d + 2 f) e: the product with the gate is made again; kept, f e more. */
static void test_bytes_kept_of_a_layer(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *name;
        uint32_t layer;
        uint64_t bytes;
    } cases[] = {{"dsv3", 30, 455296}, {"q30", 7, 113664}, {"llama405b", 100, 413696}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct imported imported;
        clear(fixture);
        assert_true(import(fixture, find(cases[i].name), &imported));
        const struct gen_model model = job_of(fixture, &imported);
        assert_int_equal(kept_of_token(&model, cases[i].layer), cases[i].bytes);
        free(imported.job);
    }
}

/* DeepSeek-V3's layer without the up-projections of attention, then also without the activation of
 * experts, then also without the outputs of norms; without the parts with experts. */
static void test_bytes_kept_where_modules_are_computed_again(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *name, *training;
        uint64_t bytes;
    } cases[] = {
        {"dsv3", "recompute: selective\n    recompute_modules: mla_up_proj", 324224},
        {"dsv3", "recompute: selective\n    recompute_modules: [mla_up_proj, moe_act]", 291456},
        {"dsv3", "recompute: selective\n    recompute_modules: [mla_up_proj, moe_act, layernorm]",
         262784},
        {"dsv3", "recompute: selective\n    recompute_modules: shared_experts", 455296 - 12288},
        {"dsv3", "recompute: selective\n    recompute_modules: moe", 455296 - 12288 - 212992},
        {"llama405b", "keep_gated: true", 520192},
        {"llama405b", "recompute: selective\n    recompute_modules: mlp", 413696 - 2 * 2 * 53248}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct imported imported;
        clear(fixture);
        assert_true(import(fixture, find(cases[i].name), &imported));
        char *job = malloc(imported.bytes + 256);
        assert_non_null(job);
        const bool begun = strstr(imported.job, "  training:\n") != NULL;
        (void)snprintf(job, imported.bytes + 256, "%s%s    %s\n", imported.job,
                       begun ? "" : "  training:\n", cases[i].training);
        free(imported.job);
        imported.job = job;
        const struct gen_model model = job_of(fixture, &imported);
        assert_int_equal(kept_of_token(&model, 30), cases[i].bytes);
        free(imported.job);
    }
}

/* What is computed again: DeepSeek-V3's queries, keys and values, once, before attention's backward
 * pass; the exchanges in front of them, too. */
static void test_modules_run_again_before_they_are_needed(void **state)
{
    struct fixture *fixture = *state;
    static const char *const order[] = {
        "query input again", "query up again",   "key and value input again",
        "kv up again",       "rotary key again", "rotary keys again",
        "attention bwd"};
    static const char text[] =
        "transformer: {layers: 1, hidden: 512, heads: 8, attention: latent, query_rank: 128, "
        "kv_rank: 128, no_position_size: 64, rotary_size: 32, value_size: 64, sequence: 256, "
        "vocabulary: 0}\n"
        "parallel: {tensor: 4, sequence: true}\n"
        "training: {recompute: selective, recompute_modules: mla_up_proj}\n";
    const struct gen_model model = read_model(fixture, 4, text);
    const struct orr_trace *trace = trace_of(fixture, &model);
    unsigned found = 0;
    for (uint32_t i = 0; i < trace->nodes && found < 7; i++) {
        const char *name = trace->node[i].name;
        found += strstr(name, order[found]) != NULL ? 1 : 0;
    }
    assert_int_equal(found, 7);
}

/* Llama 3 405B as published (Dubey et al. 2024, table 4): 16,384 GPUs of 80 GB, no recomputation.
 */
static void test_llama3_405b_fits_80_gb_as_it_was_trained(void **state)
{
    struct fixture *fixture = *state;
    static const char *const schedules[] = {"1f1b", "interleaved, chunks: 8"};
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        clear(fixture);
        (void)snprintf(text, sizeof text,
                       "transformer: {layers: 126, hidden: 16384, heads: 128, kv_heads: 8, ffn: "
                       "53248, gated: true, sequence: 8192, vocabulary: 128256, tied: false, bias: "
                       "false, dropout: false, norm: rmsnorm, causal: true}\n"
                       "parallel: {tensor: 8, sequence: true, pipeline: 16, zero: 1, "
                       "embedding_as_layer: true, head_as_layer: true, schedule: %s}\n"
                       "training: {batch: 2048, gradient_bytes: 4}\n",
                       schedules[i]);
        const struct gen_model model = read_model(fixture, 16384, text);
        uint64_t bytes = 0, pool = 0;
        assert_true(orr_gen_model_bytes(&model, &bytes, &pool));
        print_message("%s: %.1f GB\n", schedules[i], (double)bytes / 1e9);
        assert_true(bytes < UINT64_C(80000000000) && bytes > UINT64_C(65000000000));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_jobs_have_the_counts_of_their_configurations),
        IN_FIXTURE(test_models_that_ship_have_their_published_counts),
        IN_FIXTURE(test_bytes_kept_of_a_layer),
        IN_FIXTURE(test_bytes_kept_where_modules_are_computed_again),
        IN_FIXTURE(test_modules_run_again_before_they_are_needed),
        IN_FIXTURE(test_llama3_405b_fits_80_gb_as_it_was_trained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
