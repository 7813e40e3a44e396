/* The links of a topology divided among panels: by layers, all anew, or cables as crossconnects. */
#include <inttypes.h>

#include "planner/finder/port_map_private.h"

/* Some layers, one after the other. */
struct span {
    uint32_t first, end;
    bool split; /* cables as two crossconnects */
};

/* An edge for every cable, from transmit sides to receive sides for every crossconnect: those there
 * first, then those back. */
static struct edge_colors edges_of(const struct laying *laying, const struct span *span)
{
    const uint32_t n = laying->topology->servers;
    const bool cables = ports_is_cable(laying, span->first, span->split);
    struct edge_colors graph = {.nodes = cables ? n : 2 * n, .edge = laying->ends};
    for (uint32_t back = 0; back < 2; back++) {
        for (uint32_t y = span->first; y < span->end; y++) {
            const struct finder_layer *layer = ports_layer(laying, y);
            for (uint32_t l = 0; (back == 0 || (layer->duplex && span->split)) && l < layer->links;
                 l++) {
                const uint32_t from = back == 0 ? layer->link[l].from : layer->link[l].to;
                const uint32_t to = back == 0 ? layer->link[l].to : layer->link[l].from;
                laying->ends[graph.edges++] =
                    (struct edge_ends){.a = from, .b = cables ? to : n + to};
            }
        }
    }
    return graph;
}

/* Colours stand for panels: `panel` of each. */
static void take_colors(struct laying *laying, const struct span *span, const uint32_t *panel)
{
    const uint32_t *first = laying->out->first_link;
    const uint32_t begin = first[span->first], end = first[span->end];
    uint32_t edge = 0;
    for (uint32_t i = begin; i < end; i++) {
        laying->there[i] = panel[laying->color[edge++]];
    }
    for (uint32_t y = span->first; y < span->end; y++) {
        for (uint32_t i = first[y]; i < first[y + 1]; i++) {
            laying->back[i] = !ports_layer(laying, y)->duplex ? PORTS_NONE
                              : span->split                   ? panel[laying->color[edge++]]
                                                              : laying->there[i];
        }
    }
}

/* Divides the links of the layers among panels; whether that was possible. */
static bool divide(struct laying *laying, const struct span *span, uint32_t panels,
                   uint64_t patience)
{
    struct edge_colors graph = edges_of(laying, span);
    bool found = false;
    graph.colors = panels;
    graph.patience = patience;
    laying->status = orr_edge_colors(laying->arena, &graph, laying->color, &found, laying->diag);
    if (laying->status == ORR_OK && found) {
        take_colors(laying, span, laying->panel);
    }
    return laying->status == ORR_OK && found;
}

/* Marks what the links of a layer use of a panel, or tells whether any of it is used. */
static bool visit_panel(struct laying *laying, uint32_t layer, uint32_t panel, bool mark)
{
    const struct finder_layer *visited = ports_layer(laying, layer);
    const size_t panels = laying->topology->degree;
    bool used = false;
    for (uint32_t l = 0; l < visited->links; l++) {
        const size_t from = visited->link[l].from * panels + panel;
        const size_t to = visited->link[l].to * panels + panel;
        used |= laying->sends[from] || laying->receives[to];
        used |= visited->duplex && (laying->sends[to] || laying->receives[from]);
        laying->sends[from] |= mark;
        laying->receives[to] |= mark;
        laying->sends[to] |= mark && visited->duplex;
        laying->receives[from] |= mark && visited->duplex;
    }
    return used;
}

/* The most links of a layer that a server sends by. */
static uint32_t degree_of(struct laying *laying, uint32_t layer)
{
    const struct finder_layer *counted = ports_layer(laying, layer);
    uint32_t max = 0, *out_of = laying->scratch;
    for (uint32_t server = 0; server < laying->topology->servers; server++) {
        out_of[server] = 0;
    }
    for (uint32_t l = 0; l < counted->links; l++) {
        const uint32_t from = ++out_of[counted->link[l].from];
        const uint32_t to = counted->duplex ? ++out_of[counted->link[l].to] : 0;
        max = from > max ? from : max;
        max = to > max ? to : max;
    }
    return max;
}

/* A layer on the first panels that its servers have free. */
static bool lay_layer(struct laying *laying, uint32_t layer, bool split)
{
    const uint32_t wanted = degree_of(laying, layer);
    uint32_t found = 0;
    for (uint32_t panel = 0; panel < laying->topology->degree && found < wanted; panel++) {
        if (!visit_panel(laying, layer, panel, false)) {
            laying->panel[found++] = panel;
        }
    }
    const struct span span = {.first = layer, .end = layer + 1, .split = split};
    if (found < wanted || !divide(laying, &span, wanted, 0)) {
        return false;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        (void)visit_panel(laying, layer, laying->panel[i], true);
    }
    return true;
}

/* Every layer as it is: jumps and matchings keep to panels of their own. */
static bool lay_by_layers(struct laying *laying, bool split)
{
    const size_t places = (size_t)laying->topology->servers * laying->topology->degree;
    for (size_t i = 0; i < places; i++) {
        laying->sends[i] = laying->receives[i] = false;
    }
    bool laid = true;
    for (uint32_t layer = 0; layer < laying->topology->layers && laid; layer++) {
        laid = lay_layer(laying, layer, split);
    }
    return laid;
}

/* All links at once. */
static bool lay_whole(struct laying *laying, bool split, uint64_t patience)
{
    const struct span span = {.end = laying->topology->layers, .split = split};
    for (uint32_t panel = 0; panel < laying->topology->degree; panel++) {
        laying->panel[panel] = panel;
    }
    return divide(laying, &span, laying->topology->degree, patience);
}

/* Servers that stand in one ring of a layer; 0: it is a matching. */
static uint32_t ring_of(const struct laying *laying, uint32_t layer)
{
    const struct finder_layer *asked = ports_layer(laying, layer);
    return asked->kind == FINDER_MATCHING     ? 0
           : asked->kind == FINDER_CONNECTION ? laying->topology->servers
                                              : laying->topology->of[asked->of_class].members;
}

static uint32_t cable_layers(const struct laying *laying)
{
    uint32_t count = 0;
    for (uint32_t y = 0; y < laying->topology->layers; y++) {
        count += ports_layer(laying, y)->duplex;
    }
    return count;
}

/* The first of the reasons that hold. */
static const char *why_no_cables(const struct laying *laying)
{
    const struct finder_topology *topology = laying->topology;
    const uint32_t n = topology->servers, panels = topology->degree;
    const uint32_t links = laying->out->first_link[topology->layers];
    if (cable_layers(laying) != topology->layers) {
        return orr_arena_printf(
            laying->arena, "links one way and cables do not fit side by side on %" PRIu32 " panels",
            panels);
    }
    if (n % 2 == 1 && links > (uint64_t)panels * (n / 2)) {
        return orr_arena_printf(
            laying->arena,
            "%" PRIu32 " servers are odd in number, a panel of cables leaves one "
            "of them out, and %" PRIu32 " panels hold %" PRIu64 " of %" PRIu32 " links",
            n, panels, (uint64_t)panels * (n / 2), links);
    }
    for (uint32_t y = 0; y < topology->layers; y++) {
        const uint32_t members = ports_layer(laying, y)->duplex ? ring_of(laying, y) : 0;
        if (members % 2 == 1) {
            return orr_arena_printf(laying->arena,
                                    "a ring of %" PRIu32 " servers is odd: two panels of cables "
                                    "leave out one of its links",
                                    members);
        }
    }
    return orr_arena_printf(
        laying->arena, "no way was found to divide the links among %" PRIu32 " panels of cables",
        panels);
}

/* Whether servers that links join have no more of them than panels hold of pairs of these. */
static bool may_pair(struct laying *laying)
{
    const struct finder_topology *topology = laying->topology;
    uint32_t *leads = laying->scratch, *count = leads + topology->servers;
    uint32_t *links = count + topology->servers;
    orr_union_find_init(leads, topology->servers);
    for (uint32_t i = 0; i < topology->servers; i++) {
        count[i] = links[i] = 0;
    }
    for (uint32_t y = 0; y < topology->layers; y++) {
        const struct finder_layer *layer = ports_layer(laying, y);
        for (uint32_t l = 0; l < layer->links; l++) {
            (void)orr_union_find_unite(leads, layer->link[l].from, layer->link[l].to);
        }
    }
    for (uint32_t y = 0; y < topology->layers; y++) {
        for (uint32_t l = 0; l < ports_layer(laying, y)->links; l++) {
            links[orr_union_find_root(leads, ports_layer(laying, y)->link[l].from)]++;
        }
    }
    bool may = true;
    for (uint32_t i = 0; i < topology->servers; i++) {
        count[orr_union_find_root(leads, i)]++;
    }
    for (uint32_t i = 0; i < topology->servers; i++) {
        may &= links[i] <= (uint64_t)topology->degree * (count[i] / 2);
    }
    return may;
}

/* Whether all links are of one kind, and cables may be as many as they are. */
static bool may_fit(struct laying *laying)
{
    const uint32_t cables = cable_layers(laying);
    return cables == 0 || (cables == laying->topology->layers && may_pair(laying));
}

/* A tenth of a second of trying other ways. */
enum { PATIENCE = 2000000 };

static bool lay_as_it_is(struct laying *laying)
{
    return lay_by_layers(laying, false) ||
           (laying->status == ORR_OK && may_fit(laying) && lay_whole(laying, false, PATIENCE));
}

/* Each cable as two crossconnects, for which there always is a way. */
static enum orr_status lay_split(struct laying *laying)
{
    laying->out->split = true;
    const bool laid =
        lay_by_layers(laying, true) || (laying->status == ORR_OK && lay_whole(laying, true, 0));
    ORR_ASSERT(laid || laying->status != ORR_OK);
    return laying->status;
}

enum orr_status orr_ports_assign(struct laying *laying, enum port_method ways)
{
    if (ways == PORTS_ONE_WAY && cable_layers(laying) > 0) {
        return lay_split(laying);
    }
    if (lay_as_it_is(laying) || laying->status != ORR_OK) {
        return laying->status;
    }
    laying->out->why = why_no_cables(laying);
    if (laying->out->why == NULL) {
        return orr_ports_no_memory(laying);
    }
    if (ways == PORTS_CABLES) {
        return orr_diag_fail(laying->diag, ORR_ERR_INPUT, NULL,
                             "ports: expected links that cables can join, but %s; one-way "
                             "crossconnects (links: one-way) can, or leave interfaces idle",
                             laying->out->why);
    }
    return lay_split(laying);
}
