/* The tasks of a job: see taskgraph.h and cluster_private.h. An iteration begins with the tasks
 * that wait for nothing, in the order of the graph, and ends when all tasks and all-reduces are
 * done. */
#include "workload/taskgraph/cluster_private.h"

static sim_time after(const struct cluster_job *job, sim_time duration)
{
    return orr_time_add(orr_evq_now(job->cluster->queue), duration);
}

static struct server *server_of(struct cluster_job *job, const struct orr_task *task)
{
    const uint32_t host = task->kind == ORR_TASK_HOST ? job->config.graph->servers : 0;
    return &job->server[host + task->from];
}

static void wait_for(struct cluster_job *job, uint16_t kind, uint32_t index)
{
    const sim_time time = after(job, cluster_task(job, index)->runtime_ps);
    orr_cluster_post(job->cluster, time, kind, cookie_of(job->number, index));
}

/* ---- starting ---- */

static void compute(struct cluster_job *job, struct server *server, uint32_t index)
{
    server->running = index;
    server->busy_ps = orr_time_add(server->busy_ps, cluster_task(job, index)->runtime_ps);
    wait_for(job, EVENT_TASK_DONE, index);
}

static void queue_up(struct cluster_job *job, struct server *server, uint32_t index)
{
    job->behind[index] = CLUSTER_NONE;
    if (server->running == CLUSTER_NONE) {
        compute(job, server, index);
    } else if (server->head == CLUSTER_NONE) {
        server->head = server->tail = index;
    } else {
        job->behind[server->tail] = index;
        server->tail = index;
    }
}

static void start(struct cluster_job *job, uint32_t index)
{
    const struct orr_task *task = cluster_task(job, index);
    switch (task->kind) {
    case ORR_TASK_COMPUTE:
    case ORR_TASK_HOST:
        queue_up(job, server_of(job, task), index);
        break;
    case ORR_TASK_TRANSFER:
        orr_cluster_start_flow(job, task->from, task->to, task->bytes,
                               cookie_of(job->number, index));
        break;
    case ORR_TASK_REDUCE:
        wait_for(job, EVENT_REDUCE, index);
        break;
    default:
        wait_for(job, EVENT_TASK_DONE, index);
        break;
    }
}

/* ---- finishing ---- */

void orr_taskgraph_finish(struct cluster_job *job, uint32_t index)
{
    const struct orr_task *task = cluster_task(job, index);
    const uint32_t *next = job->config.graph->next + task->first_next;
    job->done++;
    job->waits_for[index] = CLUSTER_NONE;
    for (uint32_t i = 0; i < task->nexts; i++) {
        if (--job->waits_for[next[i]] == 0) {
            start(job, next[i]);
        }
    }
    orr_cluster_check_end(job);
}

void orr_taskgraph_computed(struct cluster_job *job, uint32_t index)
{
    const struct orr_task *task = cluster_task(job, index);
    orr_taskgraph_finish(job, index);
    if (task->kind <= ORR_TASK_HOST) {
        struct server *server = server_of(job, task);
        const uint32_t waiting = server->head;
        server->running = CLUSTER_NONE;
        if (waiting != CLUSTER_NONE) {
            server->head = job->behind[waiting];
            compute(job, server, waiting);
        }
    }
}

/* One among fewer than two servers is done at once. */
void orr_taskgraph_reduce(struct cluster_job *job, uint32_t index)
{
    const uint32_t servers = cluster_task(job, index)->nexts;
    struct orr_all_reduce choice = job->config.all_reduce;
    job->done++;
    job->waits_for[index] = CLUSTER_NONE;
    if (servers > 1) {
        job->result.all_reduces++;
        if (!orr_all_reduce_fits(&choice, servers)) {
            job->result.rings_instead++;
            choice.kind = NULL;
        }
        const struct orr_all_reduce_kind *kind =
            choice.kind == NULL ? orr_all_reduce_default() : choice.kind;
        kind->ops->start(job, &choice, index);
    }
    orr_cluster_check_end(job);
}

/* ---- an iteration ---- */

enum orr_status orr_taskgraph_allocate(struct cluster_job *job, struct orr_diag *diag)
{
    const struct orr_taskgraph *graph = job->config.graph;
    struct orr_arena *arena = job->cluster->arena;
    job->server = orr_arena_array(arena, 2 * (size_t)graph->servers + 1, sizeof *job->server);
    job->waits_for = orr_arena_array(arena, (size_t)graph->tasks + 1, sizeof(uint32_t));
    job->behind = orr_arena_array(arena, (size_t)graph->tasks + 1, sizeof(uint32_t));
    job->iteration_ps =
        orr_arena_array(arena, (size_t)job->config.iterations + 1, sizeof(sim_time));
    if (job->server == NULL || job->waits_for == NULL || job->behind == NULL ||
        job->iteration_ps == NULL) {
        return orr_diag_no_memory(diag, "the tasks of a job");
    }
    for (uint32_t i = 0; i < 2 * graph->servers; i++) {
        job->server[i] =
            (struct server){.head = CLUSTER_NONE, .tail = CLUSTER_NONE, .running = CLUSTER_NONE};
    }
    return ORR_OK;
}

static void count_waits(struct cluster_job *job)
{
    const struct orr_taskgraph *graph = job->config.graph;
    for (uint32_t i = 0; i < graph->tasks; i++) {
        job->waits_for[i] = 0;
    }
    for (uint32_t i = 0; i < graph->tasks; i++) {
        const struct orr_task *task = &graph->task[i];
        for (uint32_t n = 0; task->kind != ORR_TASK_REDUCE && n < task->nexts; n++) {
            job->waits_for[graph->next[task->first_next + n]]++;
        }
    }
}

void orr_taskgraph_begin(struct cluster_job *job)
{
    job->began_ps = orr_evq_now(job->cluster->queue);
    job->done = 0;
    count_waits(job);
    for (uint32_t i = 0; i < job->config.graph->tasks; i++) {
        if (job->waits_for[i] == 0) {
            start(job, i);
        }
    }
    if (job->config.graph->tasks == 0) {
        orr_cluster_check_end(job);
    }
}
