/* Queries of groups: ranks, positions and members. */
#include "system/groups/group.h"

struct orr_rank orr_sys_rank_of_slot(const struct sys *sys, struct orr_slot slot)
{
    const struct orr_fold *fold = sys->net->config->fold;
    return fold != NULL ? orr_fold_rank(fold, slot) : orr_rank(slot.slot);
}

struct orr_slot orr_sys_slot_of_rank(const struct sys *sys, struct orr_rank rank)
{
    return sys_slot_of_rank(sys, rank);
}

struct sys_position orr_sys_position_in(const struct sys_group *group, struct orr_rank rank)
{
    if (group->sorted == NULL) {
        return sys_position(rank.rank < group->size ? rank.rank : SYS_NONE);
    }
    uint32_t low = 0, high = group->size;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (group->sorted[2 * (size_t)middle] < rank.rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found = low < group->size && group->sorted[2 * (size_t)low] == rank.rank;
    return sys_position(found ? group->sorted[2 * (size_t)low + 1] : SYS_NONE);
}

struct sys_member_id orr_sys_member_at(const struct sys *sys, const struct sys_group *group,
                                       struct sys_position position)
{
    if (group->member_slot == NULL) {
        return sys_member_id(position.position);
    }
    const uint32_t slot = sys_slot_of_rank(sys, sys_rank_at(group, position)).slot;
    uint32_t low = 0, high = group->members;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (group->member_slot[middle].slot <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    ORR_ASSERT(group->member_slot[low].slot == slot);
    return sys_member_id(low);
}

struct sys_position orr_sys_group_position(const struct sys *sys, uint32_t index,
                                           struct orr_rank rank)
{
    return orr_sys_position_in(sys->all.groups[index], rank);
}

uint32_t orr_sys_group_size(const struct sys *sys, uint32_t index)
{
    return sys->all.groups[index]->size;
}

uint32_t orr_sys_groups(const struct sys *sys)
{
    return sys->all.count;
}

struct orr_rank orr_sys_group_rank(const struct sys *sys, uint32_t group,
                                   struct sys_position position)
{
    return sys_rank_at(sys->all.groups[group], position);
}

const uint32_t *orr_sys_group_ranks(const struct sys *sys, uint32_t group, uint32_t *count)
{
    *count = sys->all.groups[group]->size;
    return sys->all.groups[group]->given;
}

bool orr_sys_group_is_box(const struct sys *sys, uint32_t group)
{
    return sys->all.groups[group]->whole || sys->all.groups[group]->box_dims != 0;
}

const char *orr_sys_group_name(const struct sys *sys, uint32_t index)
{
    return sys->all.groups[index]->name;
}
