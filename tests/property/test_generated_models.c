/* Random generated models, layouts and numbers of NPUs: each is refused with a reason, or loads
 * with all its nodes, and every eighth runs to its end. The file of the last case stays when the
 * process dies. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "orrery/orrery.h"
#include "tests/property/property_support.h"

enum { CASES = 600, LONG_CASES = 2000, TEXT = 8192 };

static const char path[] = "test_generated_models.yml";

struct text {
    char bytes[TEXT];
    size_t used;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->used += (size_t)vsnprintf(text->bytes + text->used, TEXT - text->used, format, arguments);
    va_end(arguments);
    assert_true(text->used < TEXT);
}

static bool one_in(struct prop_job *job, uint32_t count)
{
    return prop_below(job, count) == 0;
}

static uint32_t pick(struct prop_job *job, const uint32_t *from, uint32_t count)
{
    return from[prop_below(job, count)];
}

#define PICK(job, ...)                                                                             \
    pick(job, (const uint32_t[]){__VA_ARGS__},                                                     \
         (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static const char *yes(struct prop_job *job)
{
    return one_in(job, 2) ? "true" : "false";
}

/* ---- models ---- */

static void say_transformer(struct prop_job *job, struct text *text)
{
    const uint32_t heads = PICK(job, 1, 2, 4, 8);
    const bool encoder = one_in(job, 4), experts = one_in(job, 3);
    say(text,
        "  transformer: {layers: %u, hidden: %u, heads: %u, sequence: %u, gated: %s, tied: %s,\n"
        "    bias: %s, causal: %s, dropout: %s, vocabulary: %u",
        PICK(job, 1, 2, 3, 4, 8), heads * PICK(job, 1, 4, 16), heads, PICK(job, 1, 4, 8, 24),
        yes(job), yes(job), yes(job), yes(job), yes(job), PICK(job, 0, 1, 10, 64, 100));
    if (encoder) {
        say(text, ", encoder_layers: %u", PICK(job, 1, 2, 3));
    }
    if (encoder && one_in(job, 2)) {
        say(text, ", encoder_sequence: %u", PICK(job, 1, 4, 8));
    }
    if (one_in(job, 6)) {
        say(text, ", masked: %u", PICK(job, 1, 3, 4));
    }
    if (experts) {
        say(text, ", experts: %u, experts_per_token: %u, moe_every: %u, expert_ffn: %u",
            PICK(job, 1, 2, 4, 8), PICK(job, 1, 1, 2), PICK(job, 1, 2, 3), PICK(job, 1, 8, 16));
    }
    if (one_in(job, 3)) {
        say(text, ", kv_heads: %u, ffn: %u", PICK(job, 1, 1, 2, heads), PICK(job, 1, 8, 24));
    }
    if (one_in(job, 4)) {
        say(text, ", positions: 16, token_types: 2, pooler: %s, norm: rmsnorm", yes(job));
    }
    say(text, "}\n");
}

static void say_list(struct prop_job *job, struct text *text, const char *name)
{
    say(text, ", %s: [", name);
    for (uint32_t left = 1 + prop_below(job, 3); left-- > 0;) {
        say(text, "%u%s", PICK(job, 1, 3, 8, 16), left != 0 ? ", " : "]");
    }
}

static void say_dlrm(struct prop_job *job, struct text *text)
{
    const bool dot = one_in(job, 2);
    say(text, "  dlrm: {tables: %u, rows: %u, embedding: %u, lookups: %u, dense: %u",
        PICK(job, 1, 2, 3, 8, 26), PICK(job, 1, 5, 100), dot ? 8u : PICK(job, 1, 4, 8),
        PICK(job, 1, 2, 10), PICK(job, 1, 13));
    say_list(job, text, "top");
    if (dot) { /* whose vectors are of one width */
        say(text, ", bottom: [4, 8], interaction: dot");
    } else {
        say_list(job, text, "bottom");
        say(text, ", interaction: cat");
    }
    if (one_in(job, 2)) {
        say(text, ", sharding: %s", one_in(job, 2) ? "row" : "table");
    }
    say(text, "}\n");
}

static void say_layer(struct prop_job *job, struct text *text)
{
    switch (prop_below(job, 6)) {
    case 0:
        say(text, "{conv: {out: %u, kernel: %u, stride: %u, pad: %u, groups: %u, norm: %s}}",
            PICK(job, 1, 3, 4), PICK(job, 1, 3), PICK(job, 1, 2), PICK(job, 0, 1),
            PICK(job, 1, 1, 3), one_in(job, 2) ? "batch" : "none");
        break;
    case 1:
        say(text, "{pool: {kernel: %u}}", PICK(job, 1, 2));
        break;
    case 2:
        say(text, "{pool: {global: true}}");
        break;
    case 3:
        say(text, "{dense: {out: %u, repeat: %u}}", PICK(job, 1, 3, 10), PICK(job, 1, 2));
        break;
    case 4:
        say(text, "{bottleneck: {width: %u, out: %u, stride: %u, repeat: %u}}", PICK(job, 1, 3),
            PICK(job, 3, 4), PICK(job, 1, 2), PICK(job, 1, 2));
        break;
    default:
        say(text, "{basic: {out: %u, stride: %u, repeat: %u}}", PICK(job, 3, 4), PICK(job, 1, 2),
            PICK(job, 1, 2));
        break;
    }
}

static void say_cnn(struct prop_job *job, struct text *text)
{
    say(text, "  cnn: {input: {channels: 3, height: %u, width: %u}, layers: [",
        PICK(job, 1, 3, 8, 9), PICK(job, 1, 8));
    for (uint32_t left = 1 + prop_below(job, 3); left-- > 0;) {
        say_layer(job, text);
        say(text, left != 0 ? ", " : "]}\n");
    }
}

/* ---- layouts ---- */

/* A divisor of what is left of the NPUs, mostly. */
static uint32_t degree(struct prop_job *job, uint32_t *left)
{
    const uint32_t value = PICK(job, 1, 1, 1, 2, 2, 4, 3);
    if (*left % value != 0 && !one_in(job, 10)) {
        return 1;
    }
    *left = *left % value == 0 ? *left / value : *left;
    return value;
}

static uint32_t say_parallel(struct prop_job *job, struct text *text, uint32_t npus)
{
    uint32_t left = npus;
    const uint32_t tensor = degree(job, &left), context = one_in(job, 3) ? degree(job, &left) : 1;
    const uint32_t pipeline = degree(job, &left);
    const uint32_t data = left;
    const uint32_t expert = one_in(job, 3) ? degree(job, &left) : 1;
    const bool interleaved = pipeline > 1 && one_in(job, 4);
    static const char *const orders[] = {"tp-cp-ep-dp-pp", "pp-dp-tp-cp", "dp-ep-tp-cp-pp"};
    static const char *const spreads[] = {"", ", layers_per_stage: uneven",
                                          ", layers_per_stage: uneven, embedding_as_layer: true",
                                          ", embedding_as_layer: true, head_as_layer: true"};
    say(text,
        "  parallel: {tensor: %u, context: %u, pipeline: %u, expert: %u, sequence: %s, zero: %u,\n"
        "    pipeline_scatter: %s, schedule: %s, order: %s%s}\n",
        tensor, context, pipeline, expert, yes(job), PICK(job, 0, 0, 1, 2, 3), yes(job),
        interleaved      ? "interleaved"
        : one_in(job, 2) ? "gpipe"
                         : "1f1b",
        orders[prop_below(job, 3)], spreads[pipeline > 1 ? prop_below(job, 4) : 0]);
    return data * (interleaved ? pipeline : 1);
}

static void say_training(struct prop_job *job, struct text *text, uint32_t ranks, bool transformer)
{
    static const char *const recompute[] = {"none", "selective", "full"};
    static const char *const optimizer[] = {"adam", "sgd", "none"};
    const uint32_t micro = transformer ? PICK(job, 1, 1, 2) : 1;
    say(text, "  training: {batch: %u, steps: %u, overlap: %s, optimizer: %s",
        ranks * micro * PICK(job, 1, 2, 3), PICK(job, 1, 1, 2, 3), yes(job),
        optimizer[prop_below(job, 3)]);
    if (transformer && one_in(job, 3)) {
        say(text, ", overlap_gather: %s", yes(job));
    }
    if (micro > 1) {
        say(text, ", micro_batch: %u", micro);
    }
    if (transformer) {
        say(text, ", recompute: %s, fused_attention: %s, prefetch: %u",
            recompute[prop_below(job, 3)], yes(job), PICK(job, 0, 1, 5));
    } else if (one_in(job, 3)) {
        say(text, ", bucket: %u B", PICK(job, 1, 100, 1000));
    }
    say(text, "}\n");
}

static void say_case(struct prop_job *job, struct text *text)
{
    const uint32_t npus = PICK(job, 1, 2, 3, 4, 6, 8, 12, 16, 24);
    const uint32_t kind = prop_below(job, 4);
    say(text,
        "network: {dims: [{block: %s, npus: %u, bandwidth: 100 GB/s}]}\n"
        "compute: {peak: 1 TFLOP/s}\nmemory: {local: {bandwidth: 1 TB/s}}\nworkload:\n",
        one_in(job, 2) ? "ring" : "switch", npus);
    (kind == 0 ? say_cnn : kind == 1 ? say_dlrm : say_transformer)(job, text);
    if (kind >= 2) {
        const uint32_t ranks = say_parallel(job, text, npus);
        say_training(job, text, ranks, true);
    } else {
        say_training(job, text, npus, false);
    }
}

/* ---- layouts that fit ---- */

static uint64_t need_of(const struct orrery *run)
{
    struct orrery_model model;
    struct orrery_model_memory memory;
    uint64_t max = 0;
    assert_int_equal(orrery_model(run, &model), ORRERY_OK);
    for (uint32_t stage = 0; stage < model.stages; stage++) {
        assert_int_equal(orrery_model_memory(run, stage, &memory), ORRERY_OK);
        const uint64_t bytes = memory.weights_bytes + memory.gradients_bytes +
                               memory.optimizer_bytes + memory.activations_bytes;
        max = bytes > max ? bytes : max;
    }
    return max;
}

/* What a layout's settings say it needs is what the job needs with them. */
static void check_layout(const struct orrery_layout *layout, const char *capacity, bool fits)
{
    const char *set[ORRERY_MAX_SETTINGS + 1] = {capacity};
    for (unsigned i = 0; i < layout->sets; i++) {
        set[i + 1] = layout->set[i];
    }
    struct orrery *run = orrery_new();
    orrery_check_capacity(run, fits);
    assert_int_equal(orrery_load(run, &(struct orrery_inputs){.platform = path,
                                                              .set = set,
                                                              .set_count = layout->sets + 1u}),
                     ORRERY_OK);
    assert_int_equal(need_of(run), layout->bytes);
    orrery_free(run);
}

/* With a memory of a part of what the job needs: it is refused, and each layout found fits. */
static unsigned check_layouts(uint64_t need, uint32_t percent)
{
    char capacity[64];
    const uint64_t held = need * percent / 100;
    struct orrery_layouts layouts;
    (void)snprintf(capacity, sizeof capacity, "memory.local.capacity=%llu B",
                   (unsigned long long)held);
    const char *const set[] = {capacity};
    struct orrery *run = orrery_new();
    assert_int_equal(
        orrery_load(run, &(struct orrery_inputs){.platform = path, .set = set, .set_count = 1}),
        ORRERY_ERROR_INPUT);
    assert_true(orrery_too_large(run));
    assert_int_equal(orrery_find_layouts(run, &layouts), ORRERY_OK);
    assert_true(layouts.min.bytes <= need);
    check_layout(&layouts.min, capacity, false);
    for (unsigned i = 0; i < layouts.count; i++) {
        const struct orrery_layout *layout = &layouts.near[i];
        assert_true(layout->bytes <= held && layout->bytes >= layouts.min.bytes);
        assert_true(layout->changes >= 1 && layout->changes <= 3);
        assert_true(i == 0 || layout->changes >= layout[-1].changes);
        check_layout(layout, capacity, true);
    }
    assert_true(layouts.count > 0 || layouts.min.bytes > held || layouts.min.changes > 3);
    const unsigned found = layouts.count;
    orrery_free(run);
    return found;
}

/* ---- cases ---- */

static void write_case(const struct text *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fwrite(text->bytes, 1, text->used, file) == text->used);
    assert_int_equal(fclose(file), 0);
}

/* What the model says of itself: nothing below 0, nothing that has wrapped. */
static void check_model(const struct orrery *run)
{
    struct orrery_model model;
    struct orrery_model_memory memory;
    assert_int_equal(orrery_model(run, &model), ORRERY_OK);
    assert_true(model.parameters >= 0 && model.parameters < 1e9);
    assert_true(model.step_flops >= 0 && model.step_flops < 1e15);
    for (uint32_t stage = 0; stage < model.stages; stage++) {
        assert_int_equal(orrery_model_memory(run, stage, &memory), ORRERY_OK);
        assert_true(memory.weights_bytes < 1u << 30 && memory.activations_bytes < 1u << 30);
        assert_true(memory.gradients_bytes < 1u << 30 && memory.optimizer_bytes < 1u << 30);
    }
}

static bool run_case(const struct text *text, bool to_the_end, uint64_t *need)
{
    struct orrery *run = orrery_new();
    assert_non_null(run);
    write_case(text);
    enum orrery_status status = orrery_load(run, &(struct orrery_inputs){.platform = path});
    if (status == ORRERY_OK) {
        check_model(run);
        *need = need_of(run);
        assert_true(!to_the_end || orrery_run(run) == ORRERY_OK);
    }
    if (status != ORRERY_OK && (status != ORRERY_ERROR_INPUT || orrery_error(run)[0] == '\0')) {
        print_message("%s\n%s\n", text->bytes, orrery_error(run));
        fail();
    }
    orrery_free(run);
    return status == ORRERY_OK;
}

static void test_random_models_run_or_are_refused(void **state)
{
    unsigned ran = 0, found = 0;
    const unsigned cases = prop_cases_of(CASES, LONG_CASES);
    (void)state;
    for (unsigned i = 0; i < cases; i++) {
        struct prop_job job;
        struct text text = {.used = 0};
        prop_open(&job, prop_first_seed() + i);
        say_case(&job, &text);
        uint64_t need = 0;
        ran += run_case(&text, i % 8 == 4, &need) ? 1 : 0;
        if (need >= 200 && one_in(&job, 4)) {
            found += check_layouts(need, PICK(&job, 5, 20, 50, 90));
        }
        prop_close(&job);
    }
    (void)unlink(path);
    print_message("%u of %u are jobs; %u layouts that fit\n", ran, cases, found);
    assert_true(4 * ran >= cases || cases < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_models_run_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
