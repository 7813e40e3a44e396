/* A collective on its way: the operation that its members share, and their parts of its chunks.
 *
 * run/run_operation.c pairs what NPUs start and makes it an operation; plan_operation.c splits that
 * into chunks and phases and finds who steps each; step/phase_turns.c, or astra/astra_queues.c
 * under the reference's rules, says when a member's chunk begins its phase, which step/stepping.c
 * hands to its stepper: step/generic_stepper.c, astra/astra_step.c, step/custom_stepper.c. Back in
 * run/run_operation.c, the chunk goes on to its next phase. */
#ifndef ORR_SYSTEM_PLAN_OPERATION_H
#define ORR_SYSTEM_PLAN_OPERATION_H

#include "system/groups/group.h"
#include "system/plan/phase.h"

/* A member's part of one chunk. Counters mean what the stepping file says. A cache line. */
struct sys_stream {
    struct sys_operation *operation;
    union {
        struct sys_stream *next; /* in a queue of waiting chunk-phases */
        uint32_t need[2]; /* generic, per lane: receives that the next send needs, or fewer */
    };
    struct sys_member_id member;
    uint16_t chunk;
    uint8_t phase;
    uint8_t flags;
    uint32_t sent[2];     /* sends handed over, per lane; reference: [0] sends, [1] inserted */
    uint32_t received[2]; /* receives complete, per lane; reference: [0] received, [1] general */
    uint32_t left;        /* messages that have left the port */
    uint32_t unexpected;  /* messages that came before their time (step/unexpected.c) */
    /* Of the phase that runs: */
    uint32_t rank;  /* in its dimension */
    uint32_t sends; /* generic: all of them */
    uint64_t order; /* at ports */
};

_Static_assert(sizeof(struct sys_stream) == 64, "a stream is a cache line");

/* flags: the phase has begun; waits for its turn; a receive of the phase has been held back; the
 * chunk is over, of a watched member; all of the chunk is at the root, which waits for other
 * chunks, or no longer does. */
enum {
    STREAM_ACTIVE = 1,
    STREAM_READY = 2,
    STREAM_HELD = 4,
    STREAM_OVER = 8,
    STREAM_AT_GATE = 16,
    STREAM_OPEN = 32
};

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
    bool watched;       /* the listener is told of the chunks */
    uint32_t delivered; /* chunks that are over, from the first on; of a watched member */
};

/* Which members of a group have not started a collective, for a deadlock's report. */
struct sys_missing {
    const struct sys_group *of;
    struct orr_rank first; /* SYS_NONE: all have started it */
    char text[128];
};

/* A collective on a group: shared by its members, freed when all have finished. */
struct sys_operation {
    struct sys *sys;
    struct sys_group *group;
    struct sys_operation *next, *previous;
    uint32_t ordinal;
    uint32_t id;
    uint64_t label; /* of its messages and events, without chunk, phase and step */
    uint8_t chunk_shift, phase_shift;
    enum coll_kind kind;
    uint64_t bytes;
    struct sys_position root;
    uint32_t dim_mask;
    uint32_t finished; /* members */
    unsigned dims;
    struct sys_dim dim[SYS_MAX_DIMS];
    uint32_t root_coord[SYS_MAX_DIMS];
    bool flat; /* positions, not ranks, are strided */
    const struct sys_tuning
        *tuning; /* of the algorithms that no name says; NULL: those of blocks */
    sim_time endpoint_ps;
    uint32_t chunks;
    uint64_t chunk_bytes; /* of each but the last */
    const struct sys_scheduler_ops *scheduler;
    const struct sys_plan *const *plan; /* [chunks] */
    struct sys_member *member;          /* [members] */
    struct sys_stream *stream;          /* [members * chunks] */
    struct custom_state *custom;        /* custom collectives; NULL otherwise */
    const struct sys_custom *custom_program;
    struct orr_arena *arena;             /* of the operation and all that it points to */
    size_t bytes_counted;                /* of the arena, in sys.run_bytes */
    const struct sys_phase_order *order; /* NULL: messages go as they are ready */
    uint32_t *turn;                      /* [members * dims], phases served so far */
    sim_time latency_ps[SYS_MAX_DIMS];   /* with an order: of a chunk's way, added at the end */
    struct sys_missing *missing;         /* once a report has asked for them */
    struct sys_gates *gates;             /* once a phase has some (step/tree_flow_control.c) */
    /* How many members have started, the time of the start in the middle (later ones are
     * stragglers), and, when causes are kept, that of who started then and of the last start. */
    uint32_t starts;
    sim_time middle_ps;
    struct orr_cause_last middle, last;
    const struct sys_mono *whole; /* the group does it as a whole; NULL: in phases */
    bool launched;                /* a library's: by hosts that nothing else accounts for */
    uint32_t runs, runs_left;     /* as a whole: all-reduces, or rings of one; under way */
};

/* How its group does a collective as a whole; NULL: in phases. The platform's choice is for those
 * along all dimensions; a library's for those whose algorithms no name says. */
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

/* Whether the collective has anything to do in a dimension of the operation. */
static inline bool sys_takes_part(const struct sys_operation *operation, unsigned d)
{
    return operation->dim[d].n > 1 &&
           (operation->dim_mask >> operation->dim[d].queue_dim & 1u) != 0;
}

static inline const struct sys_phase *sys_phase_of(const struct sys_stream *stream)
{
    return &stream->operation->plan[stream->chunk]->phase[stream->phase];
}

/* The stream's place in its group, and its rank; with a fold, those of who stands for its class. */
static inline struct sys_position sys_position_of(const struct sys_stream *stream)
{
    return sys_position_of_member(stream->operation->group, stream->member);
}

static inline struct orr_rank sys_rank_of(const struct sys_stream *stream)
{
    return sys_rank_at(stream->operation->group, sys_position_of(stream));
}

/* The slot that the stream's events belong to. */
static inline struct orr_slot sys_slot_of(const struct sys_stream *stream)
{
    return sys_slot_of_member(stream->operation->group, stream->member);
}

/* Of all members and chunks of an operation: the place of one, and the member's part of it. */
static inline size_t sys_stream_index(const struct sys_operation *operation,
                                      struct sys_member_id member, uint32_t chunk)
{
    return (size_t)member.member * operation->chunks + chunk;
}

static inline struct sys_member *sys_member_of(const struct sys_stream *stream)
{
    return &stream->operation->member[stream->member.member];
}

/* Label of a message or event of the stream: collective, chunk, phase, step; and the latter. */
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

/* The queue of its dimension that a stream's phase goes through (admit_chunks only). */
static inline uint32_t sys_queue_number(const struct sys_member *member,
                                        const struct sys_stream *stream)
{
    return member->queues != NULL
               ? member->queues[(size_t)stream->chunk * 2 * SYS_MAX_DIMS + stream->phase]
               : 0;
}

#endif
