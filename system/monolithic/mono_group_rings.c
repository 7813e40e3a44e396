/* Rings of the network for a group. A ring that lists its members is for the group of exactly
 * these; it is converted from ranks to positions in the group, which the other rings use already.
 * Searched once per group. */
#include <stdlib.h>

#include "network/permutations/permutations.h"
#include "system/embedding/embedding.h"
#include "system/monolithic/mono_private.h"
#include "system/state.h"

static const struct net_ring *const each_to_the_next[] = {NULL};
static const struct mono_rings default_rings = {.count = 1, .ring = each_to_the_next};

/* ---- members ---- */

struct ring_member {
    uint32_t rank, position;
};

/* Members sorted by rank. */
struct members {
    uint32_t count;
    const struct ring_member *ring_member; /* [count], by rank */
};

static int by_rank(const void *left, const void *right)
{
    const struct ring_member *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Position of the rank, or SYS_NONE. */
static uint32_t position_of(const struct members *members, uint32_t rank)
{
    const struct ring_member key = {.rank = rank};
    const struct ring_member *found =
        bsearch(&key, members->ring_member, members->count, sizeof key, by_rank);
    return found != NULL ? found->position : SYS_NONE;
}

/* Indexes every step-th member of the group from `first` on; false: no memory. */
static bool index_members(struct orr_arena *arena, const struct sys_group *group, uint32_t first,
                          uint32_t step, struct members *out)
{
    const uint32_t count = group->size / step;
    struct ring_member *ring_member = orr_arena_array(arena, count, sizeof *ring_member);
    for (uint32_t i = 0; ring_member != NULL && i < count; i++) {
        const uint32_t member = first + i * step;
        ring_member[i] = (struct ring_member){
            .rank = group->given != NULL ? group->given[member] : member, .position = i};
    }
    if (ring_member != NULL) {
        qsort(ring_member, count, sizeof *ring_member, by_rank);
    }
    *out = (struct members){.count = count, .ring_member = ring_member};
    return ring_member != NULL;
}

/* ---- rings ---- */

/* Whether the ring lists exactly these members; it has each once. */
static bool is_of(const struct net_ring *ring, const struct members *members)
{
    bool all = ring->member != NULL && ring->npus == members->count;
    for (uint32_t i = 0; all && i < ring->npus; i++) {
        all = position_of(members, ring->member[i]) != SYS_NONE;
    }
    return all;
}

static bool is_of_size(const struct net_ring *ring, const struct members *members)
{
    return ring->member == NULL && ring->npus == members->count;
}

static uint32_t count_of(const struct net_graph *network, const struct members *members,
                         bool listed)
{
    uint32_t rings = 0;
    for (uint32_t i = 0; i < network->rings; i++) {
        const struct net_ring *ring = &network->ring[i];
        rings += listed ? is_of(ring, members) : is_of_size(ring, members);
    }
    return rings;
}

/* Converts the ring to positions in the group. */
static const struct net_ring *by_positions(struct orr_arena *arena, const struct members *members,
                                           const struct net_ring *from)
{
    struct net_ring *ring = orr_arena_alloc(arena, sizeof *ring);
    uint32_t *order = orr_arena_array(arena, from->npus, sizeof *order);
    uint32_t *at = orr_arena_array(arena, from->npus, sizeof *at);
    if (ring == NULL || order == NULL || at == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < from->npus; i++) {
        order[i] = position_of(members, from->member[i]);
        at[order[i]] = i;
    }
    *ring = (struct net_ring){.npus = from->npus, .order = order, .at = at, .way = from->way};
    return ring;
}

/* Fills the array of rings; false: no memory. */
static bool fill_rings(const struct sys *sys, const struct members *members, bool listed,
                       const struct net_ring **ring)
{
    const struct net_graph *network = sys->net->config->graph;
    bool done = true;
    for (uint32_t i = 0; done && i < network->rings; i++) {
        const struct net_ring *from = &network->ring[i];
        if (listed && is_of(from, members)) {
            *ring = by_positions(sys->arena, members, from);
            done = *ring++ != NULL;
        } else if (!listed && is_of_size(from, members)) {
            *ring++ = from;
        }
    }
    return done;
}

/* Totient rings of the network, for groups of any size. NULL: no memory. */
static const struct mono_rings *make_totient_rings(const struct sys *sys, uint32_t members)
{
    const struct net_graph *network = sys->net->config->graph;
    struct net_jumps jumps;
    if (!orr_net_totient_rings(sys->arena, members, network->totient, &jumps)) {
        return NULL;
    }
    struct mono_rings *rings = orr_arena_alloc(sys->arena, sizeof *rings);
    struct net_ring *rings_made = orr_arena_array(sys->arena, jumps.jumps, sizeof *rings_made);
    const struct net_ring **ring = orr_arena_array(sys->arena, jumps.jumps, sizeof *ring);
    if (rings == NULL || rings_made == NULL || ring == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < jumps.jumps; i++) {
        rings_made[i] = (struct net_ring){.npus = members, .jump = (int32_t)jumps.jump[i]};
        ring[i] = &rings_made[i];
    }
    *rings = (struct mono_rings){.count = jumps.jumps, .ring = ring};
    return rings;
}

/* The members in the order of their places. NULL: no memory. */
static uint32_t *list_npus(struct orr_arena *arena, const struct members *members)
{
    uint32_t *npu = orr_arena_array(arena, members->count, sizeof *npu);
    for (uint32_t i = 0; npu != NULL && i < members->count; i++) {
        npu[members->ring_member[i].position] = members->ring_member[i].rank;
    }
    return npu;
}

/* Those on links among the members, where the network says none. NULL: no memory. */
static const struct mono_rings *find_on_links(const struct sys *sys, const struct members *members,
                                              struct orr_arena *scratch)
{
    const struct sys_ring_group group = {
        .graph = sys->net->config->graph, .n = members->count, .npu = list_npus(scratch, members)};
    struct sys_group_rings found;
    struct mono_rings *rings = orr_arena_alloc(sys->arena, sizeof *rings);
    if (rings == NULL || group.npu == NULL ||
        orr_sys_group_rings(&group, scratch, &found, NULL) != ORR_OK) {
        return NULL;
    }
    if (found.rings == 0) {
        return &default_rings;
    }
    const struct net_ring **ring = orr_arena_array(sys->arena, found.rings, sizeof *ring);
    bool done = ring != NULL;
    for (uint32_t i = 0; done && i < found.rings; i++) {
        ring[i] = by_positions(sys->arena, members, &found.ring[i]);
        done = ring[i] != NULL;
    }
    *rings = (struct mono_rings){.count = found.rings, .ring = ring};
    return done ? rings : NULL;
}

/* Those for the members, else, if it is asked for, those for any so many. NULL: no memory. */
static const struct mono_rings *find_rings(const struct sys *sys, const struct members *members,
                                           bool of_size)
{
    const struct net_graph *network = sys->net->config->graph;
    const uint32_t listed = count_of(network, members, true);
    if (listed == 0 && of_size && network->totient != 0 && members->count > 1) {
        return make_totient_rings(sys, members->count);
    }
    const uint32_t count = listed != 0 || !of_size ? listed : count_of(network, members, false);
    if (count == 0) {
        return &default_rings;
    }
    struct mono_rings *rings = orr_arena_alloc(sys->arena, sizeof *rings);
    const struct net_ring **ring = orr_arena_array(sys->arena, count, sizeof *ring);
    if (rings == NULL || ring == NULL || !fill_rings(sys, members, listed != 0, ring)) {
        return NULL;
    }
    *rings = (struct mono_rings){.count = count, .ring = ring};
    return rings;
}

/* Rings of every step-th member; NULL: no memory, and the queue is stopped. */
static const struct mono_rings *find_among(const struct sys *sys, const struct sys_group *group,
                                           uint32_t first, uint32_t step, bool of_size)
{
    const struct net_graph *network = sys->net->config->graph;
    const struct mono_rings *rings = &default_rings;
    const bool finds = network != NULL && of_size && net_graph_finds_rings(network);
    if (network != NULL && (finds || net_graph_has_rings(network))) {
        struct orr_arena *scratch = orr_arena_create();
        struct members members;
        rings = scratch != NULL && index_members(scratch, group, first, step, &members)
                    ? find_rings(sys, &members, of_size)
                    : NULL;
        rings = rings == &default_rings && finds ? find_on_links(sys, &members, scratch) : rings;
        orr_arena_destroy(scratch);
    }
    if (rings == NULL && sys->queue != NULL) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
    }
    return rings;
}

/* ---- groups ---- */

const struct mono_rings *orr_mono_rings_of_group(const struct sys *sys, struct sys_group *group)
{
    if (group->rings == NULL) {
        group->rings = find_among(sys, group, 0, 1, true);
    }
    return group->rings;
}

void orr_mono_note_rings(struct sys *sys, struct sys_group *group)
{
    struct sys_group **largest = &sys->monos->largest;
    if (*largest == NULL || group->size > (*largest)->size) {
        *largest = group;
    }
}

const struct mono_rings *orr_mono_rings_of(struct sys *sys, const struct sys_operation *operation)
{
    const struct mono_rings *rings = orr_mono_rings_of_group(sys, operation->group);
    orr_mono_note_rings(sys, operation->group);
    return rings != NULL ? orr_mono_working_rings(sys, operation->group, rings) : NULL;
}

/* Cached rings for parts of `part` members. */
struct mono_across {
    const struct mono_across *next;
    uint32_t part;
    const struct mono_rings **rings; /* [part] */
};

static const struct mono_across *find_across(struct sys *sys, struct sys_group *group,
                                             uint32_t part)
{
    struct mono_across *across = orr_arena_alloc(sys->arena, sizeof *across);
    const struct mono_rings **rings = orr_arena_array(sys->arena, part, sizeof *rings);
    if (across == NULL || rings == NULL) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return NULL;
    }
    for (uint32_t i = 0; i < part; i++) {
        rings[i] = find_among(sys, group, i, part, false);
        if (rings[i] == NULL) {
            return NULL;
        }
    }
    *across = (struct mono_across){.next = group->across, .part = part, .rings = rings};
    group->across = across;
    return across;
}

const struct mono_rings *const *
orr_mono_rings_across(struct sys *sys, const struct sys_operation *operation, uint32_t part)
{
    struct sys_group *group = operation->group;
    const struct mono_across *across = group->across;
    while (across != NULL && across->part != part) {
        across = across->next;
    }
    across = across != NULL ? across : find_across(sys, group, part);
    return across != NULL ? across->rings : NULL;
}
