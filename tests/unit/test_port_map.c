/* Patch panels of topologies worked out by hand, and what is refused (TopoOpt, section 3, Table 1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "planner/finder/finder.h"
#include "planner/finder/port_map.h"

enum { MAX_LAYERS = 4 };

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct finder_class of;
    struct finder_layer layer[MAX_LAYERS];
    struct finder_topology topology;
    struct port_map map;
};

static void begin(struct fixture *fixture, uint32_t servers, uint32_t degree)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->arena = orr_arena_create();
    orr_diag_init(&fixture->diag);
    fixture->of.members = servers;
    fixture->topology = (struct finder_topology){.servers = servers,
                                                 .degree = degree,
                                                 .of = &fixture->of,
                                                 .classes = 1,
                                                 .layer = fixture->layer};
}

static void end(struct fixture *fixture)
{
    orr_arena_destroy(fixture->arena);
}

static struct finder_link *add_layer(struct fixture *fixture, enum finder_layer_kind kind,
                                     bool duplex, uint32_t links)
{
    struct finder_link *link = orr_arena_array(fixture->arena, links, sizeof *link);
    assert_non_null(link);
    fixture->layer[fixture->topology.layers++] =
        (struct finder_layer){.kind = kind, .duplex = duplex, .link = link, .links = links};
    return link;
}

/* The jump of all groups of `members` neighbours. */
static void add_jump(struct fixture *fixture, uint32_t members, uint32_t jump, bool duplex)
{
    const uint32_t n = fixture->topology.servers;
    struct finder_link *link = add_layer(fixture, FINDER_RINGS, duplex, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t group = i / members * members, place = i % members * jump % members;
        link[i] =
            (struct finder_link){.from = group + place, .to = group + (place + jump) % members};
    }
    fixture->of.members = members;
    fixture->layer[fixture->topology.layers - 1].jump = jump;
}

static enum orr_status map(struct fixture *fixture, enum port_method method)
{
    const struct port_options options = {.method = method};
    return orr_port_map(fixture->arena, &fixture->topology, &options, &fixture->map,
                        &fixture->diag);
}

/* 12 servers, permutations 1 and 5: panel 0 holds i -> i + 1, panel 1 i -> i + 5. */
static void test_a_one_way_permutation_is_a_panel(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 12, 2);
    add_jump(&fixture, 12, 1, false);
    add_jump(&fixture, 12, 5, false);
    assert_int_equal(map(&fixture, PORTS_CABLES_OR_SPLIT), ORR_OK);
    assert_int_equal(fixture.map.crosses, 24);
    assert_int_equal(fixture.map.idle, 0);
    for (uint32_t i = 0; i < 24; i++) {
        const struct port_cross *cross = &fixture.map.cross[i];
        assert_int_equal(cross->panel, i / 12);
        assert_int_equal(cross->from, i % 12);
        assert_int_equal(cross->to, (i % 12 + (i < 12 ? 1 : 5)) % 12);
        assert_false(cross->cable);
    }
    assert_false(fixture.map.split);
    end(&fixture);
}

/* The cycle 0, 1, ... 5 by turns on panels 0 and 1: 01, 23, 45 and 12, 34, 50; then a matching. */
static void test_an_even_cycle_is_two_panels(void **state)
{
    (void)state;
    static const struct port_cross expected[] = {
        {0, 0, 1, 0, 0, true}, {0, 2, 3, 0, 2, true}, {0, 4, 5, 0, 4, true}, {1, 0, 5, 0, 5, true},
        {1, 1, 2, 0, 1, true}, {1, 3, 4, 0, 3, true}, {2, 0, 3, 1, 0, true}, {2, 2, 4, 1, 1, true},
    };
    struct fixture fixture;
    begin(&fixture, 6, 3);
    add_jump(&fixture, 6, 1, true);
    struct finder_link *link = add_layer(&fixture, FINDER_MATCHING, true, 2);
    link[0] = (struct finder_link){0, 3};
    link[1] = (struct finder_link){2, 4};
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_OK);
    assert_int_equal(fixture.map.crosses, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const struct port_cross *cross = &fixture.map.cross[i];
        assert_int_equal(cross->panel, expected[i].panel);
        assert_int_equal(cross->from, expected[i].from);
        assert_int_equal(cross->to, expected[i].to);
        assert_int_equal(cross->layer, expected[i].layer);
        assert_int_equal(cross->link, expected[i].link);
        assert_true(cross->cable);
    }
    assert_int_equal(fixture.map.idle, 2); /* interface 2 of servers 1 and 5 */
    end(&fixture);
}

/* Five servers: a panel of cables holds two links, two hold four of five. Crossconnects hold i -> i
 * + 1 on one, and the way back on the other. */
static void test_an_odd_number_of_servers_is_split(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 5, 2);
    add_jump(&fixture, 5, 1, true);
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_ERR_INPUT);
    assert_string_equal(fixture.diag.message,
                        "ports: expected links that cables can join, but 5 servers are odd in "
                        "number, a panel of cables leaves one of them out, and 2 panels hold 4 of "
                        "5 links; one-way crossconnects (links: one-way) can, or leave interfaces "
                        "idle");
    assert_int_equal(map(&fixture, PORTS_CABLES_OR_SPLIT), ORR_OK);
    assert_true(fixture.map.split);
    assert_non_null(fixture.map.why);
    assert_int_equal(fixture.map.crosses, 10);
    for (uint32_t i = 0; i < 10; i++) {
        const struct port_cross *cross = &fixture.map.cross[i];
        assert_int_equal(cross->panel, i / 5);
        assert_int_equal(cross->from, i % 5);
        assert_int_equal(cross->to, (i + (i < 5 ? 1 : 4)) % 5);
    }
    end(&fixture);
}

/* With an idle interface a third panel takes the link that two leave out. */
static void test_an_odd_ring_takes_three_panels(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 5, 3);
    add_jump(&fixture, 5, 1, true);
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_OK);
    assert_int_equal(fixture.map.crosses, 5);
    assert_int_equal(fixture.map.cross[4].panel, 2);
    assert_int_equal(fixture.map.idle, 5);
    end(&fixture);
}

/* Two rings of three: six links, and two panels would hold six, but not these. */
static void test_groups_of_odd_size_are_told(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 6, 2);
    add_jump(&fixture, 3, 1, true);
    assert_int_equal(map(&fixture, PORTS_CABLES_OR_SPLIT), ORR_OK);
    assert_true(fixture.map.split);
    assert_string_equal(fixture.map.why, "a ring of 3 servers is odd: two panels of cables leave "
                                         "out one of its links");
    end(&fixture);
}

/* 01 23 | 12 | 03: the third is on the panel of the second. */
static void test_layers_share_panels(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4, 2);
    struct finder_link *link = add_layer(&fixture, FINDER_MATCHING, true, 2);
    link[0] = (struct finder_link){0, 1};
    link[1] = (struct finder_link){2, 3};
    *add_layer(&fixture, FINDER_MATCHING, true, 1) = (struct finder_link){1, 2};
    *add_layer(&fixture, FINDER_MATCHING, true, 1) = (struct finder_link){0, 3};
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_OK);
    assert_int_equal(fixture.map.idle, 0);
    end(&fixture);
}

/* 01 | 12 34 | 45 | 23 05: by layers they are on panels 0, 1, 0 and none, though 01 23 45 and 12 34
 * 05 are two matchings. */
static void test_layers_that_do_not_fit_are_divided_anew(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 6, 2);
    *add_layer(&fixture, FINDER_MATCHING, true, 1) = (struct finder_link){0, 1};
    struct finder_link *link = add_layer(&fixture, FINDER_MATCHING, true, 2);
    link[0] = (struct finder_link){1, 2};
    link[1] = (struct finder_link){3, 4};
    *add_layer(&fixture, FINDER_MATCHING, true, 1) = (struct finder_link){4, 5};
    link = add_layer(&fixture, FINDER_MATCHING, true, 2);
    link[0] = (struct finder_link){2, 3};
    link[1] = (struct finder_link){0, 5};
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_OK);
    assert_int_equal(fixture.map.crosses, 6);
    assert_int_equal(fixture.map.idle, 0);
    end(&fixture);
}

/* 0 -> 1 -> 2 -> 0 on panel 0, and cables 01, 12, 02, which two panels cannot hold: each way apart,
 * they go around panels 1 and 2. */
static void test_links_of_both_kinds_are_told(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4, 3);
    struct finder_link *link = add_layer(&fixture, FINDER_RINGS, false, 3);
    struct finder_link *cable = add_layer(&fixture, FINDER_MATCHING, true, 3);
    for (uint32_t i = 0; i < 3; i++) {
        link[i] = cable[i] = (struct finder_link){i, (i + 1) % 3};
    }
    assert_int_equal(map(&fixture, PORTS_CABLES_OR_SPLIT), ORR_OK);
    assert_true(fixture.map.split);
    assert_string_equal(fixture.map.why,
                        "links one way and cables do not fit side by side on 3 panels");
    assert_int_equal(fixture.map.crosses, 9);
    end(&fixture);
}

/* The way there on one panel, the way back on the other. */
static void test_crossconnects_are_asked_for(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4, 2);
    add_jump(&fixture, 4, 1, true);
    assert_int_equal(map(&fixture, PORTS_ONE_WAY), ORR_OK);
    assert_true(fixture.map.split);
    assert_null(fixture.map.why);
    assert_int_equal(fixture.map.crosses, 8);
    assert_int_equal(fixture.map.idle, 0);
    end(&fixture);
}

static void test_look_ahead_panels_come_behind(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4, 2);
    add_jump(&fixture, 4, 1, true);
    const struct port_options options = {.look_ahead = true};
    assert_int_equal(
        orr_port_map(fixture.arena, &fixture.topology, &options, &fixture.map, &fixture.diag),
        ORR_OK);
    assert_int_equal(fixture.map.cross[0].panel, 2);
    assert_int_equal(fixture.map.cross[3].panel, 3);
    end(&fixture);
}

/* A panel has 1008 ports, an optical circuit switch 384. */
static void test_panels_with_too_few_ports_are_refused(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 1009, 1);
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_ERR_INPUT);
    assert_string_equal(fixture.diag.message,
                        "ports: expected panels with a port for each of 1009 servers, got panels "
                        "of 1008 ports (a patch panel has 1008, an optical circuit switch 384)");
    fixture.topology.servers = 1008;
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_OK);
    const struct port_options options = {.panel_ports = PORTS_OF_OPTICAL_SWITCH};
    assert_int_equal(orr_port_map(fixture.arena, &fixture.topology, &options, &fixture.map, NULL),
                     ORR_ERR_INPUT);
    end(&fixture);
}

static void test_more_links_than_interfaces_are_refused(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4, 1);
    add_jump(&fixture, 4, 1, true);
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_ERR_INPUT);
    assert_string_equal(fixture.diag.message, "ports: expected at most 1 links of a server, one an "
                                              "interface, got 2 of server 0");
    end(&fixture);
}

static void test_the_file_names_panels_and_layers(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, 4, 3);
    add_jump(&fixture, 4, 1, true);
    *add_layer(&fixture, FINDER_MATCHING, true, 1) = (struct finder_link){1, 3};
    assert_int_equal(map(&fixture, PORTS_CABLES), ORR_OK);
    char text[512] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(orr_port_map_write(file, &fixture.topology, &fixture.map));
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    (void)fclose(file);
    assert_string_equal(text, "panel,from,to,kind,layer\n"
                              "0,0,1,cable,ring +1\n"
                              "0,2,3,cable,ring +1\n"
                              "1,0,3,cable,ring +1\n"
                              "1,1,2,cable,ring +1\n"
                              "2,1,3,cable,matching 1\n");
    end(&fixture);
}

static void test_memory_runs_out_cleanly(void **state)
{
    (void)state;
    for (int64_t allocations = 0;; allocations++) {
        struct fixture fixture;
        begin(&fixture, 5, 2);
        add_jump(&fixture, 5, 1, true);
        orr_arena_fail_after(fixture.arena, allocations);
        const enum orr_status status = map(&fixture, PORTS_CABLES_OR_SPLIT);
        end(&fixture);
        if (status == ORR_OK) {
            assert_true(allocations > 10);
            return;
        }
        assert_int_equal(status, ORR_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_one_way_permutation_is_a_panel),
        cmocka_unit_test(test_an_even_cycle_is_two_panels),
        cmocka_unit_test(test_an_odd_number_of_servers_is_split),
        cmocka_unit_test(test_an_odd_ring_takes_three_panels),
        cmocka_unit_test(test_groups_of_odd_size_are_told),
        cmocka_unit_test(test_layers_share_panels),
        cmocka_unit_test(test_layers_that_do_not_fit_are_divided_anew),
        cmocka_unit_test(test_links_of_both_kinds_are_told),
        cmocka_unit_test(test_crossconnects_are_asked_for),
        cmocka_unit_test(test_look_ahead_panels_come_behind),
        cmocka_unit_test(test_panels_with_too_few_ports_are_refused),
        cmocka_unit_test(test_more_links_than_interfaces_are_refused),
        cmocka_unit_test(test_the_file_names_panels_and_layers),
        cmocka_unit_test(test_memory_runs_out_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
