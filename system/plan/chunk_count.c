/* Number of chunks of a collective: system.chunks, or system.chunks_of for its kind. For trees
 * there is an optimal number between few large and many small chunks (C-Cube, HPCA 2023, Eq. 4): K
 * = sqrt(log2 P x bytes / bandwidth / overhead) per tree. */
#include <math.h>

#include "system/collectives/trees.h"
#include "system/plan/autotune.h"

uint32_t orr_sys_variant_count(const struct sys *sys, const struct coll_algorithm *algorithm)
{
    if (algorithm->given) {
        return sys->config->trees->trees;
    }
    return algorithm->varies ? 2 : 1;
}

/* Bytes of the collective per rank of the dimension: lower dimensions without trees divide them. */
static double bytes_in(const struct sys *sys, const struct sys_operation *operation, unsigned dim)
{
    double bytes = (double)operation->bytes;
    for (unsigned d = 0; d < dim && operation->kind == COLL_ALL_REDUCE; d++) {
        const bool split = sys_takes_part(operation, d) && sys->config->bandwidth_aware;
        bytes /= split && !orr_sys_algorithm_of(sys, operation, d, COLL_REDUCE).algorithm->given
                     ? operation->dim[d].n
                     : 1;
    }
    return bytes;
}

static double link_bytes_per_s(const struct sys *sys, const struct sys_operation *operation,
                               unsigned d)
{
    return sys->config->tree_bytes_per_s > 0
               ? sys->config->tree_bytes_per_s
               : sys->net->config->dim[operation->dim[d].queue_dim].bandwidth_bytes_per_s;
}

/* For all trees together: at least one per tree, at most one per byte. */
static uint64_t optimal_count(const struct sys *sys, const struct sys_operation *operation,
                              unsigned d, const struct coll_algorithm *algorithm)
{
    const uint32_t turns = orr_sys_variant_count(sys, algorithm), n = operation->dim[d].n;
    const double bytes = bytes_in(sys, operation, d) / turns;
    const double transfer_s = bytes / link_bytes_per_s(sys, operation, d);
    const double overhead_s = (double)sys->net->config->message_overhead_ps * 1e-12;
    const double max = fmin((double)operation->bytes, SYS_MAX_CHUNKS);
    if (!(transfer_s > 0)) { /* infinitely fast links */
        return turns;
    }
    const double best =
        overhead_s > 0 ? round(sqrt(log2(n) * transfer_s / overhead_s)) * turns : max;
    return best < turns ? turns : (uint64_t)(best > max ? fmax(max, 1) : best);
}

uint64_t orr_sys_chunk_count(const struct sys *sys, const struct sys_operation *operation)
{
    const uint32_t configured =
        operation->kind < SYS_NAMED_KINDS ? sys->config->chunks_of[operation->kind] : 0;
    if (configured != SYS_BEST_CHUNKS) {
        return configured != 0 ? configured : sys->config->chunks;
    }
    for (unsigned d = 0; d < operation->dims; d++) {
        const struct coll_algorithm *algorithm =
            orr_sys_algorithm_of(sys, operation, d, operation->kind).algorithm;
        if (sys_takes_part(operation, d) && algorithm->up_down) {
            return optimal_count(sys, operation, d, algorithm);
        }
    }
    return sys->config->chunks;
}

static const struct coll_algorithm *named_in(const struct sys *sys,
                                             const struct sys_operation *operation, unsigned d)
{
    const struct sys_algorithm_list *list = orr_sys_list_of(sys, operation->kind);
    const unsigned item = operation->dim[d].queue_dim;
    return list != NULL && list->count != 0
               ? list->items[item < list->count ? item : list->count - 1].algorithm
               : NULL;
}

static enum orr_status check_sizes(const struct sys *sys, const struct sys_collective *request,
                                   struct orr_diag *diag)
{
    const struct coll_trees *trees = sys->config->trees;
    struct sys_operation operation = {
        .kind = request->kind, .group = sys->groups[request->group], .dim_mask = request->dim_mask};
    orr_sys_plan_dims(sys, &operation);
    for (unsigned d = 0; d < operation.dims && trees != NULL; d++) {
        const struct coll_algorithm *named = named_in(sys, &operation, d);
        if (sys_takes_part(&operation, d) && named != NULL && named->given &&
            operation.dim[d].n != trees->n) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "uses system.trees of %u ranks for %u ranks of the group \"%s\"",
                                 trees->n, operation.dim[d].n, operation.group->name);
        }
    }
    return ORR_OK;
}

enum orr_status orr_sys_check_trees(const struct sys *sys, const struct sys_collective *request,
                                    struct orr_diag *diag)
{
    const uint32_t configured =
        request->kind < SYS_NAMED_KINDS ? sys->config->chunks_of[request->kind] : 0;
    if (sys->config->trees == NULL && configured == 0) {
        return ORR_OK;
    }
    if (configured != SYS_BEST_CHUNKS && configured > request->bytes) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "is split into %u chunks (system.chunks_of.%s) but has only %llu bytes", configured,
            orr_coll_kind_name(request->kind), (unsigned long long)request->bytes);
    }
    return check_sizes(sys, request, diag);
}
