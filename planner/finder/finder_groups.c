/* All-reduce groups: groups of the same servers are merged; groups of equal size and stride without
 * a common server form a class, which shares its jumps (TopoOpt, NSDI'23, section 4.2, step 2). All
 * groups without a constant stride count as having the same stride, 0. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "planner/finder/finder_private.h"

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* By size, then by servers. */
static int compare_groups(const void *left, const void *right)
{
    const struct finder_group *a = left, *b = right;
    if (a->members != b->members) {
        return a->members < b->members ? -1 : 1;
    }
    for (uint32_t i = 0; i < a->members; i++) {
        if (a->member[i] != b->member[i]) {
            return a->member[i] < b->member[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The group with its servers ascending; false: memory is out. */
static bool sorted_copy(struct orr_arena *arena, const struct finder_group *from,
                        struct finder_group *to)
{
    uint32_t *member = orr_arena_array(arena, from->members, sizeof *member);
    if (member == NULL) {
        return false;
    }
    memcpy(member, from->member, from->members * sizeof *member);
    qsort(member, from->members, sizeof *member, compare_numbers);
    *to = (struct finder_group){.member = member, .members = from->members, .bytes = from->bytes};
    return true;
}

enum orr_status orr_finder_merge_groups(struct finder *finder)
{
    const struct finder_demand *demand = finder->demand;
    struct finder_group *group = orr_arena_array(finder->arena, demand->groups, sizeof *group);
    uint32_t kept = 0;
    bool ok = group != NULL || demand->groups == 0;
    for (uint32_t i = 0; i < demand->groups && ok; i++) {
        ok = sorted_copy(finder->arena, &demand->group[i], &group[i]);
    }
    if (!ok) {
        return orr_finder_no_memory(finder);
    }
    if (demand->groups > 1) {
        qsort(group, demand->groups, sizeof *group, compare_groups);
    }
    for (uint32_t i = 0; i < demand->groups; i++) {
        if (kept > 0 && compare_groups(&group[kept - 1], &group[i]) == 0) {
            group[kept - 1].bytes = sat_plus(group[kept - 1].bytes, group[i].bytes);
        } else {
            group[kept++] = group[i];
        }
    }
    finder->group = group;
    finder->out->group = group;
    finder->out->groups = kept;
    if (finder->options->degree == 1 && kept > 1) {
        return orr_diag_fail(finder->diag, ORR_ERR_INPUT, NULL,
                             "degree: expected one group of servers that reduce, since one "
                             "interface makes one ring, got %" PRIu32
                             " groups; expected at least 2 interfaces for them",
                             kept);
    }
    return ORR_OK;
}

/* ---- classes ---- */

/* Classes under construction; `taken` has a bit for each server of a class. */
struct classes {
    struct finder *finder;
    uint32_t classes, words;
    uint64_t **taken;   /* [classes], [words] */
    uint32_t *of_group; /* [groups] the class of each */
};

static uint32_t stride_of(const struct finder_group *group)
{
    const uint32_t stride = group->member[1] - group->member[0];
    for (uint32_t i = 2; i < group->members; i++) {
        if (group->member[i] - group->member[i - 1] != stride) {
            return 0;
        }
    }
    return stride;
}

static bool is_free(const uint64_t *taken, const struct finder_group *group)
{
    for (uint32_t i = 0; i < group->members; i++) {
        if (taken[group->member[i] / 64] >> group->member[i] % 64 & 1) {
            return false;
        }
    }
    return true;
}

/* The first class of this size and stride without a server of the group; or a new one. */
static uint32_t class_for(struct classes *classes, const struct finder_group *group)
{
    struct finder_class *of = classes->finder->of;
    const uint32_t stride = stride_of(group);
    for (uint32_t c = 0; c < classes->classes; c++) {
        if (of[c].members == group->members && of[c].stride == stride &&
            is_free(classes->taken[c], group)) {
            return c;
        }
    }
    of[classes->classes] = (struct finder_class){.members = group->members, .stride = stride};
    return classes->classes++;
}

static uint64_t wire_bytes(const struct finder_group *group)
{
    return sat_times(2 * (uint64_t)(group->members - 1), group->bytes);
}

static bool add_to_class(struct classes *classes, uint32_t number)
{
    const struct finder_group *group = &classes->finder->group[number];
    const uint32_t c = class_for(classes, group);
    struct finder_class *of = &classes->finder->of[c];
    if (classes->taken[c] == NULL) {
        classes->taken[c] =
            orr_arena_array(classes->finder->arena, classes->words, sizeof(uint64_t));
    }
    for (uint32_t i = 0; i < group->members && classes->taken[c] != NULL; i++) {
        classes->taken[c][group->member[i] / 64] |= UINT64_C(1) << group->member[i] % 64;
    }
    classes->of_group[number] = c;
    of->groups++;
    of->wire_bytes = sat_plus(of->wire_bytes, wire_bytes(group));
    return classes->taken[c] != NULL;
}

/* Lists the groups of each class in ascending order. */
static bool list_groups(struct classes *classes)
{
    const uint32_t groups = classes->finder->out->groups;
    uint32_t *list = orr_arena_array(classes->finder->arena, groups, sizeof *list);
    uint32_t *next = orr_arena_array(classes->finder->arena, classes->classes, sizeof *next);
    uint32_t first = 0;
    if (list == NULL || next == NULL) {
        return groups == 0;
    }
    for (uint32_t c = 0; c < classes->classes; c++) {
        struct finder_class *of = &classes->finder->of[c];
        of->group = list + first;
        next[c] = first;
        first += of->groups;
    }
    for (uint32_t g = 0; g < groups; g++) {
        list[next[classes->of_group[g]]++] = g;
    }
    return true;
}

/* By descending bytes, then descending size, then the first group, which has the lowest servers. */
static int compare_classes(const void *left, const void *right)
{
    const struct finder_class *a = left, *b = right;
    if (a->wire_bytes != b->wire_bytes) {
        return a->wire_bytes > b->wire_bytes ? -1 : 1;
    }
    if (a->members != b->members) {
        return a->members > b->members ? -1 : 1;
    }
    return a->group[0] < b->group[0] ? -1 : 1;
}

enum orr_status orr_finder_make_classes(struct finder *finder)
{
    struct finder_topology *out = finder->out;
    struct classes classes = {.finder = finder, .words = (out->servers + 63) / 64};
    finder->of = orr_arena_array(finder->arena, out->groups, sizeof *finder->of);
    classes.taken = orr_arena_array(finder->arena, out->groups, sizeof *classes.taken);
    classes.of_group = orr_arena_array(finder->arena, out->groups, sizeof *classes.of_group);
    if (finder->of == NULL || classes.taken == NULL || classes.of_group == NULL) {
        return out->groups == 0 ? ORR_OK : orr_finder_no_memory(finder);
    }
    for (uint32_t g = 0; g < out->groups; g++) {
        out->reduce_bytes = sat_plus(out->reduce_bytes, wire_bytes(&finder->group[g]));
        if (!add_to_class(&classes, g)) {
            return orr_finder_no_memory(finder);
        }
    }
    if (!list_groups(&classes)) {
        return orr_finder_no_memory(finder);
    }
    if (classes.classes > 1) {
        qsort(finder->of, classes.classes, sizeof *finder->of, compare_classes);
    }
    out->of = finder->of;
    out->classes = classes.classes;
    return ORR_OK;
}
