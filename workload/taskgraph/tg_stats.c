/* Statistics of a task graph; see tg_stats.h. */
#include "workload/taskgraph/tg_stats.h"

#include "core/arena.h"
#include "workload/taskgraph/tg_pairs.h"

struct counter {
    const struct tg_graph *graph;
    struct tg_stats *out;
    sim_time *compute_ps;  /* [NPUs of a group] */
    uint32_t *other_end;   /* [tasks] */
    struct tg_reduces *of; /* [npus + 1], by members */
};

/* How often a task occurs in the plain graph. */
static uint64_t multiplicity(const struct tg_graph *graph, uint32_t task)
{
    return graph->task[task].across ? 1 : graph->copies;
}

static void count_transfer(struct counter *counter, uint32_t index)
{
    const struct tg_task *task = &counter->graph->task[index];
    const orr_sum bytes = (orr_sum)task->bytes * counter->graph->copies;
    if (task->from == task->to) {
        counter->out->inside_bytes += bytes;
    } else if (task->role != TG_RECEIVE || counter->other_end[index] == TG_NONE) {
        counter->out->transferred_bytes += bytes;
    }
}

static void count_reduce(struct counter *counter, uint32_t index)
{
    const struct tg_task *task = &counter->graph->task[index];
    const uint32_t members = task->across ? task->to * counter->graph->copies : task->to;
    struct tg_reduces *of = &counter->of[members];
    counter->out->across += task->across;
    of->members = members;
    of->count += multiplicity(counter->graph, index);
    of->bytes += (orr_sum)task->bytes * multiplicity(counter->graph, index);
}

static void count_task(struct counter *counter, uint32_t index)
{
    const struct tg_graph *graph = counter->graph;
    const struct tg_task *task = &graph->task[index];
    uint32_t nexts;
    const uint32_t *next = orr_tg_next(graph, index, &nexts);
    counter->out->tasks += multiplicity(graph, index);
    counter->out->count[task->role][task->pass] += multiplicity(graph, index);
    for (uint32_t i = 0; i < nexts; i++) {
        counter->out->dependencies +=
            task->across && graph->task[next[i]].across ? 1 : graph->copies;
    }
    if (task->role == TG_ALL_REDUCE) {
        count_reduce(counter, index);
    } else if (orr_tg_is_transfer(task)) {
        count_transfer(counter, index);
    } else if (task->role == TG_COMPUTE) {
        sim_time *ps = &counter->compute_ps[task->from];
        *ps = orr_time_add(*ps, (sim_time)task->duration_ps);
    }
}

static void finish(struct counter *counter)
{
    struct tg_stats *out = counter->out;
    const struct tg_graph *graph = counter->graph;
    for (uint32_t i = 0; i < orr_tg_group_npus(graph); i++) {
        if (counter->compute_ps[i] > out->compute_max_ps) {
            out->compute_max_ps = counter->compute_ps[i];
        }
    }
    for (uint32_t i = 0; i <= graph->npus; i++) {
        if (counter->of[i].count != 0) {
            counter->of[out->sizes++] = counter->of[i];
        }
    }
    out->reduces = counter->of;
}

enum orr_status orr_tg_count(struct orr_arena *arena, const struct tg_graph *graph,
                             struct tg_stats *out, struct orr_diag *diag)
{
    struct counter counter = {.graph = graph, .out = out};
    struct orr_arena *scratch = orr_arena_create();
    *out = (struct tg_stats){.tasks = 0};
    counter.of = orr_arena_array(arena, (size_t)graph->npus + 1, sizeof *counter.of);
    if (scratch != NULL) {
        counter.compute_ps = orr_arena_array(scratch, graph->npus, sizeof *counter.compute_ps);
        counter.other_end = orr_arena_array(scratch, graph->tasks, sizeof *counter.other_end);
    }
    const bool made = counter.of != NULL && counter.compute_ps != NULL && counter.other_end != NULL;
    enum orr_status status = made ? orr_tg_pair_ends(graph, counter.other_end, diag)
                                  : orr_diag_no_memory(diag, "a task graph");
    for (uint32_t i = 0; i < graph->tasks && status == ORR_OK; i++) {
        count_task(&counter, i);
    }
    if (status == ORR_OK) {
        finish(&counter);
    }
    orr_arena_destroy(scratch);
    return status;
}
