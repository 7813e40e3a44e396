/* TopoOpt's TopologyFinder (NSDI'23, section 4.2, Algorithms 1-4): a topology of servers with d
 * interfaces each, for the all-reduces and the transfers of a strategy. It knows bytes and links,
 * no strategy and no time.
 *
 *   1. The degree is split by bytes on the wire: d_A = max(1, ceil(d A / (A + M))) interfaces of a
 *      server are for rings, the others for transfers. With duplex links d_A is even.
 *   2. Groups of servers that reduce get rings of jumps by their share of d_A (permutations.h).
 *   3. What falls apart gives its last jump for a ring of +1 over all servers.
 *   4. The interfaces that are left are matched, round by round, by transfers (matching.h); those
 *      of a pair count for less with each link that it has.
 *   5. What then is left is for rings again: of the group that has most bytes a ring, and room. */
#ifndef ORR_PLANNER_FINDER_FINDER_H
#define ORR_PLANNER_FINDER_FINDER_H

#include "network/network.h"
#include "workload/workload.h"

enum { FINDER_MAX_SERVERS = 16384 };

/* What a link of a pair that has l already counts: bytes x 2^-l; bytes x (d - l) / d; bytes /
 * (l + 1)!; all of the bytes (appendix E.4). */
enum finder_discount {
    FINDER_HALVING,
    FINDER_LINEAR,
    FINDER_FACTORIAL,
    FINDER_NO_DISCOUNT,
    FINDER_DISCOUNTS
};

/* Servers that reduce so many bytes of tensors, S: 2 (k - 1) S on the wire. */
struct finder_group {
    const uint32_t *member; /* [members] >= 2, each once */
    uint32_t members;
    uint64_t bytes;
};

struct finder_demand {
    uint32_t servers;
    const struct finder_group *group;
    uint32_t groups;
    const uint64_t *transfers; /* [servers * servers] bytes from row to column; NULL: none */
};

struct finder_options {
    uint32_t degree; /* interfaces of a server */
    enum net_cables links;
    enum finder_discount discount;
    enum net_select select;
    uint32_t ring_degree; /* d_A; 0: by the bytes */
    bool primes;          /* of the jumps 1 and primes only */
    struct net_jumps all; /* for groups of all servers, in this order; none: selected */
    /* A cable may join interfaces of different numbers, as on one large switch; else interface i of
     * every server is on panel i, where an odd number of servers leaves one out. Duplex only. */
    bool any_port;
    bool leave_idle;           /* interfaces that neither step 2 nor step 4 takes stay idle */
    struct net_link_kind kind; /* of every link */
};

/* ---- the answer ---- */

/* Groups of equal size and stride, no server in two of them: they have the same jumps. */
struct finder_class {
    uint32_t members;      /* of each of its groups */
    uint32_t stride;       /* from member to member; 0: not everywhere the same */
    const uint32_t *group; /* [groups], into finder_topology.group, by first member */
    uint32_t groups;
    uint64_t wire_bytes;
    uint32_t degree;        /* interfaces of a server that its jumps take */
    struct net_jumps jumps; /* laid, in this order; those of step 5 may be twice; or none */
};

/* What is laid at once: a jump of a class, one of all servers that no group asked for but to keep
 * them together, or a matching. */
enum finder_layer_kind { FINDER_RINGS, FINDER_CONNECTION, FINDER_MATCHING };
struct finder_layer {
    enum finder_layer_kind kind;
    uint32_t of_class, jump; /* of FINDER_RINGS; the jump of FINDER_CONNECTION too */
    bool duplex;             /* every link is a cable both ways */
    uint32_t interfaces;     /* it takes of a server that has links in it */
    /* [links] of each ring one after the other, from member 0 on in the order of the ring; of
     * matchings by the lower server, which is `from`. */
    const struct finder_link {
        uint32_t from, to;
    } * link;
    uint32_t links;
};

/* A ring of a group: from member[i] to member[i + 1], and from the last to the first. */
struct finder_ring {
    uint32_t group; /* into finder_topology.group */
    uint32_t members;
    const uint32_t *member; /* [members], in the order of the ring */
    /* [members + 1] into `between`: the servers that step i passes, which are none where there is a
     * link. NULL: there is one for every step. */
    const uint32_t *first_between, *between;
};

struct finder_topology {
    uint32_t servers, degree;
    enum net_cables links;
    struct net_link_kind kind;
    uint64_t reduce_bytes, transfer_bytes; /* A and M, on the wire */
    uint32_t ring_degree;                  /* d_A; degree - d_A is d_M */
    const struct finder_group *group; /* [groups] each set of servers once, members ascending, */
    uint32_t groups;                  /*   by size, then by members */
    const struct finder_class *of;    /* [classes], by falling bytes */
    uint32_t classes;
    const struct finder_layer *layer; /* [layers] rings, matchings, rings of step 5 */
    uint32_t layers;
    const struct finder_ring *ring; /* [rings], by group: at least one of each */
    uint32_t rings;
    const uint32_t *used; /* [servers] interfaces that have a link */
    uint32_t idle;        /* interfaces that have none, of all servers */
    /* The jumps taken back for the ring of +1 over all servers; the last ones of their classes. */
    uint32_t removed_jumps;
};

/* The topology for a demand, in the arena. Where nothing is reduced, rings of all servers take d_A
 * (all of d where nothing is sent). Errors, of which `servers`, `degree`, `ring_degree`, `links`,
 * `jumps` and `groups` are the first words: fewer than 2 servers or more than FINDER_MAX_SERVERS;
 * a degree of 0 or above n - 1, or of 1 with duplex links; duplex links among an odd number of
 * servers, unless on any port; a group of one, or of servers that are none or come twice; degree 1
 * with several groups; jumps given that make no ring; memory. O(classes x n + n^3 a matching). */
enum orr_status orr_finder_find(struct orr_arena *arena, const struct finder_demand *demand,
                                const struct finder_options *options, struct finder_topology *out,
                                struct orr_diag *diag);

/* The links and rings of a topology as a graph (network/graph.h). Rings have `member`; those with a
 * step of several hops have ways. O(links log links). */
enum orr_status orr_finder_graph(struct orr_arena *arena, const struct finder_topology *topology,
                                 struct net_graph *out, struct orr_diag *diag);

/* What a strategy sends: the groups of every copy, and the shares that holders of the same weights
 * scatter and gather as transfers (demand_total.h). Arrays in the arena. O(devices^2). */
enum orr_status orr_finder_demand(struct orr_arena *arena, const struct demand_total *total,
                                  struct finder_demand *out, struct orr_diag *diag);

/* "halving", ...: for keys of files; ends with NULL. */
extern const char *const orr_finder_discount_names[];

#endif
