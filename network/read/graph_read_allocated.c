/* The key `circuits` with a controller that allocates: demand-aware circuits (SiP-ML;
 * docs/file-formats.md). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/units.h"
#include "network/allocation.h"
#include "network/graph.h"
#include "network/read/circuits_section.h"
#include "network/wavelengths/wave_rate.h"

const char *const orr_circuits_demands[] = {"window", "next", "total", NULL};
const char *const orr_circuits_kept[] = {"dark", "lit", NULL};
const char *const orr_circuits_methods[] = {"load", "flows", "random", "exact", NULL};
const char *const orr_circuits_fibres[] = {"full", "half", NULL};

/* Keys of rings only. */
static const char *const of_rings[] = {"reach", "method", "fibres", "rows", "seed"};

/* Keys of controllers that decide on pairs only. */
static const char *const of_pairs[] = {"period", "pauses",  "discount",
                                       "links",  "connect", "routes"};

static enum orr_status fail(const struct graph_reader *reader, const struct orr_conf *map,
                            const char *key, const char *problem)
{
    const struct orr_conf *at = orr_conf_get(map, key);
    const struct orr_location place = orr_conf_location(at != NULL ? at : map);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place, "%s.%s: %s", map->path, key, problem);
}

static enum orr_status check_graph(const struct graph_reader *reader, const struct orr_conf *map,
                                   const struct net_graph *graph)
{
    const struct orr_location place = orr_conf_key_location(map);
    if (graph->npus < 2 || graph->npus > WAVE_MAX_NODES || graph->nodes != graph->npus) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a graph of 2 NPUs or more and no switches, got %" PRIu32
                             " and %" PRIu32,
                             map->path, graph->npus, graph->nodes - graph->npus);
    }
    if (graph->links != 0) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a graph without links: circuits are its only links, "
                             "got a link from %" PRIu32 " to %" PRIu32,
                             map->path, graph->link[0].from, graph->link[0].to);
    }
    return ORR_OK;
}

/* Hold time of circuits: the key `hold`, else 5 x reconfiguration, else for ever (ORR_TIME_MAX). */
static enum orr_status find_hold(const struct graph_reader *reader, const struct orr_conf *map,
                                 const struct circuits_section *section, sim_time *hold_ps)
{
    const struct orr_conf *at = orr_conf_get(map, "hold");
    const bool never = section->hold != NULL && strcmp(section->hold, "never") == 0;
    const struct orr_location place = orr_conf_location(at != NULL ? at : map);
    if (never || (section->hold == NULL && section->reconfiguration == 0)) {
        *hold_ps = ORR_TIME_MAX;
        return ORR_OK;
    }
    if (section->hold == NULL) {
        *hold_ps = section->reconfiguration < ORR_TIME_MAX / 5 ? 5 * section->reconfiguration
                                                               : ORR_TIME_MAX - 1;
        return ORR_OK;
    }
    if (!orr_parse_time(section->hold, hold_ps) || *hold_ps <= 0) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected how long circuits are lit, more than 0, such as \"100 "
                             "us\", or never (they are set once), got \"%s\"",
                             at->path, section->hold);
    }
    if (orr_conf_get(map, "reconfiguration") == NULL) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected the key \"reconfiguration\" as well (how long all "
                             "circuits are dark after each hold), such as 20 us, or 0 us",
                             at->path);
    }
    return ORR_OK;
}

static enum orr_status check_ring(const struct graph_reader *reader, const struct orr_conf *map,
                                  const struct circuits_section *section, uint32_t npus)
{
    char problem[160];
    if (section->fibres == 1 && section->ports % 2 != 0) {
        (void)snprintf(problem, sizeof problem,
                       "expected an even number of wavelengths, of which each of two fibres has "
                       "half (fibres: half), got %" PRId64,
                       section->ports);
        return fail(reader, map, "ports", problem);
    }
    if (section->rows > 1 &&
        (npus % (uint32_t)section->rows != 0 || npus / (uint32_t)section->rows < 2)) {
        (void)snprintf(problem, sizeof problem,
                       "expected rows of at least two GPUs that divide the %" PRIu32
                       " NPUs, got %" PRId64,
                       npus, section->rows);
        return fail(reader, map, "rows", problem);
    }
    if (section->rows > 1 && section->ports < 2) {
        return fail(reader, map, "ports",
                    "expected two wavelengths or more, of which a GPU's rings of rows and columns "
                    "have at least one each, got 1");
    }
    if (section->rows > 1 && (section->method != NET_RING_LOAD || section->fibres == 1)) {
        return fail(reader, map, section->fibres == 1 ? "fibres" : "method",
                    "rows and columns of rings have wavelengths by load, on full fibres");
    }
    return ORR_OK;
}

/* Warns that a key of the file has no effect. Keys that a design expands to are skipped. */
static void warn_key(const struct graph_reader *reader, const struct orr_conf *map, const char *key,
                     const char *why)
{
    const struct orr_conf *at = orr_conf_get(map, key);
    const char *last = at != NULL ? strrchr(at->path, '.') : NULL;
    if (last != NULL && strcmp(last + 1, key) == 0) {
        orr_conf_warn_unused(map, key, why, reader->diag);
    }
}

static void warn_unused_keys(const struct graph_reader *reader, const struct orr_conf *map,
                             const struct circuits_section *section, bool ring, bool once)
{
    for (size_t i = 0; i < sizeof of_pairs / sizeof *of_pairs; i++) {
        warn_key(reader, map, of_pairs[i], "this controller sets circuits for demands");
    }
    for (size_t i = 0; i < sizeof of_rings / sizeof *of_rings && !ring; i++) {
        warn_key(reader, map, of_rings[i], "only the controller sip_ring has a ring");
    }
    if (ring) {
        orr_conf_warn_unused(map, "radix", "only the controller sip_ocs has switches",
                             reader->diag);
    }
    if (once) {
        static const char *const moving[] = {"reconfiguration", "demand", "literal", "kept"};
        for (size_t i = 0; i < sizeof moving / sizeof *moving; i++) {
            warn_key(reader, map, moving[i], "with hold: never circuits are set once");
        }
    } else if (section->weights.count > 0) {
        warn_key(reader, map, "weights", "only circuits that are set once (hold: never) try them");
    }
}

static enum orr_status fill_allocated(struct graph_reader *reader,
                                      const struct circuits_section *section, sim_time hold_ps,
                                      struct net_allocated *out)
{
    const double *user_weight = section->weights.values;
    const size_t weights = section->weights.count > 0 ? section->weights.count : 1;
    double *weight = orr_arena_array(reader->arena, weights, sizeof *weight);
    if (weight == NULL) {
        return orr_diag_no_memory(reader->diag, "the circuits of the network");
    }
    for (size_t i = 0; i < weights; i++) {
        weight[i] = section->weights.count > 0 ? user_weight[i] : 1;
    }
    *out = (struct net_allocated){.hold_ps = hold_ps,
                                  .estimate = (enum net_estimate)section->demand,
                                  .literal = section->literal,
                                  .keeps_lit = section->kept == 1,
                                  .weight = weight,
                                  .weights = (uint32_t)weights,
                                  .rules = {.reach = (uint32_t)section->reach,
                                            .rows = (uint32_t)section->rows,
                                            .method = (enum net_ring_method)section->method,
                                            .half = section->fibres == 1,
                                            .seed = (uint64_t)section->seed,
                                            .radix = (uint32_t)section->radix}};
    return ORR_OK;
}

enum orr_status orr_graph_read_allocated(struct graph_reader *reader, const struct orr_conf *map,
                                         const struct circuits_section *section,
                                         struct net_graph *graph, struct net_circuits *circuits)
{
    const bool ring = orr_net_allocator(circuits->controller)->is_ring;
    struct net_allocated *allocated = orr_arena_alloc(reader->arena, sizeof *allocated);
    sim_time hold_ps = 0;
    if (allocated == NULL) {
        return orr_diag_no_memory(reader->diag, "the circuits of the network");
    }
    enum orr_status status = check_graph(reader, map, graph);
    if (status == ORR_OK) {
        status = find_hold(reader, map, section, &hold_ps);
    }
    if (status == ORR_OK && ring) {
        status = check_ring(reader, map, section, graph->npus);
    }
    if (status == ORR_OK) {
        warn_unused_keys(reader, map, section, ring, hold_ps == ORR_TIME_MAX);
        status = fill_allocated(reader, section, hold_ps, allocated);
    }
    circuits->allocated = allocated;
    circuits->dark_ps = section->reconfiguration;
    const struct net_graph before = *graph;
    if (status == ORR_OK) {
        status = orr_net_await_demands(reader->arena, before.npus, circuits, graph, reader->diag);
    }
    graph->reroutes = before.reroutes;
    graph->name = before.name;
    return status;
}
