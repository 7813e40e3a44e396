/* Degree of rings, and jumps of each class (TopoOpt, NSDI'23, Algorithm 1, lines 2-11). The share
 * of a class is relative to all of d_A; a share of what earlier classes left would count those
 * twice. */
#include <inttypes.h>

#include "core/arena.h"
#include "core/divide.h"
#include "planner/finder/finder_private.h"

/* ceil(number * part / all), without intermediate rounding. */
static uint32_t share_of(uint32_t number, uint64_t part, uint64_t all)
{
    const orr_wide product = (orr_wide)number * part;
    return (uint32_t)(product / all + (product % all != 0));
}

static uint32_t even(uint32_t number)
{
    return number + number % 2;
}

static uint32_t by_bytes(const struct finder *finder)
{
    const uint64_t reduced = finder->out->reduce_bytes, sent = finder->out->transfer_bytes;
    if (reduced == 0) {
        return sent == 0 ? finder->options->degree : 1;
    }
    return share_of(finder->options->degree, reduced, reduced + sent);
}

void orr_finder_split_degree(struct finder *finder)
{
    const struct finder_options *options = finder->options;
    const uint32_t user_degree = options->ring_degree;
    uint32_t rings = user_degree != 0 ? user_degree : by_bytes(finder);
    if (options->links == NET_DUPLEX && finder->demand->servers > 2) {
        rings = even(rings) <= options->degree ? even(rings) : options->degree - 1;
    }
    finder->out->ring_degree = rings;
}

/* The number of free interfaces for rings that every server of a class has. */
static uint32_t free_interfaces(const struct finder *finder, const struct finder_class *of)
{
    uint32_t left = finder->out->ring_degree;
    for (uint32_t g = 0; g < of->groups; g++) {
        const struct finder_group *group = &finder->group[of->group[g]];
        for (uint32_t i = 0; i < group->members; i++) {
            const uint32_t has = finder->out->ring_degree - finder->used[group->member[i]];
            left = has < left ? has : left;
        }
    }
    return left;
}

static bool select_jumps(struct finder *finder, uint32_t members, uint32_t wanted,
                         struct net_jumps *jumps)
{
    const struct finder_options *options = finder->options;
    const struct net_jump_choice choice = {.servers = finder->demand->servers,
                                           .positions = members,
                                           .wanted = wanted,
                                           .links = options->links,
                                           .select = options->select};
    struct net_jumps from;
    if (orr_finder_is_all(finder, members) && options->all.jumps != 0) {
        *jumps = options->all;
        jumps->jumps = wanted < jumps->jumps ? wanted : jumps->jumps;
        return true;
    }
    return orr_net_totient_perms(finder->arena, members, options->links, options->primes, &from) &&
           orr_net_select(finder->arena, &from, &choice, jumps);
}

static enum orr_status assign_class(struct finder *finder, uint32_t c)
{
    struct finder_class *of = &finder->of[c];
    const uint32_t cost = orr_finder_cost(finder, of->members);
    const uint32_t left = free_interfaces(finder, of);
    uint32_t degree = share_of(finder->out->ring_degree, of->wire_bytes, finder->out->reduce_bytes);
    degree = finder->options->links == NET_DUPLEX ? even(degree) : degree;
    degree = degree < left ? degree : left;
    struct net_jumps jumps = {.jumps = 0};
    if (degree >= cost && !select_jumps(finder, of->members, degree / cost, &jumps)) {
        return orr_finder_no_memory(finder);
    }
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < jumps.jumps && status == ORR_OK; i++) {
        status = orr_finder_add_ring_layer(finder, c, jumps.jump[i]);
    }
    of->degree = jumps.jumps * cost;
    of->jumps = jumps;
    return status;
}

/* Without all-reduces: rings of all servers. */
static enum orr_status assign_all_servers(struct finder *finder)
{
    const uint32_t n = finder->demand->servers, cost = orr_finder_cost(finder, n);
    struct net_jumps jumps;
    if (!select_jumps(finder, n, finder->out->ring_degree / cost, &jumps)) {
        return orr_finder_no_memory(finder);
    }
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < jumps.jumps && status == ORR_OK; i++) {
        status = orr_finder_add_connection_layer(finder, jumps.jump[i]);
    }
    return status;
}

enum orr_status orr_finder_assign_classes(struct finder *finder)
{
    enum orr_status status = ORR_OK;
    if (finder->out->reduce_bytes == 0) {
        return assign_all_servers(finder);
    }
    for (uint32_t c = 0; c < finder->out->classes && status == ORR_OK; c++) {
        status = assign_class(finder, c);
    }
    return status;
}

/* ---- step 5: free interfaces ---- */

static bool has_free_interfaces(const struct finder *finder, const struct finder_class *of)
{
    const uint32_t user_degree = finder->options->ring_degree;
    const uint32_t max = user_degree != 0 ? finder->out->ring_degree : finder->options->degree;
    const uint32_t cost = orr_finder_cost(finder, of->members);
    for (uint32_t g = 0; g < of->groups; g++) {
        const struct finder_group *group = &finder->group[of->group[g]];
        for (uint32_t i = 0; i < group->members; i++) {
            if (finder->used[group->member[i]] + cost > max) {
                return false;
            }
        }
    }
    return of->wire_bytes != 0;
}

/* Whether a ring of `a` has more bytes than one of `b`; a class without a ring comes first. */
static bool is_fuller(const struct finder_class *a, const struct finder_class *b)
{
    return (orr_wide)a->wire_bytes * b->jumps.jumps > (orr_wide)b->wire_bytes * a->jumps.jumps;
}

/* The class with free interfaces whose rings have the most bytes, the first of equal ones;
 * `classes` if there is none. */
static uint32_t fullest(const struct finder *finder)
{
    const uint32_t classes = finder->out->classes;
    uint32_t found = classes;
    for (uint32_t c = 0; c < classes; c++) {
        const struct finder_class *of = &finder->of[c];
        if ((found == classes || is_fuller(of, &finder->of[found])) &&
            has_free_interfaces(finder, of)) {
            found = c;
        }
    }
    return found;
}

static uint32_t times_in(const struct net_jumps *jumps, uint32_t jump)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < jumps->jumps; i++) {
        times += jumps->jump[i] == jump ? 1 : 0;
    }
    return times;
}

/* Adds a jump to a class: the first one, among those that would be selected for one jump more, that
 * the class uses the fewest times. */
static enum orr_status add_jump_to_class(struct finder *finder, uint32_t c)
{
    struct finder_class *of = &finder->of[c];
    const uint32_t count = of->jumps.jumps;
    struct net_jumps more;
    uint32_t *jump = orr_arena_array(finder->arena, (size_t)count + 1, sizeof *jump);
    if (jump == NULL || !select_jumps(finder, of->members, count + 1, &more)) {
        return orr_finder_no_memory(finder);
    }
    for (uint32_t i = 0; i < count; i++) {
        jump[i] = of->jumps.jump[i];
    }
    jump[count] = more.jump[0];
    for (uint32_t i = 1; i < more.jumps; i++) {
        if (times_in(&of->jumps, more.jump[i]) < times_in(&of->jumps, jump[count])) {
            jump[count] = more.jump[i];
        }
    }
    of->jumps = (struct net_jumps){.jump = jump, .jumps = count + 1};
    of->degree += orr_finder_cost(finder, of->members);
    return orr_finder_add_ring_layer(finder, c, jump[count]);
}

enum orr_status orr_finder_assign_spare(struct finder *finder)
{
    enum orr_status status = ORR_OK;
    for (uint32_t c; status == ORR_OK && (c = fullest(finder)) < finder->out->classes;) {
        status = add_jump_to_class(finder, c);
    }
    return status;
}
