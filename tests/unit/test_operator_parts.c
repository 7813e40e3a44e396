/* The operators of transformer layers, which are parts of a graph of operators and the exchanges
 * along its edges, against formulas that are written out: operations, bytes, parameters, what is
 * kept and what ranks communicate, of random models in random layouts. */
#include "tests/unit/model_fixture.h"
#include "tests/unit/transformer_reference.h"
#include "workload/gen/transformer.h"

enum { CASES = 900 };

/* ---- random models ---- */

static uint32_t below(uint64_t *seed, uint32_t count)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % count;
}

#define PICK(...)                                                                                  \
    ((const uint32_t[]){__VA_ARGS__})[below(                                                       \
        seed, (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))]
#define YES (below(seed, 2) == 0 ? "true" : "false")

/* What the transformer's generator can do besides: masks, positions that are scored, attention that
 * writes its scores, fp8, loads of experts, several stages. */
static uint32_t write_more(uint64_t *seed, char *text, size_t size)
{
    const bool experts = below(seed, 3) == 0, encoder = below(seed, 4) == 0;
    const uint32_t tensor = PICK(1, 1, 2, 3, 4), context = PICK(1, 1, 2, 3);
    const uint32_t expert = experts ? PICK(1, 2, 4) : 1, heads = tensor * PICK(1, 2, 3);
    const uint32_t stages = encoder ? 1 : PICK(1, 2), micro = PICK(1, 2, 3);
    const uint32_t kv[] = {heads, tensor, 1}, sequence = context * tensor * PICK(1, 4, 7);
    const bool shared = (experts && tensor > 1) || below(seed, 2) == 0;
    size_t used = (size_t)snprintf(
        text, size,
        "transformer: {layers: 2, hidden: %u, heads: %u, kv_heads: %u, head_size: %u, ffn: %u,\n"
        "  sequence: %u, vocabulary: %u, positions: %u, gated: %s, bias: %s, causal: %s,\n"
        "  dropout: %s, tied: %s, norm: %s",
        PICK(16, 24, 65), heads, kv[below(seed, 3)], PICK(4, 8, 9), tensor * PICK(3, 8), sequence,
        PICK(0, 10, 97, 64), PICK(0, 7), YES, YES, YES, YES, YES,
        below(seed, 2) == 0 ? "rmsnorm" : "layernorm");
    if (encoder) {
        used +=
            (size_t)snprintf(text + used, size - used, ", encoder_layers: 2, encoder_sequence: %u",
                             context * tensor * PICK(1, 4, 9));
    }
    if (strstr(text, "vocabulary: 0") == NULL) {
        used += (size_t)snprintf(text + used, size - used, ", pooler: %s", YES);
        if (below(seed, 3) == 0) {
            used += (size_t)snprintf(text + used, size - used, ", masked: %u",
                                     1 + below(seed, sequence));
        }
    }
    if (experts) {
        used += (size_t)snprintf(
            text + used, size - used,
            ", experts: 8, experts_per_token: %u, moe_every: %u, expert_ffn: %u, capacity: %s%s",
            PICK(1, 2, 3), PICK(1, 2), tensor * PICK(4, 5), below(seed, 2) == 0 ? "1.25" : "1",
            below(seed, 2) == 0 ? ", expert_load: zipf:0.7" : "");
    }
    (void)snprintf(
        text + used, size - used,
        "}\nparallel: {tensor: %u, context: %u, expert: %u, pipeline: %u, sequence: %s}\n"
        "training: {micro_batch: %u, batch: %u, fused_attention: %s, product_type: %s}\n",
        tensor, context, expert, stages, shared ? "true" : "false", micro, micro * expert * 2, YES,
        below(seed, 3) == 0 ? "fp8" : "element");
    return tensor * context * expert * stages * 2;
}

/* ---- operators ---- */

static void assert_work(const char *name, struct gen_work found, struct gen_work expected)
{
    if (found.flops != expected.flops || found.bytes != expected.bytes) {
        fail_msg("%s: %" PRIu64 " operations, %" PRIu64 " bytes; expected %" PRIu64 ", %" PRIu64,
                 name, found.flops, found.bytes, expected.flops, expected.bytes);
    }
}

static bool is_same_exchange(const struct tf_job *job, const struct rank_comm *a,
                             const struct rank_comm *b)
{
    const bool none_a =
        !a->is_set || a->bytes == 0 || orr_gen_family_size(&job->plan.layout, a->family) == 1;
    const bool none_b =
        !b->is_set || b->bytes == 0 || orr_gen_family_size(&job->plan.layout, b->family) == 1;
    return none_a || none_b ? none_a == none_b
                            : a->family == b->family && a->comm == b->comm &&
                                  a->bytes == b->bytes && a->spread == b->spread &&
                                  a->tokens == b->tokens && a->token_bytes == b->token_bytes;
}

/* Both lists without exchanges of nothing. */
static unsigned next_op(const struct tf_job *job, const struct tf_ops *ops, unsigned i)
{
    static const struct rank_comm none = {.is_set = false};
    while (i < ops->count && ops->op[i].forward.bytes == 0 &&
           is_same_exchange(job, &ops->op[i].forward_comm, &none) &&
           is_same_exchange(job, &ops->op[i].backward_comm, &none)) {
        i++;
    }
    return i;
}

static void assert_op(const struct tf_job *job, const struct rank_op *found,
                      const struct rank_op *expected)
{
    assert_string_equal(found->name, expected->name);
    assert_work(found->name, found->forward, expected->forward);
    assert_work(found->name, found->input_gradient, expected->input_gradient);
    assert_work(found->name, found->weight_gradient, expected->weight_gradient);
    assert_int_equal(found->kind, expected->kind);
    assert_int_equal(found->parameters, expected->parameters);
    assert_int_equal(found->kept_bytes, expected->kept_bytes);
    assert_int_equal(found->scores_bytes, expected->scores_bytes);
    assert_int_equal(found->of_experts, expected->of_experts);
    assert_int_equal(found->of_core, expected->of_core);
    assert_int_equal(found->unaligned, expected->unaligned);
    assert_int_equal(found->product, expected->product);
    assert_true(is_same_exchange(job, &found->forward_comm, &expected->forward_comm));
    assert_true(is_same_exchange(job, &found->backward_comm, &expected->backward_comm));
    assert_true(is_same_exchange(job, &found->regather, &expected->regather));
}

static void check_lists(const struct tf_job *job, uint32_t kind)
{
    struct tf_ops found, expected;
    orr_transformer_layer_ops(job, kind, &found);
    reference_layer_ops(job, &job->model.kind[kind], &expected);
    unsigned i = next_op(job, &found, 0), k = next_op(job, &expected, 0);
    while (i < found.count && k < expected.count) {
        assert_op(job, &found.op[i], &expected.op[k]);
        i = next_op(job, &found, i + 1);
        k = next_op(job, &expected, k + 1);
    }
    assert_true(i == found.count && k == expected.count);
}

static void test_operators_of_random_layouts_equal_the_formulas(void **state)
{
    struct fixture *fixture = *state;
    uint64_t seed = 52;
    unsigned read = 0;
    for (unsigned n = 0; n < CASES; n++) {
        char text[1024];
        struct gen_model model;
        const uint32_t npus = write_more(&seed, text, sizeof text);
        clear(fixture);
        if (read_sections(fixture, parse(fixture, text), npus, &model) != ORR_OK) {
            continue;
        }
        struct tf_job *job = model.job;
        const struct tf_model *of = &job->model;
        read++;
        for (uint32_t l = 0; l < orr_transformer_all_layers(of); l++) {
            job->expert_rank = n % job->plan.layout.size[GEN_EXPERT];
            check_lists(job, orr_transformer_kind_of(of, l));
        }
        if (of->vocabulary > 0) {
            check_lists(job, TF_KIND_EMBEDDING);
            check_lists(job, TF_KIND_HEAD);
        }
    }
    print_message("%u of %u layouts\n", read, CASES);
    assert_true(read == CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_operators_of_random_layouts_equal_the_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
