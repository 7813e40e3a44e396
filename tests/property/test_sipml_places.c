/* Algorithm 1 on random graphs: every edge that is said to be met is, whatever the window, and
 * every repair ends or says so; and SiP-ML's strategies of random models have no more peers than
 * the degree, counted from what they send. Prints how many repairs did not end. */
#include "tests/unit/strategy_fixture.h"

#include "core/rng.h"
#include "sipml/search/sipml_algorithm.h"
#include "sipml/search/sipml_check.h"
#include "sipml/search/sipml_graph.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_traffic.h"
#include "workload/model/part_time.h"

/* ---- graphs of parts ---- */

enum { LAYERS = 20, MAX_LINKS = 64 };

struct layers {
    struct sipml_task task[LAYERS];
    uint32_t first_part[LAYERS + 1], first_link[LAYERS + 1];
    struct sipml_link link[MAX_LINKS];
    struct sipml_graph graph;
};

/* Which edges: of slices alone, all-to-all, or both with operators that send to each other. */
enum edges { OF_SLICES, OF_ALL, OF_BOTH };

static void make_layers(struct layers *layers, struct orr_rng *rng, uint32_t k, enum edges edges)
{
    uint32_t widest = 1;
    while (widest * 2 <= k) {
        widest *= 2;
    }
    *layers = (struct layers){.graph = {.ops = LAYERS}};
    for (uint32_t op = 0; op < LAYERS; op++) {
        uint32_t links = layers->first_link[op];
        const uint32_t parts = widest >> orr_rng_below(rng, 4);
        layers->task[op].duration_ps = 1 + (sim_time)orr_rng_below(rng, 20);
        layers->task[op].exchanges = edges == OF_BOTH && orr_rng_below(rng, 4) == 0;
        layers->first_part[op + 1] = layers->first_part[op] + (parts > 0 ? parts : 1);
        for (uint32_t back = 1; back <= 3 && back <= op; back++) {
            if (back > 1 && orr_rng_below(rng, 4) != 0) {
                continue;
            }
            const bool all = edges == OF_ALL || (edges == OF_BOTH && orr_rng_below(rng, 2) == 0);
            layers->link[links++] =
                (struct sipml_link){.from = op - back,
                                    .kind = all ? SIPML_ALL : SIPML_SLICES,
                                    .halo = edges == OF_BOTH && orr_rng_below(rng, 3) == 0,
                                    .untimed = edges == OF_BOTH && orr_rng_below(rng, 5) == 0};
        }
        layers->first_link[op + 1] = links;
    }
    layers->graph.parts = layers->first_part[LAYERS];
    layers->graph.task = layers->task;
    layers->graph.first_part = layers->first_part;
    layers->graph.first_link = layers->first_link;
    layers->graph.link = layers->link;
}

/* Edges are looked at one by one, by their definition. */
static void assert_met(const struct sipml_limits *limits, const uint32_t *device, uint32_t from,
                       uint32_t to)
{
    const uint32_t k = limits->devices, on = (device[to] + k - device[from]) % k;
    if (on > limits->ahead && k - on > limits->behind) {
        fail_msg("parts %u and %u are on devices %u and %u of %u", from, to, device[from],
                 device[to], k);
    }
}

static void assert_legal(const struct sipml_graph *graph, const struct sipml_limits *limits,
                         const uint32_t *device)
{
    for (uint32_t op = 0; op < graph->ops; op++) {
        const uint32_t first = graph->first_part[op];
        for (uint32_t i = 0; i < orr_sipml_parts_of(graph, op); i++) {
            for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1]; l++) {
                const struct sipml_range range = orr_sipml_parents(graph, op, &graph->link[l], i);
                for (uint32_t part = range.first; part < range.end; part++) {
                    assert_met(limits, device, part, first + i);
                }
            }
            for (uint32_t j = 0; j < i && graph->task[op].exchanges; j++) {
                assert_met(limits, device, first + j, first + i);
            }
        }
    }
}

struct tally {
    uint32_t graphs, repaired, rounds, max_rounds, not_ended;
};

static void try_layers(struct orr_rng *rng, const struct sipml_limits *limits, enum edges edges,
                       struct tally *tally)
{
    struct orr_arena *arena = orr_arena_create();
    struct layers layers;
    struct sipml_assignment assignment;
    make_layers(&layers, rng, limits->devices, edges);
    assert_true(orr_sipml_algorithm(arena, &layers.graph, limits, &assignment));
    tally->graphs++;
    tally->repaired += assignment.repairs != 0;
    tally->rounds += assignment.rounds;
    tally->max_rounds = assignment.ended && assignment.rounds > tally->max_rounds
                            ? assignment.rounds
                            : tally->max_rounds;
    tally->not_ended += !assignment.ended;
    assert_in_range(assignment.rounds, 0, assignment.repairs * limits->repair_rounds);
    if (assignment.ended) {
        assert_legal(&layers.graph, limits, assignment.device);
    }
    orr_arena_destroy(arena);
}

static struct tally try_many(uint32_t graphs, const struct sipml_limits *limits, enum edges edges,
                             uint64_t seed)
{
    struct orr_rng rng;
    struct tally tally = {0};
    orr_rng_init(&rng, seed, 0);
    for (uint32_t i = 0; i < graphs; i++) {
        try_layers(&rng, limits, edges, &tally);
    }
    printf(
        "k = %u, %u ahead, %u behind, %s, by %s: %u graphs, %u repaired, at most %u rounds, %u not "
        "ended\n",
        limits->devices, limits->ahead, limits->behind,
        edges == OF_SLICES ? "slices"
        : edges == OF_ALL  ? "all-to-all"
                           : "both",
        limits->free_first ? "free devices" : "the earliest start", tally.graphs, tally.repaired,
        tally.max_rounds, tally.not_ended);
    return tally;
}

static void test_edges_are_met_or_the_repair_says_that_it_did_not_end(void **state)
{
    (void)state;
    static const struct sipml_limits limits[] = {
        {8, 0, 3, 0, 16, false, NULL},  {16, 0, 7, 0, 16, false, NULL},
        {4, 0, 2, 0, 16, false, NULL},  {8, 0, 6, 0, 16, false, NULL},
        {32, 0, 9, 0, 16, false, NULL}, {8, 1, 1, 0, 16, false, NULL},
        {16, 3, 3, 0, 16, false, NULL}, {12, 2, 2, 0, 16, false, NULL},
        {8, 0, 3, 0, 16, true, NULL},   {16, 0, 7, 0, 16, true, NULL},
        {12, 2, 2, 0, 16, true, NULL},
    };
    uint32_t graphs = 0, repaired = 0, not_ended = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        for (enum edges edges = OF_SLICES; edges <= OF_BOTH; edges++) {
            const struct tally tally = try_many(420, &limits[i], edges, 10 * i + edges);
            graphs += tally.graphs;
            repaired += tally.repaired;
            not_ended += tally.not_ended;
        }
    }
    assert_true(graphs >= 10000);
    assert_true(repaired > graphs / 10);
    assert_true(not_ended < repaired);
}

/* ---- models ---- */

/* A random model of layers that are split in all ways; some share weights, some take two inputs. */
static void make_model(struct toy *toy, struct orr_rng *rng)
{
    static const char *const names[12] = {"a", "b", "c", "d", "e", "f",
                                          "g", "h", "i", "j", "k", "l"};
    toy_init(toy, 64 * (1 + orr_rng_below(rng, 8)));
    toy->graph.lists_gradients = orr_rng_below(rng, 3) == 0;
    const uint32_t ops = 3 + (uint32_t)orr_rng_below(rng, 10);
    for (uint32_t i = 0; i < ops; i++) {
        const uint32_t other = i > 1 ? (uint32_t)orr_rng_below(rng, i - 1) : UINT32_MAX;
        const uint32_t input[2] = {i - 1, orr_rng_below(rng, 3) == 0 ? other : UINT32_MAX};
        const uint32_t op =
            toy_op(toy, names[i], 64 + orr_rng_below(rng, 5000),
                   orr_rng_below(rng, 3) == 0 ? 0 : 400 * orr_rng_below(rng, 100000),
                   i > 0 ? input : NULL);
        struct model_op *at = &toy->op[op];
        at->measured = true;
        at->forward_ps = (sim_time)(orr_rng_below(rng, 900) * ORR_PS_PER_US);
        at->backward_ps = (sim_time)(orr_rng_below(rng, 1800) * ORR_PS_PER_US);
        at->dims = 1 + (uint32_t)orr_rng_below(rng, TOY_DIMS);
        if (i > 2 && orr_rng_below(rng, 5) == 0) {
            const uint32_t owner = toy->op[i - 2].owner;
            at->owner = owner;
            at->weights = toy->op[owner].weights;
            at->weight_bytes = toy->op[owner].weight_bytes;
        }
    }
}

static void test_no_device_has_more_peers_than_the_degree(void **state)
{
    (void)state;
    struct orr_rng rng;
    uint32_t fell_back = 0, compact = 0, wide = 0;
    orr_rng_init(&rng, 7, 0);
    for (int i = 0; i < 1500; i++) {
        struct toy toy;
        struct sipml_placement placed;
        struct sipml_traffic traffic;
        struct sipml_peers peers;
        make_model(&toy, &rng);
        const struct model_speed speed = {.launch_ps = ORR_PS_PER_US};
        const uint32_t k = UINT32_C(1) << orr_rng_below(&rng, 7);
        const uint32_t copies = UINT32_C(1) << orr_rng_below(&rng, 3);
        struct sipml_problem problem = {.model = &toy.graph,
                                        .speed = &speed,
                                        .devices = k * copies,
                                        .copies = copies,
                                        .server = {.gpus = 1},
                                        .rules = orr_sipml_default_rules()};
        problem.rules.degree = 2 + (uint32_t)orr_rng_below(&rng, 16);
        if (orr_sipml_place(toy.arena, &problem, &placed, &toy.diag) != ORR_OK ||
            orr_sipml_traffic(toy.arena, &toy.graph, &placed.strategy, false, &traffic,
                              &toy.diag) != ORR_OK ||
            orr_sipml_peers(toy.arena, &traffic, &peers, &toy.diag) != ORR_OK) {
            fail_msg("%s", toy.diag.message);
        }
        assert_in_range(peers.max_out, 0, problem.rules.degree);
        assert_in_range(peers.max_in, 0, problem.rules.degree);
        assert_in_range(peers.of_group.out, 0, problem.rules.degree - 1);
        fell_back += placed.fell_back;
        compact += placed.compact;
        wide += placed.devices_used > problem.rules.degree;
        toy_fini(&toy);
    }
    printf("%u of 1500 models on few devices, %u of them as the repair did not end; %u on more "
           "devices than the degree\n",
           compact, fell_back, wide);
    assert_true(wide > 20 && compact > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges_are_met_or_the_repair_says_that_it_did_not_end),
        cmocka_unit_test(test_no_device_has_more_peers_than_the_degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
