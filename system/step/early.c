/* Messages that came before their receiver was ready for them: a table by stream, phase and
 * receive. Rare in lock-step jobs; without it a receiver that starts late would lose messages.
 * Where members start at different times nearly all messages of a collective are here at once, so
 * that finding one takes O(1). */
#include "system/step/stepping.h"

enum { FIRST_BITS = 8 };

struct early {
    uint32_t next; /* of its bucket, + 1 */
    uint32_t recv; /* index of the receive (or of the send, for rendezvous requests) */
    const struct sys_stream *stream;
    uint8_t phase;
    bool request;
};

void orr_sys_early_init(struct sys *sys)
{
    orr_slab_init(&sys->early.items, sys->arena, sizeof(struct early));
}

/* The receives of a phase are side by side, as they are asked for. */
static uint32_t bucket_of(const struct sys_early *early, const struct early *entry)
{
    uint64_t hash = (uintptr_t)entry->stream >> 6;
    hash = hash * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)entry->phase << 1 ^
           (entry->request ? 1 : 0);
    hash *= UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)((hash >> (64 - early->bits)) + entry->recv) &
           (uint32_t)((UINT64_C(1) << early->bits) - 1);
}

static struct early *early_at(const struct sys_early *early, uint32_t item)
{
    return orr_slab_at(&early->items, item);
}

static void link_in(struct sys_early *early, uint32_t item)
{
    struct early *entry = early_at(early, item);
    uint32_t *head = &early->heads[bucket_of(early, entry)];
    entry->next = *head;
    *head = item + 1;
}

/* Twice as many buckets. */
static bool grow(struct sys_early *early)
{
    const unsigned bits = early->heads != NULL ? early->bits + 1 : FIRST_BITS;
    uint32_t *heads = orr_heap_calloc((size_t)1 << bits, sizeof *heads);
    if (heads == NULL) {
        return false;
    }
    uint32_t *old = early->heads;
    const size_t buckets = old != NULL ? (size_t)1 << early->bits : 0;
    early->heads = heads;
    early->bits = bits;
    for (size_t i = 0; i < buckets; i++) {
        for (uint32_t item = old[i]; item != 0;) {
            const uint32_t next = early_at(early, item - 1)->next;
            link_in(early, item - 1);
            item = next;
        }
    }
    orr_heap_free(old);
    return true;
}

void orr_sys_early_add(struct sys *sys, struct sys_stream *stream, uint8_t phase, uint32_t recv,
                       bool request)
{
    struct sys_early *early = &sys->early;
    const bool full = early->heads == NULL || early->count >> early->bits != 0;
    const uint32_t item = full && !grow(early) ? SYS_NONE : orr_slab_new(&early->items);
    if (item == SYS_NONE) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    *early_at(early, item) =
        (struct early){.stream = stream, .recv = recv, .phase = phase, .request = request};
    link_in(early, item);
    early->count++;
    stream->early++;
}

bool orr_sys_early_take(struct sys *sys, struct sys_stream *stream, uint8_t phase, uint32_t recv,
                        bool request)
{
    struct sys_early *early = &sys->early;
    if (stream->early == 0) {
        return false;
    }
    const struct early wanted = {
        .stream = stream, .recv = recv, .phase = phase, .request = request};
    for (uint32_t *link = &early->heads[bucket_of(early, &wanted)]; *link != 0;) {
        const uint32_t item = *link - 1;
        struct early *entry = early_at(early, item);
        if (entry->stream == stream && entry->recv == recv && entry->phase == phase &&
            entry->request == request) {
            *link = entry->next;
            orr_slab_free(&early->items, item);
            early->count--;
            stream->early--;
            return true;
        }
        link = &entry->next;
    }
    return false;
}

void orr_sys_early_fini(struct sys *sys)
{
    orr_heap_free(sys->early.heads);
}
