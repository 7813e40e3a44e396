/* The set of NPU groups of all-reduces; see tg_groups.h. */
#include "workload/taskgraph/tg_groups.h"

#include "core/arena.h"

#include <inttypes.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

void orr_tg_groups_init(struct tg_groups *groups, struct orr_arena *arena)
{
    *groups = (struct tg_groups){.arena = arena};
}

/* FNV-1a over the ranks. */
static uint64_t hash_of(const struct tg_group *group)
{
    uint64_t hash = UINT64_C(14695981039346656037) ^ (group->across ? 1 : 0);
    for (uint32_t i = 0; i < group->count; i++) {
        hash = (hash ^ group->ranks[i]) * UINT64_C(1099511628211);
    }
    return hash ^ (hash >> 32);
}

/* The slot of the group, or the free slot for it. */
static uint32_t find_slot(const struct tg_groups *groups, const struct tg_group *key, uint64_t hash)
{
    const uint32_t mask = groups->slots - 1;
    uint32_t at = (uint32_t)hash & mask;
    for (; groups->slot[at] != 0; at = (at + 1) & mask) {
        const uint32_t index = groups->slot[at] - 1;
        const struct tg_group *group = &groups->group[index];
        if (groups->hash[index] == hash && group->count == key->count &&
            group->across == key->across &&
            memcmp(group->ranks, key->ranks, key->count * sizeof *key->ranks) == 0) {
            break;
        }
    }
    return at;
}

/* At most half of the slots are taken. */
static bool make_slots(struct tg_groups *groups)
{
    if (groups->slots != 0 && (groups->count + 1) * 2 <= groups->slots) {
        return true;
    }
    const uint32_t slots = groups->slots == 0 ? FIRST_SLOTS : groups->slots * 2;
    uint32_t *slot = orr_arena_array(groups->arena, slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    groups->slot = slot;
    groups->slots = slots;
    for (uint32_t i = 0; i < groups->count; i++) {
        slot[find_slot(groups, &groups->group[i], groups->hash[i])] = i + 1;
    }
    return true;
}

static const struct tg_group *add(struct tg_groups *groups, const struct tg_group *key,
                                  uint64_t hash, uint32_t slot)
{
    const size_t count = groups->count;
    struct tg_group *group =
        orr_arena_grow(groups->arena, groups->group, &groups->capacity, count + 1, sizeof *group);
    uint64_t *hashes = orr_arena_grow(groups->arena, groups->hash, &groups->hash_capacity,
                                      count + 1, sizeof *hashes);
    const char *name = orr_arena_printf(groups->arena, "%" PRIu32, groups->count + 1);
    groups->group = group != NULL ? group : groups->group;
    groups->hash = hashes != NULL ? hashes : groups->hash;
    if (group == NULL || hashes == NULL || name == NULL) {
        return NULL;
    }
    group[count] = *key;
    group[count].name = name;
    hashes[count] = hash;
    groups->slot[slot] = ++groups->count;
    return &group[count];
}

const struct tg_group *orr_tg_groups_find_or_add(struct tg_groups *groups,
                                                 const struct tg_group *key)
{
    const uint64_t hash = hash_of(key);
    if (!make_slots(groups)) {
        return NULL;
    }
    const uint32_t slot = find_slot(groups, key, hash);
    return groups->slot[slot] != 0 ? &groups->group[groups->slot[slot] - 1]
                                   : add(groups, key, hash, slot);
}

/* ---- of all groups ---- */

/* The ranks of consecutive groups from `first` on, concatenated. */
static const uint32_t *ranks_of(struct tg_groups *groups, const struct tg_group *group,
                                uint32_t first, uint32_t count, uint32_t group_npus)
{
    uint32_t *ranks = orr_arena_array(groups->arena, (size_t)group->count * count, sizeof *ranks);
    for (uint32_t c = 0; ranks != NULL && c < count; c++) {
        for (uint32_t i = 0; i < group->count; i++) {
            ranks[(size_t)c * group->count + i] = group->ranks[i] + (first + c) * group_npus;
        }
    }
    return ranks;
}

bool orr_tg_groups_copy(struct tg_groups *groups, uint32_t copies, uint32_t group_npus)
{
    size_t all = 0, at = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        all += groups->group[i].across ? 1 : copies;
    }
    struct tg_group *group = orr_arena_array(groups->arena, all, sizeof *group);
    bool kept = all == 0 || group != NULL;
    for (uint32_t i = 0; i < groups->count && kept; i++) {
        const struct tg_group *from = &groups->group[i];
        const uint32_t together = from->across ? copies : 1;
        for (uint32_t first = 0; first < copies && kept; first += together) {
            group[at] = *from;
            group[at].count = from->count * together;
            group[at].ranks = ranks_of(groups, from, first, together, group_npus);
            kept = group[at++].ranks != NULL;
        }
    }
    groups->group = group;
    groups->count = (uint32_t)at;
    return kept;
}
