/* The controller of scheduled changes (network.changes). */
#include <inttypes.h>

#include "core/units.h"
#include "network/capacity_changes.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/optical/control.h"

struct schedule {
    struct net *net;
    const struct net_graph *graph;
    struct net_capacity *capacity; /* storage for the changes of one instant */
    uint32_t next;                 /* index in the graph's changes */
};

static sim_time schedule_next(const void *self)
{
    const struct schedule *schedule = self;
    return schedule->next < schedule->graph->changes
               ? schedule->graph->change[schedule->next].time_ps
               : ORR_TIME_MAX;
}

/* Applies all changes of an instant as one batch. */
static bool schedule_act(void *self, sim_time now)
{
    struct schedule *schedule = self;
    const struct net_graph *graph = schedule->graph;
    struct net_batch batch = {.capacity = schedule->capacity, .reroutes = graph->reroutes};
    for (; schedule_next(schedule) <= now && schedule->next < graph->changes; schedule->next++) {
        const struct net_change *change = &graph->change[schedule->next];
        schedule->capacity[batch.count++] = (struct net_capacity){
            .link = change->link, .lanes = change->working, .bytes_per_s = change->bytes_per_s};
    }
    schedule->net->ops->capacities->set(schedule->net, &batch);
    return true;
}

static void schedule_describe(const void *self, struct orr_diag *diag)
{
    const struct schedule *schedule = self;
    const struct net_graph *graph = schedule->graph;
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES], at[64];
    if (schedule->next == 0) {
        return;
    }
    const struct net_change *last = &graph->change[schedule->next - 1];
    const struct net_link *link = &graph->link[last->link];
    orr_diag_append(
        diag,
        "\n  network.changes last set the link from %s to %s, at %s: %" PRIu32 " of %" PRIu32
        " with %.6g GB/s; %s",
        orr_net_node_name(graph, link->from, from), orr_net_node_name(graph, link->to, to),
        orr_format_time(last->time_ps, at, sizeof at), last->working, link->count,
        last->bytes_per_s / 1e9,
        schedule->next < graph->changes ? "more changes follow" : "it was the last change");
}

static const struct net_controller_ops schedule_ops = {
    .name = "changes", .next = schedule_next, .act = schedule_act, .describe = schedule_describe};

enum orr_status orr_net_schedule_create(struct net_controller *out, struct net *net,
                                        struct orr_arena *arena, struct orr_diag *diag)
{
    const struct net_graph *graph = net->config->graph;
    if (graph->changes == 0) {
        return ORR_OK;
    }
    struct schedule *schedule = orr_arena_alloc(arena, sizeof *schedule);
    struct net_capacity *capacity = orr_arena_array(arena, graph->changes, sizeof *capacity);
    if (schedule == NULL || capacity == NULL) {
        return orr_diag_no_memory(diag, "the changes of the network");
    }
    *schedule = (struct schedule){.net = net, .graph = graph, .capacity = capacity};
    *out = (struct net_controller){.ops = &schedule_ops, .self = schedule};
    return ORR_OK;
}
