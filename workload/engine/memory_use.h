/* How much local memory a job's tensors need over time, from the names and sizes of the tensors
 * that nodes read and write (attributes "inputs" and "outputs": name, size, name, size, ...).
 *
 * A tensor lives from the start of the first node that writes it, or from 0 when none does or one
 * reads it before; to the end of the last node that reads it, or to the end of the job when none
 * does after it was last written: weights, which are read first and which the optimizer writes in
 * the end, are always there. */
#ifndef ORR_WORKLOAD_ENGINE_MEMORY_USE_H
#define ORR_WORKLOAD_ENGINE_MEMORY_USE_H

#include "core/core.h"
#include "workload/trace/trace.h"

/* When a node ran; start > end: it never did. */
struct wl_span {
    sim_time start_ps, end_ps;
};

/* A change of the amount in use. */
struct wl_memory_step {
    sim_time at_ps;
    uint64_t bytes; /* in use from then on */
};

/* Where tensors are: those that a load reads from the remote memory, or a store writes to it, are
 * there, all others in the NPU's own. */
enum wl_memory { WL_MEMORY_ALL, WL_MEMORY_LOCAL, WL_MEMORY_REMOTE };

struct wl_memory_use {
    enum wl_memory of;  /* set by the caller: whose tensors are counted */
    uint32_t peak_node; /* that starts at the peak and writes a tensor; UINT32_MAX: none does */
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

#endif
