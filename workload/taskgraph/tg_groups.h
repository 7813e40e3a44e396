/* The set of NPU groups of a task graph's all-reduces, each once. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_GROUPS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_arena;

struct tg_group {
    const char *name; /* its index plus one, as text: the name in nodes */
    const uint32_t *ranks;
    uint32_t count;
    bool across; /* graph with copies: the members of all groups together */
};

struct tg_groups {
    struct orr_arena *arena;
    struct tg_group *group; /* [count] */
    uint32_t *slot;         /* [slots], index into group plus one; open addressing */
    uint64_t *hash;         /* [count] */
    size_t capacity, hash_capacity;
    uint32_t count, slots;
};

/* Initializes an empty list in the arena. */
void orr_tg_groups_init(struct tg_groups *groups, struct orr_arena *arena);

/* Finds the group with these ranks in this order and the same `across`, or adds it; borrowed, as
 * long as the list lives. NULL when memory is out. O(count). */
const struct tg_group *orr_tg_groups_find_or_add(struct tg_groups *groups,
                                                 const struct tg_group *key);

/* Replaces the list of group 0 by that of all groups of a graph with copies: a group that is not
 * across exists once for every group, under one name, group 0's first. The ranks are new. False
 * when memory is out. O(all ranks). */
bool orr_tg_groups_copy(struct tg_groups *groups, uint32_t copies, uint32_t group_npus);

#endif
