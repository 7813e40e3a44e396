/* Maximum-weight matching in stages. A stage grows alternating trees from all exposed vertices
 * until it finds an augmenting path between two of them, or until their duals are 0 and the
 * matching has maximum weight (matching_private.h). */
#include "planner/finder/matching.h"

#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "planner/finder/matching_private.h"

/* The next event, after duals have changed by `delta`. */
enum event_kind {
    EVENT_DONE, /* exposed vertices have dual 0 */
    EVENT_GROW, /* an edge from an outer pseudonode to an unreached one; at: a vertex of it */
    EVENT_MEET, /* an edge between two outer pseudonodes; at: one of them */
    EVENT_OPEN, /* an inner blossom with dual 0; at: the blossom */
};

struct event {
    enum event_kind kind;
    int64_t delta;
    uint32_t at;
};

static void clear_labels(struct matcher *matcher)
{
    for (uint32_t pseudonode = 0; pseudonode < matcher->pseudonodes; pseudonode++) {
        matcher->pseudonode[pseudonode].label = MATCHING_UNREACHED;
    }
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        matcher->label[node] = MATCHING_UNREACHED;
        matcher->near[node] = MATCHING_NONE;
        matcher->near_slack[node] = NO_SLACK;
    }
}

/* Makes exposed vertices the roots of trees. Returns their dual, which is the same for all; 0 if
 * there are none. */
static int64_t start_trees(struct matcher *matcher)
{
    int64_t dual = 0;
    clear_labels(matcher);
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        if (matcher->mate[node] == MATCHING_NONE) {
            orr_pseudonode_outer(matcher, matcher->top[node]);
            dual = matcher->dual[node];
        }
    }
    return dual;
}

static void keep_earlier(struct event *event, enum event_kind kind, int64_t delta, uint32_t at)
{
    if (delta < event->delta) {
        *event = (struct event){.kind = kind, .delta = delta, .at = at};
    }
}

/* The first of the events of minimum delta. O(nodes). */
static struct event next_event(const struct matcher *matcher, int64_t exposed_dual)
{
    struct event event = {.kind = EVENT_DONE, .delta = exposed_dual};
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        if (matcher->label[node] == MATCHING_UNREACHED) {
            keep_earlier(&event, EVENT_GROW, matcher->near_slack[node], node);
        }
    }
    for (uint32_t pseudonode = 0; pseudonode < matcher->pseudonodes; pseudonode++) {
        const struct pseudonode *here = &matcher->pseudonode[pseudonode];
        if (here->label == MATCHING_OUTER) {
            keep_earlier(&event, EVENT_MEET, here->meet_slack / 2, pseudonode);
        } else if (here->label == MATCHING_INNER && pseudonode >= matcher->nodes) {
            keep_earlier(&event, EVENT_OPEN, here->dual, pseudonode);
        }
    }
    return event;
}

/* Changes the duals; edges of trees and of blossoms keep slack 0. */
static void move_duals(struct matcher *matcher, int64_t delta)
{
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        if (matcher->label[node] == MATCHING_OUTER) {
            matcher->dual[node] -= delta;
        } else if (matcher->label[node] == MATCHING_INNER) {
            matcher->dual[node] += delta;
        } else if (matcher->near_slack[node] != NO_SLACK) {
            matcher->near_slack[node] -= delta;
        }
    }
    for (uint32_t pseudonode = 0; pseudonode < matcher->pseudonodes; pseudonode++) {
        struct pseudonode *here = &matcher->pseudonode[pseudonode];
        if (here->label == MATCHING_UNREACHED) {
            continue;
        }
        const bool outer = here->label == MATCHING_OUTER;
        if (outer && here->meet_slack != NO_SLACK) {
            here->meet_slack -= 2 * delta;
        }
        if (pseudonode >= matcher->nodes) {
            here->dual += outer ? delta : -delta;
        }
    }
}

static void grow(struct matcher *matcher, uint32_t node)
{
    const uint32_t inner = matcher->top[node];
    orr_pseudonode_inner(matcher, inner,
                         (struct pseudonode_edge){.from = matcher->near[node], .to = node});
    orr_pseudonode_outer(matcher, matcher->top[matcher->mate[matcher->pseudonode[inner].base]]);
}

/* The previous outer pseudonode on the path to the root; MATCHING_NONE: `outer` is the root. */
static uint32_t previous_outer(const struct matcher *matcher, uint32_t outer)
{
    const uint32_t mate = matcher->mate[matcher->pseudonode[outer].base];
    return mate == MATCHING_NONE ? MATCHING_NONE
                                 : matcher->top[matcher->pseudonode[matcher->top[mate]].entry.from];
}

/* The lowest common ancestor of two outer pseudonodes; MATCHING_NONE: they are in different trees.
 * Walks up both paths in turn, so that the cost is proportional to the new blossom. */
static uint32_t common_ancestor(struct matcher *matcher, uint32_t a, uint32_t b)
{
    matcher->marks++;
    while (a != MATCHING_NONE || b != MATCHING_NONE) {
        if (a != MATCHING_NONE) {
            if (matcher->pseudonode[a].mark == matcher->marks) {
                return a;
            }
            matcher->pseudonode[a].mark = matcher->marks;
            a = previous_outer(matcher, a);
        }
        const uint32_t other = b;
        b = a;
        a = other;
    }
    return MATCHING_NONE;
}

/* Augments along the path from an outer pseudonode to its root; `edge` becomes matched. */
static void augment(struct matcher *matcher, struct pseudonode_edge edge)
{
    for (;;) {
        const uint32_t outer = matcher->top[edge.from];
        const uint32_t old_mate = matcher->mate[matcher->pseudonode[outer].base];
        orr_pseudonode_rebase(matcher, outer, edge.from);
        matcher->mate[edge.from] = edge.to;
        if (old_mate == MATCHING_NONE) {
            return;
        }
        const uint32_t inner = matcher->top[old_mate];
        const struct pseudonode_edge entry = matcher->pseudonode[inner].entry;
        orr_pseudonode_rebase(matcher, inner, entry.to);
        matcher->mate[entry.to] = entry.from;
        edge = entry;
    }
}

enum stage { STAGE_GOES_ON, STAGE_AUGMENTED, STAGE_LAST, STAGE_NO_MEMORY };

/* Handles an edge between two outer pseudonodes: a new blossom, or an augmenting path between two
 * roots. */
static enum stage meet(struct matcher *matcher, struct pseudonode_edge edge)
{
    const uint32_t ancestor =
        common_ancestor(matcher, matcher->top[edge.from], matcher->top[edge.to]);
    if (ancestor != MATCHING_NONE) {
        return orr_blossom_close(matcher, edge, ancestor) ? STAGE_GOES_ON : STAGE_NO_MEMORY;
    }
    augment(matcher, edge);
    augment(matcher, (struct pseudonode_edge){.from = edge.to, .to = edge.from});
    return STAGE_AUGMENTED;
}

static enum stage apply_event(struct matcher *matcher, const struct event *event)
{
    move_duals(matcher, event->delta);
    switch (event->kind) {
    case EVENT_GROW:
        grow(matcher, event->at);
        return STAGE_GOES_ON;
    case EVENT_MEET:
        return meet(matcher, matcher->pseudonode[event->at].meet);
    case EVENT_OPEN:
        orr_blossom_open(matcher, event->at);
        return STAGE_GOES_ON;
    case EVENT_DONE:
        break;
    }
    return STAGE_LAST;
}

/* Expands top blossoms with dual 0; the others are kept for the next stage. */
static void open_empty(struct matcher *matcher)
{
    clear_labels(matcher);
    for (bool opened = true; opened;) {
        opened = false;
        for (uint32_t pseudonode = matcher->nodes; pseudonode < matcher->pseudonodes;
             pseudonode++) {
            const struct pseudonode *here = &matcher->pseudonode[pseudonode];
            if (here->used && here->parent == MATCHING_NONE && here->dual == 0) {
                orr_blossom_open(matcher, pseudonode);
                opened = true;
            }
        }
    }
}

static enum stage run_stage(struct matcher *matcher)
{
    int64_t exposed_dual = start_trees(matcher);
    enum stage stage = STAGE_GOES_ON;
    while (stage == STAGE_GOES_ON) {
        const struct event event = next_event(matcher, exposed_dual);
        stage = apply_event(matcher, &event);
        exposed_dual -= event.delta;
    }
    open_empty(matcher);
    return stage;
}

static void init_duals(struct matcher *matcher)
{
    uint64_t max = 0;
    for (uint32_t i = 0; i < matcher->nodes; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const uint64_t weight = matcher_weight(matcher, i, j);
            max = weight > max ? weight : max;
        }
    }
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        matcher->mate[node] = MATCHING_NONE;
        matcher->dual[node] = (int64_t)max;
        matcher->top[node] = node;
    }
    for (uint32_t pseudonode = 0; pseudonode < matcher->pseudonodes; pseudonode++) {
        struct pseudonode *here = &matcher->pseudonode[pseudonode];
        here->parent = MATCHING_NONE;
        here->base = here->first = here->last = pseudonode;
    }
}

static bool create(struct matcher *matcher, struct orr_arena *arena, uint32_t nodes)
{
    matcher->arena = arena;
    matcher->nodes = nodes;
    matcher->pseudonodes = nodes + nodes / 2;
    matcher->mate = orr_arena_array(arena, nodes, sizeof *matcher->mate);
    matcher->dual = orr_arena_array(arena, nodes, sizeof *matcher->dual);
    matcher->top = orr_arena_array(arena, nodes, sizeof *matcher->top);
    matcher->chain = orr_arena_array(arena, nodes, sizeof *matcher->chain);
    matcher->label = orr_arena_array(arena, nodes, sizeof *matcher->label);
    matcher->near = orr_arena_array(arena, nodes, sizeof *matcher->near);
    matcher->near_slack = orr_arena_array(arena, nodes, sizeof *matcher->near_slack);
    matcher->pseudonode = orr_arena_array(arena, matcher->pseudonodes, sizeof *matcher->pseudonode);
    matcher->stack = orr_arena_array(arena, matcher->pseudonodes, sizeof *matcher->stack);
    matcher->key = orr_arena_array(arena, nodes, sizeof *matcher->key);
    return matcher->mate != NULL && matcher->dual != NULL && matcher->top != NULL &&
           matcher->chain != NULL && matcher->label != NULL && matcher->near != NULL &&
           matcher->near_slack != NULL && matcher->pseudonode != NULL && matcher->stack != NULL &&
           matcher->key != NULL;
}

static enum orr_status check(uint32_t nodes, const uint64_t *weight, struct orr_diag *diag)
{
    if (nodes > MATCHING_MAX_NODES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "matching: expected at most %d nodes, got %u", MATCHING_MAX_NODES,
                             nodes);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const uint64_t there = weight[(size_t)i * nodes + j];
            if (there != weight[(size_t)j * nodes + i] || there >= MATCHING_MAX_WEIGHT) {
                return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                     "matching: expected the same weight below 2^60 both ways "
                                     "between nodes %u and %u",
                                     j, i);
            }
        }
    }
    return ORR_OK;
}

static bool fill_blossom(const struct matcher *matcher, uint32_t pseudonode,
                         struct matching_blossom *out)
{
    const struct pseudonode *here = &matcher->pseudonode[pseudonode];
    out->dual = (uint64_t)here->dual;
    out->members = 1;
    for (uint32_t node = here->first; node != here->last; node = matcher->chain[node]) {
        out->members++;
    }
    out->member = orr_arena_array(matcher->arena, out->members, sizeof *out->member);
    uint32_t node = here->first;
    for (uint32_t i = 0; out->member != NULL && i < out->members; i++) {
        out->member[i] = node;
        node = matcher->chain[node];
    }
    return out->member != NULL;
}

static bool fill_result(const struct matcher *matcher, struct matching *out)
{
    *out = (struct matching){.mate = matcher->mate};
    out->node_dual = orr_arena_array(matcher->arena, matcher->nodes, sizeof *out->node_dual);
    out->blossom = orr_arena_array(matcher->arena, matcher->pseudonodes - matcher->nodes,
                                   sizeof *out->blossom);
    if (out->node_dual == NULL || out->blossom == NULL) {
        return false;
    }
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        out->node_dual[node] = (uint64_t)matcher->dual[node];
    }
    bool ok = true;
    for (uint32_t pseudonode = matcher->nodes; ok && pseudonode < matcher->pseudonodes;
         pseudonode++) {
        /* nested blossoms may have dual 0 */
        if (matcher->pseudonode[pseudonode].used && matcher->pseudonode[pseudonode].dual > 0) {
            ok = fill_blossom(matcher, pseudonode, &out->blossom[out->blossoms++]);
        }
    }
    return ok;
}

enum orr_status orr_matching_prove(struct orr_arena *arena, uint32_t nodes, const uint64_t *weight,
                                   struct matching *out, struct orr_diag *diag)
{
    struct matcher matcher = {.weight = weight};
    const enum orr_status status = check(nodes, weight, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (!create(&matcher, arena, nodes)) {
        return orr_diag_no_memory(diag, "a matching");
    }
    init_duals(&matcher);
    enum stage stage = STAGE_AUGMENTED;
    while (stage == STAGE_AUGMENTED) {
        stage = run_stage(&matcher);
    }
    return stage == STAGE_LAST && fill_result(&matcher, out)
               ? ORR_OK
               : orr_diag_no_memory(diag, "a matching");
}

enum orr_status orr_matching_max_weight(struct orr_arena *scratch, uint32_t nodes,
                                        const uint64_t *weight, uint32_t *mate,
                                        struct orr_diag *diag)
{
    struct matching found;
    const enum orr_status status = orr_matching_prove(scratch, nodes, weight, &found, diag);
    for (uint32_t node = 0; status == ORR_OK && node < nodes; node++) {
        mate[node] = found.mate[node];
    }
    return status;
}
