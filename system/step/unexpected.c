/* Unexpected messages: those that arrive before the receiver has entered their phase. A hash table
 * by (stream, phase, receive), O(1): when members start at different times it holds most messages
 * of a collective. */
#include "system/step/stepping.h"

enum { FIRST_BITS = 8 };

struct unexpected {
    uint32_t next; /* next item of the bucket + 1 */
    uint32_t recv; /* index of the receive (or of the send, for rendezvous requests) */
    const struct sys_stream *stream;
    uint8_t phase;
    bool request;
};

void orr_sys_unexpected_init(struct sys *sys)
{
    orr_slab_init(&sys->unexpected.items, sys->arena, sizeof(struct unexpected));
}

/* Receives of a phase hash to adjacent buckets, because they are looked up in sequence. */
static uint32_t bucket_of(const struct sys_unexpected *unexpected, const struct unexpected *entry)
{
    uint64_t hash = (uintptr_t)entry->stream >> 6;
    hash = hash * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)entry->phase << 1 ^
           (entry->request ? 1 : 0);
    hash *= UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)((hash >> (64 - unexpected->bits)) + entry->recv) &
           (uint32_t)((UINT64_C(1) << unexpected->bits) - 1);
}

static struct unexpected *entry_at(const struct sys_unexpected *unexpected, uint32_t item)
{
    return orr_slab_at(&unexpected->items, item);
}

static void link_in(struct sys_unexpected *unexpected, uint32_t item)
{
    struct unexpected *entry = entry_at(unexpected, item);
    uint32_t *head = &unexpected->heads[bucket_of(unexpected, entry)];
    entry->next = *head;
    *head = item + 1;
}

/* Twice as many buckets. */
static bool grow(struct sys_unexpected *unexpected)
{
    const unsigned bits = unexpected->heads != NULL ? unexpected->bits + 1 : FIRST_BITS;
    uint32_t *heads = orr_heap_calloc((size_t)1 << bits, sizeof *heads);
    if (heads == NULL) {
        return false;
    }
    uint32_t *old = unexpected->heads;
    const size_t buckets = old != NULL ? (size_t)1 << unexpected->bits : 0;
    unexpected->heads = heads;
    unexpected->bits = bits;
    for (size_t i = 0; i < buckets; i++) {
        for (uint32_t item = old[i]; item != 0;) {
            const uint32_t next = entry_at(unexpected, item - 1)->next;
            link_in(unexpected, item - 1);
            item = next;
        }
    }
    orr_heap_free(old);
    return true;
}

void orr_sys_unexpected_add(struct sys *sys, struct sys_stream *stream, uint8_t phase,
                            uint32_t recv, bool request)
{
    struct sys_unexpected *unexpected = &sys->unexpected;
    const bool full = unexpected->heads == NULL || unexpected->count >> unexpected->bits != 0;
    const uint32_t item = full && !grow(unexpected) ? SYS_NONE : orr_slab_new(&unexpected->items);
    if (item == SYS_NONE) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    *entry_at(unexpected, item) =
        (struct unexpected){.stream = stream, .recv = recv, .phase = phase, .request = request};
    link_in(unexpected, item);
    unexpected->count++;
    stream->unexpected++;
}

bool orr_sys_unexpected_take(struct sys *sys, struct sys_stream *stream, uint8_t phase,
                             uint32_t recv, bool request)
{
    struct sys_unexpected *unexpected = &sys->unexpected;
    if (stream->unexpected == 0) {
        return false;
    }
    const struct unexpected wanted = {
        .stream = stream, .recv = recv, .phase = phase, .request = request};
    for (uint32_t *link = &unexpected->heads[bucket_of(unexpected, &wanted)]; *link != 0;) {
        const uint32_t item = *link - 1;
        struct unexpected *entry = entry_at(unexpected, item);
        if (entry->stream == stream && entry->recv == recv && entry->phase == phase &&
            entry->request == request) {
            *link = entry->next;
            orr_slab_free(&unexpected->items, item);
            unexpected->count--;
            stream->unexpected--;
            return true;
        }
        link = &entry->next;
    }
    return false;
}

void orr_sys_unexpected_fini(struct sys *sys)
{
    orr_heap_free(sys->unexpected.heads);
}
