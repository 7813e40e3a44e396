/* Ring: every rank sends to its next neighbor only. ring_strand.c defines the steps. */
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/ring_strand.h"

static struct coll_strand strand_of(const struct coll_args *args)
{
    return orr_coll_strand_init(args, false);
}

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && (kind != COLL_ALL_TO_ALL || n <= COLL_MAX_ALL_TO_ALL);
}

static uint32_t sends(const struct coll_args *args)
{
    const struct coll_strand strand = strand_of(args);
    return orr_coll_strand_sends(&strand);
}

static uint32_t recvs(const struct coll_args *args)
{
    const struct coll_strand strand = strand_of(args);
    return orr_coll_strand_recvs(&strand);
}

/* Bytes of send k, or of receive k, of an uneven collective. */
static uint64_t uneven_bytes(const struct coll_args *args, uint32_t k, bool received)
{
    const struct coll_strand own = strand_of(args);
    const struct coll_strand strand = received ? orr_coll_strand_prev(&own) : own;
    const uint32_t block = orr_coll_strand_load(&strand, k).block;
    return args->kind == COLL_ALL_TO_ALL ? coll_bytes_of(args, block / args->n, block % args->n)
                                         : coll_bytes_of(args, block, block);
}

/* Not in send(): as its last call this one costs an even collective nothing. */
__attribute__((cold, noinline)) static void set_uneven_bytes(const struct coll_args *args,
                                                             uint32_t k, struct coll_send *out)
{
    out->bytes = uneven_bytes(args, k, false);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    const struct coll_strand strand = strand_of(args);
    const struct coll_strand next = orr_coll_strand_next(&strand);
    *out = (struct coll_send){.peer = orr_coll_strand_rank(&next),
                              .peer_recv = k,
                              .need = orr_coll_strand_need(&strand, k),
                              .bytes = coll_unit_bytes(args)};
    if (__builtin_expect(args->size != NULL, 0)) {
        set_uneven_bytes(args, k, out);
    }
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    const struct coll_strand strand = strand_of(args);
    const struct coll_strand prev = orr_coll_strand_prev(&strand);
    *out = (struct coll_recv){.peer = orr_coll_strand_rank(&prev),
                              .reduce = orr_coll_strand_reduces(&strand, k),
                              .bytes = args->size != NULL ? uneven_bytes(args, k, true)
                                                          : coll_unit_bytes(args)};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    const struct coll_strand strand = strand_of(args);
    visit(context, orr_coll_strand_load(&strand, k).block);
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    return orr_coll_strand_steps(kind, n, n - 1);
}

static enum coll_symmetry symmetry(enum coll_kind kind, uint32_t n)
{
    (void)n;
    return coll_is_rooted(kind) ? COLL_ASYMMETRIC : COLL_SHIFTED;
}

static bool repeats(enum coll_kind kind)
{
    return !coll_is_rooted(kind);
}

const struct coll_algorithm orr_coll_ring = {
    .name = "ring",
    .summary = "blocks travel around a ring, one direction",
    .in_order = true,
    .around = true,
    .uneven = true,
    .chain = COLL_CHAIN_AROUND,
    .astra_names = {"ring", "Ring"},
    .lanes = 1,
    .supports = supports,
    .sends = sends,
    .recvs = recvs,
    .send = send,
    .recv = recv,
    .blocks = blocks,
    .steps = steps,
    .symmetry = symmetry,
    .repeats = repeats,
};
