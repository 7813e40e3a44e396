/* Duration of a compute node: recorded, or by the roofline (ASTRA-sim 2.0, section IV-A). */
#include <math.h>

#include "workload/engine/engine_private.h"

/* recorded x factor / speed, rounded up to a whole ps; 0 stands for 1. The product of doubles may
 * be slightly above the whole ps that it should be. */
static sim_time rescaled(sim_time recorded, double factor, double speed)
{
    if (!(factor > 0) && !(speed > 0)) {
        return recorded;
    }
    const double ps = (double)recorded * (factor > 0 ? factor : 1) / (speed > 0 ? speed : 1);
    return ps < 9.2e18 ? (sim_time)ceil(ps - ps * 4e-16) : ORR_TIME_MAX;
}

sim_time orr_wl_replay_time(const struct wl_compute *compute, const struct orr_node *node)
{
    const sim_time recorded = (sim_time)node->duration_ps;
    if (recorded == 0) {
        return compute->minimum_replay_ps;
    }
    if (node->kind != ORR_NODE_COMP) {
        return recorded;
    }
    if ((node->comm & ORR_COMP_SYNC) != 0) {
        return recorded; /* it waits for the GPU: a faster CPU does not shorten it */
    }
    return (node->flags & ORR_NODE_IS_CPU) != 0
               ? rescaled(recorded, 0, compute->cpu_speed)
               : rescaled(recorded, compute->recorded_scale, compute->replay_speed);
}

static struct wl_work work_of(const struct orr_node *node, enum orr_op_kind kind)
{
    return (struct wl_work){kind, node->comm, node->amount, node->of.tensor_bytes};
}

/* Whether the node is a computation on the accelerator with operations or bytes. */
static bool has_roofline(const struct wl_compute *compute, const struct orr_node *node)
{
    const unsigned has_work = ORR_NODE_HAS_NUM_OPS | ORR_NODE_HAS_TENSOR_SIZE;
    if (!compute->roofline || (node->flags & ORR_NODE_IS_CPU) != 0) {
        return false;
    }
    return (node->flags & has_work) != 0 || compute->skip_without_bytes;
}

bool orr_wl_compute_parts(const struct wl_compute *compute, const struct orr_node *node,
                          enum orr_op_kind kind, struct wl_roofline_parts *parts)
{
    if (!has_roofline(compute, node) || node->kind != ORR_NODE_COMP) {
        return false;
    }
    const struct wl_roofline roofline = orr_wl_roofline_of(compute);
    const struct wl_work work = work_of(node, kind);
    *parts = orr_wl_roofline_parts(&roofline, &work);
    return true;
}

sim_time orr_wl_compute_time(const struct wl_compute *compute, const struct orr_node *node,
                             enum orr_op_kind kind, bool *skipped)
{
    *skipped = false;
    if (!has_roofline(compute, node)) { /* no operations, no bytes */
        return orr_wl_replay_time(compute, node);
    }
    if (node->of.tensor_bytes == 0 && compute->skip_without_bytes) {
        *skipped = true;
        return 0;
    }
    const struct wl_roofline roofline = orr_wl_roofline_of(compute);
    const struct wl_work work = work_of(node, kind);
    return orr_wl_roofline_time(&roofline, &work);
}
