/* The graph engine: runs one execution trace per NPU over the system and memory layers (ASTRA-sim
 * 2.0, section IV-A; docs/models.md, section 2). */
#ifndef ORR_WORKLOAD_ENGINE_ENGINE_H
#define ORR_WORKLOAD_ENGINE_ENGINE_H

#include "core/cause.h"
#include "core/fold.h"
#include "system/sys_mono.h"
#include "workload/engine/memory_use.h"
#include "workload/engine/slowdown.h"
#include "workload/gpu/gpu_account.h"
#include "workload/roofline/roofline.h"
#include "workload/trace/trace.h"

struct mem;
struct mem_local;
struct orr_arena;
struct orr_causes;
struct orr_diag;
struct orr_evq;
struct sys;
struct sys_policy;
struct wl_efficiency;
struct wl_fitted;

/* How long a compute node takes. */
struct wl_compute {
    bool roofline;    /* otherwise the recorded durations are replayed */
    bool replay_only; /* every node, communication too, takes its recorded duration */
    double peak_flops;
    double stated_peak_flops; /* before any efficiency: the base of utilization */
    double product_peak_flops[ORR_PRODUCT_TYPES];        /* of narrow types; 0: not known */
    double stated_product_peak_flops[ORR_PRODUCT_TYPES]; /* before any efficiency */
    double alignment; /* share of the peak that unaligned products have of others'; 0: all */
    /* Scales recorded durations: accelerator nodes x recorded_scale / replay_speed, CPU nodes /
     * cpu_speed. 0 stands for 1. */
    double recorded_scale, replay_speed, cpu_speed;
    double logical_share;       /* of a server, for each of its logical servers; 0: equal */
    double memory_bytes_per_s;  /* INFINITY: compute is never bound by memory */
    sim_time minimum_replay_ps; /* of a node without a recorded duration */
    bool truncate_to_ns;        /* as the reference does */
    bool skip_without_bytes;    /* roofline: a node that touches no bytes takes no time */
    const struct wl_efficiency *efficiency; /* by kind and size; NULL: peak_flops is reached */
    bool has_efficiency;                    /* compute.efficiency is given */
    const struct wl_slowdown *slowdown;     /* factors of compute nodes; NULL: none */
    const char *gpu;                        /* NULL: unknown */
    const struct wl_fitted *fitted; /* measurements that efficiency was fitted to; NULL: unknown */
    /* Factors >= 1 on the duration of accelerator computations (0 stands for 1), multiplied if both
     * apply. forwarding_slowdown: while the NPU forwards messages of others; with
     * `forwarding_lasts` until the collectives end that it takes part in at that time.
     * communication_slowdown: while one of the NPU's own collectives runs. */
    double forwarding_slowdown, communication_slowdown;
    bool forwarding_lasts;
    /* SMs of an NPU (0: unknown), and those that kernels hold while they run: of exchanges of
     * tokens among experts, of other collectives. Computations have the others. */
    double sms, token_sms, collective_sms;
};

static inline struct wl_roofline orr_wl_roofline_of(const struct wl_compute *compute)
{
    return (struct wl_roofline){
        .peak_flops = compute->peak_flops,
        .product_peak_flops = {[ORR_PRODUCT_FP8] = compute->product_peak_flops[ORR_PRODUCT_FP8],
                               [ORR_PRODUCT_FP4] = compute->product_peak_flops[ORR_PRODUCT_FP4]},
        .alignment = compute->alignment,
        .memory_bytes_per_s = compute->memory_bytes_per_s,
        .truncate_to_ns = compute->truncate_to_ns,
        .efficiency = compute->efficiency};
}

/* Whether times depend on the kinds of operations. */
static inline bool orr_wl_compute_by_kind(const struct wl_compute *compute)
{
    return compute->efficiency != NULL || compute->product_peak_flops[ORR_PRODUCT_FP8] > 0 ||
           compute->product_peak_flops[ORR_PRODUCT_FP4] > 0 || compute->alignment > 0;
}

/* Time breakdown of an NPU from 0 to the end of the job. The parts add up to the wall time. */
struct wl_times {
    sim_time finish_ps;
    sim_time compute_ps;
    sim_time cpu_ps; /* CPU computation while the accelerator is idle */
    sim_time exposed_local_memory_ps;
    sim_time exposed_remote_memory_ps;
    sim_time exposed_communication_ps;
    sim_time waiting_ps; /* for the other participants of a message or collective to begin */
    sim_time idle_ps;
    /* Sum of the durations of the NPU's accelerator compute nodes (the reference subtracts it). */
    sim_time accelerator_compute_ps;
};

struct wl_engine;

/* One of several jobs on a platform. Jobs have disjoint NPUs. A job's traces number its NPUs from
 * 0; "all NPUs" means the job's NPUs, which the system knows as the group NAME. A group of the job
 * is "NAME/GROUP" in the system. */
struct wl_job {
    const char *name;
    const uint32_t *rank; /* [npus], of the platform */
    uint32_t npus;
    uint32_t iterations; /* >= 1; an iteration begins when the one before has ended on all NPUs */
    sim_time start_ps;
    struct sys_mono all_reduce; /* how its monolithic all-reduces run */
};

struct wl_parts {
    struct sys *sys;
    struct mem *remote; /* may be of the type "none" */
    const struct mem_local *local;
    const struct wl_compute *compute;
    const struct sys_policy *policy;
    struct orr_evq *queue;
    struct orr_arena *arena;
    const struct orr_fold *fold; /* NULL: none */
    const struct wl_job *job;    /* [jobs]; the engine copies them */
    uint32_t jobs;               /* 0: one of all NPUs. Several are not folded */
    uint32_t iterations; /* overrides wl_job.iterations; 0: no override, and a run without a list of
                            jobs is run once */
    struct sys_mono all_reduce; /* of a run without a list of jobs */
    bool records_kinds;         /* causes distinguish kinds of operations (core/cause.h), ... */
    unsigned dims;              /* ... numbered after the parts of this many dimensions */
    bool record_spans;          /* when nodes ran: 4 bytes a node, 8 an instant */
};

/* Bytes that an engine holds for each NPU, whatever its trace. */
size_t orr_engine_npu_bytes(void);

/* Creates an engine for `npus` NPUs; with a fold, for `npus` slots, by which all calls below then
 * go. by_slot[npus] are the traces, which must outlive the engine. Groups named by traces must
 * exist in the system or be defined by the traces' process-group metadata. Errors name the trace
 * file and the node. */
enum orr_status orr_engine_create(struct wl_engine **out, const struct wl_parts *parts,
                                  const struct orr_trace *const *by_slot, uint32_t npus,
                                  struct orr_diag *diag);

/* Runs to the end. ORR_ERR_DEADLOCK, with a report in `diag`, if nodes remain that cannot run. */
enum orr_status orr_engine_run(struct wl_engine *engine, struct orr_diag *diag);

/* Like orr_engine_run, but handles at most `instants` instants. *finished is set if the run has
 * ended. */
enum orr_status orr_engine_run_some(struct wl_engine *engine, uint64_t instants, bool *finished,
                                    struct orr_diag *diag);

/* The GPU's view of an NPU that has work of the CPU: communication is in flight from when the NPU
 * has begun it, as a kernel is that waits for others; idle time before work is that of its launch.
 * False: the NPU has no work of the CPU. */
bool orr_engine_gpu_times(const struct wl_engine *engine, struct orr_slot npu,
                          struct orr_gpu_view *view);

/* Of compute_ps what SMs cost that kernels which communicate held. O(1). */
sim_time orr_engine_contention(const struct wl_engine *engine, struct orr_slot npu);

/* After the run. wall = the latest finish. */
sim_time orr_engine_wall(const struct wl_engine *engine);
void orr_engine_times(const struct wl_engine *engine, struct orr_slot npu, struct wl_times *times);

/* Spans of nodes, if they were recorded (wl_parts.record_spans). orr_engine_span: start and end of
 * a node that has ended. orr_engine_transfer: when the node stopped waiting for its peers; its
 * start if it never waited. */
bool orr_engine_has_spans(const struct wl_engine *engine);
struct wl_span orr_engine_span(const struct wl_engine *engine, struct orr_slot npu, uint32_t node);
sim_time orr_engine_transfer(const struct wl_engine *engine, struct orr_slot npu, uint32_t node);

/* A part (prefix) of a collective that a node of the NPU waits for, in the order of the
 * collectives, and when it arrived in the last iteration (< 0: never). O(log nodes). */
struct wl_prefix {
    uint32_t collective, node;
    uint64_t bytes;
    sim_time there_ps;
};
/* Gradient queuing (C-Cube): how long nodes waited for parts of collectives, each the maximum over
 * all collectives and NPUs. turnaround: from when all members had started a collective to its first
 * chunk. first_wait: from when the NPU had started it to the first part that a node waits for.
 * bubbles: the time between the first and the last of these parts in which the NPU only waited.
 * False: no node waits for a part. */
struct wl_queue {
    sim_time turnaround_ps, first_wait_ps, bubbles_ps;
};
bool orr_engine_queue(const struct wl_engine *engine, struct wl_queue *queue);
uint32_t orr_engine_prefixes(const struct wl_engine *engine, struct orr_slot npu);
struct wl_prefix orr_engine_prefix(const struct wl_engine *engine, struct orr_slot npu,
                                   uint32_t index);

/* The critical path of the run: the chain of causes that ends with the last finish (the lowest rank
 * among equals). Its marks are the nodes on the path: entity = NPU, item = node. */
struct wl_path {
    const struct orr_causes *causes;
    orr_cause end;
    struct orr_slot npu;
};
/* False when causes were not kept, or memory for them ran out. */
bool orr_engine_path(const struct wl_engine *engine, struct wl_path *path);

/* The system's number of the group that a collective node runs on. */
uint32_t orr_engine_group(const struct wl_engine *engine, struct orr_slot npu, uint32_t node);

/* Iteration times of a job: the duration of each iteration that has ended, and the end of the last
 * one. */
struct wl_job_times {
    const sim_time *iteration_ps; /* [iterations] */
    uint32_t iterations;
    sim_time end_ps;
};
struct wl_job_times orr_engine_job(const struct wl_engine *engine, uint32_t number);

/* Sum of the accelerator computations of one iteration on the job's NPU with the largest sum, once
 * the job has ended. O(NPUs). */
sim_time orr_engine_job_compute(const struct wl_engine *engine, uint32_t number);

/* Number of NPUs that have finished; also during the run. */
uint32_t orr_engine_finished(const struct wl_engine *engine);

/* NPUs in the order in which they finished; [npus]. */
const uint32_t *orr_engine_finish_order(const struct wl_engine *engine);

#endif
