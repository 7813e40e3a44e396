/* State of the graph engine, shared by engine.c (readiness and completion), issue.c and
 * issue_fifo.c (starting nodes), streams.c (resources), time_breakdown.c, resolve_groups.c,
 * deadlock.c and the other files of the folder. */
#ifndef ORR_WORKLOAD_ENGINE_ENGINE_PRIVATE_H
#define ORR_WORKLOAD_ENGINE_ENGINE_PRIVATE_H

#include "core/cause.h"
#include "core/evq.h"
#include "core/fold.h"
#include "core/slab.h"
#include "memory/mem.h"
#include "system/sys.h"
#include "system/sys_policy.h"
#include "workload/engine/engine.h"
#include "workload/engine/memory_use.h"
#include "workload/engine/node_requests.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace.h"

struct orr_arena;
struct orr_diag;
struct sys_sizes;
struct wl_roofline_parts;

#define WL_NONE UINT32_MAX
/* States in wl_npu.waiting: issued; done; issued, and waiting for the other participants to begin.
 * If spans are recorded, a node that is done holds its start instead (spans.c). */
#define WL_ISSUED UINT32_MAX
#define WL_DONE (UINT32_MAX - 1u)
#define WL_AWAITS (UINT32_MAX - 2u)

enum { EVENT_START = ORR_EVENT_WORKLOAD, EVENT_NODE_DONE, EVENT_SHARE_DONE };

/* The scheduling of a trace, computed once for each distinct trace. A stream is a resource that
 * runs one node at a time: the compute stream, the CPU stream, the memory channel, one stream for
 * each communicator group and each peer. Stream 0 has no limit. */
struct wl_layout {
    const struct orr_trace *trace;
    const uint32_t *stream; /* [nodes] */
    const uint8_t *op_kind; /* [nodes], enum orr_op_kind; NULL: times do not depend on the kind */
    /* The next three are NULL when collectives pair by order of issue. */
    const uint32_t *ordinal;  /* [nodes], collectives: index within their group */
    const uint32_t *position; /* [nodes], position in program order */
    const uint32_t *at;       /* [nodes], the node at a position: the inverse of `position` */
    const uint32_t *prefix; /* [prefixes], edges that wait for a part of a collective, ascending */
    uint32_t prefixes;
    uint32_t streams;
    uint32_t path_stream; /* of accesses and messages on one shared path; WL_NONE: none */
    uint32_t first_group_stream,
        group_streams; /* streams of collectives, which run in program order */
};

enum { STREAM_FREE, STREAM_COMPUTE, STREAM_CPU, STREAM_MEMORY, STREAMS_FIXED };

/* Ready nodes that wait for a stream: a binary heap of keys. The key is the node's index (ascending
 * id); in the stream of a group, its position in program order. */
struct wl_stream {
    union {
        struct {
            uint32_t *heap;
            size_t capacity;
        };
        struct {
            uint32_t first, last; /* issues_fifo: a FIFO queue linked by wl_npu.next_in_queue */
        };
    };
    uint32_t count;
    uint32_t running;
    uint32_t next_ordinal; /* collectives: the next ordinal to start */
    bool relaxed; /* collectives and sends start when ready, because program order is stuck */
};

/* Nodes that run on an NPU at a varying speed (processor_sharing.c). */
enum { WL_MAX_USERS = 8 };

struct wl_user {
    uint32_t node;
    double remaining_ps; /* remaining part of the duration at speed 1 */
    double demand;       /* share of the bandwidth that it uses at speed 1 */
    double speed;        /* relative to a run without sharing */
    sim_time due_ps;     /* its end at this speed */
    bool is_slowed;      /* a computation that concurrent communication slows down */
    bool has_cause;
    orr_cause cause; /* of its start */
};

struct wl_sharing {
    struct wl_user user[WL_MAX_USERS];
    unsigned users;
    uint32_t version;      /* of the pending event; events of other versions are void */
    sim_time since;        /* of the last change */
    bool is_fair;          /* nodes share the memory's bandwidth */
    bool is_slowed;        /* computations are slowed by the counts below */
    bool keeps_forwarding; /* it has forwarded a message, and its collectives still run */
    uint32_t forwarding, collectives, tokens; /* tokens: of the collectives those of experts */
    double lost_ps;                           /* of computations, to SMs that others hold */
    double held_pace;                         /* the part of the next by SMs that are held */
    double pace;                              /* current slowdown of computations */
};

/* An edge that waits for a part of a collective: when that part arrived. The first such edge of a
 * collective also holds: when the NPU and when all members had started it, when its first chunk
 * arrived, and the NPU's waiting time so far when its first part arrived. < 0: not yet. */
struct wl_watch {
    sim_time there_ps;
    sim_time began_ps, all_ps, chunk_ps, waited_ps;
};

/* The sizes of an uneven collective (uneven_members.c). */
struct wl_uneven {
    uint32_t node;
    const struct sys_sizes *sizes;
};

struct wl_npu {
    struct wl_sharing *sharing;  /* NULL: speeds never change */
    struct orr_gpu_account *gpu; /* NULL: the trace has no work of the CPU */
    const struct orr_trace *trace;
    const struct wl_layout *layout;
    uint32_t *marks;          /* [nodes], when each ran, see spans.c; NULL: not recorded */
    uint32_t *waiting;        /* [nodes], parents still to finish; then one of the states above */
    struct wl_stream *stream; /* [layout->streams] */
    union {
        uint32_t *busy_streams;  /* streams with ready nodes: an unordered list, [streams] */
        uint32_t *next_in_queue; /* issues_fifo: [nodes], the next node of the FIFO queue */
    };
    uint32_t busy_count;
    uint32_t freed_count;
    uint32_t *groups;         /* [trace->group_count], groups of the system */
    uint32_t all;             /* the group of all NPUs of its job */
    struct wl_uneven *uneven; /* [uneven_count], ascending by node */
    uint32_t uneven_count;
    uint32_t *freed; /* nodes freed while nodes are being issued */
    size_t freed_capacity;
    uint32_t unfinished, in_flight;
    bool issuing, finished;
    bool begun;       /* its root nodes have been found */
    bool issues_fifo; /* FIFO issue (issue_fifo.c) */
    bool by_number;   /* FIFO issue, and ties in one instant go by id */
    uint32_t active[ACTIVITIES];
    sim_time since; /* of the last change of `active`; of the finish */
    sim_time spent[ACTIVITIES + 1];
    sim_time accelerator_compute_ps;
};

/* A job at run time. */
struct wl_run {
    struct wl_job job; /* rank NULL: ranks are the platform's */
    uint32_t left;     /* NPUs that have not finished the iteration */
    uint32_t iteration;
    sim_time began_ps, end_ps;
    sim_time *iteration_ps; /* [job.iterations] */
};

/* The job of an NPU (WL_NONE: none) and the NPU's rank in it. */
struct wl_job_rank {
    uint32_t job, rank;
};

/* A node that became ready in this instant and will be queued. */
struct wl_newly_ready {
    uint32_t slot, node;
    orr_cause cause; /* why it became ready, if causes are recorded */
};

struct wl_engine {
    struct wl_parts parts;
    struct wl_run *run; /* [runs] */
    uint32_t runs;
    struct wl_job_rank *part; /* [npus]; NULL: one job of all */
    uint32_t npus;            /* simulated NPUs: slots of the fold */
    uint32_t finished;
    sim_time wall_ps; /* the latest finish so far */
    struct wl_npu *npu;
    uint32_t *finish_order;
    /* The critical path: the cause of the last finish, of the lowest rank among equals. */
    orr_cause path;
    struct orr_slot path_npu;
    bool has_path;
    bool started;
    uint32_t depth;                     /* issues_fifo: nesting depth of completions */
    bool sends_wait;                    /* rendezvous: for the receiver's request */
    struct wl_newly_ready *newly_ready; /* by_number: those of this instant */
    size_t newly_ready_count, newly_ready_capacity;
    struct orr_slab instants; /* of sim_time, ascending: the instants of spans, numbered from 1 */
    struct orr_slab waits;    /* struct wl_wait (spans.c) of the nodes that waited for peers */
    struct wl_queue queue;    /* maxima so far (prefix.c) */
    struct wl_watch **watch;  /* [npus][layout->prefixes]; NULL: no edge waits for a part */
};

/* Whether the trace has its own issue rules (orr_trace.rules). */
static inline bool wl_has_rules(const struct sys_policy *policy, const struct orr_trace *trace)
{
    return trace->rules[0] != '\0' && !policy->ignores_rules;
}

/* The rank that represents a slot. */
static inline struct orr_rank wl_rank(const struct wl_engine *engine, struct orr_slot npu)
{
    return engine->parts.fold != NULL ? orr_fold_rank(engine->parts.fold, npu) : orr_rank(npu.slot);
}

/* The slot of a rank's class, and how many ranks there are. */
static inline struct orr_slot wl_slot(const struct wl_engine *engine, struct orr_rank rank)
{
    return engine->parts.fold != NULL ? orr_fold_slot(engine->parts.fold, rank)
                                      : orr_slot(rank.rank);
}

static inline uint32_t wl_ranks(const struct wl_engine *engine)
{
    return engine->parts.fold != NULL ? engine->parts.fold->npus : engine->npus;
}

static inline struct wl_npu *wl_job_npu(const struct wl_engine *engine, const struct wl_run *run,
                                        uint32_t index)
{
    return &engine->npu[run->job.rank != NULL ? run->job.rank[index] : index];
}

/* ---- jobs.c ---- */
enum orr_status orr_wl_jobs_create(struct wl_engine *engine, struct orr_diag *diag);
/* The job of a rank, or NULL; the rank's number in its job; the rank of such a number, or
 * UINT32_MAX if there is none. */
const struct wl_run *orr_wl_run_of(const struct wl_engine *engine, struct orr_rank rank);
struct orr_rank orr_wl_rank_in_job(const struct wl_engine *engine, struct orr_rank rank);
struct orr_rank orr_wl_rank_of_job(const struct wl_run *run, struct orr_rank rank);
/* Posts the events that begin an iteration. */
void orr_wl_job_post(struct wl_engine *engine, uint32_t number, sim_time time);
void orr_wl_npu_reset(const struct wl_engine *engine, struct wl_npu *npu);
/* The NPU has finished its part of an iteration. */
void orr_wl_job_part_done(struct wl_engine *engine, struct orr_slot slot);

/* The peer of a SEND or RECV; UINT32_MAX: not in the rank's job. */
static inline struct orr_rank wl_peer(const struct wl_engine *engine, struct orr_rank rank,
                                      const struct orr_node *node)
{
    if (__builtin_expect(engine->part == NULL, 1)) {
        return orr_rank(orr_node_peer(node, rank.rank, wl_ranks(engine)));
    }
    const struct wl_run *run = orr_wl_run_of(engine, rank);
    const struct orr_rank rank_in_job = orr_wl_rank_in_job(engine, rank);
    return orr_wl_rank_of_job(run, orr_rank(orr_node_peer(node, rank_in_job.rank, run->job.npus)));
}

/* ---- streams.c ---- */
/* The layout of a trace under the policy and the compute model of the parts. */
enum orr_status orr_wl_layout_create(const struct wl_layout **out, const struct orr_trace *trace,
                                     const struct wl_parts *parts, struct orr_diag *diag);
/* Adds a ready node to its stream. */
void orr_wl_stream_push(struct wl_engine *engine, struct wl_npu *npu, uint32_t node);
/* Removes and returns the ready node with the smallest id whose stream is free; WL_NONE if there is
 * none. */
uint32_t orr_wl_stream_pop(struct wl_npu *npu);
/* Lets ready collectives and sends start although their stream is busy or it is not their turn;
 * false if there are none. Prevents two streams of a job from blocking each other forever (a send
 * blocks its stream only under rendezvous). */
bool orr_wl_streams_relax(struct wl_npu *npu);

/* ---- issue_fifo.c: FIFO issue, instead of orr_wl_stream_push and _pop ---- */
/* Begins the root nodes of an NPU, or of all NPUs of a job. */
void orr_wl_fifo_start(struct wl_engine *engine, struct orr_slot npu);
void orr_wl_fifo_start_all(struct wl_engine *engine, const struct wl_run *run);
/* by_number: registers the callback that forms the queues at the end of each instant. */
void orr_wl_fifo_watch(struct wl_engine *engine);
/* A node is done: begins its children, then the next node of its stream's queue. */
void orr_wl_fifo_done(struct wl_engine *engine, struct orr_slot npu, uint32_t node);
/* The first `bytes` of a collective have arrived: begins the nodes that wait for no more. */
void orr_wl_fifo_progress(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                          uint64_t bytes);

/* ---- prefix.c: edges that wait for a part of a collective ---- */
/* Fills layout->prefix. */
enum orr_status orr_wl_prefixes_list(struct wl_layout *layout, struct orr_arena *arena,
                                     struct orr_diag *diag);
/* Allocates the arrival times, once all NPUs have their layouts. */
enum orr_status orr_wl_prefixes_create(struct wl_engine *engine, struct orr_diag *diag);
/* Resets the arrival times for another iteration. */
void orr_wl_prefixes_reset(const struct wl_engine *engine, const struct wl_npu *npu);
/* Whether an edge waits for a part of the node. */
bool orr_wl_is_watched(const struct wl_npu *npu, uint32_t node);
/* A watched collective begins; all members have begun it; a part of it, or its end, arrives. */
void orr_wl_watch_begins(const struct wl_engine *engine, const struct wl_npu *npu, uint32_t node);
void orr_wl_watch_transfers(const struct wl_engine *engine, const struct wl_npu *npu,
                            uint32_t node);
void orr_wl_watch_arrives(struct wl_engine *engine, const struct wl_npu *npu, uint32_t node);
/* The first `bytes` of the node have arrived (UINT64_MAX: it has ended). Calls `ready` once for
 * each child that no longer waits. The NPU's time breakdown must be settled. */
typedef void (*wl_ready_fn)(struct wl_engine *engine, struct wl_npu *npu, uint32_t child);
void orr_wl_prefix_release(struct wl_engine *engine, struct wl_npu *npu, uint32_t node,
                           uint64_t bytes, wl_ready_fn ready);

/* ---- issue.c ---- */
void orr_wl_issue(struct wl_engine *engine, struct orr_slot npu, uint32_t node);
/* Duration of a computation on the NPU; *skipped: the node is not begun at all. */
sim_time orr_wl_computation(const struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                            bool *skipped);
/* Posts the end of a node after `duration`. */
void orr_wl_post_done(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                      sim_time duration);

/* ---- compute_time.c ---- */
/* Duration without slowdown. */
sim_time orr_wl_compute_time(const struct wl_compute *compute, const struct orr_node *node,
                             enum orr_op_kind kind, bool *skipped);
/* The parts of a roofline time; false: the node has no roofline time. */
bool orr_wl_compute_parts(const struct wl_compute *compute, const struct orr_node *node,
                          enum orr_op_kind kind, struct wl_roofline_parts *parts);
/* The recorded duration, scaled by the speeds of wl_compute. */
sim_time orr_wl_replay_time(const struct wl_compute *compute, const struct orr_node *node);

/* ---- node_requests.c ---- */
struct sys_message orr_wl_message_of(const struct wl_engine *engine, struct orr_slot npu,
                                     uint32_t node);
struct mem_access orr_wl_access_of(struct orr_slot npu, uint32_t index,
                                   const struct orr_node *node);
/* The part of the machine that the node's time belongs to (core/cause.h). */
uint8_t orr_wl_part_of(const struct wl_engine *engine, const struct orr_node *node);

/* ---- processor_sharing.c ---- */
/* Allocates the sharing state of the NPUs that need it, and sets the handler of its events. */
enum orr_status orr_wl_sharing_create(struct wl_engine *engine, struct orr_diag *diag);
/* Whether the node runs at a varying speed. */
bool orr_wl_shares(const struct wl_engine *engine, struct orr_slot npu,
                   const struct orr_node *node);
/* Begins the node, which takes `duration` at speed 1. */
void orr_wl_sharing_begin(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                          sim_time duration);

/* change is +1 or -1: the NPU begins or stops forwarding a message of others (sys_listener), or
 * running a collective, for which npu->sharing must not be NULL. */
void orr_wl_forwards(void *engine, struct orr_slot npu, int change);
void orr_wl_runs_collective(struct wl_engine *engine, struct orr_slot npu,
                            const struct orr_node *node, int change);
/* A factor whose default is 1. */
static inline double orr_wl_factor(double given)
{
    return given > 0 ? given : 1;
}

/* ---- time_breakdown.c ---- */
void orr_wl_node_begins(struct wl_engine *engine, struct orr_slot npu, uint32_t node);
void orr_wl_node_ends(struct wl_engine *engine, struct orr_slot npu, uint32_t node);
/* The node no longer waits for its peers. */
void orr_wl_node_transfers(void *engine, struct orr_slot npu, uint64_t node);
/* Accounts the time up to now. */
void orr_wl_settle(const struct wl_engine *engine, struct wl_npu *npu);

/* ---- spans.c: no-ops if spans are not recorded ---- */
void orr_wl_spans_init(struct wl_engine *engine);
/* Allocates the spans of an NPU's nodes; false when memory is out. */
bool orr_wl_spans_create(const struct wl_engine *engine, struct wl_npu *npu);
void orr_wl_span_begins(struct wl_engine *engine, struct wl_npu *npu, uint32_t node);

/* The GPU's view (gpu_times.c): create and change the account of an NPU with work of the CPU. */
bool orr_wl_gpu_create(const struct wl_engine *engine, struct wl_npu *npu);
void orr_wl_gpu_begins(const struct wl_engine *engine, struct wl_npu *npu, uint32_t node);
void orr_wl_gpu_ends(const struct wl_engine *engine, struct wl_npu *npu, uint32_t node);

/* The running node no longer waits for its peers. */
void orr_wl_span_transfers(struct wl_engine *engine, struct wl_npu *npu, uint32_t node);
/* After its state has become WL_DONE. */
void orr_wl_span_ends(struct wl_engine *engine, struct wl_npu *npu, uint32_t node);

/* ---- engine.c ---- */
void orr_wl_node_skipped(struct wl_engine *engine, struct orr_slot npu, uint32_t node);

/* ---- resolve_groups.c ---- */
/* Adds the groups that the traces' process-group metadata defines, and resolves every group that a
 * trace names. */
enum orr_status orr_wl_resolve_groups(struct wl_engine *engine, struct orr_diag *diag);

/* ---- uneven_members.c ---- */
/* Finds the sizes of all uneven collectives; groups must be resolved. Errors: members that disagree
 * on sizes, naming both and their sums. O(collectives log collectives), O(members^2) for each
 * uneven all-to-all. */
enum orr_status orr_wl_uneven_create(struct wl_engine *engine, struct orr_diag *diag);

/* ---- static_check.c ---- */
/* Fails, before the run, on nodes that the platform cannot run: unknown peers and roots, memory
 * nodes without a memory, ranks outside the group they name, sizes and algorithms. */
enum orr_status orr_wl_check_nodes(const struct wl_engine *engine, struct orr_diag *diag);

/* ---- deadlock.c ---- */
enum orr_status orr_wl_deadlock_report(const struct wl_engine *engine, struct orr_diag *diag);
/* Describes a communication node: "send to NPU 1, tag 7, 100 bytes". */
void orr_wl_describe(const struct orr_node *node, struct orr_rank peer, char *text, size_t bytes);

/* ---- unmatched_ops.c ---- */
/* Fails, after the run, on unmatched operations: messages without a receive, collectives that some
 * members did not start. Under the reference's rules it only warns. */
enum orr_status orr_wl_check_unmatched(const struct wl_engine *engine, struct orr_diag *diag);

#endif
