/* Regular rings and what they make of a graph: TopoOpt's TotientPerms, SelectPermutations and
 * CoinChangeMod (NSDI'23, Algorithms 2, 3 and 4), on places 0 .. k - 1 of a group. */
#ifndef ORR_NETWORK_PERMUTATIONS_PERMUTATIONS_H
#define ORR_NETWORK_PERMUTATIONS_PERMUTATIONS_H

#include "core/core.h"

enum net_cables {
    NET_DUPLEX, /* a cable joins two interfaces, both ways; a jump has rings + and - */
    NET_ONE_WAY /* an interface sends to one server and receives from another */
};

enum net_select {
    NET_GEOMETRIC,       /* Algorithm 3 */
    NET_GEOMETRIC_TWO,   /* with a ratio of 2 at least (appendix E.2) */
    NET_LEAST_MEAN_PATH, /* those of the fewest hops from place to place in the mean */
    NET_SELECTS
};

/* "duplex", "one-way"; "geometric", ...: for keys of files, each list ends with NULL. */
extern const char *const orr_net_cables_names[], *const orr_net_select_names[];

/* Above so many members of a group, jumps are 1 and primes. */
enum { NET_PRIMES_ABOVE = 4096 };

struct net_jumps {
    const uint32_t *jump;
    uint32_t jumps;
};

/* The jumps that make one ring of k >= 2 places: those without a common divisor with k, ascending;
 * with duplex links up to k / 2, as the others are the same ones back. `primes`: 1 and primes only,
 * as always above NET_PRIMES_ABOVE. In the arena; false: memory is out. O(k log k). */
bool orr_net_totient_perms(struct orr_arena *arena, uint32_t k, enum net_cables links, bool primes,
                           struct net_jumps *out);

/* How many jumps one-way there are among k >= 2, counted up to `most`. O(their largest x log k). */
uint32_t orr_net_totient_count(uint32_t k, uint32_t max);

struct net_jump_choice {
    uint32_t servers;   /* n of the ratio n^(1 / wanted) */
    uint32_t positions; /* k, of the group */
    uint32_t wanted;    /* >= 1 */
    enum net_cables links;
    enum net_select select;
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
bool orr_net_select(struct orr_arena *arena, const struct net_jumps *from,
                    const struct net_jump_choice *choice, struct net_jumps *out);

/* The `wanted` jumps that TopoOpt's published code takes for duplex links among n >= 2 servers:
 * with r the root of that order of n - 1, the largest candidate, the i-th, from 0, is the first
 * unused one from r^i on; beyond n / 2 it is the jump of what is left to n, the same links. Fewer
 * where the candidates end before. In the arena; false: memory is out. O(wanted^2 + n (wanted +
 * log n)). */
bool orr_net_select_published(struct orr_arena *arena, uint32_t servers, uint32_t wanted,
                              struct net_jumps *out);

enum { NET_MAX_TOTIENT_RINGS = 1024 };

/* The jumps of so many rings for all-reduces among k >= 2 members, each of which a NIC and switches
 * join to all others, or links that lead there: of one-way TotientPerms those that
 * SelectPermutations takes, with k as the number of servers. One ring has jump 1; where there are
 * fewer permutations than that, all. In the arena; false: memory is out. O(k log k). */
bool orr_net_totient_rings(struct orr_arena *arena, uint32_t k, uint32_t rings,
                           struct net_jumps *out);

/* "totient:4" into 4, at least 1 and at most NET_MAX_TOTIENT_RINGS. False: it says something else.
 */
bool orr_net_totient_parse(const char *text, uint32_t *rings);
#define NET_TOTIENT_EXPECTED "\"totient:RINGS\", with 1 to 1024 rings, such as totient:4"

#define NET_FAR UINT32_MAX

/* Ways from place 0 to every other, by steps that add a coin each. */
struct net_coins {
    uint32_t positions;
    const uint32_t *hops; /* [places]; NET_FAR: no coins lead there */
    const uint32_t *last; /* [places] the coin of the last step; of place 0 none, 0 */
};

/* The fewest coins whose sum is v mod `places`, for every v. Of equal ways the last coin in order
 * wins, as the test of Algorithm 4 has it. A way to v: last[v], then one to v - last[v]. In the
 * arena; false: memory is out. O(places x coins). */
bool orr_net_coin_change(struct orr_arena *arena, uint32_t positions, const struct net_jumps *coins,
                         struct net_coins *out);

/* The coins of jumps: with duplex links those back as well, ascending, each once. */
bool orr_net_coins_of(struct orr_arena *arena, uint32_t positions, enum net_cables links,
                      const struct net_jumps *jumps, struct net_jumps *coins);

/* Of the graph in which each place has a link by every coin: hops from a place to the others, in
 * the mean and at most; `diameter` NET_FAR, hops 0: it falls apart. O(places). */
struct net_coin_metrics {
    uint64_t hops; /* from a place to all others, together */
    double mean_path;
    uint32_t diameter;
};
struct net_coin_metrics orr_net_coin_metrics(const struct net_coins *coins);

#endif
