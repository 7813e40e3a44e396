/* Messages that came before their receiver was ready for them: a short list per stream, in a slab.
 * Rare in lock-step jobs; without it a receiver that starts late would lose messages. */
#include "system/internal.h"

static uint32_t new_item(struct early_slab *slab)
{
    const uint32_t item = slab->free_head;
    if (item != SYS_NONE) {
        slab->free_head = slab->items[item].next;
        return item;
    }
    if (slab->used == slab->capacity) {
        const uint32_t capacity = slab->capacity == 0 ? 64 : slab->capacity * 2;
        void *grown = orr_heap_realloc(slab->items, (size_t)capacity * sizeof *slab->items);
        if (grown == NULL) {
            return SYS_NONE;
        }
        slab->items = grown;
        slab->capacity = capacity;
    }
    return slab->used++;
}

void sys_early_add(struct sys *sys, struct sys_stream *stream, uint8_t phase, uint32_t recv,
                   bool request)
{
    const uint32_t item = new_item(&sys->early);
    if (item == SYS_NONE) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    sys->early.items[item] =
        (struct early){.next = stream->early, .recv = recv, .phase = phase, .request = request};
    stream->early = item;
}

bool sys_early_take(struct sys *sys, struct sys_stream *stream, uint8_t phase, uint32_t recv,
                    bool request)
{
    for (uint32_t *link = &stream->early; *link != SYS_NONE;) {
        const uint32_t item = *link;
        struct early *entry = &sys->early.items[item];
        if (entry->phase == phase && entry->recv == recv && entry->request == request) {
            *link = entry->next;
            entry->next = sys->early.free_head;
            sys->early.free_head = item;
            return true;
        }
        link = &entry->next;
    }
    return false;
}
