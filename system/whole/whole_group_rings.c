/* Which rings of the network a group's all-reduces go around. Those that list their members are for
 * the group of exactly these; what they say is made to say so by the places that members have in
 * the group, as it is for the others. Looked for once for each group. */
#include "system/whole/whole_private.h"

static const struct net_ring *const each_to_the_next[] = {NULL};
static const struct whole_rings usual = {.count = 1, .ring = each_to_the_next};

/* Whether they are its members; the ring has each once. */
static bool is_of(const struct net_ring *ring, const struct sys_group *group)
{
    bool all = ring->member != NULL && ring->npus == group->size;
    for (uint32_t i = 0; all && i < ring->npus; i++) {
        all = sys_in_group(orr_sys_position_in(group, orr_rank(ring->member[i])));
    }
    return all;
}

static uint32_t count_of(const struct net_graph *network, const struct sys_group *group, bool own)
{
    uint32_t rings = 0;
    for (uint32_t i = 0; i < network->rings; i++) {
        const struct net_ring *ring = &network->ring[i];
        rings += own ? is_of(ring, group) : ring->member == NULL && ring->npus == group->size;
    }
    return rings;
}

/* Where the group as it was given has each of its positions; NULL: no memory. */
static const uint32_t *members_of(struct sys *sys, const struct sys_group *group)
{
    uint32_t *member = orr_arena_array(sys->arena, group->size, sizeof *member);
    for (uint32_t i = 0; member != NULL && i < group->size; i++) {
        const uint32_t rank = group->given != NULL ? group->given[i] : i;
        member[orr_sys_position_in(group, orr_rank(rank)).position] = i;
    }
    return member;
}

/* The ring by places in the group. */
static const struct net_ring *by_places(struct sys *sys, const struct sys_group *group,
                                        const uint32_t *member, const struct net_ring *from)
{
    struct net_ring *ring = orr_arena_alloc(sys->arena, sizeof *ring);
    uint32_t *order = orr_arena_array(sys->arena, from->npus, sizeof *order);
    uint32_t *at = orr_arena_array(sys->arena, from->npus, sizeof *at);
    if (ring == NULL || order == NULL || at == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < from->npus; i++) {
        order[i] = member[orr_sys_position_in(group, orr_rank(from->member[i])).position];
        at[order[i]] = i;
    }
    *ring = (struct net_ring){.npus = from->npus, .order = order, .at = at, .way = from->way};
    return ring;
}

/* Fills in the rings; false: no memory. */
static bool take(struct sys *sys, const struct sys_group *group, bool own,
                 const struct net_ring **ring)
{
    const struct net_graph *network = sys->net->config->graph;
    const uint32_t *member = own ? members_of(sys, group) : NULL;
    bool done = !own || member != NULL;
    for (uint32_t i = 0; done && i < network->rings; i++) {
        const struct net_ring *from = &network->ring[i];
        if (own && is_of(from, group)) {
            *ring = by_places(sys, group, member, from);
            done = *ring++ != NULL;
        } else if (!own && from->member == NULL && from->npus == group->size) {
            *ring++ = from;
        }
    }
    return done;
}

static const struct whole_rings *find(struct sys *sys, const struct sys_group *group)
{
    const struct net_graph *network = sys->net->config->graph;
    const uint32_t own = network != NULL ? count_of(network, group, true) : 0;
    const uint32_t count = network == NULL || own != 0 ? own : count_of(network, group, false);
    if (count == 0) {
        return &usual;
    }
    struct whole_rings *rings = orr_arena_alloc(sys->arena, sizeof *rings);
    const struct net_ring **ring = orr_arena_array(sys->arena, count, sizeof *ring);
    if (rings == NULL || ring == NULL || !take(sys, group, own != 0, ring)) {
        return NULL;
    }
    *rings = (struct whole_rings){.count = count, .ring = ring};
    return rings;
}

const struct whole_rings *orr_whole_rings_of(struct sys *sys, const struct sys_operation *operation)
{
    struct sys_group *group = operation->group;
    if (group->rings == NULL) {
        group->rings = find(sys, group);
    }
    if (group->rings == NULL) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
    }
    return group->rings;
}
