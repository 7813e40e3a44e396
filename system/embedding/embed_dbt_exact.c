/* Exhaustive search of trees of the DBT shape over up to EMBED_EXACT_MEMBERS members. First all
 * sets of trees whose edges all have a link, in order, for one without conflicts; on most graphs
 * these are few. If there is none, all sets of all trees, bounded by the cost of each tree alone,
 * which is a lower bound of its cost in a set. */
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "system/embedding/embed_search.h"

enum { MEMBERS = EMBED_EXACT_MEMBERS, MAX_TRIALS = 1 << 14, MAX_STEPS = 1 << 24, STEPS = 1 << 10 };

struct tree {
    uint32_t parent[MEMBERS];
    struct embed_cost single;
    bool direct; /* each edge has a link */
    uint32_t edges;
    uint32_t link[2 * MEMBERS]; /* links of a direct tree */
    uint32_t inner;             /* bits */
};

struct all_trees {
    struct embed_tree_search *search;
    uint32_t n, trees;
    uint32_t dbt[MEMBERS];
    uint64_t code[MEMBERS]; /* code of each subtree: equal for equal shapes */
    struct tree *tree;
    size_t count, capacity;
    size_t chosen[SYS_MAX_TREES], best[SYS_MAX_TREES];
    uint32_t parent[SYS_MAX_TREES * MEMBERS];
    uint64_t steps;
    uint32_t min_shared; /* minimum shared inner members of direct sets */
    bool found, complete;
    bool failed; /* memory */
    enum orr_status status;
};

/* ---- all trees ---- */

/* Code of the subtree of a label as brackets: 1, its children's codes in order, 0. */
static uint64_t shape_code(struct all_trees *all_trees, uint32_t label)
{
    uint64_t code = 1;
    uint64_t child[MEMBERS];
    uint32_t children = 0;
    for (uint32_t i = 0; i < all_trees->n; i++) {
        if (all_trees->dbt[i] == label) {
            uint32_t at = children++;
            const uint64_t of = shape_code(all_trees, i);
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
        code = (code << length) | child[i];
    }
    all_trees->code[label] = code << 1;
    return code << 1;
}

/* Symmetry breaking: of two children with equal subtrees the smaller member is first, so each tree
 * appears once. */
static bool is_first(const struct all_trees *all_trees, const uint32_t *member_at, uint32_t label)
{
    for (uint32_t i = 0; i < label; i++) {
        if (all_trees->dbt[i] == all_trees->dbt[label] &&
            all_trees->code[i] == all_trees->code[label] && member_at[i] > member_at[label]) {
            return false;
        }
    }
    return true;
}

static void add_tree(struct all_trees *all_trees, const uint32_t *member_at)
{
    struct tree *grown = orr_arena_grow(all_trees->search->arena, all_trees->tree,
                                        &all_trees->capacity, all_trees->count + 1, sizeof *grown);
    if (grown == NULL) {
        all_trees->failed = true;
        return;
    }
    all_trees->tree = grown;
    struct tree *tree = &grown[all_trees->count++];
    *tree = (struct tree){.edges = all_trees->n - 1};
    orr_embed_label(all_trees->n, all_trees->dbt, member_at, tree->parent);
    for (uint32_t i = 0; i < all_trees->n; i++) {
        const uint32_t parent = tree->parent[i];
        tree->inner |= 1u << (parent == SYS_NO_PARENT ? i : parent);
    }
}

static void enumerate_trees(struct all_trees *all_trees, uint32_t *member_at, uint32_t label,
                            uint32_t taken)
{
    for (uint32_t i = 0; i < all_trees->n && label < all_trees->n && !all_trees->failed; i++) {
        member_at[label] = i;
        if ((taken >> i & 1) == 0 && is_first(all_trees, member_at, label)) {
            enumerate_trees(all_trees, member_at, label + 1, taken | 1u << i);
        }
    }
    if (label == all_trees->n) {
        add_tree(all_trees, member_at);
    }
}

static int compare_parents(const void *a, const void *b)
{
    const struct tree *left = a, *right = b;
    return orr_embed_compare_parents(left->parent, right->parent, MEMBERS);
}

static int compare_costs(const void *a, const void *b)
{
    const struct tree *left = a, *right = b;
    return embed_cheaper(left->single, right->single)   ? -1
           : embed_cheaper(right->single, left->single) ? 1
                                                        : compare_parents(a, b);
}

/* ---- direct sets ---- */

static void find_direct_links(struct all_trees *all_trees, struct tree *tree)
{
    const struct sys_embed *embed = all_trees->search->finder.embed;
    uint32_t links = 0;
    tree->direct = true;
    for (uint32_t i = 0; i < all_trees->n && tree->direct; i++) {
        bool backwards = false;
        if (tree->parent[i] == SYS_NO_PARENT) {
            continue;
        }
        const uint32_t from = embed_npu(embed, i), to = embed_npu(embed, tree->parent[i]);
        const uint32_t up = orr_net_graph_find(embed->graph, from, to);
        const uint32_t down = orr_net_graph_find(embed->graph, to, from);
        tree->direct = up != NET_NO_LINK && down != NET_NO_LINK &&
                       orr_embed_user_path(embed, from, to, &backwards) == NULL;
        tree->link[links++] = up;
        tree->link[links++] = down;
    }
}

/* Reserves the links of a tree if they are free among the chosen trees. */
static bool reserve_links(struct all_trees *all_trees, const struct tree *tree)
{
    uint32_t *uses = all_trees->search->uses;
    for (uint32_t i = 0; i < 2 * tree->edges; i++) {
        if (uses[tree->link[i]] ==
            all_trees->search->finder.embed->graph->link[tree->link[i]].count) {
            while (i-- > 0) {
                uses[tree->link[i]]--;
            }
            return false;
        }
        uses[tree->link[i]]++;
    }
    return true;
}

static void release_links(struct all_trees *all_trees, const struct tree *tree)
{
    for (uint32_t i = 0; i < 2 * tree->edges; i++) {
        all_trees->search->uses[tree->link[i]]--;
    }
}

static uint32_t shared_with(const struct all_trees *all_trees, uint32_t chosen,
                            const struct tree *tree)
{
    uint32_t shared = 0;
    for (uint32_t t = 0; t < chosen; t++) {
        for (uint32_t bits = all_trees->tree[all_trees->chosen[t]].inner & tree->inner; bits != 0;
             bits &= bits - 1) {
            shared++;
        }
    }
    return shared;
}

/* Evaluates the chosen trees, in the order of the members' parents. */
static void try_chosen(struct all_trees *all_trees, uint32_t steps)
{
    for (uint32_t t = 0; t < all_trees->trees; t++) {
        memcpy(all_trees->parent + (size_t)t * all_trees->n,
               all_trees->tree[all_trees->chosen[t]].parent,
               all_trees->n * sizeof *all_trees->parent);
    }
    all_trees->status = orr_embed_try(all_trees->search, all_trees->parent, steps);
}

/* The first set without conflicts that has the fewest shared inner members. */
static void choose_direct(struct all_trees *all_trees, uint32_t chosen, size_t from,
                          uint32_t shared)
{
    if (chosen == all_trees->trees) {
        all_trees->found = true;
        all_trees->min_shared = shared;
        memcpy(all_trees->best, all_trees->chosen, all_trees->trees * sizeof *all_trees->best);
        return;
    }
    for (size_t i = from; i < all_trees->count && all_trees->steps > 0; i++) {
        const struct tree *tree = &all_trees->tree[i];
        if (!tree->direct) {
            continue;
        }
        all_trees->steps--;
        const uint32_t more = shared + shared_with(all_trees, chosen, tree);
        if (!(all_trees->found && more >= all_trees->min_shared) &&
            reserve_links(all_trees, tree)) {
            all_trees->chosen[chosen] = i;
            choose_direct(all_trees, chosen + 1, i, more);
            release_links(all_trees, tree);
        }
        if (all_trees->found && all_trees->min_shared <= shared) {
            return;
        }
    }
}

/* ---- all sets ---- */

static enum orr_status find_single_costs(struct all_trees *all_trees)
{
    struct embed_tree_search single = *all_trees->search;
    struct sys_tree_search one = *all_trees->search->options;
    uint32_t best[MEMBERS];
    enum orr_status status = ORR_OK;
    size_t kept = 0;
    one.trees = 1;
    single.options = &one;
    single.best = best;
    for (size_t i = 0; i < all_trees->count && status == ORR_OK; i++) {
        single.found = false;
        status = orr_embed_try(&single, all_trees->tree[i].parent, STEPS);
        all_trees->tree[i].single = single.cost;
        if (single.found) {
            all_trees->tree[kept++] = all_trees->tree[i];
        }
    }
    all_trees->count = kept;
    return status;
}

/* Whether sets with this cost and `left` more trees from i on can equal or beat the best. */
static bool can_be_best(const struct all_trees *all_trees, struct embed_cost cost, size_t i,
                        uint32_t left)
{
    const struct embed_cost each = all_trees->tree[i].single;
    cost.conflicts += left * each.conflicts;
    cost.between += cost.conflicts < all_trees->search->cost.conflicts ? 0 : left * each.between;
    return !all_trees->search->found || !embed_cheaper(all_trees->search->cost, cost);
}

static void choose_any(struct all_trees *all_trees, uint32_t chosen, size_t from,
                       struct embed_cost cost)
{
    if (chosen == all_trees->trees) {
        all_trees->complete = all_trees->complete && all_trees->steps > 0;
        if (all_trees->steps > 0) {
            all_trees->steps--;
            try_chosen(all_trees, STEPS);
        }
        return;
    }
    for (size_t i = from;
         i < all_trees->count && all_trees->complete && all_trees->status == ORR_OK; i++) {
        const struct embed_cost single = all_trees->tree[i].single;
        if (!can_be_best(all_trees, cost, i, all_trees->trees - chosen)) {
            return;
        }
        all_trees->chosen[chosen] = i;
        choose_any(
            all_trees, chosen + 1, i,
            (struct embed_cost){cost.conflicts + single.conflicts, cost.between + single.between});
    }
}

static enum orr_status search_any(struct all_trees *all_trees)
{
    enum orr_status status = find_single_costs(all_trees);
    if (status != ORR_OK || all_trees->count == 0) {
        return status;
    }
    qsort(all_trees->tree, all_trees->count, sizeof *all_trees->tree, compare_costs);
    all_trees->steps = MAX_TRIALS;
    all_trees->complete = true;
    choose_any(all_trees, 0, 0, (struct embed_cost){0, 0});
    all_trees->search->fewest = all_trees->search->fewest && all_trees->complete;
    return all_trees->status;
}

/* ---- the search ---- */

static enum orr_status search_direct(struct all_trees *all_trees)
{
    qsort(all_trees->tree, all_trees->count, sizeof *all_trees->tree, compare_parents);
    for (size_t i = 0; i < all_trees->count; i++) {
        find_direct_links(all_trees, &all_trees->tree[i]);
    }
    all_trees->steps = MAX_STEPS;
    choose_direct(all_trees, 0, 0, 0);
    if (all_trees->found) {
        memcpy(all_trees->chosen, all_trees->best, all_trees->trees * sizeof *all_trees->best);
        try_chosen(all_trees, STEPS);
    }
    return all_trees->status;
}

enum orr_status orr_embed_search_dbt_exact(struct embed_tree_search *search)
{
    struct all_trees *all_trees = orr_arena_array(search->arena, 1, sizeof *all_trees);
    uint32_t member_at[MEMBERS];
    if (all_trees == NULL) {
        return orr_diag_no_memory(search->diag, "a search of trees");
    }
    all_trees->search = search;
    all_trees->n = search->finder.embed->n;
    all_trees->trees = search->options->trees;
    orr_sys_tree_double_binary(all_trees->n, all_trees->dbt);
    (void)shape_code(all_trees, 0);
    enumerate_trees(all_trees, member_at, 0, 0);
    if (all_trees->failed) {
        return orr_diag_no_memory(search->diag, "a search of trees");
    }
    const enum orr_status status = search_direct(all_trees);
    return status == ORR_OK && !all_trees->found ? search_any(all_trees) : status;
}
