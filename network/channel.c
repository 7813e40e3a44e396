/* Checks that channels are paths of the graph; see channel.h. */
#include <inttypes.h>
#include <stdio.h>

#include "core/diag.h"
#include "core/strings.h"
#include "network/capacity_changes.h"
#include "network/channel.h"
#include "network/graph.h"
#include "network/net_config.h"

/* Fails and names the channel. */
static enum orr_status fail_channel(const struct net_config *config, uint32_t channel,
                                    const char *problem, struct orr_diag *diag)
{
    const struct net_channel *path = &config->channel[channel];
    const struct net_graph *graph = config->graph;
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "network: channel %" PRIu32 " from %s to %s %s",
                         channel, orr_net_node_name(graph, path->from, from),
                         orr_net_node_name(graph, path->to, to), problem);
}

static enum orr_status check_hop(const struct net_config *config, uint32_t channel, uint32_t h,
                                 uint32_t at, struct orr_diag *diag)
{
    const struct net_graph *graph = config->graph;
    const struct net_hop *hop = &config->channel[channel].hop[h];
    char problem[160], here[NET_NODE_BYTES], from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    if (hop->link >= graph->links) {
        (void)snprintf(problem, sizeof problem,
                       "takes link %" PRIu32 ", but the graph has %" PRIu32 " link%s", hop->link,
                       graph->links, orr_plural(graph->links));
        return fail_channel(config, channel, problem, diag);
    }
    const struct net_link *link = &graph->link[hop->link];
    const char *first = orr_net_node_name(graph, link->from, from);
    const char *last = orr_net_node_name(graph, link->to, to);
    if (link->from != at) {
        (void)snprintf(problem, sizeof problem,
                       "is at %s after %" PRIu32 " hop%s, but its next link is from %s to %s",
                       orr_net_node_name(graph, at, here), h, orr_plural(h), first, last);
        return fail_channel(config, channel, problem, diag);
    }
    if (hop->lane >= link->count) {
        (void)snprintf(problem, sizeof problem,
                       "takes link number %" PRIu32 " from %s to %s, where there %s %" PRIu32,
                       hop->lane + 1, first, last, link->count == 1 ? "is" : "are", link->count);
        return fail_channel(config, channel, problem, diag);
    }
    return ORR_OK;
}

static enum orr_status check_channel(const struct net_config *config, uint32_t channel,
                                     struct orr_diag *diag)
{
    const struct net_channel *path = &config->channel[channel];
    uint32_t at = path->from;
    if (path->from >= config->graph->npus || path->to >= config->graph->npus ||
        path->from == path->to) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "network: channel %" PRIu32 " does not go from one NPU to another",
                             channel);
    }
    for (uint32_t h = 0; h < path->hops; h++) {
        const enum orr_status status = check_hop(config, channel, h, at, diag);
        if (status != ORR_OK) {
            return status;
        }
        at = config->graph->link[path->hop[h].link].to;
    }
    if (at == path->to) {
        return ORR_OK;
    }
    char problem[64], node[NET_NODE_BYTES];
    (void)snprintf(problem, sizeof problem, "leads to %s",
                   orr_net_node_name(config->graph, at, node));
    return fail_channel(config, channel, problem, diag);
}

enum orr_status orr_net_channels_check(const struct net_config *config, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    if (config->channels != 0 && config->graph == NULL) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "network: channels are paths through a network.graph, and there is none");
    }
    if (config->channels != 0 && orr_net_changes(config)) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "network: links of a graph with channels cannot change (network.changes)");
    }
    for (uint32_t c = 0; c < config->channels && status == ORR_OK; c++) {
        status = check_channel(config, c, diag);
    }
    return status;
}

bool orr_net_channels_forward(const struct net_config *config, bool *npu)
{
    bool any = false;
    for (uint32_t c = 0; c < config->channels; c++) {
        for (uint32_t h = 1; h < config->channel[c].hops; h++) {
            const uint32_t node = config->graph->link[config->channel[c].hop[h].link].from;
            if (node < config->graph->npus) {
                any = true;
                if (npu != NULL) {
                    npu[node] = true;
                }
            }
        }
    }
    return any;
}
