/* Folded digits that a CCL collective distinguishes. All members behave the same, so a digit can be
 * folded if the groups of all NPUs of a class have the same shape and the same classes of members:
 * shifts along the digit stay inside one dimension, and map the group to itself or, if its members
 * do not differ in the digit, to a group of the same shape. */
#include "network/graph_rotation.h"
#include "system/groups/group.h"
#include "system/plan/planning.h"
#include "system/sys_position.h"

/* Whether shifts along the digit change the coordinate of one dimension only; sets *dim. */
static bool is_within_dim(const struct net_config *network, const struct orr_fold_digit *digit,
                          unsigned *dim)
{
    const uint64_t end = (uint64_t)digit->stride * digit->size;
    uint64_t stride = 1;
    for (unsigned d = 0; d < network->dims; d++) {
        const uint64_t all = stride * network->dim[d].npus;
        if (digit->stride >= stride && end <= all) {
            *dim = d;
            return digit->stride % stride == 0 && all % end == 0;
        }
        stride = all;
    }
    return false;
}

static uint32_t shifted(const struct orr_fold_digit *digit, uint32_t rank)
{
    const struct net_rotation turn = {.stride = digit->stride, .size = digit->size, .step = 1};
    return net_rotated(&turn, rank);
}

static uint32_t digit_value(const struct orr_fold_digit *digit, struct orr_rank rank)
{
    return rank.rank / digit->stride % digit->size;
}

/* Whether the members do not differ in the digit, or shifts map members to members. */
static bool is_closed_under_shift(const struct sys_group *group, const struct orr_fold_digit *digit)
{
    bool differ = false, closed = true;
    for (uint32_t i = 0; i < group->size && (!differ || closed); i++) {
        const struct orr_rank rank = sys_rank_at(group, sys_position(i));
        differ |=
            digit_value(digit, rank) != digit_value(digit, sys_rank_at(group, sys_position(0)));
        closed =
            closed && sys_in_group(orr_sys_position_in(group, orr_rank(shifted(digit, rank.rank))));
    }
    return !differ || closed;
}

/* Whether rings depend on which GPUs the group has: in a DGX-1, unless it has all. */
static bool depends_on_gpus(const struct sys *sys, const struct sys_group *group)
{
    return sys->config->library->fabric == SYS_FABRIC_DGX1 && !group->whole;
}

uint64_t orr_sys_ccl_unfoldable(const struct sys *sys, const struct sys_group *group,
                                const struct orr_fold *fold)
{
    uint64_t unfoldable = 0;
    for (unsigned i = 0; i < fold->digits; i++) {
        const struct orr_fold_digit *digit = &fold->digit[i];
        unsigned dim = 0;
        const bool is_equivalent = is_within_dim(sys->net->config, digit, &dim) &&
                                   (group->whole || is_closed_under_shift(group, digit)) &&
                                   (dim != 0 || !depends_on_gpus(sys, group));
        unfoldable |= digit->folded && !is_equivalent ? UINT64_C(1) << i : 0;
    }
    return unfoldable;
}
