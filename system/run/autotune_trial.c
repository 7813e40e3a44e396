/* Simulates a collective with a given tuning, folded, on the dimensions of its group only. A part
 * of a ring keeps the whole ring, because its messages pass the other NPUs; a part of another block
 * is equivalent to a smaller block. Companions (plan/companions.h) run the same collective at the
 * same time, on the dimensions of all. */
#include <string.h>

#include "core/evq.h"
#include "core/fold.h"
#include "network/coordinates.h"
#include "network/net.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "system/groups/group.h"
#include "system/plan/companions.h"
#include "system/plan/operation.h"
#include "system/plan/planning.h"
#include "system/run/running.h"
#include "system/sys.h"
#include "system/sys_collective.h"
#include "system/sys_config.h"
#include "system/sys_fold.h"
#include "system/sys_groups.h"
#include "system/sys_position.h"

/* Instants between checks of the time limit. */
enum { SLICE = 256 };

struct trial {
    const struct sys *of;
    const struct sys_operation *operation;
    const struct sys_companions *companions; /* NULL: none */
    struct sys_config config;
    struct net_config network;
    struct net_dim dim[NET_MAX_DIMS];
    struct orr_fold fold;
    bool partial; /* the group is smaller than the simulated network */
    struct orr_arena *arena;
    struct orr_evq *queue;
    struct sys *sys;
    struct net *net;
    sim_time end_ps;
};

/* ---- the platform ---- */

static uint32_t companions(const struct trial *trial)
{
    return trial->companions != NULL ? trial->companions->count : 0;
}

static void restrict_dim(struct trial *trial, const struct sys_dim *part)
{
    struct net_dim *dim = &trial->dim[part->queue_dim];
    const struct net_dim *platform = &trial->of->net->config->dim[part->queue_dim];
    if (part->n < platform->npus && (net_passes_on(platform->block) || companions(trial) > 0)) {
        dim->npus = platform->npus;
        trial->partial = true;
        return;
    }
    dim->npus = part->n > dim->npus ? part->n : dim->npus;
    if (part->n < platform->npus && platform->block == NET_FULLY_CONNECTED && dim->per_npu &&
        orr_net_backend_find(trial->network.backend)->links != NULL) {
        dim->per_npu = false; /* keeps the bandwidth of a link of the full clique */
        dim->bandwidth_bytes_per_s /= platform->npus - 1;
    }
}

/* Whether the dimensions of all groups can be simulated without the rest of the platform. */
static bool has_dims(const struct trial *trial)
{
    const struct sys_operation *operation = trial->operation;
    for (unsigned d = 0; d < operation->dims; d++) {
        if (operation->dim[d].n > trial->of->net->config->dim[operation->dim[d].queue_dim].npus) {
            return false;
        }
    }
    for (uint32_t c = 0; c < companions(trial); c++) {
        if (trial->companions->of[c]->box_dims == 0) {
            return false;
        }
    }
    return !operation->flat && sys_routes_follow_blocks(trial->of->net->config);
}

static void restrict_to_companions(struct trial *trial)
{
    for (uint32_t c = 0; c < companions(trial); c++) {
        const struct sys_group *group = trial->companions->of[c];
        trial->partial = true;
        for (unsigned d = 0; d < group->box_dims; d++) {
            restrict_dim(trial, &group->box[d]);
        }
    }
}

static void restrict_platform(struct trial *trial)
{
    const struct net_config *platform = trial->of->net->config;
    trial->network = *platform;
    trial->network.fold = NULL;
    if (!has_dims(trial)) {
        trial->partial = !trial->operation->group->whole;
        return;
    }
    trial->network.graph = NULL;
    trial->network.channels = 0;
    for (unsigned d = 0; d < platform->dims; d++) {
        trial->dim[d] = platform->dim[d];
        trial->dim[d].npus = 1;
    }
    trial->network.dim = trial->dim;
    for (unsigned d = 0; d < trial->operation->dims; d++) {
        if (sys_takes_part(trial->operation, d)) {
            restrict_dim(trial, &trial->operation->dim[d]);
        }
    }
    restrict_to_companions(trial);
}

/* ---- the groups ---- */

/* Rank of a platform's NPU in the restricted platform, which has all or, of a block whose part is
 * equivalent to a smaller one, as many NPUs of a dimension as the group. */
static uint32_t rank_in(const struct trial *trial, const struct sys_row *row, uint32_t rank)
{
    const struct net_config *platform = trial->of->net->config;
    uint32_t coords[NET_MAX_DIMS];
    orr_net_coords(platform, rank, coords);
    for (unsigned d = 0; d < platform->dims; d++) {
        if (trial->dim[d].npus == 1) {
            coords[d] = 0;
        } else if (trial->dim[d].npus < platform->dim[d].npus) {
            coords[d] = (coords[d] - row[d].first) / row[d].step;
        }
    }
    return orr_net_rank(&trial->network, coords);
}

/* Adds a group of the platform under the same name as all: they are disjoint. */
static enum orr_status add_group(struct trial *trial, struct sys *sys,
                                 const struct sys_group *group, uint32_t *index,
                                 struct orr_diag *diag)
{
    struct sys_row row[NET_MAX_DIMS];
    if (!has_dims(trial)) {
        return orr_sys_group_add(sys, "alone", group->given, group->size, index, diag);
    }
    uint32_t *ranks = orr_arena_array(trial->arena, group->size, sizeof *ranks);
    if (ranks == NULL) {
        return orr_diag_no_memory(diag, "a group");
    }
    for (unsigned d = 0; d < trial->network.dims; d++) {
        row[d] = orr_sys_group_row(trial->of, group, d);
    }
    for (uint32_t i = 0; i < group->size; i++) {
        ranks[i] = rank_in(trial, row, sys_rank_at(group, sys_position(i)).rank);
    }
    return orr_sys_group_add(sys, "alone", ranks, group->size, index, diag);
}

/* Group 0 is all NPUs: it stands for the operation's group if it is not a part. */
static enum orr_status add_groups(struct trial *trial, struct sys *sys, uint32_t *groups,
                                  struct orr_diag *diag)
{
    uint32_t index = 0;
    enum orr_status status =
        trial->partial ? add_group(trial, sys, trial->operation->group, &index, diag) : ORR_OK;
    for (uint32_t c = 0; c < companions(trial) && status == ORR_OK; c++) {
        status = add_group(trial, sys, trial->companions->of[c], &index, diag);
    }
    *groups = sys->all.count;
    return status;
}

/* ---- the fold ---- */

static struct sys_collective request_of(const struct trial *trial, const struct sys *sys,
                                        struct orr_slot npu, uint32_t group)
{
    const struct sys_operation *operation = trial->operation;
    const bool same = !has_dims(trial) && group <= 1; /* ranks stay as they are */
    return (struct sys_collective){.npu = npu,
                                   .group = group,
                                   .kind = operation->kind,
                                   .bytes = operation->bytes,
                                   .root = same ? sys_rank_at(operation->group, operation->root)
                                                : orr_sys_group_rank(sys, group, sys_position(0)),
                                   .dim_mask = same ? operation->dim_mask : UINT32_MAX};
}

/* Whether each group has all NPUs of the dimension, and these are alike. */
static bool is_full(const struct trial *trial, const struct sys *planner, unsigned d)
{
    if (trial->dim[d].block == NET_MESH) {
        return false;
    }
    for (uint32_t g = trial->partial ? 1 : 0; g < planner->all.count; g++) {
        const struct sys_group *group = planner->all.groups[g];
        if (!group->whole && orr_sys_group_row(planner, group, d).n != trial->dim[d].npus) {
            return false;
        }
    }
    return true;
}

static void add_digits(struct trial *trial, const struct sys *planner)
{
    for (unsigned d = 0; d < trial->network.dims; d++) {
        if (trial->dim[d].npus > 1 && orr_fold_add_digit(&trial->fold, trial->dim[d].npus)) {
            trial->fold.digit[trial->fold.digits - 1].folded = is_full(trial, planner, d);
        }
    }
}

static enum orr_status check_groups(struct trial *trial, struct sys *planner, uint64_t *unfoldable,
                                    struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    *unfoldable = 0;
    for (uint32_t g = trial->partial ? 1 : 0; g < planner->all.count && status == ORR_OK; g++) {
        uint64_t of_group = 0;
        const uint32_t first = orr_sys_group_rank(planner, g, sys_position(0)).rank;
        const struct sys_collective request = request_of(trial, planner, orr_slot(first), g);
        status = orr_sys_fold_check(planner, &request, &trial->fold, &of_group, diag);
        *unfoldable |= of_group;
    }
    return status;
}

/* Folds every dimension in which the ranks are equivalent. */
static enum orr_status fold_dims(struct trial *trial, struct orr_diag *diag)
{
    orr_fold_init(&trial->fold, orr_net_npus(&trial->network));
    struct sys *planner = NULL;
    uint64_t unfoldable = 1;
    uint32_t groups;
    if (!has_dims(trial)) {
        return ORR_OK;
    }
    enum orr_status status =
        orr_sys_planner_open(&planner, &trial->config, &trial->network, trial->arena, diag);
    if (status == ORR_OK && (status = add_groups(trial, planner, &groups, diag)) == ORR_OK) {
        planner->up.predict = trial->of->up.predict;
        planner->up.rings_of = trial->of->up.rings_of;
        add_digits(trial, planner);
    }
    while (status == ORR_OK && unfoldable != 0) {
        orr_fold_finish(&trial->fold);
        status = check_groups(trial, planner, &unfoldable, diag);
        for (unsigned i = 0; i < trial->fold.digits; i++) {
            trial->fold.digit[i].folded = trial->fold.digit[i].folded && (unfoldable >> i & 1) == 0;
        }
    }
    orr_fold_finish(&trial->fold);
    trial->network.fold = trial->fold.none ? NULL : &trial->fold;
    return status;
}

/* ---- running ---- */

static void on_done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct trial *trial = context;
    (void)npu;
    (void)cookie;
    trial->end_ps = orr_evq_now(trial->queue);
}

static void start_all(struct trial *trial, uint32_t group)
{
    const struct sys_group *members = trial->sys->all.groups[group];
    for (uint32_t i = 0; i < members->members; i++) {
        const struct orr_slot npu = sys_slot_of_member(members, sys_member_id(i));
        const struct sys_collective request = request_of(trial, trial->sys, npu, group);
        orr_sys_collective_start(trial->sys, &request);
        orr_evq_flush(trial->queue, npu.slot);
    }
}

static enum orr_status run_until(struct trial *trial, sim_time limit_ps, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    bool empty = false;
    while (status == ORR_OK && !empty && orr_evq_now(trial->queue) < limit_ps) {
        status = orr_evq_run_some(trial->queue, SLICE, &empty, diag);
    }
    trial->end_ps = empty ? trial->end_ps : ORR_TIME_MAX;
    return status;
}

static enum orr_status simulate(struct trial *trial, sim_time limit_ps, struct orr_diag *diag)
{
    const struct sys_listener listener = {.context = trial, .done = on_done};
    uint32_t groups;
    enum orr_status status =
        orr_net_create(&trial->net, &trial->network, trial->queue, trial->arena, diag);
    if (status == ORR_OK) {
        status =
            orr_sys_open(&trial->sys, &trial->config, trial->net, trial->queue, trial->arena, diag);
    }
    if (status == ORR_OK) {
        trial->sys->up.predict = trial->of->up.predict;
    }
    if (status == ORR_OK && (status = add_groups(trial, trial->sys, &groups, diag)) == ORR_OK) {
        orr_sys_set_listener(trial->sys, &listener);
        for (uint32_t g = trial->partial ? 1 : 0; g < groups; g++) {
            start_all(trial, g);
        }
        status = run_until(trial, limit_ps, diag);
    }
    orr_sys_destroy(trial->sys);
    orr_net_destroy(trial->net);
    return status;
}

/* Upper bound of the members that are simulated. */
static uint32_t simulated(const struct trial *trial)
{
    const uint32_t npus = orr_net_npus(&trial->network);
    const uint32_t slots = trial->network.fold != NULL ? trial->fold.slots : npus;
    uint64_t members = trial->operation->group->size;
    for (uint32_t c = 0; c < companions(trial); c++) {
        members += trial->companions->of[c]->size;
    }
    members = members * slots / npus + 1; /* a group has all of a folded dimension */
    return !trial->partial || members > slots ? slots : (uint32_t)members;
}

static sim_time run_trial(struct trial *trial, struct sys_trial *limits)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    restrict_platform(trial);
    if (fold_dims(trial, &diag) != ORR_OK) {
        return ORR_TIME_MAX;
    }
    limits->npus = trial->partial ? simulated(trial) : 1;
    if (simulated(trial) > limits->max_npus) {
        return -1;
    }
    const struct orr_fold *fold = trial->network.fold;
    trial->queue = orr_evq_create(trial->of->policy->order,
                                  fold != NULL ? fold->slots : orr_net_npus(&trial->network));
    if (trial->queue == NULL || simulate(trial, limits->limit_ps, &diag) != ORR_OK) {
        trial->end_ps = ORR_TIME_MAX;
    }
    orr_evq_destroy(trial->queue);
    return trial->end_ps < limits->limit_ps ? trial->end_ps : ORR_TIME_MAX;
}

sim_time orr_sys_predict_tuning(const struct sys *sys, const struct sys_operation *operation,
                                const struct sys_tuning *tuning, struct sys_trial *limits)
{
    sim_time time = ORR_TIME_MAX;
    struct orr_arena *arena = orr_arena_create();
    struct trial *trial = arena != NULL ? orr_arena_alloc(arena, sizeof *trial) : NULL;
    if (trial != NULL) {
        *trial = (struct trial){.of = sys,
                                .operation = operation,
                                .companions = orr_sys_companions_of(sys, operation->group),
                                .arena = arena,
                                .config = *sys->planning.given,
                                .end_ps = ORR_TIME_MAX};
        trial->config.tuning = tuning;
        time = run_trial(trial, limits);
    }
    orr_arena_destroy(arena);
    return time;
}
