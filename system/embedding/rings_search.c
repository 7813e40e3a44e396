/* Circles through many members that use no bond twice. One after the other on the bonds that are
 * left, by paths that turn around at their ends (Posa, Discrete Math. 14, 1976). Where what is left
 * in the end has two bonds at each member, but is several circles, bonds are exchanged along
 * alternating closed ways with circles that are there, until all are whole. */
#include <string.h>

#include "system/embedding/embed_search.h"

enum { ATTEMPTS = 24, TURNS = 400, EXCHANGES = 40000, MAX_WAY = 16, UPHILL = 24 };

struct seeking {
    struct embed_circles *circles;
    struct embed_forest *bonds;
    struct orr_rng rng;
    uint32_t *path, *place; /* [n]; UINT32_MAX: not on the path */
    uint32_t *by;           /* [n]: the bond from path[i] to path[i + 1] */
    bool *seen;             /* [n] */
};

/* ---- one circle ---- */

/* A bond at the member that none uses, any of them. */
static uint32_t any_bond(struct seeking *seeking, uint32_t member, uint32_t not_this)
{
    const struct embed_forest *bonds = seeking->bonds;
    uint32_t best = EMBED_NO_BOND, equal = 0;
    for (uint32_t i = bonds->first[member]; i < bonds->first[member + 1]; i++) {
        const uint32_t bond = bonds->at[i];
        if (bonds->bond[bond].owner == EMBED_NO_TREE && bond != not_this &&
            orr_rng_below(&seeking->rng, ++equal) == 0) {
            best = bond;
        }
    }
    return best;
}

/* The bond from the last member to the first, where all are on the path. */
static uint32_t closing_bond(const struct seeking *seeking, uint32_t last)
{
    const struct embed_forest *bonds = seeking->bonds;
    for (uint32_t i = bonds->first[last]; i < bonds->first[last + 1]; i++) {
        const uint32_t bond = bonds->at[i];
        const bool used = bond == seeking->by[bonds->n - 2];
        if (bonds->bond[bond].owner == EMBED_NO_TREE && !used &&
            embed_other_end(&bonds->bond[bond], last) == seeking->path[0]) {
            return bond;
        }
    }
    return EMBED_NO_BOND;
}

/* The path from `from + 1` on turns around; the bond leads from `from` to what was its end. */
static void turn(struct seeking *seeking, uint32_t from, uint32_t length, uint32_t bond)
{
    for (uint32_t a = from + 1, b = length - 1; a < b; a++, b--) {
        const uint32_t member = seeking->path[a];
        seeking->path[a] = seeking->path[b];
        seeking->path[b] = member;
    }
    for (uint32_t a = from + 1, b = length - 2; a < b; a++, b--) {
        const uint32_t by = seeking->by[a];
        seeking->by[a] = seeking->by[b];
        seeking->by[b] = by;
    }
    seeking->by[from] = bond;
    for (uint32_t i = from + 1; i < length; i++) {
        seeking->place[seeking->path[i]] = i;
    }
}

static void own_path(struct seeking *seeking, uint32_t circle, uint32_t closing)
{
    for (uint32_t i = 0; i + 1 < seeking->bonds->n; i++) {
        seeking->bonds->bond[seeking->by[i]].owner = circle;
    }
    seeking->bonds->bond[closing].owner = circle;
}

static bool find_circle(struct seeking *seeking, uint32_t circle)
{
    const uint32_t n = seeking->bonds->n;
    uint32_t length = 1;
    memset(seeking->place, 0xff, n * sizeof *seeking->place);
    seeking->path[0] = (uint32_t)orr_rng_below(&seeking->rng, n);
    seeking->place[seeking->path[0]] = 0;
    for (uint64_t step = 0; step < (uint64_t)TURNS * n; step++) {
        const uint32_t last = seeking->path[length - 1];
        const uint32_t closing = length == n ? closing_bond(seeking, last) : EMBED_NO_BOND;
        if (closing != EMBED_NO_BOND) {
            own_path(seeking, circle, closing);
            return true;
        }
        const uint32_t back = length > 1 ? seeking->by[length - 2] : EMBED_NO_BOND;
        const uint32_t bond = any_bond(seeking, last, back);
        if (bond == EMBED_NO_BOND) {
            return false;
        }
        const uint32_t to = embed_other_end(&seeking->bonds->bond[bond], last);
        if (seeking->place[to] == UINT32_MAX) {
            seeking->by[length - 1] = bond;
            seeking->place[to] = length;
            seeking->path[length++] = to;
        } else {
            turn(seeking, seeking->place[to], length, bond);
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
    return EMBED_NO_BOND;
}

/* Of an owner that has two bonds at each member: how many circles they are; the path holds the last
 * of them. */
static uint32_t count_circles(struct seeking *seeking, uint32_t owner)
{
    const struct embed_forest *bonds = seeking->bonds;
    uint32_t circles = 0;
    memset(seeking->seen, 0, bonds->n * sizeof *seeking->seen);
    for (uint32_t start = 0; start < bonds->n; start++) {
        uint32_t at = start, by = EMBED_NO_BOND, length = 0;
        circles += seeking->seen[start] ? 0 : 1;
        while (!seeking->seen[at]) {
            seeking->seen[at] = true;
            seeking->path[length++] = at;
            by = next_bond(bonds, at, owner, by);
            at = embed_other_end(&bonds->bond[by], at);
        }
    }
    return circles;
}

/* A closed way of bonds, by turns of none and of the owner; its length, or 0. */
static uint32_t find_way(struct seeking *seeking, uint32_t owner, uint32_t *way)
{
    struct embed_forest *bonds = seeking->bonds;
    const uint32_t start = (uint32_t)orr_rng_below(&seeking->rng, bonds->n);
    uint32_t at = start;
    for (uint32_t length = 0; length < MAX_WAY; length++) {
        const uint32_t of = length % 2 == 0 ? EMBED_NO_TREE : owner;
        const uint32_t one = next_bond(bonds, at, of, EMBED_NO_BOND);
        const uint32_t other = next_bond(bonds, at, of, one);
        way[length] = orr_rng_below(&seeking->rng, 2) == 0 ? one : other;
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
        struct embed_bond *bond = &bonds->bond[way[i]];
        bond->owner = bond->owner == owner ? EMBED_NO_TREE : owner;
    }
}

/* Whether what is left became a circle too; worse steps are taken now and then. */
static bool exchange(struct seeking *seeking, uint32_t circles)
{
    uint32_t way[MAX_WAY], left = count_circles(seeking, EMBED_NO_TREE);
    uint32_t broken[SYS_MAX_TREES] = {0}, all = left;
    for (uint32_t c = 0; c < circles; c++) {
        broken[c] = 1;
        all++;
    }
    for (uint32_t i = 0; i < EXCHANGES && all > circles + 1; i++) {
        const uint32_t owner = (uint32_t)orr_rng_below(&seeking->rng, circles);
        const uint32_t length = find_way(seeking, owner, way);
        if (length == 0) {
            continue;
        }
        swap_way(seeking->bonds, way, length, owner);
        const uint32_t own = count_circles(seeking, owner);
        const uint32_t rest = count_circles(seeking, EMBED_NO_TREE);
        if (own + rest > broken[owner] + left && orr_rng_below(&seeking->rng, UPHILL) != 0) {
            swap_way(seeking->bonds, way, length, owner);
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
static uint32_t attempt(struct seeking *seeking)
{
    struct embed_forest *bonds = seeking->bonds;
    const uint32_t max = seeking->circles->max;
    uint32_t found = 0;
    for (uint32_t i = 0; i < bonds->bonds; i++) {
        bonds->bond[i].owner = EMBED_NO_TREE;
    }
    while (found < max && find_circle(seeking, found)) {
        found++;
    }
    if (found + 1 != max || found == 0 || !is_even(bonds, EMBED_NO_TREE)) {
        return found;
    }
    for (uint32_t i = 0; i < bonds->bonds; i++) {
        bonds->cause[i] = bonds->bond[i].owner;
    }
    const bool whole = exchange(seeking, found);
    for (uint32_t i = 0; i < bonds->bonds && !whole; i++) {
        bonds->bond[i].owner = bonds->cause[i];
    }
    for (uint32_t i = 0; i < bonds->bonds && whole; i++) {
        struct embed_bond *bond = &bonds->bond[i];
        bond->owner = bond->owner == EMBED_NO_TREE ? found : bond->owner;
    }
    return whole ? found + 1 : found;
}

/* From member 0 on, to the lower of its neighbours first. */
static void take_order(struct seeking *seeking, uint32_t circle, uint32_t *order)
{
    const struct embed_forest *bonds = seeking->bonds;
    const uint32_t n = bonds->n;
    (void)count_circles(seeking, circle);
    const bool turned = seeking->path[1] > seeking->path[n - 1];
    for (uint32_t i = 0; i < n; i++) {
        order[i] = seeking->path[turned ? (n - i) % n : i];
    }
}

static bool open_seeking(struct seeking *seeking, struct embed_circles *circles, uint64_t seed)
{
    struct orr_arena *arena = circles->arena;
    const uint32_t n = circles->bonds.n;
    *seeking = (struct seeking){.circles = circles, .bonds = &circles->bonds};
    orr_rng_init(&seeking->rng, seed, 2);
    seeking->path = orr_arena_array(arena, n, sizeof *seeking->path);
    seeking->place = orr_arena_array(arena, n, sizeof *seeking->place);
    seeking->by = orr_arena_array(arena, n, sizeof *seeking->by);
    seeking->seen = orr_arena_array(arena, n, sizeof *seeking->seen);
    return seeking->path != NULL && seeking->place != NULL && seeking->by != NULL &&
           seeking->seen != NULL;
}

bool orr_embed_circles_search(struct embed_circles *circles, uint64_t seed)
{
    struct seeking seeking;
    if (!open_seeking(&seeking, circles, seed)) {
        return false;
    }
    for (uint32_t i = 0; i < ATTEMPTS && circles->circles < circles->max; i++) {
        const uint32_t found = attempt(&seeking);
        if (found <= circles->circles) {
            continue;
        }
        circles->circles = found;
        for (uint32_t c = 0; c < found; c++) {
            take_order(&seeking, c, circles->order + (size_t)c * circles->bonds.n);
        }
    }
    return true;
}
