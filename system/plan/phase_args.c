/* Parameters of a phase: arguments of its algorithm's program, output bytes, and bandwidth of its
 * dimension. */
#include "system/collectives/trees.h"
#include "system/plan/autotune.h"

struct coll_args orr_sys_phase_args(const struct sys_operation *operation,
                                    const struct sys_phase *phase)
{
    return (struct coll_args){.kind = (enum coll_kind)phase->kind,
                              .n = operation->dim[phase->dim].n,
                              .window = phase->window,
                              .variant = phase->variant,
                              .bytes = phase->bytes,
                              .trees = phase->trees,
                              .rings = phase->rings,
                              .forest = phase->forest};
}

/* Whether the member is the root of the chunk's tree in all lower dimensions. */
static bool is_at_roots(const struct sys_stream *stream, const struct sys_phase *phase)
{
    const struct sys_operation *operation = stream->operation;
    const struct coll_trees *trees = operation->sys->config->trees;
    for (unsigned d = 0; phase->at_roots >> d != 0; d++) {
        if ((phase->at_roots >> d & 1u) != 0 &&
            sys_index_in(&operation->dim[d], sys_position_of(stream)) !=
                trees->tree[stream->chunk % trees->trees].root) {
            return false;
        }
    }
    return true;
}

/* Whether the member takes part in the phase: a rooted collective runs only in the slices that
 * contain the root's coordinates in lower dimensions. Dimensions outside the collective do not
 * count: each of their slices has its own root. */
static bool takes_part(const struct sys_stream *stream)
{
    const struct sys_operation *operation = stream->operation;
    if (sys_phase_of(stream)->at_roots != 0 && !is_at_roots(stream, sys_phase_of(stream))) {
        return false;
    }
    if (operation->kind < COLL_BROADCAST || operation->kind > COLL_SCATTER) {
        return true;
    }
    for (unsigned d = 0; d < sys_phase_of(stream)->dim; d++) {
        const bool involved = (operation->dim_mask >> operation->dim[d].queue_dim & 1u) != 0;
        if (involved &&
            sys_index_in(&operation->dim[d], sys_position_of(stream)) != operation->root_coord[d]) {
            return false;
        }
    }
    return true;
}

/* At the begin of the phase. A member that takes no part gets an empty program (n = 1). */
struct coll_args orr_sys_args_of(const struct sys_stream *stream)
{
    const struct sys_operation *operation = stream->operation;
    const struct sys_phase *phase = sys_phase_of(stream);
    const struct sys_dim *dim = &operation->dim[phase->dim];
    struct coll_args args = orr_sys_phase_args(operation, phase);
    args.root = phase->root;
    args.size = operation->size_of;
    args.size_context = stream;
    args.rank = sys_index_in(dim, sys_position_of(stream));
    if (!takes_part(stream)) {
        args.n = 1;
        args.rank = args.root = 0;
    }
    return args;
}

uint64_t orr_sys_truncated_output(const struct sys_phase *phase, uint32_t n)
{
    if (phase->algorithm->chain == COLL_CHAIN_TREES) {
        return phase->bytes;
    }
    if (phase->kind == COLL_REDUCE_SCATTER) {
        return phase->bytes / n;
    }
    return phase->kind == COLL_ALL_GATHER ? phase->bytes * n : phase->bytes;
}

/* Number of ports by which an NPU sends in a dimension. */
static uint32_t ports_of(const struct sys *sys, const struct sys_operation *operation, unsigned d)
{
    const struct net_dim *net = &sys->net->config->dim[operation->dim[d].queue_dim];
    const struct sys_algorithm algorithm =
        orr_sys_algorithm_of(sys, operation, d, COLL_REDUCE_SCATTER);
    if (net->per_npu || net->block == NET_SWITCH) {
        return 1;
    }
    return net_passes_on(net->block) ? algorithm.algorithm->lanes : operation->dim[d].n - 1;
}

double orr_sys_dim_bandwidth(const struct sys *sys, const struct sys_operation *operation,
                             unsigned d)
{
    const struct net_dim *net = &sys->net->config->dim[operation->dim[d].queue_dim];
    return net->bandwidth_bytes_per_s * ports_of(sys, operation, d);
}

sim_time orr_sys_dim_overhead(const struct sys *sys, const struct sys_operation *operation,
                              unsigned d)
{
    const sim_time overhead = sys->net->config->message_overhead_ps;
    const uint32_t ports = overhead != 0 ? ports_of(sys, operation, d) : 1;
    return ports > 1 ? overhead / ports : overhead;
}
