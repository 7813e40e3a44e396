/* Tree search: evaluation and comparison of candidates. */
#include <string.h>

#include "system/embedding/embed_search.h"

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_metrics.h"

void orr_embed_label(uint32_t n, const uint32_t *dbt, const uint32_t *member_at, uint32_t *parent)
{
    for (uint32_t i = 0; i < n; i++) {
        parent[member_at[i]] = dbt[i] == SYS_NO_PARENT ? SYS_NO_PARENT : member_at[dbt[i]];
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

/* ---- a candidate ---- */

struct candidate {
    const uint32_t *parent;
    struct embed_task task;
    struct embed_cost cost;
    uint32_t depth, shared_inner;
    bool fewest;
};

static struct sys_tree tree_of(const struct embed_tree_search *search, const uint32_t *parent,
                               uint32_t t)
{
    const uint32_t n = search->finder.embed->n;
    struct sys_tree tree = {.n = n, .parent = parent + (size_t)t * n};
    while (tree.parent[tree.root] != SYS_NO_PARENT) {
        tree.root++;
    }
    return tree;
}

/* Candidate paths of all edges; *have_paths false: an edge has none. */
static enum orr_status choose_paths(struct embed_tree_search *search, struct candidate *candidate,
                                    bool *have_paths)
{
    const uint32_t n = search->finder.embed->n, trees = search->options->trees;
    struct embed_edge *edge = candidate->task.edge;
    *have_paths = true;
    for (size_t i = 0; i < (size_t)n * trees && *have_paths; i++) {
        if (candidate->parent[i] == SYS_NO_PARENT) {
            continue;
        }
        *edge = (struct embed_edge){.tree = (uint32_t)(i / n), .child = (uint32_t)(i % n)};
        const enum orr_status status = orr_embed_choices(&search->finder, edge->child,
                                                         candidate->parent[i], edge, search->diag);
        if (status != ORR_OK) {
            return status;
        }
        *have_paths = edge->choices > 0;
        edge++;
    }
    return ORR_OK;
}

/* Hops from the root to the farthest member of all trees. */
static uint32_t depth_of(const struct embed_tree_search *search, const struct candidate *candidate)
{
    const uint32_t n = search->finder.embed->n;
    uint32_t max = 0;
    for (uint32_t t = 0; t < search->options->trees; t++) {
        const struct sys_tree tree = tree_of(search, candidate->parent, t);
        const struct embed_edge *edge = candidate->task.edge + (size_t)t * (n - 1);
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

static uint32_t shared_of(const struct embed_tree_search *search, const struct candidate *candidate)
{
    uint32_t shared = 0;
    for (uint32_t t = 0; t < search->options->trees; t++) {
        const struct sys_tree tree = tree_of(search, candidate->parent, t);
        for (uint32_t other = 0; other < t; other++) {
            const struct sys_tree before = tree_of(search, candidate->parent, other);
            shared += orr_sys_trees_shared_inner(&tree, &before, search->inner);
        }
    }
    return shared;
}

static bool is_better(const struct embed_tree_search *search, const struct candidate *candidate)
{
    const struct embed_cost old = search->cost;
    if (!search->found || embed_cheaper(candidate->cost, old)) {
        return true;
    }
    if (embed_cheaper(old, candidate->cost)) {
        return false;
    }
    if (candidate->depth != search->depth) {
        return candidate->depth < search->depth;
    }
    if (candidate->shared_inner != search->shared_inner) {
        return candidate->shared_inner < search->shared_inner;
    }
    const size_t entries = (size_t)search->finder.embed->n * search->options->trees;
    return orr_embed_compare_parents(candidate->parent, search->best, entries) < 0;
}

static void keep_best(struct embed_tree_search *search, const struct candidate *candidate)
{
    const size_t entries = (size_t)search->finder.embed->n * search->options->trees;
    memcpy(search->best, candidate->parent, entries * sizeof *search->best);
    search->found = true;
    search->cost = candidate->cost;
    search->depth = candidate->depth;
    search->shared_inner = candidate->shared_inner;
    search->fewest = candidate->fewest;
}

enum orr_status orr_embed_try(struct embed_tree_search *search, const uint32_t *parent,
                              uint32_t steps)
{
    const uint32_t edges = search->options->trees * (search->finder.embed->n - 1);
    struct candidate candidate = {.parent = parent};
    bool have_paths = false;
    orr_arena_reset(search->scratch);
    candidate.task = (struct embed_task){
        .graph = search->finder.embed->graph, .edges = edges, .uses = search->uses, .steps = steps};
    candidate.task.edge =
        orr_arena_array(search->scratch, (size_t)edges + 1, sizeof *candidate.task.edge);
    if (candidate.task.edge == NULL) {
        return orr_diag_no_memory(search->diag, "a search of trees");
    }
    enum orr_status status = choose_paths(search, &candidate, &have_paths);
    if (status != ORR_OK || !have_paths) {
        return status;
    }
    status = orr_embed_assign(&candidate.task, search->scratch, &candidate.cost, &candidate.fewest,
                              search->diag);
    if (status != ORR_OK || (search->found && embed_cheaper(search->cost, candidate.cost))) {
        return status;
    }
    candidate.depth = depth_of(search, &candidate);
    candidate.shared_inner = shared_of(search, &candidate);
    if (is_better(search, &candidate)) {
        keep_best(search, &candidate);
    }
    return ORR_OK;
}

/* ---- the search ---- */

static bool is_perfect(const struct embed_tree_search *search)
{
    return search->found && search->cost.conflicts == 0 && search->cost.between == 0;
}

static enum orr_status search_all(struct embed_tree_search *search)
{
    const enum sys_shape shape = search->options->shape;
    enum orr_status status = ORR_OK;
    if (shape != SYS_SHAPE_FREE) {
        status = orr_embed_search_dbt(search);
    }
    if (status == ORR_OK && shape != SYS_SHAPE_DOUBLE_BINARY && !is_perfect(search)) {
        status = orr_embed_search_any_shape(search);
    }
    return status;
}

static enum orr_status fail_not_found(const struct embed_tree_search *search)
{
    const enum orr_status status =
        orr_net_graph_check_connected(search->finder.embed->graph, search->arena, search->diag);
    return status != ORR_OK ? status
                            : orr_diag_fail(search->diag, ORR_ERR_INPUT, NULL,
                                            "found no trees whose edges all have a path; more NPUs "
                                            "between, or another shape, may help");
}

static enum orr_status init_search(struct embed_tree_search *search, const struct sys_embed *embed)
{
    const size_t n = embed->n, trees = search->options->trees;
    enum orr_status status =
        orr_embed_open(&search->finder, embed, n <= 256, search->arena, search->diag);
    if (status == ORR_OK && (trees < 1 || trees > SYS_MAX_TREES)) {
        status = orr_diag_fail(search->diag, ORR_ERR_INPUT, NULL,
                               "a search of trees: expected 1 to %d trees, got %zu", SYS_MAX_TREES,
                               trees);
    }
    search->uses =
        orr_arena_array(search->arena, (size_t)embed->graph->links + 1, sizeof *search->uses);
    search->inner = orr_arena_array(search->arena, n, sizeof *search->inner);
    search->best = orr_arena_array(search->arena, n * trees, sizeof *search->best);
    search->scratch = orr_arena_create();
    if (search->uses == NULL || search->inner == NULL || search->best == NULL ||
        search->scratch == NULL) {
        return orr_diag_no_memory(search->diag, "a search of trees");
    }
    return status;
}

static enum orr_status finish(struct embed_tree_search *search, struct sys_trees *out)
{
    struct sys_tree tree[SYS_MAX_TREES];
    for (uint32_t t = 0; t < out->trees; t++) {
        tree[t] = tree_of(search, search->best, t);
    }
    const enum orr_status status = orr_embed_trees(&search->finder, tree, out, search->diag);
    out->fewest = search->fewest || (out->conflicts == 0 && out->between == 0);
    return status;
}

enum orr_status orr_sys_search_trees(const struct sys_embed *embed,
                                     const struct sys_tree_search *options, struct orr_arena *arena,
                                     struct sys_trees *out, struct orr_diag *diag)
{
    struct embed_tree_search search = {.options = options, .arena = arena, .diag = diag};
    *out = (struct sys_trees){.n = embed->n, .trees = options->trees};
    enum orr_status status = init_search(&search, embed);
    status = status == ORR_OK ? search_all(&search) : status;
    if (status == ORR_OK && !search.found) {
        status = fail_not_found(&search);
    }
    status = status == ORR_OK ? finish(&search, out) : status;
    orr_arena_destroy(search.scratch);
    return status;
}
