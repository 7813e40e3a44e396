/* The dimensions of SiP-ML's strategies: bytes by hand, the least of all choices of small models,
 * what comes out for its Transformer; and the peers of devices by hand. */
#include "tests/unit/conf_fixture.h"

#include "strategy_fixture.h"

#include "core/rng.h"
#include "sipml/search/sipml_check.h"
#include "sipml/search/sipml_dims.h"
#include "sipml/search/sipml_partition.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_traffic.h"
#include "tests/unit/strategy_fixture.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/strategy/demand.h"
#include "workload/strategy/strategy.h"

#define US ((sim_time)ORR_PS_PER_US)

struct split {
    struct toy toy;
    struct model_speed speed;
    struct sipml_problem problem;
};

static void split_init(struct split *split, uint64_t batch, uint32_t devices, uint32_t copies)
{
    toy_init(&split->toy, batch);
    split->speed = (struct model_speed){.launch_ps = 0};
    split->problem = (struct sipml_problem){.model = &split->toy.graph,
                                            .speed = &split->speed,
                                            .devices = devices,
                                            .copies = copies,
                                            .server = {.gpus = 1},
                                            .rules = orr_sipml_default_rules()};
}

static uint32_t split_op(struct split *split, const char *name, sim_time time, uint64_t bytes,
                         uint64_t weights, uint32_t before)
{
    const uint32_t op = before == UINT32_MAX ? toy_op(&split->toy, name, bytes, weights, NULL)
                                             : toy_after(&split->toy, name, bytes, weights, before);
    split->toy.op[op].measured = true;
    split->toy.op[op].forward_ps = time;
    return op;
}

/* ---- bytes ---- */

/* An output of 1000 bytes of each of 8 samples, both ways: 16,000 bytes for each copy of it. */
static void test_bytes_between_two_operators_by_hand(void **state)
{
    (void)state;
    static const struct {
        struct sipml_split from, to;
        uint64_t bytes;
    } cases[] = {
        {{OUTPUT, 4, false}, {INPUT, 4, false}, 0},      /* slice i to slice i */
        {{OUTPUT, 4, false}, {ALIKE, 8, false}, 16000},  /* 8 transfers of an eighth */
        {{OUTPUT, 4, false}, {OUTPUT, 4, false}, 64000}, /* 16 of a quarter */
        {{INPUT, 4, false}, {ALIKE, 2, false}, 64000},   /* 8 of a half */
        {{INPUT, 4, false}, {OUTPUT, 2, false}, 128000}, /* 8 of all */
        {{ALIKE, 4, false}, {HEIGHT, 2, false}, 16512},  /* 8 of an eighth; a cut, 2 x 16 x 8 x 2 */
        {{HEIGHT, 4, false}, {HEIGHT, 4, false}, 1536},  /* three cuts, 2 x 16 x 8 x 2 each */
        {{SAMPLE, 1, false}, {OUTPUT, 8, false}, 128000}, /* 8 of all */
        {{SAMPLE, 8, false}, {SAMPLE, 1, false}, 16000},  /* 8 of an eighth */
        {{SAMPLE, 1, false}, {SAMPLE, 1, false}, 0},
    };
    struct split split;
    split_init(&split, 16, 16, 2);
    const uint32_t a = split_op(&split, "a", US, 1000, 0, UINT32_MAX);
    const uint32_t b = split_op(&split, "b", US, 1000, 400, a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(orr_sipml_edge_bytes(&split.problem, b, 0, &cases[i].from, &cases[i].to),
                         cases[i].bytes);
    }
    /* Each of 4 devices sends a quarter of the gradient to each of 3, and of the sum: 2 x 3 x 400.
     */
    assert_int_equal(
        orr_sipml_weight_bytes(&split.toy.op[b], &(struct sipml_split){ALIKE, 4, false}), 2400);
    assert_int_equal(
        orr_sipml_weight_bytes(&split.toy.op[b], &(struct sipml_split){OUTPUT, 4, false}), 0);
    toy_fini(&split.toy);
}

struct sum {
    uint64_t bytes;
};

static void add(void *context, const struct demand_transfer *transfer)
{
    ((struct sum *)context)->bytes += transfer->bytes;
}

/* With every part on a device of its own the rules of transfers have the same bytes. */
static void test_bytes_are_those_of_the_transfers(void **state)
{
    (void)state;
    uint32_t compared = 0;
    for (uint32_t i = 0; i < TOY_DIMS * TOY_DIMS * 16; i++) {
        const struct sipml_split from = {i % TOY_DIMS, 1u << i / 25 % 4, false};
        const struct sipml_split to = {i / TOY_DIMS % TOY_DIMS, 1u << i / 100, false};
        const bool aligned = from.parts == to.parts;
        struct split split;
        struct demand demand;
        struct sum sum = {0};
        split_init(&split, 16, 32, 2);
        const uint32_t a = split_op(&split, "a", US, 1 << 20, 0, UINT32_MAX);
        const uint32_t b = split_op(&split, "b", US, 1000, 400, a);
        toy_draft(&split.toy, 32, 2);
        toy_split(&split.toy, a, from.dim, from.parts, 0);
        toy_split(&split.toy, b, to.dim, to.parts, 8);
        const struct strategy strategy = orr_strategy_drafted(&split.toy.draft);
        assert_true(orr_demand_init(split.toy.arena, &split.toy.graph, &strategy, &demand));
        orr_demand_edge(&demand, 0, add, &sum);
        const uint64_t bytes = orr_sipml_edge_bytes(&split.problem, b, 0, &from, &to);
        if (!aligned || bytes > 100000) { /* else aligned slices, which are at one place */
            assert_int_equal(bytes, 2 * sum.bytes);
            compared++;
        }
        toy_fini(&split.toy);
    }
    assert_true(compared > 300);
}

/* ---- the least ---- */

static uint64_t min_of_all(const struct split *split, const struct sipml_splits *splits)
{
    uint32_t choice[TOY_OPS] = {0};
    uint64_t min = UINT64_MAX;
    const uint32_t ops = split->toy.graph.ops;
    for (uint32_t op = 0; op < ops; op++) {
        choice[op] = splits->first[op];
    }
    for (uint32_t op = 0; op < ops;) {
        const uint64_t cost = orr_sipml_split_cost(&split->problem, splits, choice);
        min = cost < min ? cost : min;
        for (op = 0; op < ops && ++choice[op] == splits->first[op + 1]; op++) {
            choice[op] = splits->first[op];
        }
    }
    return min;
}

/* Random operators, each behind the one before it and `more` of those before. */
static void random_model(struct split *split, struct orr_rng *rng, uint32_t ops, uint32_t more)
{
    static const char *const names[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    split_init(split, 64, 16, 2);
    for (uint32_t i = 0; i < ops; i++) {
        const uint32_t op = split_op(split, names[i], (sim_time)orr_rng_below(rng, 200) * US,
                                     1 + orr_rng_below(rng, 5000), 4 * orr_rng_below(rng, 30000),
                                     i > 0 ? i - 1 : UINT32_MAX);
        for (uint32_t from = 0; from + 1 < i; from++) {
            if (orr_rng_below(rng, i) < more) {
                toy_input(&split->toy, from);
            }
        }
        split->toy.op[op].dims = 2 + (uint32_t)orr_rng_below(rng, 4);
        if (i > 2 && orr_rng_below(rng, 3) == 0) {
            split->toy.op[op].owner = split->toy.op[i - 2].owner;
        }
    }
}

static double worst_of_random(uint32_t models, uint32_t ops, uint32_t more, uint32_t *worse)
{
    struct orr_rng rng;
    double worst = 1;
    *worse = 0;
    orr_rng_init(&rng, 11, more);
    for (uint32_t i = 0; i < models; i++) {
        struct split split;
        struct sipml_splits splits;
        uint32_t choice[TOY_OPS];
        random_model(&split, &rng, ops, more);
        assert_int_equal(
            orr_sipml_splits(split.toy.arena, &split.problem, &splits, &split.toy.diag), ORR_OK);
        assert_true(orr_sipml_choose_splits(split.toy.arena, &split.problem, &splits, choice));
        const uint64_t min = min_of_all(&split, &splits);
        const uint64_t cost = orr_sipml_split_cost(&split.problem, &splits, choice);
        assert_true(cost >= min);
        assert_true(cost < SIPML_NEVER / 4);
        *worse += cost != min;
        worst = min > 0 && (double)cost / (double)min > worst ? (double)cost / (double)min : worst;
        toy_fini(&split.toy);
    }
    return worst;
}

static void test_dimensions_have_the_least_cost_of_all_choices(void **state)
{
    (void)state;
    uint32_t worse;
    (void)worst_of_random(200, 7, 1, &worse);
    assert_int_equal(worse, 0);
}

/* Every operator behind all others: tables would have 5^7 cells. */
static void test_dimensions_of_a_thicket_are_near_the_least(void **state)
{
    (void)state;
    uint32_t worse;
    const double worst = worst_of_random(60, 8, 100, &worse);
    print_message("%u of 60 thickets not at their least, the worst %.6f times\n", worse, worst);
    assert_true(worst < 1.2);
}

/* "tied" has the weights of "first", which is so short that it would be whole: both are sliced
 * alike. */
static void test_shared_weights_are_sliced_alike(void **state)
{
    (void)state;
    struct split split;
    struct sipml_placement placed;
    split_init(&split, 16, 16, 2);
    const uint32_t first = split_op(&split, "first", 5 * US, 100, 4000000, UINT32_MAX);
    const uint32_t tied = split_op(&split, "tied", 200 * US, 100, 4000000, first);
    split.toy.op[tied].owner = first;
    split.toy.op[tied].dims = 3;
    if (orr_sipml_place(split.toy.arena, &split.problem, &placed, &split.toy.diag) != ORR_OK) {
        fail_msg("%s", split.toy.diag.message);
    }
    assert_int_equal(placed.strategy.op[tied].parts, 8);
    assert_int_equal(placed.strategy.op[first].parts, 8);
    toy_fini(&split.toy);
}

/* ---- the Transformer ---- */

static void load(struct fixture *fixture, const char *path, struct model_graph *model)
{
    const struct orr_conf *root = NULL;
    (void)orr_conf_load(fixture->arena, path, &root, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    (void)orr_model_read(fixture->arena, orr_conf_get(root, "model"), model, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
}

static void assert_split(const struct model_graph *model, const struct strategy *strategy,
                         const char *op, const char *dim, uint32_t parts)
{
    const uint32_t number = orr_model_op_named(model, op);
    assert_int_not_equal(number, UINT32_MAX);
    const uint32_t d = orr_model_dim_named(&model->op[number], dim);
    assert_int_not_equal(d, UINT32_MAX);
    if (orr_strategy_degrees(strategy, number)[d] != parts || strategy->op[number].parts != parts) {
        fail_msg("operator \"%s\": %u parts, %u of them in dimension \"%s\"", op,
                 strategy->op[number].parts, orr_strategy_degrees(strategy, number)[d], dim);
    }
}

/* 8 samples of 38 tokens in a group of 8; an operator takes 25 us and its roofline. Products: QKV
 * 152 us, out 68, up and down 195: 8, 4, 8 and 8 parts. What only touches memory takes 26 to 31
 * us: 2 parts. */
static void test_transformer_is_split_as_by_hand(void **state)
{
    struct fixture *fixture = *state;
    struct model_graph model;
    struct sipml_placement placed;
    struct sipml_peers peers;
    load(fixture, "inputs/models/sipml/transformer.yml", &model);
    const struct model_speed speed = {
        .roofline = {.peak_flops = 15e12, .memory_bytes_per_s = 900e9},
        .fixed_ps = 25 * US,
        .minimum_ps = US,
        .launch_ps = US,
        .linear = true};
    struct sipml_problem problem = {.model = &model,
                                    .speed = &speed,
                                    .devices = 1024,
                                    .copies = 128,
                                    .server = {.gpus = 1},
                                    .rules = orr_sipml_default_rules()};
    problem.rules.degree = 16;
    (void)orr_sipml_place(fixture->arena, &problem, &placed, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    assert_split(&model, &placed.strategy, "layer_norm 12", "tokens", 2);
    assert_split(&model, &placed.strategy, "dense 13", "output", 8);
    assert_split(&model, &placed.strategy, "attention_core 14", "heads", 2);
    assert_split(&model, &placed.strategy, "layers.2.attended", "input", 8);
    assert_split(&model, &placed.strategy, "layers.2.seen", "tokens", 2);
    assert_split(&model, &placed.strategy, "dense 18", "output", 8);
    assert_split(&model, &placed.strategy, "activation 19", "features", 2);
    assert_split(&model, &placed.strategy, "layers.2.thought", "input", 8);
    assert_split(&model, &placed.strategy, "logits", "output", 8);
    assert_int_equal(placed.parts, 1082);
    struct sipml_traffic traffic;
    (void)orr_sipml_traffic(fixture->arena, &model, &placed.strategy, false, &traffic,
                            &fixture->diag);
    (void)orr_sipml_peers(fixture->arena, &traffic, &peers, &fixture->diag);
    assert_int_equal(peers.max_out, 8); /* 7 others of the group, and the ring */
    /* 671,289,344 bytes of weights, each sent 2 x 127 / 128 times. */
    assert_int_equal((peers.ring_bytes + 500000) / 1000000, 1332);
}

/* ---- blocks ---- */

static void test_blocks_need_a_dimension_of_parts(void **state)
{
    (void)state;
    struct split split;
    struct sipml_placement placed;
    split_init(&split, 16, 16, 2);
    (void)split_op(&split, "first", 5 * US, 100, 400, UINT32_MAX);
    split.problem.rules.blocks = true;
    assert_int_equal(orr_sipml_place(split.toy.arena, &split.problem, &placed, &split.toy.diag),
                     ORR_ERR_INPUT);
    assert_string_equal(split.toy.diag.message,
                        "operator \"first\": expected a dimension "
                        "\"parts\", because edges are to go from block to block; set parts: true "
                        "in the model (generated models have no such dimension)");
    toy_fini(&split.toy);
}

/* ---- peers ---- */

/* Of 8 devices, two groups. "a" is sliced on 0 to 3, "b" needs all of it on 2 to 5: 0 and 1 send to
 * 2, 3 (a slice they need beside their own), 4 and 5, and 2 and 3 to each other, 4 and 5. Back go
 * the gradients. So 2 and 3 have 5 peers... 0, 1, each other, 4, 5, and 0 has 4; the ring is one
 * more. The weights of "c", copies on 6 and 7, are exchanged: they have one peer and the ring. */
static void test_peers_are_counted_from_what_is_sent(void **state)
{
    (void)state;
    struct split split;
    struct sipml_peers peers;
    split_init(&split, 16, 16, 2);
    const uint32_t a = split_op(&split, "a", US, 1000, 400, UINT32_MAX);
    const uint32_t b = split_op(&split, "b", US, 1000, 400, a);
    const uint32_t c = split_op(&split, "c", US, 1000, 400, UINT32_MAX);
    toy_draft(&split.toy, 16, 2);
    toy_split(&split.toy, a, OUTPUT, 4, 0);
    toy_split(&split.toy, b, OUTPUT, 4, 2);
    toy_split(&split.toy, c, SAMPLE, 2, 6);
    const struct strategy strategy = orr_strategy_drafted(&split.toy.draft);
    struct sipml_traffic traffic;
    (void)orr_sipml_traffic(split.toy.arena, &split.toy.graph, &strategy, false, &traffic,
                            &split.toy.diag);
    (void)orr_sipml_peers(split.toy.arena, &traffic, &peers, &split.toy.diag);
    static const uint32_t expected[8] = {5, 5, 6, 6, 5, 5, 2, 2};
    for (uint32_t g = 0; g < 8; g++) {
        assert_int_equal(peers.of[g].out, expected[g]);
        assert_int_equal(peers.of[g].in, expected[g]);
    }
    assert_int_equal(peers.max_out, 6);
    assert_int_equal(peers.out_device, 2);
    assert_int_equal(peers.of_group.out, 5);
    assert_int_equal(peers.of_ring.out, 1);
    /* 14 slices of 250 x 8 bytes go, and come back; 2 x 400 of the exchange; the ring sends 2 x 1/2
     * of 1200 bytes. */
    assert_int_equal(peers.transfer_bytes, 14 * 2000 * 2);
    assert_int_equal(peers.exchange_bytes, 800);
    assert_int_equal(peers.ring_bytes, 1200);
    toy_fini(&split.toy);
}

/* Two operators of 80 us in a group, 80,000 bytes of weights each and outputs of 1 MB of each of 8
 * samples, and of 8 bytes: the fewest bytes are those of copied weights, split by samples, which
 * take 2 x 2 x 80,000 bytes of each device beside 1 MB of output; sliced weights take 2 x 2 x
 * 10,000. */
static void test_weights_are_sliced_where_copies_miss_memory(void **state)
{
    (void)state;
    struct split split;
    struct sipml_placement placed;
    split_init(&split, 16, 16, 2);
    const uint32_t a = split_op(&split, "a", 160 * US, 1000000, 80000, UINT32_MAX);
    const uint32_t b = split_op(&split, "b", 160 * US, 8, 80000, a);
    split.toy.op[a].dims = split.toy.op[b].dims = 2; /* by samples or outputs */
    for (int i = 0; i < 2; i++) {
        split.problem.memory_bytes = i == 0 ? 2000000 : 1100000;
        assert_int_equal(orr_sipml_place(split.toy.arena, &split.problem, &placed, &split.toy.diag),
                         ORR_OK);
        const uint32_t *first = orr_strategy_degrees(&placed.strategy, a);
        const uint32_t *second = orr_strategy_degrees(&placed.strategy, b);
        assert_int_equal(first[SAMPLE], i == 0 ? 8 : 1);
        assert_int_equal(second[SAMPLE], i == 0 ? 8 : 1);
        assert_int_equal(first[OUTPUT], i == 0 ? 1 : 8);
        assert_int_equal(second[OUTPUT], i == 0 ? 1 : 8);
        assert_int_equal(placed.missing_bytes, 0);
    }
    split.problem.memory_bytes = 1000000;
    assert_int_equal(orr_sipml_place(split.toy.arena, &split.problem, &placed, &split.toy.diag),
                     ORR_OK);
    assert_int_equal(placed.missing_bytes, 40000 + 8);
    toy_fini(&split.toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_sliced_where_copies_miss_memory),
        cmocka_unit_test(test_bytes_between_two_operators_by_hand),
        cmocka_unit_test(test_bytes_are_those_of_the_transfers),
        cmocka_unit_test(test_dimensions_have_the_least_cost_of_all_choices),
        cmocka_unit_test(test_dimensions_of_a_thicket_are_near_the_least),
        cmocka_unit_test(test_shared_weights_are_sliced_alike),
        cmocka_unit_test_setup_teardown(test_transformer_is_split_as_by_hand, setup, teardown),
        cmocka_unit_test(test_blocks_need_a_dimension_of_parts),
        cmocka_unit_test(test_peers_are_counted_from_what_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
