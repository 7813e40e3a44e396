/* Which folded digits a collective allows to fold (docs/models.md, section 9).
 *
 * A phase runs inside slices of a dimension. If the ranks of a slice differ in kept digits only,
 * each is simulated. If they differ in folded digits only, one represents all: their programs must
 * be equal up to a shift or an exchange of ranks, and their routes through the network equivalent.
 * Anything else, such as a root, distinguishes the ranks. */
#include <stdio.h>
#include <string.h>

#include "core/fold.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_dims.h"
#include "system/collectives/program.h"
#include "system/collectives/rings.h"
#include "system/groups/group.h"
#include "system/plan/operation.h"
#include "system/plan/schedulers.h"
#include "system/sys_config.h"
#include "system/sys_fold.h"
#include "system/sys_groups.h"
#include "system/sys_mono.h"
#include "system/sys_position.h"

/* ---- a system that only plans ---- */

enum orr_status orr_sys_planner_open(struct sys **out, const struct sys_config *config,
                                     const struct net_config *net, struct orr_arena *arena,
                                     struct orr_diag *diag)
{
    struct sys *sys = orr_arena_alloc(arena, sizeof *sys);
    struct sys_config *plain = orr_arena_alloc(arena, sizeof *plain);
    struct net *stub = orr_arena_alloc(arena, sizeof *stub);
    struct sys_group *world = orr_arena_alloc(arena, sizeof *world);
    struct sys_group **groups =
        sys != NULL ? orr_arena_grow(arena, NULL, &sys->all.capacity, 1, sizeof *groups) : NULL;
    if (sys == NULL || plain == NULL || stub == NULL || world == NULL || groups == NULL) {
        return orr_diag_no_memory(diag, "the plan of the system layer");
    }
    *plain = *config; /* the order of dimensions is irrelevant */
    plain->scheduler = NULL;
    plain->service = SYS_BY_MESSAGE;
    stub->config = net;
    *world = (struct sys_group){
        .name = "0", .size = orr_net_npus(net), .members = orr_net_npus(net), .whole = true};
    groups[0] = world;
    sys->config = plain;
    sys->planning.given = config;
    sys->planning.tuning_cache = config->tuning_cache;
    sys->policy = plain->policy;
    sys->net = stub;
    sys->arena = arena;
    sys->npus = sys->slots = world->size;
    sys->all.groups = groups;
    sys->all.count = 1;
    *out = sys;
    return ORR_OK;
}

/* ---- digits ---- */

/* Set of the digits in which two ranks differ. */
static uint64_t differing(const struct orr_fold *fold, struct orr_rank a, struct orr_rank b)
{
    uint64_t digits = 0;
    for (unsigned i = 0; i < fold->digits; i++) {
        const struct orr_fold_digit *digit = &fold->digit[i];
        if (a.rank / digit->stride % digit->size != b.rank / digit->stride % digit->size) {
            digits |= UINT64_C(1) << i;
        }
    }
    return digits;
}

static uint64_t folded_digits(const struct orr_fold *fold)
{
    uint64_t digits = 0;
    for (unsigned i = 0; i < fold->digits; i++) {
        digits |= fold->digit[i].folded ? UINT64_C(1) << i : 0;
    }
    return digits;
}

/* Number of ranks that agree in all other digits. */
static uint64_t ranks_along(const struct orr_fold *fold, uint64_t digits)
{
    uint64_t ranks = 1;
    for (unsigned i = 0; i < fold->digits; i++) {
        ranks *= (digits >> i & 1) != 0 ? fold->digit[i].size : 1;
    }
    return ranks;
}

/* ---- phases ---- */

/* Whether all ranks of the dimension send through the same kind of port over the same distance: if
 * partners are shifted around a whole dimension of the platform; otherwise if an NPU has one port
 * and all distances are equal. If links are shared, each pair of a fully connected dimension has
 * its own link. */
static bool routes_are_equivalent(const struct net_config *config, const struct sys_dim *dim,
                                  enum coll_symmetry symmetry)
{
    const struct net_dim *net = &config->dim[dim->queue_dim];
    const bool one_port =
        net->block == NET_SWITCH || (net->block == NET_FULLY_CONNECTED && net->per_npu &&
                                     orr_net_backend_find(config->backend)->links == NULL);
    const bool is_line = net->block == NET_MESH && net->npus > 2;
    return one_port || (symmetry == COLL_SHIFTED && dim->n == net->npus && !is_line);
}

void orr_sys_planner_set_symmetry(struct sys *planner, const struct sys_route_symmetry *paths)
{
    planner->planning.symmetry = paths;
}

/* Whether the routes of a send are equivalent for all members: from each one to the peer at the
 * same offset. */
static bool send_is_equivalent(const struct sys *sys, const struct sys_dim *dim,
                               const struct coll_send *send)
{
    for (uint32_t src = 0; src < sys->npus; src++) {
        const uint32_t index = sys_index_in(dim, sys_position(src));
        const uint32_t peer =
            index + send->peer < dim->n ? index + send->peer : index + send->peer - dim->n;
        const struct sys_position to = sys_peer_position(dim, sys_position(src), index, peer);
        if (!sys->planning.symmetry->is_equivalent(sys->planning.symmetry->context, orr_rank(src),
                                                   orr_rank(to.position), send->backwards)) {
            return false;
        }
    }
    return true;
}

/* The same of all sends of the first member. */
static bool sends_are_equivalent(const struct sys *sys, const struct sys_dim *dim,
                                 const struct coll_algorithm *algorithm,
                                 const struct coll_args *args)
{
    struct coll_send last = {.peer = 0};
    const uint32_t sends = algorithm->sends(args);
    for (uint32_t k = 0; k < sends; k++) {
        struct coll_send send = {.peer = 0};
        algorithm->send(args, k, &send);
        const bool repeated = send.peer == last.peer && send.backwards == last.backwards;
        if (send.channel != 0 || (!repeated && !send_is_equivalent(sys, dim, &send))) {
            return false;
        }
        last = send;
    }
    return true;
}

/* In a graph: compares the routes of shifted partners; on one switch with equal links all are
 * equivalent. Only for all NPUs in order, whose positions are ranks. */
static bool graph_routes_are_equivalent(const struct sys *sys,
                                        const struct sys_operation *operation,
                                        const struct sys_phase *phase, enum coll_symmetry symmetry)
{
    const struct sys_dim *dim = &operation->dim[phase->dim];
    struct coll_args args = {.kind = (enum coll_kind)phase->kind,
                             .n = dim->n,
                             .bytes = operation->bytes,
                             .rings = phase->rings,
                             .forest = phase->forest};
    if (sys->planning.symmetry == NULL || operation->group->ranks != NULL) {
        return false;
    }
    if (orr_net_graph_is_flat(sys->net->config->graph)) {
        return true;
    }
    bool is_equivalent = (symmetry == COLL_SHIFTED || dim->n == 2) &&
                         (!phase->algorithm->varies || phase->rings != NULL);
    for (; args.variant < phase->turns && is_equivalent; args.variant++) {
        is_equivalent = sends_are_equivalent(sys, dim, phase->algorithm, &args);
    }
    return is_equivalent;
}

/* Whether each digit either numbers the ranks of the dimension, or is the same for all of them. For
 * all NPUs in order only. *digits: the numbering digits. */
static bool is_aligned(const struct sys_operation *operation, const struct sys_dim *dim,
                       const struct orr_fold *fold, uint64_t *digits)
{
    const uint64_t end = (uint64_t)dim->stride * dim->n;
    *digits = 0;
    for (unsigned i = 0; i < fold->digits; i++) {
        const uint64_t from = fold->digit[i].stride, to = from * fold->digit[i].size;
        if (from >= dim->stride && to <= end) {
            *digits |= to > from ? UINT64_C(1) << i : 0;
        } else if (to > dim->stride && from < end) {
            return false;
        }
    }
    return operation->group->ranks == NULL && !operation->flat;
}

/* Set of the digits in which the ranks of a dimension differ from the member at `position`. */
static uint64_t dim_digits(const struct sys_operation *operation, const struct sys_dim *dim,
                           struct sys_position position, const struct orr_fold *fold)
{
    const uint32_t index = sys_index_in(dim, position);
    const struct orr_rank rank = sys_rank_at(operation->group, position);
    uint64_t digits = 0;
    if (is_aligned(operation, dim, fold, &digits)) {
        return digits;
    }
    digits = 0;
    for (uint32_t peer = 0; peer < dim->n; peer++) {
        digits |=
            differing(fold, rank,
                      sys_rank_at(operation->group, sys_peer_position(dim, position, index, peer)));
    }
    return digits;
}

/* Whether all routes between the members of a slice are equivalent to those of its copies, which
 * differ in the folded digits. */
static bool copies_are_equivalent(const struct sys *sys, const struct sys_operation *operation,
                                  const struct sys_dim *dim, struct sys_position position,
                                  const struct orr_fold *fold)
{
    const uint32_t index = sys_index_in(dim, position);
    const uint32_t first = sys_rank_at(operation->group, position).rank;
    const struct sys_route_symmetry *paths = sys->planning.symmetry;
    for (uint32_t i = 0; paths != NULL && i < dim->n * dim->n; i++) {
        const uint32_t from =
            sys_rank_at(operation->group, sys_peer_position(dim, position, index, i / dim->n)).rank;
        const uint32_t to =
            sys_rank_at(operation->group, sys_peer_position(dim, position, index, i % dim->n)).rank;
        for (uint32_t rank = 0; rank < sys->npus; rank++) {
            const struct orr_rank src = orr_rank(from + rank - first);
            const struct orr_rank dst = orr_rank(to + rank - first);
            if (from != to &&
                (differing(fold, orr_rank(first), orr_rank(rank)) & ~folded_digits(fold)) == 0 &&
                (!paths->is_equivalent(paths->context, src, dst, false) ||
                 !paths->is_equivalent(paths->context, src, dst, true))) {
                return false;
            }
        }
    }
    return paths != NULL;
}

static enum coll_symmetry symmetry_of(const struct sys_phase *phase, uint32_t n)
{
    if (phase->rings != NULL) {
        return phase->rings->shifted ? COLL_SHIFTED : COLL_ASYMMETRIC;
    }
    return phase->algorithm->symmetry != NULL
               ? phase->algorithm->symmetry((enum coll_kind)phase->kind, n)
               : COLL_ASYMMETRIC;
}

/* Set of the folded digits that a phase distinguishes at the member at `position`. */
static uint64_t phase_unfoldable(const struct sys *sys, const struct sys_operation *operation,
                                 const struct sys_phase *phase, struct sys_position position,
                                 const struct orr_fold *fold)
{
    const struct sys_dim *dim = &operation->dim[phase->dim];
    const uint64_t digits = dim_digits(operation, dim, position, fold);
    const uint64_t folded = folded_digits(fold) & digits;
    const enum coll_symmetry symmetry = symmetry_of(phase, dim->n);
    const bool is_equivalent = folded == digits && ranks_along(fold, digits) == dim->n &&
                               !operation->flat && dim->queue_dim < sys->net->config->dims &&
                               symmetry != COLL_ASYMMETRIC &&
                               (sys->net->config->graph != NULL
                                    ? graph_routes_are_equivalent(sys, operation, phase, symmetry)
                                    : routes_are_equivalent(sys->net->config, dim, symmetry));
    if (sys->net->config->graph != NULL && !is_equivalent && folded == 0 &&
        !orr_net_graph_is_flat(sys->net->config->graph) &&
        !copies_are_equivalent(sys, operation, dim, position, fold)) {
        return folded_digits(fold);
    }
    return is_equivalent ? 0 : folded;
}

/* Whether a logical dimension is larger than the platform's (all NPUs as one). */
static bool spans_dims_of_platform(const struct sys *sys, const struct sys_operation *operation)
{
    for (unsigned d = 0; d < operation->dims; d++) {
        if (operation->dim[d].n > sys->net->config->dim[operation->dim[d].queue_dim].npus) {
            return true;
        }
    }
    return false;
}

static uint64_t operation_unfoldable(struct sys *sys, struct sys_operation *operation,
                                     struct sys_position position, const struct orr_fold *fold)
{
    uint64_t unfoldable = 0;
    for (uint32_t c = 0; c < operation->chunks; c++) {
        if (c > 0 && operation->plan[c] == operation->plan[c - 1]) {
            continue;
        }
        for (unsigned p = 0; p < operation->plan[c]->phases; p++) {
            unfoldable |=
                phase_unfoldable(sys, operation, &operation->plan[c]->phase[p], position, fold);
        }
    }
    return unfoldable;
}

/* Set of the folded digits in which the members of a group differ. */
static uint64_t group_digits(const struct sys_group *group, const struct orr_fold *fold)
{
    uint64_t digits = 0;
    if (group->ranks == NULL) {
        return folded_digits(fold);
    }
    for (uint32_t i = 1; i < group->size; i++) {
        digits |= differing(fold, sys_rank_at(group, sys_position(0)),
                            sys_rank_at(group, sys_position(i)));
    }
    return digits & folded_digits(fold);
}

enum orr_status orr_sys_fold_check(struct sys *sys, const struct sys_collective *request,
                                   const struct orr_fold *fold, uint64_t *unfoldable,
                                   struct orr_diag *diag)
{
    struct sys_group *group = sys->all.groups[request->group];
    const bool rooted = request->kind >= COLL_BROADCAST && request->kind <= COLL_SCATTER;
    const bool custom =
        request->kind < SYS_LISTED_KINDS && sys->config->algorithms[request->kind].custom != NULL;
    if (sys_by_ccl(sys_mono_of(sys, request)) && request->sizes == NULL) {
        *unfoldable = orr_sys_ccl_unfoldable(sys, group, fold);
        return ORR_OK;
    }
    if (request->sizes != NULL) {
        *unfoldable = group_digits(group, fold);
        return ORR_OK;
    }
    *unfoldable = rooted || custom || sys_mono_of(sys, request) != NULL ? folded_digits(fold) : 0;
    if (*unfoldable != 0) {
        return ORR_OK;
    }
    struct orr_arena *arena = orr_arena_create();
    struct sys_operation operation = {.sys = sys,
                                      .arena = arena,
                                      .group = group,
                                      .kind = request->kind,
                                      .bytes = request->kind == COLL_BARRIER ? 0 : request->bytes,
                                      .dim_mask = request->dim_mask};
    enum orr_status status = arena != NULL ? orr_sys_plan_operation(sys, &operation, diag)
                                           : orr_diag_no_memory(diag, "a plan");
    if (status == ORR_OK) {
        const struct orr_rank rank = orr_sys_rank_of_slot(sys, request->npu);
        const struct sys_position position = orr_sys_group_position(sys, request->group, rank);
        *unfoldable = operation.flat || spans_dims_of_platform(sys, &operation)
                          ? group_digits(group, fold)
                          : operation_unfoldable(sys, &operation, position, fold);
    }
    orr_arena_destroy(arena);
    return status;
}
