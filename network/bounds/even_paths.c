/* Dijkstra's algorithm with a binary heap, and even splits; see even_paths.h. */
#include "network/bounds/even_paths.h"

#include "core/arena.h"

static bool index_arcs(struct even_paths *paths, struct orr_arena *arena)
{
    const struct cap_graph *graph = paths->graph;
    uint32_t *out = orr_arena_array(arena, (size_t)graph->nodes + 2, sizeof *out);
    uint32_t *in = orr_arena_array(arena, (size_t)graph->nodes + 2, sizeof *in);
    uint32_t *arc = orr_arena_array(arena, (size_t)graph->arcs + 1, sizeof *arc);
    if (out == NULL || in == NULL || arc == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->arcs; i++) {
        out[graph->arc[i].from + 1]++;
        in[graph->arc[i].to + 2]++;
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        out[n + 1] += out[n];
        in[n + 2] += in[n + 1];
    }
    for (uint32_t i = 0; i < graph->arcs; i++) {
        arc[in[graph->arc[i].to + 1]++] = i;
    }
    paths->first_out = out;
    paths->first_in = in;
    paths->in_arc = arc;
    return true;
}

enum orr_status orr_even_paths_make(struct even_paths *out, const struct cap_graph *graph,
                                    struct orr_arena *arena)
{
    *out = (struct even_paths){.graph = graph};
    out->distance = orr_arena_array(arena, graph->nodes, sizeof *out->distance);
    out->order = orr_arena_array(arena, graph->nodes, sizeof *out->order);
    out->place = orr_arena_array(arena, graph->nodes, sizeof *out->place);
    out->amount = orr_arena_array(arena, graph->nodes, sizeof *out->amount);
    out->heap = orr_arena_array(arena, (size_t)graph->arcs + 1, sizeof *out->heap);
    return index_arcs(out, arena) && out->distance != NULL && out->order != NULL &&
                   out->place != NULL && out->amount != NULL && out->heap != NULL
               ? ORR_OK
               : ORR_ERR_MEMORY;
}

/* ---- the heap: equal distances by node, so that results do not depend on it ---- */

static bool is_before(struct even_entry a, struct even_entry b)
{
    return a.distance < b.distance || (!(b.distance < a.distance) && a.node < b.node);
}

static void push(struct even_entry *heap, uint32_t *count, struct even_entry entry)
{
    uint32_t at = (*count)++;
    for (; at > 0 && is_before(entry, heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = entry;
}

static struct even_entry pop(struct even_entry *heap, uint32_t *count)
{
    const struct even_entry top = heap[0], last = heap[--*count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < *count; child = 2 * at + 1) {
        child += child + 1 < *count && is_before(heap[child + 1], heap[child]);
        if (!is_before(heap[child], last)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* ---- distances ---- */

static void relax(struct even_paths *paths, uint32_t node, const double *length, uint32_t *count)
{
    for (uint32_t i = paths->first_out[node]; i < paths->first_out[node + 1]; i++) {
        const uint32_t to = paths->graph->arc[i].to;
        const double distance = paths->distance[node] + length[i];
        if (distance < paths->distance[to]) {
            paths->distance[to] = distance;
            push(paths->heap, count, (struct even_entry){distance, to});
        }
    }
}

double orr_even_paths_search(struct even_paths *paths, uint32_t source, const double *length)
{
    const struct cap_graph *graph = paths->graph;
    uint32_t count = 0;
    double sum = 0;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        paths->distance[n] = EVEN_UNREACHED;
        paths->place[n] = UINT32_MAX;
    }
    paths->settled = 0;
    paths->distance[source] = 0;
    push(paths->heap, &count, (struct even_entry){0, source});
    while (count > 0) {
        const uint32_t node = pop(paths->heap, &count).node;
        if (paths->place[node] == UINT32_MAX) {
            paths->place[node] = paths->settled;
            paths->order[paths->settled++] = node;
            relax(paths, node, length, &count);
        }
    }
    for (uint32_t n = 0; n < graph->npus; n++) {
        sum += paths->distance[n];
    }
    return sum;
}

/* ---- loads ---- */

/* Whether the arc ends a shortest path; arcs of no length lead to nodes settled later. */
static bool is_tight(const struct even_paths *paths, uint32_t arc, const double *length)
{
    const uint32_t from = paths->graph->arc[arc].from, to = paths->graph->arc[arc].to;
    return paths->place[from] < paths->place[to] &&
           paths->distance[from] + length[arc] <= paths->distance[to] * (1 + 1e-12);
}

/* Splits what ends at or passes the node over the arcs by which it comes. */
static void split(struct even_paths *paths, uint32_t node, const double *length, double *load)
{
    const struct cap_graph *graph = paths->graph;
    double capacity = 0;
    for (uint32_t i = paths->first_in[node]; i < paths->first_in[node + 1]; i++) {
        const uint32_t arc = paths->in_arc[i];
        capacity += is_tight(paths, arc, length) ? (double)graph->arc[arc].capacity : 0;
    }
    for (uint32_t i = paths->first_in[node]; i < paths->first_in[node + 1]; i++) {
        const uint32_t arc = paths->in_arc[i];
        if (is_tight(paths, arc, length)) {
            const double part = paths->amount[node] * (double)graph->arc[arc].capacity / capacity;
            load[arc] += part;
            paths->amount[graph->arc[arc].from] += part;
        }
    }
}

void orr_even_paths_add_load(struct even_paths *paths, const double *length, double *load)
{
    for (uint32_t n = 0; n < paths->graph->nodes; n++) {
        paths->amount[n] = n < paths->graph->npus ? 1 : 0;
    }
    for (uint32_t i = paths->settled; i-- > 1;) {
        split(paths, paths->order[i], length, load);
    }
}
