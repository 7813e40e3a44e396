/* Expands a graph with copies to the plain graph; see tg_graph.h. Its order is derived from that of
 * the copies: if dependencies lead to smaller numbers, ordering the plain graph by number could
 * interleave the groups differently. */
#include "core/arena.h"
#include "workload/taskgraph/tg_graph.h"

struct expander {
    const struct tg_graph *graph;
    struct tg_graph *out;
    struct tg_task *task;
    uint32_t *next, *member, *order;
    uint32_t *group_order; /* [tasks], order of group 0; NULL: by number */
    uint32_t *number;      /* [tasks], new numbers of group 0's tasks */
    uint32_t group_npus;
    uint32_t tasks, nexts, members; /* so far */
};

/* How often a task occurs in the plain graph. */
static uint32_t multiplicity(const struct tg_graph *graph, const struct tg_task *task)
{
    return task->across ? 1 : graph->copies;
}

/* Counts the plain graph. */
static enum orr_status count(struct expander *expander, struct orr_diag *diag)
{
    const struct tg_graph *graph = expander->graph;
    uint64_t tasks = 0, nexts = 0, members = 0;
    for (uint32_t i = 0, nexts_of; i < graph->tasks; i++) {
        const struct tg_task *task = &graph->task[i];
        (void)orr_tg_next(graph, i, &nexts_of);
        tasks += multiplicity(graph, task);
        members += task->role == TG_ALL_REDUCE ? (uint64_t)graph->copies * task->to : 0;
        nexts += (uint64_t)graph->copies * nexts_of; /* at most; 1 if both are across */
    }
    if (tasks >= UINT32_MAX || nexts >= UINT32_MAX || members >= UINT32_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a task graph of %u copies: expected fewer than 2^32 tasks, "
                             "dependencies and members in all",
                             (unsigned)graph->copies);
    }
    expander->out->tasks = (uint32_t)tasks;
    expander->out->nexts = (uint32_t)nexts;
    expander->out->members = (uint32_t)members;
    return ORR_OK;
}

static enum orr_status allocate(struct expander *expander, struct orr_arena *arena,
                                struct orr_arena *scratch, struct orr_diag *diag)
{
    const struct tg_graph *graph = expander->graph, *out = expander->out;
    expander->task =
        orr_arena_alloc_raw(arena, out->tasks * sizeof *expander->task, sizeof(uint64_t));
    expander->next =
        orr_arena_alloc_raw(arena, out->nexts * sizeof(uint32_t) + 1, sizeof(uint32_t));
    expander->member =
        orr_arena_alloc_raw(arena, out->members * sizeof(uint32_t) + 1, sizeof(uint32_t));
    expander->order =
        expander->group_order != NULL
            ? orr_arena_alloc_raw(arena, out->tasks * sizeof(uint32_t), sizeof(uint32_t))
            : NULL;
    expander->number = orr_arena_array(scratch, graph->tasks, sizeof(uint32_t));
    return expander->task != NULL && expander->next != NULL && expander->member != NULL &&
                   expander->number != NULL &&
                   (expander->group_order == NULL || expander->order != NULL)
               ? ORR_OK
               : orr_diag_no_memory(diag, "the groups of a task graph");
}

/* Finds the order of group 0's tasks, if it is not by number. */
static enum orr_status find_order(struct expander *expander, struct orr_arena *scratch,
                                  struct orr_diag *diag)
{
    const uint32_t tasks = expander->graph->tasks;
    uint32_t *order = orr_arena_array(scratch, tasks, sizeof *order);
    const enum orr_status status = order != NULL ? orr_tg_order(expander->graph, order, diag)
                                                 : orr_diag_no_memory(diag, "a task graph");
    for (uint32_t i = 0; i < tasks && status == ORR_OK; i++) {
        expander->group_order = order[i] != i ? order : expander->group_order;
    }
    return status;
}

static void number_tasks(struct expander *expander)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < expander->graph->tasks; i++) {
        expander->number[i] = number;
        number += multiplicity(expander->graph, &expander->graph->task[i]);
    }
}

/* Appends a group's members. */
static void add_members(struct expander *expander, const struct tg_task *task, uint32_t group)
{
    for (uint32_t i = 0; i < task->to; i++) {
        expander->member[expander->members++] =
            expander->graph->member[task->from + i] + group * expander->group_npus;
    }
}

static void add_reduce(struct expander *expander, const struct tg_task *task, uint32_t group,
                       struct tg_task *out)
{
    out->from = expander->members;
    for (uint32_t g = 0; task->across && g < expander->graph->copies; g++) {
        add_members(expander, task, g);
    }
    if (!task->across) {
        add_members(expander, task, group);
    }
    out->to = expander->members - out->from;
    out->across = 0;
}

/* Adds the successors of a task of a group: those of every group if the task is across, else those
 * of its own group; a successor that is across counts once. */
static void add_nexts(struct expander *expander, uint32_t task, uint32_t group)
{
    const struct tg_graph *graph = expander->graph;
    const uint32_t first = graph->task[task].across ? 0 : group;
    const uint32_t last = graph->task[task].across ? graph->copies - 1 : group;
    uint32_t count;
    const uint32_t *next = orr_tg_next(graph, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        const bool across = graph->task[next[i]].across;
        for (uint32_t g = first; g <= (across ? first : last); g++) {
            expander->next[expander->nexts++] = expander->number[next[i]] + (across ? 0 : g);
        }
    }
}

static void add_task(struct expander *expander, uint32_t index, uint32_t group)
{
    const struct tg_task *task = &expander->graph->task[index];
    struct tg_task *out = &expander->task[expander->tasks++];
    *out = *task;
    out->first_next = expander->nexts;
    if (task->role == TG_ALL_REDUCE) {
        add_reduce(expander, task, group, out);
    } else {
        out->from += group * expander->group_npus;
        out->to += group * expander->group_npus;
    }
    add_nexts(expander, index, group);
}

static void add_order(struct expander *expander)
{
    const struct tg_graph *graph = expander->graph;
    uint32_t at = 0;
    for (uint32_t i = 0; i < graph->tasks; i++) {
        const uint32_t task = expander->group_order[i];
        for (uint32_t g = 0; g < multiplicity(graph, &graph->task[task]); g++) {
            expander->order[at++] = expander->number[task] + g;
        }
    }
}

static void expand(struct expander *expander)
{
    const struct tg_graph *graph = expander->graph;
    struct tg_graph *out = expander->out;
    number_tasks(expander);
    for (uint32_t i = 0; i < graph->tasks; i++) {
        for (uint32_t g = 0; g < multiplicity(graph, &graph->task[i]); g++) {
            add_task(expander, i, g);
        }
    }
    if (expander->group_order != NULL) {
        add_order(expander);
    }
    out->copies = 1;
    out->nexts = expander->nexts;
    out->members = expander->members;
    out->task = expander->task;
    out->next = expander->next;
    out->member = expander->member;
    out->order = expander->order;
    out->origin = (struct tg_origin){.label = NULL}; /* it labels the tasks of one group only */
}

enum orr_status orr_tg_expand(struct orr_arena *arena, const struct tg_graph *graph,
                              struct tg_graph *out, struct orr_diag *diag)
{
    *out = *graph;
    if (graph->copies == 1) {
        return ORR_OK;
    }
    struct expander expander = {.graph = graph, .out = out, .group_npus = orr_tg_group_npus(graph)};
    struct orr_arena *scratch = orr_arena_create();
    enum orr_status status =
        scratch != NULL ? count(&expander, diag) : orr_diag_no_memory(diag, "a task graph");
    if (status == ORR_OK) {
        status = find_order(&expander, scratch, diag);
    }
    if (status == ORR_OK) {
        status = allocate(&expander, arena, scratch, diag);
    }
    if (status == ORR_OK) {
        expand(&expander);
    }
    orr_arena_destroy(scratch);
    return status;
}
