/* Full recomputation of some layers: groups of layers of which the input is kept (Megatron-LM's
 * uniform), the first ones of each chunk (block). */
#include "tests/unit/model_fixture.h"
#include "workload/gen/transformer.h"

/* 4 layers on a stage, samples of 128 tokens: the input of a layer is I = 128 x 64 x 2 B. */
#define MODEL                                                                                      \
    "transformer: {layers: %u, hidden: 64, heads: 8, ffn: 256, sequence: 128, vocabulary: 0}\n"    \
    "parallel: {pipeline: %u}\n"                                                                   \
    "training: {batch: 1, micro_batch: 1, recompute: %s}\n"

enum { INPUT = 128 * 64 * 2 };

static struct gen_model read_one(struct fixture *fixture, unsigned layers, unsigned stages,
                                 const char *recompute)
{
    char text[512];
    clear(fixture);
    (void)snprintf(text, sizeof text, MODEL, layers, stages, recompute);
    return read_model(fixture, stages, text);
}

static uint64_t activations(struct fixture *fixture, const char *recompute)
{
    const struct gen_model model = read_one(fixture, 4, 1, recompute);
    struct gen_memory memory;
    assert_true(orr_gen_model_memory(&model, 0, &memory));
    return memory.activations_bytes;
}

/* A layer keeps K, its input among it; made again it holds W = K - I. */
static void test_memory(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t kept = activations(fixture, "none") / 4, work = kept - INPUT;
    assert_int_equal(activations(fixture, "full"), 4 * INPUT + work);
    assert_int_equal(activations(fixture, "full, recompute_layers: 1"), 4 * INPUT + work);
    assert_int_equal(activations(fixture, "full, recompute_layers: 2"),
                     2 * INPUT + 2 * work + INPUT);
    assert_int_equal(activations(fixture, "full, recompute_layers: 3"),
                     2 * INPUT + 3 * work + 2 * INPUT);
    assert_int_equal(activations(fixture, "full, recompute_layers: 9"),
                     INPUT + 4 * work + 3 * INPUT);
    assert_int_equal(activations(fixture, "full, recompute_method: block, recompute_layers: 1"),
                     INPUT + 3 * kept + work);
    assert_int_equal(activations(fixture, "full, recompute_method: block, recompute_layers: 3"),
                     3 * INPUT + kept + work);
    assert_int_equal(activations(fixture, "full, recompute_method: block, recompute_layers: 4"),
                     4 * INPUT + work);
}

static unsigned made_again(const struct orr_trace *trace, const char *layer)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const char *name = trace->node[i].name;
        count += strncmp(name, layer, strlen(layer)) == 0 && strstr(name, " again ") != NULL;
    }
    return count;
}

/* On two stages of three layers each. */
static void test_layers_of_each_stage(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model =
        read_one(fixture, 6, 2, "full, recompute_method: block, recompute_layers: 2");
    for (uint32_t stage = 0; stage < 2; stage++) {
        const struct orr_trace *trace = NULL;
        assert_int_equal(orr_gen_model_trace(fixture->arena, &model, stage, &trace, &fixture->diag),
                         ORR_OK);
        for (uint32_t l = 3 * stage; l < 3 * stage + 3; l++) {
            char name[24];
            (void)snprintf(name, sizeof name, "layer %" PRIu32 " ", l);
            assert_int_equal(made_again(trace, name) > 0, l % 3 < 2);
        }
    }
}

static void assert_refused(struct fixture *fixture, const char *recompute, const char *expected)
{
    char text[512];
    struct gen_model model;
    clear(fixture);
    (void)snprintf(text, sizeof text, MODEL, 4u, 1u, recompute);
    assert_int_equal(read_sections(fixture, parse(fixture, text), 1, &model), ORR_ERR_INPUT);
    if (strstr(fixture->diag.message, expected) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", expected, fixture->diag.message);
    }
}

static void test_what_is_refused(void **state)
{
    struct fixture *fixture = *state;
    assert_refused(fixture, "selective, recompute_layers: 2",
                   "recompute_layers: only recompute: full computes whole layers again");
    assert_refused(fixture, "none, recompute_method: block",
                   "recompute_method: only recompute: full computes whole layers again");
    assert_refused(fixture, "full, recompute_method: block",
                   "block needs recompute_layers: how many layers of each chunk");
    assert_refused(fixture, "full, recompute_method: blocks", "expected uniform or block");
}

/* Nemotron 3 Nano on 16 H100, experts on 8, BF16 gradients, experts made again: measured 64.7 GiB.
 */
static void test_memory_of_a_published_run(void **state)
{
    struct fixture *fixture = *state;
    const struct gen_model model = read_model(
        fixture, 16,
        "transformer: {layers: 52, hidden: 2688, heads: 32, kv_heads: 2, head_size: 128,\n"
        "  pattern: MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME, mamba_heads: 64,\n"
        "  mamba_head_size: 64, mamba_state: 128, mamba_groups: 8, experts: 128,\n"
        "  experts_per_token: 6, expert_ffn: 1856, shared_ffn: 3712, expert_bias: true,\n"
        "  gated: false, sequence: 8192, vocabulary: 131072, tied: false, bias: false,\n"
        "  dropout: false, norm: rmsnorm, causal: true}\n"
        "parallel: {expert: 8, zero: 1}\n"
        "training: {batch: 16, micro_batch: 1, recompute: selective, recompute_modules: moe}\n");
    struct gen_memory memory;
    assert_true(orr_gen_model_memory(&model, 0, &memory));
    const double gib = (double)orr_gen_memory_total(&memory) / (1 << 30);
    assert_true(gib > 0.95 * 64.7 && gib < 1.05 * 64.7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_memory),
        IN_FIXTURE(test_layers_of_each_stage),
        IN_FIXTURE(test_what_is_refused),
        IN_FIXTURE(test_memory_of_a_published_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
