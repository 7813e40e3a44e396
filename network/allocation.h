/* Allocations of circuits, or wavelengths, to demands (SiP-ML, SIGCOMM'21, sections 3.1 and 3.3):
 * what the controllers of `network.circuits` have in common that set circuits for so many bytes
 * between NPUs, directly and without detours. Included by network.h.
 *
 * As a network section is read nobody knows the demands: its graph is then one switch, by which
 * each NPU has the bandwidth of all its circuits. On that the job is rehearsed, and
 * orr_net_allocated_graph makes the graph of its demands, in which demand i is record i: the links
 * that leave NPUs below `group` are its first ones, by (from, to). NPUs `group` further along have
 * the same ones, turned. */
#ifndef ORR_NETWORK_ALLOCATION_H
#define ORR_NETWORK_ALLOCATION_H

#include "core/core.h"
#include "network/wavelengths/wavelengths.h"

struct net_link;
struct net_graph;
struct net_circuits;

enum { NET_SIP_RING_REACH = 16 }; /* where nobody says it: 10 dB over 0.625 dB of a node */

/* Which bytes circuits are set for, at each decision but the first. */
enum net_estimate {
    NET_ESTIMATE_WINDOW, /* those offered since the last one, or still waiting, whichever are more
                          */
    NET_ESTIMATE_NEXT,   /* those that are offered until the next one, as an earlier run had them */
    NET_ESTIMATE_TOTAL   /* of the whole job */
};

/* How wavelengths are found; see wavelengths.h. */
enum net_ring_method {
    NET_RING_LOAD,
    NET_RING_FLOWS,
    NET_RING_RANDOM, /* flows, rounded at random */
    NET_RING_EXACT   /* the integer program, within limits */
};

/* What allocators obey beside the demands. */
struct net_allocator_rules {
    uint32_t reach; /* NPUs that light gets to, each way along a ring; 0: any */
    uint32_t rows;  /* of rings, beside columns of them; 1: one ring */
    enum net_ring_method method;
    bool half; /* a ring's fibres have half of the wavelengths each */
    uint64_t seed;
    uint32_t radix; /* NPUs that an optical switch joins, which differ in a digit of this base; 0:
                       all */
};

/* What is offered to a network between two decisions, written by one run and read by a later one.
 */
struct net_windows {
    uint32_t windows, demands, windows_alloc;
    uint64_t *bytes; /* [windows * demands], of the heap */
    bool no_memory;  /* later ones are not there */
};

/* Of net_circuits: a controller that allocates. */
struct net_allocated {
    uint32_t group;        /* NPUs so many apart have alike circuits; all NPUs: none are alike */
    uint32_t demands;      /* the graph's records that leave NPUs below `group`; 0: not known yet */
    const uint64_t *total; /* [demands] bytes of the job, of one iteration, */
    sim_time hold_ps; /* circuits are lit for so long, then dark for dark_ps; ORR_TIME_MAX: they
                         are set once, and the graph has them as links */
    enum net_estimate estimate;
    bool literal;         /* pairs that were silent have no circuit, as the paper's words have it */
    bool keeps_lit;       /* circuits that stay where they are carry on while others are moved */
    const double *weight; /* [weights] of bytes inside of a group that are tried; the first is that
                             which is used */
    uint32_t weights;
    struct net_allocator_rules rules;
    const struct net_windows *next; /* NET_ESTIMATE_NEXT: of an earlier run; NULL: none yet */
    struct net_windows *record;     /* is written; NULL: nobody asks for it */
};

/* Between what circuits are allocated. */
struct net_allocated_problem {
    uint32_t npus, group;
    uint32_t ports; /* switches, or wavelengths */
    uint32_t demands;
    const struct net_link *link; /* [demands] of which from < group; by (from, to) */
    struct net_allocator_rules rules;
};

struct net_allocation {
    uint32_t *circuits; /* [demands] */
    struct wave_rate rate, bound;
    uint32_t deficit;              /* of wavelengths: see struct ring_allocation */
    struct wave_overload overload; /* more demands in a place than it has ports; its place as told
                                by describe_overload */
    double gap; /* how much greater the best rate may be, of a solver that met a limit; else 0 */
};

struct net_allocator_ops {
    /* Whether a demand can be carried at all, such as within a ring's reach; NULL: all can. `why`
     * gets a text of the arena for people: "it is 17 GPUs away, and light reaches 16". */
    bool (*reaches)(const struct net_allocated_problem *problem, const struct net_link *demand,
                    struct orr_arena *arena, const char **why);
    /* Whether the group can stand for all alike ones with such a demand; NULL: always. */
    bool (*is_equivalent)(const struct net_allocated_problem *problem,
                          const struct net_link *demand);
    /* Circuits for so many bytes each [demands], 0: none; all of the answer is the arena's. The
     * same bytes get the same circuits. All demands are within reach, and alike. Errors: memory; a
     * solver that cannot be loaded. */
    enum orr_status (*allocate)(struct orr_arena *arena,
                                const struct net_allocated_problem *problem, const uint64_t *demand,
                                struct net_allocation *out, struct orr_diag *diag);
    /* Appends "GPU 3 sends to 17 others, for which there are 16 switches". There is a crowd. */
    void (*describe_overload)(const struct net_allocated_problem *problem, const uint64_t *demand,
                              const struct net_allocation *of, struct orr_diag *diag);
};

/* The allocator of a controller by its number or name ("sip_ocs", "sip_ring"), or NULL: it decides
 * otherwise, or there is none. (optical/circuits.c) */
const struct net_allocator_ops *orr_net_allocator(unsigned controller);
const struct net_allocator_ops *orr_net_allocator_find(const char *controller);
/* The number of one that is there. */
unsigned orr_net_controller_number(const char *controller);

/* The graph of circuits, which have an allocator, until demands are known: one switch, by which
 * each NPU has the bandwidth of all of them, and ways their latency. The arena holds it. Errors:
 * memory, sizes. O(npus log npus). (optical/demand_graph.c) */
enum orr_status orr_net_await_demands(struct orr_arena *arena, uint32_t npus,
                                      const struct net_circuits *circuits, struct net_graph *out,
                                      struct orr_diag *diag);

/* Whether circuits of the graph are set for demands, and whether these are known; whether its links
 * change while a job runs. */
bool orr_net_is_allocated(const struct net_graph *graph);
bool orr_net_awaits_demands(const struct net_graph *graph);
bool orr_net_moves_circuits(const struct net_graph *graph);

/* What is between two NPUs of the first group, as it was offered. */
struct net_demand {
    uint32_t from, to; /* from < group; to of all NPUs */
    uint64_t bytes;    /* of an iteration */
};

/* The demands of a job, for a graph that awaits them. */
struct net_demands {
    uint32_t group;                  /* divides the NPUs */
    const struct net_demand *demand; /* [demands] by rising (from, to), each once */
    uint32_t demands;
    double weight; /* of bytes inside of a group, with circuits that are set once */
};

/* Whether the allocator can have one of the groups stand for all: else the demands of all NPUs are
 * needed, as one group. (optical/demand_graph.c) */
bool orr_net_allocates_groups(const struct net_graph *of, const struct net_demands *demands);

/* What was set once, for people. */
struct net_circuit_report {
    struct wave_rate rate, bound;
    uint32_t deficit;
    double gap;
};

/* The graph of a job's demands, in the arena: with circuits that are set once these as links;
 * otherwise a record of as many links as an NPU has ports for each demand, of which none is lit
 * before the controller has decided. `of` is a graph that awaits demands. `told` may be NULL.
 * Errors: a pair that nothing can carry; more peers than an NPU has ports, or a pair that is left
 * without, with circuits that are set once (all name NPUs); a solver that cannot be loaded; memory.
 * (optical/demand_graph.c)
 */
enum orr_status orr_net_allocated_graph(struct orr_arena *arena, const struct net_graph *of,
                                        const struct net_demands *demands, struct net_graph *out,
                                        struct net_circuit_report *report, struct orr_diag *diag);

void orr_net_windows_fini(struct net_windows *windows);

#endif
