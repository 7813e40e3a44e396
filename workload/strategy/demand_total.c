/* Total demand of a strategy; see demand_total.h. */
#include "workload/strategy/demand_total.h"

#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/strategy/demand.h"

struct totals {
    struct orr_arena *arena;
    struct demand_total *out;
    struct demand_group *group;
    size_t capacity;
    uint32_t *slot; /* [slots] hash table of groups: index + 1; 0: free */
    uint32_t slots;
    bool forward_only; /* no gradients go back along edges */
    bool failed;
};

static void add_transfer(void *context, const struct demand_transfer *transfer)
{
    const struct totals *totals = context;
    struct demand_total *out = totals->out;
    const size_t k = out->devices / out->copies, from = transfer->from, to = transfer->to;
    uint64_t *there = &out->transfers[from * k + to], *back = &out->transfers[to * k + from];
    *there = sat_plus(*there, transfer->bytes);
    if (!totals->forward_only) {
        *back = sat_plus(*back, transfer->bytes);
    }
}

/* ---- groups ---- */

static bool same(const struct demand_group *group, const struct demand_reduce *reduce)
{
    return group->members == reduce->members && group->across == reduce->across &&
           memcmp(group->member, reduce->member, reduce->members * sizeof *group->member) == 0;
}

static uint32_t *slot_of(const struct totals *totals, const struct demand_reduce *reduce)
{
    uint64_t hash = reduce->across;
    for (uint32_t i = 0; i < reduce->members; i++) {
        hash = (hash ^ reduce->member[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    uint32_t at = (uint32_t)(hash >> 16) & (totals->slots - 1);
    while (totals->slot[at] != 0 && !same(&totals->group[totals->slot[at] - 1], reduce)) {
        at = (at + 1) & (totals->slots - 1);
    }
    return &totals->slot[at];
}

static bool rehash(struct totals *totals)
{
    const uint32_t slots = totals->slots == 0 ? 64 : totals->slots * 2;
    uint32_t *slot = orr_heap_calloc(slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    orr_heap_free(totals->slot);
    totals->slot = slot;
    totals->slots = slots;
    for (uint32_t i = 0; i < totals->out->groups; i++) {
        const struct demand_group *group = &totals->group[i];
        const struct demand_reduce as = {
            .member = group->member, .members = group->members, .across = group->across};
        *slot_of(totals, &as) = i + 1;
    }
    return true;
}

static bool add_group(struct totals *totals, const struct demand_reduce *reduce, uint32_t *slot)
{
    const uint32_t number = totals->out->groups;
    uint32_t *member = orr_arena_array(totals->arena, reduce->members, sizeof *member);
    struct demand_group *grown = orr_arena_grow(totals->arena, totals->group, &totals->capacity,
                                                (size_t)number + 1, sizeof *grown);
    if (member == NULL || grown == NULL) {
        return false;
    }
    memcpy(member, reduce->member, reduce->members * sizeof *member);
    totals->group = grown;
    grown[number] = (struct demand_group){
        .member = member, .members = reduce->members, .across = reduce->across};
    *slot = ++totals->out->groups;
    return true;
}

static void add_reduce(void *context, const struct demand_reduce *reduce)
{
    struct totals *totals = context;
    if (totals->out->groups * 2 >= totals->slots) {
        totals->failed |= !rehash(totals);
    }
    uint32_t *slot = totals->failed ? NULL : slot_of(totals, reduce);
    if (slot != NULL && *slot == 0) {
        totals->failed |= !add_group(totals, reduce, slot);
    }
    if (!totals->failed) {
        struct demand_group *group = &totals->group[*slot - 1];
        const double copies = totals->out->copies;
        const double around = 2.0 * (copies - 1) / copies * (double)reduce->bytes;
        group->bytes = sat_plus(group->bytes, reduce->bytes);
        group->around = sat_plus(group->around, reduce->across ? sat_integer(around + 0.5) : 0);
        group->tensors++;
        totals->out->reduce_bytes = sat_plus(totals->out->reduce_bytes, reduce->bytes);
    }
}

/* ---- the sum ---- */

static void add_totals(struct demand_total *out, size_t rows)
{
    for (size_t i = 0; i < rows * rows; i++) {
        const uint64_t bytes = out->transfers[i];
        out->transfer_bytes = sat_plus(out->transfer_bytes, bytes);
        out->largest_bytes = bytes > out->largest_bytes ? bytes : out->largest_bytes;
    }
}

static bool add_all(struct totals *totals, const struct model_graph *model, struct demand *demand)
{
    for (uint32_t edge = 0; edge < model->edges; edge++) {
        orr_demand_edge(demand, edge, add_transfer, totals);
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        orr_demand_reduces(demand, op, add_reduce, totals);
    }
    totals->out->group = totals->group;
    orr_heap_free(totals->slot);
    return !totals->failed;
}

enum orr_status orr_demand_of_group(struct orr_arena *arena, const struct model_graph *model,
                                    const struct strategy *strategy, struct demand_total *out,
                                    struct orr_diag *diag)
{
    const uint32_t group = orr_strategy_group(strategy);
    struct totals totals = {.arena = arena, .out = out, .forward_only = model->lists_gradients};
    struct demand demand;
    *out = (struct demand_total){.devices = strategy->devices, .copies = strategy->copies};
    if (group > DEMAND_MAX_DEVICES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the bytes between devices: expected at most %d devices, got %" PRIu32,
                             DEMAND_MAX_DEVICES, group);
    }
    out->transfers = orr_arena_array(arena, (size_t)group * group, sizeof *out->transfers);
    if (out->transfers == NULL || !orr_demand_init(arena, model, strategy, &demand) ||
        !add_all(&totals, model, &demand)) {
        return orr_diag_no_memory(diag, "the bytes between devices");
    }
    add_totals(out, group);
    return ORR_OK;
}

/* Replicates the demand of one group for all groups. */
static void replicate(const struct demand_total *out, const uint64_t *of_group, size_t group)
{
    for (size_t row = 0; row < out->devices; row++) {
        uint64_t *to = &out->transfers[row * out->devices + row / group * group];
        memcpy(to, &of_group[row % group * group], group * sizeof *to);
    }
}

enum orr_status orr_demand_total(struct orr_arena *arena, const struct model_graph *model,
                                 const struct strategy *strategy, struct demand_total *out,
                                 struct orr_diag *diag)
{
    const uint32_t n = strategy->devices;
    if (n > DEMAND_MAX_DEVICES) {
        *out = (struct demand_total){.devices = n, .copies = strategy->copies};
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the bytes between devices: expected at most %d devices, got %" PRIu32,
                             DEMAND_MAX_DEVICES, n);
    }
    const enum orr_status status = orr_demand_of_group(arena, model, strategy, out, diag);
    if (status != ORR_OK || strategy->copies == 1) {
        return status;
    }
    const uint64_t *of_group = out->transfers;
    out->transfers = orr_arena_array(arena, (size_t)n * n, sizeof *out->transfers);
    if (out->transfers == NULL) {
        return orr_diag_no_memory(diag, "the bytes between devices");
    }
    replicate(out, of_group, orr_strategy_group(strategy));
    out->transfer_bytes = sat_times(out->transfer_bytes, strategy->copies);
    return ORR_OK;
}
