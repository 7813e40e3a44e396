/* Binomial tree. With p = rank - root, the parent of p clears its lowest set bit, and child j of p
 * is p + 2^j for every 2^j below that bit (any j for the root) with p + 2^j < n. The subtree of p
 * is the range p .. p + lowest bit - 1, cut at n. Data goes down to the biggest subtree first and
 * comes up from the smallest first (Thakur, Rabenseifner and Gropp, 2005, section 4). */
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/part_algorithms.h"

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && coll_is_rooted(kind);
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    return coll_log2_ceil(n);
}

static uint32_t relative_rank(const struct coll_args *args)
{
    return coll_minus(args->n, args->rank, args->root);
}

static uint32_t rank_at(const struct coll_args *args, uint32_t p)
{
    return coll_plus(args->n, args->root, p);
}

/* Children of p: those 2^j below its lowest bit that stay below n. */
static uint32_t children(uint32_t n, uint32_t p)
{
    const uint32_t room = n - 1 - p;
    const uint32_t fits = room == 0 ? 0 : coll_log2_floor(room) + 1;
    const uint32_t own = p == 0 ? fits : coll_log2_floor(coll_low_bit(p));
    return own < fits ? own : fits;
}

static uint32_t subtree(uint32_t n, uint32_t p)
{
    const uint32_t bit = coll_low_bit(p);
    return p == 0 || bit > n - p ? n - p : bit;
}

static bool starts_at_root(enum coll_kind kind)
{
    return kind == COLL_BROADCAST || kind == COLL_SCATTER;
}

static uint32_t sends(const struct coll_args *args)
{
    const uint32_t p = relative_rank(args);
    return starts_at_root(args->kind) ? children(args->n, p) : (p == 0 ? 0 : 1);
}

static uint32_t recvs(const struct coll_args *args)
{
    const uint32_t p = relative_rank(args);
    return starts_at_root(args->kind) ? (p == 0 ? 0 : 1) : children(args->n, p);
}

/* Bytes on the edge above p. */
static uint64_t edge_bytes(const struct coll_args *args, uint32_t p)
{
    if (args->kind == COLL_BROADCAST || args->kind == COLL_REDUCE) {
        return coll_buffer_bytes(args);
    }
    return subtree(args->n, p) * coll_unit_bytes(args);
}

/* The lower end of the edge that send k uses. */
static uint32_t lower_end(const struct coll_args *args, uint32_t k)
{
    const uint32_t p = relative_rank(args);
    return starts_at_root(args->kind) ? p + (1u << (children(args->n, p) - 1 - k)) : p;
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    const uint32_t p = relative_rank(args), low = lower_end(args, k), bit = coll_low_bit(p);
    *out = (struct coll_send){.bytes = edge_bytes(args, low)};
    if (starts_at_root(args->kind)) {
        out->peer = rank_at(args, low);
        out->need = p == 0 ? 0 : 1;
    } else {
        out->peer = rank_at(args, p - bit);
        out->peer_recv = coll_log2_floor(bit);
        out->need = children(args->n, p);
    }
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    const uint32_t p = relative_rank(args);
    const bool down = starts_at_root(args->kind);
    const uint32_t low = down ? p : p + (1u << k);
    *out = (struct coll_recv){.peer = rank_at(args, down ? p - coll_low_bit(p) : low),
                              .reduce = args->kind == COLL_REDUCE,
                              .bytes = edge_bytes(args, low)};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    if (args->kind == COLL_BROADCAST || args->kind == COLL_REDUCE) {
        coll_visit_all(args, visit, context);
        return;
    }
    const uint32_t low = lower_end(args, k), size = subtree(args->n, low);
    for (uint32_t p = low; p < low + size; p++) {
        visit(context, rank_at(args, p));
    }
}

const struct coll_algorithm orr_coll_binomial = {.name = "binomial",
                                                 .summary = "rooted kinds on a binomial tree",
                                                 .in_order = true,
                                                 .lanes = 1,
                                                 .supports = supports,
                                                 .sends = sends,
                                                 .recvs = recvs,
                                                 .send = send,
                                                 .recv = recv,
                                                 .blocks = blocks,
                                                 .steps = steps};
