/* DCTCP windows (dctcp.h) as weights of the shares, and the queues that they cause: see
 * dctcp_private.h and docs/models.md, section 4.
 *
 * A weight is the window, or the whole flow if it is smaller. It changes only when the window is
 * updated, and no longer once all that is left has been sent: packets in a queue are served in
 * order, so the share of a flow does not fall while its last window drains. */
#include "network/flows/dctcp_private.h"

static double packet_bytes(const struct net_flows *flows)
{
    return (double)flows->config.model.packet_bytes;
}

/* Packets that a flow has sent and its bottleneck has not yet served. Of its window a part has
 * passed the bottleneck and waits for acknowledgements: as much as the path holds, or all that has
 * been served if that is less. */
static double queued_at(const struct net_flows *flows, const struct dctcp_flow_class *class,
                        double window, sim_time now)
{
    const double served = class->served + class->rate * (double)(now - class->since);
    const double held = class->rate * class->round_trip_ps;
    const double passed = served < held ? served : held;
    const double open = window * packet_bytes(flows) - passed;
    const double left = class->target - served;
    const double queued = open < left ? open : left;
    return queued > 0 ? queued / packet_bytes(flows) : 0;
}

static bool has_sent_all(const struct net_flows *flows, const struct dctcp_flow_class *class)
{
    const double left = (class->target - class->served) / packet_bytes(flows);
    return queued_at(flows, class, class->window.packets, class->since) >= left;
}

/* Sets bound and next update from a new window. */
static void follow_window(const struct net_flows *flows, struct dctcp_flow_class *class)
{
    class->bound = class->window.packets * packet_bytes(flows) / class->round_trip_ps * PS_PER_S;
    class->update_at =
        class->served + orr_dctcp_window_update_after(&class->window) * packet_bytes(flows);
}

void orr_dctcp_weights_begin(const struct net_flows *flows, struct dctcp_flow_class *class)
{
    const double left = class->target / packet_bytes(flows);
    class->window = orr_dctcp_window_new();
    class->moved = -1;
    class->weight = left < class->window.packets ? left : class->window.packets;
    class->weight = class->weight < 1 ? 1 : class->weight;
    follow_window(flows, class);
}

/* ---- flows by bottleneck ---- */

/* An iterator over the entries of the flows whose bottleneck is a link, in the order of its
 * entries. */
struct holding {
    const struct maxmin_entry *entry, *end;
    uint32_t link, left; /* members left, unless entries are hops */
};

static struct holding held_by(const struct net_flows *flows, uint32_t link)
{
    const struct dctcp_flows *dctcp = flows->dctcp;
    const uint32_t held = orr_maxmin_held(dctcp->shares, link);
    uint32_t count = 0;
    struct holding walk = {.link = link};
    walk.entry = orr_maxmin_flows(dctcp->shares, link, &count);
    walk.end = count != 0 ? walk.entry + count : walk.entry;
    walk.left = dctcp->twice && held != 0 ? UINT32_MAX : held;
    return walk;
}

/* The next entries of one flow; returns their count, 0: end. */
static inline uint32_t next_held(const struct net_flows *flows, struct holding *walk,
                                 const struct maxmin_entry **out)
{
    while (walk->left != 0 && walk->entry != walk->end) {
        const struct maxmin_entry *entry = walk->entry;
        do {
            walk->entry++;
        } while (walk->entry != walk->end && walk->entry->flow == entry->flow);
        if (orr_maxmin_bottleneck(flows->dctcp->shares, entry->flow) == walk->link) {
            const uint32_t entries = (uint32_t)(walk->entry - entry);
            walk->left -= entries;
            *out = entry;
            return entries;
        }
    }
    return 0;
}

/* ---- queues ---- */

static bool marks(const struct net_flows *flows, uint32_t link)
{
    const struct net_graph *graph = flows->config.graph;
    return graph->link[link].from >= graph->npus || graph->link[link].to < graph->npus;
}

/* The window before this instant, so that the order of updates in an instant does not matter. */
static double window_before(const struct dctcp_flow_class *class, sim_time now)
{
    return class->moved == now ? class->window_before : class->window.packets;
}

/* Queue length of a link, of flows of that weight or more: what those whose bottleneck it is have
 * sent and it has not served. O(flows on the link). */
static double queue_packets(const struct net_flows *flows, uint32_t link, double weight)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    struct holding walk = held_by(flows, link);
    const struct maxmin_entry *entry = NULL;
    double sum = 0;
    for (uint32_t n = next_held(flows, &walk, &entry); n != 0;
         n = next_held(flows, &walk, &entry)) {
        const struct dctcp_flow_class *class = &flows->dctcp->class[entry->flow];
        const double waiting = queued_at(flows, class, window_before(class, now), now);
        for (uint32_t i = 0; i < n && class->factor >= weight; i++) {
            sum += waiting;
        }
    }
    return sum;
}

sim_time orr_dctcp_weights_wait(const struct net_flows *flows, const struct flow_path *path,
                                uint16_t weight)
{
    const struct maxmin *shares = flows->dctcp->shares;
    const struct net_route_links path_links = flow_path_links(&flows->paths, path);
    double sum = 0;
    for (uint32_t h = 0; h < path_links.hops; h++) {
        const double capacity = orr_maxmin_capacity(shares, path_links.link[h]);
        if (capacity > 0) { /* else the flow is stalled once it has joined */
            sum += queue_packets(flows, path_links.link[h], weight) * packet_bytes(flows) /
                   capacity * PS_PER_S;
        }
    }
    return sum < 9e18 ? (sim_time)sum : ORR_TIME_MAX;
}

/* ---- weights ---- */

static void update_window(struct net_flows *flows, struct dctcp_flow_class *class)
{
    const uint32_t flow = orr_maxmin_flow(flows->dctcp->shares, class->first);
    const uint32_t link = orr_maxmin_bottleneck(flows->dctcp->shares, flow);
    const double marked = link != MAXMIN_NONE && marks(flows, link)
                              ? orr_dctcp_window_marked(queue_packets(flows, link, 0))
                              : 0;
    class->window_before = class->window.packets;
    class->moved = class->since;
    orr_dctcp_window_update(&class->window, marked);
    follow_window(flows, class);
}

void orr_dctcp_weights_follow(struct net_flows *flows, struct dctcp_flow_class *class)
{
    const double tolerance = 2 * ROUNDING_PS * class->rate;
    if (class->served + tolerance < class->update_at) {
        return;
    }
    const bool sent_all = has_sent_all(flows, class);
    update_window(flows, class);
    if (!sent_all && class->window.packets != class->weight) {
        struct maxmin *shares = flows->dctcp->shares;
        const struct maxmin_entry own = {.flow = orr_maxmin_flow(shares, class->first),
                                         .member = class->first};
        class->weight = class->window.packets;
        orr_maxmin_set_weight(shares, own.flow, class->weight * class->factor, class->bound);
        orr_maxmin_recompute(shares, &own, 1);
    }
}
