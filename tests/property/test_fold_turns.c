/* Task graphs on networks that are graphs give the same results to the picosecond and the byte
 * whether the NPUs that turns take to each other are simulated once, or each. Random fabrics and
 * graphs of tasks that a turn takes to each other, with few different times and sizes so that much
 * happens in the same instant; some have a task, a size or an order of their own that breaks it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/rng.h"
#include "network/graph_rotation.h"
#include "tests/property/fold_runs.h"
#include "workload/taskgraph/tg_builder.h"
#include "workload/taskgraph/tg_graph.h"

enum { CASES = 600, LONG_CASES = 20000, MAX_TASKS = 24 };

/* ---- fabrics ---- */

struct fabric {
    const char *text;
    uint32_t npus;
    struct net_rotation turn; /* of all links, by its least step */
};

static const struct fabric fabrics[] = {{"circulant:1,3", 8, {1, 8, 1}},
                                        {"circulant:1,5", 12, {1, 12, 1}},
                                        {"circulant:1,3,4", 9, {1, 9, 1}},
                                        {"circulant:+1,+3", 10, {1, 10, 1}},
                                        {"circulant:1,2/2", 10, {2, 5, 1}},
                                        {"circulant:1/3", 12, {3, 4, 1}},
                                        {"torus:4x3", 12, {4, 3, 1}},
                                        {"torus:4x4", 16, {1, 4, 1}},
                                        {"torus:3x2x4", 24, {6, 4, 1}},
                                        {"hypercube", 16, {4, 2, 1}},
                                        {"Ring(4)_FC(3)", 12, {4, 3, 1}},
                                        {"Ring(3)_Switch(4)", 12, {3, 4, 1}},
                                        {"Switch(3)_Ring(4)", 12, {3, 4, 1}},
                                        {"full-mesh", 7, {1, 7, 1}},
                                        {"ideal-switch", 6, {1, 6, 1}},
                                        {"clusters:3", 12, {3, 4, 1}},
                                        {"clusters:4,2", 8, {4, 2, 1}},
                                        {"fat-tree:4", 16, {4, 4, 1}},
                                        {"ideal-switch/4@4GB/s:server", 12, {4, 3, 1}},
                                        {"ideal-switch/2@2GB/s:server", 16, {2, 8, 1}},
                                        {"expander:3", 8, {1, 8, 1}},
                                        {"dgx1", 8, {1, 8, 1}},
                                        {"mesh:3x2", 6, {3, 2, 1}}};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

/* ---- a random graph ---- */

struct made {
    struct orr_rng rng;
    struct tg_builder *builder;
    struct net_rotation turn; /* that takes tasks to each other */
    uint32_t npus, copies, tasks, number;
    bool to_all; /* all-reduces wait for tasks anywhere */
    bool uneven; /* something breaks the turn */
    bool sends;  /* there are transfers */
    bool reduces[MAX_TASKS];
    uint64_t on[MAX_TASKS];    /* NPUs that the first one is done on */
    uint32_t first[MAX_TASKS]; /* the number of its first task; behind it those it is taken to */
    uint32_t images[MAX_TASKS];
};

static uint32_t below(struct made *made, uint32_t end)
{
    return (uint32_t)orr_rng_below(&made->rng, end);
}

static uint64_t few_bytes(struct made *made)
{
    static const uint64_t bytes[] = {0, 1, 1000, 8936, 10000, 30000, 100000, 123457};
    return bytes[below(made, sizeof bytes / sizeof *bytes)];
}

static uint64_t few_times(struct made *made)
{
    static const uint64_t us[] = {0, 1, 2, 5, 10, 11};
    return us[below(made, sizeof us / sizeof *us)] * ORR_PS_PER_US;
}

static uint32_t turned(const struct made *made, uint32_t npu, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        npu = net_rotated(&made->turn, npu);
    }
    return npu;
}

static bool is_odd(struct made *made)
{
    return made->uneven && below(made, 8) == 0;
}

/* Members of a few places, and what the turn takes these to, place by place. */
static uint32_t take_members(struct made *made, uint32_t *member)
{
    uint32_t places = 0, count = 0;
    for (uint32_t npu = 0; npu < made->npus; npu++) {
        const bool first = npu / made->turn.stride % made->turn.size < made->turn.step;
        if (first && (below(made, 8) != 0 || (places == 0 && npu + 1 == made->turn.step))) {
            member[places++] = npu;
        }
    }
    for (uint32_t i = places; i-- > 1;) {
        const uint32_t other = below(made, i + 1), kept = member[i];
        member[i] = member[other];
        member[other] = kept;
    }
    for (count = places; count < places * made->copies; count++) {
        member[count] = turned(made, member[count - places], 1);
    }
    return count;
}

static void add_reduce(struct made *made, uint32_t task)
{
    uint32_t member[FOLD_MAX_NPUS], count = take_members(made, member);
    const struct tg_task all = {.name = orr_tg_builder_name(made->builder, "reduce"),
                                .role = TG_ALL_REDUCE,
                                .bytes = few_bytes(made) * (1 + below(made, 5)),
                                .duration_ps = below(made, 3) == 0 ? few_times(made) : 0};
    if (count > 2 && is_odd(made)) {
        const uint32_t kept = member[0];
        member[0] = member[1];
        member[1] = kept;
    }
    made->images[task] = 1;
    made->reduces[task] = true;
    for (uint32_t i = 0; i < count; i++) {
        made->on[task] |= UINT64_C(1) << member[i];
    }
    made->number++;
    (void)orr_tg_builder_all_reduce(made->builder, &all, member, count);
}

static void add_task(struct made *made, uint32_t task)
{
    static const uint8_t roles[] = {TG_COMPUTE, TG_COMPUTE, TG_COMPUTE, TG_COMPUTE_CPU, TG_DELAY};
    const uint32_t npu = below(made, made->npus), to = below(made, made->npus);
    const bool sends = made->sends && below(made, 4) == 0;
    struct tg_task one = {.name = orr_tg_builder_name(made->builder, "task"),
                          .role = sends ? (uint8_t)TG_TRANSFER : roles[below(made, 5)],
                          .bytes = sends ? few_bytes(made) : 0,
                          .duration_ps = sends ? 0 : few_times(made)};
    made->images[task] = made->copies;
    made->on[task] = UINT64_C(1) << (sends ? to : npu);
    for (uint32_t i = 0; i < made->copies; i++) {
        one.from = turned(made, npu, i);
        one.to = sends ? turned(made, to, i) : one.from;
        one.duration_ps += !sends && is_odd(made) ? ORR_PS_PER_US : 0;
        (void)orr_tg_builder_add(made->builder, &one);
        made->number++;
    }
}

static void wait_for(struct made *made, uint32_t task, uint32_t other)
{
    const uint32_t ahead = below(made, 20) == 0 ? below(made, made->copies) : 0;
    for (uint32_t i = 0; i < made->copies; i++) {
        orr_tg_builder_wait(made->builder, made->first[task] + i % made->images[task],
                            made->first[other] + (i + ahead) % made->images[other]);
    }
}

/* On tasks before it. */
static void add_waits(struct made *made)
{
    for (uint32_t task = 1; task < made->tasks; task++) {
        for (uint32_t n = below(made, 4); n > 0; n--) {
            const uint32_t other = below(made, task);
            if (made->to_all || (made->on[task] & made->on[other]) != 0) {
                wait_for(made, task, other);
            }
        }
    }
}

static void make_graph(struct made *made, uint64_t seed, const struct fabric *fabric,
                       struct orr_arena *arena, struct tg_graph *graph)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    *made = (struct made){.npus = fabric->npus, .turn = fabric->turn};
    orr_rng_init(&made->rng, seed, 23);
    made->turn.step = 1 + below(made, 2);
    made->turn.step = fabric->turn.size % made->turn.step == 0 ? made->turn.step : 1;
    made->turn.step = made->turn.step == fabric->turn.size ? 1 : made->turn.step;
    made->copies = fabric->turn.size / made->turn.step;
    made->tasks = 4 + below(made, MAX_TASKS - 4);
    made->to_all = below(made, 10) == 0;
    made->uneven = below(made, 5) == 0;
    made->sends = below(made, 4) == 0;
    made->builder = orr_tg_builder_create(made->npus, 1);
    for (uint32_t i = 0; i < made->tasks; i++) {
        made->first[i] = made->number;
        if (below(made, 3) == 0) {
            add_reduce(made, i);
        } else {
            add_task(made, i);
        }
    }
    add_waits(made);
    if (orr_tg_builder_finish(made->builder, arena, graph, &diag) != ORR_OK) {
        fail_msg("seed %" PRIu64 ": %s", seed, diag.message);
    }
    orr_tg_builder_destroy(made->builder);
}

/* ---- cases ---- */

static struct fold_way way_of(uint64_t seed, const struct fabric *fabric)
{
    static const char *const kinds[] = {"ring",           "ring",
                                        "ring",           "ring",
                                        "ring_stream",    "bidirectional_ring_stream",
                                        "ring_stream",    "bidirectional_ring_stream",
                                        "pipelined_ring", "parameter_server"};
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 24);
    /* Rings that are found tell members of a group apart, one in their order may not. */
    const bool own = seed / FABRICS % 3 != 0 && strncmp(fabric->text, "circulant", 9) != 0;
    return (struct fold_way){.fabric = fabric->text,
                             .rings = own ? "own" : NULL,
                             .all_reduce = kinds[orr_rng_below(&rng, sizeof kinds / sizeof *kinds)],
                             .shares = orr_rng_below(&rng, 16) == 0 ? ORR_SHARES_WINDOWS
                                                                    : ORR_SHARES_MAXMIN,
                             .latency_ps = orr_rng_below(&rng, 3) == 0 ? 0 : ORR_PS_PER_US,
                             .setup_ps = orr_rng_below(&rng, 4) == 0 ? 3 * ORR_PS_PER_US : 0};
}

/* Whether it was folded; counts those that differ. */
static bool check(uint64_t seed, unsigned *wrong)
{
    static struct fold_outcome folded, whole;
    struct orr_arena *arena = orr_arena_create();
    const struct fabric *fabric = &fabrics[seed % FABRICS];
    const struct fold_way way = way_of(seed, fabric);
    struct made made;
    struct tg_graph graph;
    make_graph(&made, seed, fabric, arena, &graph);
    fold_run(&graph, &way, true, &folded);
    fold_run(&graph, &way, false, &whole);
    assert_false(whole.folded);
    if (!fold_same(&whole, &folded)) {
        fold_tell(seed, &way, "every NPU, and folded", &whole, &folded);
        ++*wrong;
    }
    if (!folded.folded && folded.reason[0] == '\0') {
        print_message("seed %" PRIu64 ": not folded, without a reason\n", seed);
        ++*wrong;
    }
    if (getenv("ORRERY_TELL") != NULL) {
        print_message("%" PRIu64 " %s %s: %u of %u, %s\n", seed, way.fabric, way.all_reduce,
                      folded.classes, folded.npus, folded.reason);
    }
    orr_arena_destroy(arena);
    return folded.folded;
}

static void test_turns_give_the_same_as_every_npu(void **state)
{
    (void)state;
    const bool many = getenv("ORRERY_LONG") != NULL;
    const uint64_t cases = many ? LONG_CASES : CASES;
    unsigned wrong = 0, folded = 0;
    for (uint64_t seed = 1; seed <= cases && wrong < 10; seed++) {
        folded += check(seed, &wrong);
    }
    assert_int_equal(wrong, 0);
    assert_true(3 * folded > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns_give_the_same_as_every_npu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
