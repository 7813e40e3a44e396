/* Building a task graph: tasks are numbered from 0 on as they are added, dependencies may come in
 * any order. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_BUILDER_H
#define ORR_WORKLOAD_TASKGRAPH_TG_BUILDER_H

#include "workload/taskgraph/tg_graph.h"

struct tg_builder;

/* A builder of a graph of so many NPUs in `copies` groups; NULL when memory is out. Its scratch
 * memory is given back by orr_tg_builder_destroy (NULL is fine). */
struct tg_builder *orr_tg_builder_create(uint32_t npus, uint32_t copies);
void orr_tg_builder_destroy(struct tg_builder *builder);

/* Makes room for so many of each at once; a hint, which saves copying. */
void orr_tg_builder_reserve(struct tg_builder *builder, size_t tasks, size_t waits);

/* Of the graph: the file that messages speak of, and who speaks for its tasks. Borrowed; file,
 * context and functions must outlive the graph. */
void orr_tg_builder_set_origin(struct tg_builder *builder, const char *file,
                               const struct tg_origin *origin);

/* The number of a name, which is copied; the same text has the same number, "" has 0. O(length). */
uint32_t orr_tg_builder_name(struct tg_builder *builder, const char *text);

/* Adds a task and returns its number; first_next is not looked at. Of all-reduces, from and to are
 * set by what follows. Amortized O(1). */
uint32_t orr_tg_builder_add(struct tg_builder *builder, const struct tg_task *task);

/* Adds an all-reduce among members[count], copied, and returns its number. */
uint32_t orr_tg_builder_all_reduce(struct tg_builder *builder, const struct tg_task *task,
                                   const uint32_t *members, uint32_t count);

/* Lets a task wait for another one. Those that wait for the same one begin in the order of these
 * calls; of repeated ones the last counts. Amortized O(1). */
void orr_tg_builder_wait(struct tg_builder *builder, uint32_t task, uint32_t for_task);

/* The order of the graph (tg_graph.order), copied: [tasks]. */
void orr_tg_builder_order(struct tg_builder *builder, const uint32_t *order);

/* Lets the graph go by tg_graph.first_come. */
void orr_tg_builder_first_come(struct tg_builder *builder);

/* The graph, checked (orr_tg_check), in the arena. Memory that ran out on the way shows here. The
 * builder can only be destroyed afterwards. O(tasks + dependencies + members). */
enum orr_status orr_tg_builder_finish(struct tg_builder *builder, struct orr_arena *arena,
                                      struct tg_graph *out, struct orr_diag *diag);

#endif
