/* Networks for programs (include/orrery/topology.h): each call gives what the command prints, and
 * says what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inputs_fixture.h"
#include "orrery/topology.h"

static struct orrery_topology *read_input(struct orrery_topology_input input)
{
    struct orrery_topology *topology = orrery_topology_new();
    assert_non_null(topology);
    input.size = sizeof input;
    if (orrery_topology_read(topology, &input) != ORRERY_OK) {
        fail_msg("%s", orrery_topology_error(topology));
    }
    return topology;
}

static struct orrery_topology_figures figures_of(struct orrery_topology *topology)
{
    struct orrery_topology_figures figures = {ORRERY_SIZED(orrery_topology_figures)};
    if (orrery_topology_figures(topology, &figures) != ORRERY_OK) {
        fail_msg("%s", orrery_topology_error(topology));
    }
    return figures;
}

static void assert_says(const struct orrery_topology *topology, enum orrery_status status,
                        const char *part)
{
    assert_int_equal(status, ORRERY_ERROR_INPUT);
    if (strstr(orrery_topology_error(topology), part) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", part, orrery_topology_error(topology));
    }
}

/* ---- figures ---- */

/* Ring(4) of 100 GB/s a link: 8 links each way counted a ring, two rings; an NPU has two of them.
 * Switch(2) of 50 GB/s: 2 links an NPU pair and direction, 4 lines of 2 NPUs: 16. In the ring 2
 * hops at most, over the switch 2. */
static void test_figures_of_a_stack(void **state)
{
    struct orrery_topology_dim dim = {ORRERY_SIZED(orrery_topology_dim)};
    (void)state;
    struct orrery_topology *topology = read_input((struct orrery_topology_input){
        .network = "Ring(4)_Switch(2)", .bandwidth = "100 GB/s,50 GB/s", .latency = "1 us"});
    const struct orrery_topology_figures figures = figures_of(topology);
    assert_false(figures.graph);
    assert_int_equal(figures.npus, 8);
    assert_int_equal(figures.dims, 2);
    assert_int_equal(figures.links, 2 * 8 + 16);
    assert_int_equal(figures.diameter, 4);
    assert_true(figures.npu_bytes_per_s == 250e9);
    assert_int_equal(orrery_topology_dim(topology, 0, &dim), ORRERY_OK);
    assert_string_equal(dim.block, "ring");
    assert_int_equal(dim.npus, 4);
    assert_int_equal(dim.latency_ps, 1000000);
    assert_says(topology, orrery_topology_dim(topology, 2, &dim), "index below 2, got 2");
    orrery_topology_free(topology);
}

/* A torus of 4x4: 16 NPUs with 4 links of 12.5 GB/s each, 2 + 2 hops at most; half of it is cut by
 * 2 links in each of 4 rows: 8 x 12.5 GB/s one way. */
static void test_figures_of_a_graph(void **state)
{
    (void)state;
    struct orrery_topology *topology = read_input((struct orrery_topology_input){
        .network = "torus:4x4", .npus = 16, .bandwidth = "100 Gb/s"});
    const struct orrery_topology_figures figures = figures_of(topology);
    assert_true(figures.graph);
    assert_int_equal(figures.npus, 16);
    assert_int_equal(figures.switches, 0);
    assert_int_equal(figures.links, 64);
    assert_int_equal(figures.diameter, 4);
    assert_true(figures.diameter_is_exact);
    assert_true(figures.npu_bytes_per_s == 50e9);
    assert_true(figures.bisection_bytes_per_s == 100e9);
    assert_true(figures.cost_dollars > 0);
    orrery_topology_free(topology);
    topology = read_input((struct orrery_topology_input){.network = "torus:4x4", .npus = 16});
    assert_true(figures_of(topology).cost_dollars == 0);
    assert_true(figures_of(topology).bisection_bytes_per_s == 0);
    orrery_topology_free(topology);
}

static void test_platform_in_memory(void **state)
{
    static const char *const texts[] = {
        "network: {topology: Ring(8), bandwidth: 100 GB/s}",
        "network: {backend: flow, graph: {fabric: full-mesh, npus: 8, bandwidth: 100 GB/s}}"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct orrery_platform *platform = orrery_platform_new();
        assert_int_equal(orrery_platform_parse(platform, texts[i]), ORRERY_OK);
        struct orrery_topology *topology =
            read_input((struct orrery_topology_input){.platform = platform});
        orrery_platform_free(platform);
        assert_int_equal(figures_of(topology).npus, 8);
        assert_int_equal(figures_of(topology).graph, i == 1);
        assert_int_equal(figures_of(topology).diameter, i == 1 ? 1 : 4);
        orrery_topology_free(topology);
    }
}

/* ---- what the command prints and draws ---- */

struct printed {
    struct orrery_topology_input input;
    enum orrery_topology_view view;
    uint32_t rank;
    const char *command;
};

static void test_views_are_those_of_the_command(void **state)
{
    static const char *const set[] = {"network.dims[0].bandwidth=10 GB/s"};
    const struct printed cases[] = {
        {{.network = "Ring(4)_Switch(2)"},
         ORRERY_TOPOLOGY_SHOW,
         ORRERY_NO_RANK,
         "topo show 'Ring(4)_Switch(2)'"},
        {{.network = "Ring(4)_Switch(2)", .bandwidth = "100 GB/s", .bandwidth_is = "npu"},
         ORRERY_TOPOLOGY_SHOW_JSON,
         3,
         "topo show 'Ring(4)_Switch(2)' --bandwidth '100 GB/s' --bandwidth-is npu --rank 3 --json"},
        {{.network = "dgx_a100_64", .set = set, .set_count = 1},
         ORRERY_TOPOLOGY_SHOW,
         0,
         "topo show dgx_a100_64 --rank 0 --set 'network.dims[0].bandwidth=10 GB/s'"},
        {{.network = "fat-tree", .npus = 16},
         ORRERY_TOPOLOGY_SHOW,
         ORRERY_NO_RANK,
         "topo show fat-tree --npus 16"},
        {{.network = "fat-tree", .npus = 16, .bandwidth = "100 Gb/s", .optical = "ocs"},
         ORRERY_TOPOLOGY_SHOW_JSON,
         ORRERY_NO_RANK,
         "topo show fat-tree --npus 16 --bandwidth '100 Gb/s' --optical ocs --json"},
        {{.network = "circulant:1,5", .npus = 16},
         ORRERY_TOPOLOGY_CHECK,
         ORRERY_NO_RANK,
         "topo check circulant:1,5 --npus 16"},
        {{.network = "circulant:1,5", .npus = 16},
         ORRERY_TOPOLOGY_CHECK_JSON,
         ORRERY_NO_RANK,
         "topo check circulant:1,5 --npus 16 --json"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orrery_topology *topology = read_input(cases[i].input);
        struct inputs_stream stream = inputs_open();
        inputs_assert_printed(cases[i].command,
                              orrery_topology_text(topology, cases[i].view, cases[i].rank));
        assert_int_equal(orrery_topology_write(topology, stream.out, cases[i].view, cases[i].rank),
                         ORRERY_OK);
        inputs_assert_stream(&stream, cases[i].command);
        orrery_topology_free(topology);
    }
}

static void test_pictures_are_those_of_the_command(void **state)
{
    (void)state;
    struct orrery_topology *stack =
        read_input((struct orrery_topology_input){.network = "Ring(4)"});
    struct orrery_topology *graph = read_input(
        (struct orrery_topology_input){.network = "fat-tree", .npus = 8, .bandwidth = "100 Gb/s"});
    free(inputs_command("topo draw 'Ring(4)' -o stack.svg"));
    free(inputs_command("topo draw fat-tree --npus 8 --bandwidth '100 Gb/s' -o graph.dot"));
    free(inputs_command("topo draw fat-tree --npus 8 --bandwidth '100 Gb/s' -o graph.svg"));
    assert_int_equal(orrery_topology_draw(stack, "by_call.svg"), ORRERY_OK);
    inputs_assert_same_files("by_call.svg", "stack.svg");
    for (int again = 0; again < 3; again++) { /* one after the other in one process */
        assert_int_equal(orrery_topology_draw(graph, "by_call.svg"), ORRERY_OK);
        inputs_assert_same_files("by_call.svg", "graph.svg");
        assert_int_equal(orrery_topology_draw(stack, "by_call.svg"), ORRERY_OK);
        inputs_assert_same_files("by_call.svg", "stack.svg");
    }
    FILE *out = fopen("by_call.dot", "w");
    assert_int_equal(orrery_topology_write_picture(graph, out, "dot"), ORRERY_OK);
    (void)fclose(out);
    inputs_assert_same_files("by_call.dot", "graph.dot");
    orrery_topology_free(graph);
    graph = read_input((struct orrery_topology_input){.network = "by_call.dot"});
    assert_int_equal(figures_of(graph).npus, 8);
    orrery_topology_free(stack);
    orrery_topology_free(graph);
}

/* ---- trees and rings ---- */

static void test_bounds_are_written(void **state)
{
    (void)state;
    struct orrery_topology *topology = read_input((struct orrery_topology_input){
        .network = "torus:4x4", .npus = 16, .bandwidth = "100 Gb/s"});
    struct orrery_topology_bound bound = {ORRERY_SIZED(orrery_topology_bound),
                                          .collective = "all_gather", .bytes = 64 << 20};
    char text[512] = "";
    FILE *out = tmpfile();
    assert_non_null(out);
    assert_int_equal(orrery_topology_write_bound(topology, &bound, out, "text"), ORRERY_OK);
    rewind(out);
    assert_true(fread(text, 1, sizeof text - 1, out) > 0);
    assert_non_null(strstr(text, "bound                 20.133 ms"));
    (void)fclose(out);
    assert_says(topology, orrery_topology_write_bound(topology, &bound, stdout, "svg"),
                "expected the format text or json, got \"svg\"");
    bound.collective = NULL;
    assert_says(topology, orrery_topology_write_bound(topology, &bound, stdout, "text"),
                "collective: expected one of");
    assert_says(topology, orrery_topology_write_bound(topology, NULL, stdout, "text"), "got NULL");
    orrery_topology_free(topology);
}

static void embed(struct orrery_topology *topology,
                  const struct orrery_topology_embedding *embedding, const char *format,
                  const char *path)
{
    FILE *out = fopen(path, "w");
    if (orrery_topology_embed(topology, embedding, out, format) != ORRERY_OK) {
        fail_msg("%s", orrery_topology_error(topology));
    }
    (void)fclose(out);
}

static void test_trees_and_rings_are_those_of_the_command(void **state)
{
    static const char *const over[] = {"2-6-4"};
    const struct orrery_topology_embedding trees = {ORRERY_SIZED(orrery_topology_embedding),
                                                    .trees = "- 2 4 2 0 6 4 6", .detour = over,
                                                    .detour_count = 1};
    const struct orrery_topology_embedding rings = {ORRERY_SIZED(orrery_topology_embedding),
                                                    .rings = true, .ranks = "0,1,2,3"};
    (void)state;
    struct orrery_topology *topology =
        read_input((struct orrery_topology_input){.network = "dgx1_v100"});
    free(inputs_command("topo trees dgx1_v100 --trees '- 2 4 2 0 6 4 6' --detour 2-6-4 "
                        "-o trees.txt"));
    free(inputs_command("topo trees dgx1_v100 --trees '- 2 4 2 0 6 4 6' --detour 2-6-4 "
                        "-o trees.svg"));
    free(inputs_command("topo rings dgx1_v100 --ranks 0,1,2,3 -o rings.json"));
    embed(topology, &trees, "text", "by_call.txt");
    inputs_assert_same_files("by_call.txt", "trees.txt");
    embed(topology, &trees, "svg", "by_call.svg");
    inputs_assert_same_files("by_call.svg", "trees.svg");
    embed(topology, &rings, "json", "by_call.json");
    inputs_assert_same_files("by_call.json", "rings.json");
    assert_says(topology, orrery_topology_embed(topology, &rings, stdout, "gif"),
                "expected the format text, json, svg, pdf, png or dot, got \"gif\"");
    assert_says(topology, orrery_topology_embed(topology, NULL, stdout, "text"), "got NULL");
    orrery_topology_free(topology);
}

/* ---- what is refused ---- */

static void refuse(struct orrery_topology_input input, const char *part)
{
    struct orrery_topology *topology = orrery_topology_new();
    struct orrery_topology_figures figures = {ORRERY_SIZED(orrery_topology_figures)};
    input.size = sizeof input;
    assert_says(topology, orrery_topology_read(topology, &input), part);
    assert_says(topology, orrery_topology_figures(topology, &figures), "no network was read yet");
    orrery_topology_free(topology);
}

static void test_bad_inputs_are_refused(void **state)
{
    struct orrery_platform *empty = orrery_platform_new();
    (void)state;
    refuse((struct orrery_topology_input){.npus = 4}, "expected one of `network`");
    refuse((struct orrery_topology_input){.network = "Ring(4)", .platform = empty},
           "expected one of `network`");
    refuse((struct orrery_topology_input){.platform = empty}, "a platform needs the key");
    refuse((struct orrery_topology_input){.network = "Ring(4"}, "topology");
    refuse((struct orrery_topology_input){.network = "nosuch", .npus = 4}, "fabric: expected one");
    refuse((struct orrery_topology_input){.network = "full-mesh", .npus = 4, .bandwidth = "7"},
           "bandwidth: expected a positive bandwidth");
    refuse((struct orrery_topology_input){.network = "full-mesh", .npus = 4, .latency = "7"},
           "latency: expected a time");
    refuse((struct orrery_topology_input){.network = "full-mesh", .npus = UINT32_MAX},
           "npus: expected a number");
    refuse((struct orrery_topology_input){.network = "Ring(4)", .optical = "laser"},
           "optical: expected none");
    refuse((struct orrery_topology_input){.network = "dgx_a100_64", .bandwidth = "1 GB/s"},
           "go with a notation");
    orrery_platform_free(empty);
}

static void test_bad_calls_are_refused(void **state)
{
    struct orrery_topology_input old = {.size = sizeof old - 8, .network = "Ring(4)"};
    struct orrery_topology_figures figures = {.size = 3};
    (void)state;
    struct orrery_topology *topology = orrery_topology_new();
    assert_string_equal(orrery_topology_error(topology), "");
    assert_says(topology, orrery_topology_read(topology, NULL), "got NULL");
    assert_says(topology, orrery_topology_read(topology, &old), "struct orrery_topology_input has");
    assert_says(topology, orrery_topology_figures(topology, &figures), "has 3 bytes");
    assert_null(orrery_topology_text(topology, ORRERY_TOPOLOGY_SHOW, ORRERY_NO_RANK));
    assert_says(topology, orrery_topology_draw(topology, "x.svg"), "no network was read yet");
    old.size = sizeof old;
    assert_int_equal(orrery_topology_read(topology, &old), ORRERY_OK);
    assert_says(topology, orrery_topology_write(topology, stdout, ORRERY_TOPOLOGY_SHOW, 4),
                "from 0 to 3, got 4");
    assert_says(topology,
                orrery_topology_write(topology, stdout, ORRERY_TOPOLOGY_CHECK, ORRERY_NO_RANK),
                "graphs are checked");
    assert_says(topology, orrery_topology_draw(topology, "x.gif"), "got \"x.gif\"");
    assert_says(topology, orrery_topology_draw(topology, NULL), "got \"NULL\"");
    assert_says(topology, orrery_topology_write_picture(topology, stdout, "gif"), "got \"gif\"");
    assert_int_equal(orrery_topology_draw(topology, "no_folder/x.svg"), ORRERY_ERROR_IO);
    assert_string_equal(orrery_topology_error(topology),
                        "no_folder/x.svg: cannot be written: No such file or directory");
    assert_int_equal(orrery_topology_read(NULL, &old), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_topology_draw(NULL, "x.svg"), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_topology_error(NULL), "there is no such object: the handle is NULL");
    orrery_topology_free(topology);
    orrery_topology_free(NULL);
}

/* ---- SiP-ML's hardware ---- */

/* 512 GPUs of 4 Tb/s: 160 micro-rings, two chips of 80; 512 ports of 384: 2 + 2 outside, 256 middle
 * switches of two ports, 192 an OCS: 2; each of 16. Held for 100 us, 25 us dark. */
static void test_sip_ml_figures_and_tables(void **state)
{
    static const char *const set[] = {"gpus=512", "bandwidth=4 Tb/s", "hold=100 us,1 ms"};
    static const char *const formats[][2] = {
        {"text", ""}, {"json", " --json"}, {"csv", " --csv -"}};
    const struct orrery_sip_ml_input input = {ORRERY_SIZED(orrery_sip_ml_input), .set = set,
                                              .set_count = 3};
    struct orrery_sip_ml_figures figures = {ORRERY_SIZED(orrery_sip_ml_figures)};
    struct orrery_topology *topology = orrery_topology_new();
    (void)state;
    assert_int_equal(orrery_topology_sip_ml(topology, &input, &figures), ORRERY_OK);
    assert_true(figures.duty == 0.8 && figures.slot_duty == 0.75);
    assert_int_equal(figures.reach, 16);
    assert_int_equal(figures.micro_rings, 160);
    assert_int_equal(figures.interfaces, 2);
    assert_false(figures.flat);
    assert_int_equal(figures.clos_stages, 3);
    assert_true(figures.clos_in_budget && figures.clos_switches == 6 * 16);
    assert_int_equal(figures.bcube_levels, 2);
    for (size_t i = 0; i < 3; i++) {
        struct inputs_stream stream = inputs_open();
        char command[160];
        (void)snprintf(command, sizeof command,
                       "topo sip-ml --gpus 512 --bandwidth '4 Tb/s' --hold '100 us,1 ms'%s",
                       formats[i][1]);
        assert_int_equal(orrery_topology_write_sip_ml(topology, &input, stream.out, formats[i][0]),
                         ORRERY_OK);
        inputs_assert_stream(&stream, command);
    }
    orrery_topology_free(topology);
}

static void test_bad_sip_ml_is_refused(void **state)
{
    static const char *const set[] = {"gpus=0", "speed=1", "gpus", NULL};
    static const char *const said[] = {"gpus: expected a whole number from 2",
                                       "topo sip-ml, got \"speed=1\"", "got \"gpus\"",
                                       "got \"NULL\""};
    struct orrery_sip_ml_figures figures = {ORRERY_SIZED(orrery_sip_ml_figures)};
    struct orrery_topology *topology = orrery_topology_new();
    struct orrery_sip_ml_input input = {ORRERY_SIZED(orrery_sip_ml_input), .set_count = 1};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        input.set = &set[i];
        assert_says(topology, orrery_topology_sip_ml(topology, &input, &figures), said[i]);
    }
    assert_says(topology, orrery_topology_sip_ml(topology, NULL, &figures), "got NULL");
    input.set_count = 0;
    assert_says(topology, orrery_topology_sip_ml(topology, &input, NULL), "got NULL");
    assert_says(topology, orrery_topology_write_sip_ml(topology, &input, stdout, "yaml"),
                "got \"yaml\"");
    assert_int_equal(orrery_topology_sip_ml(NULL, &input, &figures), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_topology_write_sip_ml(NULL, &input, stdout, "csv"), ORRERY_ERROR_INPUT);
    orrery_topology_free(topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_are_written),
        cmocka_unit_test(test_figures_of_a_stack),
        cmocka_unit_test(test_figures_of_a_graph),
        cmocka_unit_test(test_platform_in_memory),
        cmocka_unit_test(test_views_are_those_of_the_command),
        cmocka_unit_test(test_pictures_are_those_of_the_command),
        cmocka_unit_test(test_trees_and_rings_are_those_of_the_command),
        cmocka_unit_test(test_sip_ml_figures_and_tables),
        cmocka_unit_test(test_bad_sip_ml_is_refused),
        cmocka_unit_test(test_bad_inputs_are_refused),
        cmocka_unit_test(test_bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, inputs_set_up, inputs_tear_down);
}
