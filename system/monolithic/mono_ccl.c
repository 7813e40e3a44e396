/* Collectives by the CCL's cost model (system/ccl/). When the last member has started, each member
 * occupies its ports inside the node and between nodes for the time that the model gives its bytes,
 * in slices that queue at the ports like all messages. When all slices have passed, the time of the
 * steps and the launch follows. So a collective alone takes the time of the model, and concurrent
 * collectives share the ports. On a graph, which has none, it takes that time by itself.
 *
 * All members behave the same, roots too, so their classes fold. */
#include "network/coordinates.h"
#include "network/net_dims.h"
#include "system/ccl/ccl.h"
#include "system/groups/group.h"
#include "system/monolithic/mono_private.h"
#include "system/plan/planning.h"
#include "system/state.h"
#include "system/sys_groups.h"
#include "system/sys_mono.h"
#include "system/sys_position.h"

enum { MAX_SLICES = 1024 };
static const sim_time min_slice_ps = 100 * ORR_PS_PER_US;

struct mono_ccl {
    struct sys_ccl_choice choice;
    sim_time after_ps; /* time of steps and launch */
};

/* ---- messages ---- */

/* A member's bytes and time on a dimension, divided among its ports. */
struct part {
    unsigned dim;
    uint32_t ports;
    double hold_s, bytes;
};

static uint32_t stride_of(const struct net_config *network, unsigned dim)
{
    uint32_t stride = 1;
    for (unsigned d = 0; d < dim; d++) {
        stride *= network->dim[d].npus;
    }
    return stride;
}

/* The rank at an offset along the dimension. */
static struct orr_rank along(const struct net_config *network, unsigned dim, struct orr_rank rank,
                             uint32_t offset)
{
    return orr_rank(orr_net_ahead(&network->dim[dim], stride_of(network, dim), rank.rank, offset));
}

/* Offset to the nearest member below the last one of a mesh. */
static uint32_t offset_down(const struct sys *sys, const struct sys_group *group, unsigned dim,
                            struct orr_rank rank)
{
    const struct net_config *network = sys->net->config;
    uint32_t offset = network->dim[dim].npus - 1;
    while (!sys_in_group(orr_sys_position_in(group, along(network, dim, rank, offset)))) {
        offset--; /* ends at the member that comes next around */
    }
    return offset;
}

/* Offset to the next member along the dimension; at the end of a mesh to the one before. If the
 * rank is alone in its line: offset to the coordinate of the next member in the group's order with
 * another coordinate. */
static uint32_t next_offset(const struct sys *sys, const struct sys_group *group, unsigned dim,
                            struct orr_rank rank)
{
    const struct net_config *network = sys->net->config;
    const uint32_t n = network->dim[dim].npus, stride = stride_of(network, dim);
    const uint32_t position = orr_sys_position_in(group, rank).position;
    for (uint32_t offset = 1; offset < n; offset++) {
        if (sys_in_group(orr_sys_position_in(group, along(network, dim, rank, offset)))) {
            const bool around = rank.rank / stride % n + offset >= n;
            return around && network->dim[dim].block == NET_MESH
                       ? offset_down(sys, group, dim, rank)
                       : offset;
        }
    }
    for (uint32_t i = 1; i < group->size; i++) {
        const uint32_t other =
            sys_rank_at(group, sys_position((position + i) % group->size)).rank / stride % n;
        const uint32_t position_in_dim = rank.rank / stride % n;
        if (other != position_in_dim) {
            return other > position_in_dim ? other - position_in_dim : other + n - position_in_dim;
        }
    }
    return 1;
}

struct port_target {
    uint32_t offset;
    bool backwards;
};

static bool has_one_port(const struct net_dim *dim)
{
    return dim->per_npu || dim->block == NET_SWITCH;
}

static uint32_t max_ports(const struct net_dim *dim)
{
    return has_one_port(dim) ? 1 : net_passes_on(dim->block) ? 2 : dim->npus - 1;
}

/* Whether the member's port leads to a member of the group: only links between all pairs may lead
 * elsewhere, and those at the ends of a mesh nowhere. */
static bool port_is_in_group(const struct sys *sys, const struct sys_group *group, unsigned dim,
                             struct orr_rank rank, uint32_t index)
{
    const struct net_dim *at = &sys->net->config->dim[dim];
    const uint32_t coordinate = rank.rank / stride_of(sys->net->config, dim) % at->npus;
    if (at->block == NET_MESH && !has_one_port(at)) {
        return index == 0 ? coordinate + 1 < at->npus : coordinate > 0;
    }
    return has_one_port(at) || net_passes_on(at->block) ||
           sys_in_group(orr_sys_position_in(group, along(sys->net->config, dim, rank, index + 1)));
}

/* Destination of the member's port. */
static struct port_target port_to(const struct sys *sys, const struct sys_group *group,
                                  unsigned dim, struct orr_rank rank, uint32_t index)
{
    const struct net_dim *at = &sys->net->config->dim[dim];
    if (at->block == NET_MESH && !has_one_port(at)) {
        return (struct port_target){.offset = index == 0 ? 1 : at->npus - 1};
    }
    if (at->block == NET_RING) {
        return (struct port_target){.offset = index == 0 ? 1 : at->npus - 1,
                                    .backwards = index == 1};
    }
    return (struct port_target){.offset = has_one_port(at) ? next_offset(sys, group, dim, rank)
                                                           : index + 1};
}

static uint32_t slices_of(const struct sys *sys, sim_time hold_ps)
{
    const sim_time slices = hold_ps / min_slice_ps;
    const uint32_t max = sys->config->chunks < MAX_SLICES ? sys->config->chunks : MAX_SLICES;
    return slices < 1 ? 1 : slices < (sim_time)max ? (uint32_t)slices : max;
}

/* Sends through one port in slices; returns their number. */
static uint32_t send_slices(struct sys *sys, uint32_t run, const struct net_ends *ends,
                            const struct part *part, bool backwards)
{
    const sim_time hold_ps = orr_time_of_seconds(part->hold_s);
    const uint64_t bytes = (uint64_t)(part->bytes / part->ports);
    const uint32_t slices = slices_of(sys, hold_ps);
    for (uint32_t i = 0; i < slices; i++) {
        orr_mono_send_between(
            sys, run, ends,
            &(struct mono_send){.part = i,
                                .backwards = backwards,
                                .bytes = bytes / slices + (i < bytes % slices ? 1 : 0),
                                .hold_ps = hold_ps / slices + (i < hold_ps % slices ? 1 : 0)});
    }
    return slices;
}

static void send_part(struct sys *sys, uint32_t run, struct orr_rank rank, struct part *part)
{
    const struct sys_group *group = mono_run_at(sys, run)->operation->group;
    const struct net_config *network = sys->net->config;
    const uint32_t max = max_ports(&network->dim[part->dim]);
    part->ports = 0;
    for (uint32_t i = 0; i < max; i++) {
        part->ports += port_is_in_group(sys, group, part->dim, rank, i) ? 1 : 0;
    }
    for (uint32_t i = 0; i < max; i++) {
        if (port_is_in_group(sys, group, part->dim, rank, i)) {
            const struct port_target port_target = port_to(sys, group, part->dim, rank, i);
            const struct net_ends ends = {
                .src = rank, .dst = along(network, part->dim, rank, port_target.offset)};
            mono_run_at(sys, run)->flows +=
                send_slices(sys, run, &ends, part, port_target.backwards);
        }
    }
}

/* ---- a collective ---- */

static struct orr_rank rank_of(const struct sys *sys, const struct sys_operation *operation,
                               uint32_t member)
{
    return orr_sys_rank_of_slot(sys, sys_slot_of_member(operation->group, sys_member_id(member)));
}

/* The members' events of an instant commute: they count up, and down after all have counted up. */
static void act(struct sys *sys, uint32_t handle, uint32_t member)
{
    const struct sys_operation *operation = mono_run_at(sys, handle)->operation;
    const struct sys_ccl_choice *choice = &mono_run_at(sys, handle)->ccl->choice;
    const struct orr_rank rank = rank_of(sys, operation, member);
    const uint32_t outer_dims = operation->group->shape->outer_dims;
    if (choice->inner_s > 0) {
        struct part part = {.dim = 0, .hold_s = choice->inner_s, .bytes = choice->inner_bytes};
        send_part(sys, handle, rank, &part);
    }
    for (unsigned d = 1; d < sys->net->config->dims && choice->outer_s > 0; d++) {
        if ((outer_dims >> d & 1) != 0) {
            struct part part = {.dim = d, .hold_s = choice->outer_s, .bytes = choice->outer_bytes};
            send_part(sys, handle, rank, &part);
        }
    }
}

static void finish(struct sys *sys, uint32_t handle)
{
    struct sys_operation *operation = mono_run_at(sys, handle)->operation;
    const sim_time after_ps = mono_run_at(sys, handle)->ccl->after_ps;
    const uint32_t members = mono_members(operation);
    orr_slab_free(&sys->monos->runs, handle);
    for (uint32_t i = 0; i < members; i++) {
        orr_mono_post_done(sys, operation, rank_of(sys, operation, i), after_ps, ORR_PART_CCL);
    }
}

static void delivered(struct sys *sys, uint32_t handle, uint32_t part)
{
    struct orr_causes *causes = orr_evq_causes(sys->queue);
    struct mono_run *run = mono_run_at(sys, handle);
    (void)part;
    orr_cause_join(causes, &run->last, orr_evq_now(sys->queue), true);
    if (--run->flows == 0) {
        const orr_cause position_in_dim = orr_cause_joined(causes, &run->last);
        finish(sys, handle);
        orr_cause_leave(causes, position_in_dim);
    }
}

static void start(struct sys *sys, struct sys_operation *operation)
{
    struct mono_ccl *ccl = orr_arena_alloc(operation->arena, sizeof *ccl);
    const uint32_t handle = orr_mono_new_run(sys, &orr_mono_ccl, operation);
    const struct sys_ccl_request request = {operation->kind, operation->bytes, operation->tokens};
    if (ccl == NULL || handle == SYS_NONE ||
        !orr_sys_group_choice(sys, operation->group, &request, &ccl->choice)) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    const struct sys_ccl_choice *choice = &ccl->choice;
    ccl->after_ps =
        orr_time_of_seconds(choice->latency_s + (operation->launched ? choice->launch_s : 0));
    mono_run_at(sys, handle)->ccl = ccl;
    if (sys->net->config->graph != NULL) { /* no ports to hold */
        ccl->after_ps = orr_time_add(ccl->after_ps, orr_time_of_seconds(choice->transfer_s));
    }
    if (sys->net->config->graph != NULL || (choice->inner_s <= 0 && choice->outer_s <= 0)) {
        finish(sys, handle);
        return;
    }
    for (uint32_t i = 0; i < mono_members(operation); i++) {
        orr_mono_post_act(sys, handle, rank_of(sys, operation, i), i);
    }
}

const struct mono_ops orr_mono_ccl = {.start = start, .delivered = delivered, .act = act};

static const struct sys_mono_kind by_ccl = {.name = "library", .ops = &orr_mono_ccl};

const struct sys_mono orr_sys_mono_by_ccl = {.kind = &by_ccl};
