/* User trees by the parents of their ranks (C-Cube, HPCA 2023, section III): whole buffers go up
 * and down, chunk c along tree c mod T, each edge over its own channel if there is one. A rooted
 * collective re-roots the tree: the same edges, reversed on the path to the root. Without trees, as
 * the contract of algorithms requires, the ranks form a chain. */
#include "system/collectives/trees.h"

#include "core/arena.h"
#include "core/diag.h"
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/tree_program.h"

/* ---- derived fields ---- */

static void count_children(const struct coll_tree *tree, uint32_t n, uint32_t *first)
{
    for (uint32_t r = 0; r < n; r++) {
        if (tree->parent[r] != COLL_NO_PARENT) {
            first[tree->parent[r] + 1]++;
        }
    }
    for (uint32_t r = 0; r < n; r++) {
        first[r + 1] += first[r];
    }
}

/* Numbers the ranks in preorder: enter[r] is the number of r, leave[r] - 1 the last number of its
 * descendants. */
static void number_preorder(const struct coll_tree *tree, uint32_t n, uint32_t *enter,
                            uint32_t *leave)
{
    uint32_t at = tree->root, next = 0;
    enter[at] = next++;
    leave[at] = tree->first[at]; /* the next child, until all are numbered */
    for (;;) {
        if (leave[at] < tree->first[at + 1]) {
            at = tree->child[leave[at]++];
            enter[at] = next++;
            leave[at] = tree->first[at];
            continue;
        }
        leave[at] = next;
        if (at == tree->root) {
            break;
        }
        at = tree->parent[at];
    }
    ORR_ASSERT(next == n);
}

bool orr_coll_tree_fill(struct coll_tree *tree, uint32_t n, struct orr_arena *arena)
{
    uint32_t *first = orr_arena_array(arena, (size_t)n + 1, sizeof *first);
    uint32_t *rest = orr_arena_array(arena, (size_t)n * 4, sizeof *rest);
    if (first == NULL || rest == NULL) {
        return false;
    }
    uint32_t *child = rest, *child_index = rest + n, *enter = child_index + n, *leave = enter + n;
    count_children(tree, n, first);
    for (uint32_t r = 0; r < n; r++) {
        if (tree->parent[r] == COLL_NO_PARENT) {
            tree->root = r;
        } else {
            const uint32_t parent = tree->parent[r];
            child_index[r] = enter[parent]++; /* number of children filled in */
            child[first[parent] + child_index[r]] = r;
        }
    }
    tree->first = first;
    tree->child = child;
    tree->child_index = child_index;
    number_preorder(tree, n, enter, leave);
    tree->enter = enter;
    tree->leave = leave;
    return true;
}

/* ---- re-rooted tree ---- */

static uint32_t children_of(const struct coll_tree *tree, uint32_t rank)
{
    return tree->first[rank + 1] - tree->first[rank];
}

static bool is_above(const struct coll_tree *tree, uint32_t rank, uint32_t other)
{
    return tree->enter[rank] <= tree->enter[other] && tree->enter[other] < tree->leave[rank];
}

/* Index of the child of `rank` on the path to `root`; `children_of` if there is none. O(children).
 */
static uint32_t child_towards(const struct coll_tree *tree, uint32_t rank, uint32_t root)
{
    const uint32_t children = children_of(tree, rank);
    uint32_t i = root != rank && is_above(tree, rank, root) ? 0 : children;
    while (i < children && !is_above(tree, tree->child[tree->first[rank] + i], root)) {
        i++;
    }
    return i;
}

static uint32_t channel_of(const uint32_t *channels, uint32_t child)
{
    return channels != NULL ? channels[child] : 0;
}

static const struct coll_tree *tree_of(const struct coll_args *args)
{
    return &args->trees->tree[args->variant % args->trees->trees];
}

static uint32_t root_of(const struct coll_args *args, const struct coll_tree *tree)
{
    return coll_is_rooted(args->kind) ? args->root : tree->root;
}

/* Children in the re-rooted tree: all but the one towards the root, then the old parent unless it
 * is the new one. */
static uint32_t child_at(const struct coll_args *args, uint32_t rank, uint32_t i)
{
    const struct coll_tree *tree = tree_of(args);
    const uint32_t gap = child_towards(tree, rank, root_of(args, tree));
    const uint32_t at = i + (i >= gap ? 1 : 0);
    return at < children_of(tree, rank) ? tree->child[tree->first[rank] + at] : tree->parent[rank];
}

/* Keeps the old parent; child_index skips a sibling that is now above. */
static void attach_to_old_parent(const struct coll_tree *tree, uint32_t root, uint32_t rank,
                                 struct coll_tree_node *out)
{
    out->parent = tree->parent[rank];
    out->child_index = tree->child_index[rank] -
                       (tree->child_index[rank] > child_towards(tree, out->parent, root) ? 1 : 0);
    out->up = channel_of(tree->up, rank);
    out->down = channel_of(tree->down, rank);
}

/* Attaches to a former child, as its last child. */
static void attach_to_child(const struct coll_tree *tree, uint32_t root, uint32_t rank,
                            uint32_t child, struct coll_tree_node *out)
{
    const uint32_t parent = tree->child[tree->first[rank] + child];
    const uint32_t below = children_of(tree, parent);
    out->parent = parent;
    out->child_index = below - (child_towards(tree, parent, root) < below ? 1 : 0);
    out->up = channel_of(tree->down, parent);
    out->down = channel_of(tree->up, parent);
}

static struct coll_tree_node chain(const struct coll_args *args, uint32_t rank)
{
    const uint32_t root = coll_is_rooted(args->kind) ? args->root : 0;
    struct coll_tree_node out = {.has_parent = rank != root};
    if (rank != root) {
        out.parent = rank > root ? rank - 1 : rank + 1;
        out.child_index = rank > root && out.parent == root && root > 0 ? 1 : 0;
    }
    if (rank <= root && rank > 0) {
        out.child[out.children++] = rank - 1;
    }
    if (rank >= root && rank + 1 < args->n) {
        out.child[out.children++] = rank + 1;
    }
    return out;
}

static struct coll_tree_node node(const struct coll_args *args, uint32_t rank)
{
    if (args->trees == NULL || args->n == 1) {
        return chain(args, rank);
    }
    const struct coll_tree *tree = tree_of(args);
    const uint32_t root = root_of(args, tree), children = children_of(tree, rank);
    const uint32_t up = child_towards(tree, rank, root);
    struct coll_tree_node out = {.has_parent = rank != root, .more = child_at};
    if (rank != root && up == children) {
        attach_to_old_parent(tree, root, rank, &out);
    } else if (rank != root) {
        attach_to_child(tree, root, rank, up, &out);
    }
    const bool over = up < children, below_old = rank != tree->root && (over || rank == root);
    out.children = children - (over ? 1 : 0) + (below_old ? 1 : 0);
    return out;
}

/* ---- the program ---- */

static uint32_t sends(const struct coll_args *args)
{
    return orr_coll_tree_sends(args, node);
}

static uint32_t recvs(const struct coll_args *args)
{
    return orr_coll_tree_recvs(args, node);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    orr_coll_tree_send(args, node, k, out);
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    orr_coll_tree_recv(args, node, k, out);
}

/* Upper bound over all trees. */
static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    return orr_coll_tree_steps(kind, n - 1);
}

const struct coll_algorithm orr_coll_trees = {
    .name = "trees",
    .summary = "whole buffers up and down trees that are given, chunks in turns",
    .in_order = false,
    .by_name = true,
    .varies = true,
    .up_down = true,
    .given = true,
    .lanes = 1,
    .supports = orr_coll_tree_supports,
    .sends = sends,
    .recvs = recvs,
    .send = send,
    .recv = recv,
    .blocks = orr_coll_tree_blocks,
    .steps = steps};
