/* The largest local memory that an NPU of a job needs. */
#ifndef ORR_SIM_LOCAL_MEMORY_H
#define ORR_SIM_LOCAL_MEMORY_H

#include <stdint.h>

struct orrery;

/* Generated model: the largest pipeline stage. Traces that list tensors, on a platform with
 * memory.local.capacity: the peak of live tensors, after the run. 0: not known. O(stages).
 * (model_api.c) */
uint64_t orr_local_memory_bytes(const struct orrery *job);

#endif
