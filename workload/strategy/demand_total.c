/* See demand_total.h. */
#include "workload/strategy/demand_total.h"

#include <inttypes.h>
#include <string.h>

#include "workload/strategy/demand.h"

struct totals {
    struct orr_arena *arena;
    struct demand_total *out;
    struct demand_group *group;
    size_t room;
    uint32_t *slot; /* [slots] of a hash of groups, plus one; 0: free */
    uint32_t slots;
    bool one_way; /* what goes along edges does not come back */
    bool failed;
};

static void add_transfer(void *context, const struct demand_transfer *transfer)
{
    const struct totals *totals = context;
    struct demand_total *out = totals->out;
    const uint32_t k = out->devices / out->copies;
    for (uint32_t g = 0; g < out->copies && transfer->bytes != 0; g++) {
        const size_t from = (size_t)g * k + transfer->from, to = (size_t)g * k + transfer->to;
        out->transfers[from * out->devices + to] += transfer->bytes;
        out->transfers[to * out->devices + from] += totals->one_way ? 0 : transfer->bytes;
        out->transfer_bytes += (totals->one_way ? 1 : 2) * transfer->bytes;
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

static bool new_group(struct totals *totals, const struct demand_reduce *reduce, uint32_t *slot)
{
    const uint32_t number = totals->out->groups;
    uint32_t *member = orr_arena_array(totals->arena, reduce->members, sizeof *member);
    struct demand_group *grown = orr_arena_grow(totals->arena, totals->group, &totals->room,
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
        totals->failed |= !new_group(totals, reduce, slot);
    }
    if (!totals->failed) {
        totals->group[*slot - 1].bytes += reduce->bytes;
        totals->group[*slot - 1].tensors++;
        totals->out->reduce_bytes += reduce->bytes;
    }
}

/* ---- the sum ---- */

static void find_largest(struct demand_total *out)
{
    for (size_t i = 0; i < (size_t)out->devices * out->devices; i++) {
        if (out->transfers[i] > out->largest_bytes) {
            out->largest_bytes = out->transfers[i];
        }
    }
}

enum orr_status orr_demand_total(struct orr_arena *arena, const struct model_graph *model,
                                 const struct strategy *strategy, struct demand_total *out,
                                 struct orr_diag *diag)
{
    struct totals totals = {.arena = arena, .out = out, .one_way = model->lists_gradients};
    struct demand demand;
    *out = (struct demand_total){.devices = strategy->devices, .copies = strategy->copies};
    if (strategy->devices > DEMAND_MOST_DEVICES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the bytes between devices: expected at most %d devices, got %" PRIu32,
                             DEMAND_MOST_DEVICES, strategy->devices);
    }
    out->transfers =
        orr_arena_array(arena, (size_t)out->devices * out->devices, sizeof *out->transfers);
    if (out->transfers == NULL || !orr_demand_init(arena, model, strategy, &demand)) {
        return orr_diag_no_memory(diag, "the bytes between devices");
    }
    for (uint32_t edge = 0; edge < model->edges; edge++) {
        orr_demand_edge(&demand, edge, add_transfer, &totals);
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        orr_demand_reduces(&demand, op, add_reduce, &totals);
    }
    out->group = totals.group;
    orr_heap_free(totals.slot);
    find_largest(out);
    return totals.failed ? orr_diag_no_memory(diag, "the bytes between devices") : ORR_OK;
}
