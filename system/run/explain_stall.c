/* Checks what can run, and describes what unfinished operations wait for. */
#include <stdio.h>
#include <string.h>

#include "core/fold.h"
#include "network/capacity_changes.h"
#include "network/flows/flows.h"
#include "system/collectives/program.h"
#include "system/custom_program.h"
#include "system/groups/group.h"
#include "system/p2p/p2p.h"
#include "system/plan/operation.h"
#include "system/plan/planning.h"
#include "system/run/running.h"
#include "system/state.h"
#include "system/step/stepping.h"
#include "system/sys_config.h"
#include "system/sys_groups.h"
#include "system/sys_mono.h"
#include "system/sys_position.h"
#include "system/sys_waits.h"

/* A smaller group runs the programs of its positions, which must name no other positions. */
static enum orr_status check_custom(const struct sys_custom *custom, const struct sys_group *group,
                                    struct orr_diag *diag)
{
    if (custom->ranks < group->size) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "uses the custom collective %s for %u ranks in a group of %u",
                             custom->name, custom->ranks, group->size);
    }
    const uint32_t reach = custom->reach[group->size - 1];
    return reach < group->size
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "uses the custom collective %s, which names the position %u, in the "
                               "group \"%s\" of %u ranks",
                               custom->name, reach, group->name, group->size);
}

enum orr_status orr_sys_collective_check(struct sys *sys, const struct sys_collective *request,
                                         struct orr_diag *diag)
{
    const struct sys_group *group = sys->all.groups[request->group];
    const bool rooted = request->kind >= COLL_BROADCAST && request->kind <= COLL_SCATTER;
    if (rooted && !sys_in_group(orr_sys_group_position(sys, request->group, request->root))) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "has the root %u, which is not in the communicator group \"%s\"",
                             request->root.rank, group->name);
    }
    const struct sys_custom *custom =
        request->kind < SYS_LISTED_KINDS ? sys->config->algorithms[request->kind].custom : NULL;
    const enum orr_status fits = custom != NULL ? check_custom(custom, group, diag) : ORR_OK;
    if (fits != ORR_OK) {
        return fits;
    }
    orr_sys_labels_announce(sys, request);
    if (sys_mono_of(sys, request) != NULL) {
        return request->kind == COLL_ALL_REDUCE || sys_by_ccl(sys_mono_of(sys, request))
                   ? ORR_OK
                   : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                   "is set to be monolithic, but only all-reduces can be");
    }
    return orr_sys_plan_check(sys, request, diag);
}

static struct sys_operation *find(const struct sys_group *group, uint32_t ordinal)
{
    for (struct sys_operation *operation = group->operations; operation != NULL;
         operation = operation->next) {
        if (operation->ordinal == ordinal) {
            return operation;
        }
    }
    return NULL;
}

/* A collective as seen by a rank. With a fold, the operation is that of the representatives, and
 * the rank's own group is another group of the same name. */
struct rank_view {
    const struct sys *sys;
    struct sys_operation *operation;
    const struct sys_group *group;
};

static const struct sys_group *group_of(const struct sys *sys, uint32_t group, struct orr_rank rank)
{
    if (sys_in_group(orr_sys_group_position(sys, group, rank))) {
        return sys->all.groups[group];
    }
    const uint32_t own = orr_sys_group_find(sys, sys->all.groups[group]->name, rank);
    return sys->all.groups[own != SYS_NONE ? own : group];
}

/* The member at a position of the view's group, or NULL. */
static const struct sys_member *member_of(const struct rank_view *rank_view,
                                          struct sys_position position)
{
    const struct sys_group *group = rank_view->operation->group;
    const struct orr_slot slot =
        sys_slot_of_rank(rank_view->sys, sys_rank_at(rank_view->group, position));
    const struct sys_position at =
        orr_sys_position_in(group, orr_sys_rank_of_slot(rank_view->sys, slot));
    return sys_in_group(at)
               ? &rank_view->operation->member[orr_sys_member_at(rank_view->sys, group, at).member]
               : NULL;
}

static const char *any_started(const struct rank_view *rank_view, struct orr_rank *npu)
{
    for (uint32_t i = 0; i < rank_view->group->size; i++) {
        const struct sys_member *member = member_of(rank_view, sys_position(i));
        if (member != NULL && member->started) {
            *npu = sys_rank_at(rank_view->group, sys_position(i));
            return member->name;
        }
    }
    return NULL;
}

/* Lists the members that have not started it, as "NPU 3, NPU 5, ..."; returns the first, or
 * SYS_NONE. */
static struct orr_rank list_missing(const struct rank_view *rank_view, char *text, size_t bytes)
{
    size_t used = 0;
    unsigned shown = 0, missing = 0;
    struct orr_rank first = orr_rank(SYS_NONE);
    for (uint32_t i = 0; i < rank_view->group->size; i++) {
        const struct sys_member *member = member_of(rank_view, sys_position(i));
        if (member == NULL || member->started) {
            continue;
        }
        const struct orr_rank npu = sys_rank_at(rank_view->group, sys_position(i));
        first = first.rank == SYS_NONE ? npu : first;
        if (++missing <= 4 && used < bytes) {
            shown++;
            used += (size_t)snprintf(text + used, bytes - used, "%sNPU %u", shown > 1 ? ", " : "",
                                     npu.rank);
        }
    }
    if (missing > shown && used < bytes) {
        (void)snprintf(text + used, bytes - used, " and %u more", missing - shown);
    }
    return first;
}

/* The missing members, cached in the operation: they are the same for all members. */
static const struct sys_missing *missing_of(const struct rank_view *rank_view)
{
    struct sys_operation *operation = rank_view->operation;
    if (operation->missing == NULL) {
        operation->missing = orr_arena_alloc(operation->arena, sizeof *operation->missing);
    }
    if (operation->missing != NULL && operation->missing->of != rank_view->group) {
        struct sys_missing *missing = operation->missing;
        missing->of = rank_view->group;
        missing->text[0] = '\0';
        missing->first = list_missing(rank_view, missing->text, sizeof missing->text);
    }
    return operation->missing;
}

/* The NPU's request does not match the one that others started. */
static void explain_mismatch(const struct rank_view *rank_view,
                             const struct sys_collective *request, char *text, size_t bytes)
{
    struct orr_rank other = orr_rank(0);
    char roots[64] = "";
    const struct sys_operation *operation = rank_view->operation;
    const struct orr_rank root = sys_rank_at(operation->group, operation->root);
    const bool rooted = operation->kind >= COLL_BROADCAST && operation->kind <= COLL_SCATTER;
    if (rooted && request->kind == operation->kind && request->root.rank != root.rank) {
        (void)snprintf(roots, sizeof roots, " with root %u, not %u", root.rank, request->root.rank);
    }
    const char *name = any_started(rank_view, &other);
    (void)snprintf(text, bytes,
                   "it is collective %u of the group \"%s\" here, but on NPU %u that one is %s "
                   "of %llu bytes%s (%s): all ranks of a group must start the same collectives "
                   "in the same order",
                   operation->ordinal + 1, operation->group->name, other.rank,
                   orr_coll_kind_name(operation->kind), (unsigned long long)operation->bytes, roots,
                   name != NULL ? name : "?");
}

/* Ordinal of a collective that the position has started. */
static uint32_t ordinal_of(const struct sys *sys, const struct sys_collective *request,
                           struct sys_position position)
{
    return sys->policy->pair_by_issue
               ? sys->all.groups[request->group]->issued[position.position] - 1
               : request->ordinal;
}

uint64_t orr_sys_collective_progress(const struct sys *sys, const struct sys_collective *request)
{
    const struct sys_group *group = sys->all.groups[request->group];
    const struct sys_position position =
        orr_sys_group_position(sys, request->group, orr_sys_rank_of_slot(sys, request->npu));
    const struct sys_operation *operation = find(group, ordinal_of(sys, request, position));
    return operation == NULL || operation->member == NULL
               ? 0
               : orr_sys_delivered_bytes(
                     operation, &operation->member[orr_sys_member_at(sys, group, position).member]);
}

struct orr_rank orr_sys_explain_collective(const struct sys *sys,
                                           const struct sys_collective *request,
                                           struct orr_rank rank, char *text, size_t bytes)
{
    const struct sys_group *group = sys->all.groups[request->group];
    const struct sys_position position =
        orr_sys_group_position(sys, request->group, orr_sys_rank_of_slot(sys, request->npu));
    const uint32_t ordinal = ordinal_of(sys, request, position);
    const struct rank_view rank_view = {.sys = sys,
                                        .operation = find(group, ordinal),
                                        .group = group_of(sys, request->group, rank)};
    if (rank_view.operation == NULL) {
        (void)snprintf(text, bytes, "collective %u of the group \"%s\"", ordinal + 1, group->name);
        return orr_rank(SYS_NONE);
    }
    if (!rank_view.operation->member[orr_sys_member_at(sys, group, position).member].started) {
        explain_mismatch(&rank_view, request, text, bytes);
        return orr_rank(SYS_NONE);
    }
    const struct sys_missing *missing = missing_of(&rank_view);
    if (rank_view.operation->whole != NULL && missing != NULL && missing->first.rank == SYS_NONE) {
        (void)snprintf(text, bytes, "collective %u of the group \"%s\" is in flight and never ends",
                       ordinal + 1, group->name);
    } else if (missing == NULL || missing->first.rank == SYS_NONE) {
        (void)snprintf(text, bytes, "collective %u of the group \"%s\" waits for messages%s",
                       ordinal + 1, group->name, sys->policy->chunks->stall_hint);
    } else {
        (void)snprintf(text, bytes, "collective %u of the group \"%s\" waits for %s to start it",
                       ordinal + 1, group->name, missing->text);
    }
    return missing != NULL ? missing->first : orr_rank(SYS_NONE);
}

/* ---- unmatched operations ---- */

struct sys_unmatched orr_sys_unmatched(const struct sys *sys)
{
    struct sys_unmatched unmatched = {.sends = orr_p2p_unmatched(sys)};
    for (uint32_t g = 0; g < sys->all.count; g++) {
        for (const struct sys_operation *operation = sys->all.groups[g]->operations;
             operation != NULL; operation = operation->next) {
            unmatched.collectives++;
        }
    }
    return unmatched;
}

static struct sys_operation *nth_operation(const struct sys *sys, uint32_t index)
{
    for (uint32_t g = 0; g < sys->all.count; g++) {
        for (struct sys_operation *operation = sys->all.groups[g]->operations; operation != NULL;
             operation = operation->next) {
            if (index-- == 0) {
                return operation;
            }
        }
    }
    return NULL;
}

bool orr_sys_unmatched_collective(const struct sys *sys, uint32_t index,
                                  struct sys_unmatched_collective *out)
{
    struct sys_operation *operation = nth_operation(sys, index);
    if (operation == NULL) {
        return false;
    }
    const struct rank_view rank_view = {
        .sys = sys, .operation = operation, .group = operation->group};
    *out = (struct sys_unmatched_collective){
        .bytes = operation->bytes, .kind = operation->kind, .name = "?"};
    for (uint32_t i = 0; i < operation->group->size; i++) {
        const struct sys_member *member = member_of(&rank_view, sys_position(i));
        if (member != NULL && member->started) {
            out->npu = sys_rank_at(operation->group, sys_position(i));
            out->node_id = member->node_id;
            out->name = member->name;
            break;
        }
    }
    (void)list_missing(&rank_view, out->missing, sizeof out->missing);
    return true;
}

/* Lists the groups' names, for "no such group". */
void orr_sys_group_list(const struct sys *sys, const char *name, char *text, size_t bytes)
{
    if (orr_sys_group_known(sys, name)) {
        (void)snprintf(text, bytes, "this NPU is not one of the group's ranks");
        return;
    }
    size_t used = (size_t)snprintf(text, bytes, "there is no such group; the groups are \"0\"");
    for (uint32_t i = 1; i < sys->all.count && i < 12 && used < bytes; i++) {
        used += (size_t)snprintf(text + used, bytes - used, ", \"%s\"", sys->all.groups[i]->name);
    }
    if (used < bytes) {
        (void)snprintf(text + used, bytes - used, "%s",
                       sys->all.count > 1 ? "" : " (all NPUs) only: give a group file");
    }
}

bool orr_sys_outlasts_time(const struct sys *sys)
{
    return sys->net->ops->stuck != NULL && sys->net->ops->stuck(sys->net).late != 0;
}

void orr_sys_describe_stall(const struct sys *sys, struct orr_diag *diag)
{
    const struct net *net = sys->net;
    if (net->ops->stuck != NULL) {
        orr_net_flows_describe_stall(net->config->graph, net->ops->stuck(net), diag);
    }
    if (net->control != NULL) {
        orr_net_control_describe(net->control, diag);
    }
}
