/* Trees on graphs, for tests: by their parents, and checked. */
#ifndef ORR_TESTS_UNIT_EMBEDDING_FIXTURE_H
#define ORR_TESTS_UNIT_EMBEDDING_FIXTURE_H

#include "graph_fixture.h"

#include "system/embedding/embedding.h"

enum { NONE = -1 };

static inline struct sys_tree tree_of(struct fixture *f, const int *parent, uint32_t n)
{
    uint32_t *copy = orr_arena_array(f->arena, n, sizeof *copy);
    struct sys_tree tree;
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = parent[i] < 0 ? SYS_NO_PARENT : (uint32_t)parent[i];
    }
    assert_int_equal(orr_sys_tree_make(&tree, n, copy, "trees[0]", &f->diag), ORR_OK);
    return tree;
}

/* Each channel leads from its child's NPU to its parent's, or back, over links that follow each
 * other; and what is used twice is listed. */
static inline void check_channels(const struct net_graph *graph, const struct sys_trees *trees)
{
    static uint32_t uses[1 << 17];
    uint32_t conflicts = 0, listed = 0;
    memset(uses, 0, sizeof uses);
    assert_int_equal(trees->channels, 2 * trees->trees * (trees->n - 1));
    for (uint32_t c = 0; c < trees->channels; c++) {
        const struct net_channel *channel = &trees->channel[c];
        const struct sys_edge edge = trees->edge[c];
        const uint32_t child = trees->npu[edge.child];
        const uint32_t parent = trees->npu[trees->tree[edge.tree].parent[edge.child]];
        uint32_t node = channel->from;
        assert_int_equal(channel->from, edge.down ? parent : child);
        assert_int_equal(channel->to, edge.down ? child : parent);
        for (uint32_t h = 0; h < channel->hops; h++) {
            const struct net_link *link = &graph->link[channel->hop[h].link];
            assert_int_equal(link->from, node);
            assert_true(channel->hop[h].lane < link->count);
            node = link->to;
            uint32_t *used = &uses[channel->hop[h].link * 8 + channel->hop[h].lane];
            conflicts += (*used)++ > 0 ? 1 : 0;
        }
        assert_int_equal(node, channel->to);
    }
    for (uint32_t i = 0; i < trees->shares; i++) {
        const struct net_hop hop = trees->shared[i].hop;
        assert_int_equal(trees->shared[i].edges, uses[hop.link * 8 + hop.lane]);
        listed += trees->shared[i].edges - 1;
    }
    assert_int_equal(trees->conflicts, conflicts);
    assert_int_equal(listed, conflicts);
}

#endif
