/* Communicator groups: any set of ranks under a name. Group 0 is all NPUs. */
#include <stdlib.h>
#include <string.h>

#include "system/internal.h"

uint32_t sys_rank_at(const struct sys_group *group, uint32_t position)
{
    return group->ranks != NULL ? group->ranks[position] : position;
}

uint32_t sys_position_in(const struct sys_group *group, uint32_t rank)
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

/* Values that the group's ranks take in one dimension: first, step and count of an even row, or
 * count 0 when they are not evenly spaced. */
struct row {
    uint32_t first, step, count;
};

static struct row row_of(const struct sys *sys, const uint32_t *pairs, uint32_t count, unsigned d,
                         uint8_t *seen)
{
    const struct net_config *net = sys->net->config;
    uint32_t stride = 1;
    for (unsigned lower = 0; lower < d; lower++) {
        stride *= net->dim[lower].npus;
    }
    const uint32_t n = net->dim[d].npus;
    memset(seen, 0, n);
    for (uint32_t i = 0; i < count; i++) {
        seen[pairs[2 * (size_t)i] / stride % n] = 1;
    }
    struct row row = {0, 1, 0};
    uint32_t last = 0;
    for (uint32_t value = 0; value < n; value++) {
        if (seen[value] == 0) {
            continue;
        }
        if (row.count == 0) {
            row.first = value;
        } else if (row.count == 1) {
            row.step = value - row.first;
        } else if (value - last != row.step) {
            return (struct row){0, 1, 0};
        }
        last = value;
        row.count++;
    }
    return row;
}

/* A group that is a sub-box of the platform's dimensions, strides included, gets the dimensions of
 * the box, and its positions in the order of the ranks, so that they are the box's coordinates. */
static void arrange_as_box(struct sys *sys, struct sys_group *group)
{
    const struct net_config *net = sys->net->config;
    uint8_t *seen = orr_heap_alloc(sys->npus);
    uint32_t *ranks = orr_arena_array(sys->arena, group->size, sizeof *ranks);
    if (sys->policy->flat_groups || seen == NULL || ranks == NULL || net->dims > SYS_MAX_DIMS) {
        orr_heap_free(seen);
        return;
    }
    uint32_t *pairs = group->sorted;
    uint64_t product = 1;
    unsigned dims = 0;
    for (unsigned d = 0; d < net->dims && product != 0; d++) {
        const struct row row = row_of(sys, pairs, group->size, d, seen);
        if (row.count != 1 && row.count != 0) {
            group->box[dims++] = sys_dim_of(row.count, (uint32_t)product, d);
        }
        product *= row.count;
    }
    orr_heap_free(seen);
    if (product != group->size) {
        return;
    }
    for (uint32_t i = 0; i < group->size; i++) {
        ranks[i] = pairs[2 * (size_t)i];
        pairs[2 * (size_t)i + 1] = i;
    }
    group->ranks = ranks;
    group->box_dims = dims;
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
        arrange_as_box(sys, group);
    }
    return status == ORR_OK ? sys_group_fold(sys, group, diag) : status;
}

/* ---- members under a fold ---- */

/* Position of the rank that stands for a class, SYS_NONE when it is not in the group. */
static uint32_t position_of_slot(const struct sys *sys, const struct sys_group *group,
                                 uint32_t slot)
{
    return sys_position_in(group, sys_rank_of_slot(sys, slot));
}

enum orr_status sys_group_fold(struct sys *sys, struct sys_group *group, struct orr_diag *diag)
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
    const uint32_t most = fold->slots < group->size ? fold->slots : group->size;
    uint32_t *slots = orr_arena_array(sys->arena, most, sizeof *slots);
    uint32_t *at = orr_arena_array(sys->arena, most, sizeof *at);
    if (slots == NULL || at == NULL) {
        return orr_diag_no_memory(diag, "a communicator group");
    }
    group->members = 0;
    for (uint32_t slot = 0; slot < fold->slots; slot++) {
        const uint32_t position = position_of_slot(sys, group, slot);
        if (position != SYS_NONE) {
            slots[group->members] = slot;
            at[group->members++] = position;
        }
    }
    group->member_slot = slots;
    group->member_at = at;
    return ORR_OK;
}

uint32_t sys_member_at(const struct sys *sys, const struct sys_group *group, uint32_t position)
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

/* The number of the name: that of a group which has it already, or the next. */
static uint32_t family_of(const struct sys *sys, const char *name)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < sys->group_count; i++) {
        const struct sys_group *group = sys->groups[i];
        if (i > 0 && strcmp(group->name, name) == 0) {
            return group->family;
        }
        next = group->family >= next ? group->family + 1 : next;
    }
    return next;
}

static enum orr_status append_group(struct sys *sys, struct sys_group *group, struct orr_diag *diag)
{
    struct sys_group **grown = orr_arena_grow(sys->arena, sys->groups, &sys->group_capacity,
                                              sys->group_count + 1u, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    sys->groups = grown;
    sys->groups[sys->group_count++] = group;
    return ORR_OK;
}

static enum orr_status same_ranks(const struct sys_group *group, const uint32_t *ranks,
                                  uint32_t count, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < count || i < group->size; i++) {
        if (i >= count || i >= group->size || group->given[i] != ranks[i]) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "communicator group \"%s\" is defined twice with different ranks: "
                                 "%u ranks with %u at place %u, and %u ranks with %u there",
                                 group->name, group->size, i < group->size ? group->given[i] : 0, i,
                                 count, i < count ? ranks[i] : 0);
        }
    }
    return ORR_OK;
}

enum orr_status sys_group_add(struct sys *sys, const char *name, const uint32_t *ranks,
                              uint32_t count, uint32_t *index, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        *index = sys_group_find(sys, name, ranks[i]);
        if (*index != SYS_NONE) {
            return same_ranks(sys->groups[*index], ranks, count, diag);
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
    group->family = family_of(sys, name);
    enum orr_status status = fill_group(sys, group, ranks, count, diag);
    if (status == ORR_OK) {
        *index = sys->group_count;
        status = append_group(sys, group, diag);
    }
    return status;
}

enum orr_status sys_group_add_all(struct sys *sys, const char *name, uint32_t *index,
                                  struct orr_diag *diag)
{
    struct sys_group *group = orr_arena_alloc(sys->arena, sizeof *group);
    const char *copy = orr_arena_strdup(sys->arena, name);
    if (group == NULL || copy == NULL) {
        return orr_diag_no_memory(diag, "a communicator group");
    }
    *group = (struct sys_group){
        .name = copy, .size = sys->npus, .whole = true, .family = family_of(sys, name)};
    const enum orr_status status = sys_group_fold(sys, group, diag);
    *index = sys->group_count;
    return status == ORR_OK ? append_group(sys, group, diag) : status;
}

uint32_t sys_group_find(const struct sys *sys, const char *name, uint32_t npu)
{
    for (uint32_t i = 1; i < sys->group_count; i++) {
        if (strcmp(sys->groups[i]->name, name) == 0 &&
            sys_group_position(sys, i, npu) != SYS_NONE) {
            return i;
        }
    }
    return SYS_NONE;
}

uint32_t sys_group_position(const struct sys *sys, uint32_t index, uint32_t npu)
{
    return sys_position_in(sys->groups[index], npu);
}

uint32_t sys_group_size(const struct sys *sys, uint32_t index)
{
    return sys->groups[index]->size;
}

uint32_t sys_groups(const struct sys *sys)
{
    return sys->group_count;
}

uint32_t sys_group_rank(const struct sys *sys, uint32_t group, uint32_t position)
{
    return sys_rank_at(sys->groups[group], position);
}

const uint32_t *sys_group_given(const struct sys *sys, uint32_t group, uint32_t *count)
{
    *count = sys->groups[group]->size;
    return sys->groups[group]->given;
}

bool sys_group_is_box(const struct sys *sys, uint32_t group)
{
    return sys->groups[group]->whole || sys->groups[group]->box_dims != 0;
}

const char *sys_group_name(const struct sys *sys, uint32_t index)
{
    return sys->groups[index]->name;
}
