/* See traffic.h. The pairs are a list with a hash table of open addressing. */
#include "network/traffic.h"

#include "core/arena.h"
#include "core/sum.h"

struct net_traffic {
    struct orr_arena *arena;
    struct net_pair *pair;
    uint32_t *slot; /* 1 + number of a pair; 0: free */
    size_t pairs, pair_alloc, slots;
    bool failed;
};

struct net_traffic *orr_net_traffic_create(struct orr_arena *arena)
{
    struct net_traffic *traffic = orr_arena_alloc(arena, sizeof *traffic);
    if (traffic != NULL) {
        traffic->arena = arena;
    }
    return traffic;
}

static size_t slot_of(const struct net_traffic *traffic, uint32_t src, uint32_t dst)
{
    const uint64_t hash = ((uint64_t)src << 32 | dst) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (traffic->slots - 1);
    while (traffic->slot[at] != 0) {
        const struct net_pair *pair = &traffic->pair[traffic->slot[at] - 1];
        if (pair->src == src && pair->dst == dst) {
            break;
        }
        at = (at + 1) & (traffic->slots - 1);
    }
    return at;
}

/* At most half of the slots are in use. */
static bool grow(struct net_traffic *traffic)
{
    struct net_pair *grown = orr_arena_grow(traffic->arena, traffic->pair, &traffic->pair_alloc,
                                            traffic->pairs + 1, sizeof *grown);
    if (grown == NULL || traffic->pairs >= UINT32_MAX - 1) {
        return false;
    }
    traffic->pair = grown;
    if (2 * (traffic->pairs + 1) <= traffic->slots) {
        return true;
    }
    const size_t slots = traffic->slots == 0 ? 256 : 2 * traffic->slots;
    uint32_t *slot = orr_arena_array(traffic->arena, slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    traffic->slot = slot;
    traffic->slots = slots;
    for (size_t i = 0; i < traffic->pairs; i++) {
        slot[slot_of(traffic, grown[i].src, grown[i].dst)] = (uint32_t)i + 1;
    }
    return true;
}

void orr_net_traffic_add(struct net_traffic *traffic, uint32_t src, uint32_t dst, uint64_t bytes)
{
    if (traffic->failed || !grow(traffic)) {
        traffic->failed = true;
        return;
    }
    const size_t at = slot_of(traffic, src, dst);
    if (traffic->slot[at] == 0) {
        traffic->pair[traffic->pairs++] = (struct net_pair){.src = src, .dst = dst};
        traffic->slot[at] = (uint32_t)traffic->pairs;
    }
    struct net_pair *pair = &traffic->pair[traffic->slot[at] - 1];
    pair->messages++;
    pair->bytes = orr_capped_sum(pair->bytes, bytes);
}

bool orr_net_traffic_failed(const struct net_traffic *traffic)
{
    return traffic->failed;
}

const struct net_pair *orr_net_traffic_pairs(const struct net_traffic *traffic, size_t *count)
{
    *count = traffic->pairs;
    return traffic->pair;
}
