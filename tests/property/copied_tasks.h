/* Random task graphs of alike groups. */
#ifndef ORR_TESTS_PROPERTY_COPIED_TASKS_H
#define ORR_TESTS_PROPERTY_COPIED_TASKS_H

#include <stdint.h>

struct orr_arena;
struct tg_graph;

/* A graph of the seed, in the arena: 2 to 5 groups of 1 to 4 NPUs, with few different times and
 * sizes, so that much happens in the same instant; all-reduces inside of groups and across them. */
void copied_tasks(struct orr_arena *arena, uint64_t seed, struct tg_graph *out);

#endif
