/* What an all-reduce as a whole (mono_allreduce.c), the kinds of them and what these ask for
 * (mono_calls.c) share.
 *
 * Members are numbered by their positions in the order in which the group was given. With events in
 * the order of insertion a member's messages are sent in whatever event lets them go; by labels
 * only in events of the member, which are posted for it, so that the order of loops does not
 * matter. */
#ifndef ORR_SYSTEM_MONOLITHIC_MONO_PRIVATE_H
#define ORR_SYSTEM_MONOLITHIC_MONO_PRIVATE_H

#include "system/monolithic/mono_allreduce.h"

/* What an EVENT_MONO is (its aux). */
enum {
    MONO_ACT,  /* a member sends what may go; cookie: run and member */
    MONO_SEND, /* the next message of a connection; cookie: run and message */
    MONO_OVER, /* the time inside of the servers is over; cookie: the operation */
    MONO_DONE  /* a member is done; cookie: the operation */
};

/* An all-reduce that is under way, or a ring of one. */
struct mono_run {
    struct sys_operation *operation;
    const struct mono_ops *ops;
    uint32_t index;                         /* among the operation's */
    uint32_t flows;                         /* of this round, under way */
    uint32_t round, rounds;                 /* the running one from 0; no rounds: all send once */
    uint32_t group;                         /* hierarchical: members of one */
    const struct net_ring *ring;            /* NULL: each to the next */
    uint64_t bytes;                         /* ring: of a flow; otherwise of the all-reduce */
    const struct mono_rings *const *across; /* [group], hierarchical */
    struct mono_program *program;
    const struct mono_ccl *ccl;
    struct orr_cause_last last; /* of the messages of this round, when causes are kept */
};

struct sys_monos {
    struct orr_slab runs;          /* struct mono_run */
    struct orr_slab messages;      /* of programs (mono_program.c) */
    struct mono_program *programs; /* those under way */
    struct sys_mono_counts counts;
};

/* A message between two members; `part` < 2^30 comes back. `tells`: when it has left as well. */
struct mono_send {
    uint32_t from, to, part;
    uint32_t channel; /* of net_msg */
    bool reports_sent;
    bool backwards; /* of net_msg */
    uint64_t bytes;
    sim_time hold_ps; /* of net_msg; it is without latency then */
};

/* What rounds are like: low bits of mono_ops.shape, of which all others are the kind's. */
enum {
    MONO_SHAPE_UNKNOWN,
    MONO_SHAPE_RING = 1,
    MONO_SHAPE_INSIDE = 1,
    MONO_SHAPE_SHARDED,
    MONO_SHAPE_ACROSS
};

/* How an all-reduce goes. */
struct mono_ops {
    /* Starts it; the group has 2 members or more. */
    void (*start)(struct sys *sys, struct sys_operation *operation);
    /* Its message has arrived; its part. */
    void (*delivered)(struct sys *sys, uint32_t run, uint32_t part);
    /* The sender of such a message is done; a message of a connection may go. NULL: unused. */
    void (*left)(struct sys *sys, uint32_t run, uint32_t part);
    void (*send)(struct sys *sys, uint32_t run, uint32_t part);
    /* Sends what a member may send when the run, or its round, begins. */
    void (*act)(struct sys *sys, uint32_t run, uint32_t member);
    /* With rounds: how many messages all send in the running one. NULL: one each. */
    uint32_t (*messages)(const struct mono_run *run);
    /* With rounds: the index-th message that a member sends in the running one; false: it sends no
     * more. */
    bool (*nth)(const struct mono_run *run, uint32_t member, uint32_t index, struct mono_send *out);
    /* Rounds of a group and a ring with the same number go between the same members, in the same
     * order and with as many bytes in every message; 0: that is not known. */
    uint64_t (*shape)(const struct mono_run *run);
    /* What begins when the time inside of the servers is over. NULL: unused. */
    void (*over)(struct sys *sys, struct sys_operation *operation);
};

struct sys_mono_kind {
    const char *name, *number, *summary; /* number: what it is called; NULL: there is none */
    const char *options;                 /* their form, behind the number; NULL: none */
    uint32_t fallback;                   /* of the number; 0: it has to be given */
    const struct mono_ops *ops;
    const struct coll_algorithm *program; /* NULL with orr_mono_program: that of `role` */
    enum coll_role role;
    bool divides; /* the number divides the members */
    bool shifts;  /* each member does as the one before it in the order of the group */
    bool jumps;   /* takes ",jump=JUMP" behind the number */
};

/* ---- mono_kinds.c ---- */
const struct sys_mono_kind *orr_sys_mono_default(void);

/* ---- mono_options.c ---- */
/* Reads "inside=KIND,inner=BANDWIDTH" or "jump=JUMP" of the kind, which it cuts up; `text` is all,
 * for the message. */
enum orr_status orr_mono_options_read(char *options, const char *text, struct sys_mono *out,
                                      struct orr_diag *diag);
/* Appends what is not as usual to the text. */
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

/* Those that are simulated: with a fold the first ones, which stand for the others of their classes
 * (mono_fold.c). */
static inline uint32_t mono_members(const struct sys_operation *operation)
{
    return operation->group->members;
}

/* How many such operations it stands for. */
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

/* What is counted of all-reduces, of the tenant whose this one is. */
struct sys_mono_counts *orr_mono_counts(const struct sys *sys,
                                        const struct sys_operation *operation);

/* A new run of the operation, or SYS_NONE; and its end, with the last one's the operation's. */
uint32_t orr_mono_new_run(struct sys *sys, const struct mono_ops *ops,
                          struct sys_operation *operation);
void orr_mono_end_run(struct sys *sys, uint32_t handle);

/* Calls `over` of the operation's kind after that time. */
void orr_mono_post_over(struct sys *sys, struct sys_operation *operation, sim_time delay_ps);

/* The operation is over: its members are done. `later`: in events to come. */
void orr_mono_end(struct sys *sys, struct sys_operation *operation, bool later);
/* A member is done. */
void orr_mono_member_done(struct sys *sys, struct sys_operation *operation, struct orr_rank rank);

void orr_mono_send(struct sys *sys, uint32_t run, const struct mono_send *send);
/* The same between ranks, which need not be members, whatever `from` and `to` are. */
void orr_mono_send_between(struct sys *sys, uint32_t run, const struct net_ends *ends,
                           const struct mono_send *send);
/* Has a member act, or be done, in an event of its own; after a time that goes to the part. */
void orr_mono_post_act(struct sys *sys, uint32_t run, struct orr_rank rank, uint32_t member);
void orr_mono_post_done(struct sys *sys, struct sys_operation *operation, struct orr_rank rank,
                        sim_time delay_ps, unsigned part);

/* The same for a round of so many, which the network sends at once; `first` is one of them. It
 * comes back once. */
void orr_mono_send_round(struct sys *sys, uint32_t run, struct net_round *round, uint32_t messages,
                         const struct mono_send *first);
/* The ends of a message between two members of the operation. */
struct net_ends orr_mono_pair(const struct sys_operation *operation, const struct mono_send *send);

/* Has a message of the run go in an event of its own; has all members act in events of theirs. */
void orr_mono_post_send(struct sys *sys, uint32_t run, uint32_t from, uint32_t part);
void orr_mono_post_acts(struct sys *sys, uint32_t run);

/* ---- the kinds ---- */

extern const struct mono_ops orr_mono_ring, orr_mono_ring_stream, orr_mono_bidir_ring_stream,
    orr_mono_hierarchical, orr_mono_program, orr_mono_ccl;
extern const struct coll_algorithm orr_mono_parameter_server;

/* Starts a run of `ops` around the ring, NULL: each to the next, in which every member sends so
 * many bytes in every round, or once. (mono_rings.c) */
void orr_mono_ring_start(struct sys *sys, const struct mono_ops *ops,
                         struct sys_operation *operation, const struct net_ring *ring,
                         uint32_t rounds, uint64_t bytes);

/* Starts a run of `ops` without rounds around each of the group's rings, which divide among them
 * what a member of a ring sends in all. (mono_ring_stream.c) */
void orr_mono_streams_start(struct sys *sys, const struct mono_ops *ops,
                            struct sys_operation *operation);

/* For kinds with rounds: all messages of one arrive before the next begins. (mono_rounds.c) */
void orr_mono_rounds_start(struct sys *sys, uint32_t run);
void orr_mono_rounds_act(struct sys *sys, uint32_t run, uint32_t member);
void orr_mono_rounds_delivered(struct sys *sys, uint32_t run, uint32_t part);

/* Has the network send all messages of the running round at once; false: they have to go one by
 * one. O(1), for the first of its kind in a group O(messages). (mono_round_batch.c) */
bool orr_mono_send_batch(struct sys *sys, uint32_t run);

/* The rings that the network has for a group: those of its members, else those for so many; in
 * place of none NULL, around which each goes to the next. */
struct mono_rings {
    uint32_t count; /* >= 1 */
    const struct net_ring *const *ring;
};

/* The rings of the operation's group that an all-reduce which begins now goes around. What they say
 * of places is of the group's members, in the order given; the lists of members of the network's
 * own are not looked at any more. NULL: no memory, and the queue is stopped. O(1), for the first of
 * a group O(rings + those of its members x n log n). (mono_group_rings.c) */
const struct mono_rings *orr_mono_rings_of(struct sys *sys, const struct sys_operation *operation);
/* Those of them that have all their links now, where the network's rings recover so; else, and
 * where none has, all. NULL: no memory, and the queue is stopped. O(1) where nothing may fail; the
 * first of a group O(rings x n log links), any other O(rings + steps over links that may fail).
 * (mono_ring_recovery.c) */
const struct mono_rings *orr_mono_working_rings(struct sys *sys, struct sys_group *group,
                                                const struct mono_rings *rings);
/* All of the group's, also of a system that plans, which has no queue. */
const struct mono_rings *orr_mono_rings_of_group(struct sys *sys, struct sys_group *group);

/* Where the group is in parts of so many neighbours, those of the members of equal places in these:
 * [part]. They are only those that the network has for them, not those for so many. Errors and cost
 * likewise. */
const struct mono_rings *const *
orr_mono_rings_across(struct sys *sys, const struct sys_operation *operation, uint32_t part);

/* The ring's jump as places ahead. */
static inline uint32_t mono_step(const struct net_ring *ring)
{
    const int64_t k = ring->npus, jump = ring->jump;
    return (uint32_t)((jump % k + k) % k);
}

/* The member behind another, around the ring among so many. */
static inline uint32_t mono_next(const struct net_ring *ring, uint32_t members, uint32_t member)
{
    if (ring != NULL && ring->order != NULL) {
        return ring->order[(ring->at[member] + 1) % members];
    }
    const uint32_t step = ring != NULL ? mono_step(ring) : 1;
    return member + step < members ? member + step : member + step - members;
}

/* And the one before it. */
static inline uint32_t mono_previous(const struct net_ring *ring, uint32_t members, uint32_t member)
{
    if (ring != NULL && ring->order != NULL) {
        const uint32_t position = ring->at[member];
        return ring->order[position > 0 ? position - 1 : members - 1];
    }
    const uint32_t step = ring != NULL ? mono_step(ring) : 1;
    return member >= step ? member - step : member + members - step;
}

/* The member at a place of the ring, and the place of a member. (mono_rings.c) */
uint32_t orr_mono_member_at(const struct net_ring *ring, uint32_t position);
uint32_t orr_mono_position(const struct net_ring *ring, uint32_t member);

/* The channel of a message from there to the next place: of a ring of the network its own way, or
 * the link; where each goes to the next, none. */
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

/* That of a message to the member before: links between the two, which a ring's own way does not
 * name, or a route. */
static inline uint32_t mono_channel_back(const struct net_ring *ring)
{
    return ring == NULL ? 0 : NET_LINK;
}

/* Frees programs that a run which failed has left. (mono_program.c) */
size_t orr_mono_message_bytes(void);
void orr_mono_programs_free(struct sys *sys);

#endif
