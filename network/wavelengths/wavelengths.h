/* Circuits and wavelengths from a traffic matrix (SiP-ML, SIGCOMM'21, sections 3.1 and 3.3,
 * appendices A.1 and A.2): what a controller of an optical fabric sets for so many bytes between
 * its nodes. Pure functions: the same demands get the same circuits.
 *
 * The goal is that of the paper: the least rate, circuits for a byte, of all demands is as great as
 * possible; then no demand takes longer than need be. Rates are fractions of whole numbers, so that
 * nothing depends on rounding.
 *
 * Results lie in the arena that a function is given; one that is asked often resets its own before
 * (orr_arena_reset), and hardly allocates then. */
#ifndef ORR_NETWORK_WAVELENGTHS_WAVELENGTHS_H
#define ORR_NETWORK_WAVELENGTHS_WAVELENGTHS_H

#include "core/core.h"

#define WAVE_NONE UINT32_MAX

enum { WAVE_MAX_NODES = 1 << 24 };

/* Circuits for a byte. 1 circuit for 0 bytes: infinite, as there are no demands. */
struct wave_rate {
    uint32_t circuits;
    uint64_t bytes;
};

/* circuits / bytes of `a` is less than that of `b`. */
static inline bool wave_rate_is_less(struct wave_rate a, struct wave_rate b)
{
    return (orr_wide)a.circuits * b.bytes < (orr_wide)b.circuits * a.bytes;
}

/* Why no rate above 0 can be had: more demands than circuits in one place. */
struct wave_overload {
    uint32_t set; /* which place; WAVE_NONE: there is none */
    uint32_t demands;
};

/* ---- circuits on Q switches of N ports (SiP-OCS; ocs_circuits.c) ---- */

struct ocs_demand {
    uint32_t from, to; /* different */
    uint64_t bytes;    /* 0: nothing, which gets no circuit */
};

/* Every node has a transmitter and a receiver on each switch, and a switch joins transmitters with
 * receivers one to one.
 *
 * A folded problem has one group stand for all alike ones: with `group` = k node i + g k does in
 * group g as i does in group 0, so that a demand from i to j is one from i + g k to (j + g k) mod
 * `nodes` for every g. Only those of group 0 are given: `from` is below k, `to` is any node. All
 * that goes to nodes of equal places, to mod k, shares the ports of one receiver; so the problem is
 * one of k senders and k receivers. */
struct ocs_problem {
    uint32_t nodes, switches; /* at most WAVE_MAX_NODES; at least 1 */
    uint32_t demands;
    const struct ocs_demand *demand; /* by rising (from, to), each pair once */
    uint32_t group;                  /* divides `nodes`; 0: all demands are given */
};

struct ocs_circuits {
    uint32_t *count;        /* [demands] circuits of each */
    struct wave_rate bound; /* the greatest least rate of all allocations (A.2), exactly */
    struct wave_rate rate;  /* what is reached: the same */
    /* A node with more peers than switches, that with most; place: the node as a sender, nodes (or
     * group) + it as a receiver. The rates are 0 then, and the largest demands have circuits. */
    struct wave_overload overload;
};

/* How many circuits each demand gets: the least for the greatest rate at which no node needs more
 * than it has ports, then what is left to the demand with the most bytes for a circuit whose ends
 * both have a port free, then to the smallest (from, to). Folded, bound and rate are those of the
 * whole problem, and counts that are copied to all groups are an answer to it; what is left may go
 * to others among equals, since all groups take it at once. Errors: demands that are not as above
 * (input); memory. O((demands + nodes switches) log demands), of nodes those of a group, and, where
 * rates of nodes differ much, the sorting of their demands. */
enum orr_status orr_ocs_circuits(struct orr_arena *arena, const struct ocs_problem *problem,
                                 struct ocs_circuits *out, struct orr_diag *diag);

/* (*peer)[s * nodes + i]: the node that i sends to by switch s, WAVE_NONE if none. Folded it is
 * [s * group + i]; copied to all groups, i + g k sending to (that + g k) mod nodes, no switch has
 * two circuits to a node. For counts of at most `switches` at each node, both ways, there always is
 * a way (König). Errors: other counts (internal); memory. O(circuits x (nodes + switches^2)) at
 * worst, seldom more than O(circuits x switches). */
enum orr_status orr_ocs_switches(struct orr_arena *arena, const struct ocs_problem *problem,
                                 const uint32_t *count, uint32_t **peer, struct orr_diag *diag);

/* Appends "GPU 3 sends to 17 others, for which there are 16 switches". There is a crowd. */
void orr_ocs_describe_overload(const struct ocs_problem *problem,
                               const struct ocs_circuits *circuits, struct orr_diag *diag);

/* ---- wavelengths on a ring of N nodes (SiP-Ring) ---- */

enum { RING_MAX_WAVELENGTHS = 4096 };

/* A way along the ring. Segment s joins nodes s and s + 1; up is the way of rising numbers. */
struct ring_arc {
    uint32_t from;   /* node */
    uint32_t length; /* segments, 1 to nodes; nodes: all around (a folded ring) */
    bool down;
    uint64_t bytes; /* 0: nothing */
};

/* Two fibres around, one for each direction, with so many wavelengths on each; a node sends by as
 * many in all, and receives by as many. A wavelength is used once on a segment of a fibre. */
struct ring_problem {
    uint32_t nodes, wavelengths; /* at most WAVE_MAX_NODES; 1 to RING_MAX_WAVELENGTHS */
    uint32_t arcs;
    const struct ring_arc *arc;
};

struct ring_allocation {
    uint32_t *count; /* [arcs] wavelengths of each, and */
    uint32_t words;
    uint64_t *mask;         /* [arcs * words] which: bit w % 64 of word w / 64 */
    struct wave_rate rate;  /* what is reached, and */
    struct wave_rate bound; /* the greatest rate at which no segment or node has too many: no
                             * allocation is above it */
    /* What was wanted at first and found no wavelength: arcs that overlap pairwise around the ring
     * may need more wavelengths than lie over any segment. The rate is lowered until there is none.
     */
    uint32_t deficit;
    /* Too many arcs in one place; segments up, segments down, senders, receivers (nodes of each).
     */
    struct wave_overload overload;
};

/* The shorter way from one node to another, which is up where both are as long. False if it has
 * more than `reach` segments (0: no limit); `from` and `to` are different. (ring_arcs.c) */
bool orr_ring_route(uint32_t nodes, uint32_t reach, const struct ocs_demand *demand,
                    struct ring_arc *arc);

/* How many nodes light gets past without an amplifier: a node takes `coupler_db` to get in and out,
 * and `ring_db` for its micro-rings (section 5). At least one of the two is above 0. (ring_arcs.c)
 */
uint32_t orr_ring_reach(double budget_db, double coupler_db, double ring_db);

/* Appends "segment 3 to 4 lies below 17 arcs, for which there are 16 wavelengths". There is a
 * crowd. (ring_arcs.c) */
void orr_ring_describe_overload(const struct ring_problem *problem,
                                const struct ring_allocation *allocation, struct orr_diag *diag);

/* By load: the greatest rate at which no segment has too many, wavelengths for that (colours of
 * arcs), the next lower rate as long as they are not enough; then what is left, one by one, to the
 * arc with the least rate that has a wavelength free all along. Usually the exact optimum: see
 * docs/models.md. Errors: arcs that are not as above (input); memory. A colouring is O(arcs x
 * length x words), and one is usually enough; there are at most some dozens. (ring_load.c) */
enum orr_status orr_ring_allocate(struct orr_arena *arena, const struct ring_problem *problem,
                                  struct ring_allocation *out, struct orr_diag *diag);

/* How fractions of wavelengths become whole ones. */
enum ring_rounding {
    RING_ROUND_DOWN,  /* down, then what is left as above */
    RING_ROUND_RANDOM /* up by chance, with the fraction as its probability, where one fits; the
                       * paper's, without what is left */
};

struct ring_flow {
    enum ring_rounding rounding;
    uint64_t seed;      /* of RING_ROUND_RANDOM */
    uint32_t max_steps; /* linear programs that are solved; 0: as many as it takes, one an arc */
    /* What was done. */
    uint32_t steps;
    bool cut_short; /* demands were left after max_steps, or the solver gave up: their flows count
                     * as long as it would have taken to serve them one by one */
};

/* Appendix A.1, steps 1 to 4: flows that favour small demands, until the first demand is done; what
 * is left, until all are; the mean over time of each, times the wavelengths, rounded. Errors as
 * above, and the solver cannot be loaded (input/output). A linear program of arcs and 4 nodes a
 * step. (ring_flow.c) */
enum orr_status orr_ring_flow(struct orr_arena *arena, const struct ring_problem *problem,
                              struct ring_flow *flow, struct ring_allocation *out,
                              struct orr_diag *diag);

/* How long a solver may take; 0: no limit. Nodes of the search do not depend on the machine. */
struct ring_limits {
    uint32_t nodes, ms;
};

/* The integer program of appendix A.1, for small rings. *gap is how much greater the best rate may
 * be, relative to what is found, at most: 0 if it is the optimum, infinite if nothing was found.
 * Errors as above. (ring_exact.c) */
enum orr_status orr_ring_exact(struct orr_arena *arena, const struct ring_problem *problem,
                               struct ring_limits limits, struct ring_allocation *out, double *gap,
                               struct orr_diag *diag);

/* Rows of rings and columns of rings (section 3.3): node r * columns + c is on ring r of the rows
 * and ring c of the columns, with `across` of its wavelengths on the first. */
struct ring_grid {
    uint32_t rows, columns, wavelengths;
    uint32_t across; /* of the wavelengths; 0: as many as give the greatest bound */
    uint32_t reach;  /* 0: no limit */
    uint32_t demands;
    const struct ocs_demand *demand;
};

struct ring_grid_allocation {
    uint32_t *count;        /* [demands] */
    struct wave_rate rate;  /* of those that have a way */
    struct wave_rate bound; /* as above, with `across` */
    uint32_t across;
    uint32_t deficit;
    uint32_t
        unreachable; /* demands between nodes that no ring joins, or out of reach: 0 wavelengths */
    uint32_t first_unreachable; /* the first of them; WAVE_NONE */
};

/* Errors: demands of nodes that are not there, fewer than two wavelengths to divide, `across` that
 * leaves none (input); memory. O(log wavelengths) bounds of all rings, and an allocation of each.
 * (ring_grid.c) */
enum orr_status orr_ring_grid(struct orr_arena *arena, const struct ring_grid *grid,
                              struct ring_grid_allocation *out, struct orr_diag *diag);

#endif
