/* DCTCP windows (dctcp.h) as weights of the shares, and the queues that they cause: see
 * dctcp_private.h and docs/models.md, section 4.
 *
 * A weight is min(window, packets left), so it changes all the time. Shares are solved again when a
 * weight has changed by a tenth. All flows whose bottleneck is a link of that flow's path are
 * reweighed with it, because their shares are solved then; each starts its next tenth. */
#include <math.h>

#include "network/flows/dctcp_private.h"

/* A smaller relative change of a weight does not change shares. */
static const double min_change = 0.1;

static double packet_bytes(const struct net_flows *flows)
{
    return (double)flows->config.model.packet_bytes;
}

/* The weight at a time: min(window, packets left). */
static double weight_at(const struct net_flows *flows, const struct dctcp_flow_class *class,
                        double window, sim_time now)
{
    const double served = class->served + class->rate * (double)(now - class->since);
    const double left = (class->target - served) / packet_bytes(flows);
    const double weight = left < window ? left : window;
    return weight < 1 ? 1 : weight;
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

/* Packets in flight of a flow, in excess of what its path holds. */
static double waiting_packets(const struct net_flows *flows, const struct dctcp_flow_class *class,
                              sim_time now)
{
    const double in_flight = class->rate * class->round_trip_ps / packet_bytes(flows);
    const double weight = weight_at(flows, class, window_before(class, now), now);
    return weight > in_flight ? weight - in_flight : 0;
}

/* Queue length of a link: packets in flight of the flows whose bottleneck it is, in excess of what
 * their paths hold. O(flows on the link). */
static double queue_packets(const struct net_flows *flows, uint32_t link)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    struct holding walk = held_by(flows, link);
    const struct maxmin_entry *entry = NULL;
    double sum = 0;
    for (uint32_t n = next_held(flows, &walk, &entry); n != 0;
         n = next_held(flows, &walk, &entry)) {
        const double waiting = waiting_packets(flows, &flows->dctcp->class[entry->flow], now);
        for (uint32_t i = 0; i < n; i++) {
            sum += waiting;
        }
    }
    return sum;
}

sim_time orr_dctcp_weights_wait(const struct net_flows *flows, const struct flow_path *path)
{
    const struct maxmin *shares = flows->dctcp->shares;
    const struct net_route_links path_links = flow_path_links(&flows->paths, path);
    double sum = 0;
    for (uint32_t h = 0; h < path_links.hops; h++) {
        const double capacity = orr_maxmin_capacity(shares, path_links.link[h]);
        if (capacity > 0) { /* else the flow is stalled once it has joined */
            sum += queue_packets(flows, path_links.link[h]) * packet_bytes(flows) / capacity *
                   PS_PER_S;
        }
    }
    return sum < 9e18 ? (sim_time)sum : ORR_TIME_MAX;
}

/* ---- weights ---- */

/* Whether a flow is alone at its bottleneck, so that any weight gives the same share. */
static bool is_alone(const struct net_flows *flows, uint32_t link)
{
    uint32_t count = 0;
    (void)orr_maxmin_flows(flows->dctcp->shares, link, &count);
    return count == 1;
}

/* When the weight, which follows the packets left, will have changed by a tenth. */
static sim_time mark_of(const struct net_flows *flows, const struct dctcp_flow_class *class)
{
    const double packet = packet_bytes(flows), rounding = packet * 1e-3;
    const double lighter = class->target - (1 - min_change) * class->weight * packet + rounding;
    if ((1 - min_change) * class->weight <= 1 || !(class->rate > 0)) {
        return ORR_TIME_MAX; /* no weight is below 1 */
    }
    const double ps = (lighter - class->served) / class->rate + 1;
    const sim_time now = orr_evq_now(flows->config.queue);
    const sim_time time = ps < 9e18 ? class->since + (sim_time)ps : ORR_TIME_MAX;
    return time > now ? time : now + 1;
}

void orr_dctcp_weights_mark(struct net_flows *flows, uint32_t index)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    const uint32_t link = orr_maxmin_bottleneck(dctcp->shares, index);
    if (link != MAXMIN_NONE && !is_alone(flows, link)) {
        const sim_time mark = mark_of(flows, &dctcp->class[index]);
        if (mark < dctcp->marks.time[link]) {
            orr_due_heap_set(&dctcp->marks, link, mark);
        }
    }
}

/* Sets the weight of a flow from its first entry; its next tenth is scheduled with the new share.
 */
static void set_weight_of_first(struct net_flows *flows, const struct maxmin_entry *entry,
                                sim_time now)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    struct dctcp_flow_class *class = &dctcp->class[entry->flow];
    const double weight = weight_at(flows, class, class->window.packets, now);
    class->weighing = dctcp->weighings;
    class->set = weight != class->weight;
    if (class->set) {
        class->weight = weight;
        orr_maxmin_set_weight(dctcp->shares, entry->flow, weight, class->bound);
        orr_maxmin_recompute(dctcp->shares, entry, 1);
    } else {
        orr_dctcp_weights_mark(flows, entry->flow);
    }
}

/* Reweighs a flow's entries at a link. Members follow their class's first one; a flow of one member
 * is weighed at each link of its path that is its bottleneck. */
static void weigh(struct net_flows *flows, const struct maxmin_entry *entry, uint32_t entries,
                  sim_time now)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    const struct dctcp_flow_class *class = &dctcp->class[entry->flow];
    if (class->members == 1) {
        for (uint32_t i = 0; i < entries; i++) {
            set_weight_of_first(flows, entry, now);
        }
        return;
    }
    if (class->weighing != dctcp->weighings) {
        set_weight_of_first(flows, entry, now);
        entry++;
        entries--;
    }
    if (class->set) {
        orr_maxmin_recompute(dctcp->shares, entry, entries);
    }
}

static void weigh_link(struct net_flows *flows, uint32_t link, sim_time now)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    dctcp->weighed[link] = now;
    dctcp->weighings++;
    orr_due_heap_set(&dctcp->marks, link, ORR_TIME_MAX);
    struct holding walk = held_by(flows, link);
    const struct maxmin_entry *entry = NULL;
    for (uint32_t n = next_held(flows, &walk, &entry); n != 0;
         n = next_held(flows, &walk, &entry)) {
        weigh(flows, entry, n, now);
    }
}

void orr_dctcp_weights_weigh(struct net_flows *flows, struct net_route_links path_links)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    for (uint32_t h = 0; h < path_links.hops; h++) {
        if (flows->dctcp->weighed[path_links.link[h]] != now) {
            weigh_link(flows, path_links.link[h], now);
        }
    }
}

static bool has_moved(const struct net_flows *flows, const struct dctcp_flow_class *class)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    const double weight = weight_at(flows, class, class->window.packets, now);
    return fabs(weight - class->weight) > min_change * class->weight;
}

void orr_dctcp_weights_mark_due(struct net_flows *flows, uint32_t link)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    orr_due_heap_set(&dctcp->marks, link, ORR_TIME_MAX);
    struct holding walk = held_by(flows, link);
    const struct maxmin_entry *entry = NULL;
    for (uint32_t n = next_held(flows, &walk, &entry); n != 0;
         n = next_held(flows, &walk, &entry)) {
        const struct dctcp_flow_class *class = &dctcp->class[entry->flow];
        if (has_moved(flows, class)) {
            dctcp->weighed[link] = -1;
            orr_dctcp_weights_weigh(flows, class->path_links);
            return;
        }
        orr_dctcp_weights_mark(flows, entry->flow); /* the time belonged to a flow that is gone */
    }
}

static void update_window(struct net_flows *flows, struct dctcp_flow_class *class)
{
    const uint32_t flow = orr_maxmin_flow(flows->dctcp->shares, class->first);
    const uint32_t link = orr_maxmin_bottleneck(flows->dctcp->shares, flow);
    const double marked = link != MAXMIN_NONE && marks(flows, link)
                              ? orr_dctcp_window_marked(queue_packets(flows, link))
                              : 0;
    class->window_before = class->window.packets;
    class->moved = class->since;
    orr_dctcp_window_update(&class->window, marked);
    follow_window(flows, class);
}

void orr_dctcp_weights_follow(struct net_flows *flows, struct dctcp_flow_class *class)
{
    const double tolerance = 2 * ROUNDING_PS * class->rate;
    if (class->served + tolerance >= class->update_at) {
        update_window(flows, class);
    }
    if (has_moved(flows, class)) {
        struct maxmin *shares = flows->dctcp->shares;
        const struct maxmin_entry own = {.flow = orr_maxmin_flow(shares, class->first),
                                         .member = class->first};
        class->weight = weight_at(flows, class, class->window.packets, class->since);
        orr_maxmin_set_weight(shares, own.flow, class->weight, class->bound);
        orr_maxmin_recompute(shares, &own, 1);
        orr_dctcp_weights_weigh(flows, class->path_links);
    }
}
