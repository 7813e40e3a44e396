/* The table of carrying transfers; see lower_carriers.h. */
#include "workload/strategy/lower_carriers.h"

#include "core/arena.h"
#include "core/diag.h"

#include <string.h>

enum { MIN = 64 };

static struct lower_carrier *find(const struct lower_carriers *carriers, uint32_t edge,
                                  uint32_t from_part, uint32_t to_part)
{
    uint64_t hash = edge * UINT64_C(0x9e3779b97f4a7c15) + from_part;
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + to_part;
    hash = (hash ^ hash >> 32) * UINT64_C(0x94d049bb133111eb);
    uint32_t at = (uint32_t)(hash >> 32) & carriers->mask;
    struct lower_carrier *slot = &carriers->slot[at];
    while (slot->task != 0 &&
           (slot->edge != edge || slot->from_part != from_part || slot->to_part != to_part)) {
        at = (at + 1) & carriers->mask;
        slot = &carriers->slot[at];
    }
    return slot;
}

static bool grow(struct lower_carriers *carriers)
{
    struct lower_carriers wider = {.mask =
                                       carriers->slot != NULL ? carriers->mask * 2 + 1 : MIN - 1};
    wider.slot = orr_heap_calloc((size_t)wider.mask + 1, sizeof *wider.slot);
    for (uint32_t i = 0; wider.slot != NULL && carriers->slot != NULL && i <= carriers->mask; i++) {
        const struct lower_carrier *old = &carriers->slot[i];
        if (old->task != 0) {
            *find(&wider, old->edge, old->from_part, old->to_part) = *old;
        }
    }
    if (wider.slot == NULL) {
        return false;
    }
    wider.count = carriers->count;
    orr_heap_free(carriers->slot);
    *carriers = wider;
    return true;
}

void orr_lower_carriers_clear(struct lower_carriers *carriers)
{
    if (carriers->count != 0) {
        memset(carriers->slot, 0, ((size_t)carriers->mask + 1) * sizeof *carriers->slot);
        carriers->count = 0;
    }
}

void orr_lower_carriers_fini(struct lower_carriers *carriers)
{
    orr_heap_free(carriers->slot);
}

bool orr_lower_carriers_add(struct lower_carriers *carriers, const struct demand_transfer *transfer,
                            uint32_t task)
{
    if ((carriers->slot == NULL || carriers->count * 2 > carriers->mask) && !grow(carriers)) {
        return false;
    }
    *find(carriers, transfer->by_edge, transfer->from_part, transfer->by_part) =
        (struct lower_carrier){transfer->by_edge, transfer->from_part, transfer->by_part, task + 1};
    carriers->count++;
    return true;
}

uint32_t orr_lower_carriers_find(const struct lower_carriers *carriers,
                                 const struct demand_transfer *carried)
{
    const struct lower_carrier *slot =
        find(carriers, carried->by_edge, carried->from_part, carried->by_part);
    ORR_ASSERT(slot->task != 0);
    return slot->task - 1;
}
