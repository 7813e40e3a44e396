/* Parallelization strategies: the split of a model's operators and the placement of their parts on
 * devices (TopoOpt, NSDI'23, section 4.1; SiP-ML, SIGCOMM'21, sections 3.2 and 4).
 *
 * An operator is split by a degree in each of its dimensions; its parts are numbered with the
 * degree of dimension 0, the samples, varying slowest. A device is an NPU, or a server that
 * computes as one.
 *
 * Groups: with `copies` l the devices form l equal groups of k = devices / l; group g has the
 * devices g k to g k + k - 1 and 1 / l of the batch. Splits and placements hold in every group,
 * with devices numbered from 0 to k - 1 (k-way model times l-way data parallelism). */
#ifndef ORR_WORKLOAD_STRATEGY_STRATEGY_H
#define ORR_WORKLOAD_STRATEGY_STRATEGY_H

#include "workload/model/op_graph.h"

struct orr_arena;
struct orr_conf;

/* Maximum devices of a job, and parts of an operator. */
enum { STRATEGY_MAX_DEVICES = 1 << 16, STRATEGY_MAX_PARTS = 1 << 16 };

struct strategy_op {
    uint32_t parts;        /* the product of its degrees */
    uint32_t first_degree; /* into strategy.degree: one for each dimension of the operator */
    uint32_t first_device; /* into strategy.device: of each part, 0 .. k - 1; may repeat */
};

/* The properties of the devices (servers). */
struct strategy_server {
    uint32_t gpus;             /* GPUs of a device; more than 1: a server */
    double inside_bytes_per_s; /* of a GPU to the others in its server; 0: infinite */
    uint64_t optimizer_bytes;  /* optimizer state of a parameter */
    bool reduce_at_end;        /* a device's all-reduces wait for all its backward parts */
};

struct strategy {
    uint32_t devices, copies;
    uint32_t ops; /* the model's */
    const struct strategy_op *op;
    const uint32_t *degree, *device;
    struct strategy_server server;
    const struct orr_conf *file; /* source, for messages; NULL: made in memory */
    const struct orr_conf *const
        *section; /* [ops] the entry of each in the source, or NULL; may be NULL */
};

/* k, the devices of a group. */
static inline uint32_t orr_strategy_group(const struct strategy *strategy)
{
    return strategy->devices / strategy->copies;
}

/* Duration of the all-reduce of an operator's weights inside the servers, before the one between
 * them: a ring of the server's GPUs, 2 S / GPUs / bandwidth; 0 for tables (FlexNet). */
static inline sim_time orr_strategy_inside_ps(const struct strategy_server *server,
                                              const struct model_op *op, uint64_t bytes)
{
    const bool none = server->gpus < 2 || !(server->inside_bytes_per_s > 0) || op->table;
    const double seconds =
        none ? 0 : 2.0 * (double)bytes / server->gpus / server->inside_bytes_per_s;
    return (sim_time)(seconds * 1e12 + 0.5);
}

static inline const uint32_t *orr_strategy_degrees(const struct strategy *strategy, uint32_t op)
{
    return strategy->degree + strategy->op[op].first_degree;
}

static inline const uint32_t *orr_strategy_devices(const struct strategy *strategy, uint32_t op)
{
    return strategy->device + strategy->op[op].first_device;
}

/* ---- making one ---- */

/* A strategy under construction. Operators may be set repeatedly; those never set stay unsplit, on
 * device 0. */
struct strategy_draft {
    struct orr_arena *arena;
    const struct model_graph *model;
    struct strategy strategy; /* devices, copies and server may be changed before the first set */
    struct strategy_op *op;
    uint32_t *degree, *device;
    size_t devices, capacity;
    uint32_t default_devices; /* index of the shared devices of operators with a part on each
                                 device; 0: none yet */
};

/* Begins a strategy of `devices` devices in `copies` groups (which divide them). False when memory
 * is out. */
bool orr_strategy_draft_init(struct strategy_draft *draft, struct orr_arena *arena,
                             const struct model_graph *model, uint32_t devices, uint32_t copies);

/* Splits an operator by the degrees (one for each of its dimensions, each at least 1, with a
 * product of at most STRATEGY_MAX_PARTS), its parts on device[parts]; NULL: the default devices
 * (orr_strategy_default_device). False when memory is out. O(parts). */
bool orr_strategy_set(struct strategy_draft *draft, uint32_t op, const uint32_t *degree,
                      const uint32_t *device);

/* The finished strategy; it shares the draft's memory in the arena. */
struct strategy orr_strategy_drafted(const struct strategy_draft *draft);

/* The default device of a part in a group of `group` devices. If the number of parts divides
 * `group`, the parts are spread evenly: 0, group / parts, ...; else they go one after the other,
 * cyclically. */
static inline uint32_t orr_strategy_default_device(uint32_t part, uint32_t parts, uint32_t group)
{
    return group % parts == 0 ? part * (group / parts) : part % group;
}

/* Data parallelism: every operator is split by samples into as many parts as the group has devices,
 * part i on device i; tables are unsplit, placed round-robin (TopoOpt's initial strategy). */
bool orr_strategy_data_parallel(struct strategy_draft *draft);

#endif
