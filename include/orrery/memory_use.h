/* The memory that a job's tensors need over time; after the run. */
#ifndef ORRERY_MEMORY_USE_H
#define ORRERY_MEMORY_USE_H

#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Local memory used by a rank's tensors over time, if the platform tracks it (track-local-mem).
 * `step` is owned by the handle. */
struct orrery_memory_step {
    int64_t at_ps;
    uint64_t bytes; /* in use from then on */
};
struct orrery_memory_use {
    uint64_t peak_bytes;
    int64_t peak_ps;
    const struct orrery_memory_step *step;
    size_t steps;
    /* the node that starts at the peak and writes a tensor; NULL: none */
    const char *peak_name;
    uint64_t peak_node; /* its id */
};
/* The memory of tensors: remote if a load reads them from remote memory or a store writes them
 * there, else local. */
enum orrery_memory { ORRERY_MEMORY_ALL, ORRERY_MEMORY_LOCAL, ORRERY_MEMORY_REMOTE };
/* ORRERY_ERROR_INPUT if memory is not tracked, or a trace's list of tensors is invalid. */
ORRERY_API enum orrery_status orrery_memory_use(struct orrery *job, uint32_t rank,
                                                struct orrery_memory_use *use);
/* The same for one memory. */
ORRERY_API enum orrery_status orrery_memory_use_in(struct orrery *job, uint32_t rank,
                                                   enum orrery_memory memory,
                                                   struct orrery_memory_use *use);
/* Prefix of the files for the memory trace; NULL: memory is not tracked. */
ORRERY_API const char *orrery_memory_trace_name(const struct orrery *job);

#ifdef __cplusplus
}
#endif

#endif
