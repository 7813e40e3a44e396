/* SiP-Ring (SiP-ML, SIGCOMM'21, sections 3.1 and 3.3, appendix A.1): wavelengths around a ring of
 * GPUs, or around rows and columns of rings, by load, by flows or by the integer program
 * (network/wavelengths/). A demand takes the shorter direction. Of equivalent groups one is a ring
 * by itself: an arc that leaves it at one end enters at the other. */
#include <inttypes.h>
#include <math.h>

#include "network/allocation.h"
#include "network/graph.h"
#include "network/optical/circuits.h"
#include "sipml/wavelengths/wavelengths.h"

extern const struct net_circuits_ops orr_circuits_sip_ring;

/* Limits of the branch and bound, independent of time: its nodes, and unknowns (pairs x
 * wavelengths), with which it takes seconds. */
enum { EXACT_NODES = 2000, EXACT_UNKNOWNS = 2000 };

/* Reach on the ring of the demand's row, or of its column. */
static bool reaches_on_grid(const struct net_allocated_problem *problem,
                            const struct ocs_demand *demand, struct orr_arena *arena,
                            const char **why)
{
    const uint32_t columns = problem->npus / problem->rules.rows;
    const bool row = demand->from / columns == demand->to / columns;
    struct ring_arc arc;
    if (!row && demand->from % columns != demand->to % columns) {
        *why = orr_arena_printf(
            arena, "no ring of the %" PRIu32 " rows and %" PRIu32 " columns connects the two",
            problem->rules.rows, columns);
        return false;
    }
    const struct ocs_demand inside = {row ? demand->from % columns : demand->from / columns,
                                      row ? demand->to % columns : demand->to / columns, 1};
    const uint32_t reach = problem->rules.reach;
    if (!orr_ring_route(row ? columns : problem->rules.rows, reach, &inside, &arc)) {
        *why = orr_arena_printf(arena,
                                "it is %" PRIu32 " GPUs away on the ring of their %s, and light "
                                "reaches %" PRIu32,
                                arc.length, row ? "row" : "column", reach);
        return false;
    }
    return true;
}

static bool reaches(const struct net_allocated_problem *problem, const struct net_link *demand,
                    struct orr_arena *arena, const char **why)
{
    struct ring_arc arc;
    const struct ocs_demand of = {demand->from, demand->to, 1};
    if (problem->rules.rows > 1) {
        return reaches_on_grid(problem, &of, arena, why);
    }
    if (!orr_ring_route(problem->npus, problem->rules.reach, &of, &arc)) {
        *why = orr_arena_printf(arena, "it is %" PRIu32 " GPUs away, and light reaches %" PRIu32,
                                arc.length, problem->rules.reach);
        return false;
    }
    if (arc.length > problem->group) {
        *why = orr_arena_printf(
            arena, "it is %" PRIu32 " GPUs away, beyond the neighbouring group of %" PRIu32 " GPUs",
            arc.length, problem->group);
        return false;
    }
    return true;
}

/* Whether a group can be a ring by itself: its arcs go around it at most once. Rows and columns
 * contain all GPUs. */
static bool is_equivalent(const struct net_allocated_problem *problem,
                          const struct net_link *demand)
{
    struct ring_arc arc;
    const struct ocs_demand of = {demand->from, demand->to, 1};
    (void)orr_ring_route(problem->npus, 0, &of, &arc);
    return problem->rules.rows <= 1 && arc.length <= problem->group;
}

/* Makes the demands arcs of the group's ring. */
static void pose(const struct net_allocated_problem *problem, const uint64_t *demand,
                 struct ring_arc *arc)
{
    for (uint32_t i = 0; i < problem->demands; i++) {
        const struct ocs_demand of = {problem->link[i].from, problem->link[i].to, demand[i]};
        (void)orr_ring_route(problem->npus, 0, &of, &arc[i]);
    }
}

static enum orr_status solve_exactly(struct orr_arena *arena, const struct ring_problem *ring,
                                     struct ring_allocation *out, double *gap,
                                     struct orr_diag *diag)
{
    const struct ring_limits limits = {.nodes = EXACT_NODES};
    if ((uint64_t)ring->arcs * ring->wavelengths > EXACT_UNKNOWNS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "network.circuits.method: exact is for at most %d unknowns, pairs by "
                             "wavelengths, got %" PRIu32 " by %" PRIu32
                             "; expected load, flows or random",
                             EXACT_UNKNOWNS, ring->arcs, ring->wavelengths);
    }
    return orr_ring_exact(arena, ring, limits, out, gap, diag);
}

static enum orr_status solve(struct orr_arena *arena, const struct net_allocator_rules *rules,
                             const struct ring_problem *ring, struct ring_allocation *out,
                             double *gap, struct orr_diag *diag)
{
    struct ring_flow flow = {.rounding = rules->method == NET_RING_RANDOM ? RING_ROUND_RANDOM
                                                                          : RING_ROUND_DOWN,
                             .seed = rules->seed};
    *gap = 0;
    switch (rules->method) {
    case NET_RING_EXACT:
        return solve_exactly(arena, ring, out, gap, diag);
    case NET_RING_FLOWS:
    case NET_RING_RANDOM:
        return orr_ring_flow(arena, ring, &flow, out, diag);
    case NET_RING_LOAD:
        break;
    }
    return orr_ring_allocate(arena, ring, out, diag);
}

static struct wave_rate lower_of(struct wave_rate one, struct wave_rate other)
{
    return wave_rate_is_less(one, other) ? one : other;
}

/* Solves each fibre separately, with half of the wavelengths: arcs of the other direction get no
 * bytes. */
static enum orr_status solve_halves(struct orr_arena *arena,
                                    const struct net_allocated_problem *problem,
                                    const struct ring_arc *all, struct net_allocation *out,
                                    struct orr_diag *diag)
{
    struct ring_arc *arc = orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *arc);
    enum orr_status status =
        arc != NULL ? ORR_OK : orr_diag_no_memory(diag, "the wavelengths of a ring");
    for (unsigned down = 0; down < 2 && status == ORR_OK; down++) {
        const struct ring_problem ring = {.nodes = problem->group,
                                          .wavelengths = problem->ports / 2,
                                          .arcs = problem->demands,
                                          .arc = arc};
        struct ring_allocation half;
        double gap = 0;
        for (uint32_t i = 0; i < problem->demands; i++) {
            arc[i] = all[i];
            arc[i].bytes = all[i].down == (down != 0) ? all[i].bytes : 0;
        }
        status = solve(arena, &problem->rules, &ring, &half, &gap, diag);
        for (uint32_t i = 0; i < problem->demands && status == ORR_OK; i++) {
            out->circuits[i] += all[i].down == (down != 0) ? half.count[i] : 0;
        }
        if (status == ORR_OK) {
            out->rate = down == 0 ? half.rate : lower_of(half.rate, out->rate);
            out->bound = down == 0 ? half.bound : lower_of(half.bound, out->bound);
            out->deficit += half.deficit;
            out->gap = fmax(out->gap, gap);
            out->overload = half.overload.set != WAVE_NONE ? half.overload : out->overload;
        }
    }
    return status;
}

static enum orr_status solve_grid(struct orr_arena *arena,
                                  const struct net_allocated_problem *problem,
                                  const uint64_t *demand, struct net_allocation *out,
                                  struct orr_diag *diag)
{
    struct ocs_demand *list = orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *list);
    struct ring_grid_allocation found_circuit;
    if (list == NULL) {
        return orr_diag_no_memory(diag, "the wavelengths of rings");
    }
    for (uint32_t i = 0; i < problem->demands; i++) {
        list[i] = (struct ocs_demand){problem->link[i].from, problem->link[i].to, demand[i]};
    }
    const struct ring_grid grid = {.rows = problem->rules.rows,
                                   .columns = problem->npus / problem->rules.rows,
                                   .wavelengths = problem->ports,
                                   .reach = problem->rules.reach,
                                   .demands = problem->demands,
                                   .demand = list};
    const enum orr_status status = orr_ring_grid(arena, &grid, &found_circuit, diag);
    if (status == ORR_OK) {
        *out = (struct net_allocation){.circuits = found_circuit.count,
                                       .rate = found_circuit.rate,
                                       .bound = found_circuit.bound,
                                       .deficit = found_circuit.deficit,
                                       .overload = {.set = WAVE_NONE}};
    }
    return status;
}

static enum orr_status allocate(struct orr_arena *arena,
                                const struct net_allocated_problem *problem, const uint64_t *demand,
                                struct net_allocation *out, struct orr_diag *diag)
{
    if (problem->rules.rows > 1) {
        return solve_grid(arena, problem, demand, out, diag);
    }
    struct ring_arc *arc = orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *arc);
    uint32_t *circuits = orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *circuits);
    if (arc == NULL || circuits == NULL) {
        return orr_diag_no_memory(diag, "the wavelengths of a ring");
    }
    pose(problem, demand, arc);
    *out = (struct net_allocation){.circuits = circuits, .overload = {.set = WAVE_NONE}};
    if (problem->rules.half) {
        return solve_halves(arena, problem, arc, out, diag);
    }
    const struct ring_problem ring = {.nodes = problem->group,
                                      .wavelengths = problem->ports,
                                      .arcs = problem->demands,
                                      .arc = arc};
    struct ring_allocation found_circuit;
    double gap = 0;
    const enum orr_status status = solve(arena, &problem->rules, &ring, &found_circuit, &gap, diag);
    if (status == ORR_OK) {
        *out = (struct net_allocation){.circuits = found_circuit.count,
                                       .rate = found_circuit.rate,
                                       .bound = found_circuit.bound,
                                       .deficit = found_circuit.deficit,
                                       .overload = found_circuit.overload,
                                       .gap = gap};
    }
    return status;
}

static void describe_overload(const struct net_allocated_problem *problem, const uint64_t *demand,
                              const struct net_allocation *of, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    struct ring_arc *arc =
        arena != NULL ? orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *arc) : NULL;
    if (arc != NULL) {
        pose(problem, demand, arc);
        const struct ring_problem ring = {.nodes = problem->group,
                                          .wavelengths =
                                              problem->ports / (problem->rules.half ? 2 : 1),
                                          .arcs = problem->demands,
                                          .arc = arc};
        orr_ring_describe_overload(&ring, &(struct ring_allocation){.overload = of->overload},
                                   diag);
    }
    orr_arena_destroy(arena);
}

static const struct net_allocator_ops allocator = {.is_ring = true,
                                                   .reaches = reaches,
                                                   .is_equivalent = is_equivalent,
                                                   .allocate = allocate,
                                                   .describe_overload = describe_overload};

const struct net_circuits_ops orr_circuits_sip_ring = {
    .name = "sip_ring",
    .summary = "wavelengths around a ring that maximize the minimum rate of all demands",
    .allocator = &allocator,
};
