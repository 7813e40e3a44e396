/* The network's rings for a group, as the algorithm multi_ring of phases goes around them: by
 * positions in the group. Made once per group. */
#include "system/collectives/rings.h"
#include "system/monolithic/mono_private.h"

/* The position in the group of its member in the user's order. */
static uint32_t position_of(const struct sys_group *group, uint32_t member)
{
    return group->given != NULL
               ? orr_sys_position_in(group, orr_rank(group->given[member])).position
               : member;
}

/* False: no memory. */
static bool fill_ring(struct orr_arena *arena, const struct sys_group *group,
                      const struct net_ring *from, struct coll_ring *ring)
{
    uint32_t *order = orr_arena_array(arena, group->size, sizeof *order);
    uint32_t *at = orr_arena_array(arena, group->size, sizeof *at);
    for (uint32_t i = 0; order != NULL && at != NULL && i < group->size; i++) {
        order[i] = position_of(group, orr_mono_member_at(from, i));
        at[order[i]] = i;
    }
    *ring = (struct coll_ring){order, at};
    return order != NULL && at != NULL;
}

/* Whether each step of the ring is a link. */
static bool is_on_links(const struct net_graph *graph, const struct sys_group *group,
                        const struct coll_ring *ring)
{
    for (uint32_t i = 0; i < group->size; i++) {
        const struct sys_position from = sys_position(ring->order[i]);
        const struct sys_position to = sys_position(ring->order[(i + 1) % group->size]);
        if (orr_net_graph_find(graph, sys_rank_at(group, from).rank, sys_rank_at(group, to).rank) ==
            NET_NO_LINK) {
            return false;
        }
    }
    return true;
}

static const struct coll_rings *make_rings(const struct sys *sys, const struct sys_group *group,
                                           const struct mono_rings *from)
{
    struct coll_rings *rings = orr_arena_alloc(sys->arena, sizeof *rings);
    struct coll_ring *ring = orr_arena_array(sys->arena, from->count, sizeof *ring);
    bool done = rings != NULL && ring != NULL, shifted = group->given == NULL, linked = true;
    for (uint32_t i = 0; done && i < from->count; i++) {
        shifted = shifted && from->ring[i]->order == NULL;
        done = fill_ring(sys->arena, group, from->ring[i], &ring[i]);
        linked = done && linked && is_on_links(sys->net->config->graph, group, &ring[i]);
    }
    if (done) {
        *rings = (struct coll_rings){group->size, from->count, ring, shifted, linked};
    }
    return done ? rings : NULL;
}

const struct coll_rings *orr_mono_phase_rings(const struct sys *sys, struct sys_group *group)
{
    const struct net_config *net = sys->net->config;
    if (net->graph == NULL || orr_net_is_stacked(net) || group->size < 3) {
        return NULL;
    }
    if (group->phase_rings == NULL && !group->has_no_phase_rings) {
        const struct mono_rings *found = orr_mono_rings_of_group(sys, group);
        const bool any = found != NULL && found->ring[0] != NULL;
        group->phase_rings = any ? make_rings(sys, group, found) : NULL;
        group->has_no_phase_rings = group->phase_rings == NULL;
    }
    return group->phase_rings;
}
