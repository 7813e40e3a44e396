/* Simulates a collective alone with a given tuning, folded, on the dimensions of its group only. A
 * part of a ring keeps the whole ring, because its messages pass the other NPUs; a part of another
 * block is equivalent to a smaller block. */
#include <string.h>

#include "system/run/running.h"

/* Instants between checks of the time limit. */
enum { SLICE = 256 };

struct trial {
    const struct sys *of;
    const struct sys_operation *operation;
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

static void restrict_dim(struct trial *trial, unsigned d)
{
    const struct sys_dim *part = &trial->operation->dim[d];
    struct net_dim *dim = &trial->dim[part->queue_dim];
    const struct net_dim *platform = &trial->of->net->config->dim[part->queue_dim];
    if (part->n < platform->npus && platform->block == NET_RING) {
        dim->npus = platform->npus;
        trial->partial = true;
        return;
    }
    dim->npus = part->n;
    if (part->n < platform->npus && platform->block == NET_FULLY_CONNECTED && dim->per_npu &&
        orr_net_backend_find(trial->network.backend)->shares_links) {
        dim->per_npu = false; /* keeps the bandwidth of a link of the full clique */
        dim->bandwidth_bytes_per_s /= platform->npus - 1;
    }
}

/* Whether the group's dimensions can be simulated without the rest of the platform. */
static bool has_dims(const struct trial *trial)
{
    const struct sys_operation *operation = trial->operation;
    for (unsigned d = 0; d < operation->dims; d++) {
        if (operation->dim[d].n > trial->of->net->config->dim[operation->dim[d].queue_dim].npus) {
            return false;
        }
    }
    return !operation->flat && sys_routes_follow_blocks(trial->of->net->config);
}

static void restrict_platform(struct trial *trial)
{
    const struct net_config *platform = trial->of->net->config;
    trial->network = *platform;
    trial->network.fold = NULL;
    if (!has_dims(trial)) {
        trial->partial = trial->operation->group->given != NULL;
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
            restrict_dim(trial, d);
        }
    }
}

/* ---- the group ---- */

/* Distance between neighbors of the group in the platform's dimension. */
static uint32_t spacing(const struct trial *trial, const struct sys_dim *part)
{
    const struct sys_group *group = trial->operation->group;
    const struct net_config *platform = trial->of->net->config;
    uint32_t first[NET_MAX_DIMS], next[NET_MAX_DIMS];
    orr_net_coords(platform, sys_rank_at(group, sys_position(0)).rank, first);
    orr_net_coords(platform, sys_rank_at(group, sys_position(part->stride)).rank, next);
    return next[part->queue_dim] - first[part->queue_dim];
}

/* Rank of a member in the restricted platform. */
static uint32_t rank_in(const struct trial *trial, uint32_t member, const uint32_t *space)
{
    uint32_t coords[NET_MAX_DIMS] = {0};
    for (unsigned d = 0; d < trial->operation->dims; d++) {
        const struct sys_dim *part = &trial->operation->dim[d];
        if (sys_takes_part(trial->operation, d)) {
            coords[part->queue_dim] = member % part->n * space[d];
            member /= part->n;
        }
    }
    return orr_net_rank(&trial->network, coords);
}

static uint32_t members_of(const struct sys_operation *operation)
{
    uint32_t members = 1;
    for (unsigned d = 0; d < operation->dims; d++) {
        members *= sys_takes_part(operation, d) ? operation->dim[d].n : 1;
    }
    return members;
}

static enum orr_status add_part(struct trial *trial, uint32_t *group, struct orr_diag *diag)
{
    const uint32_t members = members_of(trial->operation);
    uint32_t *ranks = orr_arena_array(trial->arena, members, sizeof *ranks);
    uint32_t space[SYS_MAX_DIMS];
    if (ranks == NULL) {
        return orr_diag_no_memory(diag, "a group");
    }
    for (unsigned d = 0; d < trial->operation->dims; d++) {
        const struct sys_dim *part = &trial->operation->dim[d];
        const bool restricted =
            sys_takes_part(trial->operation, d) && trial->dim[part->queue_dim].npus != part->n;
        space[d] = restricted ? spacing(trial, part) : 1;
    }
    for (uint32_t i = 0; i < members; i++) {
        ranks[i] = rank_in(trial, i, space);
    }
    return orr_sys_group_add(trial->sys, "alone", ranks, members, group, diag);
}

static enum orr_status add_group(struct trial *trial, uint32_t *group, struct orr_diag *diag)
{
    *group = 0;
    if (!trial->partial) {
        return ORR_OK;
    }
    return has_dims(trial) ? add_part(trial, group, diag)
                           : orr_sys_group_add(trial->sys, "alone", trial->operation->group->given,
                                               trial->operation->group->size, group, diag);
}

/* ---- the fold ---- */

static struct sys_collective request_of(const struct trial *trial, struct orr_slot npu,
                                        uint32_t group)
{
    const struct sys_operation *operation = trial->operation;
    const bool same = !has_dims(trial); /* ranks stay as they are */
    return (struct sys_collective){
        .npu = npu,
        .group = group,
        .kind = operation->kind,
        .bytes = operation->bytes,
        .root = same ? sys_rank_at(operation->group, operation->root)
                     : orr_sys_group_rank(trial->sys, group, sys_position(0)),
        .dim_mask = same ? operation->dim_mask : UINT32_MAX};
}

/* Folds every dimension in which the ranks are equivalent. */
static enum orr_status fold_dims(struct trial *trial, struct orr_diag *diag)
{
    orr_fold_init(&trial->fold, orr_net_npus(&trial->network));
    struct sys *planner = NULL;
    enum orr_status status = ORR_OK;
    uint64_t unfoldable = 1;
    if (trial->partial || !has_dims(trial)) {
        return ORR_OK;
    }
    for (unsigned d = 0; d < trial->network.dims; d++) {
        if (trial->dim[d].npus > 1 && orr_fold_add_digit(&trial->fold, trial->dim[d].npus)) {
            trial->fold.digit[trial->fold.digits - 1].folded = true;
        }
    }
    status = orr_sys_planner_open(&planner, &trial->config, &trial->network, trial->arena, diag);
    if (status == ORR_OK) {
        planner->up.predict = trial->of->up.predict;
        planner->up.rings_of = trial->of->up.rings_of;
    }
    const struct sys_collective request = {
        .kind = trial->operation->kind, .bytes = trial->operation->bytes, .dim_mask = UINT32_MAX};
    while (status == ORR_OK && unfoldable != 0) {
        orr_fold_finish(&trial->fold);
        status = orr_sys_fold_check(planner, &request, &trial->fold, &unfoldable, diag);
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
    const struct sys_group *members = trial->sys->groups[group];
    for (uint32_t i = 0; i < members->members; i++) {
        const struct orr_slot npu = sys_slot_of_member(members, sys_member_id(i));
        const struct sys_collective request = request_of(trial, npu, group);
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
    uint32_t group;
    enum orr_status status =
        orr_net_create(&trial->net, &trial->network, trial->queue, trial->arena, diag);
    if (status == ORR_OK) {
        status =
            orr_sys_open(&trial->sys, &trial->config, trial->net, trial->queue, trial->arena, diag);
    }
    if (status == ORR_OK) {
        trial->sys->up.predict = trial->of->up.predict;
    }
    if (status == ORR_OK && (status = add_group(trial, &group, diag)) == ORR_OK) {
        orr_sys_set_listener(trial->sys, &listener);
        start_all(trial, group);
        status = run_until(trial, limit_ps, diag);
    }
    orr_sys_destroy(trial->sys);
    orr_net_destroy(trial->net);
    return status;
}

static uint32_t simulated(const struct trial *trial)
{
    return trial->network.fold != NULL ? trial->fold.slots : orr_net_npus(&trial->network);
}

static sim_time run_trial(struct trial *trial, sim_time limit_ps, uint32_t max_npus)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    restrict_platform(trial);
    if (fold_dims(trial, &diag) != ORR_OK) {
        return ORR_TIME_MAX;
    }
    const uint32_t slots = simulated(trial);
    if (slots > max_npus) {
        return -1;
    }
    trial->queue = orr_evq_create(trial->of->policy->order, slots);
    if (trial->queue == NULL || simulate(trial, limit_ps, &diag) != ORR_OK) {
        trial->end_ps = ORR_TIME_MAX;
    }
    orr_evq_destroy(trial->queue);
    return trial->end_ps < limit_ps ? trial->end_ps : ORR_TIME_MAX;
}

sim_time orr_sys_predict_tuning(const struct sys *sys, const struct sys_operation *operation,
                                const struct sys_tuning *tuning, sim_time limit_ps,
                                uint32_t max_npus)
{
    sim_time time = ORR_TIME_MAX;
    struct orr_arena *arena = orr_arena_create();
    struct trial *trial = arena != NULL ? orr_arena_alloc(arena, sizeof *trial) : NULL;
    if (trial != NULL) {
        *trial = (struct trial){.of = sys,
                                .operation = operation,
                                .arena = arena,
                                .config = *sys->given,
                                .end_ps = ORR_TIME_MAX};
        trial->config.tuning = tuning;
        time = run_trial(trial, limit_ps, max_npus);
    }
    orr_arena_destroy(arena);
    return time;
}
