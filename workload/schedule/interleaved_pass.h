/* The order of interleaved schedules: groups of micro-batches go chunk by chunk (Narayanan et al.,
 * SC'21, section 2.2.2). */
#ifndef ORR_WORKLOAD_SCHEDULE_INTERLEAVED_PASS_H
#define ORR_WORKLOAD_SCHEDULE_INTERLEAVED_PASS_H

#include "workload/schedule/schedule_builder.h"

/* (chunk, micro-batch) number `index` in the order of interleaved schedules: groups of
 * micro-batches go chunk by chunk; backwards the chunks are reversed. */
struct orr_chunk_pass orr_interleaved_pass(const struct orr_schedule_request *request,
                                           enum orr_pass_kind kind, uint32_t index);

/* The default group of interleaved schedules: the stages, or where they do not divide the
 * micro-batches, an equal share of them that is no smaller (as PyTorch does); 0: there is none. */
uint32_t orr_interleaved_group(const struct orr_schedule_request *request);

#endif
