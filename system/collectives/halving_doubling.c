/* Halving-doubling (Thakur, Rabenseifner and Gropp, 2005, sections 4.3 and 4.5).
 *
 * For p = 2^L ranks: reduce-scatter in step s exchanges with the rank at distance 2^s, giving away
 * the half of the blocks held whose bit s is the partner's; all-gather runs the same steps
 * backwards, distances p/2 .. 1, with doubling sizes; all-reduce is both. For other n, p is the
 * largest power of two below n and the first n - p pairs (2i, 2i + 1) are folded: the odd rank
 * hands its data to the even one, which owns both blocks meanwhile and gives the result back at
 * the end. Exchanging ranks are numbered 0..p-1 ("slots"): slot v < n - p is rank 2v with the
 * blocks 2v and 2v + 1, any other is rank v + n - p. All-to-all and barrier are Bruck's, the rooted
 * kinds are binomial trees. */
#include <stddef.h>

#include "system/collectives/algorithm_parts.h"
#include "system/collectives/part_algorithms.h"

enum role {
    ROLE_PLAIN,  /* exchanges */
    ROLE_LEADER, /* exchanges, for itself and the next rank */
    ROLE_FOLDED  /* hands its data to the rank before it */
};

struct seat {
    enum role role;
    uint32_t levels; /* L */
    uint32_t extras; /* n - p */
    uint32_t slot;   /* own, or the leader's */
};

static struct seat seat_of(const struct coll_args *args)
{
    struct seat seat = {.levels = coll_log2_floor(args->n)};
    seat.extras = args->n - (1u << seat.levels);
    if (args->rank >= 2 * seat.extras) {
        seat.slot = args->rank - seat.extras;
    } else {
        seat.slot = args->rank / 2;
        seat.role = args->rank % 2 == 0 ? ROLE_LEADER : ROLE_FOLDED;
    }
    return seat;
}

static uint32_t slot_rank(const struct seat *seat, uint32_t slot)
{
    return slot < seat->extras ? 2 * slot : slot + seat->extras;
}

static uint32_t exchanges(const struct coll_args *args, const struct seat *seat)
{
    return args->kind == COLL_ALL_REDUCE ? 2 * seat->levels : seat->levels;
}

static bool scatters(const struct coll_args *args, const struct seat *seat, uint32_t step)
{
    return args->kind == COLL_REDUCE_SCATTER ||
           (args->kind == COLL_ALL_REDUCE && step < seat->levels);
}

/* Which bit of the slot the exchange `step` flips. */
static uint32_t bit_of(const struct coll_args *args, const struct seat *seat, uint32_t step)
{
    return scatters(args, seat, step) ? step : exchanges(args, seat) - 1 - step;
}

/* Ranks' blocks in the slots that equal `slot` in the bits up to and including `bit`. */
static uint64_t group_blocks(const struct seat *seat, uint32_t slot, uint32_t bit)
{
    const uint32_t stride = 2u << bit, first = slot & (stride - 1);
    const uint32_t doubled = first < seat->extras ? (seat->extras - 1 - first) / stride + 1 : 0;
    return (1u << (seat->levels - 1 - bit)) + doubled;
}

/* Blocks in the message from a folded rank to its leader, and back. */
static uint64_t fold_blocks(const struct coll_args *args)
{
    return args->kind == COLL_ALL_GATHER ? 1 : args->n;
}

static uint64_t unfold_blocks(const struct coll_args *args)
{
    switch (args->kind) {
    case COLL_REDUCE_SCATTER:
        return 1;
    case COLL_ALL_GATHER:
        return args->n - 1;
    default:
        return args->n;
    }
}

static uint32_t messages(const struct coll_args *args)
{
    const struct seat seat = seat_of(args);
    return seat.role == ROLE_FOLDED ? 1
                                    : exchanges(args, &seat) + (seat.role == ROLE_LEADER ? 1 : 0);
}

static void send_exchange(const struct coll_args *args, const struct seat *seat, uint32_t step,
                          struct coll_send *out)
{
    const uint32_t bit = bit_of(args, seat, step), partner = seat->slot ^ (1u << bit);
    const uint32_t given = scatters(args, seat, step) ? partner : seat->slot;
    out->peer = slot_rank(seat, partner);
    out->peer_recv = step + (partner < seat->extras ? 1 : 0);
    out->need = step + (seat->role == ROLE_LEADER ? 1 : 0);
    out->bytes = group_blocks(seat, given, bit) * coll_unit_bytes(args);
}

static void send_main(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    const struct seat seat = seat_of(args);
    *out = (struct coll_send){0};
    if (seat.role == ROLE_FOLDED) {
        out->peer = args->rank - 1;
        out->bytes = fold_blocks(args) * coll_unit_bytes(args);
    } else if (k < exchanges(args, &seat)) {
        send_exchange(args, &seat, k, out);
    } else {
        out->peer = args->rank + 1;
        out->need = k + 1;
        out->bytes = unfold_blocks(args) * coll_unit_bytes(args);
    }
}

static void recv_exchange(const struct coll_args *args, const struct seat *seat, uint32_t step,
                          struct coll_recv *out)
{
    const uint32_t bit = bit_of(args, seat, step), partner = seat->slot ^ (1u << bit);
    const bool reduces = scatters(args, seat, step);
    out->peer = slot_rank(seat, partner);
    out->reduce = reduces;
    out->bytes = group_blocks(seat, reduces ? seat->slot : partner, bit) * coll_unit_bytes(args);
}

static void recv_main(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    const struct seat seat = seat_of(args);
    *out = (struct coll_recv){0};
    if (seat.role == ROLE_FOLDED) {
        out->peer = args->rank - 1;
        out->bytes = unfold_blocks(args) * coll_unit_bytes(args);
    } else if (seat.role == ROLE_LEADER && k == 0) {
        out->peer = args->rank + 1;
        out->reduce = args->kind != COLL_ALL_GATHER;
        out->bytes = fold_blocks(args) * coll_unit_bytes(args);
    } else {
        recv_exchange(args, &seat, k - (seat.role == ROLE_LEADER ? 1 : 0), out);
    }
}

/* All blocks, except the folded rank's own when all-gather gives the others back. */
static void visit_unfold(const struct coll_args *args, coll_block_fn visit, void *context)
{
    if (args->kind == COLL_REDUCE_SCATTER) {
        visit(context, args->rank + 1);
        return;
    }
    for (uint32_t block = 0; block < args->n; block++) {
        if (args->kind != COLL_ALL_GATHER || block != args->rank + 1) {
            visit(context, block);
        }
    }
}

static void visit_exchange(const struct coll_args *args, uint32_t step, coll_block_fn visit,
                           void *context)
{
    const struct seat seat = seat_of(args);
    const uint32_t bit = bit_of(args, &seat, step), stride = 2u << bit;
    const uint32_t given = scatters(args, &seat, step) ? seat.slot ^ (1u << bit) : seat.slot;
    for (uint32_t slot = given & (stride - 1); slot < 1u << seat.levels; slot += stride) {
        visit(context, slot_rank(&seat, slot));
        if (slot < seat.extras) {
            visit(context, slot_rank(&seat, slot) + 1);
        }
    }
}

static void blocks_main(const struct coll_args *args, uint32_t k, coll_block_fn visit,
                        void *context)
{
    const struct seat seat = seat_of(args);
    if (seat.role != ROLE_FOLDED && k < exchanges(args, &seat)) {
        visit_exchange(args, k, visit, context);
    } else if (seat.role != ROLE_FOLDED) {
        visit_unfold(args, visit, context);
    } else if (args->kind == COLL_ALL_GATHER) {
        visit(context, args->rank);
    } else {
        coll_visit_all(args, visit, context);
    }
}

/* The part that serves the kind; NULL = the exchanges above. */
static const struct coll_algorithm *part(enum coll_kind kind)
{
    if (kind == COLL_ALL_TO_ALL || kind == COLL_BARRIER) {
        return &orr_coll_bruck;
    }
    return coll_is_rooted(kind) ? &orr_coll_binomial : NULL;
}

static bool supports(enum coll_kind kind, uint32_t n)
{
    return part(kind) == NULL ? n >= 1 : part(kind)->supports(kind, n);
}

static uint32_t sends(const struct coll_args *args)
{
    const struct coll_algorithm *other = part(args->kind);
    return other == NULL ? messages(args) : other->sends(args);
}

static uint32_t recvs(const struct coll_args *args)
{
    const struct coll_algorithm *other = part(args->kind);
    return other == NULL ? messages(args) : other->recvs(args);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    const struct coll_algorithm *other = part(args->kind);
    (other == NULL ? send_main : other->send)(args, k, out);
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    const struct coll_algorithm *other = part(args->kind);
    (other == NULL ? recv_main : other->recv)(args, k, out);
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    const struct coll_algorithm *other = part(args->kind);
    (other == NULL ? blocks_main : other->blocks)(args, k, visit, context);
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    if (part(kind) != NULL) {
        return part(kind)->steps(kind, n);
    }
    const uint32_t levels = coll_log2_floor(n), fold = n == 1u << levels ? 0 : 2;
    return (kind == COLL_ALL_REDUCE ? 2 : 1) * levels + fold;
}

static enum coll_symmetry symmetry(enum coll_kind kind, uint32_t n)
{
    const struct coll_algorithm *other = part(kind);
    if (other != NULL) {
        return other->symmetry != NULL ? other->symmetry(kind, n) : COLL_ASYMMETRIC;
    }
    return (n & (n - 1)) == 0 ? COLL_EXCHANGED : COLL_ASYMMETRIC;
}

const struct coll_algorithm orr_coll_halving_doubling = {
    .name = "halving_doubling",
    .summary = "exchanges at distances 1, 2, 4, ..; any number of ranks by folding",
    .in_order = true,
    .chain = COLL_CHAIN_EXCHANGE,
    .astra_names = {"halvingDoubling", "HalvingDoubling"},
    .lanes = 1,
    .supports = supports,
    .sends = sends,
    .recvs = recvs,
    .send = send,
    .recv = recv,
    .blocks = blocks,
    .steps = steps,
    .symmetry = symmetry,
};
