/* Bidirectional ring: two concurrent rings. Lane 0 follows the ranks' order with the larger half of
 * every block, lane 1 the opposite order with the smaller half. All-to-all sends each block the
 * shorter way; only blocks to the opposite rank (even n) are halved. ring_strand.c defines the
 * steps of a lane. */
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/ring_strand.h"

static struct coll_strand strand_of(const struct coll_args *args, uint32_t lane)
{
    struct coll_strand strand = orr_coll_strand_init(args, lane == 1);
    strand.reach = args->n / 2;
    return strand;
}

/* In the kinds without a root every rank has as many messages in either lane. */
static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && !coll_is_rooted(kind) && (kind != COLL_ALL_TO_ALL || n <= COLL_MAX_ALL_TO_ALL);
}

static uint32_t count(const struct coll_args *args)
{
    const struct coll_strand strand = strand_of(args, 0);
    return 2 * orr_coll_strand_sends(&strand);
}

/* Whether the message carries a whole block: all-to-all, unless both directions are equally long.
 */
static bool carries_whole_block(const struct coll_strand_load *load, uint32_t n)
{
    return load->distance != 0 && 2 * load->distance != n;
}

/* Bytes of send i of the strand. */
static uint64_t bytes_of(const struct coll_args *args, const struct coll_strand *strand, uint32_t i)
{
    const struct coll_strand_load load = orr_coll_strand_load(strand, i);
    const bool pairs = args->kind == COLL_ALL_TO_ALL;
    const uint64_t unit =
        coll_bytes_of(args, pairs ? load.block / args->n : load.block, load.block % args->n);
    if (carries_whole_block(&load, args->n)) {
        return unit;
    }
    return strand->mirrored ? unit / 2 : unit - unit / 2;
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    const struct coll_strand strand = strand_of(args, k % 2);
    const struct coll_strand next = orr_coll_strand_next(&strand);
    *out = (struct coll_send){.peer = orr_coll_strand_rank(&next),
                              .peer_recv = k,
                              .need = orr_coll_strand_need(&strand, k / 2),
                              .lane = k % 2,
                              .backwards = strand.mirrored,
                              .bytes = bytes_of(args, &strand, k / 2)};
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    const struct coll_strand strand = strand_of(args, k % 2);
    const struct coll_strand prev = orr_coll_strand_prev(&strand);
    *out = (struct coll_recv){.peer = orr_coll_strand_rank(&prev),
                              .lane = k % 2,
                              .reduce = orr_coll_strand_reduces(&strand, k / 2),
                              .bytes = bytes_of(args, &prev, k / 2)};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    const struct coll_strand strand = strand_of(args, k % 2);
    const struct coll_strand_load load = orr_coll_strand_load(&strand, k / 2);
    for (uint32_t part = 0; part < 2; part++) {
        if (part == k % 2 || carries_whole_block(&load, args->n)) {
            visit(context, 2 * load.block + part);
        }
    }
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    return orr_coll_strand_steps(kind, n, n / 2);
}

static enum coll_symmetry symmetry(enum coll_kind kind, uint32_t n)
{
    (void)n;
    return coll_is_rooted(kind) ? COLL_ASYMMETRIC : COLL_SHIFTED;
}

const struct coll_algorithm orr_coll_bidirectional_ring = {
    .name = "bidirectional_ring",
    .summary = "a ring in each direction, half of the data each",
    .in_order = true,
    .around = true,
    .uneven = true,
    .lanes = 2,
    .supports = supports,
    .sends = count,
    .recvs = count,
    .send = send,
    .recv = recv,
    .blocks = blocks,
    .steps = steps,
    .symmetry = symmetry,
};
