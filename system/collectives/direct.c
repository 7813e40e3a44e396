/* Direct: every rank exchanges with every other without intermediaries, offsets 1, 2, .. n - 1 in
 * order. All-reduce is reduce-scatter, then all-gather; nothing is gathered before a rank's block
 * is complete. With a window of w, send k of a phase waits for k - w + 1 receives of the phase, so
 * at most w sends are unanswered. Rooted kinds: the root exchanges with everybody (no window). */
#include "system/collectives/algorithm_parts.h"

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && (kind != COLL_ALL_TO_ALL || n <= COLL_MAX_ALL_TO_ALL);
}

/* Messages at a rooted program's end that is, or is not, the root's. */
static uint32_t star(const struct coll_args *args, bool root_side)
{
    const bool root = args->rank == args->root;
    return root_side ? (root ? args->n - 1 : 0) : (root ? 0 : 1);
}

static bool from_root(enum coll_kind kind)
{
    return kind == COLL_BROADCAST || kind == COLL_SCATTER;
}

static uint32_t sends(const struct coll_args *args)
{
    if (coll_is_rooted(args->kind)) {
        return star(args, from_root(args->kind));
    }
    return (args->kind == COLL_ALL_REDUCE ? 2 : 1) * (args->n - 1);
}

static uint32_t recvs(const struct coll_args *args)
{
    return coll_is_rooted(args->kind) ? star(args, !from_root(args->kind)) : sends(args);
}

/* Bytes of the message from a rank to another. */
static uint64_t message_bytes(const struct coll_args *args, uint32_t source, uint32_t destination)
{
    const bool whole = args->kind == COLL_BROADCAST || args->kind == COLL_REDUCE;
    return whole
               ? coll_buffer_bytes(args)
               : coll_bytes_of(args, source, args->kind == COLL_ALL_GATHER ? source : destination);
}

/* The peer `offset` + 1 positions after the own. */
static uint32_t peer_after(const struct coll_args *args, uint32_t offset)
{
    return coll_plus(args->n, args->rank, offset + 1);
}

static uint32_t need_of(const struct coll_args *args, uint32_t k)
{
    const uint32_t before = k < args->n - 1 ? 0 : args->n - 1;
    const uint32_t in_phase = k - before;
    const uint32_t window = args->window;
    return before + (window != 0 && in_phase >= window ? in_phase - window + 1 : 0);
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    const uint32_t n = args->n;
    *out = (struct coll_send){.peer = args->root};
    if (!coll_is_rooted(args->kind)) {
        out->peer = peer_after(args, k % (n - 1));
        out->peer_recv = k;
        out->need = need_of(args, k);
    } else if (from_root(args->kind)) {
        out->peer = peer_after(args, k);
    } else {
        out->peer_recv = coll_minus(n, args->rank, args->root) - 1;
    }
    out->bytes = message_bytes(args, args->rank, out->peer);
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    const uint32_t n = args->n;
    const bool gathers = args->kind == COLL_ALL_REDUCE && k >= n - 1;
    *out = (struct coll_recv){.after = gathers ? n - 1 : 0};
    out->reduce = (args->kind == COLL_ALL_REDUCE && !gathers) ||
                  args->kind == COLL_REDUCE_SCATTER || args->kind == COLL_REDUCE;
    if (!coll_is_rooted(args->kind)) {
        out->peer = coll_minus(n, args->rank, k % (n - 1) + 1);
    } else {
        out->peer = from_root(args->kind) ? args->root : peer_after(args, k);
    }
    out->bytes = message_bytes(args, out->peer, args->rank);
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    switch (args->kind) {
    case COLL_BROADCAST:
    case COLL_REDUCE:
        coll_visit_all(args, visit, context);
        break;
    case COLL_ALL_TO_ALL:
        visit(context, args->rank * args->n + peer_after(args, k));
        break;
    case COLL_REDUCE_SCATTER:
    case COLL_SCATTER:
        visit(context, peer_after(args, k));
        break;
    case COLL_ALL_REDUCE:
        visit(context, k < args->n - 1 ? peer_after(args, k) : args->rank);
        break;
    default:
        visit(context, args->rank);
        break;
    }
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    if (n == 1) {
        return 0;
    }
    return kind == COLL_ALL_REDUCE ? 2 : 1;
}

static enum coll_symmetry symmetry(enum coll_kind kind, uint32_t n)
{
    (void)n;
    return coll_is_rooted(kind) ? COLL_ASYMMETRIC : COLL_SHIFTED;
}

const struct coll_algorithm orr_coll_direct = {
    .name = "direct",
    .summary = "every rank exchanges with every other, optionally with a window",
    .in_order = false,
    .at_once = true,
    .windowed = true,
    .uneven = true,
    .chain = COLL_CHAIN_TO_ALL,
    .astra_names = {"direct", "Direct"},
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
