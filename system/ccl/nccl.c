/* Cost model of NCCL and RCCL: latency of the steps + bytes / bandwidth, for each algorithm and
 * protocol. Constants: NVIDIA/nccl, src/graph/tuning.cc and src/graph/topo.h (2.27-2.28). Shares of
 * data sheets' bandwidths and the numbers of NVLS and all-to-alls are medians of measurements.
 *
 * Rings are flat: through all GPUs of all nodes, with as many channels as NICs, so that each link
 * carries 2 (n - 1) / n of an all-reduce's buffer, inside and between nodes. Trees are chains
 * inside nodes and double binary trees between them. */
#include <math.h>

#include "system/ccl/ccl_private.h"

enum protocol { LL, LL128, SIMPLE, PROTOCOLS };

static const char *const protocol_names[PROTOCOLS] = {"LL", "LL128", "Simple"};

/* Microseconds; shares of a link's bandwidth. */
static const struct {
    double inner_ring[PROTOCOLS], outer_ring[PROTOCOLS]; /* time of a step */
    double inner_tree[PROTOCOLS], outer_tree[PROTOCOLS];
    double post[PROTOCOLS]; /* hand-over to the NIC: inner step in a group of several nodes */
    double ring_share[PROTOCOLS], tree_share[PROTOCOLS];
    double tree_bandwidth;         /* relative to a ring's, in addition to the protocol's share */
    double base;                   /* per collective, in addition to steps and launch */
    double outer_share, one_share; /* share of the NICs with several GPUs per node, with one */
    double nvls, nvls_tree;        /* in-switch latency; per level of the tree */
    double all_to_all, all_to_all_node; /* latency; per further node */
} constants = {.inner_ring = {0.6, 1.9, 3.4},
               .outer_ring = {2.7, 4.0, 14.0},
               .inner_tree = {0.6, 1.25, 4.0},
               .outer_tree = {5.0, 8.5, 14.0},
               .post = {1.0, 2.0, 3.0},
               .ring_share = {0.5, 0.92, 1.0},
               .tree_share = {1 / 3.8, 0.9, 1.0},
               .tree_bandwidth = 0.92,
               .base = 6.6,
               .outer_share = 0.9,
               .one_share = 0.7,
               .nvls = 25.0,
               .nvls_tree = 20.9,
               .all_to_all = 20.0,
               .all_to_all_node = 8.0};

static const double us = 1e-6;

/* NCCL counts 20.6 GB/s of an NVLink on Hopper, 40.1 on Blackwell (src/graph/topo.h). NVLS was
 * measured on H200 and B200. */
#define HOPPER .link_share = 370.0 / 450, .nvls_from = 5, .token_share = 0.67, .nvls_share = 0.59
#define BLACKWELL                                                                                  \
    .link_share = 720.0 / 900, .nvls_from = 6, .token_share = 0.665, .nvls_share = 0.53

/* Without measurements of their own: the H100 and H800 (fewer NVLinks of the same kind) have the
 * H200's, other Blackwell GPUs the B200's. The L40S has no NVLink: of PCIe 4.0 x16 NCCL counts 24
 * of 32 GB/s (twice its PCI_BW of 12 for 3.0). */
static const struct sys_ccl_gpu nccl_gpus[] = {{.name = "v100", .link_share = 22.5 / 25},
                                               {.name = "a100", .link_share = 235.0 / 300},
                                               {.name = "h100", HOPPER},
                                               {.name = "h200", HOPPER},
                                               {.name = "h800", HOPPER},
                                               {.name = "l40s", .link_share = 24.0 / 32},
                                               {.name = "b200", BLACKWELL},
                                               {.name = "b300", BLACKWELL},
                                               {.name = "gb200", BLACKWELL},
                                               {.name = "gb300", BLACKWELL},
                                               {.name = NULL}};

/* RCCL on seven links of a GPU: measured 0.70 of the MI300X's 64 GB/s each, taken over for those
 * that follow it (MI350X and MI355X: 76.8 GB/s). */
static const struct sys_ccl_gpu rccl_gpus[] = {{.name = "mi300x", .link_share = 0.7},
                                               {.name = "mi325x", .link_share = 0.7},
                                               {.name = "mi350x", .link_share = 0.7},
                                               {.name = "mi355x", .link_share = 0.7},
                                               {.name = NULL}};

/* ---- candidates ---- */

struct call {
    const struct sys_ccl *library;
    const struct sys_ccl_shape *shape;
    double bytes, n, nodes, g; /* g: GPUs of a node */
    double inner, outer, bus;  /* bytes/s: rings inside a node, NICs of a node, a whole ring */
    struct sys_ccl_choice *best;
    double min_s;
};

static double scale_of(const struct call *call, enum sys_ccl_scale scale)
{
    return call->library->scale[scale];
}

static double by_protocol(const struct call *call, enum protocol protocol, bool bandwidth)
{
    switch (protocol) {
    case LL:
        return scale_of(call, bandwidth ? SYS_CCL_LL_BANDWIDTH : SYS_CCL_LL_LATENCY);
    case LL128:
        return scale_of(call, bandwidth ? SYS_CCL_LL128_BANDWIDTH : SYS_CCL_LL128_LATENCY);
    default:
        return 1;
    }
}

/* Keeps the candidate if it is faster than all before. */
static void offer(struct call *call, const struct sys_ccl_choice *candidate)
{
    const double all_s = candidate->latency_s + candidate->transfer_s;
    if (call->best->algorithm == NULL || all_s < call->min_s) {
        *call->best = *candidate;
        call->min_s = all_s;
    }
}

/* Transfer over a ring's links at bandwidth `bus`. */
struct bus_transfer {
    const char *algorithm, *protocol;
    bool in_switch;
    double latency_us, transfer_s;
    double bytes; /* sent by each GPU */
};

static void offer_bus(struct call *call, const struct bus_transfer *bus_transfer)
{
    const double transfer_s = bus_transfer->transfer_s;
    const double outer_bytes = call->nodes > 1 ? bus_transfer->bytes / call->g : 0;
    offer(call, &(struct sys_ccl_choice){
                    .algorithm = bus_transfer->algorithm,
                    .protocol = bus_transfer->protocol,
                    .in_switch = bus_transfer->in_switch,
                    .latency_s = bus_transfer->latency_us * us,
                    .transfer_s = transfer_s,
                    .inner_s = call->g > 1 ? transfer_s * call->bus / call->inner : 0,
                    .outer_s = call->nodes > 1 ? transfer_s * call->bus / call->outer : 0,
                    .inner_bytes = bus_transfer->bytes - outer_bytes,
                    .outer_bytes = outer_bytes});
}

static double inner_step(const struct call *call, enum protocol protocol)
{
    const double step = constants.inner_ring[protocol] * scale_of(call, SYS_CCL_INNER_LATENCY) *
                        by_protocol(call, protocol, false);
    const double post = constants.post[protocol] * scale_of(call, SYS_CCL_OUTER_LATENCY);
    return call->nodes > 1 && call->g > 1 ? fmax(step, post) : step;
}

static double outer_step(const struct call *call, enum protocol protocol)
{
    return constants.outer_ring[protocol] * scale_of(call, SYS_CCL_OUTER_LATENCY) *
           by_protocol(call, protocol, false);
}

static double ring_bus(const struct call *call, enum protocol protocol)
{
    return constants.ring_share[protocol] * by_protocol(call, protocol, true) * call->bus;
}

static void offer_ring(struct call *call, enum protocol protocol, double k)
{
    const double outer = call->nodes > 1 ? k * (call->nodes - 1) : 0;
    const double inner = k * (call->n - 1) - outer;
    const double bytes = k * (call->n - 1) / call->n * call->bytes;
    offer_bus(call, &(struct bus_transfer){.algorithm = "ring",
                                           .protocol = protocol_names[protocol],
                                           .latency_us = inner * inner_step(call, protocol) +
                                                         outer * outer_step(call, protocol),
                                           .transfer_s = bytes / ring_bus(call, protocol),
                                           .bytes = bytes});
}

/* With two nodes each sends the buffer once to the other if the library counts a tree's bandwidth
 * by that inside nodes (from Hopper on; measured above that of the NICs). */
static double tree_transfer_s(const struct call *call, double share)
{
    const bool once = call->shape->nodes == 2 && call->library->gpu->nvls_from != 0;
    return once ? fmax(2 * call->bytes / (share * call->inner), call->bytes / (share * call->outer))
                : 2 * call->bytes / (share * call->bus);
}

static void offer_tree(struct call *call, enum protocol protocol)
{
    const double inner = constants.inner_tree[protocol] * scale_of(call, SYS_CCL_INNER_LATENCY);
    const double outer = constants.outer_tree[protocol] * scale_of(call, SYS_CCL_OUTER_LATENCY);
    const double steps_us = 2 * ((call->g - 1) * inner + log2(call->nodes) * outer);
    const double share = constants.tree_bandwidth * scale_of(call, SYS_CCL_TREE_BANDWIDTH) *
                         constants.tree_share[protocol] * by_protocol(call, protocol, true);
    offer_bus(call,
              &(struct bus_transfer){.algorithm = "tree",
                                     .protocol = protocol_names[protocol],
                                     .latency_us = steps_us * scale_of(call, SYS_CCL_TREE_LATENCY) *
                                                   by_protocol(call, protocol, false),
                                     .transfer_s = tree_transfer_s(call, share),
                                     .bytes = 2 * call->bytes});
}

/* Pipelined chain: one step, all bytes once. */
static void offer_chain(struct call *call, enum protocol protocol)
{
    const bool several = call->nodes > 1;
    offer_bus(call, &(struct bus_transfer){.algorithm = "chain",
                                           .protocol = protocol_names[protocol],
                                           .latency_us = several ? outer_step(call, protocol)
                                                                 : inner_step(call, protocol),
                                           .transfer_s = call->bytes / ring_bus(call, protocol),
                                           .bytes = call->bytes});
}

/* Time of a reduction in a node's switches and its multicast: the same for any number of GPUs. */
static double nvls_transfer_s(const struct call *call)
{
    return call->bytes / (call->library->gpu->nvls_share * call->shape->inner_bytes_per_s *
                          scale_of(call, SYS_CCL_NVLS_BANDWIDTH));
}

static void offer_nvls(struct call *call)
{
    const struct sys_ccl_gpu *gpu = call->library->gpu;
    if (!call->library->nvls || gpu->nvls_from == 0 || call->shape->max < gpu->nvls_from ||
        call->nodes > 1) {
        return;
    }
    const double transfer_s = nvls_transfer_s(call);
    offer(call, &(struct sys_ccl_choice){.algorithm = "nvls",
                                         .protocol = "",
                                         .in_switch = true,
                                         .latency_s = constants.nvls *
                                                      scale_of(call, SYS_CCL_INNER_LATENCY) * us,
                                         .transfer_s = transfer_s,
                                         .inner_s = transfer_s,
                                         .inner_bytes = call->bytes});
}

/* Switches reduce inside of nodes, trees between them: each GPU hands the part that it reduced to
 * its own NIC. Two nodes exchange their sums, each byte once; in larger trees a node passes it up
 * and down. Bandwidth: that of NVLS or of the NICs, whichever is less. */
static void offer_nvls_tree(struct call *call)
{
    if (!call->library->nvls_tree || call->nodes < 2 || call->g <= 1) {
        return;
    }
    const double passes = call->shape->nodes == 2 ? 1 : 2;
    const double step = constants.nvls_tree * scale_of(call, SYS_CCL_OUTER_LATENCY) *
                        scale_of(call, SYS_CCL_TREE_LATENCY);
    const double latency_us =
        constants.nvls * scale_of(call, SYS_CCL_INNER_LATENCY) + 2 * log2(call->nodes) * step;
    const double inner_s = nvls_transfer_s(call), outer_s = passes * call->bytes / call->outer;
    offer(call, &(struct sys_ccl_choice){.algorithm = "nvls_tree",
                                         .protocol = "",
                                         .in_switch = true,
                                         .latency_s = latency_us * us,
                                         .transfer_s = fmax(inner_s, outer_s),
                                         .inner_s = inner_s,
                                         .outer_s = outer_s,
                                         .inner_bytes = call->bytes,
                                         .outer_bytes = passes * call->bytes / call->g});
}

/* Each NPU to each other directly; the root of a gather or scatter transfers as much. */
static void offer_direct(struct call *call)
{
    const double scale = scale_of(call, SYS_CCL_ALL_TO_ALL_BANDWIDTH);
    const double inner_bytes = call->bytes * (call->g - 1) / call->n;
    const double outer_bytes = call->bytes * (call->n - call->g) / call->n;
    const double inner_s = inner_bytes / (call->inner * scale);
    const double outer_s = call->nodes > 1 ? outer_bytes / (call->outer / call->g * scale) : 0;
    const double further = (call->nodes - 1) * scale_of(call, SYS_CCL_ALL_TO_ALL_NODE);
    const double latency_us = constants.all_to_all * scale_of(call, SYS_CCL_ALL_TO_ALL_LATENCY) +
                              constants.all_to_all_node * further;
    offer(call, &(struct sys_ccl_choice){.algorithm = "direct",
                                         .protocol = "",
                                         .latency_s = latency_us * us,
                                         .transfer_s = fmax(inner_s, outer_s),
                                         .inner_s = inner_s,
                                         .outer_s = outer_s,
                                         .inner_bytes = inner_bytes,
                                         .outer_bytes = outer_bytes});
}

static void offer_all(struct call *call, enum coll_kind kind, const enum protocol *protocols,
                      unsigned count)
{
    const bool reduces = kind == COLL_ALL_REDUCE || kind == COLL_BARRIER;
    for (unsigned i = 0; i < count; i++) {
        switch (kind) {
        case COLL_BROADCAST:
        case COLL_REDUCE:
            offer_chain(call, protocols[i]);
            break;
        case COLL_ALL_TO_ALL:
        case COLL_GATHER:
        case COLL_SCATTER:
            break;
        default:
            offer_ring(call, protocols[i], reduces ? 2 : 1);
            break;
        }
        if (reduces && call->nodes > 1) {
            offer_tree(call, protocols[i]);
        }
    }
    if (reduces) {
        offer_nvls(call);
        offer_nvls_tree(call);
    }
    if (call->best->algorithm == NULL) {
        offer_direct(call);
    }
}

/* Bandwidth between the group's GPUs of a node. */
static double inner_bandwidth(const struct sys_ccl *library, const struct sys_ccl_shape *shape)
{
    double bytes_per_s = shape->inner_bytes_per_s * library->gpu->link_share *
                         library->scale[SYS_CCL_INNER_BANDWIDTH];
    if (library->fabric == SYS_FABRIC_DGX1 && shape->max > 1) {
        return bytes_per_s * fmax(shape->rings, 1) / ORR_DGX1_LINKS;
    }
    if (library->fabric == SYS_FABRIC_MESH && shape->max > 1 && shape->node_npus > 1) {
        return bytes_per_s * (shape->max - 1) / (shape->node_npus - 1);
    }
    return bytes_per_s;
}

static void prepare(struct call *call)
{
    const struct sys_ccl_shape *shape = call->shape;
    call->n = shape->npus;
    call->nodes = shape->nodes;
    call->g = call->n / call->nodes;
    call->inner = inner_bandwidth(call->library, shape);
    call->outer = shape->min * shape->outer_bytes_per_s *
                  (shape->max > 1 ? constants.outer_share : constants.one_share) *
                  scale_of(call, SYS_CCL_OUTER_BANDWIDTH);
    call->bus = shape->nodes == 1 ? call->inner
                : shape->max == 1 ? call->outer
                                  : fmin(call->inner, call->outer);
    *call->best = (struct sys_ccl_choice){.algorithm = NULL};
}

static void choose(struct call *call, enum coll_kind kind, const enum protocol *protocols,
                   unsigned count)
{
    prepare(call);
    offer_all(call, kind, protocols, count);
    call->best->latency_s += constants.base * us;
}

static void choose_nccl(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                        enum coll_kind kind, double bytes, struct sys_ccl_choice *out)
{
    static const enum protocol all[] = {LL, LL128, SIMPLE};
    struct call call = {.library = library, .shape = shape, .bytes = bytes, .best = out};
    choose(&call, kind, all, PROTOCOLS);
}

static void choose_rccl(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                        enum coll_kind kind, double bytes, struct sys_ccl_choice *out)
{
    static const enum protocol no_ll128[] = {LL, SIMPLE};
    struct call call = {.library = library, .shape = shape, .bytes = bytes, .best = out};
    choose(&call, kind, no_ll128, sizeof no_ll128 / sizeof *no_ll128);
}

/* ---- effect of scales ---- */

static bool is_direct(enum coll_kind kind)
{
    return kind == COLL_ALL_TO_ALL || kind == COLL_GATHER || kind == COLL_SCATTER;
}

static bool uses_direct(const struct sys_ccl_shape *shape, enum sys_ccl_scale scale)
{
    switch (scale) {
    case SYS_CCL_INNER_BANDWIDTH:
        return shape->max > 1;
    case SYS_CCL_OUTER_BANDWIDTH:
    case SYS_CCL_ALL_TO_ALL_NODE:
        return shape->nodes > 1;
    case SYS_CCL_ALL_TO_ALL_LATENCY:
    case SYS_CCL_ALL_TO_ALL_BANDWIDTH:
        return true;
    default:
        return false;
    }
}

static bool uses_nvls(const struct sys_ccl *library, const struct sys_ccl_shape *shape)
{
    const uint32_t from = library->gpu->nvls_from;
    return shape->nodes > 1 ? library->nvls_tree && shape->max > 1
                            : library->nvls && from != 0 && shape->max >= from;
}

static bool uses_nccl(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                      enum coll_kind kind, enum sys_ccl_scale scale)
{
    const bool reduces = kind == COLL_ALL_REDUCE || kind == COLL_BARRIER;
    const bool chain = kind == COLL_BROADCAST || kind == COLL_REDUCE;
    const bool several = shape->nodes > 1;
    if (shape->npus < 2 || is_direct(kind)) {
        return shape->npus > 1 && uses_direct(shape, scale);
    }
    switch (scale) {
    case SYS_CCL_INNER_BANDWIDTH:
        return shape->max > 1;
    case SYS_CCL_INNER_LATENCY:
        return shape->max > 1 && !(chain && several);
    case SYS_CCL_OUTER_BANDWIDTH:
    case SYS_CCL_OUTER_LATENCY:
        return several;
    case SYS_CCL_TREE_LATENCY:
    case SYS_CCL_TREE_BANDWIDTH:
        return reduces && several;
    case SYS_CCL_NVLS_BANDWIDTH:
        return reduces && uses_nvls(library, shape);
    case SYS_CCL_LL_LATENCY:
    case SYS_CCL_LL_BANDWIDTH:
    case SYS_CCL_LL128_LATENCY:
    case SYS_CCL_LL128_BANDWIDTH:
        return true;
    default:
        return false;
    }
}

static bool uses_rccl(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                      enum coll_kind kind, enum sys_ccl_scale scale)
{
    return scale != SYS_CCL_LL128_LATENCY && scale != SYS_CCL_LL128_BANDWIDTH &&
           uses_nccl(library, shape, kind, scale);
}

/* A tree on two nodes sends each byte once, not twice. */
static double max_scale(const struct sys_ccl *library, enum sys_ccl_scale scale, bool alone)
{
    const struct sys_ccl_gpu *gpu = library->gpu;
    switch (scale) {
    case SYS_CCL_INNER_BANDWIDTH:
        return 1 / gpu->link_share;
    case SYS_CCL_OUTER_BANDWIDTH:
        return 1 / (alone ? constants.one_share : constants.outer_share);
    case SYS_CCL_TREE_BANDWIDTH:
        return 2 / constants.tree_bandwidth;
    case SYS_CCL_LL_BANDWIDTH:
        return 1 / constants.ring_share[LL];
    case SYS_CCL_LL128_BANDWIDTH:
        return 1 / constants.ring_share[LL128];
    case SYS_CCL_NVLS_BANDWIDTH:
        return gpu->nvls_from != 0 ? 1 / gpu->nvls_share : INFINITY;
    case SYS_CCL_ALL_TO_ALL_BANDWIDTH:
        return 1 / fmin(gpu->link_share, constants.outer_share);
    default:
        return INFINITY;
    }
}

const struct sys_ccl_ops orr_sys_nccl = {
    .name = "nccl",
    .summary = "NVIDIA's: rings and trees by LL, LL128 and Simple, and NVLS",
    .gpus = nccl_gpus,
    .choose = choose_nccl,
    .uses = uses_nccl,
    .max = max_scale};

const struct sys_ccl_ops orr_sys_rccl = {.name = "rccl",
                                         .summary = "AMD's: the same without LL128 and NVLS",
                                         .gpus = rccl_gpus,
                                         .choose = choose_rccl,
                                         .uses = uses_rccl,
                                         .max = max_scale};
