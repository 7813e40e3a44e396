/* Memory in use over time, from the names and sizes of the tensors that nodes read and write
 * (attributes "inputs" and "outputs": name, size, name, size, ...). A tensor lives
 *
 *   - from the start of the first node that writes it; from 0 if no node writes it, or one reads it
 *     before;
 *   - to the end of the last node that reads it; to the end of the job if it is not read after its
 *     last write.
 *
 * So weights, which are read first and written by the optimizer last, live during the whole job. */
#ifndef ORR_WORKLOAD_ENGINE_MEMORY_USE_H
#define ORR_WORKLOAD_ENGINE_MEMORY_USE_H

#include "core/status.h"
#include "core/time.h"
#include "workload/trace/trace.h"

struct orr_arena;
struct orr_diag;

/* When a node ran; start > end: it never did. */
struct wl_span {
    sim_time start_ps, end_ps;
};

/* A change of the amount in use. */
struct wl_memory_step {
    sim_time at_ps;
    uint64_t bytes; /* in use from then on */
};

/* Where tensors are: in the remote memory if a load reads them there or a store writes them there,
 * else in the NPU's local memory. */
enum wl_memory { WL_MEMORY_ALL, WL_MEMORY_LOCAL, WL_MEMORY_REMOTE };

struct wl_memory_use {
    enum wl_memory of;  /* set by the caller: the memory whose tensors count */
    uint32_t peak_node; /* starts at the peak and writes a tensor; UINT32_MAX: none */
    uint64_t peak_bytes;
    sim_time peak_ps; /* when the peak is first reached */
    const struct wl_memory_step *step;
    const uint32_t *node; /* [steps], as peak_node */
    size_t steps;
};

/* Computes the use of out->of by one NPU from its trace and the spans of its nodes,
 * span[trace->nodes]. The result lives in the arena. Errors: a size that is no number, an odd list.
 * O(tensors log). */
enum orr_status orr_wl_memory_use(struct orr_arena *arena, const struct orr_trace *trace,
                                  const struct wl_span *span, struct wl_memory_use *out,
                                  struct orr_diag *diag);

/* Checks the lists of tensors of all nodes. Errors: as above. O(nodes + tensors). */
enum orr_status orr_wl_check_tensors(const struct orr_trace *trace, struct orr_diag *diag);

#endif
