/* Replicas of experts and their places; see expert_placement.h. Three times items are packed: by
 * falling weight each to the lightest bin that is not full, the first one of equals. */
#include "workload/experts/expert_placement.h"

#include <stdbool.h>

#include "core/arena.h"
#include "core/diag.h"

struct packing {
    const double *weight; /* [items] */
    uint32_t items, bins;
    uint32_t *bin;      /* [items] result */
    uint32_t *count;    /* [bins] */
    double *bin_weight; /* [bins] */
};

/* The heaviest item that has no bin yet, the first one of equals. */
static uint32_t heaviest(const struct packing *packing)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < packing->items; i++) {
        if (packing->bin[i] == UINT32_MAX &&
            (best == UINT32_MAX || packing->weight[i] > packing->weight[best])) {
            best = i;
        }
    }
    return best;
}

static uint32_t lightest(const struct packing *packing)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t b = 0; b < packing->bins; b++) {
        const bool full = packing->count[b] == packing->items / packing->bins;
        if (!full && (best == UINT32_MAX || packing->bin_weight[b] < packing->bin_weight[best])) {
            best = b;
        }
    }
    return best;
}

static void pack(struct packing *packing)
{
    for (uint32_t i = 0; i < packing->items; i++) {
        packing->bin[i] = UINT32_MAX;
    }
    for (uint32_t b = 0; b < packing->bins; b++) {
        packing->count[b] = 0;
        packing->bin_weight[b] = 0;
    }
    for (uint32_t i = 0; i < packing->items; i++) {
        const uint32_t item = heaviest(packing), bin = lightest(packing);
        packing->bin[item] = bin;
        packing->count[bin]++;
        packing->bin_weight[bin] += packing->weight[item];
    }
}

/* ---- a node ---- */

struct room {
    struct packing packing; /* room for the largest packing */
    double *weight;         /* [places] */
    uint32_t *of_node;      /* [experts] of a node */
    uint32_t *replicas;     /* [experts] of a node */
    uint32_t *place;        /* [places of a node] expert of each replica */
};

/* Adds replicas of the experts with the most load for each. */
static void replicate(const double *load, uint32_t experts, uint32_t places, struct room *room)
{
    for (uint32_t i = 0; i < experts; i++) {
        room->replicas[i] = 1;
        room->place[i] = i;
    }
    for (uint32_t p = experts; p < places; p++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < experts; i++) {
            const double each = load[room->of_node[i]] / room->replicas[i];
            most = each > load[room->of_node[most]] / room->replicas[most] ? i : most;
        }
        room->replicas[most]++;
        room->place[p] = most;
    }
}

/* Packs the replicas of a node to its ranks. */
static void place_node(const struct orr_expert_places *places, uint32_t node, const double *load,
                       struct room *room, uint32_t *expert)
{
    const uint32_t here = places->places / places->nodes, ranks = places->ranks / places->nodes;
    replicate(load, places->experts / places->nodes, here, room);
    for (uint32_t p = 0; p < here; p++) {
        const uint32_t i = room->place[p];
        room->weight[p] = load[room->of_node[i]] / room->replicas[i];
    }
    room->packing.weight = room->weight;
    room->packing.items = here;
    room->packing.bins = ranks;
    pack(&room->packing);
    for (uint32_t r = 0, at = node * here; r < ranks; r++) {
        for (uint32_t p = 0; p < here; p++) {
            if (room->packing.bin[p] == r) {
                expert[at++] = room->of_node[room->place[p]];
            }
        }
    }
}

/* ---- all ---- */

static bool make_room(struct orr_arena *arena, const struct orr_expert_places *places,
                      struct room *room)
{
    const uint32_t items = places->places > places->groups ? places->places : places->groups;
    room->packing.bin = orr_arena_array(arena, items, sizeof *room->packing.bin);
    room->packing.count = orr_arena_array(arena, items, sizeof *room->packing.count);
    room->packing.bin_weight = orr_arena_array(arena, items, sizeof *room->packing.bin_weight);
    room->weight = orr_arena_array(arena, items, sizeof *room->weight);
    room->of_node = orr_arena_array(arena, places->experts, sizeof *room->of_node);
    room->replicas = orr_arena_array(arena, places->experts, sizeof *room->replicas);
    room->place = orr_arena_array(arena, items, sizeof *room->place);
    return room->packing.bin != NULL && room->packing.count != NULL &&
           room->packing.bin_weight != NULL && room->weight != NULL && room->of_node != NULL &&
           room->replicas != NULL && room->place != NULL;
}

/* Groups go to nodes; node_of[groups]. */
static void pack_groups(const struct orr_expert_places *places, const double *load,
                        struct room *room, uint32_t *node_of)
{
    const uint32_t each = places->experts / places->groups;
    for (uint32_t g = 0; g < places->groups; g++) {
        room->weight[g] = 0;
        for (uint32_t i = 0; i < each; i++) {
            room->weight[g] += load[g * each + i];
        }
    }
    room->packing.weight = room->weight;
    room->packing.items = places->groups;
    room->packing.bins = places->nodes;
    pack(&room->packing);
    for (uint32_t g = 0; g < places->groups; g++) {
        node_of[g] = room->packing.bin[g];
    }
}

enum orr_status orr_expert_place(struct orr_arena *arena, const struct orr_expert_places *given,
                                 const double *load, uint32_t *expert, struct orr_diag *diag)
{
    struct orr_expert_places places = *given;
    struct room room;
    if (places.groups % places.nodes != 0) { /* any replica anywhere */
        places.groups = places.nodes = 1;
    }
    uint32_t *node_of = orr_arena_array(arena, places.groups, sizeof *node_of);
    if (!make_room(arena, &places, &room) || node_of == NULL) {
        return orr_diag_no_memory(diag, "the places of experts");
    }
    const uint32_t each = places.experts / places.groups;
    pack_groups(&places, load, &room, node_of);
    for (uint32_t node = 0; node < places.nodes; node++) {
        uint32_t count = 0;
        for (uint32_t g = 0; g < places.groups; g++) {
            for (uint32_t i = 0; i < each && node_of[g] == node; i++) {
                room.of_node[count++] = g * each + i;
            }
        }
        place_node(&places, node, load, &room, expert);
    }
    return ORR_OK;
}
