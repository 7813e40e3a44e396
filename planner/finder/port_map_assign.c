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
static struct edge_colors edges_of(const struct assignment *assignment, const struct span *span)
{
    const uint32_t n = assignment->topology->servers;
    const bool cables = ports_is_cable(assignment, span->first, span->split);
    struct edge_colors graph = {.nodes = cables ? n : 2 * n, .edge = assignment->ends};
    for (uint32_t back = 0; back < 2; back++) {
        for (uint32_t y = span->first; y < span->end; y++) {
            const struct finder_layer *layer = ports_layer(assignment, y);
            for (uint32_t l = 0; (back == 0 || (layer->duplex && span->split)) && l < layer->links;
                 l++) {
                const uint32_t from = back == 0 ? layer->link[l].from : layer->link[l].to;
                const uint32_t to = back == 0 ? layer->link[l].to : layer->link[l].from;
                assignment->ends[graph.edges++] =
                    (struct edge_ends){.a = from, .b = cables ? to : n + to};
            }
        }
    }
    return graph;
}

/* Colours stand for panels: `panel` of each. */
static void set_panels(struct assignment *assignment, const struct span *span,
                       const uint32_t *panel)
{
    const uint32_t *first = assignment->out->first_link;
    const uint32_t begin = first[span->first], end = first[span->end];
    uint32_t edge = 0;
    for (uint32_t i = begin; i < end; i++) {
        assignment->there[i] = panel[assignment->color[edge++]];
    }
    for (uint32_t y = span->first; y < span->end; y++) {
        for (uint32_t i = first[y]; i < first[y + 1]; i++) {
            assignment->back[i] = !ports_layer(assignment, y)->duplex ? PORTS_NONE
                                  : span->split ? panel[assignment->color[edge++]]
                                                : assignment->there[i];
        }
    }
}

/* Divides the links of the layers among panels; whether that was possible. */
static bool divide(struct assignment *assignment, const struct span *span, uint32_t panels,
                   uint64_t patience)
{
    struct edge_colors graph = edges_of(assignment, span);
    bool found = false;
    graph.colors = panels;
    graph.patience = patience;
    assignment->status =
        orr_edge_colors(assignment->arena, &graph, assignment->color, &found, assignment->diag);
    if (assignment->status == ORR_OK && found) {
        set_panels(assignment, span, assignment->panel);
    }
    return assignment->status == ORR_OK && found;
}

/* Marks what the links of a layer use of a panel, or tells whether any of it is used. */
static bool visit_panel(struct assignment *assignment, uint32_t layer, uint32_t panel, bool mark)
{
    const struct finder_layer *visited = ports_layer(assignment, layer);
    const size_t panels = assignment->topology->degree;
    bool used = false;
    for (uint32_t l = 0; l < visited->links; l++) {
        const size_t from = visited->link[l].from * panels + panel;
        const size_t to = visited->link[l].to * panels + panel;
        used |= assignment->sends[from] || assignment->receives[to];
        used |= visited->duplex && (assignment->sends[to] || assignment->receives[from]);
        assignment->sends[from] |= mark;
        assignment->receives[to] |= mark;
        assignment->sends[to] |= mark && visited->duplex;
        assignment->receives[from] |= mark && visited->duplex;
    }
    return used;
}

/* The most links of a layer that a server sends by. */
static uint32_t degree_of(struct assignment *assignment, uint32_t layer)
{
    const struct finder_layer *counted = ports_layer(assignment, layer);
    uint32_t max = 0, *out_of = assignment->scratch;
    for (uint32_t server = 0; server < assignment->topology->servers; server++) {
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
static bool assign_layer(struct assignment *assignment, uint32_t layer, bool split)
{
    const uint32_t wanted = degree_of(assignment, layer);
    uint32_t found = 0;
    for (uint32_t panel = 0; panel < assignment->topology->degree && found < wanted; panel++) {
        if (!visit_panel(assignment, layer, panel, false)) {
            assignment->panel[found++] = panel;
        }
    }
    const struct span span = {.first = layer, .end = layer + 1, .split = split};
    if (found < wanted || !divide(assignment, &span, wanted, 0)) {
        return false;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        (void)visit_panel(assignment, layer, assignment->panel[i], true);
    }
    return true;
}

/* Every layer as it is: jumps and matchings keep to panels of their own. */
static bool assign_by_layers(struct assignment *assignment, bool split)
{
    const size_t interfaces = (size_t)assignment->topology->servers * assignment->topology->degree;
    for (size_t i = 0; i < interfaces; i++) {
        assignment->sends[i] = assignment->receives[i] = false;
    }
    bool assigned = true;
    for (uint32_t layer = 0; layer < assignment->topology->layers && assigned; layer++) {
        assigned = assign_layer(assignment, layer, split);
    }
    return assigned;
}

/* All links at once. */
static bool assign_all_links(struct assignment *assignment, bool split, uint64_t patience)
{
    const struct span span = {.end = assignment->topology->layers, .split = split};
    for (uint32_t panel = 0; panel < assignment->topology->degree; panel++) {
        assignment->panel[panel] = panel;
    }
    return divide(assignment, &span, assignment->topology->degree, patience);
}

/* Servers that stand in one ring of a layer; 0: it is a matching. */
static uint32_t ring_of(const struct assignment *assignment, uint32_t layer)
{
    const struct finder_layer *of_layer = ports_layer(assignment, layer);
    return of_layer->kind == FINDER_MATCHING ? 0
           : of_layer->kind == FINDER_CONNECTION
               ? assignment->topology->servers
               : assignment->topology->of[of_layer->of_class].members;
}

static uint32_t cable_layers(const struct assignment *assignment)
{
    uint32_t count = 0;
    for (uint32_t y = 0; y < assignment->topology->layers; y++) {
        count += ports_layer(assignment, y)->duplex;
    }
    return count;
}

/* The first of the reasons that hold. */
static const char *why_no_cables(const struct assignment *assignment)
{
    const struct finder_topology *topology = assignment->topology;
    const uint32_t n = topology->servers, panels = topology->degree;
    const uint32_t links = assignment->out->first_link[topology->layers];
    if (cable_layers(assignment) != topology->layers) {
        return orr_arena_printf(
            assignment->arena,
            "links one way and cables do not fit side by side on %" PRIu32 " panels", panels);
    }
    if (n % 2 == 1 && links > (uint64_t)panels * (n / 2)) {
        return orr_arena_printf(
            assignment->arena,
            "%" PRIu32 " servers are odd in number, a panel of cables leaves one "
            "of them out, and %" PRIu32 " panels hold %" PRIu64 " of %" PRIu32 " links",
            n, panels, (uint64_t)panels * (n / 2), links);
    }
    for (uint32_t y = 0; y < topology->layers; y++) {
        const uint32_t members = ports_layer(assignment, y)->duplex ? ring_of(assignment, y) : 0;
        if (members % 2 == 1) {
            return orr_arena_printf(assignment->arena,
                                    "a ring of %" PRIu32 " servers is odd: two panels of cables "
                                    "leave out one of its links",
                                    members);
        }
    }
    return orr_arena_printf(
        assignment->arena,
        "no way was found to divide the links among %" PRIu32 " panels of cables", panels);
}

/* Whether servers that links join have no more of them than panels hold of pairs of these. */
static bool can_pair(struct assignment *assignment)
{
    const struct finder_topology *topology = assignment->topology;
    uint32_t *leads = assignment->scratch, *count = leads + topology->servers;
    uint32_t *links = count + topology->servers;
    orr_union_find_init(leads, topology->servers);
    for (uint32_t i = 0; i < topology->servers; i++) {
        count[i] = links[i] = 0;
    }
    for (uint32_t y = 0; y < topology->layers; y++) {
        const struct finder_layer *layer = ports_layer(assignment, y);
        for (uint32_t l = 0; l < layer->links; l++) {
            (void)orr_union_find_unite(leads, layer->link[l].from, layer->link[l].to);
        }
    }
    for (uint32_t y = 0; y < topology->layers; y++) {
        for (uint32_t l = 0; l < ports_layer(assignment, y)->links; l++) {
            links[orr_union_find_root(leads, ports_layer(assignment, y)->link[l].from)]++;
        }
    }
    bool fits = true;
    for (uint32_t i = 0; i < topology->servers; i++) {
        count[orr_union_find_root(leads, i)]++;
    }
    for (uint32_t i = 0; i < topology->servers; i++) {
        fits &= links[i] <= (uint64_t)topology->degree * (count[i] / 2);
    }
    return fits;
}

/* Whether all links are of one kind, and cables may be as many as they are. */
static bool can_fit(struct assignment *assignment)
{
    const uint32_t cables = cable_layers(assignment);
    return cables == 0 || (cables == assignment->topology->layers && can_pair(assignment));
}

/* A tenth of a second of trying other ways. */
enum { PATIENCE = 2000000 };

static bool assign_unsplit(struct assignment *assignment)
{
    return assign_by_layers(assignment, false) ||
           (assignment->status == ORR_OK && can_fit(assignment) &&
            assign_all_links(assignment, false, PATIENCE));
}

/* Each cable as two crossconnects, for which there always is a way. */
static enum orr_status assign_split(struct assignment *assignment)
{
    assignment->out->split = true;
    const bool assigned = assign_by_layers(assignment, true) ||
                          (assignment->status == ORR_OK && assign_all_links(assignment, true, 0));
    ORR_ASSERT(assigned || assignment->status != ORR_OK);
    return assignment->status;
}

enum orr_status orr_ports_assign(struct assignment *assignment, enum port_method method)
{
    if (method == PORTS_ONE_WAY && cable_layers(assignment) > 0) {
        return assign_split(assignment);
    }
    if (assign_unsplit(assignment) || assignment->status != ORR_OK) {
        return assignment->status;
    }
    assignment->out->why = why_no_cables(assignment);
    if (assignment->out->why == NULL) {
        return orr_ports_no_memory(assignment);
    }
    if (method == PORTS_CABLES) {
        return orr_diag_fail(assignment->diag, ORR_ERR_INPUT, NULL,
                             "ports: expected links that cables can join, but %s; one-way "
                             "crossconnects (links: one-way) can, or leave interfaces idle",
                             assignment->out->why);
    }
    return assign_split(assignment);
}
