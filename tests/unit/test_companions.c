/* Companions: groups that are judged together with a group follow from the ranks of all, not from
 * how or in which order they are listed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "network/net_config.h"
#include "network/net_dims.h"
#include "system/plan/companions.h"
#include "system/plan/planning.h"
#include "system/sys_config.h"
#include "system/sys_groups.h"
#include "system/sys_policy.h"

enum { MAX_GROUPS = 16, MAX_RANKS = 16 };

struct listed {
    uint32_t size, rank[MAX_RANKS];
};

struct setting {
    struct net_dim dim[2];
    unsigned dims, groups;
    struct listed group[MAX_GROUPS];
};

/* The companions of the first group as "lowest rank:size ..."; `backwards`: groups and ranks are
 * listed from the last. */
static void companions_of(const struct setting *setting, bool backwards, char *text, size_t bytes)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    const struct net_config net = {
        .backend = "analytical", .dims = setting->dims, .dim = setting->dim};
    const struct sys_config config = {.policy = &orr_sys_policy_default, .chunks = 1};
    struct sys *sys = NULL;
    uint32_t first = 0;
    orr_diag_init(&diag);
    assert_int_equal(orr_sys_planner_open(&sys, &config, &net, arena, &diag), ORR_OK);
    for (unsigned i = 0; i < setting->groups; i++) {
        const unsigned g = backwards ? setting->groups - 1 - i : i;
        const struct listed *group = &setting->group[g];
        uint32_t rank[MAX_RANKS], index;
        char name[16];
        for (uint32_t r = 0; r < group->size; r++) {
            rank[r] = group->rank[backwards ? group->size - 1 - r : r];
        }
        (void)snprintf(name, sizeof name, "%u", g);
        assert_int_equal(orr_sys_group_add(sys, name, rank, group->size, &index, &diag), ORR_OK);
        first = g == 0 ? index : first;
    }
    const struct sys_companions *with = orr_sys_companions_of(sys, sys->all.groups[first]);
    text[0] = '\0';
    for (uint32_t c = 0; with != NULL && c < with->count; c++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, bytes - used, "%s%u:%u", c > 0 ? " " : "",
                       with->of[c]->sorted[0], with->of[c]->size);
    }
    orr_arena_destroy(arena);
}

static void expect(const struct setting *setting, const char *expected)
{
    for (unsigned backwards = 0; backwards < 2; backwards++) {
        char text[256];
        companions_of(setting, backwards == 1, text, sizeof text);
        assert_string_equal(text, expected);
    }
}

/* Rings of 4 below a switch of 4, pipelines of 4 along the rings: first and last stage share
 * weights, {0, 3}, {4, 7}, ... The groups along the switch send nothing in a ring. */
static void test_groups_of_another_dimension_are_none(void **state)
{
    (void)state;
    const struct setting setting = {
        .dim = {{.block = NET_RING, .npus = 4}, {.block = NET_SWITCH, .npus = 4}},
        .dims = 2,
        .groups = 8,
        .group = {{2, {0, 3}},
                  {2, {4, 7}},
                  {2, {8, 11}},
                  {2, {12, 15}},
                  {4, {0, 4, 8, 12}},
                  {4, {1, 5, 9, 13}},
                  {4, {2, 6, 10, 14}},
                  {4, {3, 7, 11, 15}}}};
    expect(&setting, "");
}

/* On a ring of 8 the halves are judged together, and the pairs across them, which run at other
 * times, are not. */
static void test_groups_of_the_same_division(void **state)
{
    (void)state;
    struct setting setting = {.dim = {{.block = NET_RING, .npus = 8}},
                              .dims = 1,
                              .groups = 6,
                              .group = {{4, {0, 1, 2, 3}},
                                        {4, {4, 5, 6, 7}},
                                        {2, {0, 4}},
                                        {2, {1, 5}},
                                        {2, {2, 6}},
                                        {2, {3, 7}}}};
    expect(&setting, "4:4");
    setting.group[0] = (struct listed){2, {0, 4}};
    setting.group[2] = (struct listed){4, {0, 1, 2, 3}};
    expect(&setting, "1:2 2:2 3:2");
}

/* The last one of a division may be smaller: 3, 3 and 2 of 8; spaced ones as well. */
static void test_smaller_groups_of_the_same_division(void **state)
{
    (void)state;
    const struct setting parts = {.dim = {{.block = NET_RING, .npus = 8}},
                                  .dims = 1,
                                  .groups = 3,
                                  .group = {{3, {0, 1, 2}}, {3, {3, 4, 5}}, {2, {6, 7}}}};
    expect(&parts, "3:3 6:2");
    const struct setting spaced = {.dim = {{.block = NET_RING, .npus = 8}},
                                   .dims = 1,
                                   .groups = 3,
                                   .group = {{3, {0, 3, 6}}, {3, {1, 4, 7}}, {2, {2, 5}}}};
    expect(&spaced, "1:3 2:2");
}

/* On a mesh a group's messages stay between its members: of two halves neither passes the other,
 * but they are on one line, so they are judged together all the same. */
static void test_halves_of_a_mesh(void **state)
{
    (void)state;
    const struct setting halves = {.dim = {{.block = NET_MESH, .npus = 8}},
                                   .dims = 1,
                                   .groups = 2,
                                   .group = {{4, {0, 1, 2, 3}}, {4, {4, 5, 6, 7}}}};
    expect(&halves, "4:4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_of_another_dimension_are_none),
        cmocka_unit_test(test_groups_of_the_same_division),
        cmocka_unit_test(test_smaller_groups_of_the_same_division),
        cmocka_unit_test(test_halves_of_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
