/* Trees of the DBT shape for many members: local search. Start: the members in order; the second
 * tree is the first one's mirror image (even n) or shifted by one (odd n), as in a double binary
 * tree. Then swaps of two members that improve. */
#include "core/arena.h"
#include "core/diag.h"
#include "system/embedding/embed_search.h"

enum { TRIALS = 1 << 13, MAX_SWAPS = 400, STEPS = 0 };

/* Initial order of members for tree t. */
static void initial_order(uint32_t n, uint32_t t, uint32_t *member_at)
{
    const uint32_t shift = n % 2 == 0 ? t / 2 * 2 : t;
    const bool mirrored = n % 2 == 0 && t % 2 == 1;
    for (uint32_t i = 0; i < n; i++) {
        member_at[i] = ((mirrored ? n - 1 - i : i) + shift) % n;
    }
}

struct order_search {
    struct embed_tree_search *search;
    uint32_t *dbt, *member_at, *parent;
};

static enum orr_status try_order(struct order_search *order_search)
{
    const uint32_t n = order_search->search->finder.embed->n;
    for (uint32_t t = 0; t < order_search->search->options->trees; t++) {
        orr_embed_label(n, order_search->dbt, order_search->member_at + (size_t)t * n,
                        order_search->parent + (size_t)t * n);
    }
    return orr_embed_try(order_search->search, order_search->parent, STEPS);
}

static void swap(uint32_t *member_at, uint64_t a, uint64_t b)
{
    const uint32_t old = member_at[a];
    member_at[a] = member_at[b];
    member_at[b] = old;
}

static bool same_cost(struct embed_cost a, struct embed_cost b)
{
    return a.conflicts == b.conflicts && a.between == b.between;
}

/* Random swaps of two members of a tree; a swap that does not improve is undone. */
static enum orr_status swap_members(struct order_search *order_search)
{
    struct embed_tree_search *search = order_search->search;
    const uint32_t n = search->finder.embed->n;
    struct orr_rng rng;
    enum orr_status status = ORR_OK;
    const uint32_t trials = TRIALS / n < MAX_SWAPS ? TRIALS / n : MAX_SWAPS;
    orr_rng_init(&rng, search->options->seed, 0);
    for (uint32_t i = 0; i < trials && status == ORR_OK; i++) {
        uint32_t *member_at =
            order_search->member_at + orr_rng_below(&rng, search->options->trees) * n;
        const uint64_t a = orr_rng_below(&rng, n), b = orr_rng_below(&rng, n);
        const bool found = search->found;
        const struct embed_cost before = search->cost;
        swap(member_at, a, b);
        status = try_order(order_search);
        if (found && same_cost(before, search->cost)) {
            swap(member_at, a, b);
        }
    }
    return status;
}

static enum orr_status search_from_order(struct embed_tree_search *search)
{
    const uint32_t n = search->finder.embed->n, trees = search->options->trees;
    const size_t entries = (size_t)n * trees;
    struct order_search order_search = {.search = search};
    order_search.dbt = orr_arena_array(search->arena, n, sizeof *order_search.dbt);
    order_search.member_at =
        orr_arena_array(search->arena, entries, sizeof *order_search.member_at);
    order_search.parent = orr_arena_array(search->arena, entries, sizeof *order_search.parent);
    if (order_search.dbt == NULL || order_search.member_at == NULL || order_search.parent == NULL) {
        return orr_diag_no_memory(search->diag, "a search of trees");
    }
    orr_sys_tree_double_binary(n, order_search.dbt);
    for (uint32_t t = 0; t < trees; t++) {
        initial_order(n, t, order_search.member_at + (size_t)t * n);
    }
    const enum orr_status status = try_order(&order_search);
    const bool perfect = search->found && search->cost.conflicts == 0 && search->cost.between == 0;
    return status == ORR_OK && !perfect ? swap_members(&order_search) : status;
}

enum orr_status orr_embed_search_dbt(struct embed_tree_search *search)
{
    return search->finder.embed->n <= EMBED_EXACT_MEMBERS ? orr_embed_search_dbt_exact(search)
                                                          : search_from_order(search);
}
