/* Ring orders in NCCL's XML, word for word of a small topology.
 *
 *   usage: test_nccl_graph [DIR]
 *
 * With a folder, the files of several topologies are written there instead, for another reader:
 * NAME.csv (the map of ports), NAME.xml (all servers), NAME.SERVER.xml. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/permutations/permutations.h"
#include "planner/finder/finder.h"
#include "planner/finder/nccl_graph.h"
#include "planner/finder/port_map.h"

enum { MAX_SERVERS = 64, MAX_TEXT = 1 << 14 };

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct finder_topology topology;
    struct port_map map;
    struct nccl_rings rings;
    char text[MAX_TEXT];
};

struct given {
    const char *name;
    uint32_t servers, degree, members, gpus; /* groups of so many neighbours */
    enum net_cables links;
    bool any_port; /* odd groups by cables, which are split */
};

static enum orr_status open_fixture(struct fixture *fixture, const struct given *given)
{
    memset(fixture, 0, sizeof *fixture);
    orr_diag_init(&fixture->diag);
    fixture->arena = orr_arena_create();
    static uint32_t server[MAX_SERVERS];
    struct finder_group group[MAX_SERVERS];
    struct finder_demand demand = {.servers = given->servers, .group = group};
    for (uint32_t i = 0; i < given->servers; i++) {
        server[i] = i;
    }
    for (uint32_t i = 0; i < given->servers; i += given->members) {
        group[demand.groups++] =
            (struct finder_group){.member = server + i, .members = given->members, .bytes = 1000};
    }
    const struct finder_options options = {.degree = given->degree,
                                           .links = given->links,
                                           .any_port = given->any_port,
                                           .kind = {12.5e9, ORR_PS_PER_US}};
    const struct port_options ports = {.method = PORTS_CABLES_OR_SPLIT};
    fixture->rings = (struct nccl_rings){
        .topology = &fixture->topology, .map = &fixture->map, .gpus = given->gpus};
    const enum orr_status status =
        orr_finder_find(fixture->arena, &demand, &options, &fixture->topology, &fixture->diag);
    return status == ORR_OK ? orr_port_map(fixture->arena, &fixture->topology, &ports,
                                           &fixture->map, &fixture->diag)
                            : status;
}

static void write_text(struct fixture *fixture, uint32_t server)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(
        orr_nccl_graph_write(fixture->arena, file, &fixture->rings, server, &fixture->diag),
        ORR_OK);
    rewind(file);
    fixture->text[fread(fixture->text, 1, MAX_TEXT - 1, file)] = '\0';
    (void)fclose(file);
}

/* Four servers with two interfaces: the rings 0 1 2 3 and 0 3 2 1, by turns over panels 0 (01 23)
 * and 1 (12 30). Server 0 sends the first by interface 0 and receives it by 1. */
static void test_one_server_as_nccl_reads_it(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct given given = {.servers = 4, .degree = 2, .members = 4, .gpus = 2};
    assert_int_equal(open_fixture(&fixture, &given), ORR_OK);
    fixture.rings.inner_bytes_per_s = 300e9;
    write_text(&fixture, 0);
    assert_string_equal(
        fixture.text,
        "<graphs version=\"1\">\n"
        "  <graph id=\"0\" pattern=\"4\" crossnic=\"1\" nchannels=\"2\" speedintra=\"300\" "
        "speedinter=\"12.5\" latencyinter=\"1\" typeintra=\"NVL\" typeinter=\"PIX\" "
        "samechannels=\"1\">\n"
        "    <channel>\n"
        "      <net dev=\"1\"/>\n"
        "      <gpu dev=\"0\"/>\n"
        "      <gpu dev=\"1\"/>\n"
        "      <net dev=\"0\"/>\n"
        "    </channel>\n"
        "    <channel>\n"
        "      <net dev=\"0\"/>\n"
        "      <gpu dev=\"0\"/>\n"
        "      <gpu dev=\"1\"/>\n"
        "      <net dev=\"1\"/>\n"
        "    </channel>\n"
        "  </graph>\n"
        "</graphs>\n");
    orr_arena_destroy(fixture.arena);
}

/* Three servers, one way, one interface: 0 1 2. Kinds of paths are text like any other. */
static void test_all_servers_in_the_order_of_the_ring(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct given given = {
        .servers = 3, .degree = 1, .members = 3, .gpus = 1, .links = NET_ONE_WAY};
    assert_int_equal(open_fixture(&fixture, &given), ORR_OK);
    fixture.rings.outer = "<\"a\" & 'b'>";
    write_text(&fixture, NCCL_ALL_SERVERS);
    assert_string_equal(
        fixture.text,
        "<graphs version=\"1\">\n"
        "  <graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" speedintra=\"12.5\" "
        "speedinter=\"12.5\" latencyinter=\"1\" typeintra=\"LOC\" "
        "typeinter=\"&lt;&quot;a&quot; &amp; &apos;b&apos;&gt;\" samechannels=\"1\">\n"
        "    <channel>\n"
        "      <net dev=\"0\"/>\n"
        "      <gpu dev=\"0\" rank=\"0\"/>\n"
        "      <net dev=\"0\"/>\n"
        "      <net dev=\"0\"/>\n"
        "      <gpu dev=\"0\" rank=\"1\"/>\n"
        "      <net dev=\"0\"/>\n"
        "      <net dev=\"0\"/>\n"
        "      <gpu dev=\"0\" rank=\"2\"/>\n"
        "      <net dev=\"0\"/>\n"
        "    </channel>\n"
        "  </graph>\n"
        "</graphs>\n");
    orr_arena_destroy(fixture.arena);
}

/* Of the second of two groups: server 0 is not in it. */
static void test_a_server_outside_of_the_group_has_no_channels(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct given given = {.servers = 8, .degree = 3, .members = 4, .gpus = 1};
    assert_int_equal(open_fixture(&fixture, &given), ORR_OK);
    fixture.rings.group = fixture.topology.group[0].member[0] == 0 ? 1 : 0;
    write_text(&fixture, 0);
    assert_non_null(strstr(fixture.text, "nchannels=\"0\""));
    assert_null(strstr(fixture.text, "<channel>"));
    orr_arena_destroy(fixture.arena);
}

static void test_memory_runs_out_cleanly(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct given given = {.servers = 4, .degree = 2, .members = 4, .gpus = 2};
    assert_int_equal(open_fixture(&fixture, &given), ORR_OK);
    FILE *file = tmpfile();
    assert_non_null(file);
    for (int64_t allocations = 0; allocations < 2; allocations++) {
        struct orr_arena *scratch = orr_arena_create();
        orr_arena_fail_after(scratch, allocations);
        assert_int_equal(orr_nccl_graph_write(scratch, file, &fixture.rings, 0, NULL),
                         ORR_ERR_MEMORY);
        orr_arena_destroy(scratch);
    }
    (void)fclose(file);
    orr_arena_destroy(fixture.arena);
}

/* ---- for another reader ---- */

static FILE *create(const char *folder, const char *name, const char *end)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    return fopen(path, "w");
}

static bool write_case(const char *folder, const struct given *given)
{
    struct fixture fixture;
    if (open_fixture(&fixture, given) != ORR_OK) {
        (void)fprintf(stderr, "%s: %s\n", given->name, fixture.diag.message);
        return false;
    }
    FILE *file = create(folder, given->name, ".csv");
    bool ok = file != NULL && orr_port_map_write(file, &fixture.topology, &fixture.map);
    ok = ok && fclose(file) == 0;
    for (uint32_t i = 0; i <= given->servers && ok; i++) {
        char end[32] = ".xml";
        if (i < given->servers) {
            (void)snprintf(end, sizeof end, ".%" PRIu32 ".xml", i);
        }
        file = create(folder, given->name, end);
        fixture.rings.group = i < given->servers ? 0 : NCCL_ALL_GROUPS;
        ok = file != NULL &&
             orr_nccl_graph_write(fixture.arena, file, &fixture.rings,
                                  i < given->servers ? i : NCCL_ALL_SERVERS, NULL) == ORR_OK;
        ok = ok && fclose(file) == 0;
    }
    orr_arena_destroy(fixture.arena);
    return ok;
}

static int write_cases(const char *folder)
{
    static const struct given cases[] = {
        {"duplex12", 12, 4, 12, 4, NET_DUPLEX, false},
        {"oneway16", 16, 3, 16, 1, NET_ONE_WAY, false},
        {"groups16", 16, 4, 4, 2, NET_DUPLEX, false},
        {"odd9", 9, 4, 9, 1, NET_DUPLEX, true},
        {"wide40", 40, 14, 40, 12, NET_DUPLEX, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!write_case(folder, &cases[i])) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_server_as_nccl_reads_it),
        cmocka_unit_test(test_all_servers_in_the_order_of_the_ring),
        cmocka_unit_test(test_a_server_outside_of_the_group_has_no_channels),
        cmocka_unit_test(test_memory_runs_out_cleanly),
    };
    return argc > 1 ? write_cases(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
