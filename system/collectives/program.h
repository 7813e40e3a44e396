/* Collectives as lazy per-rank programs (docs/architecture.md).
 *
 * An algorithm answers, for one rank of a group of n, which messages it sends and receives, in
 * which order and under which local conditions. It holds no state: every answer is a pure function
 * of (arguments, index), O(1) or O(log n), so that a rank's progress is a few counters. The
 * steppers (step/generic_stepper.c), the checker (checker.c) and the tests read the same answers.
 *
 * A program has `sends` sends 0.. and `recvs` receives 0... Each belongs to a lane (0 or 1);
 * lanes are independent strands of the same program, such as the two directions of a ring. Lanes
 * interleave: message j of lane l is number j * lanes + l, among the sends and among the receives.
 * Send k may go when at least `need` receives of its lane are complete. Sends of a lane go in
 * ascending order; in an `in_order` algorithm the receives of a lane complete in ascending order
 * too (an early arrival waits for its predecessors), otherwise in order of arrival, but a receive
 * never completes before `after` receives of its lane have: the count tells phases apart. Where
 * data that come must not be mixed with what is still to be sent, a receive completes only when
 * `after_sends` sends of its lane have gone, in an algorithm that says so (`sends_first`).
 *
 * Ranks and peers are positions 0..n-1 in the group, computed relative to the own position. */
#ifndef ORR_SYSTEM_COLLECTIVES_PROGRAM_H
#define ORR_SYSTEM_COLLECTIVES_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coll_kind {
    COLL_ALL_REDUCE,
    COLL_ALL_GATHER,
    COLL_REDUCE_SCATTER,
    COLL_ALL_TO_ALL,
    COLL_BROADCAST,
    COLL_REDUCE,
    COLL_GATHER,
    COLL_SCATTER,
    COLL_BARRIER,
    COLL_KINDS
};

/* Whether it is from one rank or to one. */
static inline bool coll_is_rooted(enum coll_kind kind)
{
    return kind == COLL_BROADCAST || kind == COLL_REDUCE || kind == COLL_GATHER ||
           kind == COLL_SCATTER;
}

/* Meaning of `bytes`: all-reduce, broadcast, reduce: the whole buffer; all-gather, gather: one
 * rank's contribution; reduce-scatter, scatter: the whole input (n blocks); all-to-all: one rank's
 * input buffer (n blocks); barrier: ignored, messages are empty. A block is ceil(bytes / n). */
struct coll_trees;  /* user trees, see collectives/trees.h */
struct coll_rings;  /* rings on links, see collectives/rings.h */
struct coll_forest; /* trees of all ranks on links, see collectives/forest.h */

/* Bytes of a block of an uneven collective; zero: nothing is sent. All-to-all: what `source` has
 * for rank `block`. All-gather: the contribution of rank `block`. Reduce-scatter: the part that
 * rank `block` keeps. `source` is ignored in the last two. */
typedef uint64_t (*coll_size_fn)(const void *context, uint32_t source, uint32_t block);

struct coll_args {
    enum coll_kind kind;
    uint32_t n;       /* members, >= 1; with n == 1 every program is empty */
    uint32_t rank;    /* own position */
    uint32_t root;    /* position of the root, for rooted kinds */
    uint32_t window;  /* direct: maximum receives in flight; 0: unlimited */
    uint32_t variant; /* alternates over chunks: which of the trees, which direction */
    uint64_t bytes;
    const struct coll_trees *trees;   /* user trees; NULL: none */
    const struct coll_rings *rings;   /* rings of the group on links; NULL: none */
    const struct coll_forest *forest; /* trees of the group on links; NULL: none */
    coll_size_fn size;                /* an uneven collective: instead of `bytes`; NULL: even */
    const void *size_context;
};

struct coll_send {
    uint32_t peer;      /* destination */
    uint32_t peer_recv; /* which of the destination's receives this message is */
    uint32_t need;      /* receives of the lane that must be complete before it */
    uint32_t lane;
    uint32_t channel; /* of the network, as net_msg.channel; 0: by routes */
    bool backwards;   /* against the ring's direction (a hint for the port) */
    bool up;          /* towards the root of a tree, to be reduced */
    bool turns;       /* from the root of a tree down */
    uint64_t bytes;
};

struct coll_recv {
    uint32_t peer; /* source */
    uint32_t lane;
    bool reduce; /* combined with the buffer; otherwise replaces it */
    /* Receives of the lane that must be complete before it, ascending in the lane; in_order:
     * ignore. */
    uint32_t after;
    uint32_t after_sends; /* sends of the lane that must have gone before it; sends_first */
    uint64_t bytes;
};

/* Called for each block a message carries. Blocks: 0..n-1, the parts of the vector (block b is what
 * reduce-scatter leaves on rank b, what rank b contributes to all-gather and gather, what scatter
 * gives to rank b); all-to-all: source * n + destination. With two lanes a block has two parts,
 * 2 * block (the larger half) and 2 * block + 1, and the parts are visited. Not for barriers. */
typedef void (*coll_block_fn)(void *context, uint32_t block);

/* Event chain by which ASTRA-sim steps the algorithm: packets to the next member; packets to all
 * others; exchanges with partners at powers of two; buffers up and down trees. */
enum coll_chain {
    COLL_CHAIN_NONE,
    COLL_CHAIN_AROUND,
    COLL_CHAIN_TO_ALL,
    COLL_CHAIN_EXCHANGE,
    COLL_CHAIN_TREES
};

/* Symmetry of the programs of a collective's ranks: none; the k-th partner is at the same offset,
 * modulo n; the k-th partner has the same bits flipped. In both cases bytes, needs and message
 * numbers are equal for all ranks. */
enum coll_symmetry { COLL_ASYMMETRIC, COLL_SHIFTED, COLL_EXCHANGED };

struct coll_algorithm {
    const char *name;    /* as written in configurations, e.g. "ring" */
    const char *summary; /* one line */
    bool in_order;
    bool sends_first; /* some receives come after sends (coll_recv.after_sends) */
    /* Runs only if it is named: autotuning does not try it. */
    bool by_name;
    bool uneven; /* all-to-all, all-gather and reduce-scatter may be uneven (coll_args.size) */
    /* In-switch reduction: a rank sends its contribution to the whole buffer, in pieces of any
     * size, and receives the sum. Only for dimensions that are switches. */
    bool in_switch;
    /* Messages go to ring neighbors only; with one lane in one direction. So a member sends up to n
     * * n / 2 messages in an all-to-all (other algorithms: at most 2 n per lane), and blocks to or
     * from a root are pipelined. */
    bool around;
    bool at_once;   /* without a root, messages to all others may be in flight concurrently */
    bool windowed;  /* coll_args.window limits their number */
    bool varies;    /* depends on coll_args.variant: two variants, or one per user tree or ring */
    bool up_down;   /* an all-reduce goes up to a root and down again */
    bool given;     /* uses coll_args.trees; without them it is a chain */
    bool on_rings;  /* uses coll_args.rings; without them it is one ring in order */
    bool on_forest; /* uses coll_args.forest; without them it is one ring in order; for all NPUs of
                       a graph, as one dimension */
    uint32_t lanes; /* 1 or 2 */
    enum coll_chain chain;
    /* Names in ASTRA-sim's files, in addition to `name`: plain, and after "one"; NULL ends the
     * array. */
    const char *astra_names[3];
    /* Whether it supports the kind on n members. A file that names an unsupported algorithm is
     * rejected; elsewhere another algorithm runs, with a warning. */
    bool (*supports)(enum coll_kind kind, uint32_t n);
    uint32_t (*sends)(const struct coll_args *args);
    uint32_t (*recvs)(const struct coll_args *args);
    void (*send)(const struct coll_args *args, uint32_t k, struct coll_send *out);
    void (*recv)(const struct coll_args *args, uint32_t k, struct coll_recv *out);
    void (*blocks)(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context);
    /* NULL: asymmetric. */
    enum coll_symmetry (*symmetry)(enum coll_kind kind, uint32_t n);
    /* Whether all sends of the kind are equal: to the same peer, with the same bytes, send k after
     * the first k receives, as its receive k; as many receives as sends; one lane. NULL: no. */
    bool (*repeats)(enum coll_kind kind);
    /* Steps of the critical path, for latency estimates (Themis, cost models). */
    uint32_t (*steps)(enum coll_kind kind, uint32_t n);
};

/* All algorithms, those of algorithm_list.h; ends with NULL. */
extern const struct coll_algorithm *const orr_coll_algorithms[];

/* Roles that an algorithm fills: default of a ring, of a clique (a link or route between each
 * pair), of a switch; trees, and rings on a graph's links, between which chunks alternate; and the
 * fallback that runs any kind on any number. */
enum coll_role {
    COLL_FOR_RING,
    COLL_FOR_CLIQUE,
    COLL_FOR_SWITCH,
    COLL_FOR_TURNS,
    COLL_FOR_LINKS,
    COLL_FOR_ANYTHING,
    COLL_ROLES
};
const struct coll_algorithm *orr_coll_for(enum coll_role role);

/* By name, or NULL; by index, NULL after the last. Those from outside (core/extensions.h), which
 * run only if they are named, come behind the list. */
const struct coll_algorithm *orr_coll_algorithm_find(const char *name);
const struct coll_algorithm *orr_coll_algorithm_at(size_t index);

const char *orr_coll_kind_name(enum coll_kind kind); /* "all_reduce", ... */

/* ceil(bytes / n): the uniform block of every rank. */
static inline uint64_t coll_block_bytes(const struct coll_args *args)
{
    return args->bytes / args->n + (args->bytes % args->n != 0 ? 1 : 0);
}

/* Whether collectives of the kind may be uneven. */
static inline bool coll_kind_is_uneven(enum coll_kind of)
{
    return of == COLL_ALL_TO_ALL || of == COLL_ALL_GATHER || of == COLL_REDUCE_SCATTER;
}

#endif
