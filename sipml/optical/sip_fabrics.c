/* SiP-ML's optical fabrics (SIGCOMM'21, sections 3.1 and 4.1). SiP-OCS divides the bandwidth of an
 * NPU into Q circuits, one on each of Q optical switches; SiP-Ring into W wavelengths on a ring.
 * Circuits are allocated for the demands of a job (network/allocation.h): by default once on
 * switches; on a ring every 100 us, after 25 us dark. */
#include <inttypes.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/allocation.h"
#include "network/design.h"
#include "network/graph.h"
#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status build(const struct fabric_request *request, const char *controller,
                             const struct net_allocated *defaults, struct net_graph *graph,
                             struct orr_diag *diag)
{
    static const double weight[] = {1};
    const uint32_t ports = request->number[0];
    struct net_allocated *allocated = orr_arena_alloc(request->arena, sizeof *allocated);
    if (allocated == NULL) {
        return orr_diag_no_memory(diag, "the circuits of the network");
    }
    if (ports < 1 || ports > NET_DESIGN_MAX_CIRCUITS || request->npus < 2) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "%s: expected 1 to %d %s and 2 NPUs or more, got %" PRIu32 " and %" PRIu32,
            defaults->rules.reach != 0 ? "sip-ring" : "sip-ocs", NET_DESIGN_MAX_CIRCUITS,
            defaults->rules.reach != 0 ? "wavelengths" : "switches", ports, request->npus);
    }
    *allocated = *defaults;
    allocated->weight = weight;
    allocated->weights = 1;
    const struct net_circuits circuits = {.ports = ports,
                                          .controller = orr_net_controller_number(controller),
                                          .bytes_per_s = request->kind.bytes_per_s / ports,
                                          .latency_ps = request->kind.latency_ps,
                                          .dark_ps =
                                              defaults->rules.reach != 0 ? 25 * ORR_PS_PER_US : 0,
                                          .allocated = allocated};
    return orr_net_await_demands(request->arena, request->npus, &circuits, graph, diag);
}

static enum orr_status build_ocs(const struct fabric_request *request, struct net_graph *graph,
                                 struct orr_diag *diag)
{
    const struct net_allocated defaults = {.hold_ps = ORR_TIME_MAX, .rules = {.rows = 1}};
    return build(request, "sip_ocs", &defaults, graph, diag);
}

static enum orr_status build_ring(const struct fabric_request *request, struct net_graph *graph,
                                  struct orr_diag *diag)
{
    const struct net_allocated defaults = {.hold_ps = 100 * ORR_PS_PER_US,
                                           .rules = {.rows = 1, .reach = NET_RING_REACH}};
    return build(request, "sip_ring", &defaults, graph, diag);
}

const struct net_fabric_ops orr_fabric_sip_ocs = {.name = "sip-ocs",
                                                  .form = "sip-ocs:Q",
                                                  .example = "sip-ocs:4",
                                                  .example_npus = 4,
                                                  .min = 1,
                                                  .max = 1,
                                                  .routing = NET_ROUTES_SHORTEST,
                                                  .build = build_ocs};

const struct net_fabric_ops orr_fabric_sip_ring = {.name = "sip-ring",
                                                   .form = "sip-ring:W",
                                                   .example = "sip-ring:16",
                                                   .example_npus = 8,
                                                   .min = 1,
                                                   .max = 1,
                                                   .routing = NET_ROUTES_SHORTEST,
                                                   .ring_of_npus = true,
                                                   .build = build_ring};
