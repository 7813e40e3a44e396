/* The demand of a strategy: groups of each copy with their servers, and transfers. */
#include <string.h>

#include "core/arena.h"
#include "planner/finder/finder.h"
#include "workload/strategy/demand_total.h"

struct groups {
    struct orr_arena *arena;
    const struct demand_total *total;
    struct finder_group *group;
    uint32_t count;
    uint64_t *transfers;
};

/* Number of rings of a group: one in each copy, or across the copies one for each member. */
static uint32_t rings_of(const struct demand_total *total, const struct demand_group *group)
{
    return group->across ? group->members : total->copies;
}

static uint32_t size_of(const struct demand_total *total, const struct demand_group *group)
{
    return group->across ? total->copies : group->members;
}

static bool add(struct groups *groups, const struct demand_group *group, uint32_t position)
{
    const uint32_t k = groups->total->devices / groups->total->copies;
    const uint32_t members = size_of(groups->total, group);
    uint32_t *member = orr_arena_array(groups->arena, members, sizeof *member);
    if (member == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < members; i++) {
        member[i] =
            group->across ? i * k + group->member[position] : position * k + group->member[i];
    }
    groups->group[groups->count++] = (struct finder_group){
        .member = member,
        .members = members,
        .bytes = group->across ? group->bytes / group->members : group->bytes};
    return true;
}

/* Members of a copy with the same weights do a reduce-scatter of gradients and an all-gather of the
 * sums. */
static void add_exchange(struct groups *groups, const struct demand_group *group)
{
    const struct demand_total *total = groups->total;
    const uint32_t k = total->devices / total->copies;
    const uint64_t bytes = 2 * (group->bytes / group->members);
    for (uint32_t g = 0; g < total->copies; g++) {
        for (uint32_t i = 0; i < group->members; i++) {
            for (uint32_t j = 0; j < group->members; j++) {
                const size_t from = (size_t)g * k + group->member[i];
                const size_t to = (size_t)g * k + group->member[j];
                groups->transfers[from * total->devices + to] += i != j ? bytes : 0;
            }
        }
    }
}

static bool add_all(struct groups *groups)
{
    const struct demand_total *total = groups->total;
    bool ok = true;
    for (uint32_t i = 0; i < total->groups && ok; i++) {
        const struct demand_group *group = &total->group[i];
        const uint32_t rings = size_of(total, group) > 1 ? rings_of(total, group) : 0;
        for (uint32_t r = 0; r < rings && ok; r++) {
            ok = add(groups, group, r);
        }
        if (group->across) {
            add_exchange(groups, group);
        }
    }
    return ok;
}

enum orr_status orr_finder_demand(struct orr_arena *arena, const struct demand_total *total,
                                  struct finder_demand *out, struct orr_diag *diag)
{
    const size_t cells = (size_t)total->devices * total->devices;
    size_t max = 0;
    for (uint32_t i = 0; i < total->groups; i++) {
        max += rings_of(total, &total->group[i]);
    }
    struct groups groups = {.arena = arena,
                            .total = total,
                            .group = orr_arena_array(arena, max, sizeof *groups.group),
                            .transfers = orr_arena_array(arena, cells, sizeof *groups.transfers)};
    if (groups.group == NULL || groups.transfers == NULL) {
        return orr_diag_no_memory(diag, "the demand of a strategy");
    }
    memcpy(groups.transfers, total->transfers, cells * sizeof *groups.transfers);
    if (!add_all(&groups)) {
        return orr_diag_no_memory(diag, "the demand of a strategy");
    }
    *out = (struct finder_demand){.servers = total->devices,
                                  .group = groups.group,
                                  .groups = groups.count,
                                  .transfers = groups.transfers};
    return ORR_OK;
}
