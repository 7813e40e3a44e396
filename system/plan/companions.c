/* Companions of a group; see companions.h.
 *
 * Messages of a box stay on the lines of its dimensions. Only in a ring of which a group has a part
 * do they pass NPUs of other groups. Members of a group that is no box, and those on a graph, are
 * anywhere: each group may share links with each. */
#include "system/plan/companions.h"

#include <stdlib.h>
#include <string.h>

#include "network/coordinates.h"
#include "network/net_backend.h"
#include "network/net_dims.h"
#include "system/groups/group.h"
#include "system/plan/autotune.h"
#include "system/sys_position.h"

/* Limits: more companions do not change the choice, but take time to simulate. */
enum { MAX_COMPANIONS = 256, MAX_RANKS = 8192 };

struct sys_row orr_sys_group_row(const struct sys *sys, const struct sys_group *group, unsigned d)
{
    const struct net_config *net = sys->net->config;
    uint32_t first[NET_MAX_DIMS], next[NET_MAX_DIMS];
    if (group->whole) {
        return (struct sys_row){.first = 0, .step = 1, .n = net->dim[d].npus};
    }
    orr_net_coords(net, sys_rank_at(group, sys_position(0)).rank, first);
    for (unsigned b = 0; b < group->box_dims; b++) {
        if (group->box[b].queue_dim == d && group->box[b].n > 1) {
            orr_net_coords(net, sys_rank_at(group, sys_position(group->box[b].stride)).rank, next);
            return (struct sys_row){
                .first = first[d], .step = next[d] - first[d], .n = group->box[b].n};
        }
    }
    return (struct sys_row){.first = first[d], .step = 1, .n = 1};
}

/* ---- which groups share links ---- */

static bool is_anywhere(const struct sys *sys, const struct sys_group *group)
{
    return group->box_dims == 0 || !sys_routes_follow_blocks(sys->net->config);
}

bool orr_sys_is_part_of_ring(const struct sys *sys, const struct sys_group *group, unsigned d)
{
    const struct net_config *net = sys->net->config;
    const struct net_ops *backend = orr_net_backend_find(net->backend);
    const uint32_t n = orr_sys_group_row(sys, group, d).n;
    return net_passes_on(net->dim[d].block) && n > 1 &&
           (n < net->dim[d].npus || net->dim[d].block == NET_MESH) && backend != NULL &&
           (backend->links != NULL ||
            (backend->folding != NULL && backend->folding->has_transit(net, d)));
}

/* Whether messages of the group may pass other NPUs. */
static bool is_open(const struct sys *sys, const struct sys_group *group)
{
    if (group->whole || group->size < 2 || sys->policy->closed_groups) {
        return false;
    }
    bool open = is_anywhere(sys, group);
    for (unsigned d = 0; d < sys->net->config->dims && !open; d++) {
        open = orr_sys_is_part_of_ring(sys, group, d);
    }
    return open;
}

bool orr_sys_group_set_of_model(struct sys *sys, uint32_t group)
{
    sys->all.groups[group]->of_model = true;
    return is_open(sys, sys->all.groups[group]);
}

static bool rows_meet(struct sys_row a, struct sys_row b)
{
    for (uint32_t i = 0; i < a.n; i++) {
        const uint32_t at = a.first + i * a.step;
        if (at >= b.first && (at - b.first) % b.step == 0 && (at - b.first) / b.step < b.n) {
            return true;
        }
    }
    return false;
}

/* Whether two boxes have coordinates in common in all dimensions but `but`. */
static bool boxes_meet(const struct sys *sys, const struct sys_group *a, const struct sys_group *b,
                       unsigned but)
{
    for (unsigned d = 0; d < sys->net->config->dims; d++) {
        if (d != but && !rows_meet(orr_sys_group_row(sys, a, d), orr_sys_group_row(sys, b, d))) {
            return false;
        }
    }
    return true;
}

/* Whether both send in a ring of which one has a part, on lines that meet. */
static bool share_ring(const struct sys *sys, const struct sys_group *a, const struct sys_group *b,
                       unsigned d)
{
    return orr_sys_group_row(sys, a, d).n > 1 && orr_sys_group_row(sys, b, d).n > 1 &&
           (orr_sys_is_part_of_ring(sys, a, d) || orr_sys_is_part_of_ring(sys, b, d)) &&
           boxes_meet(sys, a, b, d);
}

static bool shares_links(const struct sys *sys, const struct sys_group *a,
                         const struct sys_group *b)
{
    bool shares = is_anywhere(sys, a) || is_anywhere(sys, b);
    for (unsigned d = 0; d < sys->net->config->dims && !shares; d++) {
        shares = share_ring(sys, a, b, d);
    }
    return shares;
}

/* ---- which groups are of one kind ----
 *
 * Groups that one division of the ranks makes have the same distances between their ranks, but for
 * a last one that may be smaller. Others (the data-parallel groups beside a tensor-parallel one)
 * run at other times. Only ranks count, not names and not the order in which groups are listed. */

enum likeness { ALIKE, KIN, STRANGERS };

static uint32_t lowest(const struct sys_group *group)
{
    return group->sorted[0];
}

/* Of two boxes: kin have the same steps. */
static enum likeness likeness_of_boxes(const struct sys *sys, const struct sys_group *a,
                                       const struct sys_group *b)
{
    enum likeness likeness = ALIKE;
    for (unsigned d = 0; d < sys->net->config->dims; d++) {
        const struct sys_row one = orr_sys_group_row(sys, a, d);
        const struct sys_row other = orr_sys_group_row(sys, b, d);
        if (one.n > 1 && other.n > 1 && one.step != other.step) {
            return STRANGERS;
        }
        likeness = one.n != other.n ? KIN : likeness;
    }
    return likeness;
}

/* By distances of the ranks from the lowest: kin have all those of the smaller one. */
static enum likeness likeness_of_ranks(const struct sys_group *a, const struct sys_group *b)
{
    const struct sys_group *large = a->size < b->size ? b : a, *small = a->size < b->size ? a : b;
    uint32_t at = 0;
    for (uint32_t i = 0; i < large->size && at < small->size; i++) {
        const uint32_t one = large->sorted[2 * (size_t)i] - lowest(large);
        const uint32_t other = small->sorted[2 * (size_t)at] - lowest(small);
        if (one > other) {
            return STRANGERS;
        }
        at += one == other ? 1 : 0;
    }
    return at < small->size ? STRANGERS : a->size == b->size ? ALIKE : KIN;
}

static enum likeness likeness_of(const struct sys *sys, const struct sys_group *a,
                                 const struct sys_group *b)
{
    return is_anywhere(sys, a) || is_anywhere(sys, b) ? likeness_of_ranks(a, b)
                                                      : likeness_of_boxes(sys, a, b);
}

/* ---- in which order ---- */

struct candidate {
    struct sys_group *group;
    uint32_t shift; /* of the lowest ranks */
    enum likeness likeness;
};

/* Of groups with the same lowest rank: by size, then by ranks in their order. */
static int compare_ranks(const struct sys_group *a, const struct sys_group *b)
{
    int order = (a->size < b->size) - (a->size > b->size);
    for (uint32_t i = 0; i < a->size && order == 0; i++) {
        order = (a->given[i] > b->given[i]) - (a->given[i] < b->given[i]);
    }
    return order;
}

static int compare(const void *a, const void *b)
{
    const struct candidate *first = a, *second = b;
    if (first->likeness != second->likeness) {
        return first->likeness < second->likeness ? -1 : 1;
    }
    if (first->shift != second->shift) {
        return first->shift < second->shift ? -1 : 1;
    }
    return compare_ranks(first->group, second->group);
}

/* Groups of a model come with their family: which others exist depends on the fold. */
static bool is_candidate(const struct sys *sys, const struct sys_group *group,
                         const struct sys_group *other)
{
    return other != group && !other->whole && other->size > 1 &&
           (group->of_model ? other->family == group->family : !other->of_model) &&
           shares_links(sys, group, other);
}

static uint32_t find_candidates(const struct sys *sys, const struct sys_group *group,
                                struct candidate *of)
{
    uint32_t count = 0;
    for (uint32_t g = 1; g < sys->all.count; g++) {
        struct sys_group *other = sys->all.groups[g];
        const enum likeness likeness =
            is_candidate(sys, group, other) ? likeness_of(sys, group, other) : STRANGERS;
        if (likeness != STRANGERS) {
            of[count++] = (struct candidate){
                .group = other,
                .shift = orr_net_shift(sys->net->config, lowest(group), lowest(other)),
                .likeness = likeness};
        }
    }
    qsort(of, count, sizeof *of, compare);
    return count;
}

/* ---- the companions ---- */

/* Marks the group's ranks unless one is marked already. */
static bool mark(const struct sys_group *group, uint8_t *taken)
{
    for (uint32_t i = 0; i < group->size; i++) {
        if (taken[sys_rank_at(group, sys_position(i)).rank] != 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < group->size; i++) {
        taken[sys_rank_at(group, sys_position(i)).rank] = 1;
    }
    return true;
}

/* Distances from the group's first rank, since groups that lie alike have one choice; on a graph
 * ranks, since there is no such symmetry. */
static uint64_t digest_of(const struct sys *sys, const struct sys_group *group,
                          const struct sys_companions *companions)
{
    const uint32_t first = sys_rank_at(group, sys_position(0)).rank;
    const bool blocks = sys_routes_follow_blocks(sys->net->config);
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t c = 0; c < companions->count; c++) {
        const struct sys_group *other = companions->of[c];
        hash = (hash ^ other->size) * UINT64_C(1099511628211);
        for (uint32_t i = 0; i < other->size; i++) {
            const uint32_t rank = sys_rank_at(other, sys_position(i)).rank;
            hash = (hash ^ (blocks ? orr_net_shift(sys->net->config, first, rank) : rank)) *
                   UINT64_C(1099511628211);
        }
    }
    return hash;
}

static void keep_disjoint(const struct sys_group *group, const struct candidate *of, uint32_t found,
                          uint8_t *taken, struct sys_companions *companions)
{
    uint32_t ranks = group->size;
    (void)mark(group, taken);
    for (uint32_t i = 0;
         i < found && companions->count < MAX_COMPANIONS && ranks + of[i].group->size <= MAX_RANKS;
         i++) {
        if (mark(of[i].group, taken)) {
            ranks += of[i].group->size;
            companions->of[companions->count++] = of[i].group;
        }
    }
}

static void find_companions(const struct sys *sys, const struct sys_group *group,
                            struct sys_companions *companions)
{
    struct candidate *of = orr_heap_calloc(sys->all.count, sizeof *of);
    uint8_t *taken = orr_heap_calloc(sys->npus, sizeof *taken);
    const uint32_t found = of != NULL && taken != NULL ? find_candidates(sys, group, of) : 0;
    companions->of = orr_arena_array(
        sys->arena, found < MAX_COMPANIONS ? found + 1 : MAX_COMPANIONS, sizeof *companions->of);
    if (found > 0 && companions->of != NULL) {
        keep_disjoint(group, of, found, taken, companions);
    }
    companions->digest = companions->count > 0 ? digest_of(sys, group, companions) : 0;
    orr_heap_free(of);
    orr_heap_free(taken);
}

const struct sys_companions *orr_sys_companions_of(const struct sys *sys, struct sys_group *group)
{
    struct sys_companions *companions = group->companions;
    if (companions == NULL || companions->known != sys->all.count) {
        companions = orr_arena_alloc(sys->arena, sizeof *companions);
        if (companions == NULL) {
            return NULL;
        }
        companions->known = sys->all.count;
        if (sys->all.count > 2 && is_open(sys, group)) {
            find_companions(sys, group, companions);
        }
        group->companions = companions;
    }
    return companions->count > 0 ? companions : NULL;
}
