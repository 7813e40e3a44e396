/* Collective communication libraries (CCL): the time of a collective by the library's own cost
 * model, which takes the cheapest of its algorithms and protocols (docs/models.md, section 19).
 * Pure functions: no events, no state.
 *
 *   orr_sys_ccl_read -> orr_sys_ccl_shape_of (groups) -> orr_sys_ccl_choose */
#ifndef ORR_SYSTEM_CCL_CCL_H
#define ORR_SYSTEM_CCL_CCL_H

#include "core/conf/keys.h"
#include "core/time.h"
#include "system/collectives/program.h"

struct net_config;
struct orr_arena;
struct orr_conf;
struct orr_diag;

/* Scale factors of a library's constants that a platform may set; default 1. */
enum sys_ccl_scale {
    SYS_CCL_INNER_BANDWIDTH, /* links inside of a node */
    SYS_CCL_OUTER_BANDWIDTH, /* links between nodes */
    SYS_CCL_INNER_LATENCY,   /* a step inside of a node */
    SYS_CCL_OUTER_LATENCY,   /* a step between nodes */
    SYS_CCL_TREE_LATENCY,    /* steps of trees, in addition to both */
    SYS_CCL_TREE_BANDWIDTH,
    SYS_CCL_LL_LATENCY, /* steps of a protocol, in addition to both */
    SYS_CCL_LL_BANDWIDTH,
    SYS_CCL_LL128_LATENCY,
    SYS_CCL_LL128_BANDWIDTH,
    SYS_CCL_NVLS_BANDWIDTH,       /* in-switch all-reduces */
    SYS_CCL_ALL_TO_ALL_LATENCY,   /* of all-to-alls, gathers and scatters */
    SYS_CCL_ALL_TO_ALL_NODE,      /* the same for each further node */
    SYS_CCL_ALL_TO_ALL_BANDWIDTH, /* the same, in addition to those of links */
    SYS_CCL_SCALES
};

/* Interconnect of the GPUs of a node: switches (all-to-all); a link between each pair; or the
 * hybrid cube mesh of a DGX-1. */
enum sys_ccl_fabric { SYS_FABRIC_NVSWITCH, SYS_FABRIC_MESH, SYS_FABRIC_DGX1 };

struct sys_ccl_ops;

/* A GPU in a library's tables. */
struct sys_ccl_gpu {
    const char *name;
    double link_share;  /* share of a link's bandwidth that collectives get */
    uint32_t nvls_from; /* minimum GPUs of a node for NVLS all-reduces; 0: never */
    double token_share; /* share of a GPU's links that exchanges of tokens get; 0: as link_share */
    double nvls_share;  /* share of a GPU's link bandwidth in NVLS all-reduces */
};

/* A library on a platform. */
struct sys_ccl {
    const struct sys_ccl_ops *ops;
    const struct sys_ccl_gpu *gpu;
    enum sys_ccl_fabric fabric;
    sim_time launch_ps;   /* host launch before a collective; 0 if traces are replayed */
    bool nvls, nvls_tree; /* NVLS is allowed inside a node, between nodes */
    /* On a graph without dimensions (ccl_graph.c); NULL: a network of dimensions, whose first is a
     * node. */
    const uint32_t *home; /* [nodes of the graph] first NPU of the node of each */
    const bool *inside;   /* [links] those that stay inside of a node */
    double scale[SYS_CCL_SCALES];
};

/* Shape of a group. Bandwidths are those of data sheets, bytes/s of one NPU in each direction. */
struct sys_ccl_shape {
    uint32_t npus, nodes;
    uint32_t min, max;        /* NPUs of the group in a node */
    double inner_bytes_per_s; /* of all of an NPU's links inside of its node */
    double outer_bytes_per_s; /* an NPU's share of the NICs; nodes > 1 */
    uint32_t node_npus;       /* NPUs of a node of the platform, in the group or not */
    uint32_t
        rings; /* SYS_FABRIC_DGX1: directed rings through the GPUs of the node with the fewest */
    uint32_t outer_dims; /* set of dimensions between nodes in which members differ */
};

/* The chosen algorithm and its times in seconds. `transfer_s`: bytes over the bottleneck;
 * `inner_s`, `outer_s` <= transfer_s: occupancy of an NPU's links inside the node and between
 * nodes. */
struct sys_ccl_choice {
    const char *algorithm, *protocol; /* protocol "": none */
    bool in_switch;                   /* reduced in switches */
    double launch_s, latency_s, transfer_s, inner_s, outer_s;
    double inner_bytes, outer_bytes; /* mean bytes sent per NPU */
};

/* A library's cost model. */
struct sys_ccl_ops {
    const char *name, *summary;
    const struct sys_ccl_gpu *gpus; /* ends with name == NULL */
    /* Chooses for a collective of `bytes` as the library's benchmark counts them (all-gather: the
     * gathered bytes). The shape has at least 2 NPUs. */
    void (*choose)(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                   enum coll_kind kind, double bytes, struct sys_ccl_choice *out);
    /* Whether a collective of the shape has a candidate that the scale affects, chosen or not.
     * O(1). */
    bool (*uses)(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                 enum coll_kind kind, enum sys_ccl_scale scale);
    /* The largest scale of a bandwidth within the data sheet's bandwidth; `alone`: all groups have
     * one NPU per node, or are in one. INFINITY for a latency. O(1). */
    double (*max)(const struct sys_ccl *library, enum sys_ccl_scale scale, bool alone);
};

/* All libraries; ends with NULL. */
extern const struct sys_ccl_ops *const orr_sys_libraries[];

/* ---- keys ---- */

/* The keys of system.library: name, gpu, fabric, launch, nvls, nvls_tree, and the scales. */
extern const struct orr_key_table orr_sys_ccl_table;

/* Key of a scale. */
const char *orr_sys_ccl_scale_name(enum sys_ccl_scale scale);

/* Reads the mapping system.library into the arena for a network; *out is NULL for `name: none`.
 * Errors, with location: name or GPU missing or unknown, NVLS on a GPU without it, a fabric that
 * does not match the first dimension, a backend of blocks other than analytical. On a graph a
 * warning says which nodes and bandwidths it takes. */
enum orr_status orr_sys_ccl_read(struct orr_arena *arena, const struct orr_conf *map,
                                 const struct net_config *network, const struct sys_ccl **out,
                                 struct orr_diag *diag);

/* ---- use ---- */

/* Bytes by the count of nccl-tests for a collective of `bytes` by Orrery's count (all-gather,
 * gather: one rank's part) among `npus`. */
double orr_sys_ccl_bytes(enum coll_kind kind, uint64_t bytes, uint32_t npus);

/* Chooses the algorithm; a group of one takes no time. Never less than the bytes that must cross an
 * NPU's links, or a node's, take. Monotone in bytes and bandwidths. O(1). */
void orr_sys_ccl_choose(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                        enum coll_kind kind, double bytes, struct sys_ccl_choice *out);

/* The same of an all-to-all of tokens among experts by kernels of its own, which the library does
 * not run (DeepEP; token_exchange.c). Its launch is in the library's. O(1). */
void orr_sys_ccl_choose_tokens(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                               double bytes, struct sys_ccl_choice *out);

/* Total time, rounded up to a picosecond. */
sim_time orr_sys_ccl_time_ps(const struct sys_ccl_choice *choice);

/* ---- shapes ---- */

/* Shape of the ranks, in any order; the network's first dimension is a node, or on a graph what its
 * links make one (ccl_graph.c), with the fewest bandwidths of the members. O(ranks log ranks); a
 * DGX-1 adds a search for rings in each node. Error: memory. */
enum orr_status orr_sys_ccl_shape_of(const struct sys_ccl *library,
                                     const struct net_config *network, const uint32_t *ranks,
                                     uint32_t count, struct sys_ccl_shape *out,
                                     struct orr_diag *diag);

/* Shape of all NPUs. O(dims), and rings as above. */
enum orr_status orr_sys_ccl_shape_of_all(const struct sys_ccl *library,
                                         const struct net_config *network,
                                         struct sys_ccl_shape *out, struct orr_diag *diag);

/* Number of directed rings through the GPUs of a DGX-1 in the set that use no NVLink twice;
 * UINT32_MAX: no memory. */
uint32_t orr_sys_dgx1_rings(uint8_t gpus);

#endif
