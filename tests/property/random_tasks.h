/* Random task graphs. */
#ifndef ORR_TESTS_PROPERTY_RANDOM_TASKS_H
#define ORR_TESTS_PROPERTY_RANDOM_TASKS_H

#include <stdint.h>

struct orr_arena;
struct tg_graph;

/* A checked graph of the seed, in the arena: all roles and passes, names, dependencies that lead up
 * or (with an order of its own) down, copies, all-reduces across them. */
void random_tasks(struct orr_arena *arena, uint64_t seed, struct tg_graph *out);

#endif
