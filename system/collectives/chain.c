/* Chain: whole buffers along a line of the ranks. An all-reduce is a reduction from rank 0 to rank
 * n - 1 and a broadcast back: chunks make a pipeline in which every link carries the buffer once
 * each way. With k chunks it takes (k + 2 n - 3) / k of the buffer's time on a link; a ring puts
 * 2 (n - 1) / n of the buffer on each link, on a line also of what closes it. Rooted kinds have the
 * root inside of the line, and an arm on each side. */
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/tree_program.h"

static struct coll_tree_node node(const struct coll_args *args, uint32_t rank)
{
    const uint32_t last = args->n - 1;
    const uint32_t root = coll_is_rooted(args->kind) ? args->root : last;
    struct coll_tree_node out = {.has_parent = rank != root};
    if (rank < root) {
        out.parent = rank + 1;
    } else if (rank > root) {
        out.parent = rank - 1;
        out.child_index = rank - 1 == root && root > 0 ? 1 : 0;
    }
    if (rank <= root && rank > 0) {
        out.child[out.children++] = rank - 1;
    }
    if (rank >= root && rank < last) {
        out.child[out.children++] = rank + 1;
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
    return orr_coll_tree_steps(kind, n - 1);
}

const struct coll_algorithm orr_coll_chain = {
    .name = "chain",
    .summary = "whole buffers along a line, reduced one way and broadcast the other",
    .up_down = true,
    .lanes = 1,
    .supports = orr_coll_tree_supports,
    .sends = sends,
    .recvs = recvs,
    .send = send,
    .recv = recv,
    .blocks = orr_coll_tree_blocks,
    .steps = steps};
