/* Long random walks of a search's moves over random small models: every strategy on the way is
 * legal, what is kept up to date is as if it were worked out anew, and so is what is taken back. */
#include "tests/unit/search_fixture.h"

#include "core/rng.h"
#include "planner/search/search_moves.h"
#include "planner/search/search_space.h"
#include "planner/search/search_walk.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"

enum { OPS = 9, CASES = 24, TRIES = 120 };

struct world {
    struct quest quest;
    struct strategy start;
    const struct strategy *starts[1];
    struct space space;
    struct move_map map;
    struct walk walk;
    struct orr_rng rng;
    struct mover mover;
};

static uint32_t below(struct world *world, uint32_t bound)
{
    return (uint32_t)orr_rng_below(&world->rng, bound);
}

/* Operators behind up to two earlier ones, some of them tables, some with an earlier one's weights,
 * some alike. */
static void make_model(struct world *world)
{
    struct toy *toy = &world->quest.toy;
    char *name;
    for (uint32_t i = 0; i < OPS; i++) {
        const uint32_t input[2] = {i > 0 ? below(world, i) : UINT32_MAX,
                                   i > 2 && below(world, 3) == 0 ? i - 1 : UINT32_MAX};
        const bool twice = input[0] == input[1];
        name = orr_arena_printf(toy->arena, "op %u", i);
        const uint32_t op =
            quest_op(&world->quest, name, UINT64_C(1000) * (1 + below(world, 3)),
                     UINT64_C(400) << below(world, 4), UINT64_C(8000) << (4 * below(world, 2)),
                     twice ? (uint32_t[2]){input[0], UINT32_MAX} : input);
        toy->op[op].table = i > 0 && below(world, 5) == 0;
        if (i > 0 && !toy->op[op].table && below(world, 4) == 0) {
            const uint32_t owner = toy->op[below(world, i)].owner;
            toy->op[op].owner = toy->op[owner].table ? op : owner;
        }
    }
}

static void open_world(struct world *world, uint32_t seed)
{
    static const uint32_t devices[] = {8, 12, 6, 16};
    const uint32_t copies = 1 + seed % 2;
    *world = (struct world){.quest = {.toy = {.graph = {.ops = 0}}}};
    orr_rng_init(&world->rng, seed, 0);
    quest_init(&world->quest, 96, "circulant:1", devices[seed % 4], copies);
    make_model(world);
    toy_draft(&world->quest.toy, devices[seed % 4], copies);
    assert_true(orr_strategy_data_parallel(&world->quest.toy.draft));
    world->start = orr_strategy_drafted(&world->quest.toy.draft);
    world->start.server = world->quest.problem.server;
    world->starts[0] = &world->start;
    world->quest.problem.memory_bytes = 200000;
    struct orr_arena *arena = world->quest.toy.arena;
    struct orr_diag *diag = &world->quest.toy.diag;
    assert_int_equal(
        orr_space_init(&world->space, arena, &world->quest.problem, world->starts, 1, diag),
        ORR_OK);
    assert_true(orr_move_map_init(&world->map, arena, &world->space));
    assert_int_equal(orr_walk_init(&world->walk, arena, &world->space, 0, diag), ORR_OK);
    assert_true(orr_mover_init(&world->mover, arena, &world->map, &world->walk, &world->rng));
    world->mover.propagation = 0.25;
}

static void check_memory_and_loads(const struct world *world)
{
    const struct walk *walk = &world->walk;
    uint64_t bytes[16], load[16] = {0}, missing = 0, max = 0;
    assert_true(orr_strategy_memory(&world->quest.toy.graph, &walk->strategy, bytes, NULL));
    for (uint32_t op = 0; op < OPS; op++) {
        const struct space_split *split = &world->space.split[walk->choice[op].split];
        for (uint32_t i = 0; i < split->parts; i++) {
            load[orr_strategy_devices(&walk->strategy, op)[i]] +=
                (uint64_t)(split->forward_ps + split->backward_ps);
        }
    }
    for (uint32_t d = 0; d < world->space.group; d++) {
        assert_int_equal(bytes[d], walk->bytes[d]);
        assert_int_equal(load[d], walk->load_ps[d]);
        missing += bytes[d] > 200000 ? bytes[d] - 200000 : 0;
        max = load[d] > max ? load[d] : max;
    }
    assert_int_equal(missing, orr_walk_missing(walk));
    assert_int_equal(max, orr_walk_lower_bound_ps(walk));
}

/* The time with any limit is the time without, or said to be longer. */
static void check_time(struct world *world)
{
    struct walk *walk = &world->walk;
    struct orr_diag *diag = &world->quest.toy.diag;
    const sim_time fresh = quest_time(&world->quest, &walk->strategy);
    const sim_time limits[] = {fresh / 2, fresh - fresh / 1000 - 2, fresh, ORR_TIME_MAX};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        sim_time time_ps = 0;
        assert_int_equal(orr_walk_time(walk, limits[i], &time_ps, diag), ORR_OK);
        assert_int_equal(time_ps, limits[i] < fresh ? ORR_TIME_MAX : fresh);
    }
    assert_true(orr_walk_lower_bound_ps(walk) <= fresh);
}

static void check_strategy(struct world *world)
{
    if (orr_strategy_check(&world->quest.toy.graph, &world->walk.strategy,
                           &world->quest.toy.diag) != ORR_OK) {
        fail_msg("%s", world->quest.toy.diag.message);
    }
    check_memory_and_loads(world);
    check_time(world);
}

static void test_every_strategy_on_the_way_is_legal_and_up_to_date(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= CASES; seed++) {
        struct world world;
        struct search_choice before[OPS];
        uint32_t moved = 0;
        open_world(&world, seed);
        for (uint32_t i = 0; i < TRIES; i++) {
            memcpy(before, world.walk.choice, sizeof before);
            const bool is_move = orr_move(&world.mover);
            moved += is_move;
            if (is_move && below(&world, 2) == 0) {
                check_strategy(&world);
                orr_walk_keep(&world.walk);
                continue;
            }
            orr_walk_undo(&world.walk);
            assert_memory_equal(before, world.walk.choice, sizeof before);
        }
        check_strategy(&world);
        assert_true(moved > TRIES / 2);
        orr_walk_fini(&world.walk);
        quest_fini(&world.quest);
    }
}

/* Places are on devices of the group, each part on one of its own, and no two places are the same.
 */
static void test_places_of_a_split_differ(void **state)
{
    (void)state;
    struct world world;
    uint32_t device[2][64], places = 0;
    open_world(&world, 1);
    for (uint32_t s = 0; s < world.space.splits; s++) {
        const struct space_split *split = &world.space.split[s];
        const uint32_t all = orr_space_count_placements(&world.space, s);
        for (uint32_t n = 0; n < all; n++) {
            const struct search_choice choice = orr_space_placement_at(&world.space, s, n);
            bool taken[16] = {false};
            orr_space_devices(&world.space, 0, &choice, device[0]);
            for (uint32_t i = 0; i < split->parts; i++) {
                assert_true(device[0][i] < world.space.group);
                assert_false(taken[device[0][i]]);
                taken[device[0][i]] = true;
            }
            for (uint32_t m = 0; m < n; m++) {
                const struct search_choice other = orr_space_placement_at(&world.space, s, m);
                orr_space_devices(&world.space, 0, &other, device[1]);
                assert_true(memcmp(device[0], device[1], split->parts * sizeof(uint32_t)) != 0);
            }
            places++;
        }
    }
    assert_true(places > 100);
    orr_walk_fini(&world.walk);
    quest_fini(&world.quest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_strategy_on_the_way_is_legal_and_up_to_date),
        cmocka_unit_test(test_places_of_a_split_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
