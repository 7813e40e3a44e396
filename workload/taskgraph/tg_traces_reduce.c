/* Converts all-reduces to nodes; see tg_traces.c. */
#include "core/arena.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_groups.h"
#include "workload/taskgraph/tg_traces_private.h"

static enum orr_status no_memory(const struct tg_maker *maker)
{
    return orr_diag_no_memory(maker->diag, "the traces of a task graph");
}

/* ---- predecessors ---- */

static bool add_feed(struct tg_maker *maker, struct tg_npu *npu, uint32_t node, uint32_t edge)
{
    struct tg_feed *grown = orr_arena_grow(maker->scratch, maker->feed, &maker->feed_capacity,
                                           maker->feeds + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    maker->feed = grown;
    grown[maker->feeds++] = (struct tg_feed){.node = node, .edge = edge, .next = npu->feeding};
    npu->feeding = (uint32_t)maker->feeds;
    return true;
}

/* A preceding all-reduce feeds it on every common member; *common: whether there is one. The
 * dependency has no position in the order of successors. */
static enum orr_status feed_by_reduce(struct tg_maker *maker, uint32_t prev, bool *common)
{
    const struct tg_task *at = &maker->graph->task[prev];
    *common = false;
    for (uint32_t i = 0; i < at->to; i++) {
        struct tg_npu *npu = &maker->npu[maker->graph->member[at->from + i]];
        if (npu->feeding == 0) {
            continue;
        }
        *common = true;
        if (!add_feed(maker, npu, maker->end[prev] + 2 * i, TG_NONE)) {
            return no_memory(maker);
        }
    }
    return ORR_OK;
}

/* A predecessor that is done on no member is signaled to the first member, group 0's. */
static enum orr_status feed(struct tg_maker *maker, const struct tg_edge *edge,
                            const struct tg_task *reduce, uint32_t *foreign, size_t *foreigners)
{
    struct tg_npu *npu = &maker->npu[orr_tg_done_at(maker, edge->task)];
    bool common = false;
    if (tg_reduces(maker, &maker->graph->task[edge->task])) {
        const enum orr_status status = feed_by_reduce(maker, edge->task, &common);
        if (common || status != ORR_OK) {
            return status;
        }
    } else if (npu->feeding != 0) {
        return add_feed(maker, npu, maker->end[edge->task], edge->next) ? ORR_OK : no_memory(maker);
    }
    maker->is_asymmetric |= reduce->across && maker->copies > 1;
    return orr_tg_done_on(maker, edge, maker->graph->member[reduce->from],
                          &foreign[(*foreigners)++]);
}

/* Sorts the predecessors of the all-reduce by NPU; the nodes of signals to its first member are
 * kept in `foreign`. */
static enum orr_status sort_feeding(struct tg_maker *maker, uint32_t task, uint32_t *foreign,
                                    size_t *foreigners)
{
    const struct tg_task *at = &maker->graph->task[task];
    const uint32_t *member = maker->graph->member + at->from;
    enum orr_status status = ORR_OK;
    maker->feeds = 0;
    for (uint32_t i = 0; i < at->to; i++) {
        maker->npu[member[i]].feeding = UINT32_MAX;
    }
    for (uint32_t e = maker->prev.first[task]; e < maker->prev.first[task + 1] && status == ORR_OK;
         e++) {
        status = feed(maker, &maker->prev.edge[e], at, foreign, foreigners);
    }
    return status;
}

/* ---- its nodes ---- */

/* Adds the node of one NPU with the current dependencies. */
static enum orr_status add_member(struct tg_maker *maker, uint32_t task, uint32_t npu,
                                  uint32_t group)
{
    struct tg_node node = {.npu = npu, .task = task, .what = TG_NODE_IN_SERVER};
    uint32_t id = 0;
    const enum orr_status status = orr_tg_node(maker, &node, &id);
    maker->dep_count = 0;
    if (status != ORR_OK) {
        return status;
    }
    if (!orr_tg_add_dep(maker, id)) {
        return no_memory(maker);
    }
    node.what = TG_NODE_REDUCE;
    node.of.group = group;
    return orr_tg_node(maker, &node, &id);
}

static enum orr_status reduce_on(struct tg_maker *maker, uint32_t task, uint32_t npu,
                                 uint32_t group)
{
    bool kept = true;
    for (uint32_t at = maker->npu[npu].feeding; at != UINT32_MAX && kept;) {
        const struct tg_feed *feed = &maker->feed[at - 1];
        if (feed->edge != TG_NONE) {
            maker->begin[feed->edge] = tg_next_id(maker);
        }
        kept = orr_tg_add_dep(maker, feed->node);
        at = feed->next;
    }
    maker->npu[npu].feeding = 0;
    return kept ? add_member(maker, task, npu, group) : no_memory(maker);
}

/* Sets, for each successor, the node of the member on its NPU, if there is one. */
static void set_waiting(struct tg_maker *maker, uint32_t task)
{
    const struct tg_graph *graph = maker->graph;
    const struct tg_task *at = &graph->task[task];
    uint32_t count;
    const uint32_t *next = orr_tg_next(graph, task, &count);
    uint32_t *begin = maker->begin + (next - graph->next);
    for (uint32_t i = 0; i < at->to && count != 0; i++) {
        struct tg_npu *npu = &maker->npu[graph->member[at->from + i]];
        npu->member = i;
        npu->member_of = task + 1;
    }
    for (uint32_t n = 0; n < count; n++) {
        const struct tg_npu *npu = &maker->npu[orr_tg_begins_on(maker, next[n])];
        const bool plain = !tg_reduces(maker, &graph->task[next[n]]);
        begin[n] =
            plain && npu->member_of == task + 1 ? maker->end[task] + 2 * npu->member : TG_NONE;
    }
}

static enum orr_status add_members(struct tg_maker *maker, uint32_t task, uint32_t group,
                                   const uint32_t *foreign, size_t foreigners)
{
    const struct tg_task *at = &maker->graph->task[task];
    const uint32_t *member = maker->graph->member + at->from;
    enum orr_status status = ORR_OK;
    maker->end[task] = tg_next_id(maker) + 1;
    for (uint32_t i = 0; i < at->to && status == ORR_OK; i++) {
        maker->dep_count = 0;
        for (size_t f = 0; i == 0 && f < foreigners && status == ORR_OK; f++) {
            status = orr_tg_add_dep(maker, foreign[f]) ? ORR_OK : no_memory(maker);
        }
        status = status == ORR_OK ? reduce_on(maker, task, member[i], group) : status;
    }
    return status;
}

enum orr_status orr_tg_add_reduce(struct tg_maker *maker, uint32_t task)
{
    const struct tg_task *at = &maker->graph->task[task];
    const uint32_t feeding = maker->prev.first[task + 1] - maker->prev.first[task];
    uint32_t *foreign = orr_arena_array(maker->scratch, feeding + 1u, sizeof *foreign);
    size_t foreigners = 0;
    const struct tg_group key = {.ranks = maker->graph->member + at->from,
                                 .count = at->to,
                                 .across = at->across && maker->copies > 1};
    const struct tg_group *group = orr_tg_groups_find_or_add(&maker->groups, &key);
    if (foreign == NULL || group == NULL) {
        return no_memory(maker);
    }
    const uint32_t number = (uint32_t)(group - maker->groups.group);
    enum orr_status status = sort_feeding(maker, task, foreign, &foreigners);
    if (status == ORR_OK) {
        status = add_members(maker, task, number, foreign, foreigners);
    }
    if (status == ORR_OK) {
        set_waiting(maker, task);
    }
    return status;
}
