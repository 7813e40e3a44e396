/* Registry of libraries, and lower bounds by the cut of a node or an NPU. */
#include "system/ccl/ccl.h"

#include <math.h>

#include "system/ccl/ccl_private.h"

const struct sys_ccl_ops *const orr_sys_libraries[] = {&orr_sys_nccl, &orr_sys_rccl, NULL};

double orr_sys_ccl_bytes(enum coll_kind kind, uint64_t bytes, uint32_t npus)
{
    switch (kind) {
    case COLL_ALL_GATHER:
    case COLL_GATHER:
        return (double)bytes * npus;
    case COLL_BARRIER:
        return 1;
    default:
        return (double)bytes;
    }
}

/* ---- the cut ---- */

/* Lower bound of the crossings of a buffer's bytes over the links of one of `parts` NPUs or nodes,
 * on average. */
static double crossings(enum coll_kind kind, double parts)
{
    switch (kind) {
    case COLL_ALL_REDUCE:
    case COLL_BARRIER:
        return 2 * (parts - 1) / parts;
    case COLL_ALL_GATHER:
    case COLL_REDUCE_SCATTER:
    case COLL_ALL_TO_ALL:
    case COLL_GATHER:
    case COLL_SCATTER:
        return (parts - 1) / parts;
    default:
        return 1;
    }
}

/* Inside a node, among its members; with in-switch reduction the bytes cross an NPU's links once.
 */
static double inner_min_s(const struct sys_ccl_shape *shape, enum coll_kind kind, double bytes,
                          bool in_switch)
{
    const double g = (double)shape->npus / shape->nodes;
    if (shape->max < 2) {
        return 0;
    }
    if (kind == COLL_ALL_TO_ALL || kind == COLL_GATHER || kind == COLL_SCATTER) {
        return bytes * (g - 1) / shape->npus / shape->inner_bytes_per_s;
    }
    return (in_switch ? 1 : crossings(kind, g)) * bytes / shape->inner_bytes_per_s;
}

static double outer_min_s(const struct sys_ccl_shape *shape, enum coll_kind kind, double bytes)
{
    const double g = (double)shape->npus / shape->nodes;
    if (shape->nodes < 2) {
        return 0;
    }
    if (kind == COLL_ALL_TO_ALL || kind == COLL_GATHER || kind == COLL_SCATTER) {
        return bytes * (shape->npus - g) / shape->npus / shape->outer_bytes_per_s;
    }
    return crossings(kind, shape->nodes) * bytes / (shape->min * shape->outer_bytes_per_s);
}

void orr_sys_ccl_choose(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                        enum coll_kind kind, double bytes, struct sys_ccl_choice *out)
{
    if (shape->npus < 2) {
        *out = (struct sys_ccl_choice){.algorithm = "none", .protocol = ""};
        return;
    }
    library->ops->choose(library, shape, kind, bytes, out);
    out->inner_s = fmax(out->inner_s, inner_min_s(shape, kind, bytes, out->in_switch));
    out->outer_s = fmax(out->outer_s, outer_min_s(shape, kind, bytes));
    out->transfer_s = fmax(out->transfer_s, fmax(out->inner_s, out->outer_s));
    out->launch_s = (double)library->launch_ps / ORR_PS_PER_S;
}

sim_time orr_sys_ccl_time_ps(const struct sys_ccl_choice *choice)
{
    return orr_time_add(orr_time_of_seconds(choice->launch_s + choice->latency_s),
                        orr_time_of_seconds(choice->transfer_s));
}
