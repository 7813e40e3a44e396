/* Rounds of the flow backend (net_round_ops). The paths of a round's messages, and their
 * statistics, are computed once. A round is then one call of the flows, and one event for each
 * distinct latency of its paths.
 *
 * Only in graphs with events in insertion order, where a message is only its flow: no queues, no
 * lanes, no causes and no changing links. */
#include <math.h>

#include "network/backends/flow_private.h"

struct net_round {
    struct net_round *next; /* in the list of all rounds */
    struct net_flows_round *flows;
    uint32_t count;
    const struct net_ends *pair;         /* [count] */
    const struct net_route_links *route; /* [count] */
    const uint32_t *dim;                 /* [count] dimension of a message's statistics */
    uint32_t *messages;                  /* [dims] */
    orr_sum *busy_ps;                    /* [dims] busy time with messages of `bytes` */
    uint64_t bytes;                      /* of the last round sent */
    uint64_t uncounted_bytes;            /* bytes per message since the last count */
};

struct round_sent {
    struct net_round *round;
    uint64_t label, cookie;
    uint32_t left; /* ends of flows still to come */
};

static struct round_sent *round_sent_at(const struct flow_net *net, uint32_t handle)
{
    return orr_slab_at(&net->rounds, handle);
}

void orr_flow_rounds_init(struct flow_net *net, struct orr_arena *arena)
{
    orr_slab_init(&net->rounds, arena, sizeof(struct round_sent));
}

/* ---- preparing ---- */

static bool has_rounds(const struct flow_net *net)
{
    const struct net *base = &net->linked.base;
    return net->linked.router != NULL && net->linked.channels == NULL && net->first == NULL &&
           (base->config->fold == NULL || base->config->fold->none) &&
           orr_evq_causes(base->queue) == NULL && !orr_net_changes(base->config);
}

static struct net_msg msg_of(const struct net_ends *pair)
{
    return (struct net_msg){.src = pair->src, .dst = pair->dst, .channel = pair->channel};
}

static bool are_fixed(struct flow_net *net, const struct net_ends *pair, uint32_t count)
{
    bool fixed = true;
    for (uint32_t i = 0; fixed && i < count; i++) {
        const struct net_msg msg = msg_of(&pair[i]);
        fixed = msg.src.rank != msg.dst.rank && !net_has_channel(&msg) &&
                orr_link_net_is_fixed(&net->linked, &msg);
    }
    return fixed;
}

static bool find_routes(struct flow_net *net, const struct net_round *round,
                        struct net_route_links *route, uint32_t *dim)
{
    for (uint32_t i = 0; i < round->count; i++) {
        const struct net_msg msg = msg_of(&round->pair[i]);
        if (orr_link_net_path(&net->linked, &msg, &route[i]) != ORR_OK) {
            return false;
        }
        dim[i] = orr_link_net_dim(&net->linked, msg.src.rank, msg.dst.rank);
        round->messages[dim[i]]++;
    }
    return true;
}

/* Busy time of a path's links, with the overhead: all of it on the slowest link, on others a part
 * in proportion to their time per byte. */
static orr_sum busy_ps_of(const struct flow_net *net, const struct net_route_links *route,
                          uint64_t bytes)
{
    const struct net_link *link = net->linked.rest->link;
    const sim_time overhead_ps = net->linked.base.config->message_overhead_ps;
    double narrowest = INFINITY;
    orr_sum sum = 0;
    for (uint32_t h = 0; h < route->hops; h++) {
        const double capacity = net_link_capacity(&link[route->link[h]]);
        narrowest = fmin(narrowest, capacity);
        sum += orr_time_of_bytes(bytes, capacity);
    }
    for (uint32_t h = 0; overhead_ps != 0 && h < route->hops; h++) {
        sum += orr_time_scale(overhead_ps, narrowest / net_link_capacity(&link[route->link[h]]));
    }
    return sum;
}

/* Computes the busy time of the round's links with messages of `bytes`. */
static void time_links(const struct flow_net *net, struct net_round *round, uint64_t bytes)
{
    round->bytes = bytes;
    for (unsigned d = 0; d < net->linked.base.config->dims; d++) {
        round->busy_ps[d] = 0;
    }
    for (uint32_t i = 0; i < round->count; i++) {
        round->busy_ps[round->dim[i]] += busy_ps_of(net, &round->route[i], bytes);
    }
}

static struct net_round *new_round(struct flow_net *net, const struct net_ends *pair,
                                   uint32_t count)
{
    struct orr_arena *arena = net->linked.arena;
    const unsigned dims = net->linked.base.config->dims;
    struct net_round *round = orr_arena_alloc(arena, sizeof *round);
    struct net_ends *pairs = orr_arena_array(arena, count, sizeof *pairs);
    struct net_route_links *route = orr_arena_array(arena, count, sizeof *route);
    uint32_t *dim = orr_arena_array(arena, count, sizeof *dim);
    uint32_t *messages = orr_arena_array(arena, dims, sizeof *messages);
    orr_sum *busy_ps = orr_arena_array(arena, dims, sizeof *busy_ps);
    if (round == NULL || pairs == NULL || route == NULL || dim == NULL || messages == NULL ||
        busy_ps == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        pairs[i] = pair[i];
    }
    *round = (struct net_round){.count = count,
                                .pair = pairs,
                                .route = route,
                                .dim = dim,
                                .messages = messages,
                                .busy_ps = busy_ps};
    round->flows =
        find_routes(net, round, route, dim) ? orr_net_flows_round(net->flows, route, count) : NULL;
    return round->flows != NULL ? round : NULL;
}

struct net_round *orr_flow_round(struct net *base, const struct net_ends *pair, uint32_t count)
{
    struct flow_net *net = (struct flow_net *)base;
    if (!has_rounds(net) || !are_fixed(net, pair, count)) {
        return NULL;
    }
    struct net_round *round = new_round(net, pair, count);
    if (round == NULL) {
        orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        return NULL;
    }
    time_links(net, round, 0);
    round->next = net->counted;
    net->counted = round;
    return round;
}

/* ---- counting ---- */

static void count(struct flow_net *net, struct net_round *round, uint64_t bytes)
{
    struct net_dim_stats *stats = net->linked.stats;
    if (bytes != round->bytes) {
        time_links(net, round, bytes);
    }
    for (unsigned d = 0; d < net->linked.base.config->dims; d++) {
        stats[d].messages += round->messages[d];
        stats[d].bytes += (orr_sum)round->messages[d] * bytes;
        stats[d].busy_ps += round->busy_ps[d];
    }
    round->uncounted_bytes = orr_capped_sum(round->uncounted_bytes, bytes);
}

uint64_t orr_flow_link_bytes(const struct net *base, uint32_t link)
{
    const struct flow_net *net = (const struct flow_net *)base;
    for (struct net_round *round = net->counted; round != NULL; round = round->next) {
        for (uint32_t i = 0; round->uncounted_bytes != 0 && i < round->count; i++) {
            const struct net_route_links *route = &round->route[i];
            for (uint32_t h = 0; h < route->hops; h++) {
                uint64_t *sum = &net->linked.link_bytes[route->link[h]];
                *sum = orr_capped_sum(*sum, round->uncounted_bytes);
            }
        }
        round->uncounted_bytes = 0;
    }
    return orr_link_net_link_bytes(base, link);
}

/* ---- sending ---- */

void orr_flow_send_round(struct net *base, struct net_round *round, const struct net_msg *msg)
{
    struct flow_net *net = (struct flow_net *)base;
    const uint32_t handle = orr_slab_new(&net->rounds);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        return;
    }
    *round_sent_at(net, handle) =
        (struct round_sent){.round = round,
                            .label = msg->label,
                            .cookie = msg->cookie,
                            .left = orr_net_flows_round_ends(round->flows)};
    count(net, round, msg->bytes);
    orr_net_flows_start_round(net->flows, round->flows, msg->bytes, ((uint64_t)handle + 1) << 32);
}

static uint32_t handle_of(uint64_t cookie)
{
    return (uint32_t)(cookie >> 32) - 1;
}

void orr_flow_round_ended(struct flow_net *net, uint64_t cookie, sim_time time)
{
    const struct round_sent *sent = round_sent_at(net, handle_of(cookie));
    const struct orr_event event = {
        .label = sent->label,
        .cookie = handle_of(cookie),
        .entity = net_slot(net->linked.base.config, sent->round->pair[0].dst).slot,
        .kind = EVENT_FLOW_ROUND,
        .part = (uint8_t)ORR_PART_LATENCY(sent->round->dim[0])};
    orr_evq_post(net->linked.base.queue, time, &event);
}

void orr_flow_on_round(void *context, const struct orr_event *event)
{
    struct flow_net *net = context;
    const struct net_listener *listener = &net->linked.base.listener;
    const uint32_t handle = (uint32_t)event->cookie;
    const struct round_sent sent = *round_sent_at(net, handle);
    if (--round_sent_at(net, handle)->left == 0) {
        orr_slab_free(&net->rounds, handle);
        listener->delivered(listener->context, orr_slot(event->entity), sent.label, sent.cookie);
    }
}

struct net_ends orr_flow_round_pair(const struct flow_net *net, uint64_t cookie, uint32_t link)
{
    const struct net_round *round = round_sent_at(net, handle_of(cookie))->round;
    for (uint32_t i = 0; i < round->count; i++) {
        for (uint32_t h = 0; h < round->route[i].hops; h++) {
            if (round->route[i].link[h] == link) {
                return round->pair[i];
            }
        }
    }
    return round->pair[0];
}
