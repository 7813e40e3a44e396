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
    if (!place->anywhere) {
        memset(place->met, 0, k * sizeof *place->met);
    }
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
    return place->limits->memory_bytes == 0 || place->full ||
           sat_plus(place->held[device], more) <= place->limits->memory_bytes;
}

static bool is_earlier(const struct placing *place, uint32_t g, uint32_t than)
{
    return than == UINT32_MAX || place->avail[g] < place->avail[than] ||
           (place->avail[g] == place->avail[than] && g < than);
}

/* The earlier of a device and the best one of a range that fits. */
static uint32_t best_of(const struct placing *place, uint32_t op, uint32_t first, uint32_t end,
                        uint32_t best)
{
    for (uint32_t g = first; g < end; g++) {
        best = is_earlier(place, g, best) && orr_sipml_fits(place, op, g) ? g : best;
    }
    return best;
}

/* The best one of all devices. O(k / SIPML_BLOCK), and of blocks whose earliest device is full all.
 */
static uint32_t best_of_all(const struct placing *place, uint32_t op)
{
    const uint32_t k = place->limits->devices;
    const uint64_t limit = place->limits->memory_bytes, more = place->graph->task[op].kept_bytes;
    uint32_t best = UINT32_MAX;
    for (uint32_t first = 0; first < k; first += SIPML_BLOCK) {
        const struct sipml_block *block = &place->block[first / SIPML_BLOCK];
        const bool none = limit != 0 && !place->full && sat_plus(block->min_held, more) > limit;
        if (none || !is_earlier(place, block->earliest, best)) {
            continue;
        }
        best = orr_sipml_fits(place, op, block->earliest)
                   ? block->earliest
                   : best_of(place, op, first, k - first < SIPML_BLOCK ? k : first + SIPML_BLOCK,
                             best);
    }
    return best;
}

uint32_t orr_sipml_best(const struct placing *place, uint32_t op)
{
    const struct sipml_limits *limits = place->limits;
    const uint32_t k = limits->devices, width = limits->behind + limits->ahead + 1;
    if (place->anywhere || place->parents == 0) {
        return best_of_all(place, op);
    }
    uint32_t best = UINT32_MAX;
    uint32_t g = place->some >= limits->behind ? place->some - limits->behind
                                               : place->some + k - limits->behind;
    for (uint32_t i = 0; i < width; i++) {
        if (place->met[g] == place->parents && is_earlier(place, g, best) &&
            orr_sipml_fits(place, op, g)) {
            best = g;
        }
        g = g + 1 == k ? 0 : g + 1;
    }
    return best;
}

/* Whether a device is better than another one where no device meets all, or none has memory left:
 * then the one that holds least. */
static bool is_less_bad(const struct placing *place, uint32_t op, uint32_t g, uint32_t than)
{
    const bool fits = orr_sipml_fits(place, op, g), other = orr_sipml_fits(place, op, than);
    if (fits != other) {
        return fits;
    }
    if (place->met[g] != place->met[than]) {
        return place->met[g] > place->met[than];
    }
    if (!fits && place->held[g] != place->held[than]) {
        return place->held[g] < place->held[than];
    }
    return is_earlier(place, g, than);
}

uint32_t orr_sipml_max_met(struct placing *place, uint32_t op)
{
    const uint32_t k = place->limits->devices;
    uint32_t best = 0;
    for (uint32_t g = 1; g < k; g++) {
        best = is_less_bad(place, op, g, best) ? g : best;
    }
    place->full |= !orr_sipml_fits(place, op, best);
    place->visits += k / 16; /* as long as so many parts take */
    return best;
}

static void note_block(struct placing *place, uint32_t device)
{
    const uint32_t k = place->limits->devices, first = device - device % SIPML_BLOCK;
    const uint32_t end = k - first < SIPML_BLOCK ? k : first + SIPML_BLOCK;
    struct sipml_block block = {first, place->held[first]};
    for (uint32_t g = first + 1; g < end; g++) {
        block.earliest = place->avail[g] < place->avail[block.earliest] ? g : block.earliest;
        block.min_held = place->held[g] < block.min_held ? place->held[g] : block.min_held;
    }
    place->block[first / SIPML_BLOCK] = block;
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
    note_block(place, device);
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
    for (uint32_t g = 0; g < k; g += SIPML_BLOCK) {
        place->block[g / SIPML_BLOCK] = (struct sipml_block){g, 0};
    }
    place->full = false;
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
        .block = orr_arena_array(arena, k / SIPML_BLOCK + 1, sizeof(struct sipml_block)),
        .met = orr_arena_array(arena, k, sizeof(uint32_t)),
        .count = orr_arena_array(arena, k, sizeof(uint32_t)),
        .is_bad = orr_arena_array(arena, parts, sizeof(bool))};
    return out->device != NULL && out->end != NULL && out->op_end != NULL && out->avail != NULL &&
           out->held != NULL && out->block != NULL && out->holding != NULL && out->met != NULL &&
           out->count != NULL && out->is_bad != NULL;
}

/* Places part i of an operator; false when its repair did not end. */
static bool place_part(struct placing *place, uint32_t op, uint32_t i, struct sipml_places *out)
{
    const sim_time ready = orr_sipml_look(place, op, i);
    uint32_t device = orr_sipml_best(place, op);
    bool met = true;
    if (device == UINT32_MAX) {
        out->repairs++;
        device = orr_sipml_max_met(place, op);
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
    orr_sipml_restart(&place);
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
