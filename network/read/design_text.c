/* A design expanded to the keys that it stands for, as YAML: see network_design.h. */
#include <inttypes.h>

#include "core/arena.h"
#include "network/design.h"
#include "network/read/network_design.h"

/* In integer units, so that parsing gives the same time. */
static const char *time_text(struct orr_arena *arena, sim_time ps)
{
    return ps % ORR_PS_PER_US == 0
               ? orr_arena_printf(arena, "%" PRId64 " us", (int64_t)(ps / ORR_PS_PER_US))
               : orr_arena_printf(arena, "%" PRId64 " ps", (int64_t)ps);
}

/* Designs of circuits: appendix F (sip-appendix-f), or section 5.7 and appendix E.4
 * (ocs-reconfig). */
static const char *write_circuits(struct orr_arena *arena, const struct net_design *design,
                                  const char *bandwidth, const char *latency)
{
    const char *dark = time_text(arena, design->dark_ps);
    const char *head = orr_arena_printf(arena,
                                        "graph: {npus: %" PRIu32 "}, circuits: {ports: %" PRIu32
                                        ", bandwidth: %s, latency: %s",
                                        design->servers, design->degree, bandwidth, latency);
    if (dark == NULL || head == NULL) {
        return NULL;
    }
    if (design->name == NET_DESIGN_SIP) {
        return orr_arena_printf(arena,
                                "%s, period: " NET_SIP_PERIOD ", reconfiguration: " NET_SIP_DARK
                                ", controller: utility, discount: 1, pauses: always}",
                                head);
    }
    return orr_arena_printf(
        arena, "%s, reconfiguration: %s, controller: utility, pauses: always, links: %s%s", head,
        dark, design->one_way ? "one-way" : "duplex",
        design->forwards ? ", connect: two-edge}, reroute: true, routing: ecmp" : "}");
}

/* Demand-aware circuits: SiP-ML's. */
static const char *write_allocated(struct orr_arena *arena, const struct net_design *design,
                                   const char *bandwidth, const char *latency)
{
    const bool ring = design->name == NET_DESIGN_SIP_RING;
    return orr_arena_printf(
        arena,
        "graph: {npus: %" PRIu32 "}, fluid: true, circuits: {controller: %s, ports: %" PRIu32
        ", bandwidth: %s, latency: %s%s}",
        design->servers, ring ? "sip_ring" : "sip_ocs", design->degree, bandwidth, latency,
        ring ? ", hold: " NET_SIP_RING_HOLD ", reconfiguration: " NET_SIP_RING_DARK : "");
}

const char *orr_net_design_text(struct orr_arena *arena, const struct net_design *design,
                                const struct net_design_parts *parts, sim_time latency_ps)
{
    char bandwidth[NET_BANDWIDTH_BYTES];
    const char *latency = time_text(arena, latency_ps);
    (void)orr_net_design_bandwidth(parts->bytes_per_s, bandwidth);
    if (latency == NULL) {
        return NULL;
    }
    if (net_design_is_allocated(design->name)) {
        return write_allocated(arena, design, bandwidth, latency);
    }
    if (net_design_is_electrical(design->name)) {
        return orr_arena_printf(arena,
                                "graph: {npus: %" PRIu32
                                ", fabric: \"%s\", bandwidth: %s, latency: "
                                "%s, latency_of: way}, fluid: true",
                                design->servers, parts->fabric, bandwidth, latency);
    }
    return parts->fabric != NULL
               ? orr_arena_printf(arena,
                                  "graph: {npus: %" PRIu32
                                  ", fabric: \"%s\", bandwidth: %s, latency: %s}",
                                  design->servers, parts->fabric, bandwidth, latency)
               : write_circuits(arena, design, bandwidth, latency);
}
