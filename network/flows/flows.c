/* Fluid flows as events: see flows.h. The life of a flow before it joins, and the interface to the
 * engine that solves the shares (flows_private.h). */
#include "network/flows/flows.h"

#include <math.h>

#include "network/flows/flows_private.h"
#include "network/routing/routing.h"

#define NONE UINT32_MAX

struct net_flow_model orr_net_flow_packets(bool windows)
{
    return (struct net_flow_model){.packet_bytes = 8936, .start_bytes = 1, .windows = windows};
}

/* ---- events ---- */

void orr_flows_no_memory(struct net_flows *flows)
{
    flows->failed = true;
    orr_evq_stop(flows->config.queue, ORR_ERR_MEMORY);
}

void orr_flows_post(struct net_flows *flows, sim_time time, uint16_t kind, uint64_t cookie)
{
    const struct orr_event event = {.label = (uint64_t)kind << 32 | cookie,
                                    .cookie = cookie,
                                    .entity = flows->entity,
                                    .kind = kind,
                                    .part = ORR_PART_NONE};
    orr_evq_post(flows->config.queue, time, &event);
}

void orr_flows_join(struct net_flows *flows, uint32_t handle)
{
    if (flows->bundles != NULL) {
        flows->rounds->enter(flows, flow_record_at(&flows->records, handle)->path);
    }
    flow_record_at(&flows->records, handle)->joined = true;
    flows->engine->join(flows, handle);
}

static void on_join(void *context, const struct orr_event *event)
{
    struct net_flows *flows = context;
    if (event->aux == JOIN_IN_ROUND) {
        flows->rounds->joins(flows, event->cookie);
        return;
    }
    uint32_t next = orr_flow_pending_take(&flows->joins, event->cookie);
    while (next != NONE && !flows->failed) {
        struct flow_record *record = flow_record_at(&flows->records, next);
        const uint32_t handle = next;
        next = record->sibling;
        record->child = record->sibling = NONE;
        if (flows->around != NULL) {
            orr_flows_reroute_joining(flows, handle);
        }
        orr_flows_join(flows, handle);
    }
}

static void on_tick(void *context, const struct orr_event *event)
{
    struct net_flows *flows = context;
    const sim_time now = orr_evq_now(flows->config.queue);
    (void)event;
    flows->tick = now == flows->tick ? ORR_TIME_MAX : flows->tick;
    flows->engine->tick(flows);
}

static void on_settle(void *context, const struct orr_event *event)
{
    struct net_flows *flows = context;
    const sim_time now = orr_evq_now(flows->config.queue);
    (void)event;
    /* One solution for the flows that end and those that join. Windows depend on each solution. */
    if (!flows->config.model.windows && orr_flow_pending_at(&flows->joins, now)) {
        orr_flows_post(flows, now, EVENT_SETTLE, 0);
        return;
    }
    flows->settling = false;
    flows->engine->settle(flows);
}

void orr_flows_post_tick(struct net_flows *flows, sim_time time)
{
    if (time < flows->tick) {
        flows->tick = time;
        orr_flows_post(flows, time, EVENT_TICK, 0);
    }
}

void orr_flows_post_settle(struct net_flows *flows)
{
    if (!flows->settling && flows->engine->dirty(flows)) {
        flows->settling = true;
        orr_flows_post(flows, orr_evq_now(flows->config.queue), EVENT_SETTLE, 0);
    }
}

void orr_flows_end(struct net_flows *flows, uint32_t handle)
{
    const struct flow_record *record = flow_record_at(&flows->records, handle);
    const uint64_t cookie = record->cookie;
    const uint32_t in_round = record->in_round, number = record->path;
    const struct flow_path *path = flow_path_at(&flows->paths, record->path);
    const sim_time tail = flow_path_times(&flows->paths, path)->tail_ps;
    const sim_time time = orr_time_add(orr_evq_now(flows->config.queue), tail);
    flows->in_flight--;
    orr_slab_free(&flows->records, handle);
    if (flows->bundles != NULL && in_round != FLOW_IS_ROUND) {
        flows->rounds->leave(flows, number);
    }
    if (in_round == FLOW_IS_ROUND) {
        flows->rounds->left_aggregated(flows, cookie, time);
    } else if (in_round == FLOW_IN_ROUND) {
        flows->rounds->left(flows, cookie, time);
    } else {
        flows->config.ended(flows->config.context, cookie, time);
    }
}

/* ---- the interface ---- */

enum orr_status orr_net_flows_create(struct net_flows **out, const struct net_flows_config *config,
                                     struct orr_diag *diag)
{
    if (config->model.windows && config->model.forward_bytes_per_s > 0) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "network.forwarding_limit: shares by congestion windows do not know "
            "it; expected max-min fair shares (network.shares: maxmin, --flow-model "
            "maxmin, cluster.flow_model: maxmin)");
    }
    struct net_flows *flows = orr_heap_calloc(1, sizeof *flows);
    if (flows != NULL) {
        flows->config = *config;
        flows->engine = config->model.windows ? &orr_dctcp_flows : &orr_fair_flows;
        flows->tick = ORR_TIME_MAX;
        flows->arena = orr_arena_create();
        flows->entity = orr_evq_add_entities(config->queue, 1);
        orr_flow_pending_init(&flows->joins, flows->arena);
        flows->joins.queue = config->queue;
        flows->joins.records = &flows->records;
        flows->joins.entity = flows->entity;
        flows->joins.kind = EVENT_JOIN;
        orr_flow_paths_init(&flows->paths, config->graph, &config->model, flows->arena,
                            config->counts_paths);
    }
    if (flows == NULL || flows->arena == NULL || flows->entity == UINT32_MAX ||
        !flows->engine->create(flows)) {
        orr_net_flows_destroy(flows);
        return orr_diag_no_memory(diag, "the flows of the network");
    }
    orr_slab_init(&flows->records, flows->arena, sizeof(struct flow_record));
    orr_evq_handle(config->queue, EVENT_JOIN, on_join, flows);
    orr_evq_handle(config->queue, EVENT_TICK, on_tick, flows);
    orr_evq_handle(config->queue, EVENT_SETTLE, on_settle, flows);
    *out = flows;
    return ORR_OK;
}

void orr_net_flows_destroy(struct net_flows *flows)
{
    if (flows != NULL) {
        flows->engine->destroy(flows);
        orr_flow_paths_fini(&flows->paths);
        orr_flow_pending_fini(&flows->joins);
        orr_arena_destroy(flows->arena);
        orr_heap_free(flows);
    }
}

/* Bytes in full packets, at least one. */
double orr_flows_wire_bytes(const struct net_flows *flows, uint64_t bytes)
{
    const uint64_t packet = flows->config.model.packet_bytes;
    if (packet == 0) {
        return (double)bytes;
    }
    const uint64_t packets = bytes / packet + (bytes % packet != 0 || bytes == 0);
    return (double)packets * (double)packet;
}

/* A link that is down counts with its capacity when up. */
double orr_flows_overhead_bytes(const struct net_flows *flows,
                                const struct net_route_links *path_links)
{
    double min = FLOWS_FASTEST;
    for (uint32_t h = 0; h < path_links->hops && flows->config.model.overhead_ps != 0; h++) {
        const double now = flows->engine->capacity(flows, path_links->link[h]);
        const double capacity =
            now > 0 ? now : net_link_capacity(&flows->config.graph->link[path_links->link[h]]);
        min = fmin(min, capacity);
        if (flows->paths.hosts != 0 && net_passes_host(flows->config.graph, path_links, h)) {
            min = fmin(min, flows->config.model.forward_bytes_per_s);
        }
    }
    return (double)flows->config.model.overhead_ps / PS_PER_S * min;
}

sim_time orr_flows_join_delay(const struct net_flows *flows, const struct flow_path *path,
                              uint16_t weight)
{
    const sim_time wait =
        flows->engine->wait != NULL ? flows->engine->wait(flows, path, weight) : 0;
    return orr_time_add(flow_path_times(&flows->paths, path)->start_ps, wait);
}

uint32_t orr_net_flows_start_weighted(struct net_flows *flows, const struct net_weighted_flow *flow)
{
    const uint32_t path = orr_flow_paths_intern(&flows->paths, flow->links);
    const uint32_t handle = path == NONE ? ORR_SLAB_NONE : orr_slab_new(&flows->records);
    if (handle == ORR_SLAB_NONE) {
        orr_flows_no_memory(flows);
        return NONE;
    }
    const struct flow_path *taken = flow_path_at(&flows->paths, path);
    struct flow_path_use *use = flow_path_use(&flows->paths, path);
    struct flow_record *record = flow_record_at(&flows->records, handle);
    *record = (struct flow_record){.bytes = orr_flows_wire_bytes(flows, flow->bytes),
                                   .cookie = flow->cookie,
                                   .path = path,
                                   .weight = flow->weight};
    if (use != NULL) {
        use->flows++;
        use->bytes += (uint64_t)record->bytes;
    }
    record->bytes += orr_flows_overhead_bytes(flows, flow->links);
    flows->counts.flows++;
    flows->in_flight++;
    const sim_time join =
        orr_time_add(flow->time, orr_flows_join_delay(flows, taken, flow->weight));
    if (!orr_flow_pending_add(&flows->joins, handle, join)) {
        orr_flows_no_memory(flows);
        return NONE;
    }
    return handle;
}

void orr_net_flows_set_weight(struct net_flows *flows, uint32_t flow, uint16_t weight)
{
    struct flow_record *record = flow_record_at(&flows->records, flow);
    if (!record->joined) {
        record->weight = weight;
    } else if (record->weight != weight) {
        flows->engine->set_weight(flows, flow, weight);
    }
}

void orr_net_flows_start_at(struct net_flows *flows, const struct net_route_links *links,
                            uint64_t bytes, uint64_t cookie, sim_time time)
{
    const struct net_weighted_flow flow = {
        .links = links, .bytes = bytes, .cookie = cookie, .time = time, .weight = 1};
    (void)orr_net_flows_start_weighted(flows, &flow);
}

void orr_net_flows_start_on(struct net_flows *flows, const struct net_route_links *links,
                            uint64_t bytes, uint64_t cookie)
{
    orr_net_flows_start_at(flows, links, bytes, cookie, orr_evq_now(flows->config.queue));
}

void orr_net_flows_start(struct net_flows *flows, uint32_t src, uint32_t dst, uint64_t bytes,
                         uint64_t key, uint64_t cookie)
{
    struct net_route_links links;
    const enum orr_status status = orr_net_router_path(flows->config.router, src, dst, key, &links);
    if (status != ORR_OK) {
        orr_net_route_failed(flows->config.graph, src, dst, status, flows->config.queue);
        return;
    }
    orr_net_flows_start_on(flows, &links, bytes, cookie);
}

bool orr_net_flows_path(const struct net_flows *flows, size_t index, struct net_path_use *out)
{
    const uint32_t path = (uint32_t)index;
    if (!flows->paths.counts || index >= flows->paths.path.used) {
        return false;
    }
    const struct net_route_links links = flow_graph_links(
        &flows->paths, flow_path_links(&flows->paths, flow_path_at(&flows->paths, path)));
    const struct flow_path_use *use = flow_path_use(&flows->paths, path);
    *out = (struct net_path_use){
        .link = links.link, .hops = links.hops, .flows = use->flows, .bytes = use->bytes};
    return true;
}

struct net_flows_counts orr_net_flows_counts(const struct net_flows *flows)
{
    return flows->counts;
}
