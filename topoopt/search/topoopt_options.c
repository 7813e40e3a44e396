/* Options of the candidate topologies of a strategy: the requested ones, other degrees of rings,
 * other jumps, other discounts. */
#include <string.h>

#include "topoopt/search/topoopt_private.h"

/* Degrees of rings, ascending. */
struct degrees {
    uint32_t count, max;
    uint32_t degree[TOPOOPT_MAX_TOPOLOGIES];
};

/* A ring uses two interfaces with duplex links. */
static uint32_t step_of(const struct finder_options *options)
{
    return options->links == NET_DUPLEX ? 2 : 1;
}

/* Adds a valid degree once, up to `max`. */
static void add(struct degrees *degrees, const struct finder_options *options, uint32_t degree)
{
    uint32_t at = 0;
    degree -= degree % step_of(options);
    while (at < degrees->count && degrees->degree[at] < degree) {
        at++;
    }
    const bool there = at < degrees->count && degrees->degree[at] == degree;
    if (degree == 0 || degree > options->degree || there || degrees->count == degrees->max) {
        return;
    }
    memmove(&degrees->degree[at + 1], &degrees->degree[at],
            (degrees->count - at) * sizeof degrees->degree[0]);
    degrees->degree[at] = degree;
    degrees->count++;
}

/* Adds the middle of the widest gap, the lowest of equal ones; false: there is none. */
static bool add_between(struct degrees *degrees, const struct finder_options *options)
{
    const uint32_t step = step_of(options), count = degrees->count;
    uint32_t from = 0, widest = step, middle = 0;
    for (uint32_t i = 0; i < degrees->count; i++) {
        const uint32_t gap = degrees->degree[i] - from;
        if (gap > widest) {
            widest = gap;
            middle = from + (gap / 2 < step ? step : gap / 2);
        }
        from = degrees->degree[i];
    }
    if (middle != 0) {
        add(degrees, options, middle);
    }
    return degrees->count > count;
}

/* Chooses degrees of rings: all of them if `max` allows. Else all interfaces; those that rings of
 * all servers use with each jump once, and the largest multiple of that, with which all-reduces are
 * fastest; the degree by traffic and its neighbors; and evenly what is between. */
static void choose_degrees(const struct finder_options *options, const struct topoopt_guide *guide,
                           struct degrees *degrees)
{
    const uint32_t step = step_of(options);
    add(degrees, options, options->degree);
    if (guide->distinct != 0 && guide->distinct <= options->degree) {
        add(degrees, options, guide->distinct);
        add(degrees, options, options->degree - options->degree % guide->distinct);
    }
    add(degrees, options, guide->by_traffic);
    add(degrees, options, guide->by_traffic - step);
    add(degrees, options, guide->by_traffic + step);
    while (add_between(degrees, options)) {
    }
}

static void add_option(struct topoopt_option_list *option_list, uint32_t max,
                       const struct finder_options *options)
{
    if (option_list->count < max) {
        option_list->options[option_list->count++] = *options;
    }
}

static void add_degree_options(struct topoopt_option_list *option_list, uint32_t max,
                               struct finder_options options, const struct degrees *degrees)
{
    for (uint32_t i = 0; i < degrees->count; i++) {
        options.ring_degree = degrees->degree[i];
        add_option(option_list, max, &options);
    }
}

bool orr_topoopt_guide(struct orr_arena *arena, const struct finder_options *requested,
                       uint32_t servers, struct topoopt_guide *out)
{
    struct net_jumps jumps = requested->all;
    const bool there = jumps.jumps != 0 || orr_net_totient_perms(arena, servers, requested->links,
                                                                 requested->primes, &jumps);
    out->distinct = there ? jumps.jumps * step_of(requested) : 0;
    return there;
}

void orr_topoopt_list(const struct finder_options *requested, const struct topoopt_guide *guide,
                      uint32_t max, struct topoopt_option_list *option_list)
{
    /* two of `max` are for other jumps and another discount */
    struct degrees degrees = {.max = max > 4 ? max - 3 : 1};
    struct finder_options other = *requested;
    const bool mean_path = requested->select == NET_LEAST_MEAN_PATH;
    option_list->count = 0;
    add_option(option_list, max, requested);
    if (requested->ring_degree == 0) {
        choose_degrees(requested, guide, &degrees);
    }
    add_degree_options(option_list, max, *requested, &degrees);
    other.select = mean_path ? NET_GEOMETRIC : NET_LEAST_MEAN_PATH;
    add_option(option_list, max, &other);
    other = *requested;
    other.discount = requested->discount == FINDER_LINEAR ? FINDER_HALVING : FINDER_LINEAR;
    add_option(option_list, max, &other);
    add_degree_options(option_list, max, other, &degrees);
}
