/* The order in which the tasks of a FlexFlow graph come. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_ORDER_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_ORDER_H

#include "et_converter/flexflow/flexflow_graph.h"
#include "workload/workload.h"

/* Gives the tasks, which have no cycle, their order: by earliest start when every task takes its
 * recorded time and resources are endless, then by number. Collectives so come in one order on all
 * NPUs. O((tasks + dependencies) log tasks). */
enum orr_status orr_flexflow_order(const struct flexflow_graph *graph, struct tg_graph *tasks,
                                   struct orr_arena *arena, struct orr_diag *diag);

#endif
