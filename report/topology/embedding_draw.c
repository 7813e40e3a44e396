/* Pictures of trees and rings on a graph: tori as grids, trees of switches in rows, all others with
 * NPUs in a circle and switches in the middle. Each tree or ring has a color, with arrows towards
 * the root or along the ring. Hops of detours are dashed, the NPUs that forward them are filled,
 * unused links are gray. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/library_lock.h"
#include "core/text_escape.h"
#include "core/unconst.h"
#include "core/units.h"
#include "network/graph.h"
#include "report/pictures/graph_layout.h"
#include "report/pictures/graphviz_picture.h"
#include "report/pictures/pictures.h"
#include "report/pictures/topo_canvas.h"
#include "report/topology/embedding_report.h"

enum { MAX_NODES = 160, TITLE_BYTES = 512 };

struct drawing {
    const struct orr_embedding *embedding;
    const struct net_graph *graph;
    Agraph_t *dot;
    uint32_t *used;           /* [links] edges so far, both directions at one link */
    struct orr_layout layout; /* of grids and rows */
    bool failed;
};

static void set(struct drawing *drawing, void *object, const char *name, const char *value)
{
    drawing->failed = drawing->failed || agset(object, orr_unconst(name), orr_unconst(value)) != 0;
}

static bool declare(Agraph_t *dot, const char *title)
{
    const struct {
        int of;
        const char *name, *value;
    } defaults[] = {{AGRAPH, "label", title},
                    {AGRAPH, "labelloc", "b"},
                    {AGRAPH, "fontname", "Helvetica"},
                    {AGRAPH, "fontsize", "12"},
                    {AGRAPH, "outputorder", "edgesfirst"},
                    {AGRAPH, "splines", "true"},
                    {AGRAPH, "bgcolor", "white"},
                    {AGRAPH, "pad", "0.2"},
                    {AGNODE, "shape", "circle"},
                    {AGNODE, "style", "filled"},
                    {AGNODE, "fillcolor", "white"},
                    {AGNODE, "fontname", "Helvetica"},
                    {AGNODE, "fontsize", "11"},
                    {AGNODE, "margin", "0.03"},
                    {AGNODE, "width", "0.4"},
                    {AGNODE, "height", "0.4"},
                    {AGNODE, "label", "\\N"},
                    {AGNODE, "pos", ""},
                    {AGEDGE, "color", "#c8ccd0"},
                    {AGEDGE, "style", "solid"},
                    {AGEDGE, "penwidth", "1"},
                    {AGEDGE, "arrowhead", "normal"},
                    {AGEDGE, "arrowsize", "0.6"},
                    {AGEDGE, "label", ""},
                    {AGEDGE, "fontname", "Helvetica"},
                    {AGEDGE, "fontsize", "8"}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        if (agattr(dot, defaults[i].of, orr_unconst(defaults[i].name),
                   orr_unconst(defaults[i].value)) == NULL) {
            return false;
        }
    }
    return true;
}

/* ---- nodes ---- */

static Agnode_t *node_of(struct drawing *drawing, uint32_t node)
{
    char name[NET_NODE_BYTES];
    return agnode(drawing->dot, orr_unconst(orr_net_node_name(drawing->graph, node, name)), 1);
}

static void add_node(struct drawing *drawing, uint32_t node)
{
    const struct net_graph *graph = drawing->graph;
    const bool is_switch = node >= graph->npus;
    const uint32_t count = is_switch ? graph->nodes - graph->npus : graph->npus;
    const double outer = 60 + 10.0 * graph->npus;
    const double radius = !is_switch ? outer : count == 1 ? 0 : outer / 2;
    char text[2 * ORR_FORMAT_BYTES];
    Agnode_t *at = node_of(drawing, node);
    const bool is_laid_out = drawing->layout.is_grid || drawing->layout.rows > 0;
    const struct orr_point point =
        is_laid_out ? drawing->layout.at[node]
                    : orr_on_circle((struct orr_point){0, 0}, radius,
                                    is_switch ? node - graph->npus : node, count);
    if (at == NULL) {
        drawing->failed = true;
        return;
    }
    (void)snprintf(text, sizeof text, "%.2f,%.2f", point.x, point.y);
    set(drawing, at, "pos", text);
    if (is_switch) {
        set(drawing, at, "shape", "box");
        set(drawing, at, "fillcolor", "#e4e8ec");
    }
}

/* ---- lines ---- */

struct edge_line {
    uint32_t link, color;
    bool dashed;
};

static void add_line(struct drawing *drawing, const struct edge_line *edge_line)
{
    const struct net_link *link = &drawing->graph->link[edge_line->link];
    Agnode_t *from = node_of(drawing, link->from), *to = node_of(drawing, link->to);
    Agedge_t *edge = from == NULL || to == NULL ? NULL : agedge(drawing->dot, from, to, NULL, 1);
    if (edge == NULL) {
        drawing->failed = true;
        return;
    }
    set(drawing, edge, "color", orr_dim_color(edge_line->color));
    set(drawing, edge, "penwidth", "1.8");
    set(drawing, edge, "style", edge_line->dashed ? "dashed" : "solid");
    drawing->used[edge_line->link]++;
}

static void add_tree_lines(struct drawing *drawing)
{
    const struct sys_trees *trees = &drawing->embedding->trees;
    for (uint32_t c = 0; c < trees->channels; c++) {
        const struct net_channel *channel = &trees->channel[c];
        for (uint32_t h = 0; h < channel->hops && !trees->edge[c].down; h++) {
            const uint32_t over = orr_embedding_hop_node(drawing->graph, channel, h);
            const struct edge_line edge_line = {.link = channel->hop[h].link,
                                                .color = trees->edge[c].tree,
                                                .dashed = channel->hops > 1};
            add_line(drawing, &edge_line);
            if (h > 0 && over < drawing->graph->npus) {
                set(drawing, node_of(drawing, over), "fillcolor", "#ffe08a");
            }
        }
    }
}

static void mark_roots(struct drawing *drawing)
{
    const struct sys_trees *trees = &drawing->embedding->trees;
    for (uint32_t t = 0; t < trees->trees; t++) {
        Agnode_t *root = node_of(drawing, trees->npu[trees->tree[t].root]);
        set(drawing, root, "shape", "doublecircle");
    }
}

/* Draws only the first of a ring and its reverse; a ring of two members has no reverse. */
static void add_ring_lines(struct drawing *drawing)
{
    const struct sys_rings *rings = &drawing->embedding->rings;
    const uint32_t step = rings->n > 2 ? 2 : 1;
    for (uint32_t r = 0; r < rings->rings; r += step) {
        const uint32_t *order = rings->order + (size_t)r * rings->n;
        for (uint32_t i = 0; i < rings->n; i++) {
            const uint32_t from = rings->npu[order[i]], to = rings->npu[order[(i + 1) % rings->n]];
            add_line(drawing,
                     &(struct edge_line){.link = orr_net_graph_find(drawing->graph, from, to),
                                         .color = r / step});
        }
    }
}

/* Draws the pairs of opposite links that no edge uses. */
static void add_unused(struct drawing *drawing)
{
    const struct net_graph *graph = drawing->graph;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const uint32_t back = orr_net_graph_find(graph, link->to, link->from);
        if (back != NET_NO_LINK && link->from > link->to) {
            continue;
        }
        const uint32_t used = drawing->used[i] + (back != NET_NO_LINK ? drawing->used[back] : 0);
        for (uint32_t lane = used; lane < link->count && lane < used + 8; lane++) {
            Agedge_t *edge = agedge(drawing->dot, node_of(drawing, link->from),
                                    node_of(drawing, link->to), NULL, 1);
            if (edge == NULL) {
                drawing->failed = true;
                return;
            }
            set(drawing, edge, "arrowhead", back != NET_NO_LINK ? "none" : "normal");
        }
    }
}

/* ---- the picture ---- */

static void make_title(const struct orr_embedding *embedding, char title[TITLE_BYTES])
{
    char name[TITLE_BYTES / 2];
    (void)orr_text_escape(orr_picture_title(embedding->view->name), false, name, sizeof name);
    if (embedding->is_rings) {
        (void)snprintf(title, TITLE_BYTES, "%.200s: %" PRIu32 " rings, each drawn one way", name,
                       embedding->rings.rings);
    } else {
        (void)snprintf(title, TITLE_BYTES,
                       "%.200s: %" PRIu32 " trees, towards their roots; %" PRIu32
                       " detours (dashed); %" PRIu32 " conflicts",
                       name, embedding->trees.trees, embedding->trees.detours,
                       embedding->trees.conflicts);
    }
    for (char *c = title; *c != '\0'; c++) {
        *c = *c == '\\' ? '/' : *c;
    }
}

static void draw_all(struct drawing *drawing)
{
    for (uint32_t i = 0; i < drawing->graph->nodes && !drawing->failed; i++) {
        add_node(drawing, i);
    }
    if (!drawing->failed && drawing->embedding->is_rings) {
        add_ring_lines(drawing);
    } else if (!drawing->failed) {
        add_tree_lines(drawing);
        mark_roots(drawing);
    }
    if (!drawing->failed) {
        add_unused(drawing);
    }
}

/* To be called within the lock of libraries. */
static enum orr_status render(struct drawing *drawing, FILE *out, const char *format)
{
    char title[TITLE_BYTES];
    make_title(drawing->embedding, title);
    drawing->dot = agopen(orr_unconst("embedding"), Agdirected, NULL);
    if (drawing->dot == NULL) {
        return ORR_ERR_MEMORY;
    }
    drawing->failed = !declare(drawing->dot, title);
    if (!drawing->failed) {
        draw_all(drawing);
    }
    const bool drawn = !drawing->failed && orr_picture_write(out, drawing->dot, "nop", format);
    (void)agclose(drawing->dot);
    return drawing->failed ? ORR_ERR_MEMORY : drawn ? ORR_OK : ORR_ERR_IO;
}

enum orr_status orr_embedding_draw(FILE *out, const struct orr_embedding *embedding,
                                   const char *format, struct orr_diag *diag)
{
    const struct net_graph *graph = &embedding->view->graph;
    struct drawing drawing = {.embedding = embedding, .graph = graph};
    enum orr_status status = orr_graph_check_drawn(embedding->view, "svg", diag);
    if (status != ORR_OK) {
        return status;
    }
    if (graph->nodes > MAX_NODES) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "a picture of trees and rings: expected at most %d nodes, got %" PRIu32, MAX_NODES,
            graph->nodes);
    }
    drawing.used =
        orr_arena_array(embedding->view->arena, (size_t)graph->links + 1, sizeof *drawing.used);
    if (drawing.used == NULL) {
        return orr_diag_no_memory(diag, "the picture");
    }
    status = orr_graph_compute_layout(graph, NULL, (struct orr_point){44, 44},
                                      embedding->view->arena, &drawing.layout);
    if (status != ORR_OK) {
        return orr_diag_no_memory(diag, "the picture");
    }
    orr_library_lock();
    status = render(&drawing, out, format);
    orr_library_unlock();
    return status == ORR_ERR_MEMORY ? orr_diag_no_memory(diag, "the picture")
           : status == ORR_ERR_IO
               ? orr_diag_fail(diag, ORR_ERR_IO, NULL, "the picture cannot be written")
               : status;
}
