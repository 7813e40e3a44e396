/* Builds a task graph: tasks are numbered from 0 in the order in which they are added; dependencies
 * may be added in any order. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_BUILDER_H
#define ORR_WORKLOAD_TASKGRAPH_TG_BUILDER_H

#include "workload/taskgraph/tg_graph.h"

struct tg_builder;

/* Creates a builder of a graph of `npus` NPUs in `copies` groups; NULL when memory is out.
 * orr_tg_builder_destroy frees it (NULL is fine). */
struct tg_builder *orr_tg_builder_create(uint32_t npus, uint32_t copies);
void orr_tg_builder_destroy(struct tg_builder *builder);

/* Reserves memory for this many tasks and dependencies in total; only a hint. */
void orr_tg_builder_reserve(struct tg_builder *builder, size_t tasks, size_t waits);

/* Sets the file that messages name, and the origin that labels tasks. Borrowed; file, context and
 * functions must outlive the graph. */
void orr_tg_builder_set_origin(struct tg_builder *builder, const char *file,
                               const struct tg_origin *origin);

/* The number of a name, which is copied; equal texts have equal numbers, "" has 0. O(length). */
uint32_t orr_tg_builder_name(struct tg_builder *builder, const char *text);

/* Adds a task and returns its number; first_next is ignored. Amortized O(1). */
uint32_t orr_tg_builder_add(struct tg_builder *builder, const struct tg_task *task);

/* Adds an all-reduce among members[count], copied, and returns its number. */
uint32_t orr_tg_builder_all_reduce(struct tg_builder *builder, const struct tg_task *task,
                                   const uint32_t *members, uint32_t count);

/* Adds a dependency: `task` waits for `for_task`. Tasks that wait for the same one begin in the
 * order of these calls; of repeated calls the last counts. Amortized O(1). */
void orr_tg_builder_wait(struct tg_builder *builder, uint32_t task, uint32_t for_task);

/* Sets tg_graph.order, copied: [tasks]. */
void orr_tg_builder_order(struct tg_builder *builder, const uint32_t *order);

/* Sets tg_graph.first_come. */
void orr_tg_builder_first_come(struct tg_builder *builder);

/* Finishes and checks the graph (orr_tg_check), in the arena. Also reports memory that ran out
 * earlier. Afterwards the builder can only be destroyed. O(tasks + dependencies + members). */
enum orr_status orr_tg_builder_finish(struct tg_builder *builder, struct orr_arena *arena,
                                      struct tg_graph *out, struct orr_diag *diag);

#endif
