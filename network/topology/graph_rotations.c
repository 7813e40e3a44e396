/* Graph automorphisms by rotation: shifts of one digit of the NPU numbers that map every link to a
 * link of the same kind, and the link classes that follow (docs/models.md, section 9).
 *
 * The rotation defines the images of NPUs; switches are mapped greedily. The switch at the end of a
 * link maps to the first free switch behind an identical link that is linked to the images of the
 * switch's mapped neighbours. With interchangeable switches this is a guess, so every link is
 * checked at the end: a rotation that is found is an automorphism, but one may be missed. */
#include "core/arena.h"
#include "core/fold.h"
#include "network/graph.h"
#include "network/graph_rotation.h"

void orr_net_graph_number(struct net_graph *graph, const uint32_t *size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (size[i] > 1 && graph->digits < NET_MAX_DIGITS) {
            graph->digit[graph->digits++] = size[i];
        }
    }
}

static bool is_same_kind(const struct net_link *a, const struct net_link *b)
{
    return a->count == b->count && a->latency_ps == b->latency_ps &&
           !(a->bytes_per_s < b->bytes_per_s) && !(a->bytes_per_s > b->bytes_per_s);
}

/* ---- switches ---- */

struct mapping {
    const struct net_graph *graph;
    uint32_t *image; /* [nodes]; NET_NO_LINK: not mapped yet */
    bool *taken;     /* [nodes] */
    uint32_t *queue; /* [nodes], mapped nodes */
    uint32_t known;
};

static uint32_t image_of_link(const struct net_graph *graph, const uint32_t *image, uint32_t link)
{
    const struct net_link *from = &graph->link[link];
    const uint32_t to = orr_net_graph_find(graph, image[from->from], image[from->to]);
    return to != NET_NO_LINK && is_same_kind(from, &graph->link[to]) ? to : NET_NO_LINK;
}

/* Whether the links of `node` to mapped nodes map to identical links if `other` is its image. */
static bool can_map(struct mapping *mapping, uint32_t node, uint32_t other)
{
    const struct net_graph *graph = mapping->graph;
    bool good = true;
    mapping->image[node] = other;
    for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1] && good; i++) {
        good = mapping->image[graph->link[i].to] == NET_NO_LINK ||
               image_of_link(graph, mapping->image, i) != NET_NO_LINK;
    }
    mapping->image[node] = good ? other : NET_NO_LINK;
    return good;
}

/* Maps the switch at the end of a link whose first node is mapped. */
static bool map_switch(struct mapping *mapping, uint32_t link)
{
    const struct net_graph *graph = mapping->graph;
    const struct net_link *of = &graph->link[link];
    const uint32_t from = mapping->image[of->from];
    for (uint32_t i = graph->first_out[from]; i < graph->first_out[from + 1]; i++) {
        const uint32_t to = graph->link[i].to;
        if (to >= graph->npus && !mapping->taken[to] && is_same_kind(of, &graph->link[i]) &&
            can_map(mapping, of->to, to)) {
            mapping->taken[to] = true;
            mapping->queue[mapping->known++] = of->to;
            return true;
        }
    }
    return false;
}

static bool map_switches(struct mapping *mapping)
{
    const struct net_graph *graph = mapping->graph;
    bool good = true;
    for (uint32_t n = 0; n < mapping->known && good; n++) {
        const uint32_t node = mapping->queue[n];
        for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1] && good; i++) {
            good = mapping->image[graph->link[i].to] != NET_NO_LINK || map_switch(mapping, i);
        }
    }
    return good && mapping->known == graph->nodes;
}

static bool map_nodes(const struct net_graph *graph, const struct net_rotation *rotation,
                      uint32_t *image)
{
    struct mapping mapping = {.graph = graph,
                              .image = image,
                              .taken = orr_heap_calloc(graph->nodes, sizeof(bool)),
                              .queue = orr_heap_calloc(graph->nodes, sizeof(uint32_t))};
    bool good = mapping.taken != NULL && mapping.queue != NULL;
    for (uint32_t n = 0; n < graph->nodes && good; n++) {
        image[n] = n < graph->npus ? net_rotated(rotation, n) : NET_NO_LINK;
        mapping.queue[mapping.known] = n;
        mapping.known += n < graph->npus;
    }
    good = good && map_switches(&mapping);
    orr_heap_free(mapping.taken);
    orr_heap_free(mapping.queue);
    return good;
}

/* ---- rotations ---- */

bool orr_net_graph_rotate(const struct net_graph *graph, const struct net_rotation *rotation,
                          struct orr_arena *arena, struct net_images *images)
{
    *images = (struct net_images){
        .node = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
        .link = orr_arena_array(arena, (size_t)graph->links + 1, sizeof(uint32_t))};
    bool good =
        images->node != NULL && images->link != NULL && map_nodes(graph, rotation, images->node);
    for (uint32_t i = 0; i < graph->links && good; i++) {
        images->link[i] = image_of_link(graph, images->node, i);
        good = images->link[i] != NET_NO_LINK;
    }
    return good; /* injective, because the node map is */
}

/* ---- representatives ---- */

/* Sets the representative of each orbit of `image` to the minimum of its links. */
static void take_orbit_min(const uint32_t *image, uint32_t links, bool *done,
                           uint32_t *representative)
{
    for (uint32_t first = 0; first < links; first++) {
        uint32_t min = representative[first];
        for (uint32_t i = image[first]; !done[first] && i != first; i = image[i]) {
            min = representative[i] < min ? representative[i] : min;
        }
        for (uint32_t i = first; !done[i]; i = image[i]) {
            representative[i] = min;
            done[i] = true;
        }
    }
}

static enum orr_status merge_orbits(const struct net_graph *graph,
                                    const struct orr_fold_digit *digit, uint32_t *representative)
{
    const struct net_rotation rotation = {.stride = digit->stride, .size = digit->size, .step = 1};
    struct orr_arena *scratch = orr_arena_create();
    bool *done = orr_heap_calloc((size_t)graph->links + 1, sizeof *done);
    enum orr_status status = ORR_ERR_MEMORY;
    struct net_images images;
    if (scratch != NULL && done != NULL) {
        status = orr_net_graph_rotate(graph, &rotation, scratch, &images) ? ORR_OK : ORR_ERR_INPUT;
    }
    if (status == ORR_OK) {
        take_orbit_min(images.link, graph->links, done, representative);
    }
    orr_heap_free(done);
    orr_arena_destroy(scratch);
    return status;
}

/* Whether every class of links has as many members as a class of NPUs. */
static enum orr_status check_classes(uint32_t links, uint32_t class_size,
                                     const uint32_t *representative)
{
    uint32_t *count = orr_heap_calloc((size_t)links + 1, sizeof *count);
    enum orr_status status = count != NULL ? ORR_OK : ORR_ERR_MEMORY;
    for (uint32_t i = 0; i < links && status == ORR_OK; i++) {
        count[representative[i]]++;
    }
    for (uint32_t i = 0; i < links && status == ORR_OK; i++) {
        status = count[i] == 0 || count[i] == class_size ? ORR_OK : ORR_ERR_INPUT;
    }
    orr_heap_free(count);
    return status;
}

enum orr_status orr_net_graph_representatives(const struct net_graph *graph,
                                              const struct orr_fold *fold, uint32_t *representative)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < graph->links; i++) {
        representative[i] = i;
    }
    for (unsigned d = 0; d < fold->digits && !fold->none && status == ORR_OK; d++) {
        if (fold->digit[d].folded) {
            status = merge_orbits(graph, &fold->digit[d], representative);
        }
    }
    return status == ORR_OK ? check_classes(graph->links, fold->class_size, representative)
                            : status;
}
