/* The graph engine: runs one execution trace per NPU over the system and memory layers (ASTRA-sim
 * 2.0, section IV-A; docs/models.md, section 2). */
#ifndef ORR_WORKLOAD_ENGINE_ENGINE_H
#define ORR_WORKLOAD_ENGINE_ENGINE_H

#include "memory/memory.h"
#include "system/system.h"
#include "workload/engine/memory_use.h"
#include "workload/engine/slowdown.h"
#include "workload/roofline/roofline.h"
#include "workload/trace/trace.h"

/* How long a compute node takes. */
struct wl_compute {
    bool roofline;    /* otherwise the recorded durations are replayed */
    bool replay_only; /* every node, communication too, takes its recorded duration */
    double peak_flops;
    double stated_peak_flops; /* before any efficiency: what utilization is measured by */
    double fp8_peak_flops;    /* of products of fp8; 0: not known */
    double alignment; /* share of the peak that unaligned products have of others'; 0: all */
    /* Recorded durations: those of accelerators times the one and divided by the other, those of
     * CPU nodes divided by the third. 0: 1. */
    double recorded_scale, replay_speed, cpu_speed;
    double logical_share;       /* of a server, of one of its logical servers; 0: an equal one */
    double memory_bytes_per_s;  /* INFINITY: compute is never bound by memory */
    sim_time minimum_replay_ps; /* of a node without a recorded duration */
    bool truncate_to_ns;        /* as the reference does */
    bool skip_without_bytes;    /* roofline: a node that touches no bytes takes no time */
    const struct wl_efficiency *efficiency; /* by kind and size; NULL: peak_flops is what is got */
    const struct wl_slowdown *slowdown;     /* of compute nodes; NULL: none */
    const char *gpu;                        /* NULL: not said */
    const struct wl_fitted *fitted;         /* what efficiency was fitted to; NULL: not said */
    /* How many times as long computations on the accelerator take while their NPU forwards messages
     * of others (with `forwarding_lasts`: until the collectives end that it has its own part in
     * then), and while a collective of its own runs, from its start on. Both: the product. 0: 1. */
    double forwarding_slowdown, communication_slowdown;
    bool forwarding_lasts;
};

static inline struct wl_roofline orr_wl_roofline_of(const struct wl_compute *compute)
{
    return (struct wl_roofline){.peak_flops = compute->peak_flops,
                                .fp8_peak_flops = compute->fp8_peak_flops,
                                .alignment = compute->alignment,
                                .memory_bytes_per_s = compute->memory_bytes_per_s,
                                .truncate_to_ns = compute->truncate_to_ns,
                                .efficiency = compute->efficiency};
}

/* Whether times depend on the kinds of operations. */
static inline bool orr_wl_compute_by_kind(const struct wl_compute *compute)
{
    return compute->efficiency != NULL || compute->fp8_peak_flops > 0 || compute->alignment > 0;
}

/* Where an NPU's time from 0 to the job's end went; the parts add up to the wall time. */
struct wl_times {
    sim_time finish_ps;
    sim_time compute_ps;
    sim_time cpu_ps; /* where nothing computes on the accelerator */
    sim_time exposed_local_memory_ps;
    sim_time exposed_remote_memory_ps;
    sim_time exposed_communication_ps;
    sim_time waiting_ps; /* for others to begin what they have their part in */
    sim_time idle_ps;
    /* Sum of the durations of the NPU's accelerator compute nodes (the reference subtracts it). */
    sim_time accelerator_compute_ps;
};

struct wl_engine;

/* One of several jobs on a platform: the NPUs that it has, of which no other job has one, and how
 * often it runs. Its traces number its NPUs from 0 on; "all NPUs" are its own, which are the group
 * of its name in the system, and a group of another name is "NAME/GROUP". */
struct wl_job {
    const char *name;
    const uint32_t *rank; /* [npus], of the platform */
    uint32_t npus;
    uint32_t iterations; /* >= 1; one begins when nothing of the one before is left */
    sim_time start_ps;
    struct sys_mono all_reduce; /* how those are done that a group does as a whole */
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
    uint32_t iterations;         /* of each; 0: as it says, and that one runs once */
    struct sys_mono all_reduce;  /* of it */
    bool records_kinds; /* causes keep computing by kinds of operations (core/cause.h) ... */
    unsigned dims;      /* ... behind the parts of so many dimensions */
    bool record_spans;  /* keep when each node ran: 4 bytes a node, and 8 for each instant of all */
};

/* What an engine holds for each NPU whatever its trace, in bytes. */
size_t orr_engine_npu_bytes(void);

/* An engine for `npus` NPUs, or with a fold for so many slots, by which all calls go then;
 * by_slot[npus] are their traces, which must outlive the engine. Groups
 * named by traces must be in the system already, or be defined by the traces' process-group
 * metadata. Errors name the trace file and the node. */
enum orr_status orr_engine_create(struct wl_engine **out, const struct wl_parts *parts,
                                  const struct orr_trace *const *by_slot, uint32_t npus,
                                  struct orr_diag *diag);

/* Runs to the end. ORR_ERR_DEADLOCK with a report in `diag` when nodes are left that cannot run. */
enum orr_status orr_engine_run(struct wl_engine *engine, struct orr_diag *diag);

/* As above but handles at most `instants` instants; *finished tells whether that was the end. */
enum orr_status orr_engine_run_some(struct wl_engine *engine, uint64_t instants, bool *finished,
                                    struct orr_diag *diag);

/* After the run. wall = the latest finish. */
sim_time orr_engine_wall(const struct wl_engine *engine);
void orr_engine_times(const struct wl_engine *engine, struct orr_slot npu, struct wl_times *times);

/* Whether it was kept when nodes ran; when a node did; and when it no longer waited for others, its
 * start where it never did. Where spans were recorded, and of nodes that ended. */
bool orr_engine_has_spans(const struct wl_engine *engine);
struct wl_span orr_engine_span(const struct wl_engine *engine, struct orr_slot npu, uint32_t node);
sim_time orr_engine_transfer(const struct wl_engine *engine, struct orr_slot npu, uint32_t node);

/* The parts of collectives that nodes of an NPU wait for, in the order of the collectives; when
 * one was there, in the last iteration (< 0: never). O(log nodes). */
struct wl_prefix {
    uint32_t collective, node;
    uint64_t bytes;
    sim_time there_ps;
};
/* How long nodes waited for their parts, the longest of all collectives and NPUs: from when all had
 * started a collective until its first chunk was there; from when the NPU had, until the first part
 * that is waited for was; and the time between the first and the last of these in which the NPU did
 * nothing but wait. False: none waits for a part. */
struct wl_queue {
    sim_time turnaround_ps, first_wait_ps, bubbles_ps;
};
bool orr_engine_queue(const struct wl_engine *engine, struct wl_queue *queue);
uint32_t orr_engine_prefixes(const struct wl_engine *engine, struct orr_slot npu);
struct wl_prefix orr_engine_prefix(const struct wl_engine *engine, struct orr_slot npu,
                                   uint32_t index);

/* The critical path of the run: the chain of causes that ends with the last finish (of the lowest
 * rank among equals). Its marks are the nodes on it: entity = NPU, item = node. */
struct wl_path {
    const struct orr_causes *causes;
    orr_cause end;
    struct orr_slot npu;
};
/* False when causes were not kept, or memory for them ran out. */
bool orr_engine_path(const struct wl_engine *engine, struct wl_path *path);

/* The system's number of the group that a collective node runs on. */
uint32_t orr_engine_group(const struct wl_engine *engine, struct orr_slot npu, uint32_t node);

/* What a job was like: how long each iteration took that has ended, and when the last one did. */
struct wl_job_times {
    const sim_time *iteration_ps; /* [iterations] */
    uint32_t iterations;
    sim_time end_ps;
};
struct wl_job_times orr_engine_job(const struct wl_engine *engine, uint32_t number);

/* What the computations of an iteration took, one after the other, on the accelerator of the job's
 * NPU where that is most, once the job has ended. O(NPUs). */
sim_time orr_engine_job_compute(const struct wl_engine *engine, uint32_t number);

/* NPUs that have finished so far; during the run as well. */
uint32_t orr_engine_finished(const struct wl_engine *engine);

/* NPUs in the order in which they finished; [npus]. */
const uint32_t *orr_engine_finish_order(const struct wl_engine *engine);

#endif
