/* Edge-disjoint Hamiltonian cycles through many members. One after the other on the free edges, by
 * rotation-extension of paths (Posa, Discrete Math. 14, 1976). If the edges left at the end have
 * degree two at each member but form several cycles, they are exchanged with found cycles along
 * closed alternating trails until all are Hamiltonian. */
#include <string.h>

#include "core/arena.h"
#include "system/embedding/embed_search.h"

enum { ATTEMPTS = 24, TURNS = 400, EXCHANGES = 40000, MAX_TRAIL = 16, UPHILL = 24 };

struct cycle_search {
    struct embed_cycles *cycles;
    struct embed_forest *edges;
    struct orr_rng rng;
    uint32_t *path, *position; /* position: [n] inverse of path; UINT32_MAX: not on the path */
    uint32_t *by;              /* [n] edge from path[i] to path[i + 1] */
    bool *visited;             /* [n] */
};

/* ---- one circle ---- */

/* A random free edge of the member. */
static uint32_t any_edge(struct cycle_search *cycle_search, uint32_t member, uint32_t not_this)
{
    const struct embed_forest *edges = cycle_search->edges;
    uint32_t best = EMBED_NO_DUPLEX_LINK, equal = 0;
    for (uint32_t i = edges->first[member]; i < edges->first[member + 1]; i++) {
        const uint32_t edge = edges->at[i];
        if (edges->edge[edge].owner == EMBED_NO_TREE && edge != not_this &&
            orr_rng_below(&cycle_search->rng, ++equal) == 0) {
            best = edge;
        }
    }
    return best;
}

/* The edge from the last member to the first, if all members are on the path. */
static uint32_t closing_edge(const struct cycle_search *cycle_search, uint32_t last)
{
    const struct embed_forest *edges = cycle_search->edges;
    for (uint32_t i = edges->first[last]; i < edges->first[last + 1]; i++) {
        const uint32_t edge = edges->at[i];
        const bool used = edge == cycle_search->by[edges->n - 2];
        if (edges->edge[edge].owner == EMBED_NO_TREE && !used &&
            embed_other_end(&edges->edge[edge], last) == cycle_search->path[0]) {
            return edge;
        }
    }
    return EMBED_NO_DUPLEX_LINK;
}

/* Posa rotation: reverses the path from `from + 1` on; the edge leads from `from` to the old end.
 */
static void reverse_tail(struct cycle_search *cycle_search, uint32_t from, uint32_t length,
                         uint32_t edge)
{
    for (uint32_t a = from + 1, b = length - 1; a < b; a++, b--) {
        const uint32_t member = cycle_search->path[a];
        cycle_search->path[a] = cycle_search->path[b];
        cycle_search->path[b] = member;
    }
    for (uint32_t a = from + 1, b = length - 2; a < b; a++, b--) {
        const uint32_t by = cycle_search->by[a];
        cycle_search->by[a] = cycle_search->by[b];
        cycle_search->by[b] = by;
    }
    cycle_search->by[from] = edge;
    for (uint32_t i = from + 1; i < length; i++) {
        cycle_search->position[cycle_search->path[i]] = i;
    }
}

/* Counts what a search does; false: it has done enough. */
static bool may_go_on(const struct cycle_search *cycle_search, uint64_t steps)
{
    uint64_t *left = &cycle_search->cycles->steps;
    *left -= steps < *left ? steps : *left;
    return *left != 0;
}

static void assign_path(struct cycle_search *cycle_search, uint32_t cycle, uint32_t closing)
{
    for (uint32_t i = 0; i + 1 < cycle_search->edges->n; i++) {
        cycle_search->edges->edge[cycle_search->by[i]].owner = cycle;
    }
    cycle_search->edges->edge[closing].owner = cycle;
}

static bool find_cycle(struct cycle_search *cycle_search, uint32_t cycle)
{
    const uint32_t n = cycle_search->edges->n;
    uint32_t length = 1;
    memset(cycle_search->position, 0xff, n * sizeof *cycle_search->position);
    cycle_search->path[0] = (uint32_t)orr_rng_below(&cycle_search->rng, n);
    cycle_search->position[cycle_search->path[0]] = 0;
    for (uint64_t step = 0; step < (uint64_t)TURNS * n && may_go_on(cycle_search, 1); step++) {
        const uint32_t last = cycle_search->path[length - 1];
        const uint32_t closing =
            length == n ? closing_edge(cycle_search, last) : EMBED_NO_DUPLEX_LINK;
        if (closing != EMBED_NO_DUPLEX_LINK) {
            assign_path(cycle_search, cycle, closing);
            return true;
        }
        const uint32_t back = length > 1 ? cycle_search->by[length - 2] : EMBED_NO_DUPLEX_LINK;
        const uint32_t edge = any_edge(cycle_search, last, back);
        if (edge == EMBED_NO_DUPLEX_LINK) {
            return false;
        }
        const uint32_t to = embed_other_end(&cycle_search->edges->edge[edge], last);
        if (cycle_search->position[to] == UINT32_MAX) {
            cycle_search->by[length - 1] = edge;
            cycle_search->position[to] = length;
            cycle_search->path[length++] = to;
        } else {
            (void)may_go_on(cycle_search, length - cycle_search->position[to]);
            reverse_tail(cycle_search, cycle_search->position[to], length, edge);
        }
    }
    return false;
}

/* ---- exchanges ---- */

/* Whether the owner's edges have degree two at each member. */
static bool is_even(const struct embed_forest *edges, uint32_t owner)
{
    for (uint32_t i = 0; i < edges->n; i++) {
        uint32_t degree = 0;
        for (uint32_t j = edges->first[i]; j < edges->first[i + 1]; j++) {
            degree += edges->edge[edges->at[j]].owner == owner ? 1 : 0;
        }
        if (degree != 2) {
            return false;
        }
    }
    return true;
}

/* The owner's edge at a member other than `not_this`. */
static uint32_t next_edge(const struct embed_forest *edges, uint32_t member, uint32_t owner,
                          uint32_t not_this)
{
    for (uint32_t i = edges->first[member]; i < edges->first[member + 1]; i++) {
        const uint32_t edge = edges->at[i];
        if (edges->edge[edge].owner == owner && edge != not_this) {
            return edge;
        }
    }
    return EMBED_NO_DUPLEX_LINK;
}

/* Number of cycles of an owner with degree two everywhere; `path` holds the last one. */
static uint32_t count_cycles(struct cycle_search *cycle_search, uint32_t owner)
{
    const struct embed_forest *edges = cycle_search->edges;
    uint32_t cycles = 0;
    memset(cycle_search->visited, 0, edges->n * sizeof *cycle_search->visited);
    for (uint32_t start = 0; start < edges->n; start++) {
        uint32_t at = start, by = EMBED_NO_DUPLEX_LINK, length = 0;
        cycles += cycle_search->visited[start] ? 0 : 1;
        while (!cycle_search->visited[at]) {
            cycle_search->visited[at] = true;
            cycle_search->path[length++] = at;
            by = next_edge(edges, at, owner, by);
            at = embed_other_end(&edges->edge[by], at);
        }
    }
    return cycles;
}

/* A closed trail alternating between free edges and the owner's; returns its length, or 0. */
static uint32_t find_trail(struct cycle_search *cycle_search, uint32_t owner, uint32_t *trail)
{
    struct embed_forest *edges = cycle_search->edges;
    const uint32_t start = (uint32_t)orr_rng_below(&cycle_search->rng, edges->n);
    uint32_t at = start;
    for (uint32_t length = 0; length < MAX_TRAIL; length++) {
        const uint32_t of = length % 2 == 0 ? EMBED_NO_TREE : owner;
        const uint32_t one = next_edge(edges, at, of, EMBED_NO_DUPLEX_LINK);
        const uint32_t other = next_edge(edges, at, of, one);
        trail[length] = orr_rng_below(&cycle_search->rng, 2) == 0 ? one : other;
        for (uint32_t i = 0; i < length; i++) {
            if (trail[i] == trail[length]) {
                return 0;
            }
        }
        at = embed_other_end(&edges->edge[trail[length]], at);
        if (length % 2 == 1 && at == start) {
            return length + 1;
        }
    }
    return 0;
}

static void swap_trail(struct embed_forest *edges, const uint32_t *trail, uint32_t length,
                       uint32_t owner)
{
    for (uint32_t i = 0; i < length; i++) {
        struct embed_duplex_link *edge = &edges->edge[trail[i]];
        edge->owner = edge->owner == owner ? EMBED_NO_TREE : owner;
    }
}

/* Whether the remaining edges became a Hamiltonian cycle too; uphill steps are taken now and then.
 */
static bool exchange(struct cycle_search *cycle_search, uint32_t cycles)
{
    uint32_t trail[MAX_TRAIL], left = count_cycles(cycle_search, EMBED_NO_TREE);
    uint32_t broken[SYS_MAX_TREES] = {0}, all = left;
    for (uint32_t c = 0; c < cycles; c++) {
        broken[c] = 1;
        all++;
    }
    const uint64_t each = 2 * (uint64_t)cycle_search->edges->n;
    for (uint32_t i = 0; i < EXCHANGES && all > cycles + 1 && may_go_on(cycle_search, each); i++) {
        const uint32_t owner = (uint32_t)orr_rng_below(&cycle_search->rng, cycles);
        const uint32_t length = find_trail(cycle_search, owner, trail);
        if (length == 0) {
            continue;
        }
        swap_trail(cycle_search->edges, trail, length, owner);
        const uint32_t own = count_cycles(cycle_search, owner);
        const uint32_t rest = count_cycles(cycle_search, EMBED_NO_TREE);
        if (own + rest > broken[owner] + left && orr_rng_below(&cycle_search->rng, UPHILL) != 0) {
            swap_trail(cycle_search->edges, trail, length, owner);
            continue;
        }
        all = all - broken[owner] - left + own + rest;
        broken[owner] = own;
        left = rest;
    }
    return all == cycles + 1;
}

/* ---- all cycles ---- */

/* Number of cycles found; the remaining edges may be the last. */
static uint32_t attempt(struct cycle_search *cycle_search)
{
    struct embed_forest *edges = cycle_search->edges;
    const uint32_t max = cycle_search->cycles->max;
    uint32_t found = 0;
    for (uint32_t i = 0; i < edges->edges; i++) {
        edges->edge[i].owner = EMBED_NO_TREE;
    }
    while (found < max && find_cycle(cycle_search, found)) {
        found++;
    }
    if (found + 1 != max || found == 0 || !is_even(edges, EMBED_NO_TREE)) {
        return found;
    }
    for (uint32_t i = 0; i < edges->edges; i++) {
        edges->cause[i] = edges->edge[i].owner;
    }
    const bool complete = exchange(cycle_search, found);
    for (uint32_t i = 0; i < edges->edges && !complete; i++) {
        edges->edge[i].owner = edges->cause[i];
    }
    for (uint32_t i = 0; i < edges->edges && complete; i++) {
        struct embed_duplex_link *edge = &edges->edge[i];
        edge->owner = edge->owner == EMBED_NO_TREE ? found : edge->owner;
    }
    return complete ? found + 1 : found;
}

/* From member 0 on, towards its lower neighbor. */
static void store_order(struct cycle_search *cycle_search, uint32_t cycle, uint32_t *order)
{
    const struct embed_forest *edges = cycle_search->edges;
    const uint32_t n = edges->n;
    (void)count_cycles(cycle_search, cycle);
    const bool turned = cycle_search->path[1] > cycle_search->path[n - 1];
    for (uint32_t i = 0; i < n; i++) {
        order[i] = cycle_search->path[turned ? (n - i) % n : i];
    }
}

static bool init_search(struct cycle_search *cycle_search, struct embed_cycles *cycles,
                        uint64_t seed)
{
    struct orr_arena *arena = cycles->arena;
    const uint32_t n = cycles->edges.n;
    *cycle_search = (struct cycle_search){.cycles = cycles, .edges = &cycles->edges};
    orr_rng_init(&cycle_search->rng, seed, 2);
    cycle_search->path = orr_arena_array(arena, n, sizeof *cycle_search->path);
    cycle_search->position = orr_arena_array(arena, n, sizeof *cycle_search->position);
    cycle_search->by = orr_arena_array(arena, n, sizeof *cycle_search->by);
    cycle_search->visited = orr_arena_array(arena, n, sizeof *cycle_search->visited);
    return cycle_search->path != NULL && cycle_search->position != NULL &&
           cycle_search->by != NULL && cycle_search->visited != NULL;
}

bool orr_embed_cycles_search(struct embed_cycles *cycles, uint64_t seed)
{
    struct cycle_search cycle_search;
    if (!init_search(&cycle_search, cycles, seed)) {
        return false;
    }
    for (uint32_t i = 0; i < ATTEMPTS && cycles->cycles < cycles->max && cycles->steps != 0; i++) {
        const uint32_t found = attempt(&cycle_search);
        if (found <= cycles->cycles) {
            continue;
        }
        cycles->cycles = found;
        for (uint32_t c = 0; c < found; c++) {
            store_order(&cycle_search, c, cycles->order + (size_t)c * cycles->edges.n);
        }
    }
    return true;
}
