/* A running collective: the operation that its members share, and their parts of its chunks.
 *
 * Flow of control:
 * - run/run_operation.c pairs the parts that NPUs start into an operation
 * - plan_operation.c splits it into chunks and phases and selects a stepper for each
 * - step/phase_turns.c, or another of the policy's sys_chunk_ops, decides when a member's
 *   chunk begins its phase
 * - step/stepping.c hands the phase to its stepper: step/generic_stepper.c, astra/astra_step.c,
 *   step/custom_stepper.c
 * - run/run_operation.c moves the chunk to its next phase */
#ifndef ORR_SYSTEM_PLAN_OPERATION_H
#define ORR_SYSTEM_PLAN_OPERATION_H

#include "core/fold.h"
#include "network/net_backend.h"
#include "system/collectives/program.h"
#include "system/groups/group.h"
#include "system/plan/phase.h"
#include "system/state.h"
#include "system/sys_config.h"
#include "system/sys_mono.h"
#include "system/sys_position.h"

struct custom_state;
struct orr_arena;
struct sys_collective;
struct sys_custom;
struct sys_gates;
struct sys_scheduler_ops;
struct sys_sizes;
struct sys_tuning;

/* A member's part of one chunk. The stepper's file defines the counters. One cache line. */
struct sys_stream {
    struct sys_operation *operation;
    union {
        struct sys_stream *next; /* in a queue of waiting chunk-phases */
        uint32_t
            need[2]; /* generic, per lane: lower bound of the receives that the next send needs */
    };
    struct sys_member_id member;
    uint16_t chunk;
    uint8_t phase;
    uint8_t flags;
    uint32_t sent[2]; /* sends issued, per lane; ASTRA-sim: [0] sends, [1] inserted packets */
    uint32_t
        received[2]; /* receives complete, per lane; ASTRA-sim: [0] received, [1] general events */
    uint32_t left;   /* messages that have left the port */
    uint32_t unexpected; /* unexpected messages (step/unexpected.c) */
    /* Of the current phase: */
    uint32_t rank;  /* in its dimension */
    uint32_t sends; /* generic: total number of sends */
    uint64_t order; /* priority at ports */
};

_Static_assert(sizeof(struct sys_stream) == 64, "a stream is a cache line");

/* Flags: ACTIVE: the phase has begun. READY: waits for its turn. HELD: a receive of the phase was
 * held back. OVER: the chunk of a watched member is complete. AT_GATE: the whole chunk is at the
 * root and waits for other chunks. OPEN: the gate is open. */
enum {
    STREAM_ACTIVE = 1,
    STREAM_READY = 2,
    STREAM_HELD = 4,
    STREAM_OVER = 8,
    STREAM_AT_GATE = 16,
    STREAM_OPEN = 32
};

/* The request of an NPU, and its progress. */
struct sys_member {
    uint64_t cookie;
    int64_t priority;
    uint32_t chunks_left;
    uint32_t age;          /* number of collectives the NPU started before */
    const uint8_t *queues; /* [chunks * phases], queue within the dimension; NULL: 0 */
    const char *name;
    uint64_t node_id;
    bool started, finished;
    bool watched;       /* listener.progress is called */
    uint32_t delivered; /* watched member: length of the prefix of complete chunks */
};

/* The members of a group that have not started a collective, for a deadlock report. */
struct sys_missing {
    const struct sys_group *of;
    struct orr_rank first; /* SYS_NONE: none is missing */
    char text[128];
};

/* A collective on a group, shared by its members; freed when all have finished. */
struct sys_operation {
    struct sys *sys;
    struct sys_group *group;
    struct sys_operation *next, *previous;
    uint32_t ordinal;
    uint32_t id;
    uint32_t port_stream; /* of its messages */
    uint64_t label;       /* label of its messages and events, without chunk, phase and step */
    uint8_t chunk_shift, phase_shift;
    enum coll_kind kind;
    uint64_t bytes;
    const struct sys_sizes *sizes; /* uneven; NULL: even */
    coll_size_fn size_of;          /* coll_args.size */
    struct sys_position root;
    uint32_t dim_mask;
    uint32_t finished; /* members */
    unsigned dims;
    struct sys_dim dim[SYS_MAX_DIMS];
    uint32_t root_coord[SYS_MAX_DIMS];
    bool flat; /* positions, not ranks, are strided */
    const struct sys_tuning
        *tuning; /* tuning of unnamed algorithms; NULL: the blocks' algorithms */
    sim_time endpoint_ps;
    uint32_t chunks;
    uint64_t chunk_bytes; /* bytes of each chunk but the last */
    const struct sys_scheduler_ops *scheduler;
    const struct sys_plan *const *plan; /* [chunks] */
    struct sys_member *member;          /* [members] */
    struct sys_stream *stream;          /* [members * chunks] */
    struct custom_state *custom;        /* custom collectives; NULL otherwise */
    const struct sys_custom *custom_program;
    struct orr_arena *arena;             /* owns the operation and everything it points to */
    size_t bytes_counted;                /* of the arena, in sys.run_bytes */
    const struct sys_phase_order *order; /* NULL: messages are sent as they become ready */
    uint32_t *turn;                      /* [members * dims], phases served so far */
    sim_time
        latency_ps[SYS_MAX_DIMS]; /* with an order: latency of a chunk's phases, added at the end */
    struct sys_missing *missing;  /* NULL until a report needs it */
    struct sys_gates *gates;      /* NULL until a phase needs it */
    /* Number of members that have started; time of the median start (members that start later are
     * stragglers); and, if causes are recorded, the causes of the median start and of the last
     * start. */
    uint32_t starts;
    sim_time middle_ps;
    struct orr_cause_last middle, last;
    const struct sys_mono *whole; /* monolithic; NULL: in phases */
    bool tokens;                  /* CCL: by kernels for tokens of experts */
    bool launched;                /* CCL: the host launch is added */
    uint32_t runs, runs_left;     /* monolithic: runs (one per ring), and those in flight */
};

/* The monolithic algorithm of a collective; NULL: in phases. The platform's setting applies to
 * all-reduces along all dimensions, a CCL to collectives without a named algorithm. */
static inline const struct sys_mono *sys_mono_of(const struct sys *sys,
                                                 const struct sys_collective *request)
{
    const uint64_t all = (UINT64_C(1) << sys->net->config->dims) - 1;
    if (request->whole != NULL || (request->dim_mask & all) != all) {
        return request->whole;
    }
    if (sys->config->library != NULL) {
        const bool named =
            request->kind < SYS_NAMED_KINDS && sys->config->algorithms[request->kind].count != 0;
        return named ? NULL : &orr_sys_mono_by_ccl;
    }
    return request->kind == COLL_ALL_REDUCE ? sys->config->whole : NULL;
}

/* Whether the collective has traffic in a dimension of the operation. */
static inline bool sys_takes_part(const struct sys_operation *operation, unsigned d)
{
    return operation->dim[d].n > 1 &&
           (operation->dim_mask >> operation->dim[d].queue_dim & 1u) != 0;
}

static inline const struct sys_phase *sys_phase_of(const struct sys_stream *stream)
{
    return &stream->operation->plan[stream->chunk]->phase[stream->phase];
}

/* The stream's position in its group, and its rank; with a fold, those of the representative of its
 * class. */
static inline struct sys_position sys_position_of(const struct sys_stream *stream)
{
    return sys_position_of_member(stream->operation->group, stream->member);
}

static inline struct orr_rank sys_rank_of(const struct sys_stream *stream)
{
    return sys_rank_at(stream->operation->group, sys_position_of(stream));
}

/* The slot that owns the stream's events. */
static inline struct orr_slot sys_slot_of(const struct sys_stream *stream)
{
    return sys_slot_of_member(stream->operation->group, stream->member);
}

/* Index of a member's chunk among the operation's streams, and the member of a stream. */
static inline size_t sys_stream_index(const struct sys_operation *operation,
                                      struct sys_member_id member, uint32_t chunk)
{
    return (size_t)member.member * operation->chunks + chunk;
}

static inline struct sys_member *sys_member_of(const struct sys_stream *stream)
{
    return &stream->operation->member[stream->member.member];
}

/* Label of a message or event of the stream: collective, chunk, phase, step; and the step of a
 * label. */
static inline uint64_t sys_label(const struct sys_stream *stream, uint32_t step)
{
    const struct sys_operation *operation = stream->operation;
    return operation->label | (uint64_t)stream->chunk << operation->chunk_shift |
           (uint64_t)stream->phase << operation->phase_shift | step;
}

static inline uint32_t sys_label_step(const struct sys *sys, uint64_t label)
{
    return (uint32_t)(label & sys->labels.step_mask);
}

/* The queue of its dimension that a stream's phase uses (queues only). */
static inline uint32_t sys_queue_number(const struct sys_member *member,
                                        const struct sys_stream *stream)
{
    return member->queues != NULL
               ? member->queues[(size_t)stream->chunk * 2 * SYS_MAX_DIMS + stream->phase]
               : 0;
}

#endif
