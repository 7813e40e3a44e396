/* Pairwise exchange: n - 1 steps, one partner a step, each step after the one before it. For powers
 * of two the partner of step s is rank xor s, otherwise a rank sends to rank + s and receives from
 * rank - s (Thakur, Rabenseifner and Gropp, 2005, sections 4.2 and 4.3). */
#include "system/collectives/algorithm_parts.h"

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && !coll_is_rooted(kind) && (kind != COLL_ALL_TO_ALL || n <= COLL_MAX_ALL_TO_ALL);
}

static uint32_t phases(enum coll_kind kind)
{
    return kind == COLL_ALL_REDUCE ? 2 : 1;
}

static uint32_t count(const struct coll_args *args)
{
    return phases(args->kind) * (args->n - 1);
}

static bool by_xor(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* Whether message k belongs to the reduce-scatter phase. */
static bool reduces(const struct coll_args *args, uint32_t k)
{
    return args->kind == COLL_REDUCE_SCATTER || (args->kind == COLL_ALL_REDUCE && k < args->n - 1);
}

static uint32_t destination(const struct coll_args *args, uint32_t k)
{
    const uint32_t s = k % (args->n - 1) + 1;
    return by_xor(args->n) ? args->rank ^ s : coll_plus(args->n, args->rank, s);
}

static uint32_t source(const struct coll_args *args, uint32_t k)
{
    const uint32_t s = k % (args->n - 1) + 1;
    return by_xor(args->n) ? args->rank ^ s : coll_minus(args->n, args->rank, s);
}

/* Bytes of the message from a rank to another. */
static uint64_t message_bytes(const struct coll_args *args, uint32_t from, uint32_t to)
{
    return coll_bytes_of(args, from, args->kind == COLL_ALL_GATHER ? from : to);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    const uint32_t to = destination(args, k);
    *out = (struct coll_send){
        .peer = to, .peer_recv = k, .need = k, .bytes = message_bytes(args, args->rank, to)};
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    const uint32_t from = source(args, k);
    *out = (struct coll_recv){
        .peer = from, .reduce = reduces(args, k), .bytes = message_bytes(args, from, args->rank)};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    const uint32_t peer = destination(args, k);
    if (args->kind == COLL_ALL_TO_ALL) {
        visit(context, args->rank * args->n + peer);
    } else {
        visit(context, reduces(args, k) ? peer : args->rank);
    }
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    return phases(kind) * (n - 1);
}

static enum coll_symmetry symmetry(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    return by_xor(n) ? COLL_EXCHANGED : COLL_SHIFTED;
}

const struct coll_algorithm orr_coll_pairwise = {
    .name = "pairwise",
    .summary = "n - 1 exchanges with one partner at a time",
    .in_order = true,
    .uneven = true,
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
