/* Recursive doubling: all-reduce in log2 n exchanges of the whole buffer with partners at distances
 * 1, 2, 4, ... (Thakur, Rabenseifner and Gropp, 2005, section 4.1), for powers of two. A message of
 * a partner that is ahead is accepted only after the rank's own send of that step; otherwise the
 * partner would get its own contribution back. */
#include "system/collectives/algorithm_parts.h"

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && (n & (n - 1)) == 0 && (kind == COLL_ALL_REDUCE || kind == COLL_BARRIER);
}

static uint32_t count(const struct coll_args *args)
{
    return coll_log2_floor(args->n);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    *out = (struct coll_send){
        .peer = args->rank ^ 1u << k, .peer_recv = k, .need = k, .bytes = coll_buffer_bytes(args)};
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    *out = (struct coll_recv){.peer = args->rank ^ 1u << k,
                              .reduce = args->kind != COLL_BARRIER,
                              .after_sends = k + 1,
                              .bytes = coll_buffer_bytes(args)};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    (void)k;
    coll_visit_all(args, visit, context);
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    return coll_log2_floor(n);
}

static enum coll_symmetry symmetry(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    (void)n;
    return COLL_EXCHANGED;
}

const struct coll_algorithm orr_coll_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "log2 n exchanges of whole buffers with partners at powers of two",
    .in_order = true,
    .sends_first = true,
    .by_name = true,
    .lanes = 1,
    .supports = supports,
    .sends = count,
    .recvs = count,
    .send = send,
    .recv = recv,
    .blocks = blocks,
    .steps = steps,
    .symmetry = symmetry,
};
