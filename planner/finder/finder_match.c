/* Cables for transfers (TopoOpt, NSDI'23, Algorithm 1, lines 12-17): matchings of the greatest
 * weight, one after the other, among the servers that have an interface left. What the transfers of
 * a pair count falls with each cable it has by matchings (appendix E.4). */
#include "planner/finder/finder_private.h"
#include "planner/finder/matching.h"

struct matchings {
    struct finding *finding;
    struct orr_arena *scratch; /* of one matching */
    uint32_t servers;
    unsigned shift;   /* weights are so many bits up, that halves stay exact */
    uint64_t *bytes;  /* [servers * servers] of both ways */
    uint64_t *weight; /* [servers * servers] */
    uint16_t *cables; /* [servers * servers] by matchings */
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

/* Bytes of both ways, and how far up they can be. */
static void sum_ways(struct matchings *matchings)
{
    const uint32_t n = matchings->servers;
    const uint64_t *transfers = matchings->finding->demand->transfers;
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
    struct orr_arena *arena = matchings->finding->arena;
    matchings->scratch = orr_arena_create();
    matchings->bytes = orr_arena_array(arena, n * n, sizeof *matchings->bytes);
    matchings->weight = orr_arena_array(arena, n * n, sizeof *matchings->weight);
    matchings->cables = orr_arena_array(arena, n * n, sizeof *matchings->cables);
    matchings->mate = orr_arena_array(arena, n, sizeof *matchings->mate);
    if (matchings->scratch == NULL || matchings->bytes == NULL || matchings->weight == NULL ||
        matchings->cables == NULL || matchings->mate == NULL) {
        return false;
    }
    sum_ways(matchings);
    return true;
}

/* What the pairs weigh that both have an interface left. */
static void weigh(struct matchings *matchings)
{
    const struct finder_options *options = matchings->finding->options;
    const uint32_t n = matchings->servers, *used = matchings->finding->used;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            const size_t pair = (size_t)i * n + j;
            const bool room = used[i] < options->degree && used[j] < options->degree;
            matchings->weight[pair] =
                room ? orr_finder_discounted(matchings->bytes[pair] << matchings->shift,
                                             options->discount, matchings->cables[pair],
                                             options->degree)
                     : 0;
        }
    }
}

static enum orr_status lay(struct matchings *matchings, uint32_t pairs)
{
    struct finding *finding = matchings->finding;
    const uint32_t n = matchings->servers, *mate = matchings->mate;
    struct finder_link *link = orr_arena_array(finding->arena, pairs, sizeof *link);
    const struct finder_layer layer = {
        .kind = FINDER_MATCHING, .duplex = true, .interfaces = 1, .link = link, .links = pairs};
    for (uint32_t i = 0, count = 0; i < n && link != NULL; i++) {
        if (mate[i] != MATCHING_NONE && mate[i] > i) {
            link[count++] = (struct finder_link){.from = i, .to = mate[i]};
            matchings->cables[(size_t)i * n + mate[i]]++;
            matchings->cables[(size_t)mate[i] * n + i]++;
        }
    }
    return link != NULL ? orr_finder_lay(finding, &layer) : orr_finder_no_memory(finding);
}

/* One matching; 0 in *pairs: there is none. */
static enum orr_status match(struct matchings *matchings, uint32_t *pairs)
{
    const struct finding *finding = matchings->finding;
    weigh(matchings);
    orr_arena_reset(matchings->scratch);
    const enum orr_status status = orr_matching_max_weight(
        matchings->scratch, matchings->servers, matchings->weight, matchings->mate, finding->diag);
    *pairs = 0;
    for (uint32_t i = 0; i < matchings->servers && status == ORR_OK; i++) {
        *pairs += matchings->mate[i] != MATCHING_NONE && matchings->mate[i] > i ? 1 : 0;
    }
    return status == ORR_OK && *pairs != 0 ? lay(matchings, *pairs) : status;
}

static bool has_room(const struct finding *finding)
{
    uint32_t with_room = 0;
    for (uint32_t i = 0; i < finding->demand->servers; i++) {
        with_room += finding->used[i] < finding->options->degree ? 1 : 0;
    }
    return with_room > 1;
}

enum orr_status orr_finder_match(struct finding *finding)
{
    struct matchings matchings = {.finding = finding, .servers = finding->demand->servers};
    uint32_t pairs = 1;
    enum orr_status status = ORR_OK;
    if (finding->out->transfer_bytes == 0 || !has_room(finding)) {
        return ORR_OK;
    }
    if (!begin(&matchings)) {
        status = orr_finder_no_memory(finding);
    }
    while (status == ORR_OK && pairs != 0) {
        status = match(&matchings, &pairs);
    }
    orr_arena_destroy(matchings.scratch);
    return status;
}
