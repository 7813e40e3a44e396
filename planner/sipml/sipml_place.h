/* SiP-ML's strategies (Khani et al., SIGCOMM'21, sections 3.2 and 4): every operator is split into
 * parts of about a quantum of time (partition), the parts are placed one by one on the device that
 * is free first, where the degree of an optical fabric allows (Algorithm 1), and l groups of k
 * devices do the same with a share of the batch each. docs/models.md, section 15. */
#ifndef ORR_PLANNER_SIPML_SIPML_PLACE_H
#define ORR_PLANNER_SIPML_SIPML_PLACE_H

#include "workload/workload.h"

/* To which power of two t / quantum is rounded. */
enum sipml_rounding { SIPML_DOWN, SIPML_NEAREST };

/* By what operators are split. */
struct sipml_rules {
    sim_time quantum_ps; /* tau: about as long as a part shall take; > 0 */
    enum sipml_rounding rounding;
    uint32_t degree; /* D, of the fabric: peers of a device each way, the ring between groups is one
                        of them; at least 2; 0: no limit (electrical fabrics) */
    uint32_t repair_rounds; /* R: after so many the group is placed on fewer devices */
    bool
        blocks; /* split in `parts`, which every operator of the model then has: slices to slices */
    bool sliced; /* weights that can be sliced are: no device has a copy of all of them. Placements
                    that miss memory without it are tried with it too */
};

/* What is usual: 10 us, down, no limit, 16 rounds. */
struct sipml_rules orr_sipml_default_rules(void);

/* What is placed; all of it must outlive the answer. */
struct sipml_problem {
    const struct model_graph *model; /* knows its batch */
    const struct model_speed *speed; /* of a device */
    uint32_t devices, copies;        /* N and l: groups of k = N / l */
    struct strategy_server server;   /* of it the optimizer's bytes count */
    uint64_t memory_bytes;           /* of a device; 0: not checked */
    struct sipml_rules rules;
};

/* A placement of one group, in the arena. */
struct sipml_placement {
    struct strategy strategy; /* of all groups */
    uint32_t parts;           /* of the balanced graph: vertices, */
    uint64_t edges;           /* and dependencies */
    uint64_t split_bytes;     /* what the dimensions need, as if placed nowhere */
    uint32_t repairs, rounds; /* parts that had no candidate; rounds, all together */
    uint32_t devices_used;    /* of k */
    bool fell_back;           /* placed on degree devices only, as the repair did not end */
    bool compact;             /* so placed, or because that takes less time */
    uint64_t missing_bytes;   /* of memory, on the device that misses most; 0: it fits */
    uint32_t fullest;         /* that device */
    sim_time makespan_ps;     /* Algorithm 1's, of the forward pass: no transfer takes time */
};

/* Partition and Algorithm 1, for one k and l. Errors: no devices or groups that divide, a degree of
 * 1, fewer samples than groups, parts whose time nothing tells; memory. What does not fit the
 * devices' memory is no error: missing_bytes tells. O(parts x (window + links)) without repairs. */
enum orr_status orr_sipml_place(struct orr_arena *arena, const struct sipml_problem *problem,
                                struct sipml_placement *out, struct orr_diag *diag);

#endif
