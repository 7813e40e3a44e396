/* Time of a maximum-weight matching.
 *
 *   bench_matching KIND NODES [SEED]
 *
 * KIND: random (complete, weights below 10^9), few (complete, weights 1 to 4: ties everywhere),
 * plane (near pairs weigh more), tables (embedding tables round robin: owners exchange with all),
 * pipeline (neighbours, and faintly all), blocks (all-to-all within groups of 8, and lightly
 * between), halved (random, after four rounds of halving what was paired). Prints ms of one core
 * and the weight. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/arena.h"
#include "core/rng.h"
#include "planner/finder/matching.h"

typedef uint64_t (*weigh)(struct orr_rng *rng, uint32_t i, uint32_t j, uint32_t nodes);

static uint64_t draw_random(struct orr_rng *rng, uint32_t i, uint32_t j, uint32_t nodes)
{
    (void)i, (void)j, (void)nodes;
    return 1 + orr_rng_below(rng, 1000000000);
}

static uint64_t draw_few(struct orr_rng *rng, uint32_t i, uint32_t j, uint32_t nodes)
{
    (void)i, (void)j, (void)nodes;
    return 1 + orr_rng_below(rng, 4);
}

/* A coordinate in a square of 10^6 x 10^6, a deterministic function of the node. */
static uint64_t coordinate(uint32_t node, uint64_t axis)
{
    struct orr_rng rng;
    orr_rng_init(&rng, node, axis);
    return orr_rng_below(&rng, 1000000);
}

static uint64_t draw_plane(struct orr_rng *rng, uint32_t i, uint32_t j, uint32_t nodes)
{
    (void)rng, (void)nodes;
    const uint64_t left = coordinate(i, 0), right = coordinate(j, 0), low = coordinate(i, 1),
                   high = coordinate(j, 1);
    return 2000001 - (left > right ? left - right : right - left) -
           (low > high ? low - high : high - low);
}

static uint64_t draw_tables(struct orr_rng *rng, uint32_t i, uint32_t j, uint32_t nodes)
{
    (void)rng, (void)nodes;
    const uint64_t owners = (i % 4 == 0 ? 1U : 0U) + (j % 4 == 0 ? 1U : 0U);
    return owners * 33554432;
}

static uint64_t draw_pipeline(struct orr_rng *rng, uint32_t i, uint32_t j, uint32_t nodes)
{
    (void)rng;
    return (i + 1) % nodes == j || (j + 1) % nodes == i ? 100000000 : 1000;
}

static uint64_t draw_blocks(struct orr_rng *rng, uint32_t i, uint32_t j, uint32_t nodes)
{
    (void)rng, (void)nodes;
    return i / 8 == j / 8 ? 8000000 : 4000;
}

static const struct kind {
    const char *name;
    weigh weigh;
    uint32_t halvings;
} kinds[] = {{"random", draw_random, 0}, {"few", draw_few, 0},           {"plane", draw_plane, 0},
             {"tables", draw_tables, 0}, {"pipeline", draw_pipeline, 0}, {"blocks", draw_blocks, 0},
             {"halved", draw_random, 4}};

static const struct kind *kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static void fill(uint64_t *weight, const struct kind *kind, uint32_t nodes, uint64_t seed)
{
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 0);
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t j = 0; j < i; j++) {
            weight[(size_t)i * nodes + j] = weight[(size_t)j * nodes + i] =
                kind->weigh(&rng, i, j, nodes);
        }
    }
}

static uint64_t halve(uint64_t *weight, const uint32_t *mate, uint32_t nodes)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        if (mate[i] != MATCHING_NONE) {
            total += i < mate[i] ? weight[(size_t)i * nodes + mate[i]] : 0;
            weight[(size_t)i * nodes + mate[i]] /= 2;
        }
    }
    return total;
}

int main(int argc, char **argv)
{
    const struct kind *kind = argc > 2 ? kind_named(argv[1]) : NULL;
    const uint32_t nodes = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    struct orr_arena *arena = orr_arena_create(), *scratch = orr_arena_create();
    uint64_t *weight = orr_arena_array(arena, (size_t)nodes * nodes, sizeof *weight);
    uint32_t *mate = orr_arena_array(arena, nodes, sizeof *mate);
    if (kind == NULL || weight == NULL || mate == NULL) {
        (void)fprintf(stderr, "usage: bench_matching KIND NODES [SEED]\n");
        return 2;
    }
    fill(weight, kind, nodes, argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
    for (uint32_t round = 0; round <= kind->halvings; round++) {
        orr_arena_reset(scratch);
        const clock_t begin = clock();
        if (orr_matching_max_weight(scratch, nodes, weight, mate, NULL) != ORR_OK) {
            return 1;
        }
        const double ms = 1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC;
        const uint64_t total = halve(weight, mate, nodes);
        if (round == kind->halvings) {
            (void)printf("%.3f %" PRIu64 "\n", ms, total);
        }
    }
    orr_arena_destroy(scratch);
    orr_arena_destroy(arena);
    return 0;
}
