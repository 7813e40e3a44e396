/* Congestion windows of flows (dctcp.h) as weights of their shares, and the queues that they
 * make: see dctcp_private.h and docs/models.md, section 4.
 *
 * A weight is min(window, packets left), so that it moves all the time. Shares are worked out again
 * when one has moved by a tenth; all flows that the links of its path hold back, whose shares are
 * worked out then, are weighed with it and begin their next tenth. */
#include <math.h>

#include "network/flows/dctcp_private.h"

/* A weight that moved by less changes no shares. */
static const double min_change = 0.1;

static double packet_bytes(const struct net_flows *flows)
{
    return (double)flows->config.model.packet_bytes;
}

/* The weight by a window and what is left to send, in packets, at a time. */
static double weight_at(const struct net_flows *flows, const struct dctcp_flow_class *stream,
                        double window, sim_time now)
{
    const double served = stream->served + stream->rate * (double)(now - stream->since);
    const double left = (stream->target - served) / packet_bytes(flows);
    const double weight = left < window ? left : window;
    return weight < 1 ? 1 : weight;
}

/* After a new window: its bound, and when it moves again. */
static void follow_window(const struct net_flows *flows, struct dctcp_flow_class *stream)
{
    stream->bound = stream->window.packets * packet_bytes(flows) / stream->round_trip_ps * PS_PER_S;
    stream->update_at =
        stream->served + orr_dctcp_window_update_after(&stream->window) * packet_bytes(flows);
}

void orr_dctcp_weights_begin(const struct net_flows *flows, struct dctcp_flow_class *stream)
{
    const double left = stream->target / packet_bytes(flows);
    stream->window = orr_dctcp_window_new();
    stream->moved = -1;
    stream->weight = left < stream->window.packets ? left : stream->window.packets;
    follow_window(flows, stream);
}

/* ---- the flows that a link holds ---- */

/* Walks over the entries of the flows that a link holds, in the order of its entries. */
struct holding {
    const struct maxmin_entry *entry, *end;
    uint32_t link, left; /* members yet to come, unless entries are not members */
};

static struct holding held_by(const struct net_flows *flows, uint32_t link)
{
    const struct dctcp_flows *windowed = flows->windowed;
    const uint32_t held = orr_maxmin_held(windowed->shares, link);
    uint32_t count = 0;
    struct holding walk = {.link = link};
    walk.entry = orr_maxmin_flows(windowed->shares, link, &count);
    walk.end = count != 0 ? walk.entry + count : walk.entry;
    walk.left = windowed->twice && held != 0 ? UINT32_MAX : held;
    return walk;
}

/* The next entries of one flow, and how many they are; 0: there are no more. */
static inline uint32_t next_held(const struct net_flows *flows, struct holding *walk,
                                 const struct maxmin_entry **out)
{
    while (walk->left != 0 && walk->entry != walk->end) {
        const struct maxmin_entry *entry = walk->entry;
        do {
            walk->entry++;
        } while (walk->entry != walk->end && walk->entry->flow == entry->flow);
        if (orr_maxmin_bottleneck(flows->windowed->shares, entry->flow) == walk->link) {
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

/* As it was before this instant, so that the order of updates in an instant does not matter. */
static double window_before(const struct dctcp_flow_class *stream, sim_time now)
{
    return stream->moved == now ? stream->window_before : stream->window.packets;
}

/* What a flow has in flight beyond what its path holds. */
static double waiting_packets(const struct net_flows *flows, const struct dctcp_flow_class *stream,
                              sim_time now)
{
    const double in_flight = stream->rate * stream->round_trip_ps / packet_bytes(flows);
    const double weight = weight_at(flows, stream, window_before(stream, now), now);
    return weight > in_flight ? weight - in_flight : 0;
}

/* Packets that wait before a link: what the windows of the flows that it holds back have in flight
 * beyond what the path holds. O(flows on the link). */
static double queue_packets(const struct net_flows *flows, uint32_t link)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    struct holding walk = held_by(flows, link);
    const struct maxmin_entry *entry = NULL;
    double sum = 0;
    for (uint32_t n = next_held(flows, &walk, &entry); n != 0;
         n = next_held(flows, &walk, &entry)) {
        const double waiting = waiting_packets(flows, &flows->windowed->stream[entry->flow], now);
        for (uint32_t i = 0; i < n; i++) {
            sum += waiting;
        }
    }
    return sum;
}

sim_time orr_dctcp_weights_wait(const struct net_flows *flows, const struct flow_path *path)
{
    const struct maxmin *shares = flows->windowed->shares;
    const struct net_route_links way = flow_path_links(&flows->paths, path);
    double sum = 0;
    for (uint32_t h = 0; h < way.hops; h++) {
        const double capacity = orr_maxmin_capacity(shares, way.link[h]);
        if (capacity > 0) { /* else it stands still when it has joined */
            sum += queue_packets(flows, way.link[h]) * packet_bytes(flows) / capacity * PS_PER_S;
        }
    }
    return sum < 9e18 ? (sim_time)sum : ORR_TIME_MAX;
}

/* ---- weights ---- */

/* Whether a flow has its bottleneck for itself, where any weight gives the same share. */
static bool is_alone(const struct net_flows *flows, uint32_t link)
{
    uint32_t count = 0;
    (void)orr_maxmin_flows(flows->windowed->shares, link, &count);
    return count == 1;
}

/* When the weight, which follows the packets left, has moved by a tenth. */
static sim_time mark_of(const struct net_flows *flows, const struct dctcp_flow_class *stream)
{
    const double packet = packet_bytes(flows), rounding = packet * 1e-3;
    const double lighter = stream->target - (1 - min_change) * stream->weight * packet + rounding;
    if ((1 - min_change) * stream->weight <= 1 || !(stream->rate > 0)) {
        return ORR_TIME_MAX; /* no weight is below 1 */
    }
    const double ps = (lighter - stream->served) / stream->rate + 1;
    const sim_time now = orr_evq_now(flows->config.queue);
    const sim_time time = ps < 9e18 ? stream->since + (sim_time)ps : ORR_TIME_MAX;
    return time > now ? time : now + 1;
}

void orr_dctcp_weights_mark(struct net_flows *flows, uint32_t index)
{
    struct dctcp_flows *windowed = flows->windowed;
    const uint32_t link = orr_maxmin_bottleneck(windowed->shares, index);
    if (link != MAXMIN_NONE && !is_alone(flows, link)) {
        const sim_time mark = mark_of(flows, &windowed->stream[index]);
        if (mark < windowed->marks.time[link]) {
            orr_due_heap_set(&windowed->marks, link, mark);
        }
    }
}

/* A flow whose weight is new gets a new mark with its new share. */
static void weigh_first(struct net_flows *flows, const struct maxmin_entry *entry, sim_time now)
{
    struct dctcp_flows *windowed = flows->windowed;
    struct dctcp_flow_class *stream = &windowed->stream[entry->flow];
    const double weight = weight_at(flows, stream, stream->window.packets, now);
    stream->weighing = windowed->weighings;
    stream->set = weight != stream->weight;
    if (stream->set) {
        stream->weight = weight;
        orr_maxmin_set_weight(windowed->shares, entry->flow, weight, stream->bound);
        orr_maxmin_again(windowed->shares, entry, 1);
    } else {
        orr_dctcp_weights_mark(flows, entry->flow);
    }
}

/* The other members of a stream follow its first one; those of one member are weighed with each
 * link of their path that this one is. */
static void weigh(struct net_flows *flows, const struct maxmin_entry *entry, uint32_t entries,
                  sim_time now)
{
    struct dctcp_flows *windowed = flows->windowed;
    const struct dctcp_flow_class *stream = &windowed->stream[entry->flow];
    if (stream->members == 1) {
        for (uint32_t i = 0; i < entries; i++) {
            weigh_first(flows, entry, now);
        }
        return;
    }
    if (stream->weighing != windowed->weighings) {
        weigh_first(flows, entry, now);
        entry++;
        entries--;
    }
    if (stream->set) {
        orr_maxmin_again(windowed->shares, entry, entries);
    }
}

static void weigh_link(struct net_flows *flows, uint32_t link, sim_time now)
{
    struct dctcp_flows *windowed = flows->windowed;
    windowed->weighed[link] = now;
    windowed->weighings++;
    orr_due_heap_set(&windowed->marks, link, ORR_TIME_MAX);
    struct holding walk = held_by(flows, link);
    const struct maxmin_entry *entry = NULL;
    for (uint32_t n = next_held(flows, &walk, &entry); n != 0;
         n = next_held(flows, &walk, &entry)) {
        weigh(flows, entry, n, now);
    }
}

void orr_dctcp_weights_weigh(struct net_flows *flows, struct net_route_links way)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    for (uint32_t h = 0; h < way.hops; h++) {
        if (flows->windowed->weighed[way.link[h]] != now) {
            weigh_link(flows, way.link[h], now);
        }
    }
}

static bool has_moved(const struct net_flows *flows, const struct dctcp_flow_class *stream)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    const double weight = weight_at(flows, stream, stream->window.packets, now);
    return fabs(weight - stream->weight) > min_change * stream->weight;
}

void orr_dctcp_weights_mark_due(struct net_flows *flows, uint32_t link)
{
    struct dctcp_flows *windowed = flows->windowed;
    orr_due_heap_set(&windowed->marks, link, ORR_TIME_MAX);
    struct holding walk = held_by(flows, link);
    const struct maxmin_entry *entry = NULL;
    for (uint32_t n = next_held(flows, &walk, &entry); n != 0;
         n = next_held(flows, &walk, &entry)) {
        const struct dctcp_flow_class *stream = &windowed->stream[entry->flow];
        if (has_moved(flows, stream)) {
            windowed->weighed[link] = -1;
            orr_dctcp_weights_weigh(flows, stream->way);
            return;
        }
        orr_dctcp_weights_mark(flows, entry->flow); /* it was that of a flow which has gone */
    }
}

static void update_window(struct net_flows *flows, struct dctcp_flow_class *stream)
{
    const uint32_t flow = orr_maxmin_flow(flows->windowed->shares, stream->first);
    const uint32_t link = orr_maxmin_bottleneck(flows->windowed->shares, flow);
    const double marked = link != MAXMIN_NONE && marks(flows, link)
                              ? orr_dctcp_window_marked(queue_packets(flows, link))
                              : 0;
    stream->window_before = stream->window.packets;
    stream->moved = stream->since;
    orr_dctcp_window_update(&stream->window, marked);
    follow_window(flows, stream);
}

void orr_dctcp_weights_follow(struct net_flows *flows, struct dctcp_flow_class *stream)
{
    const double tolerance = 2 * ROUNDING_PS * stream->rate;
    if (stream->served + tolerance >= stream->update_at) {
        update_window(flows, stream);
    }
    if (has_moved(flows, stream)) {
        struct maxmin *shares = flows->windowed->shares;
        const struct maxmin_entry own = {.flow = orr_maxmin_flow(shares, stream->first),
                                         .member = stream->first};
        stream->weight = weight_at(flows, stream, stream->window.packets, stream->since);
        orr_maxmin_set_weight(shares, own.flow, stream->weight, stream->bound);
        orr_maxmin_again(shares, &own, 1);
        orr_dctcp_weights_weigh(flows, stream->way);
    }
}
