/* Searches of trees: which are tried, and which of two is the better. */
#include <string.h>

#include "system/embedding/embed_search.h"

void orr_embed_label(uint32_t n, const uint32_t *usual, const uint32_t *place, uint32_t *parent)
{
    for (uint32_t i = 0; i < n; i++) {
        parent[place[i]] = usual[i] == SYS_NO_PARENT ? SYS_NO_PARENT : place[usual[i]];
    }
}

int orr_embed_compare_parents(const uint32_t *a, const uint32_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t left = a[i] + 1, right = b[i] + 1; /* SYS_NO_PARENT: 0 */
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return 0;
}

/* ---- a trial ---- */

struct trial {
    const uint32_t *parent;
    struct embed_task task;
    struct embed_cost cost;
    uint32_t depth, shared_inner;
    bool fewest;
};

static struct sys_tree tree_of(const struct embed_tree_search *hunt, const uint32_t *parent,
                               uint32_t t)
{
    const uint32_t n = hunt->finder.embed->n;
    struct sys_tree tree = {.n = n, .parent = parent + (size_t)t * n};
    while (tree.parent[tree.root] != SYS_NO_PARENT) {
        tree.root++;
    }
    return tree;
}

/* ORR_OK with no choices in the last edge: one has no way. */
static enum orr_status choose(struct embed_tree_search *hunt, struct trial *trial, bool *ways)
{
    const uint32_t n = hunt->finder.embed->n, trees = hunt->search->trees;
    struct embed_edge *edge = trial->task.edge;
    *ways = true;
    for (size_t i = 0; i < (size_t)n * trees && *ways; i++) {
        if (trial->parent[i] == SYS_NO_PARENT) {
            continue;
        }
        *edge = (struct embed_edge){.tree = (uint32_t)(i / n), .child = (uint32_t)(i % n)};
        const enum orr_status status =
            orr_embed_choices(&hunt->finder, edge->child, trial->parent[i], edge, hunt->diag);
        if (status != ORR_OK) {
            return status;
        }
        *ways = edge->choices > 0;
        edge++;
    }
    return ORR_OK;
}

/* Hops from the root to the farthest member of all trees. */
static uint32_t depth_of(const struct embed_tree_search *hunt, const struct trial *trial)
{
    const uint32_t n = hunt->finder.embed->n;
    uint32_t max = 0;
    for (uint32_t t = 0; t < hunt->search->trees; t++) {
        const struct sys_tree tree = tree_of(hunt, trial->parent, t);
        const struct embed_edge *edge = trial->task.edge + (size_t)t * (n - 1);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t hops = 0;
            for (uint32_t at = i; at != tree.root; at = tree.parent[at]) {
                const struct embed_edge *of = &edge[at > tree.root ? at - 1 : at];
                hops += of->choice[of->picked].up.hops;
            }
            max = hops > max ? hops : max;
        }
    }
    return max;
}

static uint32_t shared_of(const struct embed_tree_search *hunt, const struct trial *trial)
{
    uint32_t shared = 0;
    for (uint32_t t = 0; t < hunt->search->trees; t++) {
        const struct sys_tree tree = tree_of(hunt, trial->parent, t);
        for (uint32_t other = 0; other < t; other++) {
            const struct sys_tree before = tree_of(hunt, trial->parent, other);
            shared += orr_sys_trees_shared_inner(&tree, &before, hunt->inner);
        }
    }
    return shared;
}

static bool is_better(const struct embed_tree_search *hunt, const struct trial *trial)
{
    const struct embed_cost old = hunt->cost;
    if (!hunt->found || embed_cheaper(trial->cost, old)) {
        return true;
    }
    if (embed_cheaper(old, trial->cost)) {
        return false;
    }
    if (trial->depth != hunt->depth) {
        return trial->depth < hunt->depth;
    }
    if (trial->shared_inner != hunt->shared_inner) {
        return trial->shared_inner < hunt->shared_inner;
    }
    const size_t places = (size_t)hunt->finder.embed->n * hunt->search->trees;
    return orr_embed_compare_parents(trial->parent, hunt->best, places) < 0;
}

static void keep(struct embed_tree_search *hunt, const struct trial *trial)
{
    const size_t places = (size_t)hunt->finder.embed->n * hunt->search->trees;
    memcpy(hunt->best, trial->parent, places * sizeof *hunt->best);
    hunt->found = true;
    hunt->cost = trial->cost;
    hunt->depth = trial->depth;
    hunt->shared_inner = trial->shared_inner;
    hunt->fewest = trial->fewest;
}

enum orr_status orr_embed_try(struct embed_tree_search *hunt, const uint32_t *parent,
                              uint32_t steps)
{
    const uint32_t edges = hunt->search->trees * (hunt->finder.embed->n - 1);
    struct trial trial = {.parent = parent};
    bool ways = false;
    orr_arena_reset(hunt->scratch);
    trial.task = (struct embed_task){
        .graph = hunt->finder.embed->graph, .edges = edges, .uses = hunt->uses, .steps = steps};
    trial.task.edge = orr_arena_array(hunt->scratch, (size_t)edges + 1, sizeof *trial.task.edge);
    if (trial.task.edge == NULL) {
        return orr_diag_no_memory(hunt->diag, "a search of trees");
    }
    enum orr_status status = choose(hunt, &trial, &ways);
    if (status != ORR_OK || !ways) {
        return status;
    }
    status = orr_embed_assign(&trial.task, hunt->scratch, &trial.cost, &trial.fewest, hunt->diag);
    if (status != ORR_OK || (hunt->found && embed_cheaper(hunt->cost, trial.cost))) {
        return status;
    }
    trial.depth = depth_of(hunt, &trial);
    trial.shared_inner = shared_of(hunt, &trial);
    if (is_better(hunt, &trial)) {
        keep(hunt, &trial);
    }
    return ORR_OK;
}

/* ---- the search ---- */

static bool is_perfect(const struct embed_tree_search *hunt)
{
    return hunt->found && hunt->cost.conflicts == 0 && hunt->cost.between == 0;
}

static enum orr_status hunt_all(struct embed_tree_search *hunt)
{
    const enum sys_shape shape = hunt->search->shape;
    enum orr_status status = ORR_OK;
    if (shape != SYS_SHAPE_FREE) {
        status = orr_embed_search_dbt(hunt);
    }
    if (status == ORR_OK && shape != SYS_SHAPE_DOUBLE_BINARY && !is_perfect(hunt)) {
        status = orr_embed_search_any_shape(hunt);
    }
    return status;
}

static enum orr_status nothing_found(const struct embed_tree_search *hunt)
{
    const enum orr_status status =
        orr_net_graph_check_connected(hunt->finder.embed->graph, hunt->arena, hunt->diag);
    return status != ORR_OK
               ? status
               : orr_diag_fail(
                     hunt->diag, ORR_ERR_INPUT, NULL,
                     "no trees were found whose edges all have a way: over more NPUs, or of "
                     "another shape, there may be some");
}

static enum orr_status open_hunt(struct embed_tree_search *hunt, const struct sys_embed *embed)
{
    const size_t n = embed->n, trees = hunt->search->trees;
    enum orr_status status =
        orr_embed_open(&hunt->finder, embed, n <= 256, hunt->arena, hunt->diag);
    if (status == ORR_OK && (trees < 1 || trees > SYS_MAX_TREES)) {
        status = orr_diag_fail(hunt->diag, ORR_ERR_INPUT, NULL,
                               "a search of trees: expected 1 to %d trees, got %zu", SYS_MAX_TREES,
                               trees);
    }
    hunt->uses = orr_arena_array(hunt->arena, (size_t)embed->graph->links + 1, sizeof *hunt->uses);
    hunt->inner = orr_arena_array(hunt->arena, n, sizeof *hunt->inner);
    hunt->best = orr_arena_array(hunt->arena, n * trees, sizeof *hunt->best);
    hunt->scratch = orr_arena_create();
    if (hunt->uses == NULL || hunt->inner == NULL || hunt->best == NULL || hunt->scratch == NULL) {
        return orr_diag_no_memory(hunt->diag, "a search of trees");
    }
    return status;
}

static enum orr_status finish(struct embed_tree_search *hunt, struct sys_trees *out)
{
    struct sys_tree tree[SYS_MAX_TREES];
    for (uint32_t t = 0; t < out->trees; t++) {
        tree[t] = tree_of(hunt, hunt->best, t);
    }
    const enum orr_status status = orr_embed_trees(&hunt->finder, tree, out, hunt->diag);
    out->fewest = hunt->fewest || (out->conflicts == 0 && out->between == 0);
    return status;
}

enum orr_status orr_sys_search_trees(const struct sys_embed *embed,
                                     const struct sys_tree_search *search, struct orr_arena *arena,
                                     struct sys_trees *out, struct orr_diag *diag)
{
    struct embed_tree_search hunt = {.search = search, .arena = arena, .diag = diag};
    *out = (struct sys_trees){.n = embed->n, .trees = search->trees};
    enum orr_status status = open_hunt(&hunt, embed);
    status = status == ORR_OK ? hunt_all(&hunt) : status;
    if (status == ORR_OK && !hunt.found) {
        status = nothing_found(&hunt);
    }
    status = status == ORR_OK ? finish(&hunt, out) : status;
    orr_arena_destroy(hunt.scratch);
    return status;
}
