/* Trees of the usual shape, for more members than can be looked at in all orders: the members in
 * order; the second tree is the first one's mirror image (even) or shifted by one (odd), as of a
 * double binary tree; then orders with two members swapped, as long as that helps. */
#include "system/embedding/embed_search.h"

enum { TRIALS = 1 << 13, MAX_SWAPS = 400, STEPS = 0 };

/* The places of one tree of several. */
static void first_places(uint32_t n, uint32_t t, uint32_t *place)
{
    const uint32_t shift = n % 2 == 0 ? t / 2 * 2 : t;
    const bool mirrored = n % 2 == 0 && t % 2 == 1;
    for (uint32_t i = 0; i < n; i++) {
        place[i] = ((mirrored ? n - 1 - i : i) + shift) % n;
    }
}

struct swapping {
    struct embed_tree_search *hunt;
    uint32_t *usual, *place, *parent;
};

static enum orr_status try_places(struct swapping *swapping)
{
    const uint32_t n = swapping->hunt->finder.embed->n;
    for (uint32_t t = 0; t < swapping->hunt->search->trees; t++) {
        orr_embed_label(n, swapping->usual, swapping->place + (size_t)t * n,
                        swapping->parent + (size_t)t * n);
    }
    return orr_embed_try(swapping->hunt, swapping->parent, STEPS);
}

static void swap(uint32_t *place, uint64_t a, uint64_t b)
{
    const uint32_t old = place[a];
    place[a] = place[b];
    place[b] = old;
}

static bool same(struct embed_cost a, struct embed_cost b)
{
    return a.conflicts == b.conflicts && a.between == b.between;
}

/* Swaps two members of a tree again and again; what costs more is taken back. */
static enum orr_status swap_about(struct swapping *swapping)
{
    struct embed_tree_search *hunt = swapping->hunt;
    const uint32_t n = hunt->finder.embed->n;
    struct orr_rng rng;
    enum orr_status status = ORR_OK;
    const uint32_t trials = TRIALS / n < MAX_SWAPS ? TRIALS / n : MAX_SWAPS;
    orr_rng_init(&rng, hunt->search->seed, 0);
    for (uint32_t i = 0; i < trials && status == ORR_OK; i++) {
        uint32_t *place = swapping->place + orr_rng_below(&rng, hunt->search->trees) * n;
        const uint64_t a = orr_rng_below(&rng, n), b = orr_rng_below(&rng, n);
        const bool found = hunt->found;
        const struct embed_cost before = hunt->cost;
        swap(place, a, b);
        status = try_places(swapping);
        if (found && same(before, hunt->cost)) {
            swap(place, a, b);
        }
    }
    return status;
}

static enum orr_status hunt_in_order(struct embed_tree_search *hunt)
{
    const uint32_t n = hunt->finder.embed->n, trees = hunt->search->trees;
    const size_t places = (size_t)n * trees;
    struct swapping swapping = {.hunt = hunt};
    swapping.usual = orr_arena_array(hunt->arena, n, sizeof *swapping.usual);
    swapping.place = orr_arena_array(hunt->arena, places, sizeof *swapping.place);
    swapping.parent = orr_arena_array(hunt->arena, places, sizeof *swapping.parent);
    if (swapping.usual == NULL || swapping.place == NULL || swapping.parent == NULL) {
        return orr_diag_no_memory(hunt->diag, "a search of trees");
    }
    orr_sys_tree_double_binary(n, swapping.usual);
    for (uint32_t t = 0; t < trees; t++) {
        first_places(n, t, swapping.place + (size_t)t * n);
    }
    const enum orr_status status = try_places(&swapping);
    const bool perfect = hunt->found && hunt->cost.conflicts == 0 && hunt->cost.between == 0;
    return status == ORR_OK && !perfect ? swap_about(&swapping) : status;
}

enum orr_status orr_embed_search_dbt(struct embed_tree_search *hunt)
{
    return hunt->finder.embed->n <= EMBED_EXACT_MEMBERS ? orr_embed_search_dbt_exact(hunt)
                                                        : hunt_in_order(hunt);
}
