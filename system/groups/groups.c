/* Communicator groups: any set of ranks under a name. Group 0 is all NPUs. */
#include <stdlib.h>
#include <string.h>

#include "system/groups/group.h"
#include "system/sys_groups.h"

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t *first = a, *second = b;
    return (first[0] > second[0]) - (first[0] < second[0]);
}

/* (rank, position) sorted by rank, so that positions are found by bisection. */
static uint32_t *sorted_pairs(struct sys *sys, const uint32_t *ranks, uint32_t count)
{
    uint32_t *pairs = orr_arena_array(sys->arena, (size_t)count * 2, sizeof *pairs);
    if (pairs == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        pairs[2 * (size_t)i] = ranks[i];
        pairs[2 * (size_t)i + 1] = i;
    }
    qsort(pairs, count, 2 * sizeof *pairs, compare_pairs);
    return pairs;
}

static enum orr_status check_ranks(const struct sys *sys, const char *name, const uint32_t *pairs,
                                   uint32_t count, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = pairs[2 * (size_t)i];
        if (rank >= sys->npus) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "communicator group \"%s\": rank %u does not exist; the platform "
                                 "has the ranks 0 to %u",
                                 name, rank, sys->npus - 1);
        }
        if (i > 0 && pairs[2 * (size_t)i - 2] == rank) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "communicator group \"%s\": rank %u is listed twice", name, rank);
        }
    }
    return ORR_OK;
}

/* ---- boxes ---- */

/* Number of coordinates of the group's ranks in one dimension if they are evenly spaced: from the
 * minimum to the maximum in steps of their greatest common spacing. */
static uint32_t row_of(const struct sys *sys, const uint32_t *pairs, uint32_t count, unsigned d)
{
    const struct net_config *net = sys->net->config;
    uint32_t stride = 1;
    for (unsigned lower = 0; lower < d; lower++) {
        stride *= net->dim[lower].npus;
    }
    const uint32_t n = net->dim[d].npus, first = pairs[0] / stride % n;
    uint32_t min = first, max = first, step = 0;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t value = pairs[2 * (size_t)i] / stride % n;
        min = value < min ? value : min;
        max = value > max ? value : max;
        step = orr_gcd(step, value > first ? value - first : first - value);
    }
    return step != 0 ? (max - min) / step + 1 : 1;
}

/* A group that is a sub-box of the platform's dimensions, with strides, gets the dimensions of the
 * box, and its positions in the order of ranks, so that they are the box's coordinates. Its ranks
 * are distinct and inside the box of their coordinates, so they are the box if the counts agree. */
static bool arrange_as_box(struct sys *sys, struct sys_group *group)
{
    const struct net_config *net = sys->net->config;
    uint32_t *pairs = group->sorted;
    uint64_t product = 1;
    unsigned dims = 0;
    if (sys->policy->flat_groups || net->dims > SYS_MAX_DIMS) {
        return true;
    }
    for (unsigned d = 0; d < net->dims && product <= group->size; d++) {
        const uint32_t count = row_of(sys, pairs, group->size, d);
        if (count != 1) {
            group->box[dims++] = sys_dim_of(count, (uint32_t)product, d);
        }
        product *= count;
    }
    if (product != group->size) {
        return true;
    }
    uint32_t *ranks = orr_arena_array(sys->arena, group->size, sizeof *ranks);
    for (uint32_t i = 0; ranks != NULL && i < group->size; i++) {
        ranks[i] = pairs[2 * (size_t)i];
        pairs[2 * (size_t)i + 1] = i;
    }
    group->ranks = ranks;
    group->box_dims = dims;
    return ranks != NULL;
}

static enum orr_status fill_group(struct sys *sys, struct sys_group *group, const uint32_t *ranks,
                                  uint32_t count, struct orr_diag *diag)
{
    uint32_t *copy = orr_arena_array(sys->arena, count, sizeof *copy);
    uint32_t *pairs = sorted_pairs(sys, ranks, count);
    if (copy == NULL || pairs == NULL) {
        return orr_diag_no_memory(diag, "a communicator group");
    }
    memcpy(copy, ranks, count * sizeof *copy);
    group->given = copy;
    group->size = count;
    const enum orr_status status = check_ranks(sys, group->name, pairs, count, diag);
    group->whole = count == sys->npus;
    if (status == ORR_OK && !group->whole) {
        group->ranks = copy;
        group->sorted = pairs;
        if (!arrange_as_box(sys, group)) {
            return orr_diag_no_memory(diag, "a communicator group");
        }
    }
    return status == ORR_OK ? orr_sys_group_fold(sys, group, diag) : status;
}

/* ---- members under a fold ---- */

static void add_member(struct sys_group *group, struct orr_slot *slots, struct sys_position *at,
                       struct orr_slot slot, struct sys_position position)
{
    slots[group->members] = slot;
    at[group->members++] = position;
}

/* Members: the classes whose representative is in the group. */
static void find_members(const struct sys *sys, struct sys_group *group, struct orr_slot *slots,
                         struct sys_position *at)
{
    const uint32_t classes = sys->net->config->fold->slots;
    for (uint32_t slot = 0; slot < classes; slot++) {
        const struct sys_position position =
            orr_sys_position_in(group, orr_sys_rank_of_slot(sys, orr_slot(slot)));
        if (sys_in_group(position)) {
            add_member(group, slots, at, orr_slot(slot), position);
        }
    }
}

/* The same for small groups, from their sorted ranks: slots ascend with their representatives. */
static void find_members_of_few(const struct sys *sys, struct sys_group *group,
                                struct orr_slot *slots, struct sys_position *at)
{
    for (uint32_t i = 0; i < group->size; i++) {
        const struct orr_rank rank = orr_rank(group->sorted[2 * (size_t)i]);
        const struct orr_slot slot = sys_slot_of_rank(sys, rank);
        if (orr_sys_rank_of_slot(sys, slot).rank == rank.rank) {
            add_member(group, slots, at, slot, sys_position(group->sorted[2 * (size_t)i + 1]));
        }
    }
}

enum orr_status orr_sys_group_fold(struct sys *sys, struct sys_group *group, struct orr_diag *diag)
{
    const struct orr_fold *fold = sys->net->config->fold;
    group->members = group->size;
    if (sys->policy->pair_by_issue) {
        group->issued = orr_arena_array(sys->arena, group->size, sizeof *group->issued);
        if (group->issued == NULL) {
            return orr_diag_no_memory(diag, "a communicator group");
        }
    }
    if (fold == NULL || fold->none) {
        return ORR_OK;
    }
    const uint32_t max = fold->slots < group->size ? fold->slots : group->size;
    struct orr_slot *slots = orr_arena_array(sys->arena, max, sizeof *slots);
    struct sys_position *at = orr_arena_array(sys->arena, max, sizeof *at);
    if (slots == NULL || at == NULL) {
        return orr_diag_no_memory(diag, "a communicator group");
    }
    group->members = 0;
    if (group->sorted != NULL && group->size < fold->slots) {
        find_members_of_few(sys, group, slots, at);
    } else {
        find_members(sys, group, slots, at);
    }
    group->member_slot = slots;
    group->member_at = at;
    return ORR_OK;
}

static enum orr_status append_group(struct sys *sys, struct sys_group *group, struct orr_diag *diag)
{
    struct sys_group **grown = orr_arena_grow(sys->arena, sys->all.groups, &sys->all.capacity,
                                              sys->all.count + 1u, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    sys->all.groups = grown;
    sys->all.groups[sys->all.count] = group;
    if (!orr_sys_group_file(sys, sys->all.count)) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    sys->all.count++;
    return ORR_OK;
}

static enum orr_status same_ranks(const struct sys_group *group, const uint32_t *ranks,
                                  uint32_t count, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < count || i < group->size; i++) {
        if (i >= count || i >= group->size || group->given[i] != ranks[i]) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "communicator group \"%s\" is defined twice with different ranks: "
                                 "%u ranks with %u at position %u, and %u ranks with %u there",
                                 group->name, group->size, i < group->size ? group->given[i] : 0, i,
                                 count, i < count ? ranks[i] : 0);
        }
    }
    return ORR_OK;
}

enum orr_status orr_sys_group_add(struct sys *sys, const char *name, const uint32_t *ranks,
                                  uint32_t count, uint32_t *index, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        *index = orr_sys_group_find(sys, name, orr_rank(ranks[i]));
        if (*index != SYS_NONE) {
            return same_ranks(sys->all.groups[*index], ranks, count, diag);
        }
    }
    if (count == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "communicator group \"%s\" has no ranks",
                             name);
    }
    struct sys_group *group = orr_arena_alloc(sys->arena, sizeof *group);
    if (group == NULL) {
        return orr_diag_no_memory(diag, "a communicator group");
    }
    group->name = orr_arena_strdup(sys->arena, name);
    if (group->name == NULL) {
        return orr_diag_no_memory(diag, "a communicator group");
    }
    orr_sys_group_number(sys, group, sys->all.count);
    enum orr_status status = fill_group(sys, group, ranks, count, diag);
    if (status == ORR_OK) {
        *index = sys->all.count;
        status = append_group(sys, group, diag);
    }
    return status;
}

enum orr_status orr_sys_group_add_all(struct sys *sys, const char *name, uint32_t *index,
                                      struct orr_diag *diag)
{
    struct sys_group *group = orr_arena_alloc(sys->arena, sizeof *group);
    const char *copy = orr_arena_strdup(sys->arena, name);
    if (group == NULL || copy == NULL) {
        return orr_diag_no_memory(diag, "a communicator group");
    }
    *group = (struct sys_group){.name = copy, .size = sys->npus, .whole = true};
    orr_sys_group_number(sys, group, sys->all.count);
    const enum orr_status status = orr_sys_group_fold(sys, group, diag);
    *index = sys->all.count;
    return status == ORR_OK ? append_group(sys, group, diag) : status;
}
