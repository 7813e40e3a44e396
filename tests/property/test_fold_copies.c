/* Task graphs of alike groups give the same results to the picosecond and the byte three ways: one
 * group simulated for all, every NPU simulated, and as the plain graph with all tasks written out.
 * Random graphs, with few different times and sizes so that much happens in the same instant, and
 * with every way to do all-reduces; what cannot be folded says why. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/property/fold_runs.h"

enum { CASES = 600, LONG_CASES = 20000, MOST_TASKS = 40, MOST_NPUS = 20 };

/* ---- a random graph ---- */

struct made {
    struct orr_rng rng;
    struct tg_builder *builder;
    uint32_t place_count, copies, tasks;
    bool to_all; /* all-reduces wait for tasks anywhere in the group */
    uint8_t role[MOST_TASKS];
    uint32_t npu[MOST_TASKS];
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

static void add_reduce(struct made *made, uint32_t number)
{
    uint32_t member[MOST_NPUS], count = 0;
    for (uint32_t i = 0; i < made->place_count; i++) {
        if (below(made, 2) == 0 || (count == 0 && i + 1 == made->place_count)) {
            member[count++] = i;
        }
    }
    for (uint32_t i = count; i-- > 1;) {
        const uint32_t other = below(made, i + 1), kept = member[i];
        member[i] = member[other];
        member[other] = kept;
    }
    const struct tg_task task = {.role = TG_ALL_REDUCE,
                                 .bytes = few_bytes(made) * (1 + below(made, 5)),
                                 .duration_ps = below(made, 3) == 0 ? few_times(made) : 0,
                                 .across = below(made, 3) != 0};
    made->npu[number] = member[below(made, count)];
    (void)orr_tg_builder_all_reduce(made->builder, &task, member, count);
}

static void add_task(struct made *made, uint32_t number)
{
    static const uint8_t roles[] = {TG_COMPUTE,  TG_COMPUTE,  TG_COMPUTE,  TG_COMPUTE_CPU, TG_DELAY,
                                    TG_TRANSFER, TG_TRANSFER, TG_TRANSFER, TG_ALL_REDUCE};
    const uint8_t role = roles[below(made, sizeof roles)];
    made->role[number] = role;
    if (role == TG_ALL_REDUCE) {
        add_reduce(made, number);
        return;
    }
    struct tg_task task = {.role = role, .from = below(made, made->place_count)};
    task.to = role == TG_TRANSFER ? below(made, made->place_count) : task.from;
    task.bytes = role == TG_TRANSFER ? few_bytes(made) : 0;
    task.duration_ps = role == TG_TRANSFER ? 0 : few_times(made);
    made->npu[number] = task.to;
    (void)orr_tg_builder_add(made->builder, &task);
}

/* On tasks before it; all-reduces, as a rule, and those that wait for them, on those of members. */
static void add_waits(struct made *made)
{
    for (uint32_t task = 1; task < made->tasks; task++) {
        for (uint32_t n = below(made, 4); n > 0; n--) {
            const uint32_t other = below(made, task);
            const bool plain =
                made->role[task] != TG_ALL_REDUCE && made->role[other] != TG_ALL_REDUCE;
            const bool fits = plain || made->to_all || made->npu[other] == made->npu[task];
            if (fits) {
                orr_tg_builder_wait(made->builder, task, other);
            }
        }
    }
}

static void make_graph(struct made *made, uint64_t seed, struct orr_arena *arena,
                       struct tg_graph *graph)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    *made = (struct made){.place_count = 1};
    orr_rng_init(&made->rng, seed, 23);
    made->place_count = 1 + below(made, 4);
    made->copies = 2 + below(made, 4);
    made->tasks = 4 + below(made, MOST_TASKS - 4);
    made->to_all = below(made, 10) == 0;
    made->builder = orr_tg_builder_create(made->place_count * made->copies, made->copies);
    for (uint32_t i = 0; i < made->tasks; i++) {
        add_task(made, i);
    }
    add_waits(made);
    if (orr_tg_builder_finish(made->builder, arena, graph, &diag) != ORR_OK) {
        fail_msg("seed %" PRIu64 ": %s", seed, diag.message);
    }
    orr_tg_builder_destroy(made->builder);
}

/* ---- runs ---- */

static struct fold_way way_of(uint64_t seed)
{
    static const char *const kinds[] = {"ring-stream",
                                        "ring",
                                        "ring-stream",
                                        "ring",
                                        "ring-stream",
                                        "ring",
                                        "bidirectional-ring-stream",
                                        "pipelined-ring",
                                        "parameter-server",
                                        "hierarchical:2",
                                        "hierarchical:4,inner=10GB/s"};
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 24);
    return (struct fold_way){.fabric = "ideal-switch",
                             .all_reduce = kinds[orr_rng_below(&rng, sizeof kinds / sizeof *kinds)],
                             .shares = orr_rng_below(&rng, 8) == 0 ? ORR_SHARES_WINDOWS
                                                                   : ORR_SHARES_MAXMIN,
                             .latency_ps = orr_rng_below(&rng, 3) == 0 ? 0 : ORR_PS_PER_US,
                             .setup_ps = orr_rng_below(&rng, 4) == 0 ? 3 * ORR_PS_PER_US : 0};
}

/* ---- cases ---- */

/* Whether one was folded; counts those that differ. */
static bool check(uint64_t seed, unsigned *wrong)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    struct made made;
    struct tg_graph graph, plain;
    static struct fold_outcome folded, whole, written_out;
    const struct fold_way way = way_of(seed);
    orr_diag_init(&diag);
    make_graph(&made, seed, arena, &graph);
    assert_int_equal(orr_tg_expand(arena, &graph, &plain, &diag), ORR_OK);
    fold_run(&graph, &way, true, &folded);
    fold_run(&graph, &way, false, &whole);
    fold_run(&plain, &way, true, &written_out);
    assert_false(whole.folded);
    assert_false(written_out.folded);
    if (!fold_same(&whole, &folded)) {
        fold_tell(seed, &way, "every NPU, and folded", &whole, &folded);
        ++*wrong;
    }
    if (!fold_same(&written_out, &whole)) {
        fold_tell(seed, &way, "written out, and groups", &written_out, &whole);
        ++*wrong;
    }
    if (!folded.folded && folded.reason[0] == '\0') {
        print_message("seed %" PRIu64 ": not folded, without a reason\n", seed);
        ++*wrong;
    }
    const bool was_folded = folded.folded;
    orr_arena_destroy(arena);
    return was_folded;
}

static void test_groups_give_the_same_three_ways(void **state)
{
    (void)state;
    const bool many = getenv("ORRERY_LONG") != NULL;
    const uint64_t cases = many ? LONG_CASES : CASES;
    unsigned wrong = 0, folded = 0;
    for (uint64_t seed = 1; seed <= cases && wrong < 10; seed++) {
        folded += check(seed, &wrong);
    }
    assert_int_equal(wrong, 0);
    assert_true(2 * folded > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups_give_the_same_three_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
