/* Layout: positions for the nodes of a graph; see graph_layout.h. */
#include "report/pictures/graph_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "report/pictures/graphviz_picture.h"

enum { CIRCLE_NODES = 32, GRID_NODES = 1024, WIDE_GAP = 22, NARROW_GAP = 5 };

static const double pi = 3.14159265358979323846;

struct layout_state {
    const struct net_graph *graph;
    struct orr_arena *arena;
    struct orr_point node; /* width, height */
    struct orr_layout *layout;
    uint32_t *level; /* [nodes] links from the nearest NPU */
    uint32_t levels;
};

/* ---- circles ---- */

/* Distance between the centers of neighboring nodes, with a gap between them. */
static double center_distance(const struct layout_state *layout_state, double gap)
{
    return fmax(layout_state->node.x, layout_state->node.y) + gap;
}

/* The NPUs on a circle, in their order. */
static void place_circle(const struct layout_state *layout_state)
{
    const uint32_t npus = layout_state->graph->npus;
    const double step = center_distance(layout_state, WIDE_GAP);
    const double radius = npus > 1 ? fmax(step * npus / (2 * pi), step) : 0;
    for (uint32_t i = 0; i < npus; i++) {
        layout_state->layout->at[i] = orr_on_circle((struct orr_point){0, 0}, radius, i, npus);
    }
    layout_state->layout->radius = radius;
}

struct orr_point orr_circle_aside(const struct orr_layout *layout, uint32_t npus, uint32_t from,
                                  uint32_t to)
{
    enum { LARGE = 24 };
    const struct orr_point straight = {0, 0};
    const uint32_t apart = from > to ? from - to : to - from;
    const uint32_t jump = apart < npus - apart ? apart : npus - apart;
    if (npus < LARGE || from >= npus || to >= npus || jump < 2) {
        return straight;
    }
    const double half = pi * jump / npus, chord = layout->radius * (1 - cos(half));
    const double deeper = 0.55 * layout->radius * pow(sin(half), 0.6) - chord;
    const struct orr_point middle = {(layout->at[from].x + layout->at[to].x) / 2,
                                     (layout->at[from].y + layout->at[to].y) / 2};
    const double away = hypot(middle.x, middle.y);
    if (deeper <= 0 || away <= 0) {
        return straight;
    }
    const double bend = deeper / 0.75 / away; /* the curve goes 3/4 of the way to its controls */
    return (struct orr_point){-bend * middle.x, -bend * middle.y};
}

/* True if the nodes from `first` on are a circulant graph: a shift by one node maps links to links,
 * because each jump has no link, or as many as there are nodes. */
static bool is_circulant(const struct layout_state *layout_state, uint32_t first)
{
    const struct net_graph *graph = layout_state->graph;
    const uint32_t count = graph->nodes - first;
    uint32_t *jump = orr_arena_array(layout_state->arena, count, sizeof *jump);
    bool is = jump != NULL;
    for (uint32_t i = 0; is && i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        if (link->from >= first && link->to >= first) {
            jump[(link->to + count - link->from) % count]++;
        }
    }
    for (uint32_t j = 0; is && j < count; j++) {
        is = jump[j] == 0 || jump[j] == count;
    }
    return is;
}

/* The switch or server that an NPU is attached to by its only link; else the NPU itself. */
static uint32_t holder_of(const struct net_graph *graph, uint32_t npu)
{
    const uint32_t out = graph->first_out[npu];
    const bool one = graph->first_out[npu + 1] - out == 1;
    return one && graph->link[out].to >= graph->npus ? graph->link[out].to : npu;
}

/* True if the nodes that NPUs are attached to are a circulant, with equally many NPUs each, in
 * order. */
static bool is_circle_of_groups(const struct layout_state *layout_state)
{
    const struct net_graph *graph = layout_state->graph;
    const uint32_t groups = graph->nodes - graph->npus;
    bool is = groups > 1 && graph->npus % groups == 0;
    for (uint32_t i = 0; is && i < graph->npus; i++) {
        is = holder_of(graph, i) == graph->npus + i / (graph->npus / groups);
    }
    return is && is_circulant(layout_state, graph->npus);
}

/* Places the NPUs of each group on an outer circle around their node. */
static void place_groups(const struct layout_state *layout_state)
{
    const struct net_graph *graph = layout_state->graph;
    struct orr_point *at = layout_state->layout->at;
    const uint32_t groups = graph->nodes - graph->npus, size = graph->npus / groups;
    const double close = center_distance(layout_state, NARROW_GAP);
    const double inner = center_distance(layout_state, WIDE_GAP) * groups / (2 * pi);
    const double outer = fmax(inner + 3 * close, close * graph->npus / (2 * pi));
    for (uint32_t i = 0; i < graph->npus; i++) {
        at[i] = orr_on_circle((struct orr_point){0, 0}, outer, i, graph->npus);
    }
    for (uint32_t g = 0; g < groups; g++) { /* in the direction of the middle of its NPUs */
        const struct orr_point *first = &at[g * size], *last = &at[g * size + size - 1];
        const double x = first->x + last->x, y = first->y + last->y;
        const double radius = fmax(inner, outer - 5 * close) / hypot(x, y);
        at[graph->npus + g] = (struct orr_point){x * radius, y * radius};
    }
}

/* ---- rows ---- */

static bool find_levels(struct layout_state *layout_state)
{
    const struct net_graph *graph = layout_state->graph;
    uint32_t *queue = orr_arena_array(layout_state->arena, graph->nodes, sizeof *queue);
    uint32_t tail = graph->npus;
    layout_state->level =
        orr_arena_array(layout_state->arena, graph->nodes, sizeof *layout_state->level);
    if (queue == NULL || layout_state->level == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->npus; i++) {
        queue[i] = i;
    }
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t node = queue[head];
        for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
            const uint32_t to = graph->link[i].to;
            if (to >= graph->npus && layout_state->level[to] == 0) {
                layout_state->level[to] = layout_state->level[node] + 1;
                layout_state->levels = layout_state->level[to] + 1;
                queue[tail++] = to;
            }
        }
    }
    return true;
}

static bool is_tree(const struct layout_state *layout_state)
{
    const struct net_graph *graph = layout_state->graph;
    bool is = layout_state->levels > 1 && layout_state->levels <= ORR_MAX_ROWS;
    for (uint32_t i = 0; is && i < graph->links; i++) {
        is = layout_state->level[graph->link[i].from] != layout_state->level[graph->link[i].to];
    }
    return is;
}

/* A node of a row, and the mean position of its neighbors in the row below (barycenter). */
struct in_row {
    double below;
    uint32_t node;
};

static int compare_positions(const void *a, const void *b)
{
    const struct in_row *first = a, *second = b;
    if (fabs(first->below - second->below) > 1e-6) {
        return first->below < second->below ? -1 : 1;
    }
    return (first->node > second->node) - (first->node < second->node);
}

static double mean_below(const struct layout_state *layout_state, uint32_t node)
{
    const struct net_graph *graph = layout_state->graph;
    double sum = 0, count = 0;
    for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
        const uint32_t to = graph->link[i].to;
        if (layout_state->level[to] + 1 == layout_state->level[node]) {
            sum += layout_state->layout->at[to].x;
            count++;
        }
    }
    return count > 0 ? sum / count : node; /* NPUs: in their order */
}

/* Places the nodes of a row evenly over the width. */
static void place_row(const struct layout_state *layout_state, uint32_t level, double width,
                      double height, struct in_row *row)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout_state->graph->nodes; i++) {
        if (layout_state->level[i] == level) {
            row[count++] = (struct in_row){.below = mean_below(layout_state, i), .node = i};
        }
    }
    qsort(row, count, sizeof *row, compare_positions);
    for (uint32_t i = 0; i < count; i++) {
        layout_state->layout->at[row[i].node] =
            (struct orr_point){(i + 0.5) * width / count, level * height};
    }
}

static const char *name_of_row(const struct layout_state *layout_state, uint32_t level)
{
    static const char *const names[][3] = {
        {"switches"},
        {"leaf switches", "spine switches"},
        {"edge switches", "aggregation switches", "core switches"}};
    const struct net_graph *graph = layout_state->graph;
    const uint32_t above = layout_state->levels - 1; /* rows of switches */
    for (uint32_t i = graph->npus; i < graph->npus + graph->servers; i++) {
        if (layout_state->level[i] == level) {
            return "servers";
        }
    }
    if (level == 0) {
        return "NPUs";
    }
    const bool known = above <= 3 && graph->servers == 0;
    return known ? names[above - 1][level - 1]
                 : orr_arena_printf(layout_state->arena, "switches, level %u", (unsigned)level);
}

static bool place_rows(const struct layout_state *layout_state)
{
    uint32_t max = 0,
             *count = orr_arena_array(layout_state->arena, layout_state->levels, sizeof *count);
    struct in_row *row =
        orr_arena_array(layout_state->arena, layout_state->graph->nodes, sizeof *row);
    struct orr_layout *layout = layout_state->layout;
    if (count == NULL || row == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < layout_state->graph->nodes; i++) {
        const uint32_t level = layout_state->level[i];
        max = ++count[level] > max ? count[level] : max;
    }
    const double width = max * (layout_state->node.x + 14);
    const double height = fmax(80, fmin(width / 8, 180));
    layout->rows = layout_state->levels;
    for (uint32_t level = 0; level < layout_state->levels; level++) {
        place_row(layout_state, level, width, height, row);
        layout->row[level] =
            (struct orr_row){.name = name_of_row(layout_state, level), .at = level * height};
        if (layout->row[level].name == NULL) {
            return false;
        }
    }
    return true;
}

/* ---- the layout ---- */

static enum orr_status place_by_forces(const struct layout_state *layout_state, Agraph_t *dot)
{
    return orr_picture_positions(dot, "sfdp", layout_state->layout->at) ? ORR_OK : ORR_ERR_IO;
}

static void place_grid(const struct layout_state *layout_state, const uint32_t size[3])
{
    struct orr_layout *layout = layout_state->layout;
    layout->is_grid = true;
    layout->grid = orr_grid(size, layout_state->node.x, layout_state->node.y);
    for (uint32_t i = 0; i < layout_state->graph->npus; i++) {
        layout->at[i] = orr_grid_at(&layout->grid, i);
    }
}

enum orr_status orr_graph_compute_layout(const struct net_graph *graph, Agraph_t *dot,
                                         struct orr_point node, struct orr_arena *arena,
                                         struct orr_layout *layout)
{
    struct layout_state layout_state = {
        .graph = graph, .arena = arena, .node = node, .layout = layout};
    const uint32_t switches = graph->nodes - graph->npus;
    uint32_t size[3];
    *layout = (struct orr_layout){.at = orr_arena_array(arena, graph->nodes, sizeof *layout->at)};
    if (layout->at == NULL || !find_levels(&layout_state)) {
        return ORR_ERR_MEMORY;
    }
    if (switches == 1) {
        place_circle(&layout_state);
        return ORR_OK;
    }
    if (switches > 0 && is_tree(&layout_state)) {
        return place_rows(&layout_state) ? ORR_OK : ORR_ERR_MEMORY;
    }
    if (graph->nodes <= GRID_NODES && orr_grid_find(graph, size)) {
        place_grid(&layout_state, size);
        return ORR_OK;
    }
    if (switches == 0 && (graph->npus <= CIRCLE_NODES || is_circulant(&layout_state, 0))) {
        place_circle(&layout_state);
        return ORR_OK;
    }
    if (is_circle_of_groups(&layout_state)) {
        place_groups(&layout_state);
        return ORR_OK;
    }
    return dot != NULL ? place_by_forces(&layout_state, dot) : ORR_OK;
}
