/* Orrery: simulate a distributed deep-learning training job.
 *
 *     struct orrery *job = orrery_new();
 *     if (orrery_load_astra_sim(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_error(job));
 *     }
 *     printf("%lld ps\n", (long long)orrery_wall_ps(job));
 *     orrery_free(job);
 *
 * All state lives in the handle: any number of simulations may exist and run interleaved. Functions
 * never print, exit or abort on bad input. One thread at a time may use a handle. */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include "orrery/base.h"
#include "orrery/critical_path.h"
#include "orrery/job_model.h"
#include "orrery/load.h"
#include "orrery/memory_use.h"
#include "orrery/network_use.h"
#include "orrery/nodes.h"
#include "orrery/summary.h"
#include "orrery/uncertainty.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ORRERY_VERSION "0.2.0"

/* Creates an empty simulation; NULL if out of memory. Free it with orrery_free. */
ORRERY_API struct orrery *orrery_new(void);

/* Frees the simulation and all it holds; NULL is fine. */
ORRERY_API void orrery_free(struct orrery *job);

/* "major.minor.patch" of the library. */
ORRERY_API const char *orrery_version(void);

/* The last error as "LOCATION: MESSAGE"; "": none. Owned by the handle. */
ORRERY_API const char *orrery_error(const struct orrery *job);

/* `warn` is called with the text of each warning, once for each text; NULL (default): warnings are
 * only stored. */
ORRERY_API void orrery_on_warning(struct orrery *job, void (*warn)(void *user, const char *text),
                                  void *user);

/* The index-th warning so far, NULL behind the last. Owned by the handle. */
ORRERY_API const char *orrery_warning(const struct orrery *job, size_t index);

/* ---- recording: call before loading ---- */

enum {
    /* start and end of each node of each trace; 16 bytes a node, and 16 more for each that waits
     * for others */
    ORRERY_RECORD_NODES = 1u << 0,
    /* the cause of each event, for the critical path; up to a third slower. Steps of folded NPUs
     * name the simulated rank of the class */
    ORRERY_RECORD_PATH = 1u << 1,
    /* bytes between NPUs; 48 bytes for each pair with traffic; nothing is folded */
    ORRERY_RECORD_TRAFFIC = 1u << 2,
    /* sensitivity of the job's time to its parts: the parts of the critical path, without steps but
     * with folding. A straggler's own parts count instead of waiting, and computing is split: "gemm
     * by peak", "gemm by memory", "gemm constant", "attention by peak", ... If a part takes twice
     * its time, the job becomes longer by the part, as long as the path stays the same. With
     * ORRERY_RECORD_PATH, only the path is recorded */
    ORRERY_RECORD_SLOPES = 1u << 3,
    /* the same for orrery_uncertainty, alone or with other flags; with ORRERY_RECORD_PATH the job
     * runs twice, first within the first call that runs it. Loading rejects a platform without
     * compute.fitted, computations with slowdown, and clusters of jobs */
    ORRERY_RECORD_UNCERTAINTY = 1u << 4,
    /* busy links of each dimension over time (orrery_link_use); 64 KiB a dimension */
    ORRERY_RECORD_LINK_USE = 1u << 5
};

/* Adds the flags to those set before. */
ORRERY_API void orrery_record(struct orrery *job, unsigned flags);

/* ---- running ---- */

/* Runs to the end. ORRERY_ERROR_DEADLOCK if the job cannot finish; orrery_error names the nodes. */
ORRERY_API enum orrery_status orrery_run(struct orrery *job);

/* Runs for at most `instants` further distinct simulated times; sets *finished at the end of the
 * job. Several simulations can be advanced in turn. */
ORRERY_API enum orrery_status orrery_run_some(struct orrery *job, uint64_t instants,
                                              bool *finished);

/* The progress of a run by orrery_run_some; all 0 before a job is loaded. O(1). */
struct orrery_progress {
    int64_t now_ps;         /* simulated time */
    uint64_t events;        /* handled */
    uint32_t npus_finished; /* of orrery_npus */
};
ORRERY_API void orrery_progress(const struct orrery *job, struct orrery_progress *progress);

/* ---- results, after the run ---- */

/* Breakdown of an NPU's time from 0 to the end of the job, in ps. The parts from compute_ps to
 * idle_ps add up to the wall time exactly: an instant belongs to the first active one. A receive
 * waits until its sender has started the send, a collective until its last member has started; from
 * then on they communicate. The five parts of the ASTRA-sim 2.0 paper are compute + CPU, the two
 * memories, communication + waiting, and idle; under the reference's rules (compat) compute
 * includes CPU nodes, communication includes waiting, and cpu_ps and waiting_ps are 0. */
struct orrery_times {
    int64_t finish_ps;
    int64_t compute_ps; /* of the accelerator */
    int64_t cpu_ps;
    int64_t exposed_local_memory_ps;
    int64_t exposed_remote_memory_ps;
    int64_t exposed_communication_ps;
    int64_t waiting_ps;
    int64_t idle_ps;
    int64_t accelerator_compute_ps; /* sum of the durations of accelerator compute nodes */
};

ORRERY_API uint32_t orrery_npus(const struct orrery *job);
ORRERY_API int64_t orrery_wall_ps(const struct orrery *job);
ORRERY_API uint64_t orrery_events(const struct orrery *job);      /* events handled */
ORRERY_API orrery_wide orrery_messages(const struct orrery *job); /* messages sent */
/* Heap memory of the simulation in bytes. */
ORRERY_API size_t orrery_memory_bytes(const struct orrery *job);
/* The time breakdown of a rank. ORRERY_ERROR_INPUT if there is no such rank. O(1). */
ORRERY_API enum orrery_status orrery_npu_times(const struct orrery *job, uint32_t rank,
                                               struct orrery_times *times);

/* How much longer the rank's computations took because kernels that communicate held some of its
 * SMs (compute.sms), in ps; within compute_ps. 0: there were none, or no such rank. O(1). */
ORRERY_API int64_t orrery_contention_ps(const struct orrery *job, uint32_t rank);

/* A rank from the view of its GPU, from 0 to the end of the job, as Holistic Trace Analysis tells
 * profiles. Kinds overlap: communication counts from when the rank has begun it, and is exposed
 * where neither computation nor a copy runs beside it. Idle: none of them. */
struct orrery_gpu_times {
    size_t size; /* ORRERY_SIZED(orrery_gpu_times) */
    int64_t span_ps, compute_ps, communication_ps, exposed_communication_ps, memory_copy_ps;
    int64_t idle_ps;        /* the sum of: */
    int64_t idle_launch_ps; /* until the host launches the next work */
    int64_t idle_stream_ps, idle_peer_ps;
    int64_t idle_end_of_step_ps; /* the rank has no more work */
    int64_t idle_other_ps;
};

/* The GPU's view of a rank. ORRERY_ERROR_INPUT if there is no such rank, or it has no work of the
 * CPU. O(1). */
ORRERY_API enum orrery_status orrery_gpu_times(const struct orrery *job, uint32_t rank,
                                               struct orrery_gpu_times *times);
/* Whether cpu_ps and waiting_ps are separate: not under the reference's rules. */
ORRERY_API bool orrery_tells_waiting(const struct orrery *job);

/* Ranks in the order of their finish, [orrery_npus]. Owned by the handle. */
ORRERY_API const uint32_t *orrery_finish_order(const struct orrery *job);
/* Kind of a node of a trace, and the resource that it occupies. */

/* The number of iterations of the job (workload.iterations), and the duration of each by index; 0
 * behind the last, and before the end. */
ORRERY_API uint32_t orrery_iterations(const struct orrery *job);
ORRERY_API int64_t orrery_iteration_ps(const struct orrery *job, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
