/* Knots of a matching in the making: ways along rings, labels, and the turning of a blossom. */
#include "planner/finder/matching_private.h"

uint32_t orr_knot_child(const struct matcher *matcher, uint32_t blossom, uint32_t node)
{
    uint32_t child = node;
    while (matcher->knot[child].parent != blossom) {
        child = matcher->knot[child].parent;
    }
    return child;
}

struct knot_edge orr_knot_step(const struct matcher *matcher, uint32_t knot, bool forward,
                               uint32_t *to)
{
    const struct knot *here = &matcher->knot[knot];
    if (forward) {
        *to = here->next;
        return here->link;
    }
    *to = here->prev;
    const struct knot_edge link = matcher->knot[here->prev].link;
    return (struct knot_edge){.from = link.to, .to = link.from};
}

bool orr_knot_even_way(const struct matcher *matcher, uint32_t blossom, uint32_t child)
{
    bool back_is_even = true;
    for (uint32_t at = matcher->knot[blossom].base_child; at != child;
         at = matcher->knot[at].next) {
        back_is_even = !back_is_even;
    }
    return !back_is_even;
}

void orr_knot_label(struct matcher *matcher, uint32_t knot, enum knot_label as)
{
    struct knot *labelled = &matcher->knot[knot];
    labelled->label = as;
    for (uint32_t node = labelled->first;; node = matcher->chain[node]) {
        matcher->label[node] = (uint8_t)as;
        if (node == labelled->last) {
            return;
        }
    }
}

void orr_knot_inner(struct matcher *matcher, uint32_t knot, struct knot_edge entry)
{
    orr_knot_label(matcher, knot, KNOT_INNER);
    matcher->knot[knot].entry = entry;
}

/* What one of its nodes is to all outside: a new nearest one, or another outer to meet. */
static void tell(struct matcher *matcher, struct knot *knot, uint32_t from, uint32_t to)
{
    const int64_t slack = matcher_slack(matcher, from, to);
    if (matcher->label[to] == KNOT_OUTER) {
        if (slack < knot->meet_slack) {
            knot->meet_slack = slack;
            knot->meet = (struct knot_edge){.from = from, .to = to};
        }
    } else if (slack < matcher->near_slack[to]) {
        matcher->near_slack[to] = slack;
        matcher->near[to] = from;
    }
}

void orr_knot_outer(struct matcher *matcher, uint32_t knot)
{
    struct knot *outer = &matcher->knot[knot];
    orr_knot_label(matcher, knot, KNOT_OUTER);
    outer->meet_slack = NO_SLACK;
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        const uint32_t from = outer->reach != NULL ? outer->reach[node] : knot;
        if (from != MATCHING_NONE && matcher->top[node] != knot) {
            tell(matcher, outer, from, node);
        }
    }
}

struct turning {
    struct matcher *matcher;
    uint32_t pending;
};

static void push(struct turning *turning, uint32_t knot, uint32_t node)
{
    if (turning->matcher->knot[knot].base != node) {
        turning->matcher->stack[turning->pending++] = (struct knot_edge){.from = knot, .to = node};
    }
}

/* Along the way of even length from the new base child to the old one, pairs give way to edges that
 * were not pairs. */
static void turn_ring(struct turning *turning, uint32_t blossom, uint32_t child)
{
    struct matcher *matcher = turning->matcher;
    const bool forward = orr_knot_even_way(matcher, blossom, child);
    const uint32_t end = matcher->knot[blossom].base_child;
    for (uint32_t at = child; at != end;) {
        uint32_t left, right;
        (void)orr_knot_step(matcher, at, forward, &left);
        const struct knot_edge pair = orr_knot_step(matcher, left, forward, &right);
        push(turning, left, pair.from);
        push(turning, right, pair.to);
        matcher->mate[pair.from] = pair.to;
        matcher->mate[pair.to] = pair.from;
        at = right;
    }
    matcher->knot[blossom].base_child = child;
}

void orr_knot_turn(struct matcher *matcher, uint32_t knot, uint32_t node)
{
    struct turning turning = {.matcher = matcher};
    push(&turning, knot, node);
    while (turning.pending > 0) {
        const struct knot_edge next = matcher->stack[--turning.pending];
        const uint32_t child = orr_knot_child(matcher, next.from, next.to);
        turn_ring(&turning, next.from, child);
        push(&turning, child, next.to);
        matcher->knot[next.from].base = next.to;
    }
}
