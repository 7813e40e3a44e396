/* Graphs drawn: pictures through Graphviz, and DOT that reads back. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/library_lock.h"
#include "core/text_escape.h"
#include "core/unconst.h"
#include "core/units.h"
#include "network/graph.h"
#include "report/pictures/graph_dot.h"
#include "report/pictures/graph_layout.h"
#include "report/pictures/graph_legend.h"
#include "report/pictures/graphviz_picture.h"

enum { MAX_NODES = 160, MAX_LINKS = 1600, MAX_OF_GRID = 1024 };

/* ---- pictures ---- */

struct picture {
    const struct orr_graph_view *view;
    struct net_graph graph; /* the drawn graph */
    struct orr_link_kinds kinds;
    struct orr_layout layout;
    struct orr_canvas canvas;
    struct orr_spot_node *node; /* [nodes] */
    const char *note;
};

/* Replaces control characters in names, which a picture cannot hold. */
static bool clean_names(struct net_graph *graph, struct orr_arena *arena)
{
    const char **name =
        graph->name == NULL ? NULL : orr_arena_array(arena, graph->nodes, sizeof *name);
    for (uint32_t i = 0; i < graph->nodes && name != NULL; i++) {
        char text[NET_NODE_BYTES];
        char *clean = orr_text_escape_copy(orr_net_node_name(graph, i, text), false);
        name[i] = clean == NULL ? NULL : orr_arena_strdup(arena, clean);
        orr_heap_free(clean);
        if (name[i] == NULL) {
            return false;
        }
    }
    const bool cleaned = graph->name == NULL || name != NULL;
    graph->name = name;
    return cleaned;
}

/* Size of the nodes [first, end), which fits the longest of their names. */
static struct orr_point node_size(const struct net_graph *graph, uint32_t first, uint32_t end)
{
    enum { POINTS = 9, MARGIN = 12, ROUND = 40 };
    double width = ORR_NPU_POINTS;
    for (uint32_t i = first; i < end; i++) {
        char name[NET_NODE_BYTES];
        width = fmax(width, orr_text_points(orr_net_node_name(graph, i, name), POINTS) + MARGIN);
    }
    return (struct orr_point){width, width <= ROUND ? width : ORR_SWITCH_POINTS};
}

static void add_nodes(struct picture *picture)
{
    const struct net_graph *graph = &picture->graph;
    const struct orr_point npus = node_size(graph, 0, graph->npus);
    const struct orr_point switches = node_size(graph, graph->npus, graph->nodes);
    for (uint32_t i = 0; i < graph->nodes; i++) {
        char name[NET_NODE_BYTES];
        const bool npu = i < graph->npus, server = i < graph->npus + graph->servers;
        const struct orr_spot spot = {.shape = ORR_SHAPE_NODE,
                                      .at = picture->layout.at[i],
                                      .width = npu ? npus.x : switches.x,
                                      .height = npu ? npus.y : ORR_SWITCH_POINTS,
                                      .box = !npu,
                                      .fill = npu      ? NULL
                                              : server ? "#1a936f"
                                                       : "#1f6fb4",
                                      .text = orr_net_node_name(graph, i, name)};
        picture->node[i] = orr_canvas_add(&picture->canvas, &spot);
    }
}

static void add_links(struct picture *picture)
{
    const struct net_graph *graph = &picture->graph;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        if (picture->kinds.two_way && link->from > link->to) {
            continue;
        }
        struct orr_wire wire = {.color = orr_link_color(&picture->kinds, link),
                                .arrow = !picture->kinds.two_way};
        if (picture->layout.is_grid) {
            wire.aside = orr_grid_aside(&picture->layout.grid, link->from, link->to);
        } else if (picture->layout.radius > 0) {
            wire.aside = orr_circle_aside(&picture->layout, graph->npus, link->from, link->to);
        }
        orr_canvas_wire(&picture->canvas, &picture->node[link->from], &picture->node[link->to],
                        &wire);
    }
}

/* Writes the names of the rows left of them. */
static void name_rows(struct picture *picture)
{
    const struct orr_layout *layout = &picture->layout;
    const double left = picture->canvas.left;
    for (uint32_t r = 0; r < layout->rows; r++) {
        const char *name = layout->row[r].name;
        const struct orr_spot spot = {
            .shape = ORR_SHAPE_TEXT,
            .at = {left - 20 - orr_text_points(name, 12) / 2, layout->row[r].at},
            .text = name};
        (void)orr_canvas_add(&picture->canvas, &spot);
    }
}

static enum orr_status out_of_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "the picture");
}

/* True if all nodes are drawn; grids stay readable at sizes that others do not. */
static bool draws_all(const struct net_graph *graph)
{
    uint32_t size[3];
    return graph->nodes <= MAX_OF_GRID && orr_grid_find(graph, size);
}

/* A graph for Graphviz's layout, with nodes of their size. */
static Agraph_t *graph_for_layout(const struct net_graph *graph, struct orr_point size)
{
    Agraph_t *dot = orr_graph_dot(graph, true);
    char width[ORR_FORMAT_BYTES], height[ORR_FORMAT_BYTES];
    (void)snprintf(width, sizeof width, "%.4f", (size.x + 8) / 72);
    (void)snprintf(height, sizeof height, "%.4f", (size.y + 8) / 72);
    if (dot != NULL && (agattr(dot, AGRAPH, orr_unconst("overlap"), orr_unconst("false")) == NULL ||
                        agattr(dot, AGNODE, orr_unconst("width"), width) == NULL ||
                        agattr(dot, AGNODE, orr_unconst("height"), height) == NULL)) {
        (void)agclose(dot);
        dot = NULL;
    }
    return dot;
}

/* To be called within the lock of libraries. */
static enum orr_status render(FILE *out, struct picture *picture, const char *format)
{
    struct orr_arena *arena = picture->view->arena;
    const struct orr_point size = node_size(&picture->graph, 0, picture->graph.nodes);
    Agraph_t *dot = graph_for_layout(&picture->graph, size);
    enum orr_status status =
        dot == NULL ? ORR_ERR_MEMORY
                    : orr_graph_compute_layout(&picture->graph, dot, size, arena, &picture->layout);
    if (dot != NULL) {
        (void)agclose(dot);
    }
    picture->node = orr_arena_array(arena, picture->graph.nodes, sizeof *picture->node);
    if (status == ORR_OK && (picture->node == NULL || !orr_canvas_open(&picture->canvas))) {
        status = ORR_ERR_MEMORY;
    }
    if (status == ORR_OK) {
        add_nodes(picture);
        add_links(picture);
        name_rows(picture);
        orr_graph_legend(&picture->canvas, picture->view, &picture->kinds, picture->note);
        status = picture->canvas.failed                                          ? ORR_ERR_MEMORY
                 : orr_picture_write(out, picture->canvas.graph, "nop2", format) ? ORR_OK
                                                                                 : ORR_ERR_IO;
    }
    if (picture->canvas.graph != NULL) {
        (void)agclose(picture->canvas.graph);
    }
    return status;
}

static enum orr_status draw(FILE *out, const struct orr_graph_view *view, const char *format,
                            char note[ORR_NOTE_BYTES], struct orr_diag *diag)
{
    struct picture picture = {
        .view = view, .graph = view->graph, .kinds = orr_link_kinds(&view->graph), .note = note};
    if ((view->graph.nodes > MAX_NODES || view->graph.links > 2 * MAX_LINKS) &&
        !draws_all(&view->graph) &&
        orr_graph_condense(view, MAX_NODES, &picture.graph, note) != ORR_OK) {
        return out_of_memory(diag);
    }
    if (!clean_names(&picture.graph, view->arena)) {
        return out_of_memory(diag);
    }
    orr_library_lock();
    const enum orr_status status = render(out, &picture, format);
    orr_library_unlock();
    return status == ORR_ERR_MEMORY ? out_of_memory(diag) : status;
}

/* ---- DOT ---- */

static enum orr_status write_dot(FILE *out, const struct orr_graph_view *view,
                                 struct orr_diag *diag)
{
    orr_library_lock();
    Agraph_t *dot = orr_graph_dot(&view->graph, !view->has_bandwidths);
    const bool written = dot != NULL && orr_picture_write(out, dot, NULL, "dot");
    if (dot != NULL) {
        (void)agclose(dot);
    }
    orr_library_unlock();
    return dot == NULL ? out_of_memory(diag) : written ? ORR_OK : ORR_ERR_IO;
}

/* Rejects what DOT cannot hold: bandwidths that are known only as multiples, and names that end
 * with a backslash, which libcgraph does not write readably. */
static enum orr_status check_dot(const struct orr_graph_view *view, struct orr_diag *diag)
{
    const struct net_graph *graph = &view->graph;
    for (uint32_t i = 0; i < graph->links && !view->has_bandwidths; i++) {
        if (!orr_same_speed(graph->link[i].bytes_per_s, graph->link[0].bytes_per_s)) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "%s is needed: not all links of %s are equally fast",
                                 view->bandwidth_name, view->name);
        }
    }
    for (uint32_t i = 0; i < graph->nodes && graph->name != NULL; i++) {
        const char *name = graph->name[i];
        if (name[0] != '\0' && name[strlen(name) - 1] == '\\') {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "DOT cannot hold a name that ends with a backslash, got \"%s\"",
                                 name);
        }
    }
    return ORR_OK;
}

/* libcgraph renames nodes whose names begin with '%', in pictures too. */
enum orr_status orr_graph_check_drawn(const struct orr_graph_view *view, const char *format,
                                      struct orr_diag *diag)
{
    const struct net_graph *graph = &view->graph;
    for (uint32_t i = 0; i < graph->nodes && graph->name != NULL; i++) {
        if (graph->name[i][0] == '%') {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "DOT cannot hold a name that begins with '%%', got \"%s\"",
                                 graph->name[i]);
        }
    }
    return strcmp(format, "dot") == 0 ? check_dot(view, diag) : ORR_OK;
}

enum orr_status orr_graph_draw(FILE *out, const struct orr_graph_view *view, const char *format,
                               char note[ORR_NOTE_BYTES], struct orr_diag *diag)
{
    note[0] = '\0';
    return strcmp(format, "dot") == 0 ? write_dot(out, view, diag)
                                      : draw(out, view, format, note, diag);
}
