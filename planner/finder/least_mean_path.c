/* The jumps that leave the fewest hops from place to place, in place of those near to a geometric
 * sequence (TopoOpt, NSDI'23, section 4.3: "several metrics can be used"). The first candidate, 1,
 * is always one: any other set of rings is one with 1, of other numbers for the places. Where there
 * are few sets all are tried, else jumps of the geometric set are exchanged one by one, the best
 * exchange first, as long as that helps and the steps suffice. */
#include "planner/finder/select_private.h"

enum { MOST_STEPS = 1 << 27 };

struct trial {
    struct orr_arena *scratch;
    const struct finder_jumps *from;
    uint32_t places, wanted;
    bool duplex;
    uint32_t *hops, *reached; /* [places] */
    uint32_t *at;             /* [wanted] indices into `from`, ascending where all are tried */
    uint32_t *best;
    uint64_t least, steps; /* hops of the best; that may still be taken */
};

/* Marks what is reached from place `v` by a step of `coin`. */
static uint32_t step_to(const struct trial *trial, uint32_t v, uint32_t coin, uint32_t count)
{
    const uint32_t sum = v + coin, to = sum >= trial->places ? sum - trial->places : sum;
    if (trial->hops[to] != FINDER_FAR) {
        return count;
    }
    trial->hops[to] = trial->hops[v] + 1;
    trial->reached[count] = to;
    return count + 1;
}

/* The hops from place 0 to all others over the jumps of the trial. */
static uint64_t hops_of(struct trial *trial)
{
    uint64_t sum = 0;
    uint32_t count = 1;
    for (uint32_t v = 0; v < trial->places; v++) {
        trial->hops[v] = v == 0 ? 0 : FINDER_FAR;
    }
    trial->reached[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t v = trial->reached[i];
        sum += trial->hops[v];
        for (uint32_t j = 0; j < trial->wanted && count < trial->places; j++) {
            const uint32_t jump = trial->from->jump[trial->at[j]];
            count = step_to(trial, v, jump, count);
            count = trial->duplex ? step_to(trial, v, trial->places - jump, count) : count;
        }
    }
    const uint64_t cost = (uint64_t)trial->places * trial->wanted;
    trial->steps -= trial->steps < cost ? trial->steps : cost;
    return sum;
}

static bool keep_if_better(struct trial *trial)
{
    const uint64_t hops = hops_of(trial);
    if (hops >= trial->least) {
        return false;
    }
    trial->least = hops;
    for (uint32_t i = 0; i < trial->wanted; i++) {
        trial->best[i] = trial->at[i];
    }
    return true;
}

/* ---- all sets ---- */

/* Whether the sets with the first candidate are few enough to try them all. */
static bool are_few(const struct trial *trial)
{
    double sets = (double)trial->places * trial->wanted;
    for (uint32_t i = 1; i < trial->wanted; i++) {
        sets *= (double)(trial->from->jumps - i) / i;
    }
    return sets <= MOST_STEPS;
}

/* The next set in order; false behind the last. */
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

/* The best exchange of one jump of the best set; false: none helps. */
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

static bool begin_geometric(struct trial *trial, const struct finder_choice *choice)
{
    struct finder_jumps begin;
    if (!orr_finder_select_geometric(trial->scratch, trial->from, choice, &begin)) {
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

static bool search(struct trial *trial, const struct finder_choice *choice)
{
    if (are_few(trial)) {
        try_all(trial);
        return true;
    }
    if (!begin_geometric(trial, choice)) {
        return false;
    }
    (void)keep_if_better(trial);
    while (trial->steps > 0 && exchange(trial)) {
    }
    sort(trial->best, trial->wanted);
    return true;
}

bool orr_finder_select_least(struct orr_arena *arena, const struct finder_jumps *from,
                             const struct finder_choice *choice, struct finder_jumps *out)
{
    const uint32_t count = choice->wanted < from->jumps ? choice->wanted : from->jumps;
    struct trial trial = {
        .scratch = arena,
        .from = from,
        .places = choice->places,
        .wanted = count,
        .duplex = choice->links == FINDER_DUPLEX,
        .hops = orr_arena_array(arena, choice->places, sizeof(uint32_t)),
        .reached = orr_arena_array(arena, choice->places, sizeof(uint32_t)),
        .at = orr_arena_array(arena, count, sizeof(uint32_t)),
        .best = orr_arena_array(arena, count, sizeof(uint32_t)),
        .least = UINT64_MAX,
        .steps = MOST_STEPS,
    };
    uint32_t *jump = orr_arena_array(arena, count, sizeof *jump);
    if (trial.hops == NULL || trial.reached == NULL || trial.at == NULL || trial.best == NULL ||
        jump == NULL || !search(&trial, choice)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        jump[i] = from->jump[trial.best[i]];
    }
    *out = (struct finder_jumps){.jump = jump, .jumps = count};
    return true;
}
