/* Layers of links, and connectivity. Rings are closed and cables have two directions, so that
 * connected servers are strongly connected. */
#include "core/arena.h"
#include "core/union_find.h"
#include "planner/finder/finder_private.h"

enum orr_status orr_finder_add_layer(struct finder *finder, const struct finder_layer *layer)
{
    struct finder_layer *grown =
        orr_arena_grow(finder->arena, finder->layer, &finder->layer_capacity,
                       (size_t)finder->out->layers + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_finder_no_memory(finder);
    }
    finder->layer = grown;
    finder->out->layer = grown;
    grown[finder->out->layers++] = *layer;
    for (uint32_t i = 0; i < layer->links; i++) {
        finder->used[layer->link[i].from]++;
        finder->used[layer->link[i].to] += layer->duplex ? 1 : 0;
    }
    return ORR_OK;
}

static void release_interfaces(struct finder *finder, const struct finder_layer *layer)
{
    for (uint32_t i = 0; i < layer->links; i++) {
        finder->used[layer->link[i].from]--;
        finder->used[layer->link[i].to] -= layer->duplex ? 1 : 0;
    }
}

/* Writes the links of a ring from member 0 on; two servers have one cable. Returns the number of
 * links. member NULL: server i is member i. */
static uint32_t fill_ring(const uint32_t *member, uint32_t k, const struct finder_layer *layer,
                          struct finder_link *link)
{
    const uint32_t links = layer->duplex && k == 2 ? 1 : k;
    uint32_t at = 0;
    for (uint32_t i = 0; i < links; i++) {
        const uint32_t next = (at + layer->jump) % k;
        link[i] = member == NULL ? (struct finder_link){.from = at, .to = next}
                                 : (struct finder_link){.from = member[at], .to = member[next]};
        at = next;
    }
    return links;
}

static struct finder_layer layer_of(const struct finder *finder, uint32_t members, uint32_t jump)
{
    return (struct finder_layer){.jump = jump,
                                 .duplex = finder->options->links == NET_DUPLEX,
                                 .interfaces = orr_finder_cost(finder, members)};
}

enum orr_status orr_finder_add_ring_layer(struct finder *finder, uint32_t of_class, uint32_t jump)
{
    const struct finder_class *of = &finder->of[of_class];
    struct finder_layer layer = layer_of(finder, of->members, jump);
    struct finder_link *link =
        orr_arena_array(finder->arena, (size_t)of->groups * of->members, sizeof *link);
    layer.of_class = of_class;
    layer.link = link;
    for (uint32_t g = 0; g < of->groups && link != NULL; g++) {
        const struct finder_group *group = &finder->group[of->group[g]];
        layer.links += fill_ring(group->member, of->members, &layer, link + layer.links);
    }
    return link != NULL ? orr_finder_add_layer(finder, &layer) : orr_finder_no_memory(finder);
}

enum orr_status orr_finder_add_connection_layer(struct finder *finder, uint32_t jump)
{
    const uint32_t n = finder->demand->servers;
    struct finder_layer layer = layer_of(finder, n, jump);
    struct finder_link *link = orr_arena_array(finder->arena, n, sizeof *link);
    if (link == NULL) {
        return orr_finder_no_memory(finder);
    }
    layer.kind = FINDER_CONNECTION;
    layer.link = link;
    layer.links = fill_ring(NULL, n, &layer, link);
    return orr_finder_add_layer(finder, &layer);
}

void orr_finder_remove_layer(struct finder *finder)
{
    const struct finder_layer *last = &finder->layer[--finder->out->layers];
    release_interfaces(finder, last);
    if (last->kind == FINDER_RINGS) {
        struct finder_class *of = &finder->of[last->of_class];
        of->degree -= last->interfaces;
        of->jumps.jumps--;
        finder->out->removed_jumps++;
    }
}

enum orr_status orr_finder_is_connected(struct finder *finder, bool *connected)
{
    const uint32_t n = finder->demand->servers;
    uint32_t *leads = orr_arena_array(finder->arena, n, sizeof *leads), parts = n;
    if (leads == NULL) {
        return orr_finder_no_memory(finder);
    }
    orr_union_find_init(leads, n);
    for (uint32_t l = 0; l < finder->out->layers; l++) {
        const struct finder_layer *layer = &finder->layer[l];
        for (uint32_t i = 0; i < layer->links; i++) {
            parts -= orr_union_find_unite(leads, layer->link[i].from, layer->link[i].to) ? 1 : 0;
        }
    }
    *connected = parts == 1;
    return ORR_OK;
}
