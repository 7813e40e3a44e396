/* Binary tree in heap numbering: with p = rank - root, the children of p are 2p + 1 and 2p + 2.
 * Kinds without a root use rank 0. Whole buffers on every edge; chunks make the pipeline. */
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/tree_program.h"

static struct coll_tree_node node(const struct coll_args *args, uint32_t rank)
{
    const uint32_t n = args->n, root = coll_is_rooted(args->kind) ? args->root : 0;
    const uint32_t p = coll_minus(n, rank, root);
    struct coll_tree_node out = {.has_parent = p != 0};
    if (p != 0) {
        out.parent = coll_plus(n, root, (p - 1) / 2);
        out.child_index = (p - 1) % 2;
    }
    for (uint32_t child = 2 * p + 1; child <= 2 * p + 2 && child < n; child++) {
        out.child[out.children++] = coll_plus(n, root, child);
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
    return orr_coll_tree_steps(kind, coll_log2_floor(n));
}

const struct coll_algorithm orr_coll_tree = {.name = "tree",
                                             .summary = "whole buffers up and down a binary tree",
                                             .in_order = false,
                                             .up_down = true,
                                             .lanes = 1,
                                             .supports = orr_coll_tree_supports,
                                             .sends = sends,
                                             .recvs = recvs,
                                             .send = send,
                                             .recv = recv,
                                             .blocks = orr_coll_tree_blocks,
                                             .steps = steps};
