/* Assignment of links to panels: layer by layer, all links at once by edge coloring, or with cables
 * split into two crossconnects. */
#include <inttypes.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/union_find.h"
#include "network/wavelengths/edge_colors.h"
#include "planner/finder/finder.h"
#include "planner/finder/port_map_private.h"

/* A range of layers. */
struct span {
    uint32_t first, end;
    bool split; /* cables as two crossconnects */
};

/* The graph to color: an edge for every cable; for crossconnects, edges from transmit sides to
 * receive sides, first those of the forward direction, then those of the reverse. */
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

/* Sets the panels of links: color c is panel[c]. */
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

/* Assigns the links of the layers to panels; whether that was possible. */
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

/* Marks the ports that the links of a layer use on a panel, or (mark false) returns whether any of
 * them is in use. */
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

/* The maximum number of links of a layer by which a server sends. */
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

/* Assigns a layer to the first panels that are free for all its servers. */
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

/* Assigns layer by layer, so that jumps and matchings have panels of their own. */
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

/* Assigns all links at once. */
static bool assign_all_links(struct assignment *assignment, bool split, uint64_t patience)
{
    const struct span span = {.end = assignment->topology->layers, .split = split};
    for (uint32_t panel = 0; panel < assignment->topology->degree; panel++) {
        assignment->panel[panel] = panel;
    }
    return divide(assignment, &span, assignment->topology->degree, patience);
}

/* Servers in a ring of a layer; 0: it is a matching. */
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
    return orr_arena_printf(assignment->arena,
                            "found no assignment of the links to %" PRIu32 " panels of cables",
                            panels);
}

/* Necessary condition for cables: a connected component of k servers has at most degree x floor(k /
 * 2) links. */
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

/* Whether all links are of one kind, and cables pass the necessary condition. */
static bool can_fit(struct assignment *assignment)
{
    const uint32_t cables = cable_layers(assignment);
    return cables == 0 || (cables == assignment->topology->layers && can_pair(assignment));
}

/* Limit of steps of the search, about a tenth of a second. */
enum { PATIENCE = 2000000 };

static bool assign_unsplit(struct assignment *assignment)
{
    return assign_by_layers(assignment, false) ||
           (assignment->status == ORR_OK && can_fit(assignment) &&
            assign_all_links(assignment, false, PATIENCE));
}

/* Assigns each cable as two crossconnects, which is always possible. */
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
