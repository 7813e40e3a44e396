/* Collectives as a communication library does them: how long one takes is what the library's own
 * cost model says of its algorithms and protocols, the least of which it takes (docs/models.md,
 * section 19). Pure functions: no events, no state. Part of system.h.
 *
 *     orr_sys_ccl_read -> orr_sys_ccl_shape_of (groups) -> orr_sys_ccl_choose
 */
#ifndef ORR_SYSTEM_CCL_CCL_H
#define ORR_SYSTEM_CCL_CCL_H

#include "core/core.h"
#include "network/network.h"
#include "system/collectives/program.h"

/* What a platform may say that a library's constants are multiplied by; all usually 1. */
enum sys_ccl_scale {
    SYS_CCL_INNER_BANDWIDTH, /* links inside of a node */
    SYS_CCL_OUTER_BANDWIDTH, /* links between nodes */
    SYS_CCL_INNER_LATENCY,   /* a step inside of a node */
    SYS_CCL_OUTER_LATENCY,   /* a step between nodes */
    SYS_CCL_TREE_LATENCY,    /* the steps of trees, beside both */
    SYS_CCL_TREE_BANDWIDTH,
    SYS_CCL_LL_LATENCY, /* the steps of a protocol, beside both */
    SYS_CCL_LL_BANDWIDTH,
    SYS_CCL_LL128_LATENCY,
    SYS_CCL_LL128_BANDWIDTH,
    SYS_CCL_NVLS_BANDWIDTH,       /* in-switch all-reduces */
    SYS_CCL_ALL_TO_ALL_LATENCY,   /* of all-to-alls, gathers and scatters */
    SYS_CCL_ALL_TO_ALL_NODE,      /* the same for each further node */
    SYS_CCL_ALL_TO_ALL_BANDWIDTH, /* the same, beside those of links */
    SYS_CCL_SCALES
};

/* How the GPUs of a node are joined: each with all others through switches, each with all others by
 * links of its own, or in the hybrid cube mesh of a DGX-1. */
enum sys_ccl_fabric { SYS_FABRIC_NVSWITCH, SYS_FABRIC_MESH, SYS_FABRIC_DGX1 };

struct sys_ccl_ops;

/* A GPU as a library knows it. */
struct sys_ccl_gpu {
    const char *name;
    double link_share;  /* of a link's bandwidth that its collectives get */
    uint32_t nvls_from; /* GPUs of a node from which on all-reduces go by NVLS; 0: never */
    double nvls_share;  /* of a GPU's links, that an all-reduce's bytes pass at */
};

/* A library on a platform. */
struct sys_ccl {
    const struct sys_ccl_ops *ops;
    const struct sys_ccl_gpu *gpu;
    enum sys_ccl_fabric fabric;
    sim_time launch_ps;   /* of the host, before a collective; 0 where traces are replayed */
    bool nvls, nvls_tree; /* may be used: in a node, between nodes */
    double scale[SYS_CCL_SCALES];
};

/* A group as a library sees it. Bandwidths are bytes/s of one NPU each way, as the platform's data
 * sheet has them. */
struct sys_ccl_shape {
    uint32_t npus, nodes;
    uint32_t min, max;        /* NPUs of the group in a node */
    double inner_bytes_per_s; /* of all of an NPU's links inside of its node */
    double outer_bytes_per_s; /* of an NPU's share of the NICs; nodes > 1 */
    uint32_t node_npus;       /* of the platform, whether in the group or not */
    uint32_t rings;           /* SYS_FABRIC_DGX1: directed ones through the GPUs of the node with
                                 the fewest */
    uint32_t outer_dims;      /* set of dimensions between nodes in which members differ */
};

/* What was taken, and how long it takes, in seconds. `transfer_s` is the time of the bytes on what
 * bounds them; `inner_s` and `outer_s` <= transfer_s are how long it takes an NPU's links inside of
 * the node and between nodes. */
struct sys_ccl_choice {
    const char *algorithm, *protocol; /* protocol "": it has none of its own */
    bool in_switch;                   /* switches add up what passes them */
    double launch_s, latency_s, transfer_s, inner_s, outer_s;
    double inner_bytes, outer_bytes; /* that an NPU sends there, on the average */
};

/* How long a candidate takes, which the tables of a library list. */
struct sys_ccl_ops {
    const char *name, *summary;
    const struct sys_ccl_gpu *gpus; /* ends with name == NULL */
    /* Chooses for one collective of `bytes` as the library's own benchmark counts them (all-gather:
     * what is gathered). The shape has 2 NPUs or more. */
    void (*choose)(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                   enum coll_kind kind, double bytes, struct sys_ccl_choice *out);
    /* Whether a collective of the shape has a candidate that the scale is of, chosen or not. O(1).
     */
    bool (*uses)(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                 enum coll_kind kind, enum sys_ccl_scale scale);
    /* The largest scale of a bandwidth that the data sheet's bandwidth allows; `alone`: all groups
     * have one NPU of a node, or are in one. INFINITY: of a latency. O(1). */
    double (*max)(const struct sys_ccl *library, enum sys_ccl_scale scale, bool alone);
};

/* All libraries; ends with NULL. */
extern const struct sys_ccl_ops *const orr_sys_libraries[];

/* ---- keys ---- */

/* The keys of system.library: name, gpu, fabric, launch, nvls, nvls_tree, and the scales. */
extern const struct orr_key_table orr_sys_ccl_table;

/* What a scale is called among the keys. */
const char *orr_sys_ccl_scale_name(enum sys_ccl_scale scale);

/* Reads the mapping system.library into the arena for a network; *out is NULL where it says `name:
 * none`. Errors, by place: no name or GPU, one that is unknown, NVLS where the GPU has none, a
 * fabric that does not fit the first dimension, a network that libraries do not run on (a graph,
 * another backend than analytical). */
enum orr_status orr_sys_ccl_read(struct orr_arena *arena, const struct orr_conf *map,
                                 const struct net_config *network, const struct sys_ccl **out,
                                 struct orr_diag *diag);

/* ---- use ---- */

/* The bytes that nccl-tests count of a collective that Orrery counts as `bytes` (of an all-gather
 * and a gather a rank's part) among so many NPUs. */
double orr_sys_ccl_bytes(enum coll_kind kind, uint64_t bytes, uint32_t npus);

/* Chooses; a group of one takes no time. Never less than what the bytes take that have to cross an
 * NPU's links, or a node's. Monotone in bytes and bandwidths. O(1). */
void orr_sys_ccl_choose(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                        enum coll_kind kind, double bytes, struct sys_ccl_choice *out);

/* All of it, rounded up to a picosecond. */
sim_time orr_sys_ccl_time_ps(const struct sys_ccl_choice *choice);

/* ---- shapes ---- */

/* Of these ranks, in any order, on a network of dimensions whose first one is a node. O(ranks
 * log ranks); a DGX-1 adds a search for rings in each node. Errors: memory. */
enum orr_status orr_sys_ccl_shape_of(const struct sys_ccl *library,
                                     const struct net_config *network, const uint32_t *ranks,
                                     uint32_t count, struct sys_ccl_shape *out,
                                     struct orr_diag *diag);

/* Of all NPUs. O(dims), and rings as above. */
enum orr_status orr_sys_ccl_shape_of_all(const struct sys_ccl *library,
                                         const struct net_config *network,
                                         struct sys_ccl_shape *out, struct orr_diag *diag);

/* Directed rings that use no NVLink of a DGX-1 twice through those of its GPUs whose bits are set;
 * UINT32_MAX: no memory. */
uint32_t orr_sys_dgx1_rings(uint8_t gpus);

#endif
