/* The rings of every group: those of the jumps of its class, or, where it was given none, one over
 * several links a step (with duplex links one each way), of the jump that makes the fewest hops. */
#include "planner/finder/finder_private.h"

struct rings {
    struct finding *finding;
    struct finder_ring_paths ways;
    struct finder_ring *ring;
    size_t room;
};

static enum orr_status add(struct rings *rings, const struct finder_ring *ring)
{
    struct finding *finding = rings->finding;
    struct finder_ring *grown = orr_arena_grow(finding->arena, rings->ring, &rings->room,
                                               (size_t)finding->out->rings + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_finder_no_memory(finding);
    }
    rings->ring = grown;
    finding->out->ring = grown;
    grown[finding->out->rings++] = *ring;
    return ORR_OK;
}

/* The servers of a group in the order of a jump; NULL: memory is out. */
static uint32_t *order_of(const struct rings *rings, const struct finder_group *group,
                          uint32_t jump)
{
    uint32_t *member = orr_arena_array(rings->finding->arena, group->members, sizeof *member);
    uint32_t at = 0;
    for (uint32_t i = 0; i < group->members && member != NULL; i++) {
        member[i] = group->member[at];
        at = (at + jump) % group->members;
    }
    return member;
}

/* The servers between the steps of a ring, unless each has a link. */
static enum orr_status find_between(struct rings *rings, struct finder_ring *ring)
{
    const struct finding *finding = rings->finding;
    const uint32_t k = ring->members;
    uint32_t *first = orr_arena_array(finding->arena, (size_t)k + 1, sizeof *first);
    if (first == NULL) {
        return orr_finder_no_memory(finding);
    }
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t to = ring->member[(i + 1) % k];
        first[i + 1] = first[i] + orr_finder_hops(&rings->ways, ring->member[i], to) - 1;
    }
    if (first[k] == 0) {
        return ORR_OK;
    }
    uint32_t *between = orr_arena_array(finding->arena, first[k], sizeof *between);
    for (uint32_t i = 0; i < k && between != NULL; i++) {
        orr_finder_between(&rings->ways, ring->member[i], ring->member[(i + 1) % k],
                           between + first[i]);
    }
    ring->first_between = first;
    ring->between = between;
    return between != NULL ? ORR_OK : orr_finder_no_memory(finding);
}

struct ring_request {
    uint32_t group, jump;
    bool linked; /* every step has a link */
};

static enum orr_status add_one_way(struct rings *rings, const struct ring_request *request)
{
    const struct finder_group *group = &rings->finding->group[request->group];
    struct finder_ring ring = {.group = request->group,
                               .members = group->members,
                               .member = order_of(rings, group, request->jump)};
    if (ring.member == NULL) {
        return orr_finder_no_memory(rings->finding);
    }
    const enum orr_status status = request->linked ? ORR_OK : find_between(rings, &ring);
    return status == ORR_OK ? add(rings, &ring) : status;
}

/* The ring of a jump, and with duplex links that back; of two servers it is the same. */
static enum orr_status add_jump(struct rings *rings, const struct ring_request *request)
{
    const uint32_t k = rings->finding->group[request->group].members;
    const bool both = rings->finding->options->links == NET_DUPLEX && k > 2;
    const struct ring_request back = {request->group, k - request->jump, request->linked};
    const enum orr_status status = add_one_way(rings, request);
    return status == ORR_OK && both ? add_one_way(rings, &back) : status;
}

/* ---- over several links a step ---- */

static uint64_t hops_of(struct rings *rings, const struct finder_group *group, uint32_t jump)
{
    uint64_t hops = 0;
    for (uint32_t i = 0; i < group->members; i++) {
        hops += orr_finder_hops(&rings->ways, group->member[i],
                                group->member[(i + jump) % group->members]);
    }
    return hops;
}

static enum orr_status add_over_others(struct rings *rings, uint32_t g)
{
    const struct finding *finding = rings->finding;
    const struct finder_group *group = &finding->group[g];
    struct net_jumps from;
    if (!orr_net_totient_perms(finding->arena, group->members, finding->options->links, false,
                               &from)) {
        return orr_finder_no_memory(finding);
    }
    uint32_t best = from.jump[0];
    uint64_t min = hops_of(rings, group, best);
    for (uint32_t i = 1; i < from.jumps && min > group->members; i++) {
        const uint64_t hops = hops_of(rings, group, from.jump[i]);
        best = hops < min ? from.jump[i] : best;
        min = hops < min ? hops : min;
    }
    return add_jump(rings, &(struct ring_request){.group = g, .jump = best});
}

/* ---- */

/* Those of all servers that no class has. */
static enum orr_status add_connections(struct rings *rings, uint32_t g)
{
    const struct finding *finding = rings->finding;
    enum orr_status status = ORR_OK;
    for (uint32_t l = 0; l < finding->out->layers && status == ORR_OK; l++) {
        if (finding->layer[l].kind == FINDER_CONNECTION) {
            status = add_jump(rings, &(struct ring_request){g, finding->layer[l].jump, true});
        }
    }
    return status;
}

static enum orr_status add_group(struct rings *rings, const struct finder_class *of, uint32_t g)
{
    const struct finding *finding = rings->finding;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < of->jumps.jumps && status == ORR_OK; i++) {
        status = add_jump(rings, &(struct ring_request){g, of->jumps.jump[i], true});
    }
    const uint32_t before = finding->out->rings;
    if (of->jumps.jumps != 0 || status != ORR_OK) {
        return status;
    }
    status = orr_finder_is_all(finding, of->members) ? add_connections(rings, g) : ORR_OK;
    return status == ORR_OK && finding->out->rings == before ? add_over_others(rings, g) : status;
}

enum orr_status orr_finder_make_rings(struct finding *finding)
{
    struct rings rings = {.finding = finding};
    const struct finder_topology *out = finding->out;
    uint32_t *of_group = orr_arena_array(finding->arena, out->groups, sizeof *of_group);
    enum orr_status status = of_group != NULL || out->groups == 0
                                 ? orr_finder_prepare_ring_paths(finding, &rings.ways)
                                 : orr_finder_no_memory(finding);
    for (uint32_t c = 0; c < out->classes && status == ORR_OK; c++) {
        for (uint32_t i = 0; i < out->of[c].groups; i++) {
            of_group[out->of[c].group[i]] = c;
        }
    }
    for (uint32_t g = 0; g < out->groups && status == ORR_OK; g++) {
        status = add_group(&rings, &out->of[of_group[g]], g);
    }
    return status;
}
