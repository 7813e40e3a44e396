/* Regular rings over positions 0 .. k - 1 of a group: TopoOpt's TotientPerms, SelectPermutations
 * and CoinChangeMod (NSDI'23, Algorithms 2, 3 and 4). */
#ifndef ORR_NETWORK_PERMUTATIONS_PERMUTATIONS_H
#define ORR_NETWORK_PERMUTATIONS_PERMUTATIONS_H

#include <stdbool.h>
#include <stdint.h>

struct orr_arena;

enum net_cables {
    NET_DUPLEX, /* a cable connects two interfaces in both directions; a jump has rings + and - */
    NET_ONE_WAY /* an interface sends to one server and receives from another */
};

enum net_select {
    NET_GEOMETRIC,       /* Algorithm 3 */
    NET_GEOMETRIC_TWO,   /* with a ratio of at least 2 (appendix E.2) */
    NET_LEAST_MEAN_PATH, /* minimum mean path: fewest hops between positions on average */
    NET_SELECTS
};

/* Names for keys of files, by the enum: "duplex", "one-way"; "geometric", ... Each list ends with
 * NULL. */
extern const char *const orr_net_cables_names[], *const orr_net_select_names[];

/* In groups of more members the candidate jumps are 1 and primes. */
enum { NET_PRIMES_ABOVE = 4096 };

struct net_jumps {
    const uint32_t *jump;
    uint32_t jumps;
};

/* The candidate jumps of a group of k >= 2 members, ascending: those coprime to k, each of which
 * makes one ring. With duplex links up to k / 2, since larger ones are the same rings reversed.
 * `primes`: only 1 and primes, as always above NET_PRIMES_ABOVE. The list is in the arena; false if
 * memory is out. O(k log k). */
bool orr_net_totient_perms(struct orr_arena *arena, uint32_t k, enum net_cables links, bool primes,
                           struct net_jumps *out);

/* Number of one-way candidate jumps of k >= 2, counted up to `max`. O(largest counted x log k). */
uint32_t orr_net_totient_count(uint32_t k, uint32_t max);

struct net_jump_choice {
    uint32_t servers;   /* n of the ratio n^(1 / wanted) */
    uint32_t positions; /* k, of the group */
    uint32_t wanted;    /* >= 1 */
    enum net_cables links;
    enum net_select select;
};

/* Selects `wanted` of the jumps `from` (ascending, at least one), or all if there are fewer, in the
 * order of selection.
 *
 * Geometric: the first jump, then repeatedly the unused jump nearest to (last selected x ratio),
 * ratio = n^(1 / wanted); of two equally near the lower. With a ratio of at least 2 only log2 n
 * jumps are selected so; the rest are taken ascending.
 *
 * Minimum mean path: the first jump plus those with the fewest hops. If there are few sets, the
 * best of all (the first of equal ones); else the result of a local search that starts at the
 * geometric selection.
 *
 * The list is in the arena; false if memory is out. O(wanted x jumps); minimum mean path takes some
 * tenths of a second at most. */
bool orr_net_select(struct orr_arena *arena, const struct net_jumps *from,
                    const struct net_jump_choice *choice, struct net_jumps *out);

/* The `wanted` jumps that TopoOpt's published code takes for duplex links among n >= 2 servers.
 * With r the `wanted`-th root of n - 1, the i-th jump (from 0) is the first unused candidate >=
 * r^i; a jump above n / 2 becomes n minus it, the same links. Fewer jumps if the candidates end
 * before. The list is in the arena; false if memory is out. O(wanted^2 + n (wanted + log n)). */
bool orr_net_select_published(struct orr_arena *arena, uint32_t servers, uint32_t wanted,
                              struct net_jumps *out);

enum { NET_MAX_TOTIENT_RINGS = 1024 };

/* Jumps of `rings` all-reduce rings among k >= 2 members that a NIC and switches, or links, connect
 * to each other: one-way TotientPerms reduced by SelectPermutations with k as the number of
 * servers. One ring has jump 1; if there are fewer permutations than rings, all are taken. The list
 * is in the arena; false if memory is out. O(k log k). */
bool orr_net_totient_rings(struct orr_arena *arena, uint32_t k, uint32_t rings,
                           struct net_jumps *out);

/* Parses "totient:4" into 4, from 1 to NET_MAX_TOTIENT_RINGS; false if the text is anything
 * else. */
bool orr_net_totient_parse(const char *text, uint32_t *rings);
#define NET_TOTIENT_EXPECTED "\"totient:RINGS\", with 1 to 1024 rings, such as totient:4"

#define NET_FAR UINT32_MAX

/* Shortest paths from position 0 to every other, where each step adds a coin. */
struct net_coins {
    uint32_t positions;
    const uint32_t *hops; /* [positions]; NET_FAR: no sum of coins reaches it */
    const uint32_t *last; /* [positions] the coin of the last step; 0 for position 0 */
};

/* Finds the fewest coins whose sum is v mod `positions`, for every v. Of equal paths the last coin
 * in order wins, as in Algorithm 4. The path to v ends with coin last[v] from position v - last[v].
 * The lists are in the arena; false if memory is out. O(positions x coins). */
bool orr_net_coin_change(struct orr_arena *arena, uint32_t positions, const struct net_jumps *coins,
                         struct net_coins *out);

/* The coins of jumps, ascending and distinct; duplex links also give the reverse coin k - jump. */
bool orr_net_coins_of(struct orr_arena *arena, uint32_t positions, enum net_cables links,
                      const struct net_jumps *jumps, struct net_jumps *coins);

/* Metrics of the graph in which each position has a link by every coin. If the graph is
 * disconnected: diameter NET_FAR, hops 0. O(positions). */
struct net_coin_metrics {
    uint64_t hops; /* sum from one position to all others */
    double mean_path;
    uint32_t diameter;
};
struct net_coin_metrics orr_net_coin_metrics(const struct net_coins *coins);

#endif
