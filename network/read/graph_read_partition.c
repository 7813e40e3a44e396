/* Partition check. With `reroute`, changes that disconnect NPUs for good are an error, because
 * messages between the parts would wait for ever. */
#include <inttypes.h>
#include <stdio.h>

#include "core/conf/conf.h"
#include "core/units.h"
#include "network/read/graph_read_private.h"
#include "network/routing/routing.h"

enum { SIDE_BYTES = 96 };

struct partition {
    const struct net_graph *graph;
    struct net_reverse reverse;
    bool *closed;            /* [links] */
    bool *reached, *cut_off; /* [nodes] */
    uint32_t *queue;         /* [nodes] */
};

/* State of the links after the first `changes` changes. */
static void close_links(struct partition *partition, uint32_t changes)
{
    const struct net_graph *graph = partition->graph;
    for (uint32_t i = 0; i < graph->links; i++) {
        partition->closed[i] = false;
    }
    for (uint32_t i = 0; i < changes; i++) {
        const struct net_change *change = &graph->change[i];
        partition->closed[change->link] = !(change->bytes_per_s * change->working > 0);
    }
}

/* Marks the nodes that NPU 0 reaches; with `back` those that reach it. */
static void reach(struct partition *partition, bool back)
{
    const struct net_graph *graph = partition->graph;
    const uint32_t *first = back ? partition->reverse.first_in : graph->first_out;
    uint32_t tail = 1;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        partition->reached[n] = n == 0;
    }
    partition->queue[0] = 0;
    for (uint32_t head = 0; head < tail; head++) {
        for (uint32_t i = first[partition->queue[head]]; i < first[partition->queue[head] + 1];
             i++) {
            const uint32_t link = back ? partition->reverse.in[i] : i;
            const uint32_t other = back ? graph->link[link].from : graph->link[link].to;
            if (!partition->closed[link] && !partition->reached[other]) {
                partition->reached[other] = true;
                partition->queue[tail++] = other;
            }
        }
    }
}

/* Marks the NPUs that cannot reach NPU 0 or be reached from it; returns whether there are any. */
static bool is_partitioned(struct partition *partition, uint32_t changes)
{
    bool any = false;
    close_links(partition, changes);
    for (uint32_t n = 0; n < partition->graph->npus; n++) {
        partition->cut_off[n] = false;
    }
    for (unsigned back = 0; back < 2; back++) {
        reach(partition, back != 0);
        for (uint32_t n = 0; n < partition->graph->npus; n++) {
            partition->cut_off[n] = partition->cut_off[n] || !partition->reached[n];
            any = any || partition->cut_off[n];
        }
    }
    return any;
}

static enum orr_status fail(struct partition *partition, const struct orr_conf *at,
                            struct orr_diag *diag)
{
    const struct net_graph *graph = partition->graph;
    char one[SIDE_BYTES], other[SIDE_BYTES], time[64];
    uint32_t last = graph->changes;
    while (last > 1 && is_partitioned(partition, last - 1)) {
        last--;
    }
    (void)is_partitioned(partition, graph->changes);
    const struct net_npu_flags flags = {partition->cut_off, graph->npus};
    const struct orr_location place = orr_conf_location(at);
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, &place,
        "%s: the changes partition the network for good at %s: NPUs %s cannot reach NPUs %s (or "
        "the reverse); expected changes that keep it connected, or links that are restored",
        at->path, orr_format_time(graph->change[last - 1].time_ps, time, sizeof time),
        orr_net_describe_npus(flags, false, one, sizeof one),
        orr_net_describe_npus(flags, true, other, sizeof other));
}

enum orr_status orr_graph_check_partition(const struct graph_reader *reader,
                                          const struct net_graph *graph, const struct orr_conf *at)
{
    struct orr_arena *arena = reader->arena;
    struct partition partition = {
        .graph = graph,
        .closed = orr_arena_array(arena, (size_t)graph->links + 1, sizeof(bool)),
        .reached = orr_arena_array(arena, graph->nodes, sizeof(bool)),
        .cut_off = orr_arena_array(arena, graph->nodes, sizeof(bool)),
        .queue = orr_arena_array(arena, graph->nodes, sizeof(uint32_t))};
    if (partition.closed == NULL || partition.reached == NULL || partition.cut_off == NULL ||
        partition.queue == NULL) {
        return orr_diag_no_memory(reader->diag, "the changes of the network");
    }
    const enum orr_status status =
        orr_net_graph_reverse(graph, arena, &partition.reverse, reader->diag);
    if (status != ORR_OK || !is_partitioned(&partition, graph->changes)) {
        return status;
    }
    return fail(&partition, at, reader->diag);
}
