/* Pseudonodes: paths along a blossom's cycle, labels, and the change of a base. */
#include "planner/finder/matching_private.h"

uint32_t orr_pseudonode_child(const struct matcher *matcher, uint32_t blossom, uint32_t node)
{
    uint32_t child = node;
    while (matcher->pseudonode[child].parent != blossom) {
        child = matcher->pseudonode[child].parent;
    }
    return child;
}

struct pseudonode_edge orr_pseudonode_step(const struct matcher *matcher, uint32_t pseudonode,
                                           bool forward, uint32_t *to)
{
    const struct pseudonode *here = &matcher->pseudonode[pseudonode];
    if (forward) {
        *to = here->next;
        return here->link;
    }
    *to = here->prev;
    const struct pseudonode_edge link = matcher->pseudonode[here->prev].link;
    return (struct pseudonode_edge){.from = link.to, .to = link.from};
}

bool orr_pseudonode_even_path(const struct matcher *matcher, uint32_t blossom, uint32_t child)
{
    bool back_is_even = true;
    for (uint32_t at = matcher->pseudonode[blossom].base_child; at != child;
         at = matcher->pseudonode[at].next) {
        back_is_even = !back_is_even;
    }
    return !back_is_even;
}

void orr_pseudonode_label(struct matcher *matcher, uint32_t pseudonode, enum matching_label as)
{
    struct pseudonode *labelled = &matcher->pseudonode[pseudonode];
    labelled->label = as;
    for (uint32_t node = labelled->first;; node = matcher->chain[node]) {
        matcher->label[node] = (uint8_t)as;
        if (node == labelled->last) {
            return;
        }
    }
}

void orr_pseudonode_inner(struct matcher *matcher, uint32_t pseudonode,
                          struct pseudonode_edge entry)
{
    orr_pseudonode_label(matcher, pseudonode, MATCHING_INNER);
    matcher->pseudonode[pseudonode].entry = entry;
}

/* Updates the slack of a vertex `to` with the edge from `from`: a smaller `near` slack, or a
 * smaller `meet` slack if it is outer. */
static void update_slack(struct matcher *matcher, struct pseudonode *pseudonode, uint32_t from,
                         uint32_t to)
{
    const int64_t slack = matcher_slack(matcher, from, to);
    if (matcher->label[to] == MATCHING_OUTER) {
        if (slack < pseudonode->meet_slack) {
            pseudonode->meet_slack = slack;
            pseudonode->meet = (struct pseudonode_edge){.from = from, .to = to};
        }
    } else if (slack < matcher->near_slack[to]) {
        matcher->near_slack[to] = slack;
        matcher->near[to] = from;
    }
}

void orr_pseudonode_outer(struct matcher *matcher, uint32_t pseudonode)
{
    struct pseudonode *outer = &matcher->pseudonode[pseudonode];
    orr_pseudonode_label(matcher, pseudonode, MATCHING_OUTER);
    outer->meet_slack = NO_SLACK;
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        const uint32_t from = outer->reach != NULL ? outer->reach[node] : pseudonode;
        if (from != MATCHING_NONE && matcher->top[node] != pseudonode) {
            update_slack(matcher, outer, from, node);
        }
    }
}

struct rebasing {
    struct matcher *matcher;
    uint32_t pending;
};

static void push(struct rebasing *rebasing, uint32_t pseudonode, uint32_t node)
{
    if (rebasing->matcher->pseudonode[pseudonode].base != node) {
        rebasing->matcher->stack[rebasing->pending++] =
            (struct pseudonode_edge){.from = pseudonode, .to = node};
    }
}

/* Flips the edges along the even path from the new base child to the old one: matched edges become
 * unmatched and the reverse. */
static void flip_ring(struct rebasing *rebasing, uint32_t blossom, uint32_t child)
{
    struct matcher *matcher = rebasing->matcher;
    const bool forward = orr_pseudonode_even_path(matcher, blossom, child);
    const uint32_t end = matcher->pseudonode[blossom].base_child;
    for (uint32_t at = child; at != end;) {
        uint32_t left, right;
        (void)orr_pseudonode_step(matcher, at, forward, &left);
        const struct pseudonode_edge pair = orr_pseudonode_step(matcher, left, forward, &right);
        push(rebasing, left, pair.from);
        push(rebasing, right, pair.to);
        matcher->mate[pair.from] = pair.to;
        matcher->mate[pair.to] = pair.from;
        at = right;
    }
    matcher->pseudonode[blossom].base_child = child;
}

void orr_pseudonode_rebase(struct matcher *matcher, uint32_t pseudonode, uint32_t node)
{
    struct rebasing rebasing = {.matcher = matcher};
    push(&rebasing, pseudonode, node);
    while (rebasing.pending > 0) {
        const struct pseudonode_edge next = matcher->stack[--rebasing.pending];
        const uint32_t child = orr_pseudonode_child(matcher, next.from, next.to);
        flip_ring(&rebasing, next.from, child);
        push(&rebasing, child, next.to);
        matcher->pseudonode[next.from].base = next.to;
    }
}
