/* TopoOpt's TopologyFinder (NSDI'23, section 4.2, Algorithms 1-4): a topology of servers with d
 * interfaces each for the all-reduces and transfers of a strategy. It uses bytes and links only,
 * neither strategies nor times.
 *
 *   1. Split the degree by bytes on the wire: d_A = max(1, ceil(d A / (A + M))) interfaces of a
 *      server are for rings, the others for transfers. With duplex links d_A is even.
 *   2. Give each class of groups rings of jumps by its share of d_A (permutations.h).
 *   3. If the topology is disconnected, replace the last jumps by a ring of +1 over all servers.
 *   4. Match the free interfaces in rounds, by the bytes of transfers (matching.h); the weight of a
 *      pair is discounted with each link that it has.
 *   5. Use the interfaces that are still free for rings: of the class with the most bytes a ring
 *      that has free interfaces. */
#ifndef ORR_PLANNER_FINDER_FINDER_H
#define ORR_PLANNER_FINDER_FINDER_H

#include "network/graph_source.h"
#include "network/permutations/permutations.h"

struct demand_total;
struct net_graph;
struct orr_arena;
struct orr_diag;

enum { FINDER_MAX_SERVERS = 16384 };

/* Discount of the bytes of a pair with l links: bytes x 2^-l; bytes x (d - l) / d; bytes / (l +
 * 1)!; no discount (appendix E.4). */
enum finder_discount {
    FINDER_HALVING,
    FINDER_LINEAR,
    FINDER_FACTORIAL,
    FINDER_NO_DISCOUNT,
    FINDER_DISCOUNTS
};

/* Servers that all-reduce tensors of S bytes in sum: 2 (k - 1) S bytes on the wire. */
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
    uint32_t ring_degree; /* d_A; 0: by the bytes (step 1) */
    bool primes;          /* jumps are 1 and primes only */
    struct net_jumps all; /* jumps of groups of all servers, in this order; none: selected */
    /* A cable may join interfaces of different numbers, as on one large switch; else interface i of
     * every server is on panel i, where an odd number of servers leaves one out. Duplex only. */
    bool any_port;
    bool leave_idle;           /* without step 5: free interfaces stay idle */
    struct net_link_kind kind; /* of every link */
};

/* ---- the result ---- */

/* Groups of equal size and stride, no server in two of them: they have the same jumps. */
struct finder_class {
    uint32_t members;      /* of each of its groups */
    uint32_t stride;       /* from member to member; 0: not everywhere the same */
    const uint32_t *group; /* [groups], into finder_topology.group, by first member */
    uint32_t groups;
    uint64_t wire_bytes;
    uint32_t degree;        /* interfaces of a server that its jumps use */
    struct net_jumps jumps; /* in the order added; step 5 may repeat one */
};

/* A layer of links: a jump of a class, a ring of all servers that connects the topology, or a
 * matching. */
enum finder_layer_kind { FINDER_RINGS, FINDER_CONNECTION, FINDER_MATCHING };
struct finder_layer {
    enum finder_layer_kind kind;
    uint32_t of_class, jump; /* of FINDER_RINGS; the jump of FINDER_CONNECTION too */
    bool duplex;             /* every link is a cable for both directions */
    uint32_t interfaces;     /* interfaces of a server with links in this layer */
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
    /* [members + 1] into `between`: the servers that forward step i; none if the step has a direct
     * link. NULL: all steps have one. */
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
    const struct finder_ring *ring; /* [rings], by group, at least one for each group */
    uint32_t rings;
    const uint32_t *used; /* [servers] interfaces that have a link */
    uint32_t idle;        /* interfaces without a link, of all servers */
    /* Number of jumps that were removed for the ring of +1 over all servers: the last ones of their
     * classes. */
    uint32_t removed_jumps;
};

/* Finds the topology for a demand; the result is in the arena. Without all-reduces, rings of all
 * servers use d_A interfaces (all of d if there are no transfers either). Errors start with
 * `servers`, `degree`, `ring_degree`, `links`, `jumps` or `groups`: fewer than 2 or more than
 * FINDER_MAX_SERVERS servers; a degree of 0, above n - 1, or of 1 with duplex links; duplex links
 * among an odd number of servers without any_port; a group of one server, or with a server that
 * does not exist or occurs twice; degree 1 with several groups; user jumps that make no ring;
 * memory. O(classes x n + n^3 a matching). */
enum orr_status orr_finder_find(struct orr_arena *arena, const struct finder_demand *demand,
                                const struct finder_options *options, struct finder_topology *out,
                                struct orr_diag *diag);

/* Converts a topology to a graph with links and rings (network/graph.h); arrays in the arena. Rings
 * have `member`; those with a step of several hops have paths (graph.way). Errors: memory. O(links
 * log links). */
enum orr_status orr_finder_graph(struct orr_arena *arena, const struct finder_topology *topology,
                                 struct net_graph *out, struct orr_diag *diag);

/* Computes the demand of a strategy: the all-reduce groups of every copy; the reduce-scatter and
 * all-gather among holders of the same weights are transfers (demand_total.h). Arrays in the arena.
 * Errors: memory. O(devices^2). */
enum orr_status orr_finder_demand(struct orr_arena *arena, const struct demand_total *total,
                                  struct finder_demand *out, struct orr_diag *diag);

/* Names of the discounts for keys of files, "halving", ...; ends with NULL. */
extern const char *const orr_finder_discount_names[];

#endif
