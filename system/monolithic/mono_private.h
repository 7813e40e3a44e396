/* Shared by monolithic all-reduces (mono_allreduce.c), their kinds, and the services for kinds
 * (mono_calls.c).
 *
 * Members are numbered by their positions in the user's order of the group. With insertion order a
 * member's messages are sent in the event that allows it. By labels they are sent only in events of
 * the member, posted for it, so that the order of loops does not matter. */
#ifndef ORR_SYSTEM_MONOLITHIC_MONO_PRIVATE_H
#define ORR_SYSTEM_MONOLITHIC_MONO_PRIVATE_H

#include "core/evq.h"
#include "core/fold.h"
#include "core/slab.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_message.h"
#include "system/collectives/program.h"
#include "system/monolithic/mono_allreduce.h"
#include "system/sys_counts.h"

struct mono_ccl;
struct mono_program;
struct net_round;
struct orr_diag;
struct sys;
struct sys_group;
struct sys_mono;
struct sys_operation;

/* Kinds of EVENT_MONO (its aux). */
enum {
    MONO_ACT,  /* a member sends its messages; cookie: run and member */
    MONO_SEND, /* the next message of a connection; cookie: run and message */
    MONO_OVER, /* the time inside servers has passed; cookie: the operation */
    MONO_DONE  /* a member is done; cookie: the operation */
};

/* A running all-reduce, or one ring of it. */
struct mono_run {
    struct sys_operation *operation;
    const struct mono_ops *ops;
    uint32_t index;              /* among the operation's */
    uint32_t flows;              /* messages of this round in flight */
    uint32_t round, rounds;      /* current round, from 0; rounds == 0: all members send once */
    uint32_t group;              /* hierarchical: members per group */
    const struct net_ring *ring; /* NULL: each member to the next */
    uint64_t bytes;              /* ring: of a message; else of the all-reduce */
    const struct mono_rings *const *across; /* [group], hierarchical */
    struct mono_program *program;
    const struct mono_ccl *ccl;
    struct orr_cause_last last; /* causes of this round's messages, if causes are recorded */
};

struct sys_monos {
    struct orr_slab runs;          /* struct mono_run */
    struct orr_slab messages;      /* of programs (mono_program.c) */
    struct mono_program *programs; /* running programs */
    struct sys_mono_counts counts;
    struct sys_group *largest; /* of those that went around rings; NULL: none did */
};

/* A message between two members. `part` < 2^30 is passed back. `reports_sent`: `left` is called
 * when it has left. */
struct mono_send {
    uint32_t from, to, part;
    uint32_t channel; /* of net_msg */
    bool reports_sent;
    bool backwards; /* of net_msg */
    uint64_t bytes;
    sim_time hold_ps; /* of net_msg; the message then has no latency */
};

/* Shapes of rounds: low bits of mono_ops.shape; the kind defines the others. */
enum {
    MONO_SHAPE_UNKNOWN,
    MONO_SHAPE_RING = 1,
    MONO_SHAPE_INSIDE = 1,
    MONO_SHAPE_SHARDED,
    MONO_SHAPE_ACROSS
};

/* Operations of a kind of all-reduce. */
struct mono_ops {
    /* Starts an all-reduce of a group of 2 or more members. */
    void (*start)(struct sys *sys, struct sys_operation *operation);
    /* A message of the run has arrived; `part` is the message's. */
    void (*delivered)(struct sys *sys, uint32_t run, uint32_t part);
    /* left: the sender of a message is done. send: a message of a connection may go. NULL: unused.
     */
    void (*left)(struct sys *sys, uint32_t run, uint32_t part);
    void (*send)(struct sys *sys, uint32_t run, uint32_t part);
    /* Sends a member's messages at the begin of the run or round. */
    void (*act)(struct sys *sys, uint32_t run, uint32_t member);
    /* With rounds: number of messages of all members in the current round. NULL: one per member. */
    uint32_t (*messages)(const struct mono_run *run);
    /* With rounds: the index-th message of a member in the current round; false past the end. */
    bool (*nth)(const struct mono_run *run, uint32_t member, uint32_t index, struct mono_send *out);
    /* With rounds: equal numbers mean rounds with the same pairs of members in the same order and
     * equal bytes in every message; 0: unknown. */
    uint64_t (*shape)(const struct mono_run *run);
    /* Begins the part after the time inside servers. NULL: unused. */
    void (*over)(struct sys *sys, struct sys_operation *operation);
};

struct sys_mono_kind {
    const char *name, *number, *summary; /* number: placeholder of the number; NULL: none */
    const char *options;                 /* syntax of options after the number; NULL: none */
    uint32_t fallback;                   /* default of the number; 0: required */
    const struct mono_ops *ops;
    const struct coll_algorithm *program; /* NULL with orr_mono_program: algorithm of `role` */
    enum coll_role role;
    bool divides; /* the number must divide the members */
    bool shifts;  /* invariant under a shift of the members */
    bool jumps;   /* accepts ",jump=JUMP" after the number */
};

/* ---- mono_kinds.c ---- */
const struct sys_mono_kind *orr_sys_mono_default(void);

/* ---- mono_options.c ---- */
/* Parses "inside=KIND,inner=BANDWIDTH" or "jump=JUMP" of the kind, and modifies `options`; `text`
 * is the whole text for the message. Errors: an unknown or repeated option. */
enum orr_status orr_mono_options_read(char *options, const char *text, struct sys_mono *out,
                                      struct orr_diag *diag);
/* Appends options with values other than the defaults. */
void orr_mono_options_format(const struct sys_mono *choice, char *text, size_t bytes);

/* ---- mono_calls.c ---- */

static inline struct mono_run *mono_run_at(const struct sys *sys, uint32_t handle)
{
    return orr_slab_at(&sys->monos->runs, handle);
}

static inline uint32_t mono_size(const struct sys_operation *operation)
{
    return operation->group->size;
}

/* Number of simulated members: with a fold the first ones, which represent their classes
 * (mono_fold.c). */
static inline uint32_t mono_members(const struct sys_operation *operation)
{
    return operation->group->members;
}

/* Number of operations that this one represents. */
static inline uint32_t mono_copies(const struct sys *sys, const struct sys_operation *operation)
{
    const struct orr_fold *fold = sys->net->config->fold;
    const uint32_t each = fold != NULL ? fold->class_size : 1;
    return (uint32_t)((uint64_t)each * mono_members(operation) / mono_size(operation));
}

static inline bool mono_by_insertion(const struct sys *sys)
{
    return sys->policy->order == ORR_ORDER_INSERTION;
}

/* Counters of all-reduces of the operation's tenant. */
struct sys_mono_counts *orr_mono_counts(const struct sys *sys,
                                        const struct sys_operation *operation);

/* Creates a run of the operation, or SYS_NONE, with the queue stopped. The end of the last run ends
 * the operation. */
uint32_t orr_mono_new_run(struct sys *sys, const struct mono_ops *ops,
                          struct sys_operation *operation);
void orr_mono_end_run(struct sys *sys, uint32_t handle);

/* Calls `over` of the operation's kind after the delay. */
void orr_mono_post_over(struct sys *sys, struct sys_operation *operation, sim_time delay_ps);

/* Ends the operation for all members. `later`: in later events. */
void orr_mono_end(struct sys *sys, struct sys_operation *operation, bool later);
/* Ends the operation for a member. */
void orr_mono_member_done(struct sys *sys, struct sys_operation *operation, struct orr_rank rank);

void orr_mono_send(struct sys *sys, uint32_t run, const struct mono_send *send);
/* The same between ranks, members or not; `from` and `to` are ignored. */
void orr_mono_send_between(struct sys *sys, uint32_t run, const struct net_ends *ends,
                           const struct mono_send *send);
/* Posts `act` of a member, or its end after a delay that is accounted to `part`. */
void orr_mono_post_act(struct sys *sys, uint32_t run, struct orr_rank rank, uint32_t member);
void orr_mono_post_done(struct sys *sys, struct sys_operation *operation, struct orr_rank rank,
                        sim_time delay_ps, unsigned part);

/* orr_mono_send for a round of `messages` that the network sends as a batch; `first` is one of
 * them. `delivered` is called once. */
void orr_mono_send_round(struct sys *sys, uint32_t run, struct net_round *round, uint32_t messages,
                         const struct mono_send *first);
/* The ends of a message between two members of the operation. */
struct net_ends orr_mono_pair(const struct sys_operation *operation, const struct mono_send *send);

/* Posts `send` of a message; posts `act` of all members. */
void orr_mono_post_send(struct sys *sys, uint32_t run, uint32_t from, uint32_t part);
void orr_mono_post_acts(struct sys *sys, uint32_t run);

/* ---- the kinds ---- */

extern const struct mono_ops orr_mono_ring, orr_mono_ring_stream, orr_mono_bidir_ring_stream,
    orr_mono_hierarchical, orr_mono_program, orr_mono_ccl;
extern const struct coll_algorithm orr_mono_parameter_server;

/* Starts a run of `ops` around the ring (NULL: each member to the next), in which every member
 * sends `bytes` in each of `rounds`, or once. (mono_rings.c) */
void orr_mono_ring_start(struct sys *sys, const struct mono_ops *ops,
                         struct sys_operation *operation, const struct net_ring *ring,
                         uint32_t rounds, uint64_t bytes);

/* Starts a run of `ops` without rounds around each ring of the group; the rings divide a member's
 * bytes. (mono_ring_stream.c) */
void orr_mono_streams_start(struct sys *sys, const struct mono_ops *ops,
                            struct sys_operation *operation);

/* For kinds with rounds: a round begins when all messages of the previous one have arrived.
 * (mono_rounds.c) */
void orr_mono_rounds_start(struct sys *sys, uint32_t run);
void orr_mono_rounds_act(struct sys *sys, uint32_t run, uint32_t member);
void orr_mono_rounds_delivered(struct sys *sys, uint32_t run, uint32_t part);

/* Sends all messages of the current round as one batch of the network; false: they must be sent one
 * by one. O(1), the first of its shape in a group O(messages). (mono_round_batch.c) */
bool orr_mono_send_batch(struct sys *sys, uint32_t run);

/* The network's rings for a group: those that list its members, else those for its size; a NULL
 * ring if there is none: each member to the next. */
struct mono_rings {
    uint32_t count; /* >= 1 */
    const struct net_ring *const *ring;
};

/* The rings of an all-reduce that begins now. Their positions are those of the group's members in
 * the user's order; ring.member is not used. NULL: no memory, and the queue is stopped. O(1), the
 * first of a group O(rings + those of its members x n log n). (mono_group_rings.c) */
const struct mono_rings *orr_mono_rings_of(struct sys *sys, const struct sys_operation *operation);
/* The rings without failed links if ring_recovery is `share`; else, or if none is left, all rings.
 * NULL: no memory, and the queue is stopped. O(1) if no link can fail; the first of a group O(rings
 * x n log links), any other O(rings + steps over links that can fail). (mono_ring_recovery.c) */
const struct mono_rings *orr_mono_working_rings(struct sys *sys, struct sys_group *group,
                                                const struct mono_rings *rings);
/* All rings of the group, also in a system that only plans and has no queue. */
const struct mono_rings *orr_mono_rings_of_group(const struct sys *sys, struct sys_group *group);

/* For a group in parts of `part` neighbors: [part] rings of the members with equal positions in
 * their parts. Only rings that list these members, not those for their number. Errors and cost
 * likewise. */
const struct mono_rings *const *
orr_mono_rings_across(struct sys *sys, const struct sys_operation *operation, uint32_t part);

/* The ring's jump as a positive step. */
static inline uint32_t mono_step(const struct net_ring *ring)
{
    const int64_t k = ring->npus, jump = ring->jump;
    return (uint32_t)((jump % k + k) % k);
}

/* The next member around the ring among `members`. */
static inline uint32_t mono_next(const struct net_ring *ring, uint32_t members, uint32_t member)
{
    if (ring != NULL && ring->order != NULL) {
        return ring->order[(ring->at[member] + 1) % members];
    }
    const uint32_t step = ring != NULL ? mono_step(ring) : 1;
    return member + step < members ? member + step : member + step - members;
}

/* The previous member. */
static inline uint32_t mono_previous(const struct net_ring *ring, uint32_t members, uint32_t member)
{
    if (ring != NULL && ring->order != NULL) {
        const uint32_t position = ring->at[member];
        return ring->order[position > 0 ? position - 1 : members - 1];
    }
    const uint32_t step = ring != NULL ? mono_step(ring) : 1;
    return member >= step ? member - step : member + members - step;
}

/* The member at a position of the ring, and the position of a member. (mono_rings.c) */
uint32_t orr_mono_member_at(const struct net_ring *ring, uint32_t position);
uint32_t orr_mono_position(const struct net_ring *ring, uint32_t member);

/* Channel of a message from a position to the next one: the ring's own route, or the link; none
 * without a ring. */
static inline uint32_t mono_channel(const struct net_ring *ring, uint32_t position)
{
    return ring == NULL     ? 0
           : ring->way != 0 ? NET_RING_ROUTE + (ring->way - 1) + position
                            : NET_LINK;
}

/* The same from a member. */
static inline uint32_t mono_channel_from(const struct net_ring *ring, uint32_t member)
{
    return mono_channel(ring, ring != NULL && ring->way != 0 ? ring->at[member] : 0);
}

/* Channel of a message to the previous member: the links between the two (not the ring's own
 * route), or a route. */
static inline uint32_t mono_channel_back(const struct net_ring *ring)
{
    return ring == NULL ? 0 : NET_LINK;
}

/* Frees the programs of a failed run. (mono_program.c) */
size_t orr_mono_message_bytes(void);
void orr_mono_programs_free(struct sys *sys);

#endif
