/* Kernighan-Lin swaps: see bisection.h. The gain of a unit is the reduction of the cut if it
 * changes sides; the gain of a swap is the sum of both gains less twice the capacity between the
 * two units. */
#include "core/arena.h"
#include "network/graph.h"
#include "network/routing/bisection.h"

enum { MAX_UNITS = 2048, TRIED = 4, MAX_SERIES = 32 };

struct swaps {
    const struct bisection *all;
    uint8_t *half;   /* [units] */
    uint8_t *locked; /* [units]: swapped in this series */
    double *gain;    /* [units] */
    double *between; /* [units]: capacity to the unit under consideration */
    uint32_t (*done)[2];
};

bool orr_bisection_can_swap(const struct bisection *all)
{
    const struct net_graph *graph = all->graph;
    if (all->units < 4 || all->units > MAX_UNITS) {
        return false;
    }
    for (uint32_t u = 1; u < all->units; u++) {
        if (all->below[u] != all->below[0]) {
            return false;
        }
    }
    for (uint32_t n = graph->npus; n < graph->nodes; n++) {
        if (all->unit[n] == NET_NO_UNIT) {
            return false;
        }
    }
    return all->below[0] == 1 || all->units % 2 == 0;
}

/* The unit at a node; NET_NO_UNIT for leaves. */
static uint32_t other_unit(const struct bisection *all, uint32_t node)
{
    return node < all->graph->npus && all->root[node] != node ? NET_NO_UNIT : all->unit[node];
}

/* Adds `scale` times the capacity, in both directions, between a unit and each of its neighbours to
 * between[]. */
static void add_between(const struct swaps *swaps, uint32_t unit, double scale)
{
    const struct bisection *all = swaps->all;
    const struct net_graph *graph = all->graph;
    const uint32_t node = all->node[unit];
    for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
        const uint32_t other = other_unit(all, graph->link[i].to);
        if (other != NET_NO_UNIT) {
            swaps->between[other] += scale * net_link_capacity(&graph->link[i]);
        }
    }
    for (uint32_t i = all->reverse.first_in[node]; i < all->reverse.first_in[node + 1]; i++) {
        const struct net_link *link = &graph->link[all->reverse.in[i]];
        const uint32_t other = other_unit(all, link->from);
        if (other != NET_NO_UNIT) {
            swaps->between[other] += scale * net_link_capacity(link);
        }
    }
}

static void find_gains(struct swaps *swaps)
{
    for (uint32_t u = 0; u < swaps->all->units; u++) {
        swaps->gain[u] = 0;
        swaps->locked[u] = 0;
        add_between(swaps, u, 1);
        for (uint32_t v = 0; v < swaps->all->units; v++) {
            swaps->gain[u] +=
                swaps->half[u] != swaps->half[v] ? swaps->between[v] : -swaps->between[v];
            swaps->between[v] = 0;
        }
    }
}

/* The unlocked units of half 0 with the greatest gains; returns how many. */
static uint32_t find_first(const struct swaps *swaps, uint32_t first[TRIED])
{
    uint32_t count = 0;
    for (uint32_t u = 0; u < swaps->all->units; u++) {
        if (swaps->locked[u] != 0 || swaps->half[u] != 0) {
            continue;
        }
        uint32_t at = count < TRIED ? count++ : TRIED;
        for (; at > 0 && swaps->gain[first[at - 1]] < swaps->gain[u]; at--) {
            if (at < TRIED) {
                first[at] = first[at - 1];
            }
        }
        if (at < TRIED) {
            first[at] = u;
        }
    }
    return count;
}

/* Finds the best swap; false if all units are locked. */
static bool find_swap(struct swaps *swaps, uint32_t pair[2], double *gain)
{
    uint32_t first[TRIED] = {0};
    const uint32_t count = find_first(swaps, first);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        add_between(swaps, first[i], 1);
        for (uint32_t v = 0; v < swaps->all->units; v++) {
            const double this = swaps->gain[first[i]] + swaps->gain[v] - 2 * swaps->between[v];
            if (swaps->half[v] == 1 && swaps->locked[v] == 0 && (!found || this > *gain)) {
                found = true;
                *gain = this;
                pair[0] = first[i];
                pair[1] = v;
            }
            swaps->between[v] = 0;
        }
    }
    return found;
}

static void move(struct swaps *swaps, uint32_t unit)
{
    add_between(swaps, unit, 2);
    for (uint32_t v = 0; v < swaps->all->units; v++) {
        swaps->gain[v] +=
            swaps->half[v] == swaps->half[unit] ? swaps->between[v] : -swaps->between[v];
        swaps->between[v] = 0;
    }
    swaps->gain[unit] = -swaps->gain[unit];
    swaps->half[unit] ^= 1;
    swaps->locked[unit] = 1;
}

/* Runs one series; false if no prefix of it reduces the cut. */
static bool improve(struct swaps *swaps)
{
    double sum = 0, best = 0, gain = 0;
    uint32_t done = 0, kept = 0;
    find_gains(swaps);
    while (find_swap(swaps, swaps->done[done], &gain)) {
        move(swaps, swaps->done[done][0]);
        move(swaps, swaps->done[done][1]);
        done++;
        sum += gain;
        if (sum > best * (1 + 1e-12) + 1e-12) {
            best = sum;
            kept = done;
        }
    }
    for (uint32_t i = kept; i < done; i++) {
        swaps->half[swaps->done[i][0]] ^= 1;
        swaps->half[swaps->done[i][1]] ^= 1;
    }
    return kept > 0;
}

enum orr_status orr_bisection_swap(const struct bisection *all, uint8_t *half)
{
    struct swaps swaps = {.all = all,
                          .half = half,
                          .locked = orr_arena_array(all->arena, all->units, 1),
                          .gain = orr_arena_array(all->arena, all->units, sizeof(double)),
                          .between = orr_arena_array(all->arena, all->units, sizeof(double)),
                          .done = orr_arena_array(all->arena, all->units, sizeof *swaps.done)};
    if (swaps.locked == NULL || swaps.gain == NULL || swaps.between == NULL || swaps.done == NULL) {
        return ORR_ERR_MEMORY;
    }
    for (int series = 0; series < MAX_SERIES && improve(&swaps); series++) {
    }
    return ORR_OK;
}
