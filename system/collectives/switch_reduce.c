/* In-switch all-reduce (SHARP, Graham et al. 2016; Klenk et al. 2020): every rank sends its buffer
 * to the switch once and receives the sum once. As messages between ranks: n - 1 pieces of the
 * buffer to the n - 1 others, S bytes out and S in. A message from a rank stands for its share of
 * the sum, so no rank is done before all have sent (see coll_algorithm.in_switch). A barrier is the
 * same without bytes. */
#include "system/collectives/algorithm_parts.h"

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && (kind == COLL_ALL_REDUCE || kind == COLL_BARRIER);
}

static uint32_t messages(const struct coll_args *args)
{
    return args->n - 1;
}

/* The first pieces get the remainder. */
static uint64_t piece(const struct coll_args *args, uint32_t k)
{
    const uint64_t bytes = coll_buffer_bytes(args);
    return bytes / (args->n - 1) + (k < bytes % (args->n - 1) ? 1 : 0);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    *out = (struct coll_send){
        .peer = coll_plus(args->n, args->rank, k + 1), .peer_recv = k, .bytes = piece(args, k)};
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    *out = (struct coll_recv){
        .peer = coll_minus(args->n, args->rank, k + 1), .reduce = true, .bytes = piece(args, k)};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    (void)k;
    coll_visit_all(args, visit, context);
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    return n > 1 ? 1 : 0;
}

static enum coll_symmetry symmetry(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    (void)n;
    return COLL_SHIFTED;
}

const struct coll_algorithm orr_coll_switch_reduce = {
    .name = "switch_reduce",
    .summary = "the switch reduces: every rank sends and receives the buffer once",
    .in_order = false,
    .in_switch = true,
    .lanes = 1,
    .supports = supports,
    .sends = messages,
    .recvs = messages,
    .send = send,
    .recv = recv,
    .blocks = blocks,
    .steps = steps,
    .symmetry = symmetry,
};
