/* Capacities that change while flows are under way: see flows.h. */
#include "network/flows/flows_private.h"

#include <inttypes.h>

void orr_net_flows_set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s)
{
    if (orr_maxmin_capacity(flows->shares, link) != bytes_per_s) {
        orr_maxmin_set_capacity(flows->shares, link, bytes_per_s);
        orr_flows_post_settle(flows);
    }
}

void orr_flow_changes_due(struct net_flows *flows)
{
    const struct net_graph *graph = flows->config.graph;
    const sim_time now = orr_evq_now(flows->config.queue);
    for (; flows->next_change < graph->changes && graph->change[flows->next_change].time_ps <= now;
         flows->next_change++) {
        const struct net_change *change = &graph->change[flows->next_change];
        orr_net_flows_set_capacity(flows, change->link,
                                   change->bytes_per_s * graph->link[change->link].count);
    }
    /* Without flows it can wait until there are some, so that no run lasts longer for it. */
    if (flows->next_change < graph->changes && flows->under_way != 0 && !flows->waits_for_change) {
        flows->waits_for_change = true;
        orr_flows_post(flows, graph->change[flows->next_change].time_ps, EVENT_CHANGE, 0);
    }
}

void orr_flow_changes_on_event(void *context, const struct orr_event *event)
{
    struct net_flows *flows = context;
    (void)event;
    flows->waits_for_change = false;
    orr_flow_changes_due(flows);
}

struct net_flows_stuck orr_net_flows_stuck(const struct net_flows *flows)
{
    struct net_flows_stuck stuck = {.link = NET_NO_LINK};
    for (uint32_t link = 0; link < flows->config.graph->links; link++) {
        uint32_t count = 0;
        const struct maxmin_entry *entry = orr_maxmin_flows(flows->shares, link, &count);
        for (uint32_t e = 0; e < count && orr_maxmin_capacity(flows->shares, link) == 0; e++) {
            const uint32_t owner = flows->owner[entry[e].flow];
            const struct stream *stream = stream_at(&flows->streams, owner);
            if (orr_maxmin_bottleneck(flows->shares, entry[e].flow) == link) { /* count it once */
                stuck.cookie = stuck.flows == 0
                                   ? stream_record(&flows->records, stream->top)->cookie
                                   : stuck.cookie;
                stuck.link = stuck.flows == 0 ? link : stuck.link;
                stuck.flows += stream->count;
            }
        }
    }
    stuck.late = flows->under_way - stuck.flows;
    return stuck;
}

void orr_net_flows_tell_stuck(const struct net_graph *graph, struct net_flows_stuck stuck,
                              struct orr_diag *diag)
{
    if (stuck.flows > 0 && graph != NULL) {
        char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
        orr_diag_append(diag,
                        "\n  %" PRIu64 " flow%s stand%s still; the link from %s to %s carries "
                        "nothing",
                        stuck.flows, orr_plural(stuck.flows), stuck.flows == 1 ? "s" : "",
                        orr_net_node_name(graph, graph->link[stuck.link].from, from),
                        orr_net_node_name(graph, graph->link[stuck.link].to, to));
    }
}
