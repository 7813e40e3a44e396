/* The port map of a topology: checks, result and CSV file (port_map.h). */
#include "planner/finder/port_map.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/wavelengths/edge_colors.h"
#include "planner/finder/port_map_private.h"

enum orr_status orr_ports_no_memory(const struct assignment *assignment)
{
    return orr_diag_no_memory(assignment->diag, "a map of ports");
}

static enum orr_status check_panels(const struct assignment *assignment, uint32_t ports)
{
    const uint32_t n = assignment->topology->servers;
    return n <= ports ? ORR_OK
                      : orr_diag_fail(assignment->diag, ORR_ERR_INPUT, NULL,
                                      "ports: expected panels with a port for each of %" PRIu32
                                      " servers, got panels of %" PRIu32
                                      " ports (a patch panel has %d, an optical circuit switch %d)",
                                      n, ports, PORTS_OF_PATCH_PANEL, PORTS_OF_OPTICAL_SWITCH);
}

/* No server sends or receives by more interfaces than it has. */
static enum orr_status check_interfaces(const struct assignment *assignment)
{
    const struct finder_topology *topology = assignment->topology;
    uint32_t *used = assignment->scratch; /* zeroed */
    for (uint32_t y = 0; y < topology->layers; y++) {
        const struct finder_layer *layer = ports_layer(assignment, y);
        for (uint32_t l = 0; l < layer->links; l++) {
            used[2 * layer->link[l].from]++;
            used[2 * layer->link[l].to + 1]++;
            used[2 * layer->link[l].to] += layer->duplex;
            used[2 * layer->link[l].from + 1] += layer->duplex;
        }
    }
    for (uint32_t i = 0; i < 2 * topology->servers; i++) {
        if (used[i] > topology->degree) {
            return orr_diag_fail(assignment->diag, ORR_ERR_INPUT, NULL,
                                 "ports: expected at most %" PRIu32 " links of a server, one an "
                                 "interface, got %" PRIu32 " of server %" PRIu32,
                                 topology->degree, used[i], i / 2);
        }
    }
    return ORR_OK;
}

static bool allocate(struct assignment *assignment)
{
    struct orr_arena *arena = assignment->arena;
    const struct finder_topology *topology = assignment->topology;
    uint32_t *first = orr_arena_array(arena, (size_t)topology->layers + 1, sizeof *first);
    for (uint32_t y = 0; first != NULL && y < topology->layers; y++) {
        first[y + 1] = first[y] + topology->layer[y].links;
    }
    const size_t links = first != NULL ? first[topology->layers] : 0;
    const size_t interfaces = (size_t)topology->servers * topology->degree;
    assignment->out->first_link = first;
    assignment->out->there = assignment->there = orr_arena_array(arena, links, sizeof(uint32_t));
    assignment->out->back = assignment->back = orr_arena_array(arena, links, sizeof(uint32_t));
    assignment->color = orr_arena_array(arena, 2 * links, sizeof *assignment->color);
    assignment->ends = orr_arena_array(arena, 2 * links, sizeof *assignment->ends);
    assignment->sends = orr_arena_array(arena, interfaces, sizeof *assignment->sends);
    assignment->receives = orr_arena_array(arena, interfaces, sizeof *assignment->receives);
    assignment->panel = orr_arena_array(arena, topology->degree, sizeof *assignment->panel);
    assignment->scratch = orr_arena_array(arena, 3 * (size_t)topology->servers, sizeof(uint32_t));
    return first != NULL && assignment->there != NULL && assignment->back != NULL &&
           assignment->color != NULL && assignment->ends != NULL && assignment->sends != NULL &&
           assignment->receives != NULL && assignment->panel != NULL && assignment->scratch != NULL;
}

static int by_panel(const void *left, const void *right)
{
    const struct port_cross *a = left, *b = right;
    if (a->panel != b->panel) {
        return a->panel < b->panel ? -1 : 1;
    }
    return (a->from > b->from) - (a->from < b->from);
}

/* Adds a cable, or a crossconnect for each direction. */
static void add_crosses(const struct assignment *assignment, struct port_cross *cross,
                        uint32_t layer, uint32_t link)
{
    struct port_map *out = assignment->out;
    const struct finder_link *ends = &ports_layer(assignment, layer)->link[link];
    const uint32_t at = out->first_link[layer] + link;
    const bool cable = ports_is_cable(assignment, layer, out->split);
    const bool turned = cable && ends->from > ends->to;
    cross[out->crosses++] = (struct port_cross){.panel = out->first_panel + assignment->there[at],
                                                .from = turned ? ends->to : ends->from,
                                                .to = turned ? ends->from : ends->to,
                                                .layer = layer,
                                                .link = link,
                                                .cable = cable};
    if (!cable && assignment->back[at] != PORTS_NONE) {
        cross[out->crosses++] =
            (struct port_cross){.panel = out->first_panel + assignment->back[at],
                                .from = ends->to,
                                .to = ends->from,
                                .layer = layer,
                                .link = link};
    }
    out->idle -= cable || assignment->back[at] != PORTS_NONE ? 2 : 1;
}

static enum orr_status fill_crosses(const struct assignment *assignment)
{
    struct port_map *out = assignment->out;
    const uint32_t links = out->first_link[assignment->topology->layers];
    struct port_cross *cross = orr_arena_array(assignment->arena, 2 * (size_t)links, sizeof *cross);
    if (cross == NULL) {
        return orr_ports_no_memory(assignment);
    }
    out->idle = out->servers * out->panels;
    for (uint32_t layer = 0; layer < assignment->topology->layers; layer++) {
        for (uint32_t link = 0; link < ports_layer(assignment, layer)->links; link++) {
            add_crosses(assignment, cross, layer, link);
        }
    }
    qsort(cross, out->crosses, sizeof *cross, by_panel);
    out->cross = cross;
    return ORR_OK;
}

enum orr_status orr_port_map(struct orr_arena *arena, const struct finder_topology *topology,
                             const struct port_options *options, struct port_map *out,
                             struct orr_diag *diag)
{
    struct assignment assignment = {.arena = arena, .topology = topology, .out = out, .diag = diag};
    *out = (struct port_map){.servers = topology->servers,
                             .panels = topology->degree,
                             .first_panel = options->look_ahead ? topology->degree : 0};
    enum orr_status status = check_panels(
        &assignment, options->panel_ports != 0 ? options->panel_ports : PORTS_OF_PATCH_PANEL);
    status = status == ORR_OK && !allocate(&assignment) ? orr_ports_no_memory(&assignment) : status;
    status = status == ORR_OK ? check_interfaces(&assignment) : status;
    status = status == ORR_OK ? orr_ports_assign(&assignment, options->method) : status;
    return status == ORR_OK ? fill_crosses(&assignment) : status;
}

/* Writes the name of a layer: the jump of rings, or the number of a matching from 1 on. */
static void write_layer(FILE *file, const struct finder_topology *topology, uint32_t layer)
{
    const struct finder_layer *written = &topology->layer[layer];
    if (written->kind != FINDER_MATCHING) {
        (void)fprintf(file,
                      written->kind == FINDER_RINGS ? "ring +%" PRIu32 : "connection +%" PRIu32,
                      written->jump);
        return;
    }
    uint32_t number = 1;
    for (uint32_t y = 0; y < layer; y++) {
        number += topology->layer[y].kind == FINDER_MATCHING;
    }
    (void)fprintf(file, "matching %" PRIu32, number);
}

bool orr_port_map_write(FILE *file, const struct finder_topology *topology,
                        const struct port_map *map)
{
    (void)fputs("panel,from,to,kind,layer\n", file);
    for (uint32_t i = 0; i < map->crosses; i++) {
        const struct port_cross *cross = &map->cross[i];
        (void)fprintf(file, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s,", cross->panel, cross->from,
                      cross->to, cross->cable ? "cable" : "one-way");
        write_layer(file, topology, cross->layer);
        (void)fputc('\n', file);
    }
    return ferror(file) == 0;
}
