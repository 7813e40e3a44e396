/* All trees of the usual shape over up to EMBED_EXACT_MEMBERS members. Those whose edges all have a
 * link are few on most graphs: first all sets of these in order, for one without conflicts. Only if
 * there is none, all sets of all trees, by what each costs alone, which is the least that it costs
 * among others. */
#include <stdlib.h>
#include <string.h>

#include "system/embedding/embed_search.h"

enum { MEMBERS = EMBED_EXACT_MEMBERS, MAX_TRIALS = 1 << 14, MAX_STEPS = 1 << 24, STEPS = 1 << 10 };

struct figure {
    uint32_t parent[MEMBERS];
    struct embed_cost alone;
    bool direct; /* each edge has a link of its own */
    uint32_t edges;
    uint32_t link[2 * MEMBERS]; /* of a direct one */
    uint32_t inner;             /* bits */
};

struct all {
    struct embed_tree_search *hunt;
    uint32_t n, trees;
    uint32_t usual[MEMBERS];
    uint64_t form[MEMBERS]; /* of the subtrees: equal for equal shapes */
    struct figure *figure;
    size_t count, room;
    size_t chosen[SYS_MAX_TREES], best[SYS_MAX_TREES];
    uint32_t parent[SYS_MAX_TREES * MEMBERS];
    uint64_t steps;
    uint32_t min_shared; /* of direct sets */
    bool found, complete;
    bool failed; /* memory */
    enum orr_status status;
};

/* ---- all figures ---- */

/* The shape below a label in brackets: 1, its children's in order, 0. */
static uint64_t form_of(struct all *all, uint32_t label)
{
    uint64_t form = 1;
    uint64_t child[MEMBERS];
    uint32_t children = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        if (all->usual[i] == label) {
            uint32_t at = children++;
            const uint64_t of = form_of(all, i);
            for (; at > 0 && child[at - 1] > of; at--) {
                child[at] = child[at - 1];
            }
            child[at] = of;
        }
    }
    for (uint32_t i = 0; i < children; i++) {
        uint64_t length = 1;
        while (child[i] >> length != 0) {
            length++;
        }
        form = (form << length) | child[i];
    }
    all->form[label] = form << 1;
    return form << 1;
}

/* Of two children with equal shapes below them, the smaller member is the first: each tree appears
 * once. */
static bool is_first(const struct all *all, const uint32_t *place, uint32_t label)
{
    for (uint32_t i = 0; i < label; i++) {
        if (all->usual[i] == all->usual[label] && all->form[i] == all->form[label] &&
            place[i] > place[label]) {
            return false;
        }
    }
    return true;
}

static void add_figure(struct all *all, const uint32_t *place)
{
    struct figure *grown =
        orr_arena_grow(all->hunt->arena, all->figure, &all->room, all->count + 1, sizeof *grown);
    if (grown == NULL) {
        all->failed = true;
        return;
    }
    all->figure = grown;
    struct figure *figure = &grown[all->count++];
    *figure = (struct figure){.edges = all->n - 1};
    orr_embed_label(all->n, all->usual, place, figure->parent);
    for (uint32_t i = 0; i < all->n; i++) {
        const uint32_t parent = figure->parent[i];
        figure->inner |= 1u << (parent == SYS_NO_PARENT ? i : parent);
    }
}

static void place_all(struct all *all, uint32_t *place, uint32_t label, uint32_t taken)
{
    for (uint32_t i = 0; i < all->n && label < all->n && !all->failed; i++) {
        place[label] = i;
        if ((taken >> i & 1) == 0 && is_first(all, place, label)) {
            place_all(all, place, label + 1, taken | 1u << i);
        }
    }
    if (label == all->n) {
        add_figure(all, place);
    }
}

static int by_parents(const void *a, const void *b)
{
    const struct figure *left = a, *right = b;
    return orr_embed_compare_parents(left->parent, right->parent, MEMBERS);
}

static int by_cost(const void *a, const void *b)
{
    const struct figure *left = a, *right = b;
    return embed_cheaper(left->alone, right->alone)   ? -1
           : embed_cheaper(right->alone, left->alone) ? 1
                                                      : by_parents(a, b);
}

/* ---- direct sets ---- */

static void find_direct(struct all *all, struct figure *figure)
{
    const struct sys_embed *embed = all->hunt->finder.embed;
    uint32_t links = 0;
    figure->direct = true;
    for (uint32_t i = 0; i < all->n && figure->direct; i++) {
        bool backwards = false;
        if (figure->parent[i] == SYS_NO_PARENT) {
            continue;
        }
        const uint32_t from = embed_npu(embed, i), to = embed_npu(embed, figure->parent[i]);
        const uint32_t up = orr_net_graph_find(embed->graph, from, to);
        const uint32_t down = orr_net_graph_find(embed->graph, to, from);
        figure->direct = up != NET_NO_LINK && down != NET_NO_LINK &&
                         orr_embed_given(embed, from, to, &backwards) == NULL;
        figure->link[links++] = up;
        figure->link[links++] = down;
    }
}

/* Whether the figure fits beside those that are chosen; it is then taken. */
static bool fit(struct all *all, const struct figure *figure)
{
    uint32_t *uses = all->hunt->uses;
    for (uint32_t i = 0; i < 2 * figure->edges; i++) {
        if (uses[figure->link[i]] == all->hunt->finder.embed->graph->link[figure->link[i]].count) {
            while (i-- > 0) {
                uses[figure->link[i]]--;
            }
            return false;
        }
        uses[figure->link[i]]++;
    }
    return true;
}

static void unfit(struct all *all, const struct figure *figure)
{
    for (uint32_t i = 0; i < 2 * figure->edges; i++) {
        all->hunt->uses[figure->link[i]]--;
    }
}

static uint32_t shared_with(const struct all *all, uint32_t chosen, const struct figure *figure)
{
    uint32_t shared = 0;
    for (uint32_t t = 0; t < chosen; t++) {
        for (uint32_t bits = all->figure[all->chosen[t]].inner & figure->inner; bits != 0;
             bits &= bits - 1) {
            shared++;
        }
    }
    return shared;
}

/* Tries what is chosen, in the order of the members' parents. */
static void try_chosen(struct all *all, uint32_t steps)
{
    for (uint32_t t = 0; t < all->trees; t++) {
        memcpy(all->parent + (size_t)t * all->n, all->figure[all->chosen[t]].parent,
               all->n * sizeof *all->parent);
    }
    all->status = orr_embed_try(all->hunt, all->parent, steps);
}

/* The first set without conflicts that has the fewest shared inner members. */
static void choose_direct(struct all *all, uint32_t chosen, size_t from, uint32_t shared)
{
    if (chosen == all->trees) {
        all->found = true;
        all->min_shared = shared;
        memcpy(all->best, all->chosen, all->trees * sizeof *all->best);
        return;
    }
    for (size_t i = from; i < all->count && all->steps > 0; i++) {
        const struct figure *figure = &all->figure[i];
        if (!figure->direct) {
            continue;
        }
        all->steps--;
        const uint32_t more = shared + shared_with(all, chosen, figure);
        if (!(all->found && more >= all->min_shared) && fit(all, figure)) {
            all->chosen[chosen] = i;
            choose_direct(all, chosen + 1, i, more);
            unfit(all, figure);
        }
        if (all->found && all->min_shared <= shared) {
            return;
        }
    }
}

/* ---- all sets ---- */

static enum orr_status cost_alone(struct all *all)
{
    struct embed_tree_search alone = *all->hunt;
    struct sys_tree_search one = *all->hunt->search;
    uint32_t best[MEMBERS];
    enum orr_status status = ORR_OK;
    size_t kept = 0;
    one.trees = 1;
    alone.search = &one;
    alone.best = best;
    for (size_t i = 0; i < all->count && status == ORR_OK; i++) {
        alone.found = false;
        status = orr_embed_try(&alone, all->figure[i].parent, STEPS);
        all->figure[i].alone = alone.cost;
        if (alone.found) {
            all->figure[kept++] = all->figure[i];
        }
    }
    all->count = kept;
    return status;
}

/* Whether sets with these costs, and `left` more figures from i on, can be better or as good. */
static bool may_be_best(const struct all *all, struct embed_cost cost, size_t i, uint32_t left)
{
    const struct embed_cost each = all->figure[i].alone;
    cost.conflicts += left * each.conflicts;
    cost.between += cost.conflicts < all->hunt->cost.conflicts ? 0 : left * each.between;
    return !all->hunt->found || !embed_cheaper(all->hunt->cost, cost);
}

static void choose_any(struct all *all, uint32_t chosen, size_t from, struct embed_cost cost)
{
    if (chosen == all->trees) {
        all->complete = all->complete && all->steps > 0;
        if (all->steps > 0) {
            all->steps--;
            try_chosen(all, STEPS);
        }
        return;
    }
    for (size_t i = from; i < all->count && all->complete && all->status == ORR_OK; i++) {
        const struct embed_cost alone = all->figure[i].alone;
        if (!may_be_best(all, cost, i, all->trees - chosen)) {
            return;
        }
        all->chosen[chosen] = i;
        choose_any(
            all, chosen + 1, i,
            (struct embed_cost){cost.conflicts + alone.conflicts, cost.between + alone.between});
    }
}

static enum orr_status hunt_any(struct all *all)
{
    enum orr_status status = cost_alone(all);
    if (status != ORR_OK || all->count == 0) {
        return status;
    }
    qsort(all->figure, all->count, sizeof *all->figure, by_cost);
    all->steps = MAX_TRIALS;
    all->complete = true;
    choose_any(all, 0, 0, (struct embed_cost){0, 0});
    all->hunt->fewest = all->hunt->fewest && all->complete;
    return all->status;
}

/* ---- the search ---- */

static enum orr_status hunt_direct(struct all *all)
{
    qsort(all->figure, all->count, sizeof *all->figure, by_parents);
    for (size_t i = 0; i < all->count; i++) {
        find_direct(all, &all->figure[i]);
    }
    all->steps = MAX_STEPS;
    choose_direct(all, 0, 0, 0);
    if (all->found) {
        memcpy(all->chosen, all->best, all->trees * sizeof *all->best);
        try_chosen(all, STEPS);
    }
    return all->status;
}

enum orr_status orr_embed_search_dbt_exact(struct embed_tree_search *hunt)
{
    struct all *all = orr_arena_array(hunt->arena, 1, sizeof *all);
    uint32_t place[MEMBERS];
    if (all == NULL) {
        return orr_diag_no_memory(hunt->diag, "a search of trees");
    }
    all->hunt = hunt;
    all->n = hunt->finder.embed->n;
    all->trees = hunt->search->trees;
    orr_sys_tree_double_binary(all->n, all->usual);
    (void)form_of(all, 0);
    place_all(all, place, 0, 0);
    if (all->failed) {
        return orr_diag_no_memory(hunt->diag, "a search of trees");
    }
    const enum orr_status status = hunt_direct(all);
    return status == ORR_OK && !all->found ? hunt_any(all) : status;
}
