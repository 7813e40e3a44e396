/* Deaths of links that part a graph for good, where messages are to go around what has died: an
 * error, since what goes from one side to the other would wait for ever. */
#include <inttypes.h>
#include <stdio.h>

#include "network/read/graph_read_private.h"
#include "network/routing/routing.h"

enum { SIDE_BYTES = 96 };

struct parting {
    const struct net_graph *graph;
    struct net_reverse reverse;
    bool *closed;          /* [links] */
    bool *reached, *apart; /* [nodes] */
    uint32_t *queue;       /* [nodes] */
};

/* The links after the first `changes` of the graph's. */
static void close_links(struct parting *parting, uint32_t changes)
{
    const struct net_graph *graph = parting->graph;
    for (uint32_t i = 0; i < graph->links; i++) {
        parting->closed[i] = false;
    }
    for (uint32_t i = 0; i < changes; i++) {
        const struct net_change *change = &graph->change[i];
        parting->closed[change->link] = !(change->bytes_per_s * change->working > 0);
    }
}

/* Marks the nodes that NPU 0 reaches, or that reach it. */
static void reach(struct parting *parting, bool back)
{
    const struct net_graph *graph = parting->graph;
    const uint32_t *first = back ? parting->reverse.first_in : graph->first_out;
    uint32_t tail = 1;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        parting->reached[n] = n == 0;
    }
    parting->queue[0] = 0;
    for (uint32_t head = 0; head < tail; head++) {
        for (uint32_t i = first[parting->queue[head]]; i < first[parting->queue[head] + 1]; i++) {
            const uint32_t link = back ? parting->reverse.in[i] : i;
            const uint32_t other = back ? graph->link[link].from : graph->link[link].to;
            if (!parting->closed[link] && !parting->reached[other]) {
                parting->reached[other] = true;
                parting->queue[tail++] = other;
            }
        }
    }
}

/* Marks the NPUs that are apart from NPU 0; whether there are any. */
static bool is_parted(struct parting *parting, uint32_t changes)
{
    bool any = false;
    close_links(parting, changes);
    for (uint32_t n = 0; n < parting->graph->npus; n++) {
        parting->apart[n] = false;
    }
    for (unsigned back = 0; back < 2; back++) {
        reach(parting, back != 0);
        for (uint32_t n = 0; n < parting->graph->npus; n++) {
            parting->apart[n] = parting->apart[n] || !parting->reached[n];
            any = any || parting->apart[n];
        }
    }
    return any;
}

/* "0-3,8" of the NPUs of one side. */
static const char *side_of(const struct parting *parting, bool apart, char *text)
{
    const uint32_t npus = parting->graph->npus;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t from = 0; from < npus; from++) {
        uint32_t to = from;
        if (parting->apart[from] != apart) {
            continue;
        }
        while (to + 1 < npus && parting->apart[to + 1] == apart) {
            to++;
        }
        const char *joint = used == 0 ? "" : ",";
        if (used + 32 > SIDE_BYTES) {
            (void)snprintf(text + used, SIDE_BYTES - used, "%s...", joint);
            break;
        }
        used += (size_t)snprintf(text + used, SIDE_BYTES - used, "%s%" PRIu32, joint, from);
        if (to > from) {
            used += (size_t)snprintf(text + used, SIDE_BYTES - used, "-%" PRIu32, to);
        }
        from = to;
    }
    return text;
}

static enum orr_status fail(struct parting *parting, const struct orr_conf *at,
                            struct orr_diag *diag)
{
    const struct net_graph *graph = parting->graph;
    char one[SIDE_BYTES], other[SIDE_BYTES], time[64];
    uint32_t last = graph->changes;
    while (last > 1 && is_parted(parting, last - 1)) {
        last--;
    }
    (void)is_parted(parting, graph->changes);
    const struct orr_location place = orr_conf_location(at);
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, &place,
        "%s: from %s on, and for good, the NPUs %s have no way to the NPUs %s, or none back; "
        "expected deaths that leave all NPUs joined, or links that come back",
        at->path, orr_format_time(graph->change[last - 1].time_ps, time, sizeof time),
        side_of(parting, false, one), side_of(parting, true, other));
}

enum orr_status orr_graph_check_partition(const struct graph_reader *reader,
                                          const struct net_graph *graph, const struct orr_conf *at)
{
    struct orr_arena *arena = reader->arena;
    struct parting parting = {.graph = graph,
                              .closed =
                                  orr_arena_array(arena, (size_t)graph->links + 1, sizeof(bool)),
                              .reached = orr_arena_array(arena, graph->nodes, sizeof(bool)),
                              .apart = orr_arena_array(arena, graph->nodes, sizeof(bool)),
                              .queue = orr_arena_array(arena, graph->nodes, sizeof(uint32_t))};
    if (parting.closed == NULL || parting.reached == NULL || parting.apart == NULL ||
        parting.queue == NULL) {
        return orr_diag_no_memory(reader->diag, "the changes of the network");
    }
    const enum orr_status status =
        orr_net_graph_reverse(graph, arena, &parting.reverse, reader->diag);
    if (status != ORR_OK || !is_parted(&parting, graph->changes)) {
        return status;
    }
    return fail(&parting, at, reader->diag);
}
