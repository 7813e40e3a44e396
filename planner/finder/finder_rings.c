/* The rings of every group: those of the jumps of its class; a class without jumps gets one ring
 * with steps over several links (with duplex links one in each direction), of the jump with the
 * fewest hops in sum. */
#include "core/arena.h"
#include "planner/finder/finder_private.h"

struct rings {
    struct finder *finder;
    struct finder_ring_paths paths;
    struct finder_ring *ring;
    size_t capacity;
};

static enum orr_status add(struct rings *rings, const struct finder_ring *ring)
{
    struct finder *finder = rings->finder;
    struct finder_ring *grown = orr_arena_grow(finder->arena, rings->ring, &rings->capacity,
                                               (size_t)finder->out->rings + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_finder_no_memory(finder);
    }
    rings->ring = grown;
    finder->out->ring = grown;
    grown[finder->out->rings++] = *ring;
    return ORR_OK;
}

/* The servers of a group in the order of a jump; NULL: memory is out. */
static uint32_t *order_of(const struct rings *rings, const struct finder_group *group,
                          uint32_t jump)
{
    uint32_t *member = orr_arena_array(rings->finder->arena, group->members, sizeof *member);
    uint32_t at = 0;
    for (uint32_t i = 0; i < group->members && member != NULL; i++) {
        member[i] = group->member[at];
        at = (at + jump) % group->members;
    }
    return member;
}

/* Finds the servers that forward the steps of a ring, unless each step has a link. */
static enum orr_status find_between(struct rings *rings, struct finder_ring *ring)
{
    const struct finder *finder = rings->finder;
    const uint32_t k = ring->members;
    uint32_t *first = orr_arena_array(finder->arena, (size_t)k + 1, sizeof *first);
    if (first == NULL) {
        return orr_finder_no_memory(finder);
    }
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t to = ring->member[(i + 1) % k];
        first[i + 1] = first[i] + orr_finder_hops(&rings->paths, ring->member[i], to) - 1;
    }
    if (first[k] == 0) {
        return ORR_OK;
    }
    uint32_t *between = orr_arena_array(finder->arena, first[k], sizeof *between);
    for (uint32_t i = 0; i < k && between != NULL; i++) {
        orr_finder_between(&rings->paths, ring->member[i], ring->member[(i + 1) % k],
                           between + first[i]);
    }
    ring->first_between = first;
    ring->between = between;
    return between != NULL ? ORR_OK : orr_finder_no_memory(finder);
}

struct ring_request {
    uint32_t group, jump;
    bool linked; /* every step has a link */
};

static enum orr_status add_directed_ring(struct rings *rings, const struct ring_request *request)
{
    const struct finder_group *group = &rings->finder->group[request->group];
    struct finder_ring ring = {.group = request->group,
                               .members = group->members,
                               .member = order_of(rings, group, request->jump)};
    if (ring.member == NULL) {
        return orr_finder_no_memory(rings->finder);
    }
    const enum orr_status status = request->linked ? ORR_OK : find_between(rings, &ring);
    return status == ORR_OK ? add(rings, &ring) : status;
}

/* Adds the ring of a jump, and with duplex links the reverse ring; for two servers both are the
 * same. */
static enum orr_status add_jump(struct rings *rings, const struct ring_request *request)
{
    const uint32_t k = rings->finder->group[request->group].members;
    const bool both = rings->finder->options->links == NET_DUPLEX && k > 2;
    const struct ring_request back = {request->group, k - request->jump, request->linked};
    const enum orr_status status = add_directed_ring(rings, request);
    return status == ORR_OK && both ? add_directed_ring(rings, &back) : status;
}

/* ---- over several links a step ---- */

static uint64_t hops_of(struct rings *rings, const struct finder_group *group, uint32_t jump)
{
    uint64_t hops = 0;
    for (uint32_t i = 0; i < group->members; i++) {
        hops += orr_finder_hops(&rings->paths, group->member[i],
                                group->member[(i + jump) % group->members]);
    }
    return hops;
}

static enum orr_status add_over_others(struct rings *rings, uint32_t g)
{
    const struct finder *finder = rings->finder;
    const struct finder_group *group = &finder->group[g];
    struct net_jumps from;
    if (!orr_net_totient_perms(finder->arena, group->members, finder->options->links, false,
                               &from)) {
        return orr_finder_no_memory(finder);
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

/* Adds the rings of all servers that belong to no class. */
static enum orr_status add_connections(struct rings *rings, uint32_t g)
{
    const struct finder *finder = rings->finder;
    enum orr_status status = ORR_OK;
    for (uint32_t l = 0; l < finder->out->layers && status == ORR_OK; l++) {
        if (finder->layer[l].kind == FINDER_CONNECTION) {
            status = add_jump(rings, &(struct ring_request){g, finder->layer[l].jump, true});
        }
    }
    return status;
}

static enum orr_status add_group(struct rings *rings, const struct finder_class *of, uint32_t g)
{
    const struct finder *finder = rings->finder;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < of->jumps.jumps && status == ORR_OK; i++) {
        status = add_jump(rings, &(struct ring_request){g, of->jumps.jump[i], true});
    }
    const uint32_t before = finder->out->rings;
    if (of->jumps.jumps != 0 || status != ORR_OK) {
        return status;
    }
    status = orr_finder_is_all(finder, of->members) ? add_connections(rings, g) : ORR_OK;
    return status == ORR_OK && finder->out->rings == before ? add_over_others(rings, g) : status;
}

enum orr_status orr_finder_make_rings(struct finder *finder)
{
    struct rings rings = {.finder = finder};
    const struct finder_topology *out = finder->out;
    uint32_t *of_group = orr_arena_array(finder->arena, out->groups, sizeof *of_group);
    enum orr_status status = of_group != NULL || out->groups == 0
                                 ? orr_finder_prepare_ring_paths(finder, &rings.paths)
                                 : orr_finder_no_memory(finder);
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
