/* Rerouting of flows: a flow whose path has a closed link continues over another path with its
 * remaining bytes; see flows.h. */
#include "network/flows/flows_private.h"

#define NONE UINT32_MAX

bool orr_flows_closed(const struct net_flows *flows, uint32_t path)
{
    const struct flow_path *at = flow_path_at(&flows->paths, path);
    if (flows->around->all) {
        return true;
    }
    const struct net_route_links of =
        flow_graph_links(&flows->paths, flow_path_links(&flows->paths, at));
    for (uint32_t h = 0; h < of.hops; h++) {
        if (flows->around->closed[of.link[h]]) {
            return true;
        }
    }
    return false;
}

bool orr_flows_find_around(struct net_flows *flows, struct flow_record *record, double bytes)
{
    const struct net_flows_around *around = flows->around;
    struct net_route_links links;
    if (!around->find(around->context, record->cookie, bytes, &links)) {
        return false;
    }
    const uint32_t path = orr_flow_paths_intern(&flows->paths, &links);
    if (path == NONE) {
        orr_flows_no_memory(flows);
        return false;
    }
    struct flow_path_use *before = flow_path_use(&flows->paths, record->path);
    if (before != NULL) {
        struct flow_path_use *use = flow_path_use(&flows->paths, path);
        const uint64_t moved = bytes > (double)before->bytes ? before->bytes : (uint64_t)bytes;
        before->bytes -= moved;
        use->bytes += moved;
        use->flows++;
    }
    record->path = path;
    return true;
}

void orr_flows_reroute_joining(struct net_flows *flows, uint32_t handle)
{
    struct flow_record *record = flow_record_at(&flows->records, handle);
    if (orr_flows_closed(flows, record->path)) {
        (void)orr_flows_find_around(flows, record, record->bytes);
    }
}

void orr_net_flows_reroute(struct net_flows *flows, const struct net_flows_around *around)
{
    flows->around = around;
    flows->engine->reroute(flows);
}

void orr_net_flows_visit(struct net_flows *flows,
                         void (*visit)(void *context, uint64_t cookie, double bytes), void *context)
{
    flows->engine->visit(flows, visit, context);
}
