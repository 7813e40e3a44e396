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

enum { WAVE_MOST_NODES = 1 << 24 };

/* Circuits for a byte. 1 circuit for 0 bytes: infinite, as there are no demands. */
struct wave_rate {
    uint32_t circuits;
    uint64_t bytes;
};

/* Why no rate above 0 can be had: more demands than circuits in one place. */
struct wave_crowd {
    uint32_t set; /* which place; WAVE_NONE: there is none */
    uint32_t demands;
};

/* ---- circuits on Q switches of N ports (SiP-OCS; ocs_circuits.c) ---- */

struct ocs_demand {
    uint32_t from, to; /* different */
    uint64_t bytes;    /* 0: nothing, which gets no circuit */
};

/* Every node has a transmitter and a receiver on each switch, and a switch joins transmitters with
 * receivers one to one. */
struct ocs_problem {
    uint32_t nodes, switches; /* at most WAVE_MOST_NODES; at least 1 */
    uint32_t demands;
    const struct ocs_demand *demand; /* by rising (from, to), each pair once */
};

struct ocs_circuits {
    uint32_t *count;        /* [demands] circuits of each */
    struct wave_rate bound; /* the greatest least rate of all allocations (A.2), exactly */
    struct wave_rate rate;  /* what is reached: the same */
    /* A node with more peers than switches, that with most; place: the node as a sender, nodes + it
     * as a receiver. The rates are 0 then, and the largest demands have circuits. */
    struct wave_crowd crowd;
};

/* How many circuits each demand gets: the least for the greatest rate at which no node needs more
 * than it has ports, then what is left to the demand with the most bytes for a circuit whose ends
 * both have a port free, then to the smallest (from, to). Errors: demands that are not as above
 * (input); memory. O((demands + nodes switches) log demands) and, where rates of nodes differ
 * much, the sorting of their demands. */
enum orr_status orr_ocs_circuits(struct orr_arena *arena, const struct ocs_problem *problem,
                                 struct ocs_circuits *out, struct orr_diag *diag);

/* (*peer)[s * nodes + i]: the node that i sends to by switch s, WAVE_NONE if none. For counts of at
 * most `switches` at each node, both ways, there always is a way (König). Errors: other counts
 * (internal); memory. O(circuits x (nodes + switches^2)) at worst, seldom more than O(circuits x
 * switches). */
enum orr_status orr_ocs_switches(struct orr_arena *arena, const struct ocs_problem *problem,
                                 const uint32_t *count, uint32_t **peer, struct orr_diag *diag);

/* Appends "GPU 3 sends to 17 others, for which there are 16 switches". There is a crowd. */
void orr_ocs_tell_crowd(const struct ocs_problem *problem, const struct ocs_circuits *circuits,
                        struct orr_diag *diag);

#endif
