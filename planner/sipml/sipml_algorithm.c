/* Algorithm 1; see sipml_algorithm.h. */
#include "planner/sipml/sipml_algorithm_private.h"

#include <string.h>

/* ---- devices that meet edges ---- */

/* Adds to `met` of all devices that a parent on `from` allows; their arc goes round the end. */
static void add_arc(struct placing *place, uint32_t from, uint32_t parents)
{
    const struct sipml_limits *limits = place->limits;
    const uint32_t k = limits->devices, width = limits->behind + limits->ahead + 1;
    uint32_t g = from >= limits->behind ? from - limits->behind : from + k - limits->behind;
    for (uint32_t i = 0; i < width; i++) {
        place->met[g] += parents;
        g = g + 1 == k ? 0 : g + 1;
    }
}

static void add_parent(struct placing *place, uint32_t part, uint32_t times)
{
    place->some = place->device[part];
    place->parents += times;
    if (!place->anywhere) {
        add_arc(place, place->device[part], times);
    }
}

/* Counts parents by their devices first: an operator has many on each. */
static void count_all(struct placing *place, struct sipml_range range)
{
    for (uint32_t part = range.first; part < range.end; part++) {
        place->count[place->device[part]]++;
    }
    place->parents += range.end - range.first;
    place->some = place->device[range.first];
}

static void add_counted(struct placing *place)
{
    for (uint32_t g = 0; g < place->limits->devices; g++) {
        if (place->count[g] != 0) {
            add_arc(place, g, place->count[g]);
            place->count[g] = 0;
        }
    }
}

void orr_sipml_begin(struct placing *place, uint32_t op)
{
    const struct sipml_graph *graph = place->graph;
    const uint32_t k = place->limits->devices;
    memset(place->met, 0, k * sizeof *place->met);
    place->parents = 0;
    place->ready = 0;
    for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1]; l++) {
        const struct sipml_link *link = &graph->link[l];
        if (link->kind != SIPML_ALL) {
            continue;
        }
        const sim_time end = link->untimed ? 0 : place->op_end[link->from];
        place->ready = end > place->ready ? end : place->ready;
        if (!place->anywhere) {
            count_all(place, orr_sipml_parents(graph, op, link, 0));
        }
    }
    if (place->parents != 0) {
        add_counted(place);
    }
    place->base = place->parents;
    place->base_some = place->some;
    place->op_end[op] = 0;
}

sim_time orr_sipml_look(struct placing *place, uint32_t op, uint32_t i)
{
    const struct sipml_graph *graph = place->graph;
    sim_time ready = place->ready;
    for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1]; l++) {
        const struct sipml_link *link = &graph->link[l];
        if (link->kind == SIPML_ALL) {
            continue;
        }
        const struct sipml_range range = orr_sipml_parents(graph, op, link, i);
        for (uint32_t part = range.first; part < range.end; part++) {
            add_parent(place, part, 1);
            ready = !link->untimed && place->end[part] > ready ? place->end[part] : ready;
        }
    }
    return ready;
}

void orr_sipml_unlook(struct placing *place, uint32_t op, uint32_t i)
{
    const struct sipml_graph *graph = place->graph;
    for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1] && !place->anywhere;
         l++) {
        const struct sipml_link *link = &graph->link[l];
        const struct sipml_range range = orr_sipml_parents(graph, op, link, i);
        for (uint32_t part = range.first; part < range.end && link->kind != SIPML_ALL; part++) {
            add_arc(place, place->device[part], UINT32_MAX); /* minus one */
        }
    }
    place->parents = place->base;
    place->some = place->base_some;
}

/* ---- the choice ---- */

bool orr_sipml_fits(const struct placing *place, uint32_t op, uint32_t device)
{
    const struct sipml_task *task = &place->graph->task[op];
    const bool has = task->one_shard && place->holding[device] == op + 1;
    const uint64_t more = sat_plus(task->kept_bytes, has ? 0 : task->weights_bytes);
    return place->limits->memory_bytes == 0 ||
           sat_plus(place->held[device], more) <= place->limits->memory_bytes;
}

static bool is_earlier(const struct placing *place, uint32_t g, uint32_t than)
{
    return than == UINT32_MAX || place->avail[g] < place->avail[than] ||
           (place->avail[g] == place->avail[than] && g < than);
}

uint32_t orr_sipml_best(const struct placing *place, uint32_t op)
{
    const struct sipml_limits *limits = place->limits;
    const uint32_t k = limits->devices;
    const bool all = place->anywhere || place->parents == 0;
    const uint32_t count = all ? k : limits->behind + limits->ahead + 1;
    uint32_t best = UINT32_MAX;
    uint32_t g = all                             ? 0
                 : place->some >= limits->behind ? place->some - limits->behind
                                                 : place->some + k - limits->behind;
    for (uint32_t i = 0; i < count; i++) {
        if ((all || place->met[g] == place->parents) && is_earlier(place, g, best) &&
            orr_sipml_fits(place, op, g)) {
            best = g;
        }
        g = g + 1 == k ? 0 : g + 1;
    }
    return best;
}

uint32_t orr_sipml_most_met(const struct placing *place, uint32_t op)
{
    uint32_t best = 0;
    bool best_fits = orr_sipml_fits(place, op, 0);
    for (uint32_t g = 1; g < place->limits->devices; g++) {
        const bool fits = orr_sipml_fits(place, op, g);
        const bool fuller = place->held[g] > place->held[best];
        const bool emptier = place->held[g] < place->held[best];
        const uint32_t met = place->met[g], best_met = place->met[best];
        const bool same = fits == best_fits && met == best_met;
        if ((fits && !best_fits) || (fits == best_fits && met > best_met) ||
            (same && !fits && emptier) ||
            (same && (fits || !fuller) && is_earlier(place, g, best))) {
            best = g;
            best_fits = fits;
        }
    }
    return best;
}

void orr_sipml_put(struct placing *place, uint32_t op, uint32_t i, uint32_t device, sim_time ready)
{
    const struct sipml_task *task = &place->graph->task[op];
    const uint32_t part = place->graph->first_part[op] + i;
    const sim_time begin = place->avail[device] > ready ? place->avail[device] : ready;
    const bool has = task->one_shard && place->holding[device] == op + 1;
    const sim_time end = orr_time_add(begin, task->duration_ps);
    place->device[part] = device;
    place->end[part] = place->avail[device] = end;
    place->op_end[op] = end > place->op_end[op] ? end : place->op_end[op];
    place->held[device] =
        sat_plus(place->held[device], sat_plus(task->kept_bytes, has ? 0 : task->weights_bytes));
    place->holding[device] = op + 1;
    if (task->exchanges && !place->anywhere) {
        add_parent(place, part, 1);
        place->base = place->parents;
        place->base_some = place->some;
    }
}

void orr_sipml_restart(struct placing *place)
{
    const uint32_t k = place->limits->devices;
    memset(place->avail, 0, k * sizeof *place->avail);
    memset(place->held, 0, k * sizeof *place->held);
    memset(place->holding, 0, k * sizeof *place->holding);
}

/* ---- all parts ---- */

static bool prepare(struct orr_arena *arena, const struct sipml_graph *graph,
                    const struct sipml_limits *limits, struct placing *out)
{
    const size_t parts = (size_t)graph->parts + 1, k = limits->devices;
    *out = (struct placing){
        .graph = graph,
        .limits = limits,
        .anywhere = limits->ahead >= limits->devices || limits->behind >= limits->devices ||
                    limits->behind + limits->ahead + 1 >= limits->devices,
        .device = orr_arena_array(arena, parts, sizeof(uint32_t)),
        .end = orr_arena_array(arena, parts, sizeof(sim_time)),
        .op_end = orr_arena_array(arena, (size_t)graph->ops + 1, sizeof(sim_time)),
        .avail = orr_arena_array(arena, k, sizeof(sim_time)),
        .held = orr_arena_array(arena, k, sizeof(uint64_t)),
        .holding = orr_arena_array(arena, k, sizeof(uint32_t)),
        .met = orr_arena_array(arena, k, sizeof(uint32_t)),
        .count = orr_arena_array(arena, k, sizeof(uint32_t)),
        .is_bad = orr_arena_array(arena, parts, sizeof(bool))};
    return out->device != NULL && out->end != NULL && out->op_end != NULL && out->avail != NULL &&
           out->held != NULL && out->holding != NULL && out->met != NULL && out->count != NULL &&
           out->is_bad != NULL;
}

/* Places part i of an operator; false when its repair did not end. */
static bool place_part(struct placing *place, uint32_t op, uint32_t i, struct sipml_places *out)
{
    const sim_time ready = orr_sipml_look(place, op, i);
    uint32_t device = orr_sipml_best(place, op);
    bool met = true;
    if (device == UINT32_MAX) {
        out->repairs++;
        device = orr_sipml_most_met(place, op);
        met = place->anywhere || place->met[device] == place->parents;
    }
    orr_sipml_unlook(place, op, i);
    orr_sipml_put(place, op, i, device, ready);
    return met || orr_sipml_repair(place, op, i, &out->rounds);
}

bool orr_sipml_algorithm(struct orr_arena *arena, const struct sipml_graph *graph,
                         const struct sipml_limits *limits, struct sipml_places *out)
{
    struct placing place;
    *out = (struct sipml_places){.ended = true};
    if (!prepare(arena, graph, limits, &place)) {
        return false;
    }
    out->device = place.device;
    for (uint32_t op = 0; op < graph->ops && out->ended; op++) {
        orr_sipml_begin(&place, op);
        for (uint32_t i = 0; i < orr_sipml_parts_of(graph, op) && out->ended; i++) {
            out->ended = place_part(&place, op, i, out);
        }
    }
    for (uint32_t g = 0; g < limits->devices; g++) {
        out->makespan_ps = place.avail[g] > out->makespan_ps ? place.avail[g] : out->makespan_ps;
        out->held_bytes = place.held[g] > out->held_bytes ? place.held[g] : out->held_bytes;
    }
    return true;
}
