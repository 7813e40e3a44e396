/* Number of chunks of a collective: system.chunks, or system.chunks_of for its kind. For trees
 * there is an optimal number between few large and many small chunks (C-Cube, HPCA 2023, Eq. 4): K
 * = sqrt(log2 P x bytes / bandwidth / overhead) per tree. */
#include <math.h>

#include "system/collectives/forest.h"
#include "system/collectives/rings.h"
#include "system/collectives/trees.h"
#include "system/plan/autotune.h"

const struct coll_rings *orr_sys_phase_rings(const struct sys *sys,
                                             const struct sys_operation *operation)
{
    struct sys_group *group = operation->group;
    const bool all = operation->dims == 1 && operation->dim[0].n == group->size;
    return all && sys->up.rings_of != NULL ? sys->up.rings_of(sys, group) : NULL;
}

uint32_t orr_sys_variant_count(const struct sys *sys, const struct sys_operation *operation,
                               const struct coll_algorithm *algorithm)
{
    if (algorithm->given) {
        return sys->config->trees->trees;
    }
    if (algorithm->on_rings) {
        const struct coll_rings *rings = orr_sys_phase_rings(sys, operation);
        return rings != NULL ? rings->rings : 1;
    }
    if (algorithm->on_forest) {
        const struct coll_forest *forest;
        return orr_sys_phase_forest(sys, operation, &forest, NULL) == ORR_OK
                   ? orr_coll_forest_variants(forest)
                   : 1;
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
    const uint32_t turns = orr_sys_variant_count(sys, operation, algorithm),
                   n = operation->dim[d].n;
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

/* Rings, and variants of a forest, share the chunks: where a collective may go around them, the
 * number is rounded up to as many for each. It does not depend on what is tuned. */
static uint64_t rounded_to_rings(const struct sys *sys, const struct sys_operation *operation,
                                 uint64_t chunks)
{
    const struct coll_algorithm *named =
        operation->dims == 1 ? orr_sys_named_algorithm(sys, operation, 0).algorithm : NULL;
    const struct coll_algorithm *algorithm =
        named != NULL && named->on_forest ? named : orr_coll_for(COLL_FOR_LINKS);
    if (operation->dims != 1 || !algorithm->supports(operation->kind, operation->dim[0].n) ||
        (orr_sys_named_algorithm(sys, operation, 0).algorithm != algorithm &&
         !orr_sys_dim_is_auto(sys, operation, 0))) {
        return chunks;
    }
    const uint64_t rings = orr_sys_variant_count(sys, operation, algorithm);
    const uint64_t rounded = (chunks + rings - 1) / rings * rings;
    return rounded <= SYS_MAX_CHUNKS && rounded <= operation->bytes ? rounded : chunks;
}

/* Maximum chunks of a collective of one phase whose messages are all in flight at once, as flows
 * over a graph's own paths: each chunk costs a flow for each pair. UINT64_MAX for others. */
static uint64_t max_at_once(const struct sys *sys, const struct sys_operation *operation)
{
    enum { ENOUGH = 512 }; /* messages of an NPU in flight */
    const struct sys_algorithm_list *list = orr_sys_list_of(sys, operation->kind);
    uint64_t peers = 0;
    if (operation->kind >= SYS_LISTED_KINDS || (list != NULL && list->custom != NULL)) {
        return UINT64_MAX;
    }
    for (unsigned d = 0; d < operation->dims; d++) {
        if (sys_takes_part(operation, d)) {
            const struct sys_algorithm algorithm =
                orr_sys_algorithm_of(sys, operation, d, operation->kind);
            if (peers != 0 || algorithm.window != 0 ||
                !orr_sys_goes_at_once(sys, operation, d, algorithm.algorithm)) {
                return UINT64_MAX;
            }
            peers = operation->dim[d].n - 1;
        }
    }
    return peers == 0 ? UINT64_MAX : peers < ENOUGH ? ENOUGH / peers : 1;
}

static uint64_t chunk_count(const struct sys *sys, const struct sys_operation *operation)
{
    const uint32_t configured =
        operation->kind < SYS_NAMED_KINDS ? sys->config->chunks_of[operation->kind] : 0;
    if (configured != SYS_BEST_CHUNKS) {
        return rounded_to_rings(sys, operation, configured != 0 ? configured : sys->config->chunks);
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

uint64_t orr_sys_chunk_count(const struct sys *sys, const struct sys_operation *operation)
{
    const uint64_t count = chunk_count(sys, operation), max = max_at_once(sys, operation);
    return count < max ? count : max;
}

static enum orr_status check_named(const struct sys *sys, const struct sys_operation *operation,
                                   unsigned d, struct orr_diag *diag)
{
    const struct coll_algorithm *named = orr_sys_named_algorithm(sys, operation, d).algorithm;
    const struct coll_trees *trees = sys->config->trees;
    if (!sys_takes_part(operation, d) || named == NULL) {
        return ORR_OK;
    }
    if (named->given && trees != NULL && operation->dim[d].n != trees->n) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "uses system.trees of %u ranks for %u ranks of the group \"%s\"",
                             trees->n, operation->dim[d].n, operation->group->name);
    }
    const struct coll_forest *forest;
    if (named->on_forest && operation->group->size > 1) {
        return orr_sys_phase_forest(sys, operation, &forest, diag);
    }
    /* Two members need no rings on links. */
    if (named->on_rings && operation->group->size > 2 && sys->up.rings_of != NULL &&
        orr_sys_phase_rings(sys, operation) == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "goes around rings (system.algorithms), but the %u NPUs of the group "
                             "\"%s\" have none: expected a graph, not built of dimensions, "
                             "with rings on its links",
                             operation->group->size, operation->group->name);
    }
    return ORR_OK;
}

enum orr_status orr_sys_check_algorithms(const struct sys *sys,
                                         const struct sys_collective *request,
                                         struct orr_diag *diag)
{
    const uint32_t configured =
        request->kind < SYS_NAMED_KINDS ? sys->config->chunks_of[request->kind] : 0;
    if (configured != SYS_BEST_CHUNKS && configured > request->bytes) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "is split into %u chunks (system.chunks_of.%s) but has only %llu bytes", configured,
            orr_coll_kind_name(request->kind), (unsigned long long)request->bytes);
    }
    struct sys_group *group = sys->all.groups[request->group];
    struct sys_operation operation = {
        .kind = request->kind,
        .bytes = request->bytes,
        .root = sys_position(group->ranks == NULL ? request->root.rank : 0),
        .group = group,
        .dim_mask = request->dim_mask};
    enum orr_status status = ORR_OK;
    orr_sys_plan_dims(sys, &operation);
    for (unsigned d = 0; d < operation.dims && status == ORR_OK; d++) {
        status = check_named(sys, &operation, d, diag);
    }
    return status;
}
