/* The checker's entry, and the promises that can be checked one message at a time; see checker.h.
 */
#include "system/collectives/checker.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/arena.h"
#include "core/diag.h"
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/checker_internal.h"

static enum orr_status check_arguments(const struct check *check)
{
    const struct coll_args *args = &check->args;
    ORR_ASSERT(check->algorithm->lanes == 1 || check->algorithm->lanes == CHECK_LANES);
    if ((unsigned)args->kind >= COLL_KINDS || args->n == 0 || args->n > CHECK_MAX_RANKS ||
        !check->algorithm->supports(args->kind, args->n)) {
        return orr_check_fail(check, ORR_ERR_INPUT, "not supported");
    }
    if (args->size != NULL && !(check->algorithm->uneven && coll_kind_is_uneven(args->kind))) {
        return orr_check_fail(check, ORR_ERR_INPUT, "cannot be uneven");
    }
    if (coll_is_rooted(args->kind) && args->root >= args->n) {
        return orr_check_fail(check, ORR_ERR_INPUT, "the root is not in the group");
    }
    return ORR_OK;
}

static uint32_t block_ids(const struct check *check)
{
    const uint32_t n = check->args.n, lanes = check->algorithm->lanes;
    switch (check->args.kind) {
    case COLL_BARRIER:
        return 1;
    case COLL_ALL_TO_ALL:
        return n * n * lanes;
    default:
        return n * lanes;
    }
}

static bool combines(enum coll_kind kind)
{
    return kind == COLL_ALL_REDUCE || kind == COLL_REDUCE_SCATTER || kind == COLL_REDUCE ||
           kind == COLL_BARRIER;
}

static enum orr_status size_ranks(struct check *check)
{
    const uint32_t n = check->args.n;
    check->blocks = block_ids(check);
    check->contributors = combines(check->args.kind) ? n : 1;
    check->width = (check->contributors + 63) / 64;
    check->ranks = orr_arena_array(check->arena, n, sizeof *check->ranks);
    if (check->ranks == NULL) {
        return orr_diag_no_memory(check->diag, "the checker's ranks");
    }
    for (uint32_t r = 0; r < n; r++) {
        struct check_rank *rank = &check->ranks[r];
        check->args.rank = r;
        rank->sends = check->algorithm->sends(&check->args);
        rank->recvs = check->algorithm->recvs(&check->args);
        rank->claimed = orr_arena_array(check->arena, rank->recvs, sizeof *rank->claimed);
        if (rank->recvs != 0 && rank->claimed == NULL) {
            return orr_diag_no_memory(check->diag, "the checker's receives");
        }
    }
    return ORR_OK;
}

/* What the blocks of a message amount to. */
struct weight {
    const struct check *check;
    uint64_t blocks, bytes;
};

static void weigh(void *context, uint32_t block)
{
    struct weight *weight = context;
    weight->blocks++;
    weight->bytes += check_block_bytes(weight->check, block);
}

/* A message with everything may count the buffer itself instead of n uniform blocks. */
static enum orr_status check_weight(const struct check *check, uint32_t k, uint64_t bytes)
{
    const struct coll_args *args = &check->args;
    struct weight weight = {.check = check};
    if (args->kind != COLL_BARRIER) {
        check->algorithm->blocks(args, k, weigh, &weight);
    }
    if (bytes == weight.bytes || (weight.blocks == check->blocks && bytes == args->bytes)) {
        return ORR_OK;
    }
    return orr_check_fail(check, ORR_ERR_INTERNAL,
                          "rank %" PRIu32 " send %" PRIu32 ": has %" PRIu64 " bytes, its %" PRIu64
                          " blocks have %" PRIu64,
                          args->rank, k, bytes, weight.blocks, weight.bytes);
}

/* The receive that a send is must expect just that send, and no other send. */
static enum orr_status check_pair(struct check *check, uint32_t k, const struct coll_send *send)
{
    const uint32_t r = check->args.rank;
    struct check_rank *peer = &check->ranks[send->peer];
    struct coll_args of_peer = check->args;
    of_peer.rank = send->peer;
    struct coll_recv recv;
    check->algorithm->recv(&of_peer, send->peer_recv, &recv);
    if (recv.peer != r || recv.lane != send->lane || recv.bytes != send->bytes) {
        return orr_check_fail(check, ORR_ERR_INTERNAL,
                              "rank %" PRIu32 " send %" PRIu32 ": has %" PRIu64
                              " bytes in lane %" PRIu32 ", but receive %" PRIu32 " of rank %" PRIu32
                              " expects %" PRIu64 " bytes in lane %" PRIu32 " from rank %" PRIu32,
                              r, k, send->bytes, send->lane, send->peer_recv, send->peer,
                              recv.bytes, recv.lane, recv.peer);
    }
    if (recv.after_sends != 0 && !check->algorithm->sends_first) {
        return orr_check_fail(check, ORR_ERR_INTERNAL,
                              "rank %" PRIu32 " receive %" PRIu32
                              ": comes after sends, as the algorithm says none does",
                              send->peer, send->peer_recv);
    }
    if (peer->claimed[send->peer_recv]) {
        return orr_check_fail(check, ORR_ERR_INTERNAL,
                              "rank %" PRIu32 " send %" PRIu32 ": receive %" PRIu32
                              " of rank %" PRIu32 " is another send's already",
                              r, k, send->peer_recv, send->peer);
    }
    peer->claimed[send->peer_recv] = true;
    return check->algorithm->in_switch ? ORR_OK : check_weight(check, k, send->bytes);
}

static enum orr_status check_send(struct check *check, uint32_t k, struct coll_send *send)
{
    const uint32_t r = check->args.rank;
    check->algorithm->send(&check->args, k, send);
    if (send->peer >= check->args.n || send->peer == r) {
        return orr_check_fail(check, ORR_ERR_INTERNAL,
                              "rank %" PRIu32 " send %" PRIu32 ": cannot go to rank %" PRIu32, r, k,
                              send->peer);
    }
    if (send->lane != k % check->algorithm->lanes) {
        return orr_check_fail(check, ORR_ERR_INTERNAL,
                              "rank %" PRIu32 " send %" PRIu32 ": is in lane %" PRIu32
                              ", its number belongs to lane %" PRIu32,
                              r, k, send->lane, k % check->algorithm->lanes);
    }
    if (send->peer_recv >= check->ranks[send->peer].recvs) {
        return orr_check_fail(check, ORR_ERR_INTERNAL,
                              "rank %" PRIu32 " send %" PRIu32 ": there is no receive %" PRIu32
                              " of rank %" PRIu32,
                              r, k, send->peer_recv, send->peer);
    }
    return check_pair(check, k, send);
}

static enum orr_status check_sends(struct check *check)
{
    for (uint32_t r = 0; r < check->args.n; r++) {
        check->args.rank = r;
        for (uint32_t k = 0; k < check->ranks[r].sends; k++) {
            struct coll_send send;
            const enum orr_status status = check_send(check, k, &send);
            if (status != ORR_OK) {
                return status;
            }
        }
    }
    return ORR_OK;
}

static enum orr_status check_claims(const struct check *check)
{
    for (uint32_t r = 0; r < check->args.n; r++) {
        for (uint32_t k = 0; k < check->ranks[r].recvs; k++) {
            if (!check->ranks[r].claimed[k]) {
                return orr_check_fail(check, ORR_ERR_INTERNAL,
                                      "rank %" PRIu32 " receive %" PRIu32 ": nobody sends it", r,
                                      k);
            }
        }
    }
    return ORR_OK;
}

static uint64_t bytes_sent(const struct check *check, uint32_t r)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < check->ranks[r].sends; k++) {
        struct coll_send send;
        check->algorithm->send(&check->args, k, &send);
        sum += send.bytes;
    }
    return sum;
}

static uint64_t bytes_received(const struct check *check, uint32_t r)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < check->ranks[r].recvs; k++) {
        struct coll_recv recv;
        check->algorithm->recv(&check->args, k, &recv);
        sum += recv.bytes;
    }
    return sum;
}

/* Kinds in which every rank gives as much as it takes. In a forest trees to the roots and from them
 * may have other inner ranks: links of a graph that lead one way. */
static enum orr_status check_balance(struct check *check)
{
    const enum coll_kind kind = check->args.kind;
    if (check->args.size != NULL || check->args.forest != NULL ||
        (kind != COLL_ALL_REDUCE && kind != COLL_ALL_TO_ALL && kind != COLL_BARRIER)) {
        return ORR_OK;
    }
    for (uint32_t r = 0; r < check->args.n; r++) {
        check->args.rank = r;
        const uint64_t out = bytes_sent(check, r), in = bytes_received(check, r);
        if (check->algorithm->in_switch && check->args.n > 1 &&
            out != coll_buffer_bytes(&check->args)) {
            return orr_check_fail(check, ORR_ERR_INTERNAL,
                                  "rank %" PRIu32 ": sends %" PRIu64
                                  " bytes to the switch, the buffer "
                                  "has %" PRIu64,
                                  r, out, coll_buffer_bytes(&check->args));
        }
        if (out != in) {
            return orr_check_fail(check, ORR_ERR_INTERNAL,
                                  "rank %" PRIu32 ": sends %" PRIu64 " bytes and receives %" PRIu64,
                                  r, out, in);
        }
    }
    return ORR_OK;
}

enum orr_status orr_coll_check(const struct coll_algorithm *algorithm, const struct coll_args *args,
                               uint64_t seed, struct orr_arena *arena, struct orr_diag *diag)
{
    struct check check = {.algorithm = algorithm,
                          .args = *args,
                          .arena = arena,
                          .diag = diag,
                          .random = seed,
                          .order = (unsigned)(seed % 3)};
    enum orr_status status = check_arguments(&check);
    if (status == ORR_OK) {
        status = size_ranks(&check);
    }
    if (status == ORR_OK) {
        status = check_sends(&check);
    }
    if (status == ORR_OK) {
        status = check_claims(&check);
    }
    if (status == ORR_OK) {
        status = check_balance(&check);
    }
    return status == ORR_OK ? orr_check_run(&check) : status;
}
