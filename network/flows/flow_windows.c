/* Congestion windows of flows (windows.h) as weights of their shares, and the queues that they
 * make: see flows_private.h and docs/models.md, section 4.
 *
 * A weight is min(window, packets left), so that it moves all the time. Shares are worked out again
 * when one has moved by a tenth; all flows that the links of its path hold back, whose shares are
 * worked out then, are weighed with it and begin their next tenth. */
#include <math.h>

#include "network/flows/flows_private.h"

/* A weight that moved by less changes no shares. */
static const double least_change = 0.1;

static double packet_bytes(const struct net_flows *flows)
{
    return (double)flows->config.model.packet_bytes;
}

/* The weight by a window and what is left to send, in packets, at a time. */
static double weight_at(const struct net_flows *flows, const struct stream *stream, double window,
                        sim_time now)
{
    const double target = stream_record(&flows->records, stream->top)->target;
    const double served = stream->served + stream->rate * (double)(now - stream->since);
    const double left = (target - served) / packet_bytes(flows);
    const double weight = left < window ? left : window;
    return weight < 1 ? 1 : weight;
}

static double bound_of(const struct net_flows *flows, const struct stream *stream)
{
    return stream->window.packets * packet_bytes(flows) / round_trip_ps(flows, stream) * PS_PER_S;
}

static void set_update(const struct net_flows *flows, struct stream *stream)
{
    stream->update_at =
        stream->served + orr_net_window_update_after(&stream->window) * packet_bytes(flows);
}

double orr_flow_windows_begin(const struct net_flows *flows, struct stream *stream,
                              const struct flow_record *record)
{
    const double left = record->target / packet_bytes(flows);
    stream->window = orr_net_window_new();
    stream->moved = -1;
    set_update(flows, stream);
    stream->weight = left < stream->window.packets ? left : stream->window.packets;
    return bound_of(flows, stream);
}

/* ---- queues ---- */

static bool marks(const struct net_flows *flows, uint32_t link)
{
    const struct net_graph *graph = flows->config.graph;
    return graph->link[link].from >= graph->npus || graph->link[link].to < graph->npus;
}

/* As it was before this instant, so that the order of updates in an instant does not matter. */
static double window_before(const struct stream *stream, sim_time now)
{
    return stream->moved == now ? stream->window_before : stream->window.packets;
}

/* Packets that wait before a link: what the windows of the flows that it holds back have in flight
 * beyond what the path holds. O(flows on the link). */
static double queue_packets(const struct net_flows *flows, uint32_t link)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    uint32_t count = 0;
    const struct maxmin_entry *entry = orr_maxmin_flows(flows->shares, link, &count);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (orr_maxmin_bottleneck(flows->shares, entry[i].flow) == link) {
            const struct stream *stream = stream_at(&flows->streams, flows->owner[entry[i].flow]);
            const double under_way =
                stream->rate * round_trip_ps(flows, stream) / packet_bytes(flows);
            const double weight = weight_at(flows, stream, window_before(stream, now), now);
            sum += weight > under_way ? weight - under_way : 0;
        }
    }
    return sum;
}

sim_time orr_flow_windows_wait(const struct net_flows *flows, const struct flow_path *path)
{
    const struct net_route_links way = flow_path_links(&flows->paths, path);
    double sum = 0;
    for (uint32_t h = 0; h < way.hops; h++) {
        const double capacity = orr_maxmin_capacity(flows->shares, way.link[h]);
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
    (void)orr_maxmin_flows(flows->shares, link, &count);
    return count == 1;
}

/* When the weight, which follows the packets left, has moved by a tenth. */
static sim_time mark_of(const struct net_flows *flows, const struct stream *stream)
{
    const double packet = packet_bytes(flows), rounding = packet * 1e-3;
    const double end = stream_record(&flows->records, stream->top)->target;
    const double lighter = end - (1 - least_change) * stream->weight * packet + rounding;
    if ((1 - least_change) * stream->weight <= 1 || !(stream->rate > 0)) {
        return ORR_TIME_MAX; /* no weight is below 1 */
    }
    const double ps = (lighter - stream->served) / stream->rate + 1;
    const sim_time now = orr_evq_now(flows->config.queue);
    const sim_time time = ps < 9e18 ? stream->since + (sim_time)ps : ORR_TIME_MAX;
    return time > now ? time : now + 1;
}

void orr_flow_windows_mark(struct net_flows *flows, const struct stream *stream)
{
    const uint32_t link = orr_maxmin_bottleneck(flows->shares, stream->share);
    if (link != MAXMIN_NONE && !is_alone(flows, link)) {
        const sim_time mark = mark_of(flows, stream);
        if (mark < flows->marks.time[link]) {
            orr_due_heap_set(&flows->marks, link, mark);
        }
    }
}

static void set_weight(struct net_flows *flows, struct stream *stream, double weight)
{
    stream->weight = weight;
    orr_maxmin_set_weight(flows->shares, stream->share, weight, bound_of(flows, stream));
}

/* A flow whose weight is new gets a new mark with its new share. */
static void weigh_link(struct net_flows *flows, uint32_t link, sim_time now)
{
    uint32_t count = 0;
    const struct maxmin_entry *entry = orr_maxmin_flows(flows->shares, link, &count);
    flows->weighed[link] = now;
    orr_due_heap_set(&flows->marks, link, ORR_TIME_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (orr_maxmin_bottleneck(flows->shares, entry[i].flow) == link) {
            struct stream *stream = stream_at(&flows->streams, flows->owner[entry[i].flow]);
            const double weight = weight_at(flows, stream, stream->window.packets, now);
            if (weight != stream->weight) {
                set_weight(flows, stream, weight);
            } else {
                orr_flow_windows_mark(flows, stream);
            }
        }
    }
}

void orr_flow_windows_weigh(struct net_flows *flows, const struct flow_path *path)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    const struct net_route_links way = flow_path_links(&flows->paths, path);
    for (uint32_t h = 0; h < way.hops; h++) {
        if (flows->weighed[way.link[h]] != now) {
            weigh_link(flows, way.link[h], now);
        }
    }
}

static bool has_moved(const struct net_flows *flows, const struct stream *stream)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    const double weight = weight_at(flows, stream, stream->window.packets, now);
    return fabs(weight - stream->weight) > least_change * stream->weight;
}

void orr_flow_windows_mark_due(struct net_flows *flows, uint32_t link)
{
    uint32_t count = 0;
    const struct maxmin_entry *entry = orr_maxmin_flows(flows->shares, link, &count);
    orr_due_heap_set(&flows->marks, link, ORR_TIME_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const struct stream *stream = stream_at(&flows->streams, flows->owner[entry[i].flow]);
        if (orr_maxmin_bottleneck(flows->shares, entry[i].flow) != link) {
            continue;
        }
        if (has_moved(flows, stream)) {
            flows->weighed[link] = -1;
            orr_flow_windows_weigh(flows, path_of(flows, stream));
            return;
        }
        orr_flow_windows_mark(flows, stream); /* it was that of a flow which has gone */
    }
}

static void update_window(struct net_flows *flows, struct stream *stream)
{
    const uint32_t link = orr_maxmin_bottleneck(flows->shares, stream->share);
    const double marked = link != MAXMIN_NONE && marks(flows, link)
                              ? orr_net_window_marked(queue_packets(flows, link))
                              : 0;
    stream->window_before = stream->window.packets;
    stream->moved = stream->since;
    orr_net_window_update(&stream->window, marked);
    set_update(flows, stream);
}

void orr_flow_windows_follow(struct net_flows *flows, struct stream *stream)
{
    const double tolerance = 2 * ROUNDING_PS * stream->rate;
    if (stream->served + tolerance >= stream->update_at) {
        update_window(flows, stream);
    }
    if (has_moved(flows, stream)) {
        set_weight(flows, stream, weight_at(flows, stream, stream->window.packets, stream->since));
        orr_flow_windows_weigh(flows, path_of(flows, stream));
    }
}
