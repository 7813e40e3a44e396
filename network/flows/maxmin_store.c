/* The storage of max-min problems: see maxmin_private.h. */
#include "network/flows/maxmin_private.h"

struct maxmin *orr_maxmin_create(uint32_t links, const double *capacity)
{
    struct maxmin *problem = orr_heap_calloc(1, sizeof *problem);
    if (problem == NULL) {
        return NULL;
    }
    problem->links = links;
    problem->arena = orr_arena_create();
    problem->link = orr_heap_calloc((size_t)links + 1, sizeof *problem->link);
    if (problem->arena == NULL || problem->link == NULL) {
        orr_maxmin_destroy(problem);
        return NULL;
    }
    for (uint32_t i = 0; i < links; i++) {
        problem->link[i].capacity = capacity[i];
        problem->link[i].place = MAXMIN_NONE;
    }
    return problem;
}

void orr_maxmin_destroy(struct maxmin *problem)
{
    if (problem == NULL) {
        return;
    }
    for (uint32_t i = 0; problem->link != NULL && i < problem->links; i++) {
        orr_heap_free(problem->link[i].entry);
    }
    orr_heap_free(problem->link);
    orr_heap_free(problem->flow);
    orr_heap_free(problem->link_heap.item);
    orr_heap_free(problem->bounds.item);
    orr_heap_free(problem->unused.item);
    orr_heap_free(problem->new_flows.item);
    orr_heap_free(problem->dirty_links.item);
    orr_heap_free(problem->part.item);
    orr_heap_free(problem->touched.item);
    orr_heap_free(problem->pending.item);
    orr_arena_destroy(problem->arena);
    orr_heap_free(problem);
}

uint32_t orr_maxmin_handle(struct maxmin *problem, uint32_t hops)
{
    uint32_t handle = (uint32_t)problem->flows;
    if (problem->unused.count > 0) {
        handle = problem->unused.item[--problem->unused.count];
    } else if (problem->flows == problem->flow_room) {
        const size_t room = problem->flow_room == 0 ? 64 : problem->flow_room * 2;
        struct flow *grown = orr_heap_realloc(problem->flow, room * sizeof *grown);
        if (grown == NULL || problem->flows == MAXMIN_NONE) {
            return MAXMIN_NONE;
        }
        problem->flow = grown;
        problem->flow_room = room;
    }
    if (handle == problem->flows) {
        problem->flow[problem->flows++] = (struct flow){.room = 0};
    }
    struct flow *flow = &problem->flow[handle];
    if (flow->room < hops) {
        flow->room = (hops + 3) / 4 * 4 & ((UINT32_C(1) << 30) - 1);
        flow->at = orr_arena_array(problem->arena, flow->room, sizeof *flow->at);
        flow->room = flow->at == NULL ? 0 : flow->room; /* a path of 2^30 links fails too */
    }
    return flow->room < hops ? MAXMIN_NONE : handle;
}

bool orr_maxmin_link_room(struct link *link)
{
    if (link->count < link->room) {
        return true;
    }
    const uint32_t room = link->room == 0 ? 4 : link->room * 2;
    struct maxmin_entry *grown = orr_heap_realloc(link->entry, room * sizeof *grown);
    if (grown != NULL) {
        link->entry = grown;
        link->room = room;
    }
    return grown != NULL;
}
