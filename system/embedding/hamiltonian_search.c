/* Circles through many members that use no bond twice. One after the other on the bonds that are
 * left, by paths that turn around at their ends (Posa, Discrete Math. 14, 1976). Where what is left
 * in the end has two bonds at each member, but is several circles, bonds are exchanged along
 * alternating closed ways with circles that are there, until all are whole. */
#include <string.h>

#include "system/embedding/embed_search.h"

enum { ATTEMPTS = 24, TURNS = 400, EXCHANGES = 40000, MAX_WAY = 16, UPHILL = 24 };

struct cycle_search {
    struct embed_cycles *circles;
    struct embed_forest *bonds;
    struct orr_rng rng;
    uint32_t *path, *place; /* [n]; UINT32_MAX: not on the path */
    uint32_t *by;           /* [n]: the bond from path[i] to path[i + 1] */
    bool *seen;             /* [n] */
};

/* ---- one circle ---- */

/* A bond at the member that none uses, any of them. */
static uint32_t any_bond(struct cycle_search *cycle_search, uint32_t member, uint32_t not_this)
{
    const struct embed_forest *bonds = cycle_search->bonds;
    uint32_t best = EMBED_NO_DUPLEX_LINK, equal = 0;
    for (uint32_t i = bonds->first[member]; i < bonds->first[member + 1]; i++) {
        const uint32_t bond = bonds->at[i];
        if (bonds->bond[bond].owner == EMBED_NO_TREE && bond != not_this &&
            orr_rng_below(&cycle_search->rng, ++equal) == 0) {
            best = bond;
        }
    }
    return best;
}

/* The bond from the last member to the first, where all are on the path. */
static uint32_t closing_bond(const struct cycle_search *cycle_search, uint32_t last)
{
    const struct embed_forest *bonds = cycle_search->bonds;
    for (uint32_t i = bonds->first[last]; i < bonds->first[last + 1]; i++) {
        const uint32_t bond = bonds->at[i];
        const bool used = bond == cycle_search->by[bonds->n - 2];
        if (bonds->bond[bond].owner == EMBED_NO_TREE && !used &&
            embed_other_end(&bonds->bond[bond], last) == cycle_search->path[0]) {
            return bond;
        }
    }
    return EMBED_NO_DUPLEX_LINK;
}

/* The path from `from + 1` on turns around; the bond leads from `from` to what was its end. */
static void turn(struct cycle_search *cycle_search, uint32_t from, uint32_t length, uint32_t bond)
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
    cycle_search->by[from] = bond;
    for (uint32_t i = from + 1; i < length; i++) {
        cycle_search->place[cycle_search->path[i]] = i;
    }
}

static void own_path(struct cycle_search *cycle_search, uint32_t circle, uint32_t closing)
{
    for (uint32_t i = 0; i + 1 < cycle_search->bonds->n; i++) {
        cycle_search->bonds->bond[cycle_search->by[i]].owner = circle;
    }
    cycle_search->bonds->bond[closing].owner = circle;
}

static bool find_circle(struct cycle_search *cycle_search, uint32_t circle)
{
    const uint32_t n = cycle_search->bonds->n;
    uint32_t length = 1;
    memset(cycle_search->place, 0xff, n * sizeof *cycle_search->place);
    cycle_search->path[0] = (uint32_t)orr_rng_below(&cycle_search->rng, n);
    cycle_search->place[cycle_search->path[0]] = 0;
    for (uint64_t step = 0; step < (uint64_t)TURNS * n; step++) {
        const uint32_t last = cycle_search->path[length - 1];
        const uint32_t closing =
            length == n ? closing_bond(cycle_search, last) : EMBED_NO_DUPLEX_LINK;
        if (closing != EMBED_NO_DUPLEX_LINK) {
            own_path(cycle_search, circle, closing);
            return true;
        }
        const uint32_t back = length > 1 ? cycle_search->by[length - 2] : EMBED_NO_DUPLEX_LINK;
        const uint32_t bond = any_bond(cycle_search, last, back);
        if (bond == EMBED_NO_DUPLEX_LINK) {
            return false;
        }
        const uint32_t to = embed_other_end(&cycle_search->bonds->bond[bond], last);
        if (cycle_search->place[to] == UINT32_MAX) {
            cycle_search->by[length - 1] = bond;
            cycle_search->place[to] = length;
            cycle_search->path[length++] = to;
        } else {
            turn(cycle_search, cycle_search->place[to], length, bond);
        }
    }
    return false;
}

/* ---- exchanges ---- */

/* Whether each member has two bonds of the owner. */
static bool is_even(const struct embed_forest *bonds, uint32_t owner)
{
    for (uint32_t i = 0; i < bonds->n; i++) {
        uint32_t degree = 0;
        for (uint32_t j = bonds->first[i]; j < bonds->first[i + 1]; j++) {
            degree += bonds->bond[bonds->at[j]].owner == owner ? 1 : 0;
        }
        if (degree != 2) {
            return false;
        }
    }
    return true;
}

/* The owner's bond at a member that is not this one. */
static uint32_t next_bond(const struct embed_forest *bonds, uint32_t member, uint32_t owner,
                          uint32_t not_this)
{
    for (uint32_t i = bonds->first[member]; i < bonds->first[member + 1]; i++) {
        const uint32_t bond = bonds->at[i];
        if (bonds->bond[bond].owner == owner && bond != not_this) {
            return bond;
        }
    }
    return EMBED_NO_DUPLEX_LINK;
}

/* Of an owner that has two bonds at each member: how many circles they are; the path holds the last
 * of them. */
static uint32_t count_circles(struct cycle_search *cycle_search, uint32_t owner)
{
    const struct embed_forest *bonds = cycle_search->bonds;
    uint32_t circles = 0;
    memset(cycle_search->seen, 0, bonds->n * sizeof *cycle_search->seen);
    for (uint32_t start = 0; start < bonds->n; start++) {
        uint32_t at = start, by = EMBED_NO_DUPLEX_LINK, length = 0;
        circles += cycle_search->seen[start] ? 0 : 1;
        while (!cycle_search->seen[at]) {
            cycle_search->seen[at] = true;
            cycle_search->path[length++] = at;
            by = next_bond(bonds, at, owner, by);
            at = embed_other_end(&bonds->bond[by], at);
        }
    }
    return circles;
}

/* A closed way of bonds, by turns of none and of the owner; its length, or 0. */
static uint32_t find_way(struct cycle_search *cycle_search, uint32_t owner, uint32_t *way)
{
    struct embed_forest *bonds = cycle_search->bonds;
    const uint32_t start = (uint32_t)orr_rng_below(&cycle_search->rng, bonds->n);
    uint32_t at = start;
    for (uint32_t length = 0; length < MAX_WAY; length++) {
        const uint32_t of = length % 2 == 0 ? EMBED_NO_TREE : owner;
        const uint32_t one = next_bond(bonds, at, of, EMBED_NO_DUPLEX_LINK);
        const uint32_t other = next_bond(bonds, at, of, one);
        way[length] = orr_rng_below(&cycle_search->rng, 2) == 0 ? one : other;
        for (uint32_t i = 0; i < length; i++) {
            if (way[i] == way[length]) {
                return 0;
            }
        }
        at = embed_other_end(&bonds->bond[way[length]], at);
        if (length % 2 == 1 && at == start) {
            return length + 1;
        }
    }
    return 0;
}

static void swap_way(struct embed_forest *bonds, const uint32_t *way, uint32_t length,
                     uint32_t owner)
{
    for (uint32_t i = 0; i < length; i++) {
        struct embed_duplex_link *bond = &bonds->bond[way[i]];
        bond->owner = bond->owner == owner ? EMBED_NO_TREE : owner;
    }
}

/* Whether what is left became a circle too; worse steps are taken now and then. */
static bool exchange(struct cycle_search *cycle_search, uint32_t circles)
{
    uint32_t way[MAX_WAY], left = count_circles(cycle_search, EMBED_NO_TREE);
    uint32_t broken[SYS_MAX_TREES] = {0}, all = left;
    for (uint32_t c = 0; c < circles; c++) {
        broken[c] = 1;
        all++;
    }
    for (uint32_t i = 0; i < EXCHANGES && all > circles + 1; i++) {
        const uint32_t owner = (uint32_t)orr_rng_below(&cycle_search->rng, circles);
        const uint32_t length = find_way(cycle_search, owner, way);
        if (length == 0) {
            continue;
        }
        swap_way(cycle_search->bonds, way, length, owner);
        const uint32_t own = count_circles(cycle_search, owner);
        const uint32_t rest = count_circles(cycle_search, EMBED_NO_TREE);
        if (own + rest > broken[owner] + left && orr_rng_below(&cycle_search->rng, UPHILL) != 0) {
            swap_way(cycle_search->bonds, way, length, owner);
            continue;
        }
        all = all - broken[owner] - left + own + rest;
        broken[owner] = own;
        left = rest;
    }
    return all == circles + 1;
}

/* ---- all of them ---- */

/* Circles found; what is left may be the last. */
static uint32_t attempt(struct cycle_search *cycle_search)
{
    struct embed_forest *bonds = cycle_search->bonds;
    const uint32_t max = cycle_search->circles->max;
    uint32_t found = 0;
    for (uint32_t i = 0; i < bonds->bonds; i++) {
        bonds->bond[i].owner = EMBED_NO_TREE;
    }
    while (found < max && find_circle(cycle_search, found)) {
        found++;
    }
    if (found + 1 != max || found == 0 || !is_even(bonds, EMBED_NO_TREE)) {
        return found;
    }
    for (uint32_t i = 0; i < bonds->bonds; i++) {
        bonds->cause[i] = bonds->bond[i].owner;
    }
    const bool whole = exchange(cycle_search, found);
    for (uint32_t i = 0; i < bonds->bonds && !whole; i++) {
        bonds->bond[i].owner = bonds->cause[i];
    }
    for (uint32_t i = 0; i < bonds->bonds && whole; i++) {
        struct embed_duplex_link *bond = &bonds->bond[i];
        bond->owner = bond->owner == EMBED_NO_TREE ? found : bond->owner;
    }
    return whole ? found + 1 : found;
}

/* From member 0 on, to the lower of its neighbours first. */
static void take_order(struct cycle_search *cycle_search, uint32_t circle, uint32_t *order)
{
    const struct embed_forest *bonds = cycle_search->bonds;
    const uint32_t n = bonds->n;
    (void)count_circles(cycle_search, circle);
    const bool turned = cycle_search->path[1] > cycle_search->path[n - 1];
    for (uint32_t i = 0; i < n; i++) {
        order[i] = cycle_search->path[turned ? (n - i) % n : i];
    }
}

static bool open_seeking(struct cycle_search *cycle_search, struct embed_cycles *circles,
                         uint64_t seed)
{
    struct orr_arena *arena = circles->arena;
    const uint32_t n = circles->bonds.n;
    *cycle_search = (struct cycle_search){.circles = circles, .bonds = &circles->bonds};
    orr_rng_init(&cycle_search->rng, seed, 2);
    cycle_search->path = orr_arena_array(arena, n, sizeof *cycle_search->path);
    cycle_search->place = orr_arena_array(arena, n, sizeof *cycle_search->place);
    cycle_search->by = orr_arena_array(arena, n, sizeof *cycle_search->by);
    cycle_search->seen = orr_arena_array(arena, n, sizeof *cycle_search->seen);
    return cycle_search->path != NULL && cycle_search->place != NULL && cycle_search->by != NULL &&
           cycle_search->seen != NULL;
}

bool orr_embed_cycles_search(struct embed_cycles *circles, uint64_t seed)
{
    struct cycle_search cycle_search;
    if (!open_seeking(&cycle_search, circles, seed)) {
        return false;
    }
    for (uint32_t i = 0; i < ATTEMPTS && circles->circles < circles->max; i++) {
        const uint32_t found = attempt(&cycle_search);
        if (found <= circles->circles) {
            continue;
        }
        circles->circles = found;
        for (uint32_t c = 0; c < found; c++) {
            take_order(&cycle_search, c, circles->order + (size_t)c * circles->bonds.n);
        }
    }
    return true;
}
