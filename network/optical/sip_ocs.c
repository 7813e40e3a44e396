/* Circuits on Q optical switches of N ports, SiP-OCS (SiP-ML, SIGCOMM'21, sections 3.1 and 3.3,
 * appendix A.2): each GPU has a port on each switch, and the least rate of all demands is as great
 * as any circuits make it (wavelengths/ocs_circuits.c). */
#include "network/graph.h"
#include "network/optical/circuits.h"

extern const struct net_circuits_ops orr_circuits_sip_ocs;

/* The demands as the problem has them, in the arena. */
static enum orr_status pose(struct orr_arena *arena, const struct net_allocated_problem *problem,
                            const uint64_t *demand, struct ocs_problem *out, struct orr_diag *diag)
{
    struct ocs_demand *list = orr_arena_array(arena, (size_t)problem->demands + 1, sizeof *list);
    if (list == NULL) {
        return orr_diag_no_memory(diag, "circuits");
    }
    for (uint32_t i = 0; i < problem->demands; i++) {
        list[i] = (struct ocs_demand){problem->link[i].from, problem->link[i].to, demand[i]};
    }
    *out = (struct ocs_problem){.nodes = problem->npus,
                                .switches = problem->ports,
                                .demands = problem->demands,
                                .demand = list,
                                .group = problem->group < problem->npus ? problem->group : 0};
    return ORR_OK;
}

static enum orr_status allocate(struct orr_arena *arena,
                                const struct net_allocated_problem *problem, const uint64_t *demand,
                                struct net_allocation *out, struct orr_diag *diag)
{
    struct ocs_problem ocs;
    struct ocs_circuits circuits;
    enum orr_status status = pose(arena, problem, demand, &ocs, diag);
    status = status == ORR_OK ? orr_ocs_circuits(arena, &ocs, &circuits, diag) : status;
    if (status == ORR_OK) {
        *out = (struct net_allocation){.circuits = circuits.count,
                                       .rate = circuits.rate,
                                       .bound = circuits.bound,
                                       .crowd = circuits.crowd};
    }
    return status;
}

static void tell_crowd(const struct net_allocated_problem *problem, const uint64_t *demand,
                       const struct net_allocation *of, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    struct ocs_problem ocs;
    if (arena != NULL && pose(arena, problem, demand, &ocs, NULL) == ORR_OK) {
        orr_ocs_tell_crowd(&ocs, &(struct ocs_circuits){.crowd = of->crowd}, diag);
    }
    orr_arena_destroy(arena);
}

static const struct net_allocator_ops allocator = {.allocate = allocate, .tell_crowd = tell_crowd};

const struct net_circuits_ops orr_circuits_sip_ocs = {
    .name = "sip_ocs",
    .summary = "circuits on optical switches, so that the least rate of all demands is greatest",
    .allocator = &allocator,
};
