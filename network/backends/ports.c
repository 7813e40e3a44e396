/* Slab and pairing heap of messages that wait at ports; see ports.h. */
#include "network/backends/ports.h"

#include "network/coordinates.h"

static bool grow(struct port_slab *slab, uint32_t capacity)
{
    void *items = orr_heap_realloc(slab->items, (size_t)capacity * sizeof *slab->items);
    if (items == NULL) {
        return false;
    }
    slab->items = items;
    void *streams = orr_heap_realloc(slab->streams, (size_t)capacity * sizeof *slab->streams);
    if (streams == NULL) {
        return false;
    }
    slab->streams = streams;
    if (slab->keep_waits) {
        void *waits = orr_heap_realloc(slab->waits, (size_t)capacity * sizeof *slab->waits);
        if (waits == NULL) {
            return false;
        }
        slab->waits = waits;
    }
    slab->capacity = capacity;
    return true;
}

uint32_t orr_port_slab_extend(struct port_slab *slab)
{
    if (slab->used == slab->capacity) {
        if (!grow(slab, slab->capacity == 0 ? 256 : slab->capacity + slab->capacity / 2)) {
            return PORT_NONE;
        }
    }
    return slab->used++;
}

void orr_port_slab_fini(struct port_slab *slab)
{
    orr_heap_free(slab->items);
    orr_heap_free(slab->streams);
    orr_heap_free(slab->waits);
    orr_port_shares_fini(slab);
}

static bool before(const struct port_slab *slab, const struct port_msg *a, const struct port_msg *b)
{
    if (a->order != b->order) {
        return a->order < b->order;
    }
    return a->label != b->label ? a->label < b->label
                                : orr_net_shift(slab->config, a->src, a->dst) <
                                      orr_net_shift(slab->config, b->src, b->dst);
}

bool orr_port_before(const struct port_slab *slab, uint32_t a, uint32_t b)
{
    return before(slab, &slab->items[a], &slab->items[b]);
}

uint32_t orr_port_heap_meld(struct port_slab *slab, uint32_t a, uint32_t b)
{
    if (before(slab, &slab->items[b], &slab->items[a])) {
        const uint32_t swap = a;
        a = b;
        b = swap;
    }
    slab->items[b].sibling = slab->items[a].child;
    slab->items[a].child = b;
    return a;
}

/* The standard two passes: pair the children from the left, then meld the pairs from the right. */
uint32_t orr_port_heap_children(struct port_slab *slab, uint32_t root)
{
    uint32_t child = slab->items[root].child;
    uint32_t pairs = PORT_NONE;
    while (child != PORT_NONE) {
        const uint32_t first = child;
        const uint32_t second = slab->items[first].sibling;
        child = second != PORT_NONE ? slab->items[second].sibling : PORT_NONE;
        slab->items[first].sibling = PORT_NONE;
        if (second != PORT_NONE) {
            slab->items[second].sibling = PORT_NONE;
        }
        const uint32_t pair = second != PORT_NONE ? orr_port_heap_meld(slab, first, second) : first;
        slab->items[pair].sibling = pairs;
        pairs = pair;
    }
    uint32_t result = PORT_NONE;
    while (pairs != PORT_NONE) {
        const uint32_t next = slab->items[pairs].sibling;
        slab->items[pairs].sibling = PORT_NONE;
        result = result != PORT_NONE ? orr_port_heap_meld(slab, result, pairs) : pairs;
        pairs = next;
    }
    return result;
}
