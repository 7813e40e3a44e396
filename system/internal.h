/* State of the system layer, private to the folder. See system.h for what it does, and
 * docs/architecture.md for the way of a collective through these files:
 * run.c pairs the NPUs' parts, plan.c splits them into chunks and phases, queues.c admits
 * chunk-phases, generic.c / reference.c / reference_tree.c / custom.c step them, p2p.c matches. */
#ifndef ORR_SYSTEM_INTERNAL_H
#define ORR_SYSTEM_INTERNAL_H

#include "system/system.h"

#define SYS_NONE UINT32_MAX

enum { SYS_MAX_DIMS = 32, SYS_MAX_CHUNKS = 1 << 13 };

enum {
    EVENT_STEP = ORR_EVENT_SYSTEM, /* a reference chunk-phase goes on after a delay */
    EVENT_TAKEN,                   /* a generic chunk-phase takes a message in after a delay */
    EVENT_EMPTY,                   /* a phase without messages is over */
    EVENT_ARRIVED_EARLY,           /* a message that came before its receive was posted */
    EVENT_RENDEZVOUS,              /* a request to send that came before the send */
    EVENT_RENDEZVOUS_SEND,         /* the same for a point-to-point send */
    EVENT_DONE,                    /* a collective without phases is complete */
    EVENT_P2P_COMPLETE,
    EVENT_CUSTOM_COMPUTE,
    EVENT_SETTLED /* the latencies of a collective are over */
};

enum { SYS_REQUEST_BYTES = 8192 }; /* a rendezvous request */

/* One logical dimension of a group: `n` members, `stride` ranks apart (or positions in the group's
 * list when the group is flat). */
struct sys_dim {
    uint32_t n, stride;
    uint32_t queue_dim; /* the platform dimension whose queues carry its chunk-phases */
    struct orr_divisor by_n, by_stride;
};

static inline struct sys_dim sys_dim_of(uint32_t n, uint32_t stride, uint32_t queue_dim)
{
    return (struct sys_dim){.n = n,
                            .stride = stride,
                            .queue_dim = queue_dim,
                            .by_n = orr_divisor_of(n),
                            .by_stride = orr_divisor_of(stride)};
}

struct sys_group {
    const char *name;
    uint32_t size;
    uint32_t family;        /* number of the name: groups of one name have the same */
    uint32_t first_of_name; /* the first group of that name */
    bool shares_name;       /* the name has several groups */
    const uint32_t *ranks;  /* [size], in the given order; NULL: all NPUs in order */
    uint32_t *sorted;       /* [size], pairs (rank, position) sorted by rank; NULL as above */
    const uint32_t *given;  /* [size], as the group was defined */
    bool whole;             /* all NPUs of the platform, in any order */
    /* With a fold a group is the ranks of those that stand for their classes; members are those. */
    uint32_t members;            /* size, or fewer with a fold */
    const uint32_t *member_slot; /* [members], slots ascending; NULL: member i is at position i */
    const uint32_t *member_at;   /* [members], their positions; NULL as above */
    unsigned box_dims;           /* the group is a box of the platform's dimensions; 0: it is not */
    struct sys_dim box[SYS_MAX_DIMS]; /* strides count positions */
    uint32_t next_ordinal; /* for ordinals handed out by the system (pair_by_issue): per NPU */
    uint32_t *issued;      /* [size], collectives issued per member (pair_by_issue) */
    struct sys_run *runs;  /* live collectives, oldest first */
    struct sys_run *last_run;
};

/* Numbers of groups by hash; a power of two of places, 0: free. */
struct sys_group_table {
    uint32_t *group;
    size_t mask, used;
};

enum sys_queue_class { QUEUE_ALL, QUEUE_FIRST_HALF, QUEUE_SECOND_HALF };

/* One phase of a chunk: a collective inside one logical dimension. */
struct sys_phase {
    uint8_t dim;
    uint8_t kind; /* enum coll_kind */
    uint8_t queue_class;
    bool backwards; /* the ring's other direction */
    uint32_t window;
    uint32_t variant;
    uint32_t credit; /* messages of a lane that may wait at ports at once */
    uint64_t bytes;  /* as coll_args.bytes */
    const struct coll_algorithm *algorithm;
};

struct sys_plan {
    unsigned phases;
    const struct sys_phase *phase; /* [phases] */
};

/* A member's part of one chunk. Counters mean what the stepping file says. A cache line. */
struct sys_stream {
    struct sys_run *run;
    union {
        struct sys_stream *next; /* in a queue of waiting chunk-phases */
        uint32_t need[2]; /* generic, per lane: receives that the next send needs, or fewer */
    };
    uint32_t member;
    uint16_t chunk;
    uint8_t phase;
    uint8_t flags;
    uint32_t sent[2];     /* sends handed over, per lane; reference: [0] sends, [1] inserted */
    uint32_t received[2]; /* receives complete, per lane; reference: [0] received, [1] general */
    uint32_t left;        /* messages that have left the port */
    uint32_t early;       /* messages that came before their time (early.c) */
    /* Of the phase that runs: */
    uint32_t rank;  /* in its dimension */
    uint32_t sends; /* generic: all of them */
    uint64_t order; /* at ports */
};

_Static_assert(sizeof(struct sys_stream) == 64, "a stream is a cache line");

/* flags: the phase has begun; waits for its turn; the phase is stepped as in the reference; a
 * receive of the phase has been held back. */
enum { STREAM_ACTIVE = 1, STREAM_READY = 2, STREAM_REFERENCE = 4, STREAM_HELD = 8 };

/* What the NPU asked for, and what is left of it. */
struct sys_member {
    uint64_t cookie;
    int64_t priority;
    uint32_t chunks_left;
    uint32_t age;          /* how many collectives the NPU had started before */
    const uint8_t *queues; /* [chunks * phases], queue within the dimension; NULL: 0 */
    const char *name;
    uint64_t node_id;
    bool started, finished;
};

/* Which members of a group have not started a collective, for a deadlock's report. */
struct sys_missing {
    const struct sys_group *of;
    uint32_t first; /* SYS_NONE: all have started it */
    char text[128];
};

/* A collective on a group: shared by its members, freed when all have finished. */
struct sys_run {
    struct sys *sys;
    struct sys_group *group;
    struct sys_run *next, *previous;
    uint32_t ordinal;
    uint32_t id;
    uint64_t label; /* of its messages and events, without chunk, phase and step */
    uint8_t chunk_shift, phase_shift;
    enum coll_kind kind;
    uint64_t bytes;
    uint32_t root; /* position in the group */
    uint32_t dim_mask;
    uint32_t finished; /* members */
    unsigned dims;
    struct sys_dim dim[SYS_MAX_DIMS];
    uint32_t root_coord[SYS_MAX_DIMS];
    bool flat;                   /* positions, not ranks, are strided */
    const struct sys_pick *pick; /* of the algorithms that no name says; NULL: those of blocks */
    sim_time endpoint_ps;
    uint32_t chunks;
    const struct sys_scheduler_ops *scheduler;
    const struct sys_plan *const *plan; /* [chunks] */
    struct sys_member *member;          /* [members] */
    struct sys_stream *stream;          /* [members * chunks] */
    struct custom_state *custom;        /* custom collectives; NULL otherwise */
    const struct sys_custom *custom_program;
    struct orr_arena *arena; /* of the run and all that it points to */
    size_t bytes_counted;    /* of the arena, in sys.run_bytes */
    /* How many members have started, and the cause and time of the start in the middle: those that
     * start later are stragglers. Causes only when they are kept. */
    const struct sys_phase_order *order; /* NULL: messages go as they are ready */
    uint32_t *turn;                      /* [members * dims], phases served so far */
    sim_time latency_ps[SYS_MAX_DIMS];   /* with an order: of a chunk's way, added at the end */
    struct sys_missing *missing;         /* once a report has asked for them */
    uint32_t starts;
    orr_cause middle;
    sim_time middle_ps;
};

struct early {
    uint32_t next; /* of its bucket, + 1 */
    uint32_t recv; /* index of the receive (or of the send, for rendezvous requests) */
    const struct sys_stream *stream;
    uint8_t phase;
    bool request;
};

struct sys_early {
    struct orr_slab items;
    uint32_t *heads; /* [2^bits], item + 1; NULL: none yet */
    unsigned bits;
    uint64_t count;
};

/* Admission of chunk-phases at one queue of one NPU. */
struct sys_queue {
    struct sys_stream *head, *tail;
    uint32_t running;
};

/* Where the fields of a collective's labels begin (labels.c), and what they must hold. */
struct sys_labels {
    uint64_t steps, chunks, ordinals; /* counts: a field holds the numbers below */
    uint64_t ring_steps;              /* instead of `steps`, if a ring should run an all-to-all */
    unsigned request_shift, phase_shift, chunk_shift, ordinal_shift, name_shift;
    uint64_t step_mask, request_bit; /* no rendezvous: no bit */
    uint8_t phase_mask;
    unsigned needed; /* bits in all */
    bool chosen;     /* the widths are fixed */
};

struct p2p;

struct sys {
    const struct sys_config *config;
    const struct sys_config *given; /* a system that only plans: what will run; else the same */
    struct sys_picks *picks;
    const struct sys_policy *policy;
    struct net *net;
    struct orr_evq *queue;
    struct orr_arena *arena;
    struct sys_listener listener;
    bool counts_departures; /* the network tells when messages have left their ports */
    uint32_t npus, slots;   /* slots: NPUs that are simulated; per-NPU arrays go by them */
    uint32_t group_count;
    size_t group_capacity;
    struct sys_group **groups;
    uint32_t families;                    /* names of groups, but for all NPUs' */
    struct sys_group_table group_names;   /* the first group of each name */
    struct sys_group_table group_members; /* groups of shared names, by their ranks */
    uint32_t *started;                    /* [slots], collectives started: ages and labels */
    int64_t *priority;                    /* [slots], running priority */
    struct sys_queue *queues;             /* [npus * dims * queues_per_dim]; admit_chunks only */
    uint32_t queue_concurrency;
    uint32_t *allocators;      /* [npus * dims * 3], next queue per class */
    uint32_t *tree_variant;    /* [SYS_LISTED_KINDS * dims], which tree comes next */
    struct sys_tracker *loads; /* the reference's scheduler: of one instant; NULL: of a run */
    sim_time loads_ps;         /* that instant */
    struct sys_early early;
    struct p2p *p2p;
    struct sys_labels labels;
    uint64_t messages;
    uint32_t run_ids;
    size_t run_bytes;
};

/* ---- group_index.c ---- */
/* Numbers the name of a group that is to be the index-th. */
void sys_group_number(struct sys *sys, struct sys_group *group, uint32_t index);
/* Files the group, the last of all, by name and ranks; false: no memory. */
bool sys_group_file(struct sys *sys, uint32_t group);
/* Whether a group but all NPUs' has the name. */
bool sys_group_known(const struct sys *sys, const char *name);

/* ---- groups.c ---- */
uint32_t sys_rank_at(const struct sys_group *group, uint32_t position);
/* The inverse; SYS_NONE when the rank is not in the group. O(log n). */
uint32_t sys_position_in(const struct sys_group *group, uint32_t rank);
/* The member that stands for the rank at a position. O(1), with a fold O(log members). */
uint32_t sys_member_at(const struct sys *sys, const struct sys_group *group, uint32_t position);
/* Finds the members of a group under the fold. */
enum orr_status sys_group_fold(struct sys *sys, struct sys_group *group, struct orr_diag *diag);

/* ---- plan.c ---- */
/* Fills dims, chunks and plans of a new run. */
enum orr_status sys_plan_run(struct sys *sys, struct sys_run *run, struct orr_diag *diag);
/* Whether a collective can be planned on the platform. */
enum orr_status sys_plan_check(const struct sys *sys, const struct sys_collective *request,
                               struct orr_diag *diag);
/* The NPU's queue for each chunk and phase, from its round-robin allocators; none when all are 0.
 */
enum orr_status sys_plan_queues(struct sys *sys, struct sys_run *run, uint32_t npu,
                                struct sys_member *member);

/* ---- schedulers.c ---- */
/* The tracker that outlives collectives, where the scheduler has one. False: no memory. */
bool sys_loads_create(struct sys *sys);
/* The NPU starts a collective: NPU 0's first one of an instant resets the loads. */
void sys_loads_start(struct sys *sys, uint32_t npu);

/* What an NPU can send on a dimension with the algorithm that runs there, in bytes/s. */
double sys_dim_bandwidth(const struct sys *sys, const struct sys_run *run, unsigned d);
/* Arguments of the phase's program for a member of rank 0 in its dimension. */
struct coll_args sys_phase_args(const struct sys_run *run, const struct sys_phase *phase);

/* ---- phase_order.c: one chunk-phase at a time ---- */
/* The chunk-phases of a dimension, in the order in which they are served. */
struct sys_phase_order {
    const uint32_t *item;         /* chunk << 8 | phase, those of a dimension behind each other */
    uint32_t first[SYS_MAX_DIMS]; /* of each of the run's dimensions */
    uint32_t items;
};
/* Works the order out for a planned run, by a simulation of one member (all are alike). */
enum orr_status sys_phase_order_create(const struct sys *sys, struct sys_run *run,
                                       struct orr_diag *diag);

/* ---- turns.c ---- */
/* The stream is ready for its phase, which begins at once or, with an order, when it is its turn.
 */
void sys_phase_enter(struct sys *sys, struct sys_stream *stream);
/* A chunk-phase of the member's dimension is over: lets the next one begin, if it is ready. */
void sys_phase_serve_next(struct sys *sys, struct sys_run *run, uint32_t member, unsigned dim);

/* ---- run.c ---- */
void sys_runs_destroy(struct sys *sys);
void sys_phase_begin(struct sys *sys, struct sys_stream *stream);
void sys_phase_finished(struct sys *sys, struct sys_stream *stream);
void sys_on_done(void *context, const struct orr_event *event);
void sys_on_settled(void *context, const struct orr_event *event);

/* Whether the collective has anything to do in a dimension of the run. */
static inline bool sys_takes_part(const struct sys_run *run, unsigned d)
{
    return run->dim[d].n > 1 && (run->dim_mask >> run->dim[d].queue_dim & 1u) != 0;
}

static inline const struct sys_phase *sys_phase_of(const struct sys_stream *stream)
{
    return &stream->run->plan[stream->chunk]->phase[stream->phase];
}

/* The stream's place in its group, and its rank; with a fold, those of who stands for its class. */
static inline uint32_t sys_position_of(const struct sys_stream *stream)
{
    const struct sys_group *group = stream->run->group;
    return group->member_at != NULL ? group->member_at[stream->member] : stream->member;
}

static inline uint32_t sys_rank_of(const struct sys_stream *stream)
{
    return sys_rank_at(stream->run->group, sys_position_of(stream));
}

/* The slot that the stream's events belong to. */
static inline uint32_t sys_npu_of(const struct sys_stream *stream)
{
    const struct sys_group *group = stream->run->group;
    return group->member_slot != NULL ? group->member_slot[stream->member] : sys_rank_of(stream);
}

static inline uint32_t sys_index_in(const struct sys_dim *dim, uint32_t position)
{
    return orr_remainder(dim->by_n, orr_quotient(dim->by_stride, position));
}

/* Position of the member `peer` (index in the dimension) of the slice that `position` is in. */
static inline uint32_t sys_peer_position(const struct sys_dim *dim, uint32_t position, uint32_t own,
                                         uint32_t peer)
{
    return position + (peer - own) * dim->stride;
}

/* ---- labels.c ---- */
/* Such a collective will be started. */
void sys_labels_announce(struct sys *sys, const struct sys_collective *request);
/* Gives a planned run its labels; false, with the queue stopped, when they do not hold them. */
bool sys_labels_fit(struct sys *sys, struct sys_run *run);

/* ---- messages.c ---- */
/* Label of a message or event of the stream: collective, chunk, phase, step; and its parts. */
uint64_t sys_label(const struct sys_stream *stream, uint32_t step);
uint32_t sys_label_step(const struct sys *sys, uint64_t label);

/* What the messages of the stream's phase go by at ports. */
uint64_t sys_port_order(const struct sys *sys, const struct sys_stream *stream);
void sys_send_step(struct sys *sys, struct sys_stream *stream, uint32_t peer_position,
                   uint32_t peer_recv, uint64_t bytes, bool backwards);
/* Asks the peer for its send `peer_send` (rendezvous). */
void sys_send_request(struct sys *sys, struct sys_stream *stream, uint32_t peer_position,
                      uint32_t peer_send);
/* What a port goes by for messages of this age: before those of what is started later. */
uint64_t sys_port_order_of_age(uint64_t age);
void sys_collective_delivered(struct sys *sys, uint64_t label, uint64_t cookie);

/* ---- queues.c ---- */
struct sys_queue *sys_queue_of(struct sys *sys, const struct sys_stream *stream);
void sys_queue_push(struct sys *sys, struct sys_stream *stream);
void sys_queue_start(struct sys *sys, struct sys_stream *of);
void sys_queue_vacate(struct sys *sys, struct sys_queue *queue);
void sys_queue_leave(struct sys *sys, struct sys_stream *stream);

static inline uint32_t sys_queue_number(const struct sys_member *member,
                                        const struct sys_stream *stream)
{
    return member->queues != NULL
               ? member->queues[(size_t)stream->chunk * 2 * SYS_MAX_DIMS + stream->phase]
               : 0;
}

/* ---- early.c: messages that came before their receiver was ready for them ---- */
void sys_early_add(struct sys *sys, struct sys_stream *stream, uint8_t phase, uint32_t recv,
                   bool request);
bool sys_early_take(struct sys *sys, struct sys_stream *stream, uint8_t phase, uint32_t recv,
                    bool request);
void sys_early_fini(struct sys *sys);

/* ---- generic.c ---- */
void sys_generic_begin(struct sys *sys, struct sys_stream *stream);
void sys_generic_arrived(struct sys *sys, struct sys_stream *stream, uint32_t recv);
void sys_generic_taken(struct sys *sys, struct sys_stream *stream, uint32_t recv);
void sys_generic_left(struct sys *sys, struct sys_stream *stream);
/* Has a message that came taken in at a time to come. */
void sys_generic_take_at(struct sys *sys, const struct sys_stream *stream, uint32_t recv,
                         sim_time time);
/* Sends what may be sent. */
void sys_generic_pump(struct sys *sys, struct sys_stream *stream);
/* Arguments of the program of the stream's phase. */
struct coll_args sys_args_of(const struct sys_stream *stream);

/* ---- repeats.c: callbacks of the network, see net_listener ---- */
bool sys_repeats(void *context, uint64_t source_cookie, struct net_repeat *repeat);
void sys_repeating(void *context, uint64_t source_cookie);
void sys_repeated(void *context, uint64_t source_cookie);
void sys_interrupted(void *context, uint64_t source_cookie, const struct net_progress *progress);

/* ---- reference.c ---- */
bool sys_reference_runs(const struct sys_run *run, const struct sys_phase *phase);
uint64_t sys_reference_final_bytes(const struct sys_phase *phase, uint32_t n);
void sys_reference_begin(struct sys *sys, struct sys_stream *stream);
void sys_reference_arrived(struct sys *sys, struct sys_stream *stream, uint32_t recv);
void sys_reference_request(struct sys *sys, struct sys_stream *stream, uint32_t send);
sim_time sys_reduction_time(const struct sys *sys, uint64_t bytes);
/* What a step waits for, and whether a reduction comes next. */
enum sys_step_wait { SYS_ENDPOINT, SYS_ENDPOINT_THEN_REDUCTION, SYS_REDUCTION };
void sys_post_step(struct sys *sys, struct sys_stream *stream, sim_time delay,
                   enum sys_step_wait wait);
void sys_post_recv(struct sys *sys, struct sys_stream *stream, uint32_t recv);
void sys_post_now(struct sys *sys, struct sys_stream *stream, uint16_t kind, uint32_t step);
void sys_on_step(void *context, const struct orr_event *event);
void sys_on_arrived_early(void *context, const struct orr_event *event);
void sys_on_rendezvous(void *context, const struct orr_event *event);

/* ---- reference_tree.c ---- */
void sys_tree_begin(struct sys *sys, struct sys_stream *stream);
void sys_tree_arrived(struct sys *sys, struct sys_stream *stream, uint32_t recv);
void sys_tree_step(struct sys *sys, struct sys_stream *stream, bool reduce);

/* ---- custom.c ---- */
enum orr_status sys_custom_prepare(struct sys *sys, struct sys_run *run);
void sys_custom_begin(struct sys *sys, struct sys_stream *stream);
void sys_custom_op_done(struct sys *sys, struct sys_stream *stream, uint32_t op);
void sys_on_custom_compute(void *context, const struct orr_event *event);

/* ---- p2p.c ---- */
/* Who a completed operation belongs to: the workload's node, or an operation of a custom
 * collective's stream. */
struct p2p_owner {
    struct sys_stream *stream; /* NULL: the workload */
    uint64_t cookie;           /* the workload's cookie, or the operation */
};
struct p2p_op {
    uint32_t src, dst;
    uint64_t tag;
    uint64_t bytes;
    uint64_t space; /* separates custom collectives from each other; 0: the workload */
    struct p2p_owner owner;
};
/* The operation of a message, by ranks. With a fold, seen from who stands for the sender's class:
 * the receiver's pair of sender and receiver is shifted there. */
struct p2p_op sys_op_of(const struct sys *sys, const struct sys_message *message, bool sends);
enum orr_status p2p_create(struct sys *sys, struct orr_diag *diag);
void p2p_destroy(struct sys *sys);
void p2p_send(struct sys *sys, const struct p2p_op *op);
void p2p_recv(struct sys *sys, const struct p2p_op *op);
/* Sends that nobody has posted a receive for. */
uint64_t p2p_left(const struct sys *sys);
void p2p_delivered(struct sys *sys, uint64_t cookie);
/* `sender` is what the report calls the operation's source. */
void p2p_explain_recv(const struct sys *sys, const struct p2p_op *op, uint32_t sender, char *text,
                      size_t bytes);
void sys_on_p2p_complete(void *context, const struct orr_event *event);
void sys_on_rendezvous_send(void *context, const struct orr_event *event);

#endif
