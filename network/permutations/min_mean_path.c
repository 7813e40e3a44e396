/* Selection of jumps with the minimum mean path, instead of jumps near a geometric sequence
 * (TopoOpt, NSDI'23, section 4.3: "several metrics can be used").
 *
 * The first candidate is jump 1 and is always selected: any other set of rings becomes a set with
 * jump 1 if the positions are renumbered. If there are few sets, all are tried. Else local search:
 * exchange the jump that improves the sum of hops most until no exchange helps, first from the
 * geometric selection, then from random selections (DRAWS); the best result is kept.
 *
 * Hops come from a breadth-first search over bit sets: the next frontier is the union of the last
 * frontier rotated by each jump. */
#include <string.h>

#include "core/arena.h"
#include "core/rng.h"
#include "network/permutations/select_private.h"

enum { MAX_STEPS = 1 << 26, LEVELS = 10, DRAWS = 24 };

struct trial {
    struct orr_arena *scratch;
    const struct net_jumps *from;
    uint32_t positions, words, wanted;
    bool duplex;
    uint64_t *visited, *frontier, *next; /* [words] */
    uint32_t *at;            /* [wanted] indices into `from`, ascending if all sets are tried */
    uint32_t *best;          /* [wanted] best indices of this search */
    uint32_t *kept;          /* [wanted] best indices of all searches */
    uint64_t min, kept_hops; /* sums of hops of best, kept */
    uint64_t steps;          /* budget: words that may still be rotated */
};

static uint64_t steps_of(const struct trial *trial)
{
    return (uint64_t)trial->words * trial->wanted * (trial->duplex ? 2 : 1) * LEVELS;
}

/* Adds the frontier shifted up by `jump`, without the bits that leave the top. */
static void rotate_up(const struct trial *trial, uint32_t jump)
{
    const uint32_t words = jump / 64, bits = jump % 64;
    for (uint32_t w = words; w < trial->words; w++) {
        const uint64_t below = bits != 0 && w > words ? trial->frontier[w - words - 1] : 0;
        trial->next[w] |=
            trial->frontier[w - words] << bits | (bits != 0 ? below >> (64 - bits) : 0);
    }
}

/* Adds the frontier shifted down by `jump`: the bits that wrap around. */
static void rotate_down(const struct trial *trial, uint32_t jump)
{
    const uint32_t words = jump / 64, bits = jump % 64;
    for (uint32_t w = 0; w + words < trial->words; w++) {
        const uint64_t above =
            bits != 0 && w + words + 1 < trial->words ? trial->frontier[w + words + 1] : 0;
        trial->next[w] |=
            trial->frontier[w + words] >> bits | (bits != 0 ? above << (64 - bits) : 0);
    }
}

/* Makes the unvisited bits of `next` the new frontier; returns their number. */
static uint32_t advance_frontier(struct trial *trial)
{
    uint32_t count = 0;
    if (trial->positions % 64 != 0) {
        trial->next[trial->words - 1] &= (UINT64_C(1) << trial->positions % 64) - 1;
    }
    for (uint32_t w = 0; w < trial->words; w++) {
        trial->frontier[w] = trial->next[w] & ~trial->visited[w];
        trial->visited[w] |= trial->frontier[w];
        trial->next[w] = 0;
        count += (uint32_t)__builtin_popcountll(trial->frontier[w]);
    }
    return count;
}

/* Sum of the hops from position 0 to all others over the jumps of the trial, one of which is 1. */
static uint64_t hops_of(struct trial *trial)
{
    const uint32_t n = trial->positions;
    uint64_t sum = 0;
    uint32_t hops = 0;
    memset(trial->visited, 0, trial->words * sizeof *trial->visited);
    memset(trial->next, 0, trial->words * sizeof *trial->next);
    trial->next[0] = 1;
    for (uint32_t count = advance_frontier(trial), all = count; all < n; all += count) {
        for (uint32_t j = 0; j < trial->wanted; j++) {
            const uint32_t jump = trial->from->jump[trial->at[j]];
            rotate_up(trial, jump);
            rotate_down(trial, n - jump);
            if (trial->duplex) {
                rotate_up(trial, n - jump);
                rotate_down(trial, jump);
            }
        }
        count = advance_frontier(trial);
        sum += (uint64_t)++hops * count;
    }
    const uint64_t cost = steps_of(trial);
    trial->steps -= trial->steps < cost ? trial->steps : cost;
    return sum;
}

static bool keep_if_better(struct trial *trial)
{
    const uint64_t hops = hops_of(trial);
    if (hops >= trial->min) {
        return false;
    }
    trial->min = hops;
    for (uint32_t i = 0; i < trial->wanted; i++) {
        trial->best[i] = trial->at[i];
    }
    return true;
}

/* ---- all sets ---- */

/* Whether all sets that contain the first candidate fit the budget. */
static bool can_try_all(const struct trial *trial)
{
    double sets = (double)steps_of(trial);
    for (uint32_t i = 1; i < trial->wanted; i++) {
        sets *= (double)(trial->from->jumps - i) / i;
    }
    return sets <= MAX_STEPS;
}

/* Advances to the next set in lexicographic order; false after the last. */
static bool next_set(struct trial *trial)
{
    uint32_t i = trial->wanted;
    while (i > 1 && trial->at[i - 1] == trial->from->jumps - trial->wanted + i - 1) {
        i--;
    }
    if (i <= 1) {
        return false;
    }
    trial->at[i - 1]++;
    for (uint32_t j = i; j < trial->wanted; j++) {
        trial->at[j] = trial->at[j - 1] + 1;
    }
    return true;
}

static void try_all(struct trial *trial)
{
    for (uint32_t i = 0; i < trial->wanted; i++) {
        trial->at[i] = i;
    }
    do {
        (void)keep_if_better(trial);
    } while (next_set(trial));
}

/* ---- exchanges ---- */

static bool is_used(const struct trial *trial, uint32_t index)
{
    for (uint32_t i = 0; i < trial->wanted; i++) {
        if (trial->at[i] == index) {
            return true;
        }
    }
    return false;
}

/* Applies the best exchange of one jump of the best set; false if none improves it. */
static bool exchange(struct trial *trial)
{
    bool better = false;
    uint32_t *at = trial->at;
    for (uint32_t i = 0; i < trial->wanted; i++) {
        at[i] = trial->best[i];
    }
    for (uint32_t i = 1; i < trial->wanted; i++) {
        const uint32_t before = at[i];
        for (uint32_t c = 1; c < trial->from->jumps && trial->steps > 0; c++) {
            if (!is_used(trial, c)) {
                at[i] = c;
                better |= keep_if_better(trial);
                at[i] = before;
            }
        }
    }
    return better;
}

static void improve(struct trial *trial)
{
    trial->min = UINT64_MAX;
    (void)keep_if_better(trial);
    while (trial->steps > 0 && exchange(trial)) {
    }
    if (trial->min < trial->kept_hops) {
        trial->kept_hops = trial->min;
        memcpy(trial->kept, trial->best, trial->wanted * sizeof *trial->kept);
    }
}

static bool begin_geometric(struct trial *trial, const struct net_jump_choice *choice)
{
    struct net_jumps begin;
    if (!orr_net_select_geometric(trial->scratch, trial->from, choice, &begin)) {
        return false;
    }
    for (uint32_t i = 0; i < trial->wanted; i++) {
        uint32_t at = 0;
        while (trial->from->jump[at] != begin.jump[i]) {
            at++;
        }
        trial->at[i] = at;
    }
    return true;
}

static void begin_random(struct trial *trial, struct orr_rng *rng)
{
    for (uint32_t i = 1; i < trial->wanted; i++) {
        trial->at[i] = 0;
    }
    for (uint32_t i = 1; i < trial->wanted;) {
        const uint32_t index = (uint32_t)orr_rng_below(rng, trial->from->jumps);
        if (!is_used(trial, index)) {
            trial->at[i++] = index;
        }
    }
}

/* ---- */

static void sort(uint32_t *at, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t index = at[i];
        uint32_t j = i;
        for (; j > 0 && at[j - 1] > index; j--) {
            at[j] = at[j - 1];
        }
        at[j] = index;
    }
}

static bool search(struct trial *trial, const struct net_jump_choice *choice)
{
    struct orr_rng rng;
    if (can_try_all(trial)) {
        try_all(trial);
        memcpy(trial->kept, trial->best, trial->wanted * sizeof *trial->kept);
        return true;
    }
    if (!begin_geometric(trial, choice)) {
        return false;
    }
    improve(trial);
    orr_rng_init(&rng, trial->positions, trial->wanted);
    for (unsigned i = 0; i < DRAWS && trial->steps > 0; i++) {
        begin_random(trial, &rng);
        improve(trial);
    }
    sort(trial->kept, trial->wanted);
    return true;
}

bool orr_net_select_min_mean_path(struct orr_arena *arena, const struct net_jumps *from,
                                  const struct net_jump_choice *choice, struct net_jumps *out)
{
    const uint32_t count = choice->wanted < from->jumps ? choice->wanted : from->jumps;
    const uint32_t words = (choice->positions + 63) / 64;
    struct trial trial = {
        .scratch = arena,
        .from = from,
        .positions = choice->positions,
        .words = words,
        .wanted = count,
        .duplex = choice->links == NET_DUPLEX,
        .visited = orr_arena_array(arena, words, sizeof(uint64_t)),
        .frontier = orr_arena_array(arena, words, sizeof(uint64_t)),
        .next = orr_arena_array(arena, words, sizeof(uint64_t)),
        .at = orr_arena_array(arena, count, sizeof(uint32_t)),
        .best = orr_arena_array(arena, count, sizeof(uint32_t)),
        .kept = orr_arena_array(arena, count, sizeof(uint32_t)),
        .min = UINT64_MAX,
        .kept_hops = UINT64_MAX,
        .steps = MAX_STEPS,
    };
    uint32_t *jump = orr_arena_array(arena, count, sizeof *jump);
    if (trial.visited == NULL || trial.frontier == NULL || trial.next == NULL || trial.at == NULL ||
        trial.best == NULL || trial.kept == NULL || jump == NULL || !search(&trial, choice)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        jump[i] = from->jump[trial.kept[i]];
    }
    *out = (struct net_jumps){.jump = jump, .jumps = count};
    return true;
}
