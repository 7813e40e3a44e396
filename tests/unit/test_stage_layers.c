/* Layers of pipeline stages: as many each, spread, or as listed; with the embedding and the head as
 * layers. */
#include "orrery/orrery.h"
#include "tests/unit/model_fixture.h"
#include "workload/gen/transformer.h"

/* P = 4 x 64^2 + 2 x 64 x 256 + 4 x 64 = 49408 parameters a layer; a table of 640 words has 40960,
 * a final norm 128. */
#define MODEL                                                                                      \
    "transformer: {hidden: 64, heads: 8, sequence: 128, bias: false, tied: false, vocabulary: "

static struct gen_model job_of(struct fixture *fixture, uint32_t npus, const char *rest)
{
    char text[1024];
    (void)snprintf(text, sizeof text, MODEL "%s", rest);
    return read_model(fixture, npus, text);
}

/* Layers of the stages, and the first one of the last stage; the ranges lie side by side. */
static void assert_layers(const struct gen_model *model, const uint32_t *expected, uint32_t stages)
{
    const struct tf_job *job = model->job;
    const struct gen_row row = orr_transformer_row(&job->model);
    uint32_t next = 0, max = 0;
    for (uint32_t stage = 0; stage < stages; stage++) {
        const struct gen_range range = orr_gen_chunk_range(&job->plan, &row, stage, 0);
        assert_int_equal(range.first, next);
        assert_int_equal(range.end - range.first, expected[stage]);
        assert_int_equal(orr_gen_stage_layers(&job->plan, &row, stage), expected[stage]);
        next = range.end;
        max = expected[stage] > max ? expected[stage] : max;
    }
    assert_int_equal(next, job->model.layers);
    assert_int_equal(orr_gen_max_layers(&job->plan, &row), max);
}

/* Dubey et al. 2024, section 3.3.2: 126 layers on 16 stages, one less on the first and the last. */
static void test_uneven_llama_3_has_a_layer_less_at_both_ends(void **state)
{
    static const uint32_t layers[] = {7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7};
    const struct gen_model model =
        job_of(*state, 16, "640, layers: 126}\nparallel: {pipeline: 16, layers_per_stage: uneven}");
    assert_layers(&model, layers, 16);
}

/* BLOOM: 70 layers, the embedding and the head on 12 stages of 6. */
static void test_ends_as_layers_bloom_has_stages_of_six(void **state)
{
    static const uint32_t layers[] = {5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5};
    const struct gen_model model = job_of(*state, 12,
                                          "640, layers: 70}\nparallel: {pipeline: 12, "
                                          "embedding_as_layer: true, head_as_layer: true}");
    assert_layers(&model, layers, 12);
}

/* 4 q + r layers: r = 3: the last has less; 2: the first and the last; 1: the second has more, as
 * the last, the first and the third have less. */
static void test_uneven_remainders_go_to_the_middle(void **state)
{
    static const uint32_t layers[][4] = {{2, 2, 2, 2}, {2, 3, 2, 2}, {2, 3, 3, 2}, {3, 3, 3, 2}};
    for (uint32_t rest = 0; rest < 4; rest++) {
        char text[128];
        (void)snprintf(text, sizeof text,
                       "640, layers: %u}\nparallel: {pipeline: 4, layers_per_stage: uneven}",
                       8 + rest);
        const struct gen_model model = job_of(*state, 4, text);
        assert_layers(&model, layers[rest], 4);
    }
}

/* A stage may have the embedding alone, and the head alone. */
static void test_list_ends_as_layers_may_be_alone(void **state)
{
    static const uint32_t layers[] = {0, 2, 3, 0};
    const struct gen_model model =
        job_of(*state, 4,
               "640, layers: 5}\nparallel: {pipeline: 4, embedding_as_layer: true, "
               "head_as_layer: true, layers_per_stage: [1, 2, 3, 1]}");
    assert_layers(&model, layers, 4);
    /* weights of 2 bytes: a table; 2 P; 3 P; the final norm and the logits' matrix */
    static const uint64_t weights[] = {40960, 2 * 49408, 3 * 49408, 128 + 40960};
    for (uint32_t stage = 0; stage < 4; stage++) {
        struct gen_memory memory;
        assert_true(orr_gen_model_memory(&model, stage, &memory));
        assert_int_equal(memory.weights_bytes, 2 * weights[stage]);
        assert_int_equal(memory.optimizer_bytes, 12 * weights[stage]);
    }
}

/* Numbers are of the parts in the order of the model: with 2 chunks the first stage has the first
 * and the third. */
static void test_list_interleaved_parts_stand_in_the_models_order(void **state)
{
    const struct gen_model model =
        job_of(*state, 2,
               "640, layers: 8}\nparallel: {pipeline: 2, schedule: interleaved, "
               "layers_per_stage: [1, 2, 4, 1]}\ntraining: {batch: 2}");
    const struct tf_job *job = model.job;
    const struct gen_row row = orr_transformer_row(&job->model);
    static const uint32_t first[2][2] = {{0, 3}, {1, 7}}, end[2][2] = {{1, 7}, {3, 8}};
    for (uint32_t stage = 0; stage < 2; stage++) {
        for (uint32_t chunk = 0; chunk < 2; chunk++) {
            const struct gen_range range = orr_gen_chunk_range(&job->plan, &row, stage, chunk);
            assert_int_equal(range.first, first[stage][chunk]);
            assert_int_equal(range.end, end[stage][chunk]);
            assert_int_equal(range.embedding, stage == 0 && chunk == 0);
            assert_int_equal(range.head, stage == 1 && chunk == 1);
        }
    }
    assert_int_equal(orr_gen_max_layers(&job->plan, &row), 5);
}

/* Each layer's forward pass is on one stage, and the parameters of all stages are the model's. */
static void test_uneven_stages_are_the_whole_model(void **state)
{
    const struct gen_model model = job_of(
        *state, 4, "640, layers: 7}\nparallel: {pipeline: 4, layers_per_stage: [1, 3, 2, 1]}");
    static const uint32_t first[] = {0, 1, 4, 6, 7};
    double weights = 0;
    for (uint32_t stage = 0; stage < 4; stage++) {
        const struct orr_trace *trace = NULL;
        struct gen_memory memory;
        assert_int_equal(orr_gen_model_trace(((struct fixture *)*state)->arena, &model, stage,
                                             &trace, &((struct fixture *)*state)->diag),
                         ORR_OK);
        for (uint32_t layer = first[stage]; layer < first[stage + 1]; layer++) {
            char name[64];
            (void)snprintf(name, sizeof name, "layer %u qkv fwd mb 0", layer);
            (void)node_named(trace, name);
        }
        assert_true(orr_gen_model_memory(&model, stage, &memory));
        weights += (double)memory.weights_bytes;
    }
    assert_true(weights == 2 * totals_of(&model).parameters);
}

/* ---- time ---- */

/* The job's time on 2 NPUs whose messages take 1 ps, and the first one's compute time. */
static void run_two(const char *layers, int64_t *wall_ps, int64_t *compute_ps)
{
    char workload[512];
    (void)snprintf(workload, sizeof workload,
                   "workload={transformer: {layers: 4, hidden: 1024, heads: 8, sequence: 1024, "
                   "vocabulary: 0}, parallel: {pipeline: 2, layers_per_stage: %s}, training: "
                   "{batch: 6, optimizer: none}}",
                   layers);
    const char *const set[] = {"network={topology: Switch(2), bandwidth: 1000000000 TB/s}",
                               "compute={peak: 1 TFLOP/s}", workload};
    struct orrery *job = orrery_new();
    struct orrery_times times;
    if (orrery_load(job, &(struct orrery_inputs){.set = set, .set_count = 3}) != ORRERY_OK ||
        orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    assert_int_equal(orrery_npu_times(job, 0, &times), ORRERY_OK);
    *wall_ps = orrery_wall_ps(job);
    *compute_ps = times.compute_ps;
    orrery_free(job);
}

/* Of 6 micro-batches a layer takes w each, both ways. Stages of 1 and 3: the second works all the
 * time, 18 w, but for the first one's w before and behind it. Stages of 2 and 2: 12 w and 2 w. */
static void test_run_stage_with_most_layers_sets_the_pace(void **state)
{
    int64_t wall, compute;
    (void)state;
    run_two("[1, 3]", &wall, &compute);
    const int64_t w = compute / 6;
    assert_in_range(wall, 19 * w, 19 * w + 24);
    run_two("even", &wall, &compute);
    assert_int_equal(compute, 12 * w);
    assert_in_range(wall, 14 * w, 14 * w + 24);
}

/* ---- refused ---- */

static void assert_refused(struct fixture *fixture, const char *rest, const char *message)
{
    char text[1024];
    struct gen_model model;
    (void)snprintf(text, sizeof text, MODEL "%s", rest);
    const struct orr_conf *map = parse(fixture, text);
    clear(fixture);
    assert_int_equal(read_sections(fixture, map, 4, &model), ORR_ERR_INPUT);
    says(fixture, message);
}

static void test_layers_that_do_not_fit_are_refused(void **state)
{
    static const char *const rows[][2] = {
        {"640, layers: 6}\nparallel: {pipeline: 4}",
         "net.yml:2:22: parallel.pipeline: 4 stages x 1 chunks do not divide the 6 layers; "
         "layers_per_stage: uneven spreads the remainder, and a list sets the layers of each "
         "stage"},
        {"640, layers: 6}\nparallel: {pipeline: 4, head_as_layer: true}",
         "net.yml:2:22: parallel.pipeline: 4 stages x 1 chunks do not divide the 7 layers (1 is "
         "the head); layers_per_stage: uneven spreads the remainder, and a list sets the layers of "
         "each stage"},
        {"640, layers: 6}\nparallel: {pipeline: 4, layers_per_stage: [1, 2, 2, 2]}",
         "net.yml:2:43: parallel.layers_per_stage: the stages have 7 layers together, but the "
         "model has 6 layers"},
        {"640, layers: 6}\nparallel: {pipeline: 4, embedding_as_layer: true, head_as_layer: true, "
         "layers_per_stage: [1, 2, 2, 2]}",
         "net.yml:2:90: parallel.layers_per_stage: the stages have 7 layers together, but the "
         "model has 8 layers (2 are the embedding and the head)"},
        {"640, layers: 6}\nparallel: {pipeline: 4, layers_per_stage: [2, 2, 2]}",
         "net.yml:2:43: parallel.layers_per_stage: 4 stages x 1 chunks need 4 numbers, in the "
         "order of the model; got 3"},
        {"640, layers: 6}\nparallel: {pipeline: 4, layers_per_stage: [0, 2, 2, 2]}",
         "net.yml:2:44: parallel.layers_per_stage[0]: expected a whole number from 1 to 1000000, "
         "got \"0\""},
        {"640, layers: 6}\nparallel: {pipeline: 4, layers_per_stage: most}",
         "net.yml:2:43: parallel.layers_per_stage: expected even, uneven or a list with the layers "
         "of each stage, got \"most\""},
        {"640, layers: 3}\nparallel: {pipeline: 4, layers_per_stage: uneven}",
         "net.yml:2:22: parallel.pipeline: 4 stages x 1 chunks are more than the 3 layers"},
        {"0, layers: 6}\nparallel: {pipeline: 4, embedding_as_layer: true}",
         "net.yml:2:45: parallel.embedding_as_layer: the model has neither embedding nor head "
         "(vocabulary: 0)"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_refused(*state, rows[i][0], rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_uneven_llama_3_has_a_layer_less_at_both_ends),
        IN_FIXTURE(test_ends_as_layers_bloom_has_stages_of_six),
        IN_FIXTURE(test_uneven_remainders_go_to_the_middle),
        IN_FIXTURE(test_list_ends_as_layers_may_be_alone),
        IN_FIXTURE(test_list_interleaved_parts_stand_in_the_models_order),
        IN_FIXTURE(test_uneven_stages_are_the_whole_model),
        cmocka_unit_test(test_run_stage_with_most_layers_sets_the_pace),
        IN_FIXTURE(test_layers_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
