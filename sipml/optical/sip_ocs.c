/* SiP-OCS (SiP-ML, SIGCOMM'21, sections 3.1 and 3.3, appendix A.2): circuits on Q optical switches
 * of N ports. Each GPU has a port on each switch, and the minimum rate of all demands is maximal
 * (wavelengths/ocs_circuits.c).
 *
 * With a radix there are small switches as in BCube (hardware/bcube.c): a demand belongs to the one
 * level at which its GPUs differ; each level has some of the ports, and is solved separately. */
#include <inttypes.h>

#include "network/allocation.h"
#include "network/graph.h"
#include "network/graph_rotation.h"
#include "network/optical/circuits.h"
#include "sipml/hardware/sip_hardware.h"
#include "sipml/wavelengths/wavelengths.h"

extern const struct net_circuits_ops orr_circuits_sip_ocs;

/* The levels of switches; without a radix one that connects all. */
static struct bcube levels_of(const struct net_allocated_problem *problem)
{
    const struct sip_rules rules = {.gpus = problem->npus,
                                    .ocs = problem->ports,
                                    .radix = problem->rules.radix != 0 ? problem->rules.radix
                                                                       : problem->npus,
                                    .ocs_ports = problem->npus};
    return orr_bcube(&rules);
}

static bool reaches(const struct net_allocated_problem *problem, const struct net_link *demand,
                    struct orr_arena *arena, const char **why)
{
    const struct bcube bcube = levels_of(problem);
    const uint32_t level = orr_bcube_common(&bcube, demand->from, demand->to);
    if (level == WAVE_NONE) {
        *why = orr_arena_printf(
            arena,
            "no switch connects the two: their numbers differ in several digits of base %" PRIu32
            " (network.circuits.radix)",
            bcube.radix);
        return false;
    }
    if (bcube.level[level].circuits == 0) {
        *why = orr_arena_printf(arena,
                                "%" PRIu32 " circuits have none for each of %" PRIu32
                                " levels of switches (network.circuits.radix)",
                                problem->ports, bcube.levels);
        return false;
    }
    return true;
}

/* Whether the demand has the same level in every group. */
static bool is_equivalent(const struct net_allocated_problem *problem,
                          const struct net_link *demand)
{
    const struct bcube bcube = levels_of(problem);
    const uint32_t npus = problem->npus;
    const uint32_t level = orr_bcube_common(&bcube, demand->from, demand->to);
    bool equivalent = true;
    for (uint32_t first = problem->group; first < npus && equivalent; first += problem->group) {
        const struct net_rotation turn = {.stride = 1, .size = npus, .step = first};
        equivalent =
            orr_bcube_common(&bcube, demand->from + first, net_rotated(&turn, demand->to)) == level;
    }
    return equivalent;
}

/* ---- one level ---- */

struct level_problem {
    struct ocs_problem ocs;
    struct ocs_demand *demand; /* [ocs.demands] */
    uint32_t *of;              /* [ocs.demands] index among all demands */
};

/* Makes the problem of a level, in the arena. */
static enum orr_status pose(struct orr_arena *arena, const struct net_allocated_problem *problem,
                            const uint64_t *bytes, uint32_t level, struct level_problem *out,
                            struct orr_diag *diag)
{
    const struct bcube bcube = levels_of(problem);
    out->demand = orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *out->demand);
    out->of = orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *out->of);
    if (out->demand == NULL || out->of == NULL) {
        return orr_diag_no_memory(diag, "circuits");
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->demands; i++) {
        const struct net_link *link = &problem->link[i];
        if (orr_bcube_common(&bcube, link->from, link->to) == level) {
            out->of[count] = i;
            out->demand[count++] = (struct ocs_demand){link->from, link->to, bytes[i]};
        }
    }
    out->ocs = (struct ocs_problem){.nodes = problem->npus,
                                    .switches = bcube.level[level].circuits,
                                    .demands = count,
                                    .demand = out->demand,
                                    .group = problem->group < problem->npus ? problem->group : 0};
    return ORR_OK;
}

static void copy_level(const struct level_problem *level, const struct ocs_circuits *circuits,
                       struct net_allocation *out)
{
    for (uint32_t i = 0; i < level->ocs.demands; i++) {
        out->circuits[level->of[i]] = circuits->count[i];
    }
    out->rate = wave_rate_is_less(circuits->rate, out->rate) ? circuits->rate : out->rate;
    out->bound = wave_rate_is_less(circuits->bound, out->bound) ? circuits->bound : out->bound;
    out->overload = out->overload.set == WAVE_NONE ? circuits->overload : out->overload;
}

static enum orr_status allocate(struct orr_arena *arena,
                                const struct net_allocated_problem *problem, const uint64_t *demand,
                                struct net_allocation *out, struct orr_diag *diag)
{
    const struct wave_rate infinite = {1, 0};
    const uint32_t levels = levels_of(problem).levels;
    *out = (struct net_allocation){
        .circuits = orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *out->circuits),
        .rate = infinite,
        .bound = infinite,
        .overload = {.set = WAVE_NONE}};
    enum orr_status status = out->circuits != NULL ? ORR_OK : orr_diag_no_memory(diag, "circuits");
    for (uint32_t l = 0; l < levels && status == ORR_OK; l++) {
        struct level_problem level;
        struct ocs_circuits circuits;
        status = pose(arena, problem, demand, l, &level, diag);
        if (status == ORR_OK && level.ocs.demands != 0) {
            status = orr_ocs_circuits(arena, &level.ocs, &circuits, diag);
        }
        if (status == ORR_OK && level.ocs.demands != 0) {
            copy_level(&level, &circuits, out);
        }
    }
    return status;
}

/* Describes the first overloaded level. */
static void describe_overload(const struct net_allocated_problem *problem, const uint64_t *demand,
                              const struct net_allocation *of, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    const uint32_t levels = levels_of(problem).levels;
    bool report = false;
    (void)of;
    for (uint32_t l = 0; l < levels && arena != NULL && !report; l++) {
        struct level_problem level;
        struct ocs_circuits circuits;
        if (pose(arena, problem, demand, l, &level, NULL) == ORR_OK && level.ocs.demands != 0 &&
            orr_ocs_circuits(arena, &level.ocs, &circuits, NULL) == ORR_OK &&
            circuits.overload.set != WAVE_NONE) {
            orr_ocs_describe_overload(&level.ocs, &circuits, diag);
            report = true;
        }
    }
    orr_arena_destroy(arena);
}

static const struct net_allocator_ops allocator = {.reaches = reaches,
                                                   .is_equivalent = is_equivalent,
                                                   .allocate = allocate,
                                                   .describe_overload = describe_overload};

const struct net_circuits_ops orr_circuits_sip_ocs = {
    .name = "sip_ocs",
    .summary = "circuits on optical switches that maximize the minimum rate of all demands",
    .allocator = &allocator,
};
