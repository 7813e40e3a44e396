/* Algorithm 1; see sipml_algorithm.h. */
#include "core/arena.h"
#include "core/saturate.h"
#include "sipml/search/sipml_algorithm_private.h"
#include "sipml/search/sipml_graph.h"

#include <string.h>

/* ---- devices that meet edges ---- */

/* Adds parents to `met` of all devices in the window of `from`, which wraps around. */
static void add_arc(struct placement_state *state, uint32_t from, uint32_t parents)
{
    const struct sipml_limits *limits = state->limits;
    const uint32_t k = limits->devices, width = limits->behind + limits->ahead + 1;
    uint32_t g = from >= limits->behind ? from - limits->behind : from + k - limits->behind;
    for (uint32_t i = 0; i < width; i++) {
        state->met[g] += parents;
        g = g + 1 == k ? 0 : g + 1;
    }
}

static void add_parent(struct placement_state *state, uint32_t part, uint32_t times)
{
    state->parent_device = state->device[part];
    state->parents += times;
    if (!state->is_unlimited) {
        add_arc(state, state->device[part], times);
    }
}

/* Counts parents by device first, because an operator has many on each. */
static void count_all(struct placement_state *state, struct sipml_range range)
{
    for (uint32_t part = range.first; part < range.end; part++) {
        state->count[state->device[part]]++;
    }
    state->parents += range.end - range.first;
    state->parent_device = state->device[range.first];
}

static void add_counted(struct placement_state *state)
{
    for (uint32_t g = 0; g < state->limits->devices; g++) {
        if (state->count[g] != 0) {
            add_arc(state, g, state->count[g]);
            state->count[g] = 0;
        }
    }
}

void orr_sipml_begin_op(struct placement_state *state, uint32_t op)
{
    const struct sipml_graph *graph = state->graph;
    const uint32_t k = state->limits->devices;
    if (!state->is_unlimited) {
        memset(state->met, 0, k * sizeof *state->met);
    }
    state->parents = 0;
    state->ready = 0;
    for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1]; l++) {
        const struct sipml_link *link = &graph->link[l];
        if (link->kind != SIPML_ALL) {
            continue;
        }
        const sim_time end = link->untimed ? 0 : state->op_end[link->from];
        state->ready = end > state->ready ? end : state->ready;
        if (!state->is_unlimited) {
            count_all(state, orr_sipml_parents(graph, op, link, 0));
        }
    }
    if (state->parents != 0) {
        add_counted(state);
    }
    state->base = state->parents;
    state->base_parent_device = state->parent_device;
    state->op_end[op] = 0;
}

sim_time orr_sipml_add_parents(struct placement_state *state, uint32_t op, uint32_t i)
{
    const struct sipml_graph *graph = state->graph;
    sim_time ready = state->ready;
    for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1]; l++) {
        const struct sipml_link *link = &graph->link[l];
        if (link->kind == SIPML_ALL) {
            continue;
        }
        const struct sipml_range range = orr_sipml_parents(graph, op, link, i);
        for (uint32_t part = range.first; part < range.end; part++) {
            add_parent(state, part, 1);
            ready = !link->untimed && state->end[part] > ready ? state->end[part] : ready;
        }
    }
    state->floor = state->limits->free_first ? 0 : ready;
    state->wanted = state->limits->wanted != NULL ? state->limits->wanted[graph->first_part[op] + i]
                                                  : UINT32_MAX;
    return ready;
}

void orr_sipml_remove_parents(struct placement_state *state, uint32_t op, uint32_t i)
{
    const struct sipml_graph *graph = state->graph;
    for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1] && !state->is_unlimited;
         l++) {
        const struct sipml_link *link = &graph->link[l];
        const struct sipml_range range = orr_sipml_parents(graph, op, link, i);
        for (uint32_t part = range.first; part < range.end && link->kind != SIPML_ALL; part++) {
            add_arc(state, state->device[part], UINT32_MAX); /* adds -1 */
        }
    }
    state->parents = state->base;
    state->parent_device = state->base_parent_device;
}

/* ---- the choice ---- */

bool orr_sipml_fits(const struct placement_state *state, uint32_t op, uint32_t device)
{
    const struct sipml_task *task = &state->graph->task[op];
    const bool has = task->one_shard && state->holding[device] == op + 1;
    const uint64_t more = sat_plus(task->kept_bytes, has ? 0 : task->weights_bytes);
    return state->limits->memory_bytes == 0 || state->memory_exhausted ||
           sat_plus(state->held[device], more) <= state->limits->memory_bytes;
}

static sim_time start_on(const struct placement_state *state, uint32_t g)
{
    return state->avail[g] > state->floor ? state->avail[g] : state->floor;
}

static bool is_earlier(const struct placement_state *state, uint32_t g, uint32_t than)
{
    if (than == UINT32_MAX) {
        return true;
    }
    const sim_time start = start_on(state, g), other = start_on(state, than);
    return start < other || (start == other && g < than);
}

/* The best device of a range that fits, or `best` if it is earlier. */
static uint32_t best_of(const struct placement_state *state, uint32_t op, uint32_t first,
                        uint32_t end, uint32_t best)
{
    for (uint32_t g = first; g < end; g++) {
        best = is_earlier(state, g, best) && orr_sipml_fits(state, op, g) ? g : best;
    }
    return best;
}

static const struct sipml_block *block_at(struct placement_state *state, uint32_t first)
{
    struct sipml_block *block = &state->block[first / SIPML_BLOCK];
    if (block->stale) {
        const uint32_t k = state->limits->devices;
        const uint32_t end = k - first < SIPML_BLOCK ? k : first + SIPML_BLOCK;
        *block = (struct sipml_block){first, state->held[first], false};
        for (uint32_t g = first + 1; g < end; g++) {
            block->earliest = state->avail[g] < state->avail[block->earliest] ? g : block->earliest;
            block->min_held = state->held[g] < block->min_held ? state->held[g] : block->min_held;
        }
    }
    return block;
}

/* The best of all devices. O(k / SIPML_BLOCK); blocks whose earliest device is full are searched,
 * and that of the best if its device is free before the part can start: others are, too. */
static uint32_t best_of_all(struct placement_state *state, uint32_t op)
{
    const uint32_t k = state->limits->devices;
    const uint64_t limit = state->limits->memory_bytes, more = state->graph->task[op].kept_bytes;
    uint32_t best = UINT32_MAX;
    for (uint32_t first = 0; first < k; first += SIPML_BLOCK) {
        const struct sipml_block *block = block_at(state, first);
        const bool none =
            limit != 0 && !state->memory_exhausted && sat_plus(block->min_held, more) > limit;
        const uint32_t earliest = block->earliest;
        if (none || (best != UINT32_MAX && start_on(state, earliest) >= start_on(state, best))) {
            continue;
        }
        best = state->avail[earliest] >= state->floor && orr_sipml_fits(state, op, earliest)
                   ? earliest
                   : best_of(state, op, first, k - first < SIPML_BLOCK ? k : first + SIPML_BLOCK,
                             best);
    }
    return best;
}

uint32_t orr_sipml_best_device(struct placement_state *state, uint32_t op)
{
    const struct sipml_limits *limits = state->limits;
    const uint32_t k = limits->devices, width = limits->behind + limits->ahead + 1;
    const bool is_free = state->is_unlimited || state->parents == 0;
    const uint32_t wanted = state->wanted;
    if (wanted < k && (is_free || state->met[wanted] == state->parents) &&
        orr_sipml_fits(state, op, wanted)) {
        return wanted;
    }
    if (is_free) {
        return best_of_all(state, op);
    }
    uint32_t best = UINT32_MAX;
    uint32_t g = state->parent_device >= limits->behind ? state->parent_device - limits->behind
                                                        : state->parent_device + k - limits->behind;
    for (uint32_t i = 0; i < width; i++) {
        if (state->met[g] == state->parents && is_earlier(state, g, best) &&
            orr_sipml_fits(state, op, g)) {
            best = g;
        }
        g = g + 1 == k ? 0 : g + 1;
    }
    return best;
}

/* Whether a device is better than another if no device meets all parents or none has memory left:
 * memory, met edges, then the less full one. */
static bool is_less_bad(const struct placement_state *state, uint32_t op, uint32_t g, uint32_t than)
{
    const bool fits = orr_sipml_fits(state, op, g), other = orr_sipml_fits(state, op, than);
    if (fits != other) {
        return fits;
    }
    if (state->met[g] != state->met[than]) {
        return state->met[g] > state->met[than];
    }
    if (!fits && state->held[g] != state->held[than]) {
        return state->held[g] < state->held[than];
    }
    return is_earlier(state, g, than);
}

uint32_t orr_sipml_find_max_met(struct placement_state *state, uint32_t op)
{
    const uint32_t k = state->limits->devices;
    uint32_t best = 0;
    for (uint32_t g = 1; g < k; g++) {
        best = is_less_bad(state, op, g, best) ? g : best;
    }
    state->memory_exhausted |= !orr_sipml_fits(state, op, best);
    state->visits += k / 16; /* the cost in parts */
    return best;
}

void orr_sipml_assign(struct placement_state *state, uint32_t op, uint32_t i, uint32_t device,
                      sim_time ready)
{
    const struct sipml_task *task = &state->graph->task[op];
    const uint32_t part = state->graph->first_part[op] + i;
    const sim_time begin = state->avail[device] > ready ? state->avail[device] : ready;
    const bool has = task->one_shard && state->holding[device] == op + 1;
    const sim_time end = orr_time_add(begin, task->duration_ps);
    state->device[part] = device;
    state->end[part] = state->avail[device] = end;
    state->op_end[op] = end > state->op_end[op] ? end : state->op_end[op];
    state->held[device] =
        sat_plus(state->held[device], sat_plus(task->kept_bytes, has ? 0 : task->weights_bytes));
    state->holding[device] = op + 1;
    state->block[device / SIPML_BLOCK].stale = true;
    if (task->exchanges && !state->is_unlimited) {
        add_parent(state, part, 1);
        state->base = state->parents;
        state->base_parent_device = state->parent_device;
    }
}

void orr_sipml_restart(struct placement_state *state)
{
    const uint32_t k = state->limits->devices;
    memset(state->avail, 0, k * sizeof *state->avail);
    memset(state->held, 0, k * sizeof *state->held);
    memset(state->holding, 0, k * sizeof *state->holding);
    for (uint32_t g = 0; g < k; g += SIPML_BLOCK) {
        state->block[g / SIPML_BLOCK] = (struct sipml_block){g, 0, false};
    }
    state->memory_exhausted = false;
}

/* ---- all parts ---- */

static bool prepare(struct orr_arena *arena, const struct sipml_graph *graph,
                    const struct sipml_limits *limits, struct placement_state *out)
{
    const size_t parts = (size_t)graph->parts + 1, k = limits->devices;
    *out = (struct placement_state){
        .graph = graph,
        .limits = limits,
        .is_unlimited = limits->ahead >= limits->devices || limits->behind >= limits->devices ||
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

/* Places part i of an operator. False: its repair did not end. */
static bool place_part(struct placement_state *state, uint32_t op, uint32_t i,
                       struct sipml_assignment *out)
{
    const sim_time ready = orr_sipml_add_parents(state, op, i);
    uint32_t device = orr_sipml_best_device(state, op);
    bool met = true;
    if (device == UINT32_MAX) {
        out->repairs++;
        device = orr_sipml_find_max_met(state, op);
        met = state->is_unlimited || state->met[device] == state->parents;
    }
    orr_sipml_remove_parents(state, op, i);
    orr_sipml_assign(state, op, i, device, ready);
    return met || orr_sipml_repair(state, op, i, &out->rounds);
}

bool orr_sipml_algorithm(struct orr_arena *arena, const struct sipml_graph *graph,
                         const struct sipml_limits *limits, struct sipml_assignment *out)
{
    struct placement_state state;
    *out = (struct sipml_assignment){.ended = true};
    if (!prepare(arena, graph, limits, &state)) {
        return false;
    }
    out->device = state.device;
    orr_sipml_restart(&state);
    for (uint32_t op = 0; op < graph->ops && out->ended; op++) {
        orr_sipml_begin_op(&state, op);
        for (uint32_t i = 0; i < orr_sipml_parts_of(graph, op) && out->ended; i++) {
            out->ended = place_part(&state, op, i, out);
        }
    }
    for (uint32_t g = 0; g < limits->devices; g++) {
        out->makespan_ps = state.avail[g] > out->makespan_ps ? state.avail[g] : out->makespan_ps;
        out->held_bytes = state.held[g] > out->held_bytes ? state.held[g] : out->held_bytes;
    }
    return true;
}
