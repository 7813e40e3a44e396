/* The designs of network.design: what each of them stands for, the rules of fat-trees at the
 * bandwidths of TopoOpt's Table 2, layers of switches with rings through their servers, and what is
 * said of those that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "network/cost/cost.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "network/route_options.h"
#include "network/routing/router.h"

#define GBIT (1e9 / 8)

static struct orr_arena *arena;
static struct net_config config;
static struct orr_diag diag;
static char warned[512];

static void keep_warning(void *user, const char *text)
{
    (void)user;
    (void)snprintf(warned, sizeof warned, "%s", text);
}

static enum orr_status read_section(const char *text, uint32_t npus)
{
    const struct orr_conf *root = NULL;
    orr_diag_init(&diag);
    diag.warn = keep_warning;
    warned[0] = '\0';
    assert_int_equal(orr_conf_parse(arena, text, strlen(text), "net.yml", &root, &diag), ORR_OK);
    const struct net_config_input input = {.arena = arena, .map = root, .own = {.npus = npus}};
    return orr_net_config_read_for(&input, &config, &diag);
}

/* The graph of "design: {...}" with the rest. */
static const struct net_graph *made(const char *design)
{
    char text[512];
    (void)snprintf(text, sizeof text, "design: {%s}", design);
    if (read_section(text, 0) != ORR_OK) {
        fail_msg("%s: %s", design, diag.message);
    }
    return config.graph;
}

static void is_refused(const char *text, const char *message)
{
    char told[512];
    assert_int_equal(read_section(text, 0), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, told, sizeof told);
    assert_string_equal(told, message);
}

static double speed(const struct net_graph *graph, uint32_t from, uint32_t to)
{
    const uint32_t link = orr_net_graph_find(graph, from, to);
    return link == NET_NO_LINK ? 0 : graph->link[link].bytes_per_s * graph->link[link].count;
}

static bool goes_around(const struct net_graph *graph, int32_t jump)
{
    for (uint32_t i = 0; i < graph->rings; i++) {
        if (graph->ring[i].jump == jump && graph->ring[i].npus == graph->npus) {
            return true;
        }
    }
    return false;
}

/* 16 servers, d = 4: Algorithm 3 has jumps 1 and 3, the published code 1 and 5 (15^(1/2) = 3.87:
 * the first from 4 on is 5), one-way 1, 3, 5, 9. Links have 1 us, the paper's. */
static void test_topoopt_is_a_circulant(void **state)
{
    (void)state;
    const struct net_graph *graph =
        made("name: topoopt, servers: 16, degree: 4, bandwidth: 25 Gb/s");
    assert_string_equal(config.design, "graph: {npus: 16, fabric: \"circulant:1,3\", bandwidth: "
                                       "25Gb/s, latency: 1 us}");
    assert_int_equal(graph->nodes, 16);
    assert_int_equal(graph->links, 16 * 4);
    assert_true(speed(graph, 15, 2) == 25 * GBIT && speed(graph, 2, 15) == 25 * GBIT);
    assert_int_equal(graph->link[0].latency_ps, ORR_PS_PER_US);
    assert_int_equal(graph->rings, 4);
    assert_true(goes_around(graph, 1) && goes_around(graph, -1) && goes_around(graph, 3) &&
                goes_around(graph, -3));
    assert_ptr_equal(config.routes.routing, &orr_routing_ecmp);

    graph = made("name: topoopt, servers: 16, degree: 4, bandwidth: 25 Gb/s, jumps: published");
    assert_true(goes_around(graph, 5) && !goes_around(graph, 3));
    graph = made("name: topoopt, servers: 128, degree: 4, bandwidth: 25 Gb/s, jumps: published");
    assert_true(goes_around(graph, 1) && goes_around(graph, -13));

    graph = made("name: topoopt, servers: 16, degree: 4, bandwidth: 25 Gb/s, links: one-way, "
                 "latency: 500 ns");
    assert_int_equal(graph->links, 16 * 4);
    assert_int_equal(graph->rings, 4);
    assert_true(goes_around(graph, 9) && !goes_around(graph, -9));
    assert_true(speed(graph, 0, 9) == 25 * GBIT && speed(graph, 9, 0) == 0);
    assert_int_equal(graph->link[0].latency_ps, ORR_PS_PER_US / 2);

    /* 1 and 7 by cables, and 8 whose two ways are one cable: five interfaces. */
    graph = made("name: topoopt, servers: 16, degree: 5, bandwidth: 25 Gb/s, jumps: [1, 7, 8]");
    assert_int_equal(graph->links, 16 * 5);
    assert_string_equal(warned, "");
}

/* Of 12 servers only 1 and 5 go around: four of the eight interfaces. */
static void test_idle_interfaces_are_told(void **state)
{
    (void)state;
    const struct net_graph *graph =
        made("name: topoopt, servers: 12, degree: 8, bandwidth: 25 Gb/s");
    assert_int_equal(graph->links, 12 * 4);
    assert_non_null(strstr(warned, "design: there are jumps for 4 of the 8 interfaces only"));
}

/* 54 servers fill a fat-tree of 6 ports: 18 edge, 18 aggregation and 9 core switches. */
static void test_switched_designs_have_all_interfaces_in_one(void **state)
{
    (void)state;
    const struct net_graph *graph =
        made("name: ideal-switch, servers: 5, degree: 4, bandwidth: 25 Gb/s");
    assert_int_equal(graph->nodes, 6);
    assert_true(speed(graph, 3, 5) == 100 * GBIT && speed(graph, 5, 3) == 100 * GBIT);

    graph = made("name: fat-tree, servers: 54, degree: 8, bandwidth: 25 Gb/s");
    assert_int_equal(graph->nodes, 54 + 18 + 18 + 9);
    assert_true(speed(graph, 0, 54) == 50 * GBIT && speed(graph, 54, 72) == 50 * GBIT);
    graph = made("name: fat-tree, servers: 54, degree: 8, bandwidth: 25 Gb/s, rule: undivided");
    assert_true(speed(graph, 0, 54) == 200 * GBIT && speed(graph, 54, 72) == 200 * GBIT);

    graph = made("name: oversubscribed-fat-tree, servers: 54, degree: 8, bandwidth: 25 Gb/s");
    assert_int_equal(graph->nodes, 54 + 18 + 18 + 9);
    assert_true(speed(graph, 0, 54) == 200 * GBIT && speed(graph, 54, 72) == 100 * GBIT);
}

/* d = 4: what the fastest tree of Table 2 that costs no more has, at each of its bandwidths. */
static void test_affordable_fat_trees(void **state)
{
    (void)state;
    static const int with[][2] = {{10, 40}, {25, 40}, {40, 100}, {100, 100}, {200, 200}};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       "name: fat-tree, rule: affordable, servers: 128, degree: 4, bandwidth: "
                       "%d Gb/s",
                       with[i][0]);
        assert_true(speed(made(text), 0, 128) == with[i][1] * GBIT);
    }
}

static void test_expander_is_regular_by_seed(void **state)
{
    (void)state;
    const char *design = "name: expander, servers: 20, degree: 3, bandwidth: 40 Gb/s";
    const struct net_graph *graph = made(design);
    uint32_t others = 0;
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(graph->first_out[i + 1] - graph->first_out[i], 3);
    }
    assert_true(graph->link[0].bytes_per_s == 40 * GBIT);
    char text[160];
    (void)snprintf(text, sizeof text, "{design: {%s}, seed: 7}", design);
    const struct net_graph one = *graph;
    assert_int_equal(read_section(text, 0), ORR_OK);
    for (uint32_t i = 0; i < one.links; i++) {
        others += orr_net_graph_find(config.graph, one.link[i].from, one.link[i].to) == NET_NO_LINK;
    }
    assert_int_not_equal(others, 0);
}

/* Circuits only, as appendix F has them; what network.circuits says holds before. */
static void test_sip_has_circuits_only(void **state)
{
    (void)state;
    const struct net_graph *graph =
        made("name: sip-appendix-f, servers: 6, degree: 2, bandwidth: 100 Gb/s");
    const struct net_circuits *circuits = graph->circuits;
    assert_non_null(circuits);
    assert_int_equal(circuits->ports, 2);
    assert_true(circuits->bytes_per_s == 100 * GBIT && circuits->discount == 1);
    assert_true(circuits->always_dark);
    assert_int_equal(circuits->period_ps, 125 * ORR_PS_PER_US);
    assert_int_equal(circuits->dark_ps, 25 * ORR_PS_PER_US);
    assert_int_equal(graph->links, 6 * 5);
    assert_int_equal(graph->link[0].latency_ps, ORR_PS_PER_US);
    assert_false(graph->reroutes);
    assert_int_equal(
        read_section("{design: {name: sip-appendix-f, servers: 6, degree: 2, bandwidth: "
                     "100 Gb/s}, circuits: {reconfiguration: 5 us, discount: 0.25}}",
                     0),
        ORR_OK);
    circuits = config.graph->circuits;
    assert_int_equal(circuits->dark_ps, 5 * ORR_PS_PER_US);
    assert_int_equal(circuits->period_ps, 125 * ORR_PS_PER_US);
    assert_true(circuits->discount == 0.25);
}

/* Circuits only, by all of Algorithm 5: dark for 10 ms of 50, as section 5.7 has them; with
 * forwarding duplex and joined, without it one-way; and what the file says beside it holds. */
static void test_ocs_reconfig_forwards_or_waits(void **state)
{
    (void)state;
    const struct net_graph *graph =
        made("name: ocs-reconfig, servers: 6, degree: 2, bandwidth: 100 Gb/s");
    const struct net_circuits *circuits = graph->circuits;
    assert_non_null(circuits);
    assert_int_equal(circuits->ports, 2);
    assert_true(circuits->bytes_per_s == 100 * GBIT && circuits->discount == 0.5);
    assert_true(circuits->always_dark && circuits->duplex && circuits->connects);
    assert_true(circuits->shortest && graph->reroutes);
    assert_int_equal(circuits->period_ps, 50 * 1000 * ORR_PS_PER_US);
    assert_int_equal(circuits->dark_ps, 10 * 1000 * ORR_PS_PER_US);
    assert_ptr_equal(config.routes.routing, &orr_routing_ecmp);
    graph = made("name: ocs-reconfig, servers: 6, degree: 2, bandwidth: 100 Gb/s, forwarding: "
                 "false, reconfiguration: 1 us");
    circuits = graph->circuits;
    assert_false(circuits->duplex || circuits->connects || circuits->shortest || graph->reroutes);
    assert_int_equal(circuits->period_ps, 5 * ORR_PS_PER_US);
    graph = made("name: ocs-reconfig, servers: 6, degree: 2, bandwidth: 100 Gb/s, forwarding: "
                 "false, links: duplex");
    assert_true(graph->circuits->duplex);
    assert_int_equal(
        read_section("{design: {name: ocs-reconfig, servers: 6, degree: 2, bandwidth: 100 Gb/s}, "
                     "circuits: {period: 20 ms, links: one-way}, routing: ecmp-pairs}",
                     0),
        ORR_OK);
    assert_int_equal(config.graph->circuits->period_ps, 20 * 1000 * ORR_PS_PER_US);
    assert_false(config.graph->circuits->duplex);
    assert_true(config.graph->circuits->connects);
    assert_ptr_equal(config.routes.routing, &orr_routing_ecmp_pairs);
}

/* 8 racks of 2 servers, jumps 1 and 3 between them: servers 0..15, ToR switches 16..23. The ring of
 * jump 3 goes through racks 0, 3, 6, 1, ... and both servers of each. */
static void test_racks_below_the_optical_layer(void **state)
{
    (void)state;
    const struct net_graph *graph =
        made("name: topoopt, servers: 16, degree: 4, bandwidth: 25 Gb/s, layer: tor, "
             "servers_per_tor: 2, server_bandwidth: 100 Gb/s");
    assert_int_equal(graph->nodes, 16 + 8);
    assert_int_equal(graph->servers, 0);
    assert_int_equal(graph->links, 2 * 16 + 8 * 4);
    assert_true(speed(graph, 5, 18) == 100 * GBIT && speed(graph, 18, 21) == 25 * GBIT);
    assert_int_equal(graph->rings, 4);
    static const uint32_t order[] = {0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5, 10, 11};
    uint32_t found = 0;
    for (uint32_t i = 0; i < graph->rings; i++) {
        const struct net_ring *ring = &graph->ring[i];
        found += ring->npus == 16 && ring->order != NULL &&
                 memcmp(ring->order, order, sizeof order) == 0;
    }
    assert_int_equal(found, 1);
    /* an expander of racks has no rings */
    graph = made("name: expander, servers: 16, degree: 3, bandwidth: 25 Gb/s, layer: tor, "
                 "servers_per_tor: 2");
    assert_int_equal(graph->rings, 0);
    assert_true(speed(graph, 5, 18) == 25 * GBIT);
}

/* 4 spine switches with 2 racks of 3 servers each: servers 0..23, racks 24..31, spines 32..35. */
static void test_spines_below_the_optical_layer(void **state)
{
    (void)state;
    const struct net_graph *graph =
        made("name: topoopt, servers: 24, degree: 2, bandwidth: 100 Gb/s, layer: spine, "
             "servers_per_tor: 3, tors_per_spine: 2, server_bandwidth: 25 Gb/s, uplinks: 5, "
             "uplink_bandwidth: 10 Gb/s");
    assert_int_equal(graph->nodes, 24 + 8 + 4);
    assert_int_equal(graph->links, 2 * 24 + 2 * 8 + 4 * 2);
    assert_true(speed(graph, 4, 25) == 25 * GBIT && speed(graph, 25, 32) == 5 * 10 * GBIT &&
                speed(graph, 32, 33) == 100 * GBIT);
    assert_int_equal(graph->rings, 2);
    assert_int_equal(graph->ring[0].npus, 24);
    /* as many uplinks as servers, each as fast as an interface */
    graph = made("name: topoopt, servers: 24, degree: 2, bandwidth: 100 Gb/s, layer: spine, "
                 "servers_per_tor: 3, tors_per_spine: 2");
    assert_true(speed(graph, 25, 32) == 3 * 100 * GBIT);
}

/* Servers that the design does not say are the workload's; a graph beside it may say the rest. */
static void test_rest_of_the_section(void **state)
{
    (void)state;
    assert_int_equal(
        read_section("{design: {name: ideal-switch, degree: 1, bandwidth: 1 GB/s}}", 9), ORR_OK);
    assert_int_equal(config.graph->npus, 9);
    assert_int_equal(read_section("{design: {name: ideal-switch, servers: 4, degree: 1, bandwidth: "
                                  "1 GB/s}, graph: {rings: [{npus: 4, jumps: [3]}]}, topology: "
                                  "Switch(2)_Switch(2)}",
                                  9),
                     ORR_OK);
    assert_int_equal(config.graph->npus, 4);
    assert_int_equal(config.graph->rings, 1);
    assert_int_equal(config.dims, 2);
}

/* ---- SiP-ML's electrical ones ---- */

/* A way of two links and one of four have the same latency, also one of an odd picosecond. */
static sim_time latency_of_way(const struct net_graph *graph, const uint32_t *node, size_t nodes)
{
    sim_time sum = 0;
    for (size_t i = 0; i + 1 < nodes; i++) {
        const uint32_t link = orr_net_graph_find(graph, node[i], node[i + 1]);
        assert_int_not_equal(link, NET_NO_LINK);
        sum += graph->link[link].latency_ps;
    }
    return sum;
}

static void test_electrical_designs_have_one_latency(void **state)
{
    (void)state;
    const struct net_graph *graph = made("name: elect-flat, servers: 16, bandwidth: 1600 Gb/s");
    assert_string_equal(config.design,
                        "graph: {npus: 16, fabric: \"ideal-switch\", bandwidth: 1600Gb/s, latency: "
                        "1 us, latency_of: way}, fluid: true");
    assert_int_equal(graph->nodes, 17);
    assert_true(speed(graph, 3, 16) == 1600 * GBIT && speed(graph, 16, 3) == 1600 * GBIT);
    assert_int_equal(latency_of_way(graph, (const uint32_t[]){3, 16, 9}, 3), ORR_PS_PER_US);

    graph = made("name: elect-cluster, servers: 16, bandwidth: 1600 Gb/s, latency: 333 ps");
    assert_int_equal(graph->nodes, 16 + 2 + 1);
    assert_int_equal(graph->servers, 2);
    assert_true(speed(graph, 7, 16) == 1600 * GBIT && speed(graph, 8, 17) == 1600 * GBIT);
    assert_true(speed(graph, 16, 18) == 400 * GBIT && speed(graph, 18, 17) == 400 * GBIT);
    assert_int_equal(latency_of_way(graph, (const uint32_t[]){0, 16, 7}, 3), 333);
    assert_int_equal(latency_of_way(graph, (const uint32_t[]){0, 16, 18, 17, 8}, 5), 333);

    /* A GPU that is slower than its server's link is inside of it all the same. */
    graph = made("name: elect-cluster, servers: 8, bandwidth: 128 Gb/s, gpus_per_server: 2, "
                 "server_bandwidth: 200 Gb/s");
    assert_int_equal(graph->servers, 4);
    assert_true(speed(graph, 7, 11) == 128 * GBIT && speed(graph, 11, 12) == 200 * GBIT);
    assert_string_equal(warned, "");
}

/* What the section says holds before what the design brings. */
static void test_electrical_designs_have_fluid_flows(void **state)
{
    (void)state;
    struct net_flow_model flows = orr_net_flow_packets(true);
    assert_non_null(made("name: elect-flat, servers: 4, bandwidth: 8 Gb/s"));
    orr_net_config_flows(&config, &flows);
    assert_true(!flows.windows && flows.packet_bytes == 0 && flows.start_bytes == 0);
    flows = orr_net_flow_packets(true);
    assert_int_equal(read_section("{design: {name: elect-flat, servers: 4, bandwidth: 8 Gb/s}, "
                                  "packet: 1000 B, handshake: 2 B}",
                                  0),
                     ORR_OK);
    orr_net_config_flows(&config, &flows);
    assert_true(!flows.windows && flows.packet_bytes == 1000 && flows.start_bytes == 2);
    flows = orr_net_flow_packets(true);
    assert_int_equal(read_section("{design: {name: elect-flat, servers: 4, bandwidth: 8 Gb/s}, "
                                  "fluid: false}",
                                  0),
                     ORR_OK);
    orr_net_config_flows(&config, &flows);
    assert_true(flows.windows && flows.packet_bytes == 8936 && flows.start_bytes == 1);
}

static void test_what_electrical_designs_need_is_said(void **state)
{
    (void)state;
    is_refused("{design: {name: topoopt, servers: 16, bandwidth: 25 Gb/s}}",
               "net.yml:1:10: design: a design topoopt needs the key \"degree\" (interfaces of a "
               "server, or of a switch that the optical layer joins; d), such as degree: 4");
    is_refused("{design: {name: elect-cluster, servers: 12, bandwidth: 25 Gb/s}}",
               "net.yml:1:41: network.design.servers: expected a multiple of 8 GPUs "
               "(gpus_per_server), got 12");
    is_refused("{graph: {npus: 4, fabric: full-mesh, bandwidth: 1 GB/s, latency_of: way}}",
               "net.yml:1:69: graph.latency_of: expected link, because NPUs are linked directly, "
               "got \"way\"");
    is_refused(
        "{graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: 1 GB/s}], latency_of: way}}",
        "net.yml:1:77: graph.latency_of: expected link, because the graph is not a fabric, got "
        "\"way\"");
    assert_non_null(made("name: elect-flat, servers: 16, degree: 4, bandwidth: 25 Gb/s"));
    const struct orr_conf *root = NULL;
    const char *text = "{design: {name: elect-flat, servers: 16, degree: 4, bandwidth: 25 Gb/s}}";
    assert_int_equal(orr_conf_parse(arena, text, strlen(text), "net.yml", &root, &diag), ORR_OK);
    orr_net_design_warn(root, &diag);
    assert_non_null(strstr(
        warned, "design.degree has no effect: the GPUs of the electrical designs have one link"));
}

#define SAYS(more) "{design: {name: topoopt, servers: 16, degree: 4, bandwidth: 25 Gb/s" more "}}"
#define TREE(more) "{design: {name: fat-tree, servers: 16, degree: 4, bandwidth: 25 Gb/s" more "}}"

static void test_what_is_no_design_is_refused(void **state)
{
    (void)state;
    is_refused("{design: {name: clos, degree: 4, bandwidth: 25 Gb/s}}",
               "net.yml:1:17: design.name: expected topoopt, ideal-switch, fat-tree, "
               "oversubscribed-fat-tree, expander, sip-appendix-f, ocs-reconfig, elect-flat, "
               "elect-cluster, sip-ocs or sip-ring, got \"clos\"");
    is_refused("{design: {name: topoopt, degree: 4, bandwidth: 25 Gb/s}}",
               "net.yml:1:10: design: a design needs the key \"servers\" (servers, each of them an "
               "NPU), such as servers: 16; only a task graph says how many there are");
    is_refused(SAYS(", jumps: [1, x]"),
               "net.yml:1:81: design.jumps[1]: expected jumps such as [1, 5], or published, got "
               "\"x\"");
    is_refused(SAYS(", jumps: [1, 3, 5]"),
               "net.yml:1:77: network.design.jumps: expected jumps for 4 interfaces, two each, got "
               "3 jumps");
    is_refused(SAYS(", jumps: [2, 4]"),
               "net.yml:1:10: circulant: expected jumps that reach every NPU, got multiples of 2 "
               "among 16 NPUs: the graph has 2 components");
    is_refused(
        SAYS(", layer: tor"),
        "net.yml:1:10: network.design.servers_per_tor: expected how many servers are below a "
        "ToR switch, as layer: tor needs it");
    is_refused(SAYS(", layer: spine, servers_per_tor: 4"),
               "net.yml:1:10: network.design.tors_per_spine: expected how many ToR switches are "
               "below a spine switch, as layer: spine needs it");
    is_refused(SAYS(", layer: tor, servers_per_tor: 3"),
               "net.yml:1:99: network.design.servers_per_tor: expected a divisor of 16, got 3");
    is_refused(
        TREE(", layer: tor, servers_per_tor: 4"),
        "net.yml:1:78: network.design.layer: expected server: in a design fat-tree no optical "
        "layer joins switches, got tor");
    is_refused("{design: {name: fat-tree, servers: 16, degree: 1, bandwidth: 10 Gb/s, rule: "
               "affordable}}",
               "net.yml:1:77: network.design.rule: expected interfaces that cost as much as a "
               "fat-tree of 10 Gb/s or more: they cost 9280 dollars behind patch panels, the "
               "fat-tree 19600");
    is_refused(
        "{design: {name: topoopt, servers: 16, degree: 3, bandwidth: 25 Gb/s}}",
        "net.yml:1:47: network.design.degree: expected an even degree for jumps of duplex links, "
        "which take two interfaces each (links: one-way takes one, and jumps may be given), got 3");
    is_refused(SAYS(", layer: tor, servers_per_tor: 16"),
               "net.yml:1:99: network.design.servers_per_tor: expected 2 or more ToR switches for "
               "the optical layer to join, got 1");
    is_refused(SAYS(", layer: tor, servers_per_tor: 8"),
               "net.yml:1:99: network.design.servers_per_tor: expected 3 or more ToR switches for "
               "the optical layer to join by jumps of duplex links (links: one-way takes 2), got "
               "2");
    is_refused("{design: {name: expander, servers: 1, degree: 4, bandwidth: 25 Gb/s}}",
               "net.yml:1:36: network.design.servers: expected 2 or more servers for the optical "
               "layer to join, got 1");
    is_refused("{design: {name: ideal-switch, servers: 4, degree: 1, bandwidth: 1 GB/s}, graph: "
               "{npus: 4}}",
               "net.yml:1:82: graph.npus: the design gives it already; remove one of the two");
    is_refused("{design: {name: ideal-switch, servers: 4, degree: 1, bandwidth: 1 GB/s}, "
               "bandwidth: 1 GB/s}",
               "net.yml:1:74: bandwidth: network.design gives its links' own; remove one of the "
               "two");
}

/* In a sweep over names all of them may stand there. */
static void test_keys_of_other_designs_are_told(void **state)
{
    (void)state;
    static const char text[] =
        "{design: {name: fat-tree, servers: 16, degree: 4, bandwidth: 25 Gb/s, jumps: [1, 3]}}";
    const struct orr_conf *root = NULL;
    assert_int_equal(read_section(text, 0), ORR_OK);
    assert_string_equal(warned, "");
    assert_int_equal(orr_conf_parse(arena, text, sizeof text - 1, "net.yml", &root, &diag), ORR_OK);
    orr_net_config_warn(root, &config, &diag);
    assert_non_null(strstr(warned, "design.jumps has no effect: only the design topoopt has them"));
}

/* 15 servers: each panel leaves one out. 12 of jump 4: four cycles of 3, beside one of 12 by jump
 * 1. With an interface to spare they all fit. Cables
 * from server to server need no panels, and crossconnects one way no pairs. */
static void test_links_without_room_in_panels_are_told(void **state)
{
    (void)state;
    (void)made("name: topoopt, servers: 15, degree: 4, bandwidth: 25 Gb/s");
    assert_non_null(strstr(warned, "design: panel i connects interfaces i in pairs and leaves one "
                                   "of 15 out"));
    (void)made("name: topoopt, servers: 12, degree: 4, bandwidth: 25 Gb/s, jumps: [1, 4]");
    assert_non_null(strstr(warned, "design: jump 4 goes in cycles of 3, an odd length"));
    (void)made("name: topoopt, servers: 12, degree: 5, bandwidth: 25 Gb/s, jumps: [1, 3, 6]");
    assert_string_equal(warned, "");
    (void)made("name: topoopt, servers: 15, degree: 4, bandwidth: 25 Gb/s, links: one-way");
    assert_string_equal(warned, "");
    (void)made("name: topoopt, servers: 15, degree: 5, bandwidth: 25 Gb/s, jumps: [1, 2]");
    assert_non_null(strstr(warned, "there are jumps for 4 of the 5 interfaces only"));
    assert_int_equal(read_section("{design: {name: topoopt, servers: 15, degree: 4, bandwidth: 25 "
                                  "Gb/s}, cost: {optical: none}}",
                                  0),
                     ORR_OK);
    assert_string_equal(warned, "");
}

/* 64 servers of 4 x 100 Gb/s behind panels: 225,664 dollars. A fat-tree of 200 Gb/s has NICs of
 * 815, 12 transceivers of 99 and 6 fibres of 150 a server, and switch ports: 185,792 without
 * these, more with. Without ports of panels and 1x2 switches the interfaces cost 168,064, and a
 * fat-tree of 100 Gb/s 170,048 or more. */
static void test_affordable_goes_by_the_prices_of_the_file(void **state)
{
    (void)state;
    static const char design[] = "design: {name: fat-tree, rule: affordable, servers: 64, degree: "
                                 "4, bandwidth: 100 Gb/s}";
    char text[256];
    (void)snprintf(text, sizeof text, "{%s, cost: {discounts: {switch_port: 0}}}", design);
    assert_int_equal(read_section(text, 0), ORR_OK);
    assert_true(speed(config.graph, 0, 64) == 100 * GBIT);
    (void)snprintf(text, sizeof text, "{%s, cost: {discounts: {switch_port: 1}}}", design);
    assert_int_equal(read_section(text, 0), ORR_OK);
    assert_true(speed(config.graph, 0, 64) == 200 * GBIT);
    (void)snprintf(text, sizeof text,
                   "{%s, cost: {discounts: {panel_port: 1, one_by_two_switch: 1}}}", design);
    assert_int_equal(read_section(text, 0), ORR_OK);
    assert_true(speed(config.graph, 0, 64) == 40 * GBIT);
}

#define PRICED(cost)                                                                               \
    "{design: {name: topoopt, servers: 16, degree: 4, bandwidth: 25 Gb/s}, cost: {" cost "}}"

/* A topoopt goes through patch panels without being told so: their ports and loss count, unless it
 * is told otherwise. */
static void test_panels_of_the_design_have_ports_and_loss(void **state)
{
    (void)state;
    assert_int_equal(read_section(PRICED("ports: 16, loss_budget: 1.96"), 0), ORR_OK);
    assert_int_equal(config.cost->optical, NET_OPTICAL_PATCH_PANEL);
    assert_string_equal(warned, "");
    is_refused(PRICED("ports: 15"),
               "net.yml:1:78: cost.ports: 16 NPUs need as many ports on each patch panel, which "
               "has 15");
    assert_int_equal(read_section(PRICED("optical: none, ports: 15"), 0), ORR_OK);
    assert_non_null(strstr(warned, "cost.ports has no effect: no optical layer is set"));
}

static int begin(void **state)
{
    (void)state;
    arena = orr_arena_create();
    return arena == NULL;
}

static int end(void **state)
{
    (void)state;
    orr_arena_destroy(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_topoopt_is_a_circulant, begin, end),
        cmocka_unit_test_setup_teardown(test_idle_interfaces_are_told, begin, end),
        cmocka_unit_test_setup_teardown(test_switched_designs_have_all_interfaces_in_one, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_affordable_fat_trees, begin, end),
        cmocka_unit_test_setup_teardown(test_expander_is_regular_by_seed, begin, end),
        cmocka_unit_test_setup_teardown(test_sip_has_circuits_only, begin, end),
        cmocka_unit_test_setup_teardown(test_ocs_reconfig_forwards_or_waits, begin, end),
        cmocka_unit_test_setup_teardown(test_racks_below_the_optical_layer, begin, end),
        cmocka_unit_test_setup_teardown(test_spines_below_the_optical_layer, begin, end),
        cmocka_unit_test_setup_teardown(test_rest_of_the_section, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_no_design_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_electrical_designs_have_one_latency, begin, end),
        cmocka_unit_test_setup_teardown(test_electrical_designs_have_fluid_flows, begin, end),
        cmocka_unit_test_setup_teardown(test_what_electrical_designs_need_is_said, begin, end),
        cmocka_unit_test_setup_teardown(test_keys_of_other_designs_are_told, begin, end),
        cmocka_unit_test_setup_teardown(test_links_without_room_in_panels_are_told, begin, end),
        cmocka_unit_test_setup_teardown(test_affordable_goes_by_the_prices_of_the_file, begin, end),
        cmocka_unit_test_setup_teardown(test_panels_of_the_design_have_ports_and_loss, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
