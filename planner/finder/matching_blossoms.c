/* Blossoms: contracted when an edge joins two outer pseudonodes of a tree, expanded when their dual
 * reaches 0. */
#include "core/arena.h"
#include "core/diag.h"
#include "planner/finder/matching_private.h"

static void link_up(struct matcher *matcher, uint32_t pseudonode, uint32_t next,
                    struct pseudonode_edge edge)
{
    matcher->pseudonode[pseudonode].next = next;
    matcher->pseudonode[pseudonode].link = edge;
    matcher->pseudonode[next].prev = pseudonode;
}

/* Links the pseudonodes between an outer one and an ancestor into a cycle: from the ancestor to it,
 * or away from it. */
static void link_branch(struct matcher *matcher, uint32_t outer, uint32_t ancestor, bool towards)
{
    while (outer != ancestor) {
        const uint32_t base = matcher->pseudonode[outer].base, mate = matcher->mate[base];
        const uint32_t inner = matcher->top[mate];
        const struct pseudonode_edge entry = matcher->pseudonode[inner].entry;
        const uint32_t before = matcher->top[entry.from];
        if (towards) {
            link_up(matcher, inner, outer, (struct pseudonode_edge){.from = mate, .to = base});
            link_up(matcher, before, inner, entry);
        } else {
            link_up(matcher, outer, inner, (struct pseudonode_edge){.from = base, .to = mate});
            link_up(matcher, inner, before,
                    (struct pseudonode_edge){.from = entry.to, .to = entry.from});
        }
        outer = before;
    }
}

/* Allocates a pseudonode for a blossom. Blossoms are nested or disjoint and have at least three
 * children, so that there are fewer than nodes / 2. */
static uint32_t alloc_blossom(struct matcher *matcher)
{
    uint32_t pseudonode = matcher->nodes;
    while (matcher->pseudonode[pseudonode].used) {
        pseudonode++;
        ORR_ASSERT(pseudonode < matcher->pseudonodes);
    }
    struct pseudonode *taken = &matcher->pseudonode[pseudonode];
    if (taken->reach == NULL) {
        taken->reach = orr_arena_array(matcher->arena, matcher->nodes, sizeof *taken->reach);
    }
    return taken->reach != NULL ? pseudonode : MATCHING_NONE;
}

/* Updates `reach` with the vertices outside to which this child is nearer. */
static void gather_reach(struct matcher *matcher, uint32_t *reach, uint32_t child)
{
    const uint32_t *of_child = matcher->pseudonode[child].reach;
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        const uint32_t from = of_child != NULL ? of_child[node] : child;
        if (from == MATCHING_NONE || from == node) {
            continue;
        }
        const int64_t slack = matcher_slack(matcher, from, node);
        if (slack < matcher->key[node]) {
            matcher->key[node] = slack;
            reach[node] = from;
        }
    }
}

static void adopt(struct matcher *matcher, uint32_t blossom)
{
    struct pseudonode *parent = &matcher->pseudonode[blossom];
    uint32_t child = parent->base_child;
    do {
        struct pseudonode *adopted = &matcher->pseudonode[child];
        gather_reach(matcher, parent->reach, child);
        adopted->parent = blossom;
        adopted->label = MATCHING_UNREACHED;
        matcher->chain[adopted->last] = matcher->pseudonode[adopted->next].first;
        parent->last = adopted->last;
        child = adopted->next;
    } while (child != parent->base_child);
}

static void set_top(struct matcher *matcher, uint32_t pseudonode)
{
    const struct pseudonode *top = &matcher->pseudonode[pseudonode];
    for (uint32_t node = top->first;; node = matcher->chain[node]) {
        matcher->top[node] = pseudonode;
        if (node == top->last) {
            return;
        }
    }
}

bool orr_blossom_close(struct matcher *matcher, struct pseudonode_edge edge, uint32_t ancestor)
{
    const uint32_t blossom = alloc_blossom(matcher);
    if (blossom == MATCHING_NONE) {
        return false;
    }
    const uint32_t left = matcher->top[edge.from], right = matcher->top[edge.to];
    link_branch(matcher, left, ancestor, true);
    link_up(matcher, left, right, edge);
    link_branch(matcher, right, ancestor, false);
    struct pseudonode *made = &matcher->pseudonode[blossom];
    made->used = true;
    made->parent = MATCHING_NONE;
    made->base_child = ancestor;
    made->base = matcher->pseudonode[ancestor].base;
    made->first = matcher->pseudonode[ancestor].first;
    made->dual = 0;
    for (uint32_t node = 0; node < matcher->nodes; node++) {
        made->reach[node] = MATCHING_NONE;
        matcher->key[node] = NO_SLACK;
    }
    adopt(matcher, blossom);
    set_top(matcher, blossom);
    orr_pseudonode_outer(matcher, blossom);
    return true;
}

/* Makes the children of a blossom top pseudonodes without a label. */
static void release(struct matcher *matcher, uint32_t blossom)
{
    const uint32_t base_child = matcher->pseudonode[blossom].base_child;
    uint32_t child = base_child;
    do {
        matcher->pseudonode[child].parent = MATCHING_NONE;
        set_top(matcher, child);
        orr_pseudonode_label(matcher, child, MATCHING_UNREACHED);
        child = matcher->pseudonode[child].next;
    } while (child != base_child);
    matcher->pseudonode[blossom].used = false;
    matcher->pseudonode[blossom].label = MATCHING_UNREACHED;
}

void orr_blossom_open(struct matcher *matcher, uint32_t blossom)
{
    const struct pseudonode *opened = &matcher->pseudonode[blossom];
    const uint32_t end = opened->base_child;
    struct pseudonode_edge entry = opened->entry;
    if (opened->label != MATCHING_INNER) {
        release(matcher, blossom);
        return;
    }
    uint32_t child = orr_pseudonode_child(matcher, blossom, entry.to);
    const bool forward = orr_pseudonode_even_path(matcher, blossom, child);
    release(matcher, blossom);
    orr_pseudonode_inner(matcher, child, entry);
    while (child != end) {
        uint32_t outer;
        (void)orr_pseudonode_step(matcher, child, forward, &outer);
        orr_pseudonode_outer(matcher, outer);
        entry = orr_pseudonode_step(matcher, outer, forward, &child);
        orr_pseudonode_inner(matcher, child, entry);
    }
}
