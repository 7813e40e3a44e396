/* The legend of a graph's picture; see graph_legend.h. */
#include "report/pictures/graph_legend.h"

#include <inttypes.h>
#include <string.h>

#include "core/diag.h"
#include "core/strings.h"
#include "core/text_escape.h"
#include "core/units.h"
#include "network/graph.h"
#include "report/pictures/graph_dot.h"

enum {
    NAME_BYTES = 200,
    ROW_BYTES = 512,
    HEAD_BYTES = 2048,
    ROW_POINTS = 22,
    HEAD_POINTS = 62,
    GAP = 22
};

/* ---- kinds of links ---- */

static bool is_identical(const struct net_link *a, const struct net_link *b)
{
    return a->count == b->count && a->latency_ps == b->latency_ps &&
           orr_same_speed(a->bytes_per_s, b->bytes_per_s);
}

static unsigned kind_of(const struct orr_link_kinds *kinds, const struct net_link *link)
{
    unsigned k = 0;
    while (k + 1 < kinds->kinds && !is_identical(&kinds->kind[k].like, link)) {
        k++;
    }
    return k;
}

static void add_link(struct orr_link_kinds *kinds, const struct net_link *link)
{
    unsigned k = kinds->kinds > 0 ? kind_of(kinds, link) : 0;
    if (kinds->kinds == 0 || !is_identical(&kinds->kind[k].like, link)) {
        if (kinds->kinds < ORR_MAX_KINDS) {
            k = kinds->kinds++;
            kinds->kind[k] = (struct orr_link_kind){.like = *link};
        } else {
            kinds->kind[k].several = true;
        }
    }
    kinds->kind[k].links++;
}

struct orr_link_kinds orr_link_kinds(const struct net_graph *graph)
{
    struct orr_link_kinds kinds = {.two_way = true};
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const uint32_t back = orr_net_graph_find(graph, link->to, link->from);
        add_link(&kinds, link);
        kinds.two_way =
            kinds.two_way && back != NET_NO_LINK && is_identical(link, &graph->link[back]);
    }
    return kinds;
}

const char *orr_link_color(const struct orr_link_kinds *kinds, const struct net_link *link)
{
    return kinds->kinds == 1 ? "#505a66" : orr_dim_color(kind_of(kinds, link));
}

/* ---- the text ---- */

struct legend {
    char text[HEAD_BYTES + ORR_MAX_KINDS * ROW_BYTES];
    size_t used;
};

/* "32 links, each 4 side by side of 12.50 GB/s (100 Gb/s), 1.000 us" */
static void describe(const struct orr_graph_view *view, const struct orr_link_kinds *kinds,
                     const struct orr_link_kind *link_kind, char text[ROW_BYTES])
{
    const uint64_t links = kinds->two_way ? link_kind->links / 2 : link_kind->links;
    char speed[ORR_FORMAT_BYTES], latency[ORR_FORMAT_BYTES], side[64] = "";
    if (link_kind->several) {
        (void)snprintf(text, ROW_BYTES, "%" PRIu64 " links of other kinds", links);
        return;
    }
    if (link_kind->like.count > 1) {
        (void)snprintf(side, sizeof side, ", each %" PRIu32 " side by side", link_kind->like.count);
    }
    if (view->has_bandwidths) {
        (void)snprintf(text, ROW_BYTES, "%" PRIu64 " link%s%s of %s (%.4g Gb/s), %s", links,
                       orr_plural(links), side,
                       orr_format_bandwidth(link_kind->like.bytes_per_s, speed, sizeof speed),
                       link_kind->like.bytes_per_s / 125e6,
                       orr_format_time(link_kind->like.latency_ps, latency, sizeof latency));
    } else {
        (void)snprintf(text, ROW_BYTES, "%" PRIu64 " link%s%s of %.4g x the bandwidth (not given)",
                       links, orr_plural(links), side, link_kind->like.bytes_per_s);
    }
}

static void add_row(struct legend *legend, const char *color, const char *text)
{
    legend->used += (size_t)snprintf(
        legend->text + legend->used, sizeof legend->text - legend->used,
        "<TR><TD ALIGN=\"RIGHT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\"><TR><TD BGCOLOR=\"%s\" "
        "WIDTH=\"28\" HEIGHT=\"4\" FIXEDSIZE=\"TRUE\"></TD></TR></TABLE></TD>"
        "<TD ALIGN=\"LEFT\">%s</TD></TR>",
        color, text);
}

static void add_head(struct legend *legend, const struct orr_graph_view *view)
{
    const struct net_graph *graph = &view->graph;
    const uint32_t switches = graph->nodes - graph->npus - graph->servers;
    char name[NAME_BYTES], html[6 * NAME_BYTES], others[128] = "";
    (void)orr_text_escape(orr_picture_title(view->name), false, name, sizeof name);
    if (graph->servers > 0) {
        (void)snprintf(others, sizeof others, ", %" PRIu32 " server%s", graph->servers,
                       orr_plural(graph->servers));
    }
    if (switches > 0) {
        const size_t used = strlen(others);
        (void)snprintf(others + used, sizeof others - used, ", %" PRIu32 " switch%s", switches,
                       switches == 1 ? "" : "es");
    }
    legend->used = (size_t)snprintf(
        legend->text, sizeof legend->text,
        "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"3\"><TR><TD COLSPAN=\"2\">"
        "<FONT POINT-SIZE=\"14\"><B>%s: %" PRIu32 " NPU%s%s</B></FONT></TD></TR>",
        orr_html_text(name, html, sizeof html), graph->npus, orr_plural(graph->npus), others);
}

static void add_foot(struct legend *legend, const struct orr_graph_view *view,
                     const struct orr_link_kinds *kinds, const char *note)
{
    const struct net_graph *graph = &view->graph;
    legend->used += (size_t)snprintf(
        legend->text + legend->used, sizeof legend->text - legend->used,
        "<TR><TD COLSPAN=\"2\"><FONT POINT-SIZE=\"10\" COLOR=\"#555555\">%s; bandwidths are one "
        "way%s%s%s%s</FONT></TD></TR></TABLE>",
        kinds->two_way ? "a line is a link each way" : "an arrow is a link one way",
        graph->servers > 0 ? "; green boxes are servers" : "",
        graph->nodes > graph->npus + graph->servers ? "; blue boxes are switches" : "",
        note[0] != '\0' ? "<BR/>" : "", note);
    ORR_ASSERT(legend->used < sizeof legend->text);
}

void orr_graph_legend(struct orr_canvas *canvas, const struct orr_graph_view *view,
                      const struct orr_link_kinds *kinds, const char *note)
{
    struct legend legend = {.used = 0};
    const double height = HEAD_POINTS + ROW_POINTS * (double)kinds->kinds;
    add_head(&legend, view);
    for (unsigned k = 0; k < kinds->kinds; k++) {
        char text[ROW_BYTES];
        describe(view, kinds, &kinds->kind[k], text);
        add_row(&legend, orr_link_color(kinds, &kinds->kind[k].like), text);
    }
    add_foot(&legend, view, kinds, note);
    const struct orr_spot spot = {
        .shape = ORR_SHAPE_TEXT,
        .at = {(canvas->left + canvas->right) / 2, canvas->bottom - GAP - height / 2},
        .text = legend.text,
        .html = true};
    (void)orr_canvas_add(canvas, &spot);
}
