/* Slab and pairing heap of messages that wait at ports; see ports.h. */
#include "network/backends/ports.h"

static bool grow(struct port_slab *slab, uint32_t capacity)
{
    void *items = orr_heap_realloc(slab->items, (size_t)capacity * sizeof *slab->items);
    if (items == NULL) {
        return false;
    }
    slab->items = items;
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

uint32_t port_slab_new(struct port_slab *slab)
{
    const uint32_t item = slab->free_head;
    if (item != PORT_NONE) {
        slab->free_head = slab->items[item].sibling;
        return item;
    }
    if (slab->used == slab->capacity) {
        if (!grow(slab, slab->capacity == 0 ? 256 : slab->capacity + slab->capacity / 2)) {
            return PORT_NONE;
        }
    }
    return slab->used++;
}

void port_slab_fini(struct port_slab *slab)
{
    orr_heap_free(slab->items);
    orr_heap_free(slab->waits);
}

void port_slab_free(struct port_slab *slab, uint32_t item)
{
    slab->items[item].sibling = slab->free_head;
    slab->free_head = item;
}

static bool before(const struct port_slab *slab, const struct port_msg *a, const struct port_msg *b)
{
    if (a->order != b->order) {
        return a->order < b->order;
    }
    return a->label != b->label
               ? a->label < b->label
               : net_shift(slab->config, a->src, a->dst) < net_shift(slab->config, b->src, b->dst);
}

static uint32_t meld(struct port_slab *slab, uint32_t a, uint32_t b)
{
    if (a == PORT_NONE || b == PORT_NONE) {
        return a == PORT_NONE ? b : a;
    }
    if (before(slab, &slab->items[b], &slab->items[a])) {
        const uint32_t swap = a;
        a = b;
        b = swap;
    }
    slab->items[b].sibling = slab->items[a].child;
    slab->items[a].child = b;
    return a;
}

uint32_t port_heap_push(struct port_slab *slab, uint32_t root, uint32_t item)
{
    slab->items[item].child = PORT_NONE;
    slab->items[item].sibling = PORT_NONE;
    return meld(slab, root, item);
}

/* The usual two passes: pair the children from the left, then meld the pairs from the right. */
uint32_t port_heap_pop(struct port_slab *slab, uint32_t root)
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
        const uint32_t pair = meld(slab, first, second);
        slab->items[pair].sibling = pairs;
        pairs = pair;
    }
    uint32_t result = PORT_NONE;
    while (pairs != PORT_NONE) {
        const uint32_t next = slab->items[pairs].sibling;
        slab->items[pairs].sibling = PORT_NONE;
        result = meld(slab, result, pairs);
        pairs = next;
    }
    return result;
}
