/* Double binary tree (Sanders, Speck and Traeff, Parallel Computing 35, 2009): two in-order binary
 * trees, taken in turns by the chunks (variant), such that the leaves of one are inner nodes of the
 * other. Labels: 0 is the root and has one child, the top of an in-order tree over 1..n-1, in which
 * the lowest set bit of a label is its level (odd labels are leaves). Variant 1 labels the ranks in
 * order from rank 0; variant 0 has its root at rank n - 1 and is the mirror image of variant 1 for
 * even n, and variant 1 shifted by one rank for odd n, where mirroring would keep the leaves. For
 * powers of two these are ASTRA-sim's RootMax (0) and RootMin (1). Rooted kinds put the label 0 on
 * the root and count upwards (variant 1) or downwards (variant 0) from it. */
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/tree_program.h"

struct labels {
    uint32_t n, root;
    bool downwards; /* labels grow against the ranks' order */
};

static struct labels labels_of(const struct coll_args *args)
{
    const bool second = (args->variant & 1) != 0, rooted = coll_is_rooted(args->kind);
    const bool even = args->n % 2 == 0;
    return (struct labels){.n = args->n,
                           .root = rooted ? args->root : (second ? 0 : args->n - 1),
                           .downwards = !second && (rooted || even)};
}

/* Rank to label; the same function for label to rank when labels grow downwards. */
static uint32_t label_of(const struct labels *labels, uint32_t rank)
{
    return labels->downwards ? coll_minus(labels->n, labels->root, rank)
                             : coll_minus(labels->n, rank, labels->root);
}

static uint32_t rank_of(const struct labels *labels, uint32_t label)
{
    return labels->downwards ? coll_minus(labels->n, labels->root, label)
                             : coll_plus(labels->n, labels->root, label);
}

/* The parent of a label above 0: one level up, or, where that label does not exist, the label
 * whose right subtree was cut. */
static uint32_t parent_of(uint32_t n, uint32_t label)
{
    const uint32_t bit = coll_low_bit(label), rest = label - bit;
    const uint32_t up = rest | (bit << 1);
    return up < n ? up : rest;
}

/* Children in ascending labels; at most two. O(log n). */
static uint32_t children_of(uint32_t n, uint32_t label, uint32_t child[2])
{
    if (label == 0) {
        child[0] = n > 1 ? 1u << coll_log2_floor(n - 1) : 0;
        return n > 1 ? 1 : 0;
    }
    uint32_t half = coll_low_bit(label) / 2;
    if (half == 0) {
        return 0;
    }
    child[0] = label - half;
    while (half != 0 && label + half >= n) {
        half /= 2;
    }
    child[1] = label + half;
    return half == 0 ? 1 : 2;
}

/* Which of its parent's two children, in the ranks' order from the root: as in ASTRA-sim the
 * smaller rank comes first. */
static uint32_t child_index_of(const struct labels *labels, uint32_t label, uint32_t parent)
{
    uint32_t child[2];
    if (children_of(labels->n, parent, child) < 2) {
        return 0;
    }
    return (label > parent) != labels->downwards ? 1 : 0;
}

static struct coll_tree_node node(const struct coll_args *args, uint32_t rank)
{
    const struct labels labels = labels_of(args);
    const uint32_t label = label_of(&labels, rank);
    struct coll_tree_node out = {.has_parent = label != 0};
    uint32_t child[2] = {0, 0};
    out.children = children_of(labels.n, label, child);
    const uint32_t swap = out.children == 2 && labels.downwards ? 1 : 0;
    for (uint32_t i = 0; i < out.children; i++) {
        out.child[i] = rank_of(&labels, child[i ^ swap]);
    }
    if (out.has_parent) {
        const uint32_t parent = parent_of(labels.n, label);
        out.parent = rank_of(&labels, parent);
        out.child_index = child_index_of(&labels, label, parent);
    }
    return out;
}

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

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    return orr_coll_tree_steps(kind, n == 1 ? 0 : coll_log2_floor(n - 1) + 1);
}

const struct coll_algorithm orr_coll_double_binary_tree = {
    .name = "double_binary_tree",
    .summary = "whole buffers up and down two complementary trees, chunks in turns",
    .in_order = false,
    .up_down = true,
    .varies = true,
    .chain = COLL_CHAIN_TREES,
    .astra_names = {"doubleBinaryTree"},
    .lanes = 1,
    .supports = orr_coll_tree_supports,
    .sends = sends,
    .recvs = recvs,
    .send = send,
    .recv = recv,
    .blocks = orr_coll_tree_blocks,
    .steps = steps};
