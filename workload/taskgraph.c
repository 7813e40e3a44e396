/* Runs a task graph: see taskgraph.h. Events of one instant are taken in the order in which they
 * were posted, so that a server's line is by time and then by that order. */
#include "workload/taskgraph.h"

#include <inttypes.h>

#include "workload/taskgraph_private.h"

#define NONE UINT32_MAX

static const struct orr_task *task_of(const struct orr_taskgraph_run *run, uint32_t task)
{
    return &run->config.graph->task[task];
}

static void post(struct orr_taskgraph_run *run, sim_time time, uint16_t kind, uint64_t cookie)
{
    const struct orr_event event = {.cookie = cookie, .kind = kind, .part = ORR_PART_OTHER};
    orr_evq_post(run->queue, time, &event);
}

static sim_time after(const struct orr_taskgraph_run *run, sim_time duration)
{
    return orr_time_add(orr_evq_now(run->queue), duration);
}

void taskgraph_start_flow(struct orr_taskgraph_run *run, const uint32_t ends[2], uint64_t bytes,
                          uint64_t cookie)
{
    net_flows_start(run->flows, ends[0], ends[1], bytes, run->keys++, cookie);
}

/* ---- tasks ---- */

static struct server *server_of(struct orr_taskgraph_run *run, const struct orr_task *task)
{
    const uint32_t host = task->kind == ORR_TASK_HOST ? run->config.graph->servers : 0;
    return &run->server[host + task->from];
}

static void compute(struct orr_taskgraph_run *run, struct server *server, uint32_t index)
{
    const struct orr_task *task = task_of(run, index);
    server->running = index;
    server->busy_ps = orr_time_add(server->busy_ps, task->runtime_ps);
    post(run, after(run, task->runtime_ps), EVENT_TASK_DONE, index);
}

static void queue_up(struct orr_taskgraph_run *run, struct server *server, uint32_t index)
{
    run->behind[index] = NONE;
    if (server->running == NONE) {
        compute(run, server, index);
    } else if (server->head == NONE) {
        server->head = server->tail = index;
    } else {
        run->behind[server->tail] = index;
        server->tail = index;
    }
}

static void start(struct orr_taskgraph_run *run, uint32_t index)
{
    const struct orr_task *task = task_of(run, index);
    switch (task->kind) {
    case ORR_TASK_COMPUTE:
    case ORR_TASK_HOST:
        queue_up(run, server_of(run, task), index);
        break;
    case ORR_TASK_TRANSFER:
        taskgraph_start_flow(run, (const uint32_t[2]){task->from, task->to}, task->bytes, index);
        break;
    case ORR_TASK_REDUCE:
        post(run, after(run, task->runtime_ps), EVENT_REDUCE, index);
        break;
    default:
        post(run, after(run, task->runtime_ps), EVENT_TASK_DONE, index);
        break;
    }
}

static void finish(struct orr_taskgraph_run *run, uint32_t index)
{
    const struct orr_task *task = task_of(run, index);
    const uint32_t *next = run->config.graph->next + task->first_next;
    run->done++;
    run->result.iteration_ps = orr_evq_now(run->queue);
    for (uint32_t i = 0; i < task->nexts; i++) {
        if (--run->waits_for[next[i]] == 0) {
            start(run, next[i]);
        }
    }
}

/* ---- events ---- */

static void on_task_done(void *context, const struct orr_event *event)
{
    struct orr_taskgraph_run *run = context;
    const uint32_t index = (uint32_t)event->cookie;
    const struct orr_task *task = task_of(run, index);
    finish(run, index);
    if (task->kind <= ORR_TASK_HOST) {
        struct server *server = server_of(run, task);
        const uint32_t waiting = server->head;
        server->running = NONE;
        if (waiting != NONE) {
            server->head = run->behind[waiting];
            compute(run, server, waiting);
        }
    }
}

static void on_ended(void *context, uint64_t cookie, sim_time time)
{
    post(context, time, EVENT_DELIVERED, cookie);
}

static void on_delivered(void *context, const struct orr_event *event)
{
    const uint32_t index = (uint32_t)event->cookie;
    if (event->cookie >> COOKIE_RING_BIT != 0) {
        struct orr_taskgraph_run *run = context;
        run->result.iteration_ps = orr_evq_now(run->queue);
        taskgraph_ring_delivered(run, index);
    } else {
        finish(context, index);
    }
}

static void on_reduce(void *context, const struct orr_event *event)
{
    struct orr_taskgraph_run *run = context;
    run->done++;
    taskgraph_reduce(run, (uint32_t)event->cookie);
}

/* ---- a run ---- */

static enum orr_status allocate(struct orr_taskgraph_run *run, struct orr_diag *diag)
{
    const struct orr_taskgraph *graph = run->config.graph;
    run->queue = orr_evq_create(ORR_ORDER_INSERTION, 1);
    run->arena = orr_arena_create();
    if (run->queue == NULL || run->arena == NULL) {
        return orr_diag_no_memory(diag, "the run of a task graph");
    }
    run->server = orr_arena_array(run->arena, 2 * (size_t)graph->servers, sizeof *run->server);
    run->waits_for = orr_arena_array(run->arena, (size_t)graph->tasks + 1, sizeof(uint32_t));
    run->behind = orr_arena_array(run->arena, (size_t)graph->tasks + 1, sizeof(uint32_t));
    orr_slab_init(&run->rings, run->arena, sizeof(struct ring_run));
    return run->server != NULL && run->waits_for != NULL && run->behind != NULL
               ? ORR_OK
               : orr_diag_no_memory(diag, "the run of a task graph");
}

static enum orr_status create_flows(struct orr_taskgraph_run *run, struct orr_diag *diag)
{
    const struct net_route_options routes = {.routing = run->config.routing,
                                             .seed = run->config.seed};
    const enum orr_status status =
        net_router_create(&run->router, run->config.network, &routes, run->arena, diag);
    const struct net_flows_config config = {.graph = run->config.network,
                                            .router = run->router,
                                            .model = run->config.flows,
                                            .queue = run->queue,
                                            .ended = on_ended,
                                            .context = run};
    return status == ORR_OK ? net_flows_create(&run->flows, &config, diag) : status;
}

/* Tasks that wait for nothing start in the order of the graph. */
static void start_first(struct orr_taskgraph_run *run)
{
    const struct orr_taskgraph *graph = run->config.graph;
    for (uint32_t i = 0; i < 2 * graph->servers; i++) {
        run->server[i] = (struct server){.head = NONE, .tail = NONE, .running = NONE};
    }
    for (uint32_t i = 0; i < graph->tasks; i++) {
        const struct orr_task *task = &graph->task[i];
        for (uint32_t n = 0; task->kind != ORR_TASK_REDUCE && n < task->nexts; n++) {
            run->waits_for[graph->next[task->first_next + n]]++;
        }
    }
    for (uint32_t i = 0; i < graph->tasks; i++) {
        if (run->waits_for[i] == 0) {
            start(run, i);
        }
    }
}

static enum orr_status run_all(struct orr_taskgraph_run *run, struct orr_diag *diag)
{
    const struct orr_taskgraph *graph = run->config.graph;
    orr_evq_handle(run->queue, EVENT_TASK_DONE, on_task_done, run);
    orr_evq_handle(run->queue, EVENT_DELIVERED, on_delivered, run);
    orr_evq_handle(run->queue, EVENT_REDUCE, on_reduce, run);
    start_first(run);
    const enum orr_status status = orr_evq_run(run->queue, diag);
    if (status == ORR_OK && run->done != graph->tasks) {
        return orr_diag_fail(diag, ORR_ERR_DEADLOCK, NULL,
                             "the task graph cannot finish: %" PRIu64 " of %" PRIu32
                             " tasks wait for each other",
                             graph->tasks - run->done, graph->tasks);
    }
    return status;
}

static void collect(struct orr_taskgraph_run *run)
{
    struct orr_taskgraph_result *result = &run->result;
    for (uint32_t i = 0; i < run->config.graph->servers; i++) {
        if (run->server[i].busy_ps > result->compute_most_ps) {
            result->compute_most_ps = run->server[i].busy_ps;
        }
    }
    result->flows = net_flows_counts(run->flows);
    result->events = orr_evq_handled(run->queue);
}

enum orr_status orr_taskgraph_run(struct orr_taskgraph_run **out,
                                  const struct orr_taskgraph_config *config,
                                  struct orr_taskgraph_result *result, struct orr_diag *diag)
{
    struct orr_taskgraph_run *run = orr_heap_calloc(1, sizeof *run);
    *out = run;
    if (run == NULL) {
        return orr_diag_no_memory(diag, "the run of a task graph");
    }
    run->config = *config;
    enum orr_status status = allocate(run, diag);
    if (status == ORR_OK) {
        status = create_flows(run, diag);
    }
    if (status == ORR_OK) {
        status = run_all(run, diag);
    }
    if (status == ORR_OK) {
        collect(run);
        *result = run->result;
    }
    return status;
}

const struct net_flows *orr_taskgraph_flows(const struct orr_taskgraph_run *run)
{
    return run->flows;
}

void orr_taskgraph_destroy(struct orr_taskgraph_run *run)
{
    if (run != NULL) {
        net_flows_destroy(run->flows);
        orr_evq_destroy(run->queue);
        orr_arena_destroy(run->arena);
        orr_heap_free(run);
    }
}
