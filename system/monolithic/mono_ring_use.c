/* How many rings all-reduces went around, and which share of the links: see system/sys_counts.h. */
#include "system/monolithic/mono_private.h"

static uint32_t rank_of(const struct sys_group *group, uint32_t member)
{
    return group->given != NULL ? group->given[member] : member;
}

/* The links between the ends of a ring's steps; what goes over other nodes takes none of these. */
static void count_ring(const struct net_graph *graph, const struct sys_group *group,
                       const struct net_ring *ring, uint32_t *uses)
{
    for (uint32_t m = 0; m < group->size; m++) {
        const uint32_t next = mono_next(ring, group->size, m);
        const uint32_t link = orr_net_graph_find(graph, rank_of(group, m), rank_of(group, next));
        if (link != NET_NO_LINK) {
            uses[link]++;
        }
    }
}

static void count_links(const struct net_graph *graph, const bool *is_member, const uint32_t *uses,
                        struct sys_ring_use *out)
{
    for (uint32_t l = 0; l < graph->links; l++) {
        const struct net_link *link = &graph->link[l];
        const bool among = link->from < graph->npus && link->to < graph->npus &&
                           is_member[link->from] && is_member[link->to];
        out->links += among ? link->count : 0;
        out->links_used += uses[l] < link->count ? uses[l] : link->count;
    }
}

bool orr_sys_ring_use(const struct sys *sys, struct sys_ring_use *out)
{
    const struct net_graph *graph = sys->net->config->graph;
    const struct sys_group *group = sys->monos != NULL ? sys->monos->largest : NULL;
    *out = (struct sys_ring_use){.members = 0};
    if (graph == NULL || group == NULL || group->rings == NULL) {
        return false;
    }
    bool *is_member = orr_heap_calloc(graph->npus, sizeof *is_member);
    uint32_t *uses = orr_heap_calloc((size_t)graph->links + 1, sizeof *uses);
    const bool counted = is_member != NULL && uses != NULL;
    for (uint32_t m = 0; counted && m < group->size; m++) {
        is_member[rank_of(group, m)] = true;
    }
    for (uint32_t r = 0; counted && r < group->rings->count; r++) {
        count_ring(graph, group, group->rings->ring[r], uses);
    }
    if (counted) {
        out->members = group->size;
        out->rings = group->rings->count;
        count_links(graph, is_member, uses, out);
    }
    orr_heap_free(is_member);
    orr_heap_free(uses);
    return counted && out->links != 0;
}
