/* What is laid, layer by layer, and whether it holds together. Every ring of a layer comes back to
 * where it began and a cable goes both ways, so that who is joined at all is joined both ways. */
#include "planner/finder/finder_private.h"

enum orr_status orr_finder_lay(struct finding *finding, const struct finder_layer *layer)
{
    struct finder_layer *grown =
        orr_arena_grow(finding->arena, finding->layer, &finding->layer_room,
                       (size_t)finding->out->layers + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_finder_no_memory(finding);
    }
    finding->layer = grown;
    finding->out->layer = grown;
    grown[finding->out->layers++] = *layer;
    for (uint32_t i = 0; i < layer->links; i++) {
        finding->used[layer->link[i].from]++;
        finding->used[layer->link[i].to] += layer->duplex ? 1 : 0;
    }
    return ORR_OK;
}

static void leave(struct finding *finding, const struct finder_layer *layer)
{
    for (uint32_t i = 0; i < layer->links; i++) {
        finding->used[layer->link[i].from]--;
        finding->used[layer->link[i].to] -= layer->duplex ? 1 : 0;
    }
}

/* From member 0 on, one jump after the other; two servers have one cable. Returns the links.
 * member NULL: server i is member i. */
static uint32_t put_ring(const uint32_t *member, uint32_t k, const struct finder_layer *layer,
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

static struct finder_layer layer_of(const struct finding *finding, uint32_t members, uint32_t jump)
{
    return (struct finder_layer){.jump = jump,
                                 .duplex = finding->options->links == NET_DUPLEX,
                                 .interfaces = orr_finder_cost(finding, members)};
}

enum orr_status orr_finder_lay_rings(struct finding *finding, uint32_t of_class, uint32_t jump)
{
    const struct finder_class *of = &finding->of[of_class];
    struct finder_layer layer = layer_of(finding, of->members, jump);
    struct finder_link *link =
        orr_arena_array(finding->arena, (size_t)of->groups * of->members, sizeof *link);
    layer.of_class = of_class;
    layer.link = link;
    for (uint32_t g = 0; g < of->groups && link != NULL; g++) {
        const struct finder_group *group = &finding->group[of->group[g]];
        layer.links += put_ring(group->member, of->members, &layer, link + layer.links);
    }
    return link != NULL ? orr_finder_lay(finding, &layer) : orr_finder_no_memory(finding);
}

enum orr_status orr_finder_lay_connection(struct finding *finding, uint32_t jump)
{
    const uint32_t n = finding->demand->servers;
    struct finder_layer layer = layer_of(finding, n, jump);
    struct finder_link *link = orr_arena_array(finding->arena, n, sizeof *link);
    if (link == NULL) {
        return orr_finder_no_memory(finding);
    }
    layer.kind = FINDER_CONNECTION;
    layer.link = link;
    layer.links = put_ring(NULL, n, &layer, link);
    return orr_finder_lay(finding, &layer);
}

void orr_finder_take_back(struct finding *finding)
{
    const struct finder_layer *last = &finding->layer[--finding->out->layers];
    leave(finding, last);
    if (last->kind == FINDER_RINGS) {
        struct finder_class *of = &finding->of[last->of_class];
        of->degree -= last->interfaces;
        of->jumps.jumps--;
        finding->out->taken_back++;
    }
}

enum orr_status orr_finder_is_whole(struct finding *finding, bool *whole)
{
    const uint32_t n = finding->demand->servers;
    uint32_t *leads = orr_arena_array(finding->arena, n, sizeof *leads), parts = n;
    if (leads == NULL) {
        return orr_finder_no_memory(finding);
    }
    orr_union_find_init(leads, n);
    for (uint32_t l = 0; l < finding->out->layers; l++) {
        const struct finder_layer *layer = &finding->layer[l];
        for (uint32_t i = 0; i < layer->links; i++) {
            parts -= orr_union_find_unite(leads, layer->link[i].from, layer->link[i].to) ? 1 : 0;
        }
    }
    *whole = parts == 1;
    return ORR_OK;
}
