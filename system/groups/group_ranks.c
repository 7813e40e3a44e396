/* What groups are asked: ranks, positions and members. */
#include "system/groups/group.h"

uint32_t orr_sys_rank_of_slot(const struct sys *sys, uint32_t slot)
{
    const struct orr_fold *fold = sys->net->config->fold;
    return fold != NULL ? orr_fold_rank(fold, slot) : slot;
}

uint32_t orr_sys_position_in(const struct sys_group *group, uint32_t rank)
{
    if (group->sorted == NULL) {
        return rank < group->size ? rank : SYS_NONE;
    }
    uint32_t low = 0, high = group->size;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (group->sorted[2 * (size_t)middle] < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found = low < group->size && group->sorted[2 * (size_t)low] == rank;
    return found ? group->sorted[2 * (size_t)low + 1] : SYS_NONE;
}

uint32_t orr_sys_member_at(const struct sys *sys, const struct sys_group *group, uint32_t position)
{
    if (group->member_slot == NULL) {
        return position;
    }
    const uint32_t slot = net_slot(sys->net->config, sys_rank_at(group, position));
    uint32_t low = 0, high = group->members;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (group->member_slot[middle] <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    ORR_ASSERT(group->member_slot[low] == slot);
    return low;
}

uint32_t orr_sys_group_position(const struct sys *sys, uint32_t index, uint32_t npu)
{
    return orr_sys_position_in(sys->groups[index], npu);
}

uint32_t orr_sys_group_size(const struct sys *sys, uint32_t index)
{
    return sys->groups[index]->size;
}

uint32_t orr_sys_groups(const struct sys *sys)
{
    return sys->group_count;
}

uint32_t orr_sys_group_rank(const struct sys *sys, uint32_t group, uint32_t position)
{
    return sys_rank_at(sys->groups[group], position);
}

const uint32_t *orr_sys_group_given(const struct sys *sys, uint32_t group, uint32_t *count)
{
    *count = sys->groups[group]->size;
    return sys->groups[group]->given;
}

bool orr_sys_group_is_box(const struct sys *sys, uint32_t group)
{
    return sys->groups[group]->whole || sys->groups[group]->box_dims != 0;
}

const char *orr_sys_group_name(const struct sys *sys, uint32_t index)
{
    return sys->groups[index]->name;
}
