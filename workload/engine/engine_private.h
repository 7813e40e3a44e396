/* State of the graph engine, shared by engine.c (the run), time_breakdown.c (where time went),
 * issue.c (starting nodes), streams.c (what may run beside what), resolve_groups.c and deadlock.c
 * (reports).
 */
#ifndef ORR_WORKLOAD_ENGINE_ENGINE_PRIVATE_H
#define ORR_WORKLOAD_ENGINE_ENGINE_PRIVATE_H

#include "workload/engine/engine.h"
#include "workload/engine/memory_use.h"
#include "workload/engine/node_requests.h"
#include "workload/trace/op_kind.h"

#define WL_NONE UINT32_MAX
/* In wl_npu.waiting: begun; over; begun, and others have still to begin what it is for. Of a node
 * that is over it is instead when it began, where that is recorded, see spans.c. */
#define WL_ISSUED UINT32_MAX
#define WL_DONE (UINT32_MAX - 1u)
#define WL_AWAITS (UINT32_MAX - 2u)

enum { EVENT_START = ORR_EVENT_WORKLOAD, EVENT_NODE_DONE, EVENT_SHARE_DONE };

/* What a trace means for scheduling: computed once for each distinct trace. A lane is a resource
 * that runs one node at a time: the compute stream, the CPU stream, the memory channel, one stream
 * per communicator group and per peer; lane 0 has no limit. */
struct wl_layout {
    const struct orr_trace *trace;
    const uint32_t *stream; /* [nodes] */
    const uint8_t *op_kind; /* [nodes], enum orr_op_kind; NULL: efficiency does not depend on it */
    /* The next three are NULL when collectives pair by order of issue. */
    const uint32_t *ordinal;  /* [nodes], collectives: which of their group in program order */
    const uint32_t *position; /* [nodes], place in program order */
    const uint32_t *at;       /* [nodes], the node at a place: inverse of `place` */
    const uint32_t *prefix; /* [prefixes], edges that wait for a part of a collective, ascending */
    uint32_t prefixes;
    uint32_t streams;
    uint32_t path_stream; /* of accesses and communication on one path; WL_NONE: there is none */
    uint32_t first_group_stream,
        group_streams; /* lanes of collectives, which run in program order */
};

enum { STREAM_FREE, STREAM_COMPUTE, STREAM_CPU, STREAM_MEMORY, STREAMS_FIXED };

/* Ready nodes that wait for a lane: a binary heap of keys. The key is the node's index (= its id's
 * order), in the lane of a group its place in program order. */
struct wl_stream {
    union {
        struct {
            uint32_t *heap;
            size_t capacity;
        };
        struct {
            uint32_t first, last; /* issues_fifo: nodes in line, see wl_npu.behind */
        };
    };
    uint32_t count;
    uint32_t running;
    uint32_t next_ordinal; /* collectives: the one whose turn it is */
    bool relaxed;          /* collectives, sends: start when ready, because the order is stuck */
};

/* What runs on an NPU at a speed that changes (processor_sharing.c). */
enum { WL_MAX_USERS = 8 };

struct wl_user {
    uint32_t node;
    double remaining_ps; /* of the time that it takes alone */
    double demand;       /* share of the bandwidth that it uses alone */
    double speed;        /* of what it does alone */
    sim_time due_ps;     /* when it is done at this speed */
    bool is_slowed;      /* it computes, and what goes on beside it makes it slower */
    bool has_cause;
    orr_cause cause; /* of its start */
};

struct wl_sharing {
    struct wl_user user[WL_MAX_USERS];
    unsigned users;
    uint32_t version;      /* of the event that is awaited; others are void */
    sim_time since;        /* of the last change */
    bool is_fair;          /* nodes share the memory's bandwidth */
    bool is_slowed;        /* computations are slowed by what is counted here: */
    bool keeps_forwarding; /* it has forwarded something, and its collectives still run */
    uint32_t forwarding, collectives;
    double pace; /* how many times as long a computation takes meanwhile */
};

/* An edge that waits for a part of a collective: when the part was there; and what the first one of
 * a collective's holds of it: when the NPU, and when all, had started it, when its first chunk was
 * there, and the time the NPU had waited for communication when its first part was; < 0: not yet.
 */
struct wl_watch {
    sim_time there_ps;
    sim_time began_ps, all_ps, chunk_ps, waited_ps;
};

struct wl_npu {
    struct wl_sharing *sharing; /* NULL: nodes take the time that they take alone */
    const struct orr_trace *trace;
    const struct wl_layout *layout;
    uint32_t *marks;          /* [nodes], when each ran, see spans.c; NULL: not recorded */
    uint32_t *waiting;        /* [nodes], parents still to finish; then one of the states above */
    struct wl_stream *stream; /* [layout->lanes] */
    union {
        uint32_t *busy_streams;  /* lanes that have ready nodes: a heap-free list, [lanes] */
        uint32_t *next_in_queue; /* issues_fifo: [nodes], the next in line */
    };
    uint32_t busy_count;
    uint32_t freed_count;
    uint32_t *groups; /* [trace->group_count], groups of the system */
    uint32_t all;     /* the group of all NPUs of its job */
    uint32_t *freed;  /* nodes freed while nodes are being issued */
    size_t freed_capacity;
    uint32_t unfinished, in_flight;
    bool issuing, finished;
    bool begun;       /* its first nodes have been found */
    bool issues_fifo; /* nodes begin as they become ready (issues_fifo.c), */
    bool by_number;   /* those of an instant in the line of their lane by id */
    uint32_t active[ACTIVITIES];
    sim_time since; /* of the last change of `active`; of the finish */
    sim_time spent[ACTIVITIES + 1];
    sim_time accelerator_compute_ps;
};

/* A job as it runs. */
struct wl_run {
    struct wl_job job; /* rank NULL: as the platform has them */
    uint32_t left;     /* NPUs that have not finished the iteration */
    uint32_t iteration;
    sim_time began_ps, end_ps;
    sim_time *iteration_ps; /* [job.iterations] */
};

/* Of an NPU: its job, WL_NONE: none, and its rank there. */
struct wl_job_rank {
    uint32_t job, rank;
};

/* A node that has become ready in this instant and is to stand in a line. */
struct wl_newly_ready {
    uint32_t slot, node;
    orr_cause cause; /* of its being ready; where causes are kept */
};

struct wl_engine {
    struct wl_parts parts;
    struct wl_run *run; /* [runs] */
    uint32_t runs;
    struct wl_job_rank *part; /* [npus]; NULL: one job of all */
    uint32_t npus;            /* that are simulated: slots of the fold */
    uint32_t finished;
    sim_time wall_ps; /* the latest finish so far */
    struct wl_npu *npu;
    uint32_t *finish_order;
    /* The critical path: the cause of the last finish, of the lowest rank among equals. */
    orr_cause path;
    struct orr_slot path_npu;
    bool has_path;
    bool started;
    uint32_t depth;                     /* issues_fifo: nodes that are done one within the other */
    bool sends_wait;                    /* for the receiver to ask for the data */
    struct wl_newly_ready *newly_ready; /* by_number: of this instant */
    size_t newly_ready_count, newly_ready_capacity;
    struct orr_slab instants; /* of sim_time, ascending: those of spans, from number 1 on */
    struct orr_slab waits;    /* of struct wl_wait (spans.c), of nodes that waited for others */
    struct wl_queue queue;    /* the longest so far (prefix.c) */
    struct wl_watch **watch;  /* [npus][layout->prefixes]; NULL: no edge waits for a part */
};

/* Whether a trace runs by rules of its own. */
static inline bool wl_has_rules(const struct sys_policy *policy, const struct orr_trace *trace)
{
    return trace->rules[0] != '\0' && !policy->ignores_rules;
}

/* The rank that stands for a slot. */
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
/* The job of a rank, NULL: none; the rank's number there, and the rank of such a number, UINT32_MAX
 * when there is none. */
const struct wl_run *orr_wl_run_of(const struct wl_engine *engine, struct orr_rank rank);
struct orr_rank orr_wl_rank_in_job(const struct wl_engine *engine, struct orr_rank rank);
struct orr_rank orr_wl_rank_of_job(const struct wl_run *run, struct orr_rank rank);
/* Posts the events that begin an iteration. */
void orr_wl_job_post(struct wl_engine *engine, uint32_t number, sim_time time);
void orr_wl_npu_reset(const struct wl_engine *engine, struct wl_npu *npu);
/* The NPU has finished its part of an iteration. */
void orr_wl_job_part_done(struct wl_engine *engine, struct orr_slot slot);

/* The rank that a SEND or RECV of a rank means; UINT32_MAX: none of its job. */
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
/* Adds a ready node to its lane. */
void orr_wl_stream_push(struct wl_engine *engine, struct wl_npu *npu, uint32_t node);
/* Takes the ready node with the smallest id whose lane is free; WL_NONE when there is none. */
uint32_t orr_wl_stream_pop(struct wl_npu *npu);
/* Lets the collectives and sends that are ready start though their stream is taken, or it is not
 * their turn; false when there are none. What keeps two streams of one job from blocking each other
 * for ever (a send blocks its stream under rendezvous only). */
bool orr_wl_streams_relax(struct wl_npu *npu);

/* ---- issues_fifo.c: instead of the two, where nodes begin as they become ready ---- */
/* Begins the nodes that wait for nothing, of an NPU or of all NPUs of a job. */
void orr_wl_fifo_start(struct wl_engine *engine, struct orr_slot npu);
void orr_wl_fifo_start_all(struct wl_engine *engine, const struct wl_run *run);
/* Where NPUs go by number: lines are formed when an instant has no more events. */
void orr_wl_fifo_watch(struct wl_engine *engine);
/* A node is done: its children and who stands in line behind it begin. */
void orr_wl_fifo_done(struct wl_engine *engine, struct orr_slot npu, uint32_t node);
/* So many bytes of a collective are there: who waits for no more begins. */
void orr_wl_fifo_progress(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                          uint64_t bytes);

/* ---- prefix.c: edges that wait for a part of a collective ---- */
/* The layout's list of them. */
enum orr_status orr_wl_prefixes_list(struct wl_layout *layout, struct orr_arena *arena,
                                     struct orr_diag *diag);
/* Memory for when each was there, once all NPUs have their layouts. */
enum orr_status orr_wl_prefixes_create(struct wl_engine *engine, struct orr_diag *diag);
/* None is there any more: another iteration begins. */
void orr_wl_prefixes_reset(const struct wl_engine *engine, const struct wl_npu *npu);
/* Whether an edge waits for a part of the node. */
bool orr_wl_is_watched(const struct wl_npu *npu, uint32_t node);
/* A watched collective begins; all have begun it; some of it, or its end, is there. */
void orr_wl_watch_begins(const struct wl_engine *engine, const struct wl_npu *npu, uint32_t node);
void orr_wl_watch_transfers(const struct wl_engine *engine, const struct wl_npu *npu,
                            uint32_t node);
void orr_wl_watch_arrives(struct wl_engine *engine, const struct wl_npu *npu, uint32_t node);
/* `bytes` of the node are there, UINT64_MAX: it is over. Tells of each child, once, that waits for
 * nothing any more. The NPU's account is settled. */
typedef void (*wl_ready_fn)(struct wl_engine *engine, struct wl_npu *npu, uint32_t child);
void orr_wl_prefix_release(struct wl_engine *engine, struct wl_npu *npu, uint32_t node,
                           uint64_t bytes, wl_ready_fn ready);

/* ---- issue.c ---- */
void orr_wl_issue(struct wl_engine *engine, struct orr_slot npu, uint32_t node);
/* How long a computation of the NPU takes; skipped: it is not begun at all. */
sim_time orr_wl_computation(const struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                            bool *skipped);
/* Posts the end of a node, in so long. */
void orr_wl_post_done(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                      sim_time duration);

/* ---- compute_time.c ---- */
/* On an NPU that is not slowed down. */
sim_time orr_wl_compute_time(const struct wl_compute *compute, const struct orr_node *node,
                             enum orr_op_kind kind, bool *skipped);
/* What a computation's time is made of, of a node that the roofline tells; false: of another. */
bool orr_wl_compute_parts(const struct wl_compute *compute, const struct orr_node *node,
                          enum orr_op_kind kind, struct wl_roofline_parts *parts);
/* As recorded, at the speed that is asked for. */
sim_time orr_wl_replay_time(const struct wl_compute *compute, const struct orr_node *node);

/* ---- node_requests.c ---- */
struct sys_message orr_wl_message_of(const struct wl_engine *engine, struct orr_slot npu,
                                     uint32_t node);
struct mem_access orr_wl_access_of(struct orr_slot npu, uint32_t index,
                                   const struct orr_node *node);
/* The part of a machine that a node spends its time on (of core/cause.h). */
uint8_t orr_wl_part_of(const struct wl_engine *engine, const struct orr_node *node);

/* ---- processor_sharing.c ---- */
/* Memory for the sharing of the NPUs that need it, and the handler of its events. */
enum orr_status orr_wl_sharing_create(struct wl_engine *engine, struct orr_diag *diag);
/* Whether such a node runs at a speed that may change. */
bool orr_wl_shares(const struct wl_engine *engine, struct orr_slot npu,
                   const struct orr_node *node);
/* It begins, and takes `duration` alone. */
void orr_wl_sharing_begin(struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                          sim_time duration);

/* The NPU begins or ends to forward a message of others (sys_listener), or to run a collective;
 * `sharing` is not NULL for the latter. */
void orr_wl_forwards(void *engine, struct orr_slot npu, int change);
void orr_wl_runs_collective(struct wl_engine *engine, struct orr_slot npu, int change);
/* A factor that may not be given. */
static inline double orr_wl_factor(double given)
{
    return given > 0 ? given : 1;
}

/* ---- time_breakdown.c ---- */
void orr_wl_node_begins(struct wl_engine *engine, struct orr_slot npu, uint32_t node);
void orr_wl_node_ends(struct wl_engine *engine, struct orr_slot npu, uint32_t node);
/* The node no longer waits for others. */
void orr_wl_node_transfers(void *engine, struct orr_slot npu, uint64_t node);
/* Up to now. */
void orr_wl_settle(const struct wl_engine *engine, struct wl_npu *npu);

/* ---- spans.c: what follows does nothing where spans are not recorded ---- */
void orr_wl_spans_init(struct wl_engine *engine);
/* Memory for the spans of an NPU's nodes; false: none left. */
bool orr_wl_spans_create(const struct wl_engine *engine, struct wl_npu *npu);
void orr_wl_span_begins(struct wl_engine *engine, struct wl_npu *npu, uint32_t node);
/* It no longer waits: now, while it runs. */
void orr_wl_span_transfers(struct wl_engine *engine, struct wl_npu *npu, uint32_t node);
/* After its state has become WL_DONE. */
void orr_wl_span_ends(struct wl_engine *engine, struct wl_npu *npu, uint32_t node);

/* ---- engine.c ---- */
void orr_wl_node_skipped(struct wl_engine *engine, struct orr_slot npu, uint32_t node);

/* ---- resolve_groups.c ---- */
/* Adds the groups that the traces' process-group metadata define, and resolves every group that
 * a trace names. */
enum orr_status orr_wl_resolve_groups(struct wl_engine *engine, struct orr_diag *diag);

/* ---- static_check.c ---- */
/* Refuses, before the run, nodes that the platform cannot run: unknown peers and roots, memory
 * nodes without a memory, ranks that are not in the group they name, sizes and algorithms. */
enum orr_status orr_wl_check_nodes(const struct wl_engine *engine, struct orr_diag *diag);

/* ---- deadlock.c ---- */
enum orr_status orr_wl_deadlock_report(const struct wl_engine *engine, struct orr_diag *diag);
/* What a node of communication does, for reports: "send to NPU 1, tag 7, 100 bytes". */
void orr_wl_describe(const struct orr_node *node, struct orr_rank peer, char *text, size_t bytes);

/* ---- unmatched_ops.c ---- */
/* Refuses, after the run, messages that nobody received and collectives that not all members have
 * started; under the reference's rules it warns of them. */
enum orr_status orr_wl_check_unmatched(const struct wl_engine *engine, struct orr_diag *diag);

#endif
