/* Allocations of circuits, or wavelengths, to demands (SiP-ML, SIGCOMM'21, sections 3.1 and 3.3):
 * what the controllers of `network.circuits` have in common that set circuits for so many bytes
 * between NPUs, directly and without detours. Included by network.h.
 *
 * Demand i is record i of the graph: the links that leave NPUs below `group` are its first ones, by
 * (from, to). NPUs `group` further along have the same ones, turned. */
#ifndef ORR_NETWORK_ALLOCATION_H
#define ORR_NETWORK_ALLOCATION_H

#include "core/core.h"
#include "network/wavelengths/wavelengths.h"

struct net_link;
struct net_graph;

/* Which bytes circuits are set for, at each decision but the first. */
enum net_estimate {
    NET_ESTIMATE_WINDOW, /* those offered since the last one, or still waiting, whichever are more
                          */
    NET_ESTIMATE_NEXT,   /* those that are offered until the next one, as an earlier run had them */
    NET_ESTIMATE_TOTAL   /* of the whole job */
};

/* What is offered to a network between two decisions, written by one run and read by a later one.
 */
struct net_windows {
    uint32_t windows, demands, room;
    uint64_t *bytes; /* [windows * demands], of the heap */
};

/* Of net_circuits: a controller that allocates. */
struct net_allocated {
    uint32_t group;        /* NPUs so many apart have alike circuits; all NPUs: none are alike */
    uint32_t demands;      /* the graph's records that leave NPUs below `group` */
    const uint64_t *total; /* [demands] bytes of the whole job; NULL: not known before it has run */
    sim_time hold_ps; /* circuits are lit for so long, then dark for dark_ps; ORR_TIME_MAX: they
                         are set once */
    enum net_estimate estimate;
    bool literal;    /* pairs that were silent have no circuit, as the paper's words have it */
    bool keeps_lit;  /* circuits that stay where they are carry on while others are moved */
    const void *own; /* values of the allocator's own keys */
    const struct net_windows *next; /* NET_ESTIMATE_NEXT: of an earlier run; NULL: none yet */
    struct net_windows *record;     /* is written; NULL: nobody asks for it */
};

/* Between what circuits are allocated. */
struct net_allocated_problem {
    uint32_t npus, group;
    uint32_t ports; /* switches, or wavelengths */
    uint32_t demands;
    const struct net_link *link; /* [demands] of which from < group; by (from, to) */
    const void *own;             /* values of the allocator's own keys */
};

struct net_allocation {
    uint32_t *circuits; /* [demands] */
    struct wave_rate rate, bound;
    uint32_t deficit;        /* of wavelengths: see struct ring_allocation */
    struct wave_crowd crowd; /* more demands in a place than it has ports; its place as told by */
    void (*tell_crowd)(const struct net_allocated_problem *problem, const struct wave_crowd *crowd,
                       struct orr_diag *diag); /* "GPU 3 sends to 17 others, for ..." */
};

/* Which circuits these are: those of demand i are place[first[i]] to place[first[i + 1] - 1],
 * rising: switches, or wavelengths. */
struct net_allocation_map {
    uint32_t *first; /* [demands + 1] */
    uint32_t *place;
};

struct net_allocator_ops {
    /* Whether a demand can be carried at all, such as within a ring's reach; NULL: all can. `why`
     * gets a text of the arena for people: "it is 17 GPUs away, and light reaches 16". */
    bool (*reaches)(const struct net_allocated_problem *problem, const struct net_link *demand,
                    struct orr_arena *arena, const char **why);
    /* Circuits for so many bytes each [demands]; all of the answer is the arena's. The same bytes
     * get the same circuits. Errors: memory; a solver that cannot be loaded. */
    enum orr_status (*allocate)(struct orr_arena *arena,
                                const struct net_allocated_problem *problem, const uint64_t *demand,
                                struct net_allocation *out, struct orr_diag *diag);
    /* Where the circuits of an allocation are. */
    enum orr_status (*map)(struct orr_arena *arena, const struct net_allocated_problem *problem,
                           const struct net_allocation *of, struct net_allocation_map *out,
                           struct orr_diag *diag);
};

/* The allocator of a controller by its number or name ("sip_ocs", "sip_ring"), or NULL: it decides
 * otherwise, or there is none. (optical/) */
const struct net_allocator_ops *orr_net_allocator(unsigned controller);
const struct net_allocator_ops *orr_net_allocator_find(const char *controller);

#endif
