/* The repair of Algorithm 1; see sipml_algorithm.h. */
#include "core/saturate.h"
#include "sipml/search/sipml_algorithm_private.h"
#include "sipml/search/sipml_graph.h"

/* ---- backwards ---- */

struct move {
    uint32_t device, distance;
    bool fits;
};

static uint32_t distance_of(uint32_t k, uint32_t a, uint32_t b)
{
    const uint32_t on = b >= a ? b - a : b + k - a;
    return on < k - on ? on : k - on;
}

static bool is_nearer(const struct move *move, const struct move *than)
{
    if (move->fits != than->fits) {
        return move->fits;
    }
    return move->distance < than->distance ||
           (move->distance == than->distance && move->device < than->device);
}

/* The nearest device to `at` that may have a parent of a part on `to`; devices with memory left
 * first. */
static uint32_t nearest(const struct placement_state *state, uint32_t op, uint32_t at, uint32_t to)
{
    const struct sipml_limits *limits = state->limits;
    const uint32_t k = limits->devices, width = limits->behind + limits->ahead + 1;
    struct move best = {UINT32_MAX, UINT32_MAX, false};
    uint32_t g = to >= limits->ahead ? to - limits->ahead : to + k - limits->ahead;
    for (uint32_t i = 0; i < width; i++) {
        const struct move move = {g, distance_of(k, at, g), orr_sipml_fits(state, op, g)};
        best = is_nearer(&move, &best) ? move : best;
        g = g + 1 == k ? 0 : g + 1;
    }
    return best.device;
}

/* Moves the parents of a part on `to` that are too far from it. */
static void move_parents(struct placement_state *state, uint32_t op, struct sipml_range parents,
                         uint32_t to)
{
    const struct sipml_task *task = &state->graph->task[op];
    const uint64_t bytes = sat_plus(task->kept_bytes, task->weights_bytes);
    for (uint32_t part = parents.first; part < parents.end; part++) {
        const uint32_t at = state->device[part];
        if (!orr_sipml_allowed(state->limits, at, to)) {
            const uint32_t device = nearest(state, op, at, to);
            state->held[at] -= state->held[at] < bytes ? state->held[at] : bytes;
            state->held[device] = sat_plus(state->held[device], bytes);
            state->device[part] = device;
            state->is_bad[part] = true;
        }
    }
    state->visits += parents.end - parents.first;
}

static void pull_parents(struct placement_state *state, uint32_t op, uint32_t i)
{
    const struct sipml_graph *graph = state->graph;
    const uint32_t first = graph->first_part[op], to = state->device[first + i];
    state->is_bad[first + i] = false;
    for (uint32_t l = graph->first_link[op]; l < graph->first_link[op + 1]; l++) {
        const struct sipml_link *link = &graph->link[l];
        move_parents(state, link->from, orr_sipml_parents(graph, op, link, i), to);
    }
    if (graph->task[op].exchanges) {
        move_parents(state, op, (struct sipml_range){first, first + i}, to);
    }
}

static void backward(struct placement_state *state, uint32_t op, uint32_t i)
{
    const struct sipml_graph *graph = state->graph;
    uint32_t end = i + 1;
    for (uint32_t o = op + 1; o-- > 0;) {
        end = o == op ? end : orr_sipml_parts_of(graph, o);
        for (uint32_t j = end; j-- > 0;) {
            if (state->is_bad[graph->first_part[o] + j]) {
                pull_parents(state, o, j);
            }
        }
    }
}

/* ---- forwards ---- */

static void reassign(struct placement_state *state, uint32_t op, uint32_t i)
{
    const uint32_t part = state->graph->first_part[op] + i;
    const sim_time ready = orr_sipml_add_parents(state, op, i);
    uint32_t device = state->device[part];
    if (state->met[device] != state->parents) {
        device = orr_sipml_best_device(state, op);
        device = device != UINT32_MAX ? device : orr_sipml_find_max_met(state, op);
        state->is_bad[part] = state->met[device] != state->parents;
        state->bad += state->is_bad[part];
    }
    orr_sipml_remove_parents(state, op, i);
    orr_sipml_assign(state, op, i, device, ready);
}

/* Assigns all parts up to part i of an operator again: times and memory are recomputed, and parts
 * with a violated edge are placed again. */
static void forward(struct placement_state *state, uint32_t op, uint32_t i)
{
    state->bad = 0;
    orr_sipml_restart(state);
    for (uint32_t o = 0; o <= op; o++) {
        const uint32_t parts = o == op ? i + 1 : orr_sipml_parts_of(state->graph, o);
        const uint64_t links = state->graph->first_link[o + 1] - state->graph->first_link[o];
        orr_sipml_begin_op(state, o);
        for (uint32_t j = 0; j < parts; j++) {
            reassign(state, o, j);
        }
        state->visits += parts * (1 + links / 4) + state->limits->devices / 16;
    }
}

bool orr_sipml_repair(struct placement_state *state, uint32_t op, uint32_t i, uint32_t *rounds)
{
    state->bad = 1;
    state->is_bad[state->graph->first_part[op] + i] = true;
    for (uint32_t round = 0; round < state->limits->repair_rounds && state->bad != 0 &&
                             state->visits < SIPML_MAX_VISITS;
         round++) {
        backward(state, op, i);
        forward(state, op, i);
        ++*rounds;
    }
    return state->bad == 0;
}
