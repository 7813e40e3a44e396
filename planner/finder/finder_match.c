/* Cables for transfers (TopoOpt, NSDI'23, Algorithm 1, lines 12-17): successive maximum-weight
 * matchings of the servers that have a free interface. The weight of a pair is discounted with each
 * cable that it has from a matching (appendix E.4). */
#include "core/arena.h"
#include "core/divide.h"
#include "core/saturate.h"
#include "planner/finder/finder_private.h"
#include "planner/finder/matching.h"

struct matchings {
    struct finder *finder;
    struct orr_arena *scratch; /* for one matching */
    uint32_t servers;
    unsigned shift;   /* bits by which weights are shifted up, so that halves stay exact */
    uint64_t *bytes;  /* [servers * servers] sum of both directions */
    uint64_t *weight; /* [servers * servers] */
    uint16_t *cables; /* [servers * servers] cables from matchings */
    uint32_t *mate;   /* [servers] */
};

static uint64_t factorial(uint32_t number)
{
    uint64_t product = 1;
    for (uint32_t i = 2; i <= number; i++) {
        product = sat_times(product, i);
    }
    return product;
}

uint64_t orr_finder_discounted(uint64_t weight, enum finder_discount discount, uint32_t cables,
                               uint32_t degree)
{
    switch (discount) {
    case FINDER_LINEAR:
        return cables < degree ? (uint64_t)((orr_wide)weight * (degree - cables) / degree) : 0;
    case FINDER_FACTORIAL:
        return weight / factorial(cables + 1);
    case FINDER_NO_DISCOUNT:
        return weight;
    case FINDER_HALVING:
    default:
        return cables < 64 ? weight >> cables : 0;
    }
}

/* Sums the bytes of both directions, and computes the shift. */
static void sum_both_directions(struct matchings *matchings)
{
    const uint32_t n = matchings->servers;
    const uint64_t *transfers = matchings->finder->demand->transfers;
    uint64_t max = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            const uint64_t sum = sat_plus(transfers[i * n + j], transfers[j * n + i]);
            const uint64_t held = sum < MATCHING_MAX_WEIGHT ? sum : MATCHING_MAX_WEIGHT - 1;
            matchings->bytes[i * n + j] = held;
            matchings->bytes[j * n + i] = held;
            max = held > max ? held : max;
        }
    }
    while (max != 0 && max << (matchings->shift + 1) < MATCHING_MAX_WEIGHT) {
        matchings->shift++;
    }
}

static bool begin(struct matchings *matchings)
{
    const size_t n = matchings->servers;
    struct orr_arena *arena = matchings->finder->arena;
    matchings->scratch = orr_arena_create();
    matchings->bytes = orr_arena_array(arena, n * n, sizeof *matchings->bytes);
    matchings->weight = orr_arena_array(arena, n * n, sizeof *matchings->weight);
    matchings->cables = orr_arena_array(arena, n * n, sizeof *matchings->cables);
    matchings->mate = orr_arena_array(arena, n, sizeof *matchings->mate);
    if (matchings->scratch == NULL || matchings->bytes == NULL || matchings->weight == NULL ||
        matchings->cables == NULL || matchings->mate == NULL) {
        return false;
    }
    sum_both_directions(matchings);
    return true;
}

/* Computes the weights of the pairs with a free interface at both ends. */
static void weigh(struct matchings *matchings)
{
    const struct finder_options *options = matchings->finder->options;
    const uint32_t n = matchings->servers, *used = matchings->finder->used;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            const size_t pair = (size_t)i * n + j;
            const bool both_free = used[i] < options->degree && used[j] < options->degree;
            matchings->weight[pair] =
                both_free ? orr_finder_discounted(matchings->bytes[pair] << matchings->shift,
                                                  options->discount, matchings->cables[pair],
                                                  options->degree)
                          : 0;
        }
    }
}

static enum orr_status add_matching(struct matchings *matchings, uint32_t pairs)
{
    struct finder *finder = matchings->finder;
    const uint32_t n = matchings->servers, *mate = matchings->mate;
    struct finder_link *link = orr_arena_array(finder->arena, pairs, sizeof *link);
    const struct finder_layer layer = {
        .kind = FINDER_MATCHING, .duplex = true, .interfaces = 1, .link = link, .links = pairs};
    for (uint32_t i = 0, count = 0; i < n && link != NULL; i++) {
        if (mate[i] != MATCHING_NONE && mate[i] > i) {
            link[count++] = (struct finder_link){.from = i, .to = mate[i]};
            matchings->cables[(size_t)i * n + mate[i]]++;
            matchings->cables[(size_t)mate[i] * n + i]++;
        }
    }
    return link != NULL ? orr_finder_add_layer(finder, &layer) : orr_finder_no_memory(finder);
}

/* Adds a matching; *pairs is its number of pairs, 0 if there is none. */
static enum orr_status match(struct matchings *matchings, uint32_t *pairs)
{
    const struct finder *finder = matchings->finder;
    weigh(matchings);
    orr_arena_reset(matchings->scratch);
    const enum orr_status status = orr_matching_max_weight(
        matchings->scratch, matchings->servers, matchings->weight, matchings->mate, finder->diag);
    *pairs = 0;
    for (uint32_t i = 0; i < matchings->servers && status == ORR_OK; i++) {
        *pairs += matchings->mate[i] != MATCHING_NONE && matchings->mate[i] > i ? 1 : 0;
    }
    return status == ORR_OK && *pairs != 0 ? add_matching(matchings, *pairs) : status;
}

static bool has_free_interfaces(const struct finder *finder)
{
    uint32_t free_servers = 0;
    for (uint32_t i = 0; i < finder->demand->servers; i++) {
        free_servers += finder->used[i] < finder->options->degree ? 1 : 0;
    }
    return free_servers > 1;
}

enum orr_status orr_finder_match(struct finder *finder)
{
    struct matchings matchings = {.finder = finder, .servers = finder->demand->servers};
    uint32_t pairs = 1;
    enum orr_status status = ORR_OK;
    if (finder->out->transfer_bytes == 0 || !has_free_interfaces(finder)) {
        return ORR_OK;
    }
    if (!begin(&matchings)) {
        status = orr_finder_no_memory(finder);
    }
    while (status == ORR_OK && pairs != 0) {
        status = match(&matchings, &pairs);
    }
    orr_arena_destroy(matchings.scratch);
    return status;
}
