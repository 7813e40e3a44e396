/* The graph of a job's demands, for demand-aware circuits: see network/allocation.h. */
#include <inttypes.h>

#include "network/allocation.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_rotation.h"
#include "network/graph_source.h"
#include "network/optical/circuits.h"
#include "network/wavelengths/wave_rate.h"

bool orr_net_is_allocated(const struct net_graph *graph)
{
    return graph != NULL && graph->circuits != NULL && graph->circuits->allocated != NULL;
}

bool orr_net_awaits_demands(const struct net_graph *graph)
{
    return orr_net_is_allocated(graph) && graph->circuits->allocated->demands == 0;
}

bool orr_net_moves_circuits(const struct net_graph *graph)
{
    if (!orr_net_is_allocated(graph)) {
        return graph != NULL && graph->circuits != NULL;
    }
    const struct net_allocated *allocated = graph->circuits->allocated;
    return allocated->demands != 0 && allocated->hold_ps != ORR_TIME_MAX;
}

void orr_net_windows_fini(struct net_windows *windows)
{
    orr_heap_free(windows->bytes);
    *windows = (struct net_windows){.windows = 0};
}

/* A path's latency is split over its two links. */
enum orr_status orr_net_await_demands(struct orr_arena *arena, uint32_t npus,
                                      const struct net_circuits *circuits, struct net_graph *out,
                                      struct orr_diag *diag)
{
    struct net_circuits *kept = orr_arena_alloc(arena, sizeof *kept);
    struct net_graph_builder builder;
    if (kept == NULL) {
        return orr_diag_no_memory(diag, "the circuits of the network");
    }
    *kept = *circuits;
    orr_net_graph_begin(&builder, arena, npus, 1);
    for (uint32_t i = 0; i < npus; i++) {
        struct net_link link = {.from = i,
                                .to = npus,
                                .count = 1,
                                .bytes_per_s = circuits->bytes_per_s * circuits->ports,
                                .latency_ps = circuits->latency_ps - circuits->latency_ps / 2};
        orr_net_graph_link(&builder, &link);
        link.from = npus;
        link.to = i;
        link.latency_ps = circuits->latency_ps / 2;
        orr_net_graph_link(&builder, &link);
    }
    const enum orr_status status = orr_net_graph_end(&builder, out, diag);
    out->circuits = kept;
    return status;
}

/* The graph under construction. */
struct graph_build {
    struct orr_arena *arena;
    const struct net_graph *of;
    const struct net_demands *demands;
    struct net_allocated_problem problem;
    uint64_t *bytes; /* [demands] weighted bytes */
    struct net_circuit_report *report;
    struct orr_diag *diag;
};

static enum orr_status no_memory(const struct graph_build *graph_build)
{
    return orr_diag_no_memory(graph_build->diag, "the circuits of the network");
}

/* Makes the demands of the first group as links, with their weighted bytes. */
static enum orr_status pose(struct graph_build *graph_build)
{
    const struct net_demands *demands = graph_build->demands;
    const struct net_circuits *circuits = graph_build->of->circuits;
    struct net_link *link =
        orr_arena_array(graph_build->arena, (size_t)demands->demands + 1, sizeof *link);
    graph_build->bytes =
        orr_arena_array(graph_build->arena, (size_t)demands->demands + 1, sizeof(uint64_t));
    if (link == NULL || graph_build->bytes == NULL) {
        return no_memory(graph_build);
    }
    for (uint32_t i = 0; i < demands->demands; i++) {
        const struct net_demand *demand = &demands->demand[i];
        const bool inside = demand->to / demands->group == demand->from / demands->group;
        const double counted = (double)demand->bytes * (inside ? demands->weight : 1);
        link[i] = (struct net_link){.from = demand->from, .to = demand->to};
        graph_build->bytes[i] = counted < 1      ? 1
                                : counted < 9e18 ? (uint64_t)(counted + 0.5)
                                                 : INT64_MAX;
    }
    graph_build->problem = (struct net_allocated_problem){.npus = graph_build->of->npus,
                                                          .group = demands->group,
                                                          .ports = circuits->ports,
                                                          .demands = demands->demands,
                                                          .link = link,
                                                          .rules = circuits->allocated->rules};
    return ORR_OK;
}

bool orr_net_allocates_groups(const struct net_graph *of, const struct net_demands *demands)
{
    const struct net_allocator_ops *ops = orr_net_allocator(of->circuits->controller);
    const struct net_allocated_problem problem = {.npus = of->npus,
                                                  .group = demands->group,
                                                  .ports = of->circuits->ports,
                                                  .rules = of->circuits->allocated->rules};
    bool all_equivalent = true;
    for (uint32_t i = 0; i < demands->demands && all_equivalent && ops->is_equivalent != NULL;
         i++) {
        const struct net_link link = {.from = demands->demand[i].from, .to = demands->demand[i].to};
        all_equivalent = ops->is_equivalent(&problem, &link);
    }
    return all_equivalent;
}

static enum orr_status check_reach(const struct graph_build *graph_build)
{
    const struct net_allocator_ops *ops = orr_net_allocator(graph_build->of->circuits->controller);
    for (uint32_t i = 0; i < graph_build->problem.demands && ops->reaches != NULL; i++) {
        const struct net_link *link = &graph_build->problem.link[i];
        const char *why = NULL;
        if (!ops->reaches(&graph_build->problem, link, graph_build->arena, &why)) {
            return why == NULL ? no_memory(graph_build)
                               : orr_diag_fail(graph_build->diag, ORR_ERR_INPUT, NULL,
                                               "network.circuits: GPU %" PRIu32 " sends %" PRIu64
                                               " bytes to GPU %" PRIu32 ", but %s",
                                               link->from, graph_build->demands->demand[i].bytes,
                                               link->to, why);
        }
    }
    return ORR_OK;
}

/* Fails if overlapping arcs leave a pair without a wavelength, although no node has too many. */
static enum orr_status check_all_have(const struct graph_build *graph_build,
                                      const uint32_t *circuits)
{
    uint32_t without = 0, first = 0;
    for (uint32_t i = graph_build->problem.demands; i-- > 0;) {
        without += circuits[i] == 0;
        first = circuits[i] == 0 ? i : first;
    }
    if (without == 0) {
        return ORR_OK;
    }
    const struct net_link *link = &graph_build->problem.link[first];
    return orr_diag_fail(graph_build->diag, ORR_ERR_INPUT, NULL,
                         "network.circuits: no wavelength is left for %" PRIu32 " of %" PRIu32
                         " pairs, first of them GPU %" PRIu32 " to GPU %" PRIu32
                         ": arcs that overlap have different ones; expected more than %" PRIu32
                         ", another method, or circuits that are reconfigured (hold)",
                         without, graph_build->problem.demands, link->from, link->to,
                         graph_build->problem.ports);
}

/* Allocates the circuits that are set once. */
static enum orr_status set_once(const struct graph_build *graph_build, const uint32_t **circuits)
{
    const struct net_allocator_ops *ops = orr_net_allocator(graph_build->of->circuits->controller);
    struct net_allocation found_circuit;
    const enum orr_status status =
        ops->allocate(graph_build->arena, &graph_build->problem, graph_build->bytes, &found_circuit,
                      graph_build->diag);
    if (status != ORR_OK) {
        return status;
    }
    if (found_circuit.overload.set != WAVE_NONE) {
        (void)orr_diag_fail(graph_build->diag, ORR_ERR_INPUT, NULL, "network.circuits: ");
        ops->describe_overload(&graph_build->problem, graph_build->bytes, &found_circuit,
                               graph_build->diag);
        orr_diag_append(graph_build->diag,
                        "; expected as many, or circuits that are reconfigured (hold)");
        return ORR_ERR_INPUT;
    }
    if (check_all_have(graph_build, found_circuit.circuits) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    if (found_circuit.gap > 0) {
        orr_diag_warn(graph_build->diag, NULL,
                      "network.circuits: the integer program met its limit; the minimum rate of "
                      "its circuits may be %.3g %% below the optimum",
                      100 * found_circuit.gap);
    }
    *circuits = found_circuit.circuits;
    if (graph_build->report != NULL) {
        *graph_build->report = (struct net_circuit_report){.rate = found_circuit.rate,
                                                           .bound = found_circuit.bound,
                                                           .deficit = found_circuit.deficit,
                                                           .gap = found_circuit.gap};
    }
    return ORR_OK;
}

/* Bandwidth and latency of a circuit, with the scaling (what-if) that the switch's links got after
 * reading. */
static void find_kind(const struct net_graph *of, struct net_link_kind *out)
{
    const struct net_circuits *circuits = of->circuits;
    const struct net_link *up = &of->link[0], *down = &of->link[of->links - 1];
    const double said = circuits->bytes_per_s * circuits->ports;
    const bool scaled = up->bytes_per_s < said || up->bytes_per_s > said;
    *out = (struct net_link_kind){.bytes_per_s = scaled ? up->bytes_per_s / circuits->ports
                                                        : circuits->bytes_per_s,
                                  .latency_ps = up->latency_ps + down->latency_ps};
}

/* Adds the first group's links, rotated, for all groups; `count`: links of each demand, NULL: the
 * number of ports. */
static enum orr_status add_links(const struct graph_build *graph_build, const uint32_t *count,
                                 struct net_graph *out)
{
    const struct net_circuits *circuits = graph_build->of->circuits;
    const uint32_t npus = graph_build->of->npus, group = graph_build->problem.group;
    struct net_graph_builder builder;
    struct net_link_kind kind;
    find_kind(graph_build->of, &kind);
    orr_net_graph_begin(&builder, graph_build->arena, npus, 0);
    for (uint32_t first = 0; first < npus; first += group) {
        const struct net_rotation turn = {.stride = 1, .size = npus, .step = first};
        for (uint32_t i = 0; i < graph_build->problem.demands; i++) {
            const struct net_link *of = &graph_build->problem.link[i];
            const struct net_link link = {.from = of->from + first,
                                          .to = net_rotated(&turn, of->to),
                                          .count = count != NULL ? count[i] : circuits->ports,
                                          .bytes_per_s = kind.bytes_per_s,
                                          .latency_ps = kind.latency_ps};
            orr_net_graph_link(&builder, &link);
        }
    }
    builder.name = graph_build->of->name;
    return orr_net_graph_end(&builder, out, graph_build->diag);
}

static enum orr_status describe(const struct graph_build *graph_build, struct net_graph *out)
{
    struct net_circuits *circuits = orr_arena_alloc(graph_build->arena, sizeof *circuits);
    struct net_allocated *allocated = orr_arena_alloc(graph_build->arena, sizeof *allocated);
    uint64_t *total = orr_arena_array(graph_build->arena, (size_t)graph_build->problem.demands + 1,
                                      sizeof *total);
    if (circuits == NULL || allocated == NULL || total == NULL) {
        return no_memory(graph_build);
    }
    for (uint32_t i = 0; i < graph_build->problem.demands; i++) {
        total[i] = graph_build->demands->demand[i].bytes;
    }
    *allocated = *graph_build->of->circuits->allocated;
    allocated->group = graph_build->problem.group;
    allocated->demands = graph_build->problem.demands;
    allocated->total = total;
    *circuits = *graph_build->of->circuits;
    circuits->allocated = allocated;
    out->circuits = circuits;
    if (graph_build->problem.group < out->npus) {
        orr_net_graph_number(out, (const uint32_t[]){graph_build->problem.group}, 1);
    }
    return ORR_OK;
}

enum orr_status orr_net_allocated_graph(struct orr_arena *arena, const struct net_graph *of,
                                        const struct net_demands *demands, struct net_graph *out,
                                        struct net_circuit_report *report, struct orr_diag *diag)
{
    struct graph_build graph_build = {
        .arena = arena, .of = of, .demands = demands, .report = report, .diag = diag};
    const uint32_t *count = NULL;
    enum orr_status status = pose(&graph_build);
    if (status == ORR_OK) {
        status = check_reach(&graph_build);
    }
    if (status == ORR_OK && of->circuits->allocated->hold_ps == ORR_TIME_MAX) {
        status = set_once(&graph_build, &count);
    }
    if (status == ORR_OK) {
        status = add_links(&graph_build, count, out);
    }
    return status == ORR_OK ? describe(&graph_build, out) : status;
}
