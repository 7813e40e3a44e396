/* The groups of NPUs that all-reduces of a task graph are among, each once. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_GROUPS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_GROUPS_H

#include "core/core.h"

struct tg_group {
    const char *name; /* its place in the list plus one, as text: as nodes name it */
    const uint32_t *ranks;
    uint32_t count;
    bool across; /* of a graph with copies: those of every group together */
};

struct tg_groups {
    struct orr_arena *arena;
    struct tg_group *group; /* [count] */
    uint32_t *slot;         /* [slots], index into group plus one; open addressing */
    uint64_t *hash;         /* [count] */
    size_t capacity, hash_capacity;
    uint32_t count, slots;
};

/* An empty list; it lives in the arena. */
void orr_tg_groups_init(struct tg_groups *groups, struct orr_arena *arena);

/* The group of these ranks, borrowed for as long as the list lives: the same for the same ranks in
 * the same order, both across groups or not. NULL when memory is out. O(count). */
const struct tg_group *orr_tg_groups_find_or_add(struct tg_groups *groups,
                                                 const struct tg_group *key);

/* Of a graph with so many groups of so many NPUs: in place of the list, that of all NPUs' groups;
 * the ones that are not across are there for every group, under one name, group 0's first. The
 * ranks are new. false when memory is out. O(the ranks of all). */
bool orr_tg_groups_copy(struct tg_groups *groups, uint32_t copies, uint32_t group_npus);

#endif
