/* What a part of an operator touches, for each kind and each dimension of split, on random sizes:
 * its bytes times the parts are the bytes of a hand rule. A rule says how often all parts together
 * touch the first input, the other inputs, the output, what is only inside and the weights: once,
 * when each has a share, or p times, when each has all of it. Halos of windows come on top. */
#include <inttypes.h>
#include <stdio.h>

#include "core/conf/conf.h"
#include "core/rng.h"
#include "tests/unit/conf_fixture.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"

#define CASES 40

enum touched { SHARE, ALL };

/* Sizes: 16 u, 16 v, 16 w of random u, v and w, so that 2, 4, 8 and 16 parts divide them. */
struct rule {
    const char *operators; /* with %1$d, %2$d, %3$d for them; the last one is looked at */
    const char *dim;
    enum touched first, others, output, weights;
};

#define TOKENS "{data: {shape: [%1$d, %2$d]}}, "
#define IMAGE "{data: {shape: [16, %1$d, %2$d]}}, "
#define TWO(kind)                                                                                  \
    "{data: {shape: [%1$d]}}, {dense: {name: a, out: %2$d}}, {dense: {name: b, out: %2$d}}, "      \
    "{" kind "}"
#define HIDDEN "{dense: {name: x, out: %2$d}}, "

static const struct rule rules[] = {
    {TOKENS "{dense: {out: %3$d, bias: false}}", "output", ALL, ALL, SHARE, SHARE},
    {TOKENS "{dense: {out: %3$d, bias: false}}", "input", SHARE, SHARE, ALL, SHARE},
    {TOKENS "{dense: {out: %3$d, bias: false}}", "tokens", SHARE, SHARE, SHARE, ALL},
    {TOKENS "{layer_norm: {}}", "tokens", SHARE, SHARE, SHARE, ALL},
    {TOKENS "{activation: {}}", "features", SHARE, SHARE, SHARE, ALL},
    {TOKENS "{softmax: {}}", "tokens", SHARE, SHARE, SHARE, ALL},
    {TOKENS HIDDEN "{dense: {name: y, out: %2$d}}, {add: {input: [x, y]}}", "tokens", SHARE, SHARE,
     SHARE, ALL},
    {TOKENS HIDDEN "{dense: {name: y, out: %2$d}}, {multiply: {input: [x, y]}}", "features", SHARE,
     SHARE, SHARE, ALL},
    {TOKENS HIDDEN "{dense: {name: y, out: %2$d}}, {concat: {input: [x, y]}}", "tokens", SHARE,
     SHARE, SHARE, ALL},
    {TOKENS "{attention: {heads: 16, fused: false}}", "heads", ALL, ALL, ALL, SHARE},
    {TOKENS "{attention: {heads: 16}}", "tokens", ALL, ALL, SHARE, ALL},
    {TOKENS HIDDEN "{dense: {name: y, out: %2$d}}, {attention: {heads: 16, input: [x, y]}}",
     "tokens", SHARE, ALL, SHARE, ALL},
    {TOKENS HIDDEN "{dense: {name: y, out: %2$d}}, {attention: {heads: 16, input: [x, y]}}",
     "heads", ALL, ALL, ALL, SHARE},
    {TOKENS HIDDEN "{dense: {name: kv, input: x, out: 96}}, {dense: {name: q, input: x, out: 48}}, "
                   "{attention_core: {heads: 16, input: [q, kv]}}",
     "tokens", SHARE, ALL, SHARE, ALL},
    {TOKENS HIDDEN "{dense: {name: kv, input: x, out: 96}}, {dense: {name: q, input: x, out: 48}}, "
                   "{attention_core: {heads: 16, input: [q, kv]}}",
     "heads", SHARE, SHARE, SHARE, SHARE},
    {TOKENS "{dense: {out: 48}}, {attention_core: {heads: 16}}", "heads", SHARE, SHARE, SHARE,
     SHARE},
    {TOKENS HIDDEN "{reshape: {name: t, input: x, shape: [%2$d, %1$d]}}, {matmul: {input: [x, t]}}",
     "tokens", SHARE, ALL, SHARE, ALL},
    {TOKENS HIDDEN "{reshape: {name: t, input: x, shape: [%2$d, %1$d]}}, {matmul: {input: [x, t]}}",
     "output", ALL, SHARE, SHARE, ALL},
    {TOKENS HIDDEN "{reshape: {name: t, input: x, shape: [%2$d, %1$d]}}, {matmul: {input: [x, t]}}",
     "input", SHARE, SHARE, ALL, ALL},
    {TOKENS "{expert_dense: {experts: 16, out: %3$d, per_token: 2, capacity: 1.25, bias: false}}",
     "experts", SHARE, SHARE, SHARE, SHARE},
    {TOKENS "{expert_dense: {experts: 16, out: %3$d, per_token: 2, bias: false}}", "output", ALL,
     ALL, SHARE, SHARE},
    {TOKENS "{expert_dense: {experts: 16, out: %3$d, per_token: 2, bias: false}}", "input", SHARE,
     SHARE, ALL, SHARE},
    {TOKENS "{expert_dense: {name: up, experts: 16, out: 64, per_token: 2, bias: false}}, "
            "{expert_dense: {experts: 16, out: %2$d, bias: false}}",
     "experts", SHARE, SHARE, SHARE, SHARE},
    {TOKENS "{expert_dense: {name: up, experts: 16, out: 64, per_token: 2, bias: false}}, "
            "{expert_dense: {experts: 16, out: %2$d, tokens: %1$d, bias: false}}",
     "experts", SHARE, SHARE, SHARE, SHARE},
    {"{embedding: {rows: 160, columns: %1$d, lookups: 32}}", "rows", SHARE, SHARE, ALL, SHARE},
    {"{embedding: {rows: 160, columns: %1$d, lookups: 32}}", "columns", SHARE, SHARE, SHARE, SHARE},
    {"{embedding: {rows: 160, columns: %1$d, lookups: 32, pooled: false}}", "tokens", SHARE, SHARE,
     SHARE, ALL},
    {IMAGE "{conv2d: {out: 32, kernel: 1, bias: false}}", "height", SHARE, SHARE, SHARE, ALL},
    {IMAGE "{conv2d: {out: 32, kernel: 3, pad: 1, bias: false}}", "width", SHARE, SHARE, SHARE,
     ALL},
    {IMAGE "{conv2d: {out: 32, kernel: 3, pad: 1, bias: false}}", "output", ALL, ALL, SHARE, SHARE},
    {IMAGE "{conv2d: {out: 32, kernel: 3, pad: 1, bias: false}}", "input", SHARE, SHARE, ALL,
     SHARE},
    {IMAGE "{pool2d: {kernel: 3, stride: 1, pad: 1}}", "height", SHARE, SHARE, SHARE, ALL},
    {IMAGE "{pool2d: {global: true}}", "channels", SHARE, SHARE, SHARE, ALL},
    {IMAGE "{batch_norm: {}}", "channels", SHARE, SHARE, SHARE, SHARE},
};

static const struct model_op *read_op(struct fixture *fixture, const struct rule *rule,
                                      const int size[3], struct model_graph *graph)
{
    char operators[1024], text[1200];
    (void)snprintf(operators, sizeof operators, rule->operators, size[0], size[1], size[2]);
    (void)snprintf(text, sizeof text, "model: {batch: 64, operators: [%s]}", operators);
    clear(fixture);
    const struct orr_conf *root = parse(fixture, text);
    if (orr_model_read(fixture->arena, orr_conf_get(root, "model"), graph, &fixture->diag) !=
        ORR_OK) {
        fail_msg("%s: %s", text, fixture->diag.message);
    }
    return &graph->op[graph->ops - 1];
}

static uint32_t dim_named(const struct model_op *op, const char *name)
{
    uint32_t d = 1;
    while (d < op->dims && strcmp(op->dim[d].name, name) != 0) {
        d++;
    }
    assert_true(d < op->dims);
    return d;
}

static uint64_t times(enum touched touched, uint64_t parts)
{
    return touched == ALL ? parts : 1;
}

/* Of all parts together, for one sample and weights that are touched once. Each of p parts has one
 * halo, but the two at the ends half of one. */
static uint64_t by_hand(const struct rule *rule, const struct model_op *op,
                        const struct model_work *work, uint32_t d, uint64_t parts)
{
    const uint64_t first = work->input_bytes - work->other_input_bytes;
    const uint64_t forward_first = op->forward.input_bytes - op->forward.other_input_bytes;
    const uint64_t arrays = forward_first != 0 ? first / forward_first : 0;
    const uint64_t halos = op->dim[d].halo_bytes * arrays * (parts > 2 ? parts : 1);
    return times(rule->first, parts) * first +
           times(rule->others, parts) * work->other_input_bytes +
           times(rule->output, parts) * work->output_bytes + work->inner_bytes +
           times(rule->weights, parts) * work->weight_bytes + halos;
}

/* The inputs behind the first, where a rule treats them differently: by the shapes of the graph. */
static void check_other_inputs(const struct rule *rule, const struct model_graph *graph,
                               const struct model_op *op)
{
    if (rule->first == rule->others) {
        return;
    }
    assert_int_equal(op->edges, 2);
    const struct model_edge *edge = &graph->edge[op->first_edge];
    const uint32_t other = edge[0].input == 0 ? edge[1].from : edge[0].from;
    assert_int_equal(op->forward.other_input_bytes, graph->op[other].output_bytes);
    assert_int_equal(op->backward.other_input_bytes, 2 * op->forward.other_input_bytes);
}

static void test_parts_touch_what_the_hand_rule_says(void **state)
{
    struct fixture *fixture = *state;
    struct orr_rng rng;
    orr_rng_init(&rng, 46, 0);
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        for (int i = 0; i < CASES; i++) {
            struct model_graph graph;
            int size[3];
            for (int k = 0; k < 3; k++) {
                size[k] = 16 * (1 + (int)(orr_rng_next(&rng) % 12));
            }
            const struct model_op *op = read_op(fixture, &rules[r], size, &graph);
            const uint32_t d = dim_named(op, rules[r].dim);
            const uint32_t parts = UINT32_C(1) << (1 + orr_rng_next(&rng) % 4);
            uint32_t degree[MODEL_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
            degree[d] = parts;
            const struct model_work *pass[] = {&op->forward, &op->backward};
            check_other_inputs(&rules[r], &graph, op);
            for (int p = 0; p < 2; p++) {
                const uint64_t bytes = orr_model_part_work(op, pass[p], degree, 1).bytes * parts;
                const uint64_t want = by_hand(&rules[r], op, pass[p], d, parts);
                if (bytes < want ||
                    bytes > want + 8 * parts) { /* each of a part's shares is rounded up */
                    fail_msg("%s by %s in %u: %" PRIu64 " bytes, by hand %" PRIu64,
                             rules[r].operators, rules[r].dim, (unsigned)parts, bytes, want);
                }
            }
        }
    }
}

/* 512 samples of 2048 tokens, each at 2 of 64 experts, 1024 features to 4096, 2 bytes each: an
 * expert's part has 65536 tokens x 512 / 64 = 67.1 MB of input, 268.4 MB of output and 8.4 MB of
 * weights. */
static void test_a_part_of_experts_touches_its_own_tokens(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *root = parse(
        fixture, "model: {batch: 512, element_bytes: 2, operators: [{data: {shape: [2048, 1024]}}, "
                 "{expert_dense: {experts: 64, out: 4096, per_token: 2, bias: false}}]}");
    struct model_graph graph;
    assert_int_equal(
        orr_model_read(fixture->arena, orr_conf_get(root, "model"), &graph, &fixture->diag),
        ORR_OK);
    const uint32_t degree[MODEL_MAX_DIMS] = {1, 64, 1, 1, 1, 1, 1, 1};
    const struct model_part_work part =
        orr_model_part_work(graph.op, &graph.op->forward, degree, 512);
    assert_int_equal(part.bytes, 67108864 + 268435456 + 8388608);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_parts_touch_what_the_hand_rule_says),
        TEST(test_a_part_of_experts_touches_its_own_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
