/* The schedule of a plan's pipeline: the key parallel.schedule. */
#ifndef ORR_WORKLOAD_PARALLEL_PIPELINE_ORDER_H
#define ORR_WORKLOAD_PARALLEL_PIPELINE_ORDER_H

#include "workload/parallel/parallel_plan.h"

/* Sets schedule and chunks of plan->pipeline, whose stages are set, from the text of the key: a
 * schedule of the list (orr_schedule_kind_at), or a table of the user's own (schedule_table.h),
 * which lies in plan->arena. chunks 0: the key is absent. Errors: neither of both; chunks or stages
 * that the schedule does not have; those of a table. */
enum orr_status orr_gen_schedule_read(struct gen_plan *plan, const char *text, uint32_t chunks,
                                      struct orr_diag *diag);

/* The schedule of another layout, whose stages are set. One stage has no order. */
void orr_gen_schedule_change(struct gen_plan *plan, const struct gen_change *change);

/* Micro-batches of a step where the batch is not set. */
uint32_t orr_gen_schedule_default_micros(const struct gen_pipeline *pipeline);

/* Makes the orders of a schedule of the list, in plan->arena, once micros are known. Errors: a
 * number of micro-batches that the schedule cannot take. O(passes of all stages); v-half and v-min
 * times the micro-batches. */
enum orr_status orr_gen_schedule_order(struct gen_plan *plan, struct orr_diag *diag);

#endif
