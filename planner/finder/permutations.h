/* Regular rings and what they make of a graph: TopoOpt's TotientPerms, SelectPermutations and
 * CoinChangeMod (NSDI'23, Algorithms 2, 3 and 4), on places 0 .. k - 1 of a group. */
#ifndef ORR_PLANNER_FINDER_PERMUTATIONS_H
#define ORR_PLANNER_FINDER_PERMUTATIONS_H

#include "core/core.h"

enum finder_links {
    FINDER_DUPLEX, /* a cable joins two interfaces, both ways; a jump has rings + and - */
    FINDER_ONE_WAY /* an interface sends to one server and receives from another */
};

enum finder_select {
    FINDER_GEOMETRIC,       /* Algorithm 3 */
    FINDER_GEOMETRIC_TWO,   /* with a ratio of 2 at least (appendix E.2) */
    FINDER_LEAST_MEAN_PATH, /* those of the fewest hops from place to place in the mean */
    FINDER_SELECTS
};

/* Above so many members of a group, jumps are 1 and primes. */
enum { FINDER_PRIMES_ABOVE = 4096 };

struct finder_jumps {
    const uint32_t *jump;
    uint32_t jumps;
};

/* The jumps that make one ring of k >= 2 places: those without a common divisor with k, ascending;
 * with duplex links up to k / 2, as the others are the same ones back. `primes`: 1 and primes only,
 * as always above FINDER_PRIMES_ABOVE. In the arena; false: memory is out. O(k log k). */
bool orr_finder_totient_perms(struct orr_arena *arena, uint32_t k, enum finder_links links,
                              bool primes, struct finder_jumps *out);

struct finder_choice {
    uint32_t servers; /* n of the ratio n^(1 / wanted) */
    uint32_t places;  /* k, of the group */
    uint32_t wanted;  /* >= 1 */
    enum finder_links links;
    enum finder_select select;
};

/* So many of the jumps `from`, ascending and at least one, or all where there are no more; in the
 * order in which they are selected. Geometric: the first, then again and again the unused one that
 * is nearest to the last times the ratio, the lower of two equally near. With a ratio of 2 at least
 * no more than log2 n are selected like that, then come the others, ascending.
 *
 * Least mean path: the first, with those that leave the fewest hops: of all sets where they are few
 * (the first of equal ones), else what a search finds that begins with the geometric ones and
 * exchanges one at a time. In the arena; false: memory is out. O(wanted x jumps); of least mean
 * path some tenths of a second at most. */
bool orr_finder_select(struct orr_arena *arena, const struct finder_jumps *from,
                       const struct finder_choice *choice, struct finder_jumps *out);

#define FINDER_FAR UINT32_MAX

/* Ways from place 0 to every other, by steps that add a coin each. */
struct finder_coins {
    uint32_t places;
    const uint32_t *hops; /* [places]; FINDER_FAR: no coins lead there */
    const uint32_t *last; /* [places] the coin of the last step; of place 0 none, 0 */
};

/* The fewest coins whose sum is v mod `places`, for every v. Of equal ways the last coin in order
 * wins, as the test of Algorithm 4 has it. A way to v: last[v], then one to v - last[v]. In the
 * arena; false: memory is out. O(places x coins). */
bool orr_finder_coin_change(struct orr_arena *arena, uint32_t places,
                            const struct finder_jumps *coins, struct finder_coins *out);

/* The coins of jumps: with duplex links those back as well, ascending, each once. */
bool orr_finder_coins_of(struct orr_arena *arena, uint32_t places, enum finder_links links,
                         const struct finder_jumps *jumps, struct finder_jumps *coins);

/* Of the graph in which each place has a link by every coin: hops from a place to the others, in
 * the mean and at most; `diameter` FINDER_FAR, hops 0: it falls apart. O(places). */
struct finder_figures {
    uint64_t hops; /* from a place to all others, together */
    double mean_path;
    uint32_t diameter;
};
struct finder_figures orr_finder_figures(const struct finder_coins *coins);

#endif
