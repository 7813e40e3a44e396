/* Circuits and wavelengths from a traffic matrix (SiP-ML, SIGCOMM'21, sections 3.1 and 3.3,
 * appendices A.1 and A.2). Pure, deterministic functions.
 *
 * The objective is the paper's: maximize the minimum rate, in circuits per byte, of all demands;
 * then no demand takes longer than necessary. Rates are fractions of integers, so nothing depends
 * on rounding.
 *
 * Results are in the arena that a function is given. A caller that runs often resets its arena
 * before each call (orr_arena_reset), and then rarely allocates. */
#ifndef ORR_SIPML_WAVELENGTHS_WAVELENGTHS_H
#define ORR_SIPML_WAVELENGTHS_WAVELENGTHS_H

#include <stdbool.h>

#include "core/status.h"
#include "network/wavelengths/wave_rate.h"

struct orr_arena;
struct orr_diag;

/* ---- circuits on Q switches of N ports (SiP-OCS; ocs_circuits.c) ---- */

struct ocs_demand {
    uint32_t from, to; /* different */
    uint64_t bytes;    /* 0: no demand, which gets no circuit */
};

/* Every node has a transmitter and a receiver on each switch; a switch connects transmitters to
 * receivers one to one.
 *
 * A folded problem represents equivalent groups by one: with `group` = k, node i + g k does in
 * group g what i does in group 0, so that a demand from i to j means one from i + g k to (j + g k)
 * mod `nodes` for every g. Only those of group 0 are given: `from` < k, `to` is any node. Nodes of
 * equal `to` mod k share the ports of one receiver, so the problem has k senders and k receivers.
 */
struct ocs_problem {
    uint32_t nodes, switches; /* at most WAVE_MAX_NODES; at least 1 */
    uint32_t demands;
    const struct ocs_demand *demand; /* by ascending (from, to), each pair once */
    uint32_t group;                  /* divides `nodes`; 0: all demands are given */
};

struct ocs_circuits {
    uint32_t *count;        /* [demands] circuits of each */
    struct wave_rate bound; /* the exact max-min rate of all allocations (A.2) */
    struct wave_rate rate;  /* the rate reached: equal to the bound */
    /* The node with the most peers above the number of switches; set: the node as a sender, nodes
     * (or group) + it as a receiver. The rates are then 0, and the largest demands have circuits.
     */
    struct wave_overload overload;
};

/* Allocates circuits to demands: the minimum for the max-min rate, then the remaining ones to the
 * demand with the most bytes per circuit whose ends both have a free port, ties to the smallest
 * (from, to). Folded: bound and rate are those of the unfolded problem, and counts copied to all
 * groups are a solution of it; remaining circuits can go to others among equals, because all groups
 * take them at once. Errors: demands other than above (input); memory. O((demands + nodes switches)
 * log demands), with the nodes of a group if folded, plus sorting of demands of nodes whose rates
 * differ much. */
enum orr_status orr_ocs_circuits(struct orr_arena *arena, const struct ocs_problem *problem,
                                 struct ocs_circuits *out, struct orr_diag *diag);

/* Assigns circuits to switches: (*peer)[s * nodes + i] is the node to which i sends by switch s,
 * WAVE_NONE: none. Folded it is [s * group + i]; copied to all groups, i + g k sends to (that + g
 * k) mod nodes, and no switch has two circuits to a node. A solution exists if each node has at
 * most `switches` circuits in each direction (König). Errors: other counts (internal); memory.
 * O(circuits x (nodes + switches^2)) at worst, rarely more than O(circuits x switches). */
enum orr_status orr_ocs_switches(struct orr_arena *arena, const struct ocs_problem *problem,
                                 const uint32_t *count, uint32_t **peer, struct orr_diag *diag);

/* Appends "GPU 3 sends to 17 others, for which there are 16 switches". Requires circuits->overload.
 */
void orr_ocs_describe_overload(const struct ocs_problem *problem,
                               const struct ocs_circuits *circuits, struct orr_diag *diag);

/* ---- wavelengths on a ring of N nodes (SiP-Ring) ---- */

enum { RING_MAX_WAVELENGTHS = 4096 };

/* An arc of the ring. Segment s connects nodes s and s + 1; up is the direction of ascending
 * numbers. */
struct ring_arc {
    uint32_t from;   /* node */
    uint32_t length; /* segments, 1 to nodes; nodes: all around (a folded ring) */
    bool down;
    uint64_t bytes; /* 0: no demand */
};

/* A ring of two fibres, one for each direction, with `wavelengths` on each. A node sends on at most
 * as many in total, and receives on as many. A wavelength is used once on a segment of a fibre. */
struct ring_problem {
    uint32_t nodes, wavelengths; /* at most WAVE_MAX_NODES; 1 to RING_MAX_WAVELENGTHS */
    uint32_t arcs;
    const struct ring_arc *arc;
};

struct ring_allocation {
    uint32_t *count; /* [arcs] wavelengths of each */
    uint32_t words;
    uint64_t *mask;         /* [arcs * words] which ones: bit w % 64 of word w / 64 */
    struct wave_rate rate;  /* the rate reached */
    struct wave_rate bound; /* the largest rate at which no segment or node is overloaded: an upper
                               bound of all allocations */
    /* Wavelengths missing at the first rate: arcs that overlap pairwise around the ring can need
     * more wavelengths than the load of any segment. The rate is lowered until none is missing. */
    uint32_t deficit;
    /* The overloaded set: segments up, segments down, senders, receivers (`nodes` of each). */
    struct wave_overload overload;
};

/* The shorter arc from one node to another, up if both are equally long. False if it has more than
 * `reach` segments (0: no limit); `from` and `to` differ. (ring_arcs.c) */
bool orr_ring_route(uint32_t nodes, uint32_t reach, const struct ocs_demand *demand,
                    struct ring_arc *arc);

/* The number of nodes that light passes without an amplifier: a node takes `coupler_db` to enter
 * and leave, and `ring_db` for its micro-rings (section 5). At least one of the two is above 0.
 * (ring_arcs.c) */
uint32_t orr_ring_reach(double budget_db, double coupler_db, double ring_db);

/* Appends "the segment from 3 to 4 is part of 17 arcs, for which there are 16 wavelengths".
 * Requires allocation->overload. (ring_arcs.c) */
void orr_ring_describe_overload(const struct ring_problem *problem,
                                const struct ring_allocation *allocation, struct orr_diag *diag);

/* By load: starts with the largest rate at which no segment is overloaded, assigns wavelengths by
 * coloring arcs, and lowers the rate while they do not suffice; gives the remaining ones, one by
 * one, to the arc of smallest rate with a wavelength free along it. Usually the exact optimum: see
 * docs/models.md. Errors: arcs other than above (input); memory. A coloring is O(arcs x length x
 * words); usually one suffices, at most some dozens are made. (ring_load.c) */
enum orr_status orr_ring_allocate(struct orr_arena *arena, const struct ring_problem *problem,
                                  struct ring_allocation *out, struct orr_diag *diag);

/* Rounding of fractions of wavelengths. */
enum ring_rounding {
    RING_ROUND_DOWN,  /* down, then the remaining ones as above */
    RING_ROUND_RANDOM /* up with the fraction as probability, if one fits; the paper's, without the
                         remaining ones */
};

struct ring_flow {
    enum ring_rounding rounding;
    uint64_t seed;      /* of RING_ROUND_RANDOM */
    uint32_t max_steps; /* limit of linear programs; 0: as many as needed, at most one an arc */
    /* Output. */
    uint32_t steps;
    bool cut_short; /* demands were left after max_steps, or the solver gave up: their flows count
                       as if they were served one by one */
};

/* By flows (appendix A.1, steps 1 to 4): flows that favour small demands, until the first demand is
 * served; the rest likewise, until all are; the mean flow of each over time, times the wavelengths,
 * rounded. Errors as above, and the solver cannot be loaded (input/output). A step is a linear
 * program of arcs and 4 nodes. (ring_flow.c) */
enum orr_status orr_ring_flow(struct orr_arena *arena, const struct ring_problem *problem,
                              struct ring_flow *flow, struct ring_allocation *out,
                              struct orr_diag *diag);

/* Limits of a solver; 0: none. Nodes of the search do not depend on the machine. */
struct ring_limits {
    uint32_t nodes, ms;
};

/* The integer program of appendix A.1, for small rings. *gap bounds how much larger the optimum can
 * be, relative to the rate found: 0: it is the optimum; infinite: nothing was found. Errors as
 * above. (ring_exact.c) */
enum orr_status orr_ring_exact(struct orr_arena *arena, const struct ring_problem *problem,
                               struct ring_limits limits, struct ring_allocation *out, double *gap,
                               struct orr_diag *diag);

/* Rows and columns of rings (section 3.3): node r * columns + c is on ring r of the rows and ring c
 * of the columns, with `across` of its wavelengths on the first. */
struct ring_grid {
    uint32_t rows, columns, wavelengths;
    uint32_t across; /* wavelengths of the rows; 0: those of the largest bound */
    uint32_t reach;  /* 0: no limit */
    uint32_t demands;
    const struct ocs_demand *demand;
};

struct ring_grid_allocation {
    uint32_t *count;        /* [demands] */
    struct wave_rate rate;  /* of the demands that can be carried */
    struct wave_rate bound; /* as above, for this `across` */
    uint32_t across;
    uint32_t deficit;
    uint32_t unreachable;       /* demands between nodes without a common ring, or out of reach: 0
                                   wavelengths */
    uint32_t first_unreachable; /* the first of them; WAVE_NONE: none */
};

/* Errors: demands of unknown nodes, fewer than two wavelengths to divide, an `across` that leaves
 * none (input); memory. O(log wavelengths) bounds of all rings, and an allocation of each.
 * (ring_grid.c) */
enum orr_status orr_ring_grid(struct orr_arena *arena, const struct ring_grid *grid,
                              struct ring_grid_allocation *out, struct orr_diag *diag);

#endif
