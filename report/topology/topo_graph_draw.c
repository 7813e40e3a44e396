/* Graphs drawn: pictures through Graphviz, and DOT that reads back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/topology/graph_dot.h"
#include "report/topology/picture.h"
#include "report/topology/topo_canvas.h"

enum {
    MOST_NODES = 160,
    MOST_LINKS = 1600,
    CIRCLE_NODES = 32,
    PLAIN_LINKS = 200,
    TITLE_BYTES = 512
};

/* ---- pictures ---- */

/* Hops from the nearest NPU, of each node. */
static uint32_t *levels_of(const struct net_graph *graph, struct orr_arena *arena)
{
    uint32_t *level = orr_arena_array(arena, graph->nodes, sizeof *level);
    uint32_t *queue = orr_arena_array(arena, graph->nodes, sizeof *queue);
    uint32_t tail = graph->npus;
    if (level == NULL || queue == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < graph->npus; i++) {
        queue[i] = i;
    }
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t node = queue[head];
        for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
            const uint32_t to = graph->link[i].to;
            if (to >= graph->npus && level[to] == 0) {
                level[to] = level[node] + 1;
                queue[tail++] = to;
            }
        }
    }
    return level;
}

/* Trees of switches in layers, a single switch in the middle, few NPUs in a circle, all others by
 * forces: also switches linked within a level, which layers do not show. */
static const char *engine_of(const struct net_graph *graph, const uint32_t *level)
{
    const uint32_t switches = graph->nodes - graph->npus;
    bool flat = false;
    for (uint32_t i = 0; i < graph->links; i++) {
        flat = flat || level[graph->link[i].from] == level[graph->link[i].to];
    }
    if (switches == 0) {
        return graph->nodes <= CIRCLE_NODES ? "nop" : "sfdp";
    }
    return switches == 1 ? "twopi" : flat ? "sfdp" : "dot";
}

/* NPUs stand in a circle, in their order, for the engine that leaves nodes where they are. */
static bool place(Agraph_t *dot, const struct net_graph *graph)
{
    const double radius = 40 + 8.0 * graph->nodes;
    Agsym_t *pos = agattr(dot, AGNODE, orr_unconst("pos"), orr_unconst(""));
    for (uint32_t i = 0; i < graph->nodes && pos != NULL; i++) {
        char name[NET_NODE_BYTES], text[2 * ORR_FORMAT_BYTES];
        const struct orr_point at =
            orr_on_circle((struct orr_point){0, 0}, radius, i, graph->nodes);
        (void)snprintf(text, sizeof text, "%.2f,%.2f", at.x, at.y);
        (void)agxset(agnode(dot, orr_unconst(orr_net_node_name(graph, i, name)), 0), pos, text);
    }
    return pos != NULL;
}

static bool set_looks(Agraph_t *dot, const struct net_graph *graph, const char *engine,
                      const char *title)
{
    const bool many = graph->links > 2 * PLAIN_LINKS || strcmp(engine, "dot") != 0;
    const char *const looks[][2] = {{"label", title},
                                    {"labelloc", "b"},
                                    {"fontname", "Helvetica"},
                                    {"fontsize", "12"},
                                    {"rankdir", "BT"},
                                    {"outputorder", "edgesfirst"},
                                    {"overlap", "false"},
                                    {"bgcolor", "white"},
                                    {"pad", "0.2"},
                                    {"splines", many ? "line" : "true"}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        if (agattr(dot, AGRAPH, orr_unconst(looks[i][0]), orr_unconst(looks[i][1])) == NULL) {
            return false;
        }
    }
    return true;
}

/* Names as people can read them: a picture holds no control characters. */
static bool clean_names(struct net_graph *graph, struct orr_arena *arena)
{
    const char **name =
        graph->name == NULL ? NULL : orr_arena_array(arena, graph->nodes, sizeof *name);
    for (uint32_t i = 0; i < graph->nodes && name != NULL; i++) {
        char text[NET_NODE_BYTES];
        char *clean = orr_text_clean_copy(orr_net_node_name(graph, i, text), false);
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

/* A name as a label, in the arena: backslashes would be escapes, they stand twice. NULL when memory
 * is out. */
static const char *label_of(const char *name, struct orr_arena *arena)
{
    char *text = orr_arena_alloc(arena, 2 * strlen(name) + 1), *at = text;
    for (const char *c = name; *c != '\0' && text != NULL; c++) {
        *at++ = *c;
        *at = '\\';
        at += *c == '\\';
    }
    if (text != NULL) {
        *at = '\0';
    }
    return text;
}

/* Nodes without a name are called by their number, their name in DOT (\N). */
static bool set_labels(Agraph_t *dot, const struct net_graph *graph, struct orr_arena *arena)
{
    bool set = true;
    for (uint32_t i = 0; i < graph->nodes && set; i++) {
        char name[NET_NODE_BYTES];
        Agnode_t *node = agnode(dot, orr_unconst(orr_net_node_name(graph, i, name)), 0);
        const char *text = graph->name != NULL ? label_of(graph->name[i], arena) : "\\N";
        set = text != NULL && agset(node, orr_unconst("label"), orr_unconst(text)) == 0;
    }
    return set;
}

/* Backslashes of a name would be escapes. */
static void make_title(const struct orr_graph_view *view, const char *note, char title[TITLE_BYTES])
{
    const struct net_graph *graph = &view->graph;
    const uint32_t switches = graph->nodes - graph->npus;
    char name[TITLE_BYTES / 2];
    (void)orr_text_clean(view->name, false, name, sizeof name);
    (void)snprintf(title, TITLE_BYTES, "%.200s: %" PRIu32 " NPU%s, %" PRIu32 " switch%s%s%s%s",
                   name, graph->npus, orr_plural(graph->npus), switches, switches == 1 ? "" : "es",
                   switches > 0 ? "; circles are NPUs, boxes switches" : "",
                   note[0] == '\0' ? "" : "; ", note);
    for (char *c = title; *c != '\0'; c++) {
        *c = *c == '\\' ? '/' : *c;
    }
}

static enum orr_status out_of_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "the picture");
}

/* Within the lock of libraries. */
static enum orr_status render(FILE *out, const struct net_graph *graph, const char *title,
                              const char *format, struct orr_arena *arena)
{
    const uint32_t *level = levels_of(graph, arena);
    Agraph_t *dot = level == NULL ? NULL : orr_graph_dot(graph, true);
    if (dot == NULL) {
        return ORR_ERR_MEMORY;
    }
    const char *engine = engine_of(graph, level);
    const bool ready = set_looks(dot, graph, engine, title) && set_labels(dot, graph, arena) &&
                       (strcmp(engine, "nop") != 0 || place(dot, graph));
    const bool drawn = ready && orr_picture_write(out, dot, engine, format);
    (void)agclose(dot);
    return drawn ? ORR_OK : ready ? ORR_ERR_IO : ORR_ERR_MEMORY;
}

static enum orr_status draw(FILE *out, const struct orr_graph_view *view, const char *format,
                            char note[ORR_NOTE_BYTES], struct orr_diag *diag)
{
    char title[TITLE_BYTES];
    struct net_graph graph = view->graph;
    if ((graph.nodes > MOST_NODES || graph.links > 2 * MOST_LINKS) &&
        orr_graph_small(view, MOST_NODES, &graph, note) != ORR_OK) {
        return out_of_memory(diag);
    }
    if (!clean_names(&graph, view->arena)) {
        return out_of_memory(diag);
    }
    make_title(view, note, title);
    orr_library_lock();
    const enum orr_status status = render(out, &graph, title, format, view->arena);
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

/* What DOT cannot hold: bandwidths that are only known as multiples, and, since libcgraph does not
 * write them so that they can be read, names that end with a backslash. */
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

/* libcgraph gives nodes whose names begin with '%' names of its own, in pictures too. */
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
