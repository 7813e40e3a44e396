/* The groups of NPUs that all-reduces of a task graph are among, each once. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_GROUPS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_GROUPS_H

#include "core/core.h"

struct tg_group {
    const char *name; /* its place in the list plus one, as text: as nodes name it */
    const uint32_t *ranks;
    uint32_t count;
};

struct tg_groups {
    struct orr_arena *arena;
    struct tg_group *group; /* [count] */
    uint32_t *slot;         /* [slots], index into group plus one; open addressing */
    uint64_t *hash;         /* [count] */
    size_t room, hash_room;
    uint32_t count, slots;
};

/* An empty list; it lives in the arena. */
void orr_tg_groups_init(struct tg_groups *groups, struct orr_arena *arena);

/* The group of these ranks, borrowed for as long as the list lives: the same for the same ranks in
 * the same order. NULL when memory is out. O(count). */
const struct tg_group *orr_tg_groups_find(struct tg_groups *groups, const uint32_t *ranks,
                                          uint32_t count);

#endif
