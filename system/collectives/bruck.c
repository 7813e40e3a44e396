/* Bruck's all-to-all (Bruck et al., IEEE TPDS 8(11), 1997, section 3): in step s a rank sends to
 * the rank 2^s after it every block it holds whose distance to go, j = destination - source, has
 * bit s set. After step s a block has moved j mod 2^(s+1), so after ceil(log2 n) steps it has
 * arrived. For powers of two each step moves n / 2 blocks. With empty messages it is the
 * dissemination barrier (Hensgen, Finkel and Manber, 1988). */
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/part_algorithms.h"

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 &&
           (kind == COLL_BARRIER || (kind == COLL_ALL_TO_ALL && n <= COLL_MAX_ALL_TO_ALL));
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    return coll_log2_ceil(n);
}

static uint32_t count(const struct coll_args *args)
{
    return coll_log2_ceil(args->n);
}

/* How many of 0..n-1 have bit `step` set. */
static uint64_t blocks_in_step(uint32_t n, uint32_t step)
{
    const uint32_t bit = 1u << step;
    const uint32_t rest = n & (2 * bit - 1);
    return ((n >> (step + 1)) << step) + (rest > bit ? rest - bit : 0);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    *out = (struct coll_send){.peer = coll_plus(args->n, args->rank, 1u << k),
                              .peer_recv = k,
                              .need = k,
                              .bytes = blocks_in_step(args->n, k) * coll_unit_bytes(args)};
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    *out = (struct coll_recv){.peer = coll_minus(args->n, args->rank, 1u << k),
                              .bytes = blocks_in_step(args->n, k) * coll_unit_bytes(args)};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    const uint32_t n = args->n, bit = 1u << k;
    for (uint32_t distance = bit; distance < n; distance = (distance + 1) | bit) {
        const uint32_t source = coll_minus(n, args->rank, distance & (bit - 1));
        visit(context, source * n + coll_plus(n, source, distance));
    }
}

static enum coll_symmetry symmetry(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    (void)n;
    return COLL_SHIFTED;
}

const struct coll_algorithm orr_coll_bruck = {
    .name = "bruck",
    .summary = "all-to-all by store and forward in ceil(log2 n) steps",
    .in_order = true,
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
