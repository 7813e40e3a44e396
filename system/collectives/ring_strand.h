/* One direction of a ring, seen from a strand on which data always goes from position v to v + 1.
 * A ring against the ranks' order is the same strand with positions mirrored (v = -rank mod n).
 * Receive k of a position is send k of the position before it, so sends describe everything. */
#ifndef ORR_SYSTEM_COLLECTIVES_RING_STRAND_H
#define ORR_SYSTEM_COLLECTIVES_RING_STRAND_H

#include "system/collectives/program.h"

struct coll_strand {
    enum coll_kind kind;
    uint32_t n;
    uint32_t position; /* own, on the strand */
    uint32_t root;     /* on the strand */
    uint32_t reach;    /* all-to-all: farthest distance that goes this way */
    bool mirrored;     /* positions are -rank mod n */
};

/* What a message carries, in ranks (not positions on the strand). */
struct coll_strand_load {
    uint32_t block;    /* number for coll_block_fn, before it is cut into parts */
    uint32_t distance; /* all-to-all: from source to destination along the strand; else 0 */
};

/* The strand of `args->rank`; the reach is n - 1. */
struct coll_strand orr_coll_strand_init(const struct coll_args *args, bool mirrored);

/* The same strand one position further on, or before. */
struct coll_strand orr_coll_strand_next(const struct coll_strand *strand);
struct coll_strand orr_coll_strand_prev(const struct coll_strand *strand);

/* The rank at the strand's position. */
uint32_t orr_coll_strand_rank(const struct coll_strand *strand);

uint32_t orr_coll_strand_sends(const struct coll_strand *strand);
uint32_t orr_coll_strand_recvs(const struct coll_strand *strand);

/* Receives that send k needs. */
uint32_t orr_coll_strand_need(const struct coll_strand *strand, uint32_t k);

/* Whether receive k is combined with what is there. */
bool orr_coll_strand_reduces(const struct coll_strand *strand, uint32_t k);

/* What send k carries. O(log n) for the all-to-all, else O(1). */
struct coll_strand_load orr_coll_strand_load(const struct coll_strand *strand, uint32_t k);

/* Messages one after the other on the longest chain, for a strand with this reach. */
uint32_t orr_coll_strand_steps(enum coll_kind kind, uint32_t n, uint32_t reach);

#endif
