/* The options of the flow backend, and the flow model that they define; see flow_keys.h. */
#include "network/backends/flow_keys.h"

#include "core/conf/conf.h"
#include "network/backends/packet_key.h"
#include "network/route_options.h"

enum { DEFAULT_PER_LINK = 2, DEFAULT_IN_GRAPH = 4 };

/* The most messages of an NPU in flight on a link. Dimensions have the default of graphs with
 * dimension-order routes. */
uint32_t orr_flow_max_in_flight(const struct flow_keys *keys, const struct net_config *config)
{
    if (keys->messages_per_link != 0) {
        return (uint32_t)keys->messages_per_link;
    }
    return config->graph != NULL && !net_routing_of(&config->routes)->by_dimension
               ? DEFAULT_IN_GRAPH
               : DEFAULT_PER_LINK;
}

struct net_flow_model orr_flow_model(const struct flow_keys *keys, const struct net_config *config)
{
    if (config->flow_model != NULL) {
        return *config->flow_model;
    }
    return (struct net_flow_model){.packet_bytes = keys->packet_bytes,
                                   .start_bytes = keys->handshake_bytes,
                                   .start_ps = keys->setup_ps,
                                   .forward_ps = keys->forwarding_ps,
                                   .forward_bytes_per_s = keys->forwarding_limit_bytes_per_s,
                                   .overhead_ps = config->message_overhead_ps,
                                   .windows = keys->shares == FLOW_BY_WINDOWS};
}

static const char *const all_shares[] = {"maxmin", "windows", NULL};

#define AT(member) offsetof(struct flow_keys, member)

static const struct orr_key keys[] = {
    NET_PACKET_KEY(AT(packet_bytes)),
    {.name = "handshake",
     .type = ORR_KEY_BYTES,
     .offset = AT(handshake_bytes),
     .default_text = "0 B",
     .doc = "flow: bytes of a handshake over the entire path before a flow begins"},
    {.name = "messages_per_link",
     .type = ORR_KEY_INTEGER,
     .offset = AT(messages_per_link),
     .low = 1,
     .high = 1 << 20,
     .absent = "2; in a graph 4, but 2 with dimension-order routes",
     .doc =
         "flow: maximum of an NPU's own messages in flight on each of its links; the others queue, "
         "oldest first. Each has what those before it leave. Messages to all peers at "
         "once count as one"},
    {.name = "setup",
     .type = ORR_KEY_TIME,
     .offset = AT(setup_ps),
     .default_text = "0 ns",
     .doc = "flow: set-up time of a flow at its sender"},
    {.name = "forwarding",
     .type = ORR_KEY_TIME,
     .offset = AT(forwarding_ps),
     .default_text = "0 ns",
     .doc = "flow: latency that each host of a graph (an NPU, or a server) adds to flows that it "
            "forwards"},
    {.name = "forwarding_limit",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(forwarding_limit_bytes_per_s),
     .absent = "as much as its links carry",
     .doc = "flow: forwarding capacity of a host of a graph, shared by all flows that it "
            "forwards; needs maxmin shares"},
    {.name = "shares",
     .only_with = "backend",
     .type = ORR_KEY_CHOICE,
     .offset = AT(shares),
     .choices = all_shares,
     .default_text = "maxmin",
     .doc = "flow: max-min fair shares, or weighted by DCTCP windows (which count packets)"},
    {.name = "fluid",
     .type = ORR_KEY_BOOL,
     .offset = AT(fluid),
     .default_text = "false",
     .output_if_given = true,
     .doc = "flow: messages of models and task graphs take bytes / bandwidth + latency, without "
            "their default full packets, handshakes and windows; the keys packet, handshake and "
            "shares still apply if set"},
};

static enum orr_status check_keys(const struct orr_conf *map, void *values, struct orr_diag *diag)
{
    struct flow_keys *given = values;
    const struct orr_conf *node = orr_conf_get(map, "shares");
    given->has_shares = node != NULL;
    if (given->shares == FLOW_BY_WINDOWS && given->forwarding_limit_bytes_per_s > 0) {
        const struct orr_conf *limit = orr_conf_get(map, "forwarding_limit");
        const struct orr_location at = orr_conf_key_location(limit);
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &at,
            "%s: not supported with shares by windows; expected network.shares: maxmin",
            limit->path);
    }
    if (given->shares != FLOW_BY_WINDOWS || given->packet_bytes != 0) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_key_location(node);
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, &place,
        "%s: windows count packets; expected network.packet too, such as packet: 9000 B",
        node->path);
}

static const char *needed(const void *values)
{
    const struct flow_keys *given = values;
    return given->forwarding_limit_bytes_per_s > 0 ? "forwarding_limit" : NULL;
}

static const struct flow_keys defaults = {0};

static void flow_warn(const struct orr_conf *map, const struct net_config *config,
                      struct orr_diag *diag)
{
    static const char *const of_graphs[] = {"forwarding", "forwarding_limit"};
    for (size_t i = 0; i < 2 && config->graph == NULL; i++) {
        orr_conf_warn_unused(map, of_graphs[i],
                             "only in a network.graph NPUs pass on messages of others", diag);
    }
}

const struct net_backend_keys orr_flow_backend_keys = {
    .table = {.keys = keys, .count = sizeof keys / sizeof *keys},
    .bytes = sizeof defaults,
    .defaults = &defaults,
    .check = check_keys,
    .needed = needed,
    .warn = flow_warn,
};
