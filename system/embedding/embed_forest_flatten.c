/* Local search for shallower trees: a member moves to a parent nearer to the root, over a free
 * edge; or over an edge of another tree, which takes the edge that became free, or another free
 * edge, instead. A move is kept if it reduces the depth of the deepest tree, or else the sum of all
 * levels. */
#include <string.h>

#include "system/embedding/embed_search.h"

struct measure {
    uint32_t depth;
    uint64_t levels;
};

struct change {
    struct embed_forest *forest;
    uint32_t tree, member;
    uint32_t edge;       /* edge to the new parent */
    uint32_t other;      /* tree that uses it; EMBED_NO_TREE: none */
    uint32_t *parent[2]; /* [n] new parents: of the tree, of the other tree */
    uint32_t *by[2];
};

static uint32_t level_of(const uint32_t *parent, uint32_t member)
{
    uint32_t level = 0;
    for (uint32_t at = member; parent[at] != SYS_NO_PARENT; at = parent[at]) {
        level++;
    }
    return level;
}

static void add_measure(const uint32_t *parent, uint32_t n, struct measure *out)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t level = level_of(parent, i);
        out->depth = level > out->depth ? level : out->depth;
        out->levels += level;
    }
}

static const uint32_t *tree_after(const struct change *change, uint32_t t)
{
    return t == change->tree    ? change->parent[0]
           : t == change->other ? change->parent[1]
                                : change->forest->parent + (size_t)t * change->forest->n;
}

static struct measure measure_after(const struct change *change)
{
    struct measure out = {0, 0};
    for (uint32_t t = 0; t < change->forest->trees; t++) {
        add_measure(tree_after(change, t), change->forest->n, &out);
    }
    return out;
}

static struct measure measure_now(const struct embed_forest *forest)
{
    struct measure out = {0, 0};
    for (uint32_t t = 0; t < forest->trees; t++) {
        add_measure(forest->parent + (size_t)t * forest->n, forest->n, &out);
    }
    return out;
}

static bool is_less(struct measure a, struct measure b)
{
    return a.depth != b.depth ? a.depth < b.depth : a.levels < b.levels;
}

/* ---- changes ---- */

static bool is_below(const uint32_t *parent, uint32_t member, uint32_t top)
{
    uint32_t at = member;
    while (at != top && parent[at] != SYS_NO_PARENT) {
        at = parent[at];
    }
    return at == top;
}

static void copy(struct change *change, unsigned which, uint32_t tree)
{
    const struct embed_forest *forest = change->forest;
    const size_t base = (size_t)tree * forest->n;
    memcpy(change->parent[which], forest->parent + base, forest->n * sizeof *forest->parent);
    memcpy(change->by[which], forest->by + base, forest->n * sizeof *forest->by);
}

/* Re-roots the subtree of `top` at its member `low` and attaches it by the edge. */
static void reroot_subtree(struct change *change, uint32_t top, uint32_t low, uint32_t edge)
{
    uint32_t *parent = change->parent[1], *by = change->by[1];
    uint32_t at = low, over = edge;
    uint32_t above = embed_other_end(&change->forest->edge[edge], low);
    for (bool last = false; !last;) {
        const uint32_t next = parent[at], next_over = by[at];
        last = at == top;
        parent[at] = above;
        by[at] = over;
        above = at;
        over = next_over;
        at = next;
    }
}

static void apply_change(const struct change *change, uint32_t instead)
{
    struct embed_forest *forest = change->forest;
    const size_t base = (size_t)change->tree * forest->n;
    const uint32_t freed = forest->by[base + change->member];
    memcpy(forest->parent + base, change->parent[0], forest->n * sizeof *forest->parent);
    memcpy(forest->by + base, change->by[0], forest->n * sizeof *forest->by);
    if (freed != EMBED_NO_DUPLEX_LINK) {
        forest->edge[freed].owner = EMBED_NO_TREE;
    }
    forest->edge[change->edge].owner = change->tree;
    if (change->other != EMBED_NO_TREE) {
        const size_t second = (size_t)change->other * forest->n;
        memcpy(forest->parent + second, change->parent[1], forest->n * sizeof *forest->parent);
        memcpy(forest->by + second, change->by[1], forest->n * sizeof *forest->by);
        forest->edge[instead].owner = change->other;
    }
}

/* Replaces the edge of the other tree by `instead`; whether that reconnects it. */
static bool repair_other(struct change *change, uint32_t instead)
{
    const struct embed_forest *forest = change->forest;
    const struct embed_duplex_link *lost = &forest->edge[change->edge],
                                   *taken = &forest->edge[instead];
    copy(change, 1, change->other);
    const uint32_t top = change->by[1][lost->a] == change->edge ? lost->a : lost->b;
    const bool a = is_below(change->parent[1], taken->a, top);
    const bool b = is_below(change->parent[1], taken->b, top);
    if (a == b) {
        return false;
    }
    reroot_subtree(change, top, a ? taken->a : taken->b, instead);
    return true;
}

static bool try_with(struct change *change, uint32_t instead, struct measure *now)
{
    if (change->other != EMBED_NO_TREE && !repair_other(change, instead)) {
        return false;
    }
    const struct measure after = measure_after(change);
    if (!is_less(after, *now)) {
        return false;
    }
    apply_change(change, instead);
    *now = after;
    return true;
}

/* Moves the member over the edge to a shallower parent, if that improves. */
static bool try_edge(struct change *change, struct measure *now)
{
    struct embed_forest *forest = change->forest;
    const uint32_t *parent = forest->parent + (size_t)change->tree * forest->n;
    const uint32_t to = embed_other_end(&forest->edge[change->edge], change->member);
    change->other = forest->edge[change->edge].owner;
    if (change->other == change->tree || is_below(parent, to, change->member) ||
        level_of(parent, to) + 1 >= level_of(parent, change->member)) {
        return false;
    }
    const uint32_t freed = forest->by[(size_t)change->tree * forest->n + change->member];
    copy(change, 0, change->tree);
    change->parent[0][change->member] = to;
    change->by[0][change->member] = change->edge;
    if (change->other == EMBED_NO_TREE) {
        return try_with(change, EMBED_NO_DUPLEX_LINK, now);
    }
    if (freed != EMBED_NO_DUPLEX_LINK && try_with(change, freed, now)) {
        return true;
    }
    for (uint32_t i = 0; i < forest->edges; i++) {
        if (forest->edge[i].owner == EMBED_NO_TREE && try_with(change, i, now)) {
            return true;
        }
    }
    return false;
}

static bool improve(struct change *change, struct measure *now)
{
    const struct embed_forest *forest = change->forest;
    bool improved = false;
    for (change->tree = 0; change->tree < forest->trees; change->tree++) {
        for (change->member = 0; change->member < forest->n; change->member++) {
            const uint32_t root = forest->parent[(size_t)change->tree * forest->n + change->member];
            for (uint32_t i = forest->first[change->member];
                 i < forest->first[change->member + 1] && root != SYS_NO_PARENT; i++) {
                change->edge = forest->at[i];
                improved = try_edge(change, now) || improved;
            }
        }
    }
    return improved;
}

void orr_embed_forest_flatten(struct embed_forest *forest)
{
    struct change change = {.forest = forest};
    struct measure now = measure_now(forest);
    for (unsigned i = 0; i < 2; i++) {
        change.parent[i] = forest->trial + (size_t)i * forest->n;
        change.by[i] = forest->trial + (size_t)(2 + i) * forest->n;
    }
    while (improve(&change, &now)) {
    }
}
