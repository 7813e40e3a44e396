/* Topological order of the tasks of a FlexFlow graph. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_ORDER_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_ORDER_H

#include "core/status.h"
#include "et_converter/flexflow/flexflow_graph.h"

struct orr_arena;
struct orr_diag;
struct tg_graph;

/* Sets tasks->order of an acyclic graph: by earliest start if every task takes its recorded time
 * and resources are unlimited, then by number. All NPUs therefore issue collectives in the same
 * order. O((tasks + dependencies) log tasks). */
enum orr_status orr_flexflow_order(const struct flexflow_graph *graph, struct tg_graph *tasks,
                                   struct orr_arena *arena, struct orr_diag *diag);

#endif
