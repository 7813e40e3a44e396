/* Services for the kinds of monolithic all-reduces: messages, events, runs and their end. */
#include "network/net.h"
#include "system/groups/group.h"
#include "system/monolithic/mono_private.h"
#include "system/p2p/p2p.h"
#include "system/state.h"
#include "system/step/stepping.h"
#include "system/sys_config.h"

enum { PART_BITS = 30 };

bool orr_sys_monos_create(struct sys *sys)
{
    sys->monos = orr_arena_alloc(sys->arena, sizeof *sys->monos);
    if (sys->monos != NULL) {
        *sys->monos = (struct sys_monos){.programs = NULL};
        orr_slab_init(&sys->monos->runs, sys->arena, sizeof(struct mono_run));
        orr_slab_init(&sys->monos->messages, sys->arena, orr_mono_message_bytes());
    }
    return sys->monos != NULL;
}

void orr_sys_monos_destroy(struct sys *sys)
{
    if (sys->monos != NULL) {
        orr_mono_programs_free(sys);
    }
}

/* Rank of a member by the user's order. */
static struct orr_rank rank_of(const struct sys_operation *operation, uint32_t member)
{
    const uint32_t *given = operation->group->given;
    return orr_rank(given != NULL ? given[member] : member);
}

static struct sys_member_id member_of(const struct sys *sys, const struct sys_operation *operation,
                                      struct orr_rank rank)
{
    const struct sys_group *group = operation->group;
    return orr_sys_member_at(sys, group, orr_sys_position_in(group, rank));
}

struct sys_mono_counts *orr_mono_counts(const struct sys *sys,
                                        const struct sys_operation *operation)
{
    struct sys_tenant *tenant = sys_tenant_of(sys, rank_of(operation, 0));
    return tenant != NULL ? &tenant->counts.whole : &sys->monos->counts;
}

/* ---- events ---- */

static void post_part(struct sys *sys, sim_time time, struct orr_rank rank,
                      const struct orr_event *what)
{
    struct orr_event event = *what;
    event.entity = sys_slot_of_rank(sys, rank).slot;
    event.kind = EVENT_MONO;
    orr_evq_post(sys->queue, time, &event);
}

static void post_at(struct sys *sys, sim_time time, struct orr_rank rank, uint8_t what,
                    uint64_t label, uint64_t cookie)
{
    post_part(
        sys, time, rank,
        &(struct orr_event){.label = label, .cookie = cookie, .aux = what, .part = ORR_PART_OTHER});
}

static void post(struct sys *sys, struct orr_rank rank, uint8_t what, uint64_t label,
                 uint64_t cookie)
{
    post_at(sys, orr_evq_now(sys->queue), rank, what, label, cookie);
}

void orr_mono_post_send(struct sys *sys, uint32_t handle, uint32_t from, uint32_t part)
{
    const struct sys_operation *operation = mono_run_at(sys, handle)->operation;
    post(sys, rank_of(operation, from), MONO_SEND, operation->label, (uint64_t)handle << 32 | part);
}

/* Runs of an operation may post at the same time: their labels differ, also from that of its end.
 */
void orr_mono_post_acts(struct sys *sys, uint32_t handle)
{
    const struct sys_operation *operation = mono_run_at(sys, handle)->operation;
    for (uint32_t i = 0; i < mono_members(operation); i++) {
        orr_mono_post_act(sys, handle, rank_of(operation, i), i);
    }
}

void orr_mono_post_act(struct sys *sys, uint32_t handle, struct orr_rank rank, uint32_t member)
{
    const struct mono_run *run = mono_run_at(sys, handle);
    post(sys, rank, MONO_ACT, run->operation->label | (run->index + 1),
         (uint64_t)handle << 32 | member);
}

void orr_mono_post_done(struct sys *sys, struct sys_operation *operation, struct orr_rank rank,
                        sim_time delay_ps, unsigned part)
{
    post_part(sys, orr_time_add(orr_evq_now(sys->queue), delay_ps), rank,
              &(struct orr_event){.label = operation->label,
                                  .cookie = (uintptr_t)operation,
                                  .aux = MONO_DONE,
                                  .part = (uint8_t)part});
}

void orr_mono_post_over(struct sys *sys, struct sys_operation *operation, sim_time delay_ps)
{
    post_at(sys, orr_time_add(orr_evq_now(sys->queue), delay_ps), rank_of(operation, 0), MONO_OVER,
            operation->label, (uintptr_t)operation);
}

/* ---- runs ---- */

uint32_t orr_mono_new_run(struct sys *sys, const struct mono_ops *ops,
                          struct sys_operation *operation)
{
    const uint32_t handle = orr_slab_new(&sys->monos->runs);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return SYS_NONE;
    }
    *mono_run_at(sys, handle) =
        (struct mono_run){.operation = operation, .ops = ops, .index = operation->runs++};
    operation->runs_left++;
    return handle;
}

void orr_mono_end_run(struct sys *sys, uint32_t handle)
{
    struct sys_operation *operation = mono_run_at(sys, handle)->operation;
    orr_slab_free(&sys->monos->runs, handle);
    if (--operation->runs_left == 0) {
        orr_mono_end(sys, operation, !mono_by_insertion(sys));
    }
}

/* ---- the end ---- */

void orr_mono_member_done(struct sys *sys, struct sys_operation *operation, struct orr_rank rank)
{
    sys->up.mono_done(sys, operation, member_of(sys, operation, rank));
}

/* The operation is freed with its last member. */
void orr_mono_end(struct sys *sys, struct sys_operation *operation, bool later)
{
    const uint32_t members = mono_members(operation);
    for (uint32_t i = 0; i < members; i++) {
        const struct orr_rank rank = rank_of(operation, i);
        if (later) {
            post(sys, rank, MONO_DONE, operation->label, (uintptr_t)operation);
        } else {
            orr_mono_member_done(sys, operation, rank);
        }
    }
}

/* ---- messages ---- */

struct net_ends orr_mono_pair(const struct sys_operation *operation, const struct mono_send *send)
{
    return (struct net_ends){.src = rank_of(operation, send->from),
                             .dst = rank_of(operation, send->to),
                             .channel = send->channel};
}

void orr_mono_send(struct sys *sys, uint32_t run, const struct mono_send *send)
{
    const struct net_ends ends = orr_mono_pair(mono_run_at(sys, run)->operation, send);
    orr_mono_send_between(sys, run, &ends, send);
}

void orr_mono_send_between(struct sys *sys, uint32_t run, const struct net_ends *ends,
                           const struct mono_send *send)
{
    const struct sys_operation *operation = mono_run_at(sys, run)->operation;
    const struct orr_rank src = ends->src, dst = ends->dst;
    const bool keyed = sys->policy->key_by_start;
    if (send->part >> PART_BITS != 0) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
        return;
    }
    sys_count_messages(sys, src, 1);
    const uint64_t cookie = (uint64_t)run << 32 | (uint64_t)send->part << 2 | 2;
    const struct net_msg msg = {
        .src = src,
        .dst = dst,
        .bytes = send->bytes,
        .order = sys->config->port_order != SYS_BY_AGE
                     ? operation->bytes
                     : orr_sys_member_order(
                           sys, &operation->member[member_of(sys, operation, src).member]),
        .label = keyed ? orr_sys_route_key(sys, src)
                 : send->hold_ps != 0
                     ? operation->label /* the destination differs within a class */
                     : orr_p2p_label(sys, src, dst),
        .cookie = cookie,
        .channel = send->channel,
        .stream = operation->port_stream,
        .hold_ps = send->hold_ps,
        .at_once = send->hold_ps != 0,
        .backwards = send->backwards,
        .source_cookie = send->reports_sent ? cookie : 1,
        .keyed = keyed,
        .sent_at_end = true};
    net_send(sys->net, &msg);
}

void orr_mono_send_round(struct sys *sys, uint32_t run, struct net_round *round, uint32_t messages,
                         const struct mono_send *first)
{
    const struct net_ends pair = orr_mono_pair(mono_run_at(sys, run)->operation, first);
    sys_count_messages(sys, pair.src, messages);
    const struct net_msg msg = {.src = pair.src,
                                .dst = pair.dst,
                                .bytes = first->bytes,
                                .label = orr_sys_route_keys(sys, pair.src, messages),
                                .cookie = (uint64_t)run << 32 | 2,
                                .source_cookie = 1,
                                .channel = first->channel,
                                .keyed = true,
                                .sent_at_end = true};
    sys->net->ops->rounds->send(sys->net, round, &msg);
}
