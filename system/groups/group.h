/* Communicator groups: ranks, simulated members, and dimensions.
 *
 * A rank has a *position* in the group's order. A *member* is a position that is simulated; with a
 * fold it represents its class. Without a fold, member i is at position i, and its slot is its
 * rank. Each of these numbers has its own type; this header has the conversions. */
#ifndef ORR_SYSTEM_GROUPS_GROUP_H
#define ORR_SYSTEM_GROUPS_GROUP_H

#include "core/divide.h"
#include "core/fold.h"
#include "system/state.h"
#include "system/sys_position.h"

struct coll_rings;
struct mono_across;
struct mono_recovery;
struct mono_rings;
struct mono_round_batch;
struct orr_diag;
struct sys_ccl_shape;
struct sys_companions;
struct sys_operation;

/* A logical dimension of a group: `n` members, `stride` ranks apart (positions apart if the group
 * is flat). */
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

/* A simulated member of a group: 0 to its members - 1. */
struct sys_member_id {
    uint32_t member;
};

static inline struct sys_member_id sys_member_id(uint32_t member)
{
    return (struct sys_member_id){member};
}

static inline uint32_t sys_index_in(const struct sys_dim *dim, struct sys_position position)
{
    return orr_remainder(dim->by_n, orr_quotient(dim->by_stride, position.position));
}

/* Position of the member with index `peer` in the slice of `position`. */
static inline struct sys_position sys_peer_position(const struct sys_dim *dim,
                                                    struct sys_position position, uint32_t own,
                                                    uint32_t peer)
{
    return sys_position(position.position + (peer - own) * dim->stride);
}

struct sys_forest;

struct sys_group {
    const char *name;
    uint32_t size;
    uint32_t family;        /* number of the name; groups of one name share it */
    uint32_t first_of_name; /* the first group of that name */
    bool shares_name;       /* several groups have this name */
    bool of_model;          /* a generated model's: its family may be listed in part */
    const uint32_t *ranks;  /* [size] by position; NULL: all NPUs in order */
    uint32_t *sorted;       /* [size], pairs (rank, position) sorted by rank; NULL as above */
    const uint32_t *given;  /* [size] in the user's order */
    bool whole;             /* all NPUs of the platform, in any order */
    /* With a fold the members are the positions of the representatives of classes. */
    uint32_t members;                   /* size, or fewer with a fold */
    const struct orr_slot *member_slot; /* [members], ascending; NULL: member i is at position i */
    const struct sys_position *member_at; /* [members]; NULL as above */
    unsigned
        box_dims; /* dimensions if the group is a box of the platform's dimensions; 0: it is not */
    struct sys_dim box[SYS_MAX_DIMS]; /* strides count positions */
    uint32_t next_ordinal;            /* ordinals assigned by the system (pair_by_issue): per NPU */
    uint32_t *issued;                 /* [size], collectives issued per member (pair_by_issue) */
    const struct mono_rings *rings;   /* rings of its monolithic all-reduces; NULL: not computed */
    const struct mono_across *across; /* the same for its parts */
    const struct coll_rings *phase_rings; /* its rings for phases; NULL: not computed, or none */
    bool has_no_phase_rings;
    struct sys_forest *forests;     /* its forests that were looked for (plan/phase_forest.c) */
    struct mono_recovery *recovery; /* state of failed rings; NULL: not computed */
    const struct mono_round_batch *round_batches; /* batched rounds */
    const struct sys_ccl_shape *shape;            /* shape for the CCL; NULL: not computed */
    struct sys_companions *companions; /* groups judged together with it; NULL: not computed */
    struct sys_operation *operations;  /* live collectives, oldest first */
    struct sys_operation *last_operation;
};

static inline struct orr_rank sys_rank_at(const struct sys_group *group,
                                          struct sys_position position)
{
    return orr_rank(group->ranks != NULL ? group->ranks[position.position] : position.position);
}

static inline struct sys_position sys_position_of_member(const struct sys_group *group,
                                                         struct sys_member_id member)
{
    return group->member_at != NULL ? group->member_at[member.member] : sys_position(member.member);
}

static inline struct orr_slot sys_slot_of_member(const struct sys_group *group,
                                                 struct sys_member_id member)
{
    return group->member_slot != NULL
               ? group->member_slot[member.member]
               : orr_slot(sys_rank_at(group, sys_position(member.member)).rank);
}

/* The stream of a group's collectives at ports. Groups of one name share it, so that it is the same
 * for all NPUs of a class. */
static inline uint32_t sys_group_stream(const struct sys *sys, const struct sys_group *group)
{
    return sys_port_stream(sys, SYS_P2P_STREAM + 1 + group->family);
}

/* ---- group_ranks.c ---- */
/* The inverse of sys_rank_at, see sys_in_group. O(log n). */
struct sys_position orr_sys_position_in(const struct sys_group *group, struct orr_rank rank);
/* The member that stands for the rank at a position. O(1), with a fold O(log members). */
struct sys_member_id orr_sys_member_at(const struct sys *sys, const struct sys_group *group,
                                       struct sys_position position);

/* ---- group_index.c ---- */
/* Assigns the family of a group that will be number `index`. */
void orr_sys_group_number(struct sys *sys, struct sys_group *group, uint32_t index);
/* Inserts the last group into the tables by name and by rank; false: no memory. */
bool orr_sys_group_file(struct sys *sys, uint32_t group);

/* ---- groups.c ---- */
/* Computes the members of a group under the fold. */
enum orr_status orr_sys_group_fold(struct sys *sys, struct sys_group *group, struct orr_diag *diag);

#endif
