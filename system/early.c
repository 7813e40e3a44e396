/* Messages that came before their receiver was ready for them: a short list per stream, in a slab.
 * Rare in lock-step jobs; without it a receiver that starts late would lose messages. */
#include "system/internal.h"

static struct early *early_at(struct sys *sys, uint32_t item)
{
    return orr_slab_at(&sys->early, item);
}

void sys_early_add(struct sys *sys, struct sys_stream *stream, uint8_t phase, uint32_t recv,
                   bool request)
{
    const uint32_t item = orr_slab_new(&sys->early);
    if (item == SYS_NONE) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    *early_at(sys, item) =
        (struct early){.next = stream->early, .recv = recv, .phase = phase, .request = request};
    stream->early = item;
}

bool sys_early_take(struct sys *sys, struct sys_stream *stream, uint8_t phase, uint32_t recv,
                    bool request)
{
    for (uint32_t *link = &stream->early; *link != SYS_NONE;) {
        const uint32_t item = *link;
        struct early *entry = early_at(sys, item);
        if (entry->phase == phase && entry->recv == recv && entry->request == request) {
            *link = entry->next;
            orr_slab_free(&sys->early, item);
            return true;
        }
        link = &entry->next;
    }
    return false;
}
