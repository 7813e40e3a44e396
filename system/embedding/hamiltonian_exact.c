/* Maximum number of edge-disjoint Hamiltonian cycles through a few members: all sets of cycles in
 * order, until one reaches the upper bound. */
#include <string.h>

#include "core/arena.h"
#include "system/embedding/embed_search.h"

enum { MEMBERS = EMBED_EXACT_MEMBERS, MAX_STEPS = 1 << 22 };

struct cycle {
    uint8_t at[MEMBERS];
};

struct all_cycles {
    struct embed_cycles *cycles;
    uint32_t n;
    uint32_t left[MEMBERS][MEMBERS]; /* [a][b] free edges of a pair */
    struct cycle *cycle;
    size_t count, capacity;
    size_t chosen[SYS_MAX_TREES];
    uint32_t steps;
    bool failed;
};

static void add_cycle(struct all_cycles *all_cycles, const struct cycle *cycle)
{
    struct cycle *grown =
        orr_arena_grow(all_cycles->cycles->arena, all_cycles->cycle, &all_cycles->capacity,
                       all_cycles->count + 1, sizeof *grown);
    all_cycles->failed = grown == NULL;
    if (grown != NULL) {
        all_cycles->cycle = grown;
        grown[all_cycles->count++] = *cycle;
    }
}

/* Enumerates cycles from member 0 on; the second member is below the last, so each cycle appears
 * once. */
static void extend_cycle(struct all_cycles *all_cycles, struct cycle *cycle, uint32_t length,
                         uint32_t taken)
{
    const uint8_t last = cycle->at[length - 1];
    if (length == all_cycles->n) {
        if (cycle->at[1] < last && all_cycles->left[last][0] > 0) {
            add_cycle(all_cycles, cycle);
        }
        return;
    }
    for (uint32_t i = 1; i < all_cycles->n && !all_cycles->failed; i++) {
        if ((taken >> i & 1) == 0 && all_cycles->left[last][i] > 0) {
            cycle->at[length] = (uint8_t)i;
            extend_cycle(all_cycles, cycle, length + 1, taken | 1u << i);
        }
    }
}

/* ---- sets ---- */

static bool is_available(const struct all_cycles *all_cycles, const struct cycle *cycle)
{
    for (uint32_t i = 0; i < all_cycles->n; i++) {
        if (all_cycles->left[cycle->at[i]][cycle->at[(i + 1) % all_cycles->n]] == 0) {
            return false;
        }
    }
    return true;
}

static void use_edges(struct all_cycles *all_cycles, const struct cycle *cycle, uint32_t edges)
{
    for (uint32_t i = 0; i < all_cycles->n; i++) {
        const uint8_t from = cycle->at[i], to = cycle->at[(i + 1) % all_cycles->n];
        all_cycles->left[from][to] -= edges;
        all_cycles->left[to][from] -= edges;
    }
}

static void keep(struct all_cycles *all_cycles, uint32_t chosen)
{
    struct embed_cycles *cycles = all_cycles->cycles;
    cycles->cycles = chosen;
    for (uint32_t c = 0; c < chosen; c++) {
        for (uint32_t i = 0; i < all_cycles->n; i++) {
            cycles->order[c * all_cycles->n + i] = all_cycles->cycle[all_cycles->chosen[c]].at[i];
        }
    }
}

/* Upper bound of further cycles from the free edges. */
static uint32_t max_more_cycles(const struct all_cycles *all_cycles)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t i = 0; i < all_cycles->n; i++) {
        uint32_t degree = 0;
        for (uint32_t j = 0; j < all_cycles->n; j++) {
            degree += all_cycles->left[i][j];
        }
        min = degree / 2 < min ? degree / 2 : min;
    }
    return min;
}

static void choose(struct all_cycles *all_cycles, uint32_t chosen, size_t from)
{
    struct embed_cycles *cycles = all_cycles->cycles;
    if (chosen > cycles->cycles) {
        keep(all_cycles, chosen);
    }
    if (cycles->cycles == cycles->max || chosen + max_more_cycles(all_cycles) <= cycles->cycles) {
        return;
    }
    for (size_t i = from; i < all_cycles->count && all_cycles->steps > 0; i++) {
        all_cycles->steps--;
        if (is_available(all_cycles, &all_cycles->cycle[i])) {
            all_cycles->chosen[chosen] = i;
            use_edges(all_cycles, &all_cycles->cycle[i], 1);
            choose(all_cycles, chosen + 1, i);
            use_edges(all_cycles, &all_cycles->cycle[i], UINT32_MAX); /* undoes */
        }
        if (cycles->cycles == cycles->max) {
            return;
        }
    }
}

bool orr_embed_cycles_exact(struct embed_cycles *cycles)
{
    struct all_cycles all_cycles = {.cycles = cycles, .n = cycles->edges.n, .steps = MAX_STEPS};
    struct cycle cycle = {.at = {0}};
    for (uint32_t i = 0; i < cycles->edges.edges; i++) {
        const struct embed_duplex_link *edge = &cycles->edges.edge[i];
        all_cycles.left[edge->a][edge->b]++;
        all_cycles.left[edge->b][edge->a]++;
    }
    extend_cycle(&all_cycles, &cycle, 1, 1);
    choose(&all_cycles, 0, 0);
    cycles->complete = all_cycles.steps > 0;
    return !all_cycles.failed;
}
