/* Dynamic capacity of links with flows: see flows.h. */
#include "network/flows/flows_private.h"

#include <inttypes.h>

void orr_net_flows_set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s)
{
    if (flows->engine->capacity(flows, link) != bytes_per_s) {
        flows->engine->set_capacity(flows, link, bytes_per_s);
        orr_flows_post_settle(flows);
    }
}

struct net_flows_stuck orr_net_flows_stuck(const struct net_flows *flows)
{
    struct net_flows_stuck stuck = {.link = NET_NO_LINK};
    flows->engine->stuck(flows, &stuck);
    stuck.late = flows->in_flight - stuck.flows;
    return stuck;
}

void orr_net_flows_describe_stall(const struct net_graph *graph, struct net_flows_stuck stuck,
                                  struct orr_diag *diag)
{
    static const char *const subject[] = {"flows are", "flow is", "messages are", "message is"};
    if (stuck.flows > 0 && graph != NULL) {
        char from[NET_NODE_BYTES], to[NET_NODE_BYTES], src[NET_NODE_BYTES], dst[NET_NODE_BYTES];
        orr_diag_append(diag,
                        "\n  %" PRIu64 " %s stalled; the link from %s to %s carries "
                        "nothing",
                        stuck.flows, subject[2 * stuck.messages + (stuck.flows == 1)],
                        orr_net_node_name(graph, graph->link[stuck.link].from, from),
                        orr_net_node_name(graph, graph->link[stuck.link].to, to));
        if (stuck.src != stuck.dst) {
            orr_diag_append(diag, " (from NPU %s to NPU %s)",
                            orr_net_node_name(graph, stuck.src, src),
                            orr_net_node_name(graph, stuck.dst, dst));
        }
    }
}
