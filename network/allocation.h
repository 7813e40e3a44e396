/* Demand-aware circuit allocation (SiP-ML, SIGCOMM'21, sections 3.1 and 3.3): the interface of the
 * controllers of `network.circuits` that give circuits, or wavelengths, to a job's traffic matrix.
 * Circuits are direct: no message takes a detour.
 *
 * The demands are not known when the network section is read: until then the graph is one switch
 * that gives each NPU the bandwidth of all its circuits (orr_net_await_demands). A pilot run on
 * that switch measures the demands, and orr_net_allocated_graph makes the graph of them. In it
 * demand i is link record i: the records that leave NPUs below `group` come first, by (from, to).
 * The records of NPU n + group are those of NPU n, rotated by `group`. */
#ifndef ORR_NETWORK_ALLOCATION_H
#define ORR_NETWORK_ALLOCATION_H

#include "core/status.h"
#include "core/time.h"
#include "network/wavelengths/wave_rate.h"

struct orr_arena;
struct orr_diag;

struct net_link;
struct net_graph;
struct net_circuits;

enum { NET_RING_REACH = 16 }; /* default of `reach`: 10 dB over 0.625 dB of a node */

/* The bytes that circuits are set for, at each decision but the first. */
enum net_estimate {
    NET_ESTIMATE_WINDOW, /* the larger of the bytes offered since the last decision and those still
                            waiting */
    NET_ESTIMATE_NEXT, /* those offered until the next decision, as an earlier run recorded them */
    NET_ESTIMATE_TOTAL /* of the entire job */
};

/* How wavelengths are found; see wavelengths.h. */
enum net_ring_method {
    NET_RING_LOAD,
    NET_RING_FLOWS,
    NET_RING_RANDOM, /* flows, rounded at random */
    NET_RING_EXACT   /* the integer program, within limits */
};

/* The rules of an allocator, in addition to the demands. */
struct net_allocator_rules {
    uint32_t reach; /* NPUs that light reaches in each direction of a ring; 0: no limit */
    uint32_t rows;  /* of rings, if there are also columns of rings; 1: one ring */
    enum net_ring_method method;
    bool half; /* each fibre of a ring has half of the wavelengths */
    uint64_t seed;
    uint32_t radix; /* NPUs of an optical switch, which differ in one digit of this base; 0: one
                       switch joins all */
};

/* The bytes offered to the network between two decisions; one run records them for a later one. */
struct net_windows {
    uint32_t windows, demands, windows_alloc;
    uint64_t *bytes; /* [windows * demands], of the heap */
    bool no_memory;  /* memory ran out: later windows are missing */
};

/* The part of net_circuits for a controller that allocates. */
struct net_allocated {
    uint32_t group;        /* NPUs this far apart have equivalent circuits; = npus: no two have */
    uint32_t demands;      /* records that leave NPUs below `group`; 0: not known yet */
    const uint64_t *total; /* [demands] bytes of one iteration of the job */
    sim_time hold_ps; /* how long circuits are lit, before dark_ps of reconfiguration; ORR_TIME_MAX:
                         circuits are set once, and are links of the graph */
    enum net_estimate estimate;
    bool literal; /* pairs without bytes in the window get no circuit, to the letter of the paper */
    bool keeps_lit;       /* circuits that do not move stay lit while others are moved */
    const double *weight; /* [weights] candidate weights of the bytes inside a group; the first one
                             is in use */
    uint32_t weights;
    struct net_allocator_rules rules;
    const struct net_windows
        *next;                  /* NET_ESTIMATE_NEXT: as an earlier run recorded; NULL: none yet */
    struct net_windows *record; /* written during the run; NULL: not recorded */
};

/* The input of an allocation. */
struct net_allocated_problem {
    uint32_t npus, group;
    uint32_t ports; /* switches, or wavelengths */
    uint32_t demands;
    const struct net_link *link; /* [demands] by (from, to), with from < group */
    struct net_allocator_rules rules;
};

struct net_allocation {
    uint32_t *circuits; /* [demands] */
    struct wave_rate rate, bound;
    uint32_t deficit; /* in wavelengths: see struct ring_allocation */
    struct wave_overload
        overload; /* a port set with more demands than ports; describe_overload names it */
    double gap;   /* relative gap to the optimum, if the solver met a limit; else 0 */
};

struct net_allocator_ops {
    bool is_ring; /* wavelengths around a ring, whose rules hold (reach, rows, method, half, seed);
                     else optical switches (radix) */
    /* Whether a demand can be carried at all, e.g. within a ring's reach; NULL: all can. If not,
     * `why` gets a text in the arena: "it is 17 GPUs away, and light reaches 16". */
    bool (*reaches)(const struct net_allocated_problem *problem, const struct net_link *demand,
                    struct orr_arena *arena, const char **why);
    /* Whether the first group can stand for all groups if this demand exists; NULL: always. */
    bool (*is_equivalent)(const struct net_allocated_problem *problem,
                          const struct net_link *demand);
    /* Allocates circuits for demand[demands] bytes; 0 bytes get none. The result is in the arena.
     * Deterministic. All demands are within reach and equivalent in all groups. Errors: memory; the
     * solver cannot be loaded. */
    enum orr_status (*allocate)(struct orr_arena *arena,
                                const struct net_allocated_problem *problem, const uint64_t *demand,
                                struct net_allocation *out, struct orr_diag *diag);
    /* Appends "GPU 3 sends to 17 others, for which there are 16 switches". Requires of->overload.
     */
    void (*describe_overload)(const struct net_allocated_problem *problem, const uint64_t *demand,
                              const struct net_allocation *of, struct orr_diag *diag);
};

/* The allocator of a controller, by number or name; NULL: this controller
 * does not allocate, or the name is unknown. (optical/circuits.c) */
const struct net_allocator_ops *orr_net_allocator(unsigned controller);
const struct net_allocator_ops *orr_net_allocator_find(const char *controller);
/* The number of a controller that exists. */
unsigned orr_net_controller_number(const char *controller);

/* The graph of circuits with an allocator until the demands are known: one switch, where each NPU
 * has the bandwidth of all its circuits and a path has the latency of one circuit. In the arena.
 * Errors: memory, sizes. O(npus log npus). (optical/demand_graph.c) */
enum orr_status orr_net_await_demands(struct orr_arena *arena, uint32_t npus,
                                      const struct net_circuits *circuits, struct net_graph *out,
                                      struct orr_diag *diag);

/* Whether the graph's circuits are set for demands; whether these are still to be measured; whether
 * the graph's links change while a job runs. */
bool orr_net_is_allocated(const struct net_graph *graph);
bool orr_net_awaits_demands(const struct net_graph *graph);
bool orr_net_moves_circuits(const struct net_graph *graph);

/* Bytes offered from an NPU of the first group to any NPU. */
struct net_demand {
    uint32_t from, to; /* from < group; to: any NPU */
    uint64_t bytes;    /* of one iteration */
};

/* The demands of a job, for a graph that awaits them. */
struct net_demands {
    uint32_t group;                  /* divides the NPUs */
    const struct net_demand *demand; /* [demands] by rising (from, to), each once */
    uint32_t demands;
    double weight; /* of bytes inside a group, for circuits that are set once */
};

/* Whether the allocator can let the first group stand for all. If not, the demands of all NPUs are
 * needed, as one group. (optical/demand_graph.c) */
bool orr_net_allocates_groups(const struct net_graph *of, const struct net_demands *demands);

/* The result of circuits that were set once, for reports. */
struct net_circuit_report {
    struct wave_rate rate, bound;
    uint32_t deficit;
    double gap;
};

/* Makes the graph of a job's demands, in the arena. Circuits that are set once are its links.
 * Otherwise each demand has a record of as many links as an NPU has ports, all dark until the
 * controller decides. `of` is a graph that awaits demands; `report` may be NULL. Errors: a pair
 * that cannot be carried; for circuits set once also more peers than ports, or a pair left without
 * a circuit (the error names the NPUs); the solver cannot be loaded; memory.
 * (optical/demand_graph.c) */
enum orr_status orr_net_allocated_graph(struct orr_arena *arena, const struct net_graph *of,
                                        const struct net_demands *demands, struct net_graph *out,
                                        struct net_circuit_report *report, struct orr_diag *diag);

void orr_net_windows_fini(struct net_windows *windows);

#endif
