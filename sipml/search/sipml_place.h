/* SiP-ML's strategies (Khani et al., SIGCOMM'21, sections 3.2 and 4). Every operator is split into
 * parts of about a quantum of time (partition). The parts are placed one by one on the device
 * where they start first, within the degree of an optical fabric (Algorithm 1). l groups of k
 * devices do the same with a share of the batch each. docs/models.md, section 15. */
#ifndef ORR_SIPML_SEARCH_SIPML_PLACE_H
#define ORR_SIPML_SEARCH_SIPML_PLACE_H

#include "core/status.h"
#include "workload/strategy/strategy.h"

struct model_graph;
struct model_speed;
struct orr_arena;
struct orr_diag;

/* Rounding of t / quantum to a power of two. */
enum sipml_rounding { SIPML_DOWN, SIPML_NEAREST };

/* By what the device of a part is chosen. The paper's rule is the first; the others can be faster
 * when transfers take time, which Algorithm 1 does not count. */
enum sipml_order {
    SIPML_EARLIEST_START, /* where it starts first; ties: the smallest index */
    SIPML_FREE_FIRST,     /* which is free first; ties: the smallest index */
    SIPML_START_SORTED,   /* as by the first two; then the parts of an operator in the order of */
    SIPML_FREE_SORTED,    /* their devices */
    SIPML_IN_ORDER,       /* part i of an operator on device i, */
    SIPML_SPREAD,         /* or, of p parts in a group of k, on device i k / p */
    SIPML_ORDERS
};
const char *orr_sipml_order_name(enum sipml_order order);

/* Rules of partition and placement. */
struct sipml_rules {
    sim_time quantum_ps; /* tau, the intended time of a part; > 0 */
    enum sipml_rounding rounding;
    uint32_t degree; /* D of the fabric: peers of a device in each direction, the ring between
                        groups included; at least 2; 0: no limit (electrical fabrics) */
    enum sipml_order order;
    uint32_t repair_rounds; /* R: after so many rounds the group is placed on fewer devices */
    bool blocks; /* split only in the dimension `parts`, which every operator must have: slices to
                    slices */
    bool sliced; /* slice all weights that can be sliced, so that no device has a copy of all.
                    Placements that miss memory without it are tried with it too */
};

/* Defaults: 10 us, down, no limit, the earliest start, 16 rounds. */
struct sipml_rules orr_sipml_default_rules(void);

/* The input; all of it must outlive the result. */
struct sipml_problem {
    const struct model_graph *model; /* has a batch */
    const struct model_speed *speed; /* of a device */
    uint32_t devices, copies;        /* N and l: groups of k = N / l */
    struct strategy_server server;   /* only optimizer_bytes counts */
    uint64_t memory_bytes;           /* of a device; 0: not checked */
    struct sipml_rules rules;
};

/* A placement of one group, in the arena. */
struct sipml_placement {
    struct strategy strategy; /* of all groups */
    uint32_t parts;           /* vertices of the balanced graph, */
    uint64_t edges;           /* and dependencies */
    uint64_t split_bytes;     /* of the splits, as if no two parts shared a device */
    uint32_t repairs, rounds; /* parts without a candidate; rounds of all repairs */
    uint32_t devices_used;    /* of k */
    bool fell_back;           /* placed on `degree` devices only, because the repair did not end */
    bool compact;             /* placed so, for that reason or because it takes less time */
    uint64_t missing_bytes;   /* of memory, on the fullest device; 0: it fits */
    uint32_t fullest;         /* that device */
    const uint32_t *device;   /* [parts] of the group */
    sim_time makespan_ps;     /* of Algorithm 1, for the forward pass, without transfer times */
};

/* What placements of one problem by several orders have in common, so that it is computed once;
 * NULL when memory is out. In the arena, which must be that of the placements. */
struct sipml_common;
struct sipml_common *orr_sipml_common(struct orr_arena *arena);

/* Partition, choice of dimensions and Algorithm 1 for one k and l. Errors: devices or groups that
 * do not divide, a degree of 1, fewer samples than groups, parts without a time; memory. A
 * placement over the memory of the devices is no error: see missing_bytes. O(parts x (window +
 * links)) without repairs. orr_sipml_place_in: calls with the same `common` have problems that
 * differ in their order only. */
enum orr_status orr_sipml_place(struct orr_arena *arena, const struct sipml_problem *problem,
                                struct sipml_placement *out, struct orr_diag *diag);
enum orr_status orr_sipml_place_in(struct orr_arena *arena, struct sipml_common *common,
                                   const struct sipml_problem *problem, struct sipml_placement *out,
                                   struct orr_diag *diag);

#endif
