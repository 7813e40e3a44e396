/* Ring steps; see ring_strand.h.
 *
 * Reduce-scatter: block b starts at b + 1 and collects on its way to b. All-gather: block b starts
 * at b. All-reduce is one after the other (Patarasuk and Yuan, JPDC 2009); a barrier is an
 * all-reduce of nothing. All-to-all: in round t a position passes on, farthest destination first,
 * the blocks that have come t hops; as in ASTRA-sim the messages go in lockstep, each after the
 * receive before it. Broadcast and reduce are a pipeline of n blocks from, or to, the root; gather
 * and scatter forward blocks to, or from, the root. */
#include "system/collectives/ring_strand.h"

#include "system/collectives/algorithm_parts.h"

static uint32_t map(const struct coll_strand *strand, uint32_t position)
{
    return strand->mirrored ? coll_minus(strand->n, 0, position) : position;
}

struct coll_strand orr_coll_strand_init(const struct coll_args *args, bool mirrored)
{
    struct coll_strand strand = {
        .kind = args->kind, .n = args->n, .reach = args->n - 1, .mirrored = mirrored};
    strand.position = map(&strand, args->rank);
    strand.root = coll_is_rooted(args->kind) ? map(&strand, args->root) : 0;
    return strand;
}

struct coll_strand orr_coll_strand_next(const struct coll_strand *strand)
{
    struct coll_strand next = *strand;
    next.position = coll_plus(strand->n, strand->position, 1);
    return next;
}

struct coll_strand orr_coll_strand_prev(const struct coll_strand *strand)
{
    struct coll_strand prev = *strand;
    prev.position = coll_minus(strand->n, strand->position, 1);
    return prev;
}

uint32_t orr_coll_strand_rank(const struct coll_strand *strand)
{
    return map(strand, strand->position);
}

/* Hops from the root: 0 is the root, n - 1 the last position of a broadcast. */
static uint32_t after_root(const struct coll_strand *strand)
{
    return coll_minus(strand->n, strand->position, strand->root);
}

/* Hops from the position behind the root: 0 starts a reduction, n - 1 is the root. */
static uint32_t before_root(const struct coll_strand *strand)
{
    const uint32_t hops = after_root(strand);
    return hops == 0 ? strand->n - 1 : hops - 1;
}

uint32_t orr_coll_strand_sends(const struct coll_strand *strand)
{
    const uint32_t n = strand->n, last = n - 1;
    if (n == 1) {
        return 0;
    }
    switch (strand->kind) {
    case COLL_ALL_REDUCE:
    case COLL_BARRIER:
        return 2 * last;
    case COLL_ALL_TO_ALL:
        return strand->reach * (strand->reach + 1) / 2;
    case COLL_BROADCAST:
        return after_root(strand) == last ? 0 : n;
    case COLL_REDUCE:
        return before_root(strand) == last ? 0 : n;
    case COLL_GATHER:
        return before_root(strand) == last ? 0 : before_root(strand) + 1;
    case COLL_SCATTER:
        return last - after_root(strand);
    default:
        return last;
    }
}

uint32_t orr_coll_strand_recvs(const struct coll_strand *strand)
{
    const struct coll_strand prev = orr_coll_strand_prev(strand);
    return orr_coll_strand_sends(&prev);
}

uint32_t orr_coll_strand_need(const struct coll_strand *strand, uint32_t k)
{
    switch (strand->kind) {
    case COLL_BROADCAST:
    case COLL_SCATTER:
        return after_root(strand) == 0 ? 0 : k + 1;
    case COLL_REDUCE:
        return before_root(strand) == 0 ? 0 : k + 1;
    default:
        return k;
    }
}

bool orr_coll_strand_reduces(const struct coll_strand *strand, uint32_t k)
{
    switch (strand->kind) {
    case COLL_ALL_REDUCE:
        return k < strand->n - 1;
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE:
        return true;
    default:
        return false;
    }
}

/* Messages of the rounds before round t, when round t has reach - t messages. */
static uint32_t round_start(uint32_t reach, uint32_t t)
{
    return (uint32_t)((uint64_t)t * (2 * (uint64_t)reach + 1 - t) / 2);
}

/* The last round that starts at or before message k. O(log reach). */
static uint32_t round_of(uint32_t reach, uint32_t k)
{
    uint32_t low = 0, high = reach - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        if (round_start(reach, middle) <= k) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static struct coll_strand_load all_to_all_load(const struct coll_strand *strand, uint32_t k)
{
    const uint32_t t = round_of(strand->reach, k);
    const uint32_t distance = strand->reach - (k - round_start(strand->reach, t));
    const uint32_t source = coll_minus(strand->n, strand->position, t);
    const uint32_t destination = coll_plus(strand->n, source, distance);
    return (struct coll_strand_load){
        .block = map(strand, source) * strand->n + map(strand, destination), .distance = distance};
}

/* The block of send k, as a position on the strand. */
static uint32_t block_position(const struct coll_strand *strand, uint32_t k)
{
    const uint32_t n = strand->n, v = strand->position;
    switch (strand->kind) {
    case COLL_ALL_REDUCE:
        return k < n - 1 ? coll_minus(n, v, k + 1) : coll_minus(n, v, k - (n - 1));
    case COLL_REDUCE_SCATTER:
        return coll_minus(n, v, k + 1);
    case COLL_BROADCAST:
    case COLL_REDUCE:
        return k;
    case COLL_SCATTER:
        return coll_plus(n, strand->root, n - 1 - k);
    default:
        return coll_minus(n, v, k);
    }
}

struct coll_strand_load orr_coll_strand_load(const struct coll_strand *strand, uint32_t k)
{
    if (strand->kind == COLL_ALL_TO_ALL) {
        return all_to_all_load(strand, k);
    }
    return (struct coll_strand_load){.block = map(strand, block_position(strand, k))};
}

uint32_t orr_coll_strand_steps(enum coll_kind kind, uint32_t n, uint32_t reach)
{
    switch (kind) {
    case COLL_ALL_REDUCE:
    case COLL_BARRIER:
    case COLL_BROADCAST:
    case COLL_REDUCE:
        return 2 * (n - 1);
    case COLL_ALL_TO_ALL:
        return reach * (reach + 1) / 2;
    default:
        return n - 1;
    }
}
