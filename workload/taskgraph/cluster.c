/* Jobs on one network: see cluster.h. Events of one instant are taken in the order in which they
 * were posted, so that a server's line is by time and then by that order. */
#include "workload/taskgraph/cluster_private.h"

#include <inttypes.h>

/* ---- events ---- */

static struct cluster_job *job_of(const struct orr_cluster *cluster, const struct orr_event *event)
{
    return cluster->job[event->cookie >> 32];
}

static void on_begin(void *context, const struct orr_event *event)
{
    struct orr_cluster *cluster = context;
    orr_taskgraph_begin(cluster->job[event->cookie]);
}

static void on_task_done(void *context, const struct orr_event *event)
{
    orr_taskgraph_computed(job_of(context, event), (uint32_t)event->cookie);
}

static void on_reduce(void *context, const struct orr_event *event)
{
    orr_taskgraph_reduce(job_of(context, event), (uint32_t)event->cookie);
}

static void on_ended(void *context, uint64_t cookie, sim_time time)
{
    struct orr_cluster *cluster = context;
    if ((cookie & COOKIE_TELL) != 0) {
        const uint32_t handle = (uint32_t)cookie;
        cluster_reduce(cluster, handle)->ops->left(cluster, handle, cookie_part(cookie));
    }
    orr_cluster_post(cluster, time, EVENT_DELIVERED, cookie);
}

static void on_delivered(void *context, const struct orr_event *event)
{
    struct orr_cluster *cluster = context;
    const uint32_t low = (uint32_t)event->cookie;
    if ((event->cookie & COOKIE_REDUCE) != 0) {
        cluster_reduce(cluster, low)->ops->delivered(cluster, low, cookie_part(event->cookie));
    } else {
        orr_taskgraph_finish(job_of(context, event), low);
    }
}

static void on_send(void *context, const struct orr_event *event)
{
    struct orr_cluster *cluster = context;
    const uint32_t handle = (uint32_t)event->cookie;
    cluster_reduce(cluster, handle)->ops->send(cluster, handle, cookie_part(event->cookie));
}

/* ---- a cluster ---- */

static enum orr_status allocate(struct orr_cluster *cluster, struct orr_diag *diag)
{
    cluster->queue = orr_evq_create(ORR_ORDER_INSERTION, 1);
    cluster->arena = orr_arena_create();
    if (cluster->queue != NULL && cluster->arena != NULL) {
        const uint32_t npus = cluster->config.network->npus;
        cluster->owner = orr_arena_array(cluster->arena, npus, sizeof *cluster->owner);
        orr_slab_init(&cluster->reduces, cluster->arena, sizeof(struct reduce_run));
        orr_programs_init(cluster);
    }
    return cluster->owner != NULL ? ORR_OK : orr_diag_no_memory(diag, "a cluster");
}

static enum orr_status create_flows(struct orr_cluster *cluster, struct orr_diag *diag)
{
    const struct orr_cluster_config *given = &cluster->config;
    enum orr_status status = orr_net_graph_check_connected(given->network, cluster->arena, diag);
    if (status == ORR_OK) {
        status = orr_net_router_create(&cluster->router, given->network, &given->routes,
                                       cluster->arena, diag);
    }
    const struct net_flows_config config = {.graph = given->network,
                                            .router = cluster->router,
                                            .model = given->flows,
                                            .queue = cluster->queue,
                                            .ended = on_ended,
                                            .context = cluster};
    return status == ORR_OK ? orr_net_flows_create(&cluster->flows, &config, diag) : status;
}

enum orr_status orr_cluster_create(struct orr_cluster **out,
                                   const struct orr_cluster_config *config, struct orr_diag *diag)
{
    struct orr_cluster *cluster = orr_heap_calloc(1, sizeof *cluster);
    *out = cluster;
    if (cluster == NULL) {
        return orr_diag_no_memory(diag, "a cluster");
    }
    cluster->config = *config;
    enum orr_status status = allocate(cluster, diag);
    if (status == ORR_OK) {
        status = create_flows(cluster, diag);
    }
    if (status == ORR_OK) {
        orr_evq_handle(cluster->queue, EVENT_BEGIN, on_begin, cluster);
        orr_evq_handle(cluster->queue, EVENT_TASK_DONE, on_task_done, cluster);
        orr_evq_handle(cluster->queue, EVENT_REDUCE, on_reduce, cluster);
        orr_evq_handle(cluster->queue, EVENT_DELIVERED, on_delivered, cluster);
        orr_evq_handle(cluster->queue, EVENT_SEND, on_send, cluster);
        return ORR_OK;
    }
    orr_cluster_destroy(cluster);
    *out = NULL;
    return status;
}

void orr_cluster_destroy(struct orr_cluster *cluster)
{
    if (cluster != NULL) {
        orr_programs_free(cluster);
        orr_net_flows_destroy(cluster->flows);
        orr_evq_destroy(cluster->queue);
        orr_arena_destroy(cluster->arena);
        orr_heap_free(cluster);
    }
}

/* ---- jobs ---- */

static const char *name_of(const struct orr_cluster_job *job)
{
    return job->name == NULL ? "the task graph" : job->name;
}

static enum orr_status take_servers(struct orr_cluster *cluster, const struct orr_cluster_job *job,
                                    uint32_t *node, struct orr_diag *diag)
{
    const uint32_t npus = cluster->config.network->npus;
    for (uint32_t i = 0; i < job->graph->servers; i++) {
        node[i] = job->server == NULL ? i : job->server[i];
        if (node[i] >= npus) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "%s: server %" PRIu32 " is not in the network, which has %" PRIu32
                                 " NPUs",
                                 name_of(job), node[i], npus);
        }
        const uint32_t owner = cluster->owner[node[i]];
        if (owner != 0) {
            const bool own = owner == cluster->jobs + 1;
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: server %" PRIu32 " %s%s",
                                 name_of(job), node[i], own ? "is given twice" : "belongs to ",
                                 own ? "" : name_of(&cluster->job[owner - 1]->config));
        }
        cluster->owner[node[i]] = (uint32_t)cluster->jobs + 1;
    }
    return ORR_OK;
}

/* All-reduces that the chosen way does not fit are told once. */
static void warn_of_rings(const struct orr_cluster_job *job, struct orr_diag *diag)
{
    char text[ORR_ALL_REDUCE_BYTES];
    for (uint32_t i = 0; i < job->graph->tasks; i++) {
        const struct orr_task *task = &job->graph->task[i];
        if (task->kind == ORR_TASK_REDUCE && task->nexts > 1 &&
            !orr_all_reduce_fits(&job->all_reduce, task->nexts)) {
            orr_diag_warn(diag, NULL,
                          "%s: %s does not fit all-reduces among %" PRIu32
                          " servers; those it does not fit are rings",
                          name_of(job), orr_all_reduce_format(&job->all_reduce, text, sizeof text),
                          task->nexts);
            return;
        }
    }
}

enum orr_status orr_cluster_add(struct orr_cluster *cluster, const struct orr_cluster_job *given,
                                struct orr_diag *diag)
{
    struct cluster_job *job = orr_arena_alloc(cluster->arena, sizeof *job);
    uint32_t *node =
        orr_arena_array(cluster->arena, (size_t)given->graph->servers + 1, sizeof *node);
    struct cluster_job **grown = orr_arena_grow(cluster->arena, cluster->job, &cluster->job_room,
                                                cluster->jobs + 1, sizeof(struct cluster_job *));
    if (job == NULL || node == NULL || grown == NULL) {
        return orr_diag_no_memory(diag, "a job of a cluster");
    }
    cluster->job = grown;
    *job = (struct cluster_job){
        .cluster = cluster, .config = *given, .number = (uint32_t)cluster->jobs, .node = node};
    enum orr_status status = take_servers(cluster, given, node, diag);
    if (status == ORR_OK) {
        status = orr_taskgraph_allocate(job, diag);
    }
    if (status == ORR_OK) {
        warn_of_rings(given, diag);
        cluster->job[cluster->jobs++] = job;
    }
    return status;
}

/* ---- a run ---- */

enum orr_status orr_cluster_run(struct orr_cluster *cluster, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < cluster->jobs; i++) {
        orr_cluster_post(cluster, cluster->job[i]->config.start_ps, EVENT_BEGIN, i);
    }
    enum orr_status status = orr_evq_run(cluster->queue, diag);
    for (uint32_t i = 0; i < cluster->jobs && status == ORR_OK; i++) {
        const struct cluster_job *job = cluster->job[i];
        status = job->iteration == job->config.iterations ? ORR_OK : orr_cluster_stuck(job, diag);
    }
    return status;
}

struct orr_cluster_result orr_cluster_result(const struct orr_cluster *cluster, uint32_t number)
{
    const struct cluster_job *job = cluster->job[number];
    struct orr_cluster_result result = job->result;
    result.iteration_ps = job->iteration_ps;
    result.flows = job->flows;
    for (uint32_t i = 0; i < job->config.graph->servers; i++) {
        const sim_time busy = job->server[i].busy_ps / job->config.iterations;
        result.compute_most_ps = busy > result.compute_most_ps ? busy : result.compute_most_ps;
    }
    return result;
}

const struct net_flows *orr_cluster_flows(const struct orr_cluster *cluster)
{
    return cluster->flows;
}

uint64_t orr_cluster_events(const struct orr_cluster *cluster)
{
    return orr_evq_handled(cluster->queue);
}
