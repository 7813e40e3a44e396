/* Trees by the parents of their members. */
#include <inttypes.h>
#include <string.h>

#include "core/diag.h"
#include "system/embedding/embedding.h"

/* ---- checking ---- */

static enum orr_status find_root(struct sys_tree *tree, const char *what, struct orr_diag *diag)
{
    tree->root = SYS_NO_PARENT;
    for (uint32_t i = 0; i < tree->n; i++) {
        const uint32_t parent = tree->parent[i];
        if (parent == SYS_NO_PARENT && tree->root != SYS_NO_PARENT) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "%s: expected one root, got two, %" PRIu32 " and %" PRIu32, what,
                                 tree->root, i);
        }
        if (parent != SYS_NO_PARENT && parent >= tree->n) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "%s: the parent of %" PRIu32 ": expected a rank from 0 to %" PRIu32
                                 ", got %" PRIu32,
                                 what, i, tree->n - 1, parent);
        }
        tree->root = parent == SYS_NO_PARENT ? i : tree->root;
    }
    return tree->root != SYS_NO_PARENT
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: expected a root, got none", what);
}

/* More than n - 1 steps up from a member mean a cycle. */
enum orr_status orr_sys_tree_make(struct sys_tree *out, uint32_t n, const uint32_t *parent,
                                  const char *what, struct orr_diag *diag)
{
    *out = (struct sys_tree){.n = n, .parent = parent};
    const enum orr_status status = find_root(out, what, diag);
    for (uint32_t i = 0; i < n && status == ORR_OK; i++) {
        uint32_t at = i, steps = 0;
        while (parent[at] != SYS_NO_PARENT && steps < n) {
            at = parent[at];
            steps++;
        }
        if (steps == n) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "%s: the parents of %" PRIu32 " form a cycle through %" PRIu32,
                                 what, i, at);
        }
    }
    return status;
}

/* ---- metrics ---- */

uint32_t orr_sys_tree_level(const struct sys_tree *tree, uint32_t member)
{
    uint32_t level = 0;
    for (uint32_t at = member; tree->parent[at] != SYS_NO_PARENT; at = tree->parent[at]) {
        level++;
    }
    return level;
}

uint32_t orr_sys_tree_depth(const struct sys_tree *tree)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < tree->n; i++) {
        const uint32_t level = orr_sys_tree_level(tree, i);
        depth = level > depth ? level : depth;
    }
    return depth;
}

uint32_t orr_sys_trees_shared_inner(const struct sys_tree *a, const struct sys_tree *b, bool *inner)
{
    uint32_t shared = 0;
    memset(inner, 0, a->n * sizeof *inner);
    for (uint32_t i = 0; i < a->n; i++) {
        inner[i == a->root ? i : a->parent[i]] = true;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        const uint32_t at = i == b->root ? i : b->parent[i];
        shared += inner[at] ? 1 : 0;
        inner[at] = false;
    }
    return shared;
}

/* In labels 1..n-1 the lowest set bit is the level. If the label one level up does not exist, the
 * parent is the one whose right subtree was cut. */
void orr_sys_tree_double_binary(uint32_t n, uint32_t *parent)
{
    parent[0] = SYS_NO_PARENT;
    for (uint32_t label = 1; label < n; label++) {
        const uint32_t bit = label & (~label + 1), rest = label - bit;
        const uint32_t up = rest | (bit << 1);
        parent[label] = up < n ? up : rest;
    }
}
