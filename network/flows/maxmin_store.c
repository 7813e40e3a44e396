/* Storage of the max-min solver: see maxmin_private.h. */
#include "network/flows/maxmin_private.h"

#include <assert.h>

enum { LINE = 64 };

static bool make_links(struct maxmin *problem, uint32_t links, const double *capacity)
{
    const size_t count = (size_t)links + 1;
    problem->link_storage = orr_heap_calloc(count + 1, sizeof *problem->link);
    problem->entries = orr_heap_calloc(count, sizeof *problem->entries);
    problem->position = orr_heap_calloc(count, sizeof *problem->position);
    if (problem->link_storage == NULL || problem->entries == NULL || problem->position == NULL) {
        return false;
    }
    const size_t past = (uintptr_t)problem->link_storage % LINE;
    problem->link = (struct link *)((char *)problem->link_storage + (past == 0 ? 0 : LINE - past));
    problem->links = links;
    for (uint32_t i = 0; i < links; i++) {
        problem->link[i].capacity = capacity[i];
        problem->position[i] = MAXMIN_NONE;
    }
    return true;
}

struct maxmin *orr_maxmin_create(uint32_t links, const double *capacity)
{
    static_assert(sizeof(struct link) == LINE, "a link is a cache line");
    struct maxmin *problem = orr_heap_calloc(1, sizeof *problem);
    if (problem == NULL) {
        return NULL;
    }
    problem->arena = orr_arena_create();
    if (problem->arena == NULL || !make_links(problem, links, capacity)) {
        orr_maxmin_destroy(problem);
        return NULL;
    }
    return problem;
}

void orr_maxmin_destroy(struct maxmin *problem)
{
    if (problem == NULL) {
        return;
    }
    for (uint32_t i = 0; i < problem->links; i++) {
        orr_heap_free(problem->entries[i].entry);
    }
    orr_heap_free(problem->link_storage);
    orr_heap_free(problem->entries);
    orr_heap_free(problem->position);
    orr_heap_free(problem->flow);
    orr_heap_free(problem->link_heap.item);
    orr_heap_free(problem->bounds.item);
    orr_heap_free(problem->member);
    orr_heap_free(problem->coming);
    orr_heap_free(problem->unused.item);
    orr_heap_free(problem->unused_members.item);
    orr_heap_free(problem->new_members.item);
    orr_heap_free(problem->dirty_links.item);
    orr_heap_free(problem->part.item);
    orr_heap_free(problem->touched.item);
    orr_heap_free(problem->pending.item);
    orr_arena_destroy(problem->arena);
    orr_heap_free(problem);
}

uint32_t orr_maxmin_new_flow(struct maxmin *problem)
{
    if (problem->unused.count > 0) {
        return problem->unused.item[--problem->unused.count];
    }
    if (problem->flows == MAXMIN_NONE ||
        !orr_heap_reserve(&problem->flow, &problem->flow_alloc, problem->flows + 1,
                          sizeof *problem->flow)) {
        return MAXMIN_NONE;
    }
    problem->flow[problem->flows] = (struct flow){.members = 0};
    return (uint32_t)problem->flows++;
}

static uint32_t pop_free_member(struct maxmin *problem)
{
    if (problem->unused_members.count > 0) {
        return problem->unused_members.item[--problem->unused_members.count];
    }
    if (problem->members == MAXMIN_NONE ||
        !orr_heap_reserve(&problem->member, &problem->member_alloc, problem->members + 1,
                          sizeof *problem->member)) {
        return MAXMIN_NONE;
    }
    problem->member[problem->members] = (struct member){.flow = MAXMIN_NONE};
    return (uint32_t)problem->members++;
}

uint32_t orr_maxmin_new_member(struct maxmin *problem, uint32_t hops)
{
    const uint32_t handle = pop_free_member(problem);
    if (handle == MAXMIN_NONE) {
        return MAXMIN_NONE;
    }
    struct member *member = &problem->member[handle];
    if (member->alloc < hops) {
        member->alloc = (hops + 3) / 4 * 4 & ((UINT32_C(1) << 30) - 1);
        member->at = orr_arena_array(problem->arena, member->alloc, sizeof *member->at);
        member->alloc = member->at == NULL ? 0 : member->alloc; /* a path of 2^30 links fails too */
    }
    return member->alloc < hops ? MAXMIN_NONE : handle;
}

bool orr_maxmin_reserve_entries(struct maxmin *problem, uint32_t link, uint32_t entries)
{
    struct entries *on = &problem->entries[link];
    uint32_t alloc = on->alloc == 0 ? 4 : on->alloc;
    while (alloc - problem->link[link].count < entries) {
        alloc *= 2;
    }
    if (alloc == on->alloc) {
        return true;
    }
    struct maxmin_entry *grown = orr_heap_realloc(on->entry, alloc * sizeof *grown);
    if (grown != NULL) {
        on->entry = grown;
        on->alloc = alloc;
    }
    return grown != NULL;
}
