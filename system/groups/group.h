/* Communicator groups: their ranks, the members that are simulated, and their dimensions.
 *
 * A rank of a group has a *position* in its order; a *member* is one of those that are simulated,
 * and stands for its class. Without a fold, member i is at position i, and its slot is its rank.
 * Each of these numbers has a type of its own, and what makes one of another is here. */
#ifndef ORR_SYSTEM_GROUPS_GROUP_H
#define ORR_SYSTEM_GROUPS_GROUP_H

#include "system/state.h"

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

/* One of the members of a group that are simulated: 0 to its members - 1. */
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

/* Position of the member `peer` (index in the dimension) of the slice that `position` is in. */
static inline struct sys_position sys_peer_position(const struct sys_dim *dim,
                                                    struct sys_position position, uint32_t own,
                                                    uint32_t peer)
{
    return sys_position(position.position + (peer - own) * dim->stride);
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
    uint32_t members;                   /* size, or fewer with a fold */
    const struct orr_slot *member_slot; /* [members], ascending; NULL: member i is at position i */
    const struct sys_position *member_at; /* [members]; NULL as above */
    unsigned box_dims; /* the group is a box of the platform's dimensions; 0: it is not */
    struct sys_dim box[SYS_MAX_DIMS]; /* strides count positions */
    uint32_t next_ordinal; /* for ordinals handed out by the system (pair_by_issue): per NPU */
    uint32_t *issued;      /* [size], collectives issued per member (pair_by_issue) */
    const struct mono_rings *rings;   /* of its all-reduces as a whole; NULL: not looked for yet */
    const struct mono_across *across; /* the same of parts of it */
    struct mono_recovery *recovery;   /* which of them have lost links; NULL: not looked for yet */
    const struct mono_round_batch
        *round_batches;                /* rounds of theirs that the network sends at once */
    const struct sys_ccl_shape *shape; /* as a library sees it; NULL: not looked at yet */
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

/* ---- group_ranks.c ---- */
/* The inverse of sys_rank_at, see sys_in_group. O(log n). */
struct sys_position orr_sys_position_in(const struct sys_group *group, struct orr_rank rank);
/* The member that stands for the rank at a position. O(1), with a fold O(log members). */
struct sys_member_id orr_sys_member_at(const struct sys *sys, const struct sys_group *group,
                                       struct sys_position position);

/* ---- group_index.c ---- */
/* Numbers the name of a group that is to be the index-th. */
void orr_sys_group_number(struct sys *sys, struct sys_group *group, uint32_t index);
/* Files the group, the last of all, by name and ranks; false: no memory. */
bool orr_sys_group_file(struct sys *sys, uint32_t group);
/* Whether a group but all NPUs' has the name. */
bool orr_sys_group_known(const struct sys *sys, const char *name);

/* ---- groups.c ---- */
/* Finds the members of a group under the fold. */
enum orr_status orr_sys_group_fold(struct sys *sys, struct sys_group *group, struct orr_diag *diag);

#endif
