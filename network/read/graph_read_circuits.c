/* The key `circuits` of a network section: optical circuits between the NPUs of a graph, set by a
 * controller (docs/file-formats.md). Each ordered pair of NPUs gets a link record. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/units.h"
#include "network/allocation.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/read/circuits_section.h"
#include "network/wavelengths/wave_rate.h"

enum { MAX_NPUS = 2048, MAX_PORTS = 1024, MAX_WEIGHTS = 64 };

enum { ROUTES_ABSENT, ROUTES_BROKEN, ROUTES_SHORTEST };

static const char *const pauses[] = {"moved", "always", NULL};
static const char *const links[] = {"one-way", "duplex", NULL};
static const char *const connect[] = {"none", "two-edge", NULL};
static const char *const routes[] = {"as connect", "broken", "shortest", NULL};

static const struct orr_key circuits_keys[] = {
    {.name = "ports",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct circuits_section, ports),
     .required = true,
     .low = 1,
     .high = MAX_PORTS,
     .example = "ports: 4",
     .doc = "circuits by which an NPU can send, and as many by which it can receive, at a time"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct circuits_section, bandwidth),
     .required = true,
     .example = "bandwidth: 100 Gb/s",
     .doc = "of a circuit"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct circuits_section, latency),
     .default_text = "0 ns",
     .doc = "of a circuit"},
    {.name = "period",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct circuits_section, period),
     .absent = "5 x reconfiguration",
     .low = 1,
     .high = 9e18,
     .example = "period: 10 ms",
     .doc = "period of the controller's decisions"},
    {.name = "reconfiguration",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct circuits_section, reconfiguration),
     .default_text = "0 ns",
     .doc = "how long all circuits are dark when some are moved; less than the period"},
    {.name = "controller",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct circuits_section, controller),
     .names = orr_net_circuits_name,
     .default_text = "longest_queue",
     .doc = "which pairs get circuits"},
    {.name = "pauses",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct circuits_section, pauses),
     .choices = pauses,
     .default_text = "moved",
     .doc = "when circuits are dark for a reconfiguration: where some are moved; always: at every "
            "decision"},
    {.name = "discount",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct circuits_section, discount),
     .high = 1,
     .default_text = "0.5",
     .doc = "controller utility: what a pair's demand is multiplied by for each circuit that it "
            "gets; more than 0, and 1 is SiP-ML's"},
    {.name = "links",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct circuits_section, links),
     .choices = links,
     .default_text = "one-way",
     .output_if_given = true,
     .doc = "one-way: a circuit leads from a sending port to a receiving port; duplex: in both "
            "directions, it takes a port of each end, for the larger demand of the two directions"},
    {.name = "connect",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct circuits_section, connect),
     .choices = connect,
     .default_text = "none",
     .output_if_given = true,
     .doc = "with reroute; two-edge: circuits fill free ports, and replace the least useful ones, "
            "two at a time, until all NPUs are connected"},
    {.name = "routes",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct circuits_section, routes),
     .choices = routes,
     .default_text = "as connect",
     .output_if_given = true,
     .doc = "with reroute; which messages in flight are rerouted when circuits are set: broken: "
            "those whose path is gone; shortest: all; as connect: shortest with connect: "
            "two-edge, else broken"},
    {.name = "hold",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct circuits_section, hold),
     .absent = "5 x reconfiguration; never, where that is 0",
     .output_if_given = true,
     .example = "hold: 100 us",
     .doc = "controllers sip_ocs, sip_ring: how long circuits are lit, before they are dark for a "
            "reconfiguration; never: they are set once, for all that the job sends"},
    {.name = "demand",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct circuits_section, demand),
     .choices = orr_circuits_demands,
     .default_text = "window",
     .output_if_given = true,
     .doc = "sip_ocs, sip_ring: the demand that circuits are set for: window: bytes offered since "
            "the last setting, or bytes waiting, whichever are more; next: bytes offered until "
            "the next setting, from a pilot run by total; total: bytes of an iteration"},
    {.name = "literal",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct circuits_section, literal),
     .default_text = "false",
     .output_if_given = true,
     .doc = "sip_ocs, sip_ring: only offered bytes count, so that a silent pair has no circuit; "
            "else waiting bytes count too, and a thousandth of the bytes of an iteration"},
    {.name = "kept",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct circuits_section, kept),
     .choices = orr_circuits_kept,
     .default_text = "dark",
     .output_if_given = true,
     .doc = "sip_ocs, sip_ring: whether circuits that a pair keeps are dark during a "
            "reconfiguration, like all others, or lit"},
    {.name = "weights",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct circuits_section, weights),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .max = MAX_WEIGHTS,
     .low = 1e-6,
     .high = 1e6,
     .absent = "1",
     .output_if_given = true,
     .example = "weights: [0.5, 1, 2, 4, 8]",
     .doc = "sip_ocs, sip_ring with hold: never: weights of bytes inside a group of equivalent "
            "NPUs, against bytes between groups; each weight is simulated, and the fastest kept"},
    {.name = "reach",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct circuits_section, reach),
     .high = WAVE_MAX_NODES,
     .default_text = "16", /* NET_RING_REACH */
     .output_if_given = true,
     .doc = "sip_ring: reach of light in NPUs, in each direction; 0: unlimited"},
    {.name = "method",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct circuits_section, method),
     .choices = orr_circuits_methods,
     .default_text = "load",
     .output_if_given = true,
     .doc = "sip_ring: how wavelengths are found: by load; by flows (SiP-ML, appendix A.1), "
            "rounded down or at random; or by the integer program, within limits"},
    {.name = "fibres",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct circuits_section, fibres),
     .choices = orr_circuits_fibres,
     .default_text = "full",
     .output_if_given = true,
     .doc = "sip_ring: each of the two fibres, one for each direction, has all wavelengths, or "
            "half of them"},
    {.name = "rows",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct circuits_section, rows),
     .low = 1,
     .high = WAVE_MAX_NODES,
     .default_text = "1",
     .output_if_given = true,
     .doc = "sip_ring: more than one: as many parallel rings, and across them rings of the NPUs "
            "of equal position; an NPU divides its wavelengths between its two rings"},
    {.name = "radix",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct circuits_section, radix),
     .low = 2,
     .high = WAVE_MAX_NODES,
     .absent = "switches with a port for every NPU",
     .output_if_given = true,
     .example = "radix: 32",
     .doc =
         "sip_ocs: small switches as in BCube: each connects the NPUs whose numbers differ in one "
         "digit of this base only; circuits are divided among the digits; NPUs do not forward"},
    {.name = "seed",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct circuits_section, seed),
     .high = 1e15,
     .default_text = "1",
     .output_if_given = true,
     .doc = "sip_ring, method: random: of the rounding"},
};

const struct orr_key_table orr_net_circuits_key_table = {
    "circuits", circuits_keys, sizeof circuits_keys / sizeof *circuits_keys, NULL};

static enum orr_status check(struct graph_reader *reader, const struct orr_conf *map,
                             const struct circuits_section *section, const struct net_graph *graph)
{
    if (section->period == 0) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected the key \"period\" (period of the controller's "
                             "decisions), such as period: 10 ms; the default is 5 x "
                             "reconfiguration if that is more than 0",
                             map->path);
    }
    if (section->reconfiguration >= section->period) {
        char problem[128], period[64];
        (void)snprintf(problem, sizeof problem,
                       "expected a reconfiguration of less than the period of %s",
                       orr_format_time(section->period, period, sizeof period));
        return orr_graph_read_fail(reader, orr_conf_get(map, "reconfiguration"), problem,
                                   orr_conf_get(map, "reconfiguration")->text);
    }
    if (!(section->discount > 0)) {
        return orr_graph_read_fail(reader, orr_conf_get(map, "discount"),
                                   "expected more than 0, up to 1",
                                   orr_conf_get(map, "discount")->text);
    }
    if (graph->npus < 2 || graph->npus > MAX_NPUS) {
        const struct orr_location place = orr_conf_key_location(map);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a graph of 2 to %d NPUs, got %" PRIu32, map->path,
                             MAX_NPUS, graph->npus);
    }
    if (graph->reroutes && section->connect == 1 && section->links == 1 && section->ports == 1 &&
        graph->npus > 2) {
        return orr_graph_read_fail(
            reader, orr_conf_get(map, "connect"),
            "expected none, or two ports: with one duplex circuit each at most two NPUs are "
            "connected",
            "two-edge");
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        if (graph->link[i].from < graph->npus && graph->link[i].to < graph->npus) {
            const struct orr_location place = orr_conf_key_location(map);
            return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                                 "%s: expected a graph without links of its own from NPU to NPU, "
                                 "got one from %" PRIu32 " to %" PRIu32,
                                 map->path, graph->link[i].from, graph->link[i].to);
        }
    }
    return ORR_OK;
}

/* Rebuilds the graph with a link record for each ordered pair of NPUs. */
static enum orr_status add_links(struct graph_reader *reader,
                                 const struct circuits_section *section, struct net_graph *graph)
{
    const struct net_graph before = *graph;
    orr_net_graph_begin(&reader->builder, reader->arena, before.npus, before.nodes - before.npus);
    reader->builder.name = before.name;
    for (uint32_t i = 0; i < before.links; i++) {
        orr_net_graph_link(&reader->builder, &before.link[i]);
    }
    for (uint32_t from = 0; from < before.npus; from++) {
        for (uint32_t to = 0; to < before.npus; to++) {
            const struct net_link link = {.from = from,
                                          .to = to,
                                          .count = (uint32_t)section->ports,
                                          .bytes_per_s = section->bandwidth,
                                          .latency_ps = section->latency};
            if (from != to) {
                orr_net_graph_link(&reader->builder, &link);
            }
        }
    }
    const enum orr_status status = orr_net_graph_end(&reader->builder, graph, reader->diag);
    graph->reroutes = before.reroutes;
    graph->failed_links = before.failed_links;
    graph->failed_link = before.failed_link;
    graph->servers = before.servers;
    graph->logical = before.logical;
    return status;
}

/* Warns about keys of controllers that allocate. */
static void warn_allocator_keys(const struct graph_reader *reader, const struct orr_conf *map)
{
    static const char *const keys[] = {"hold",   "demand", "literal", "kept", "weights", "reach",
                                       "method", "fibres", "rows",    "seed", "radix"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        orr_conf_warn_unused(map, keys[i], "only the controllers sip_ocs and sip_ring have it",
                             reader->diag);
    }
}

enum orr_status orr_graph_read_circuits(struct graph_reader *reader, const struct orr_conf *map,
                                        struct net_graph *graph)
{
    struct circuits_section section = {0};
    struct net_circuits *circuits = orr_arena_alloc(reader->arena, sizeof *circuits);
    if (circuits == NULL) {
        return orr_diag_no_memory(reader->diag, "the circuits of the network");
    }
    enum orr_status status =
        orr_conf_read(map, "circuits", KEYS(circuits_keys), &section, reader->diag);
    if (status == ORR_OK && orr_net_allocator_find(section.controller) != NULL) {
        *circuits =
            (struct net_circuits){.ports = (uint32_t)section.ports,
                                  .controller = orr_net_controller_number(section.controller),
                                  .bytes_per_s = section.bandwidth,
                                  .latency_ps = section.latency};
        return orr_graph_read_allocated(reader, map, &section, graph, circuits);
    }
    if (section.period == 0) {
        section.period =
            section.reconfiguration < ORR_TIME_MAX / 5 ? 5 * section.reconfiguration : ORR_TIME_MAX;
    }
    status = status == ORR_OK ? check(reader, map, &section, graph) : status;
    status = status == ORR_OK ? add_links(reader, &section, graph) : status;
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t npus = graph->npus;
    uint32_t *link = orr_arena_array(reader->arena, (size_t)npus * npus, sizeof *link);
    if (link == NULL) {
        return orr_diag_no_memory(reader->diag, "the circuits of the network");
    }
    for (uint32_t pair = 0; pair < npus * npus; pair++) {
        link[pair] = pair / npus == pair % npus
                         ? NET_NO_LINK
                         : orr_net_graph_find(graph, pair / npus, pair % npus);
    }
    *circuits =
        (struct net_circuits){.ports = (uint32_t)section.ports,
                              .controller = orr_net_controller_number(section.controller),
                              .bytes_per_s = section.bandwidth,
                              .latency_ps = section.latency,
                              .discount = section.discount,
                              .always_dark = section.pauses == 1,
                              .duplex = section.links == 1,
                              .connects = section.connect == 1,
                              .shortest = section.routes == ROUTES_SHORTEST ||
                                          (section.routes == ROUTES_ABSENT && section.connect == 1),
                              .period_ps = section.period,
                              .dark_ps = section.reconfiguration,
                              .link = link};
    warn_allocator_keys(reader, map);
    graph->circuits = circuits;
    return ORR_OK;
}
