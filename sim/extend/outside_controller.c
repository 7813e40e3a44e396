/* A controller of circuits from outside. What it decides is checked (network/optical/circuits.h).
 */
#include "core/arena.h"
#include "network/optical/circuits.h"
#include "sim/extend/extend_private.h"
#include "sim/extend/outside_slots.h"

/* An entry of the list of controllers. */
struct outside_controller {
    struct net_circuits_ops ops;
    const struct orrery_controller *given;
};

static void decide(size_t slot, const struct net_circuits_view *view, uint16_t *set)
{
    const struct outside_controller *entry = orr_extension_of_slot(ORR_EXTENSION_CONTROLLER, slot);
    const struct orrery_circuits_view seen = {.nodes = view->nodes,
                                              .ports = view->ports,
                                              .duplex = view->duplex,
                                              .now_ps = view->now,
                                              .offered = view->offered,
                                              .waiting = view->waiting,
                                              .total = view->total,
                                              .present = view->present};
    entry->given->decide(entry->given->user, &seen, set);
}

#define SLOT(slot)                                                                                 \
    static void decide_##slot(const struct net_circuits_view *view, uint16_t *set)                 \
    {                                                                                              \
        decide(slot, view, set);                                                                   \
    }
ORR_OUTSIDE_SLOTS(SLOT)
#undef SLOT

static void (*const decides[])(const struct net_circuits_view *view, uint16_t *set) = {
#define SLOT(slot) decide_##slot,
    ORR_OUTSIDE_SLOTS(SLOT)
#undef SLOT
};
_Static_assert(sizeof decides / sizeof *decides == ORR_MAX_EXTENSIONS, "a function for each slot");

void *orr_outside_controller_create(const struct orrery_controller *given, size_t slot)
{
    struct outside_controller *entry = orr_heap_calloc(1, sizeof *entry);
    if (entry != NULL) {
        entry->given = given;
        entry->ops = (struct net_circuits_ops){.name = given->name,
                                               .summary = given->summary,
                                               .decide = decides[slot],
                                               .is_checked = true};
    }
    return entry;
}
