/* Paths of capacity between nodes; see forest_private.h. */
#include <string.h>

#include "core/arena.h"
#include "network/bounds/forest_private.h"

static bool add_hops(struct forest_graph *graph, struct net_forest_path path)
{
    uint32_t *hop = orr_arena_grow(graph->arena, graph->hop, &graph->hop_alloc,
                                   graph->hops + path.hops, sizeof *hop);
    if (hop == NULL) {
        return false;
    }
    graph->hop = hop;
    memmove(hop + graph->hops, hop + path.first, path.hops * sizeof *hop);
    graph->hops += path.hops;
    return true;
}

bool orr_forest_add_item(struct forest_graph *graph, size_t pair, uint64_t units,
                         struct net_forest_path a, struct net_forest_path b)
{
    const struct net_forest_path path = {(uint32_t)graph->hops, a.hops + b.hops};
    struct forest_item *items = orr_arena_grow(graph->arena, graph->items, &graph->item_alloc,
                                               graph->item_count + 1, sizeof *items);
    if (items == NULL || graph->hops + path.hops > UINT32_MAX || !add_hops(graph, a) ||
        !add_hops(graph, b)) {
        return false;
    }
    graph->items = items;
    items[graph->item_count] =
        (struct forest_item){.units = units, .next = graph->item[pair], .path = path};
    graph->item[pair] = (uint32_t)graph->item_count++;
    graph->capacity[pair] += units;
    return true;
}

uint64_t orr_forest_take_item(struct forest_graph *graph, size_t pair, uint64_t units,
                              struct net_forest_path *path)
{
    struct forest_item *item = &graph->items[graph->item[pair]];
    const uint64_t taken = item->units < units ? item->units : units;
    *path = item->path;
    item->units -= taken;
    graph->capacity[pair] -= taken;
    if (item->units == 0) {
        graph->item[pair] = item->next;
    }
    return taken;
}
