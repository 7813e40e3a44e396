/* See tg_groups.h. */
#include "workload/taskgraph/tg_groups.h"

#include <inttypes.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

void orr_tg_groups_init(struct tg_groups *groups, struct orr_arena *arena)
{
    *groups = (struct tg_groups){.arena = arena};
}

/* FNV-1a over the ranks. */
static uint64_t hash_of(const uint32_t *ranks, uint32_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ ranks[i]) * UINT64_C(1099511628211);
    }
    return hash ^ (hash >> 32);
}

/* The slot of the group, or the free one where it belongs. */
static uint32_t find_slot(const struct tg_groups *groups, const uint32_t *ranks, uint32_t count,
                          uint64_t hash)
{
    const uint32_t mask = groups->slots - 1;
    uint32_t at = (uint32_t)hash & mask;
    for (; groups->slot[at] != 0; at = (at + 1) & mask) {
        const uint32_t index = groups->slot[at] - 1;
        const struct tg_group *group = &groups->group[index];
        if (groups->hash[index] == hash && group->count == count &&
            memcmp(group->ranks, ranks, count * sizeof *ranks) == 0) {
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
        const struct tg_group *group = &groups->group[i];
        slot[find_slot(groups, group->ranks, group->count, groups->hash[i])] = i + 1;
    }
    return true;
}

static const struct tg_group *add(struct tg_groups *groups, const struct tg_group *given,
                                  uint64_t hash, uint32_t slot)
{
    const size_t count = groups->count;
    struct tg_group *group =
        orr_arena_grow(groups->arena, groups->group, &groups->room, count + 1, sizeof *group);
    uint64_t *hashes =
        orr_arena_grow(groups->arena, groups->hash, &groups->hash_room, count + 1, sizeof *hashes);
    const char *name = orr_arena_printf(groups->arena, "%" PRIu32, groups->count + 1);
    groups->group = group != NULL ? group : groups->group;
    groups->hash = hashes != NULL ? hashes : groups->hash;
    if (group == NULL || hashes == NULL || name == NULL) {
        return NULL;
    }
    group[count] = *given;
    group[count].name = name;
    hashes[count] = hash;
    groups->slot[slot] = ++groups->count;
    return &group[count];
}

const struct tg_group *orr_tg_groups_find(struct tg_groups *groups, const uint32_t *ranks,
                                          uint32_t count)
{
    const struct tg_group given = {.ranks = ranks, .count = count};
    const uint64_t hash = hash_of(ranks, count);
    if (!make_slots(groups)) {
        return NULL;
    }
    const uint32_t slot = find_slot(groups, ranks, count, hash);
    return groups->slot[slot] != 0 ? &groups->group[groups->slot[slot] - 1]
                                   : add(groups, &given, hash, slot);
}
