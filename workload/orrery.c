/* The public C API over the layers: see include/orrery/orrery.h. A handle owns one arena, one event
 * queue and one engine; loading builds them, running advances them, freeing frees them. */
#include "orrery/orrery.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "workload/custom_collective.h"
#include "workload/engine.h"
#include "workload/et/et.h"

struct orrery {
    struct orr_arena *arena;
    struct orr_diag diag;
    char error[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64];
    void (*warn)(void *user, const char *text);
    void *warn_user;
    /* the loaded job */
    struct net_config network;
    struct sys_astra system;
    struct mem_config remote;
    struct mem_local local;
    struct wl_compute compute;
    struct orr_evq *queue;
    struct net *net;
    struct mem *mem;
    struct sys *sys;
    struct wl_engine *engine;
    const struct orr_trace **traces;
    uint32_t npus;
    bool ran;
};

struct orrery *orrery_new(void)
{
    struct orr_arena *arena = orr_arena_create();
    struct orrery *job = arena != NULL ? orr_arena_alloc(arena, sizeof *job) : NULL;
    if (job == NULL) {
        orr_arena_destroy(arena);
        return NULL;
    }
    job->arena = arena;
    orr_diag_init(&job->diag);
    return job;
}

void orrery_free(struct orrery *job)
{
    if (job != NULL) {
        sys_destroy(job->sys);
        net_destroy(job->net);
        orr_evq_destroy(job->queue);
        orr_arena_destroy(job->arena);
    }
}

const char *orrery_version(void)
{
    return ORRERY_VERSION;
}

const char *orrery_error(const struct orrery *job)
{
    return job->error;
}

void orrery_on_warning(struct orrery *job, void (*warn)(void *user, const char *text), void *user)
{
    job->diag.warn = warn;
    job->diag.warn_user = user;
}

/* Keeps the rendered error, and makes the handle ready to report another. */
static enum orrery_status finish_call(struct orrery *job, enum orr_status status)
{
    if (status != ORR_OK) {
        (void)orr_diag_render(&job->diag, job->error, sizeof job->error);
        job->diag.status = ORR_OK;
    }
    return (enum orrery_status)status;
}

/* ---- loading ---- */

static enum orr_status load_network(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    job->network =
        (struct net_config){.backend = inputs->backend != NULL ? inputs->backend : "analytical",
                            .reference_timing = !inputs->default_rules};
    return net_config_read_astra(job->arena, inputs->network, &job->network, &job->diag);
}

static void scale_system(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    struct sys_config *config = &job->system.config;
    config->policy = inputs->default_rules ? &sys_policy_default : &sys_policy_astra_sim;
    config->queues_per_dim = inputs->queues_per_dim != 0 ? inputs->queues_per_dim : 1;
    config->rendezvous = inputs->rendezvous;
    if (inputs->injection_scale != 0) {
        config->endpoint_delay_ps =
            orr_time_mul(config->endpoint_delay_ps, inputs->injection_scale);
    }
}

static enum orr_status load_system(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    enum orr_status status =
        sys_config_read_astra(job->arena, inputs->system, &job->system, &job->diag);
    if (status == ORR_OK) {
        status = sys_astra_check_dims(&job->system, job->network.dims, &job->diag);
    }
    scale_system(job, inputs);
    job->local = (struct mem_local){.bandwidth_bytes_per_s = job->system.local_memory_bytes_per_s};
    job->compute = (struct wl_compute){.roofline = job->system.roofline,
                                       .replay_only = job->system.replay_only,
                                       .peak_flops = job->system.peak_flops,
                                       .memory_bytes_per_s = job->system.local_memory_bytes_per_s,
                                       .minimum_replay_ps = ORR_PS_PER_NS,
                                       .truncate_to_ns = !inputs->default_rules,
                                       .skip_without_bytes = !inputs->default_rules};
    return status;
}

static enum orr_status load_memory(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    if (inputs->remote_memory == NULL) {
        job->remote = (struct mem_config){.type = "none"};
        return ORR_OK;
    }
    const enum orr_status status =
        mem_config_read_astra(job->arena, inputs->remote_memory, &job->remote, &job->diag);
    job->remote.reference_timing = !inputs->default_rules;
    return status;
}

static enum orr_status load_customs(struct orrery *job)
{
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        const char *prefix = job->system.custom_prefix[kind];
        if (prefix == NULL) {
            continue;
        }
        const enum orr_status status = wl_load_custom(
            job->arena, prefix, job->npus, &job->system.config.algorithms[kind].custom, &job->diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}

static enum orr_status build_layers(struct orrery *job)
{
    job->queue = orr_evq_create(job->system.config.policy->order, job->npus);
    if (job->queue == NULL) {
        return orr_diag_no_memory(&job->diag, "the event queue");
    }
    enum orr_status status =
        net_create(&job->net, &job->network, job->queue, job->arena, &job->diag);
    if (status == ORR_OK) {
        status = mem_create(&job->mem, &job->remote, job->npus, job->queue, job->arena, &job->diag);
    }
    if (status == ORR_OK) {
        status = sys_create(&job->sys, &job->system.config, job->net, job->queue, job->arena,
                            &job->diag);
    }
    return status;
}

static enum orr_status load_workload(struct orrery *job, const char *prefix)
{
    job->traces = orr_arena_array(job->arena, job->npus, sizeof *job->traces);
    if (job->traces == NULL) {
        return orr_diag_no_memory(&job->diag, "the traces");
    }
    enum orr_status status =
        orr_et_load_set(job->arena, prefix, job->npus, job->traces, &job->diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct wl_parts parts = {.sys = job->sys,
                                   .remote = job->mem,
                                   .local = &job->local,
                                   .compute = &job->compute,
                                   .policy = job->system.config.policy,
                                   .queue = job->queue,
                                   .arena = job->arena,
                                   .record_spans = job->system.track_local_memory};
    return wl_engine_create(&job->engine, &parts, job->traces, job->npus, &job->diag);
}

static bool names_groups(const char *path)
{
    return path != NULL && strcmp(path, "empty") != 0 && path[0] != '\0';
}

static enum orr_status load_platform(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    enum orr_status status = load_network(job, inputs);
    if (status == ORR_OK) {
        status = load_system(job, inputs);
    }
    if (status == ORR_OK) {
        status = load_memory(job, inputs);
    }
    job->npus = status == ORR_OK ? net_npus(&job->network) : 0;
    if (status == ORR_OK) {
        status = load_customs(job);
    }
    if (status == ORR_OK) {
        status = build_layers(job);
    }
    if (status == ORR_OK && names_groups(inputs->comm_group)) {
        status = sys_groups_read_astra(job->sys, job->arena, inputs->comm_group, &job->diag);
    }
    return status;
}

enum orrery_status orrery_load_astra_sim(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    if (job->queue != NULL) {
        return finish_call(job, orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                                              "a job is loaded already; use a new handle"));
    }
    if (inputs->workload == NULL || inputs->system == NULL || inputs->network == NULL) {
        return finish_call(job, orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                                              "a workload, a system file and a network file are "
                                              "needed"));
    }
    enum orr_status status = load_platform(job, inputs);
    if (status == ORR_OK) {
        status = load_workload(job, inputs->workload);
    }
    if (status != ORR_OK) {
        job->engine = NULL;
    }
    return finish_call(job, status);
}

/* ---- running ---- */

enum orrery_status orrery_run_some(struct orrery *job, uint64_t instants, bool *finished)
{
    *finished = false;
    if (job->engine == NULL) {
        return finish_call(
            job, orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL, "no job is loaded to run"));
    }
    const enum orr_status status = wl_engine_run_some(job->engine, instants, finished, &job->diag);
    job->ran = job->ran || (*finished && status == ORR_OK);
    return finish_call(job, status);
}

enum orrery_status orrery_run(struct orrery *job)
{
    bool finished = false;
    enum orrery_status status = ORRERY_OK;
    while (!finished && status == ORRERY_OK) {
        status = orrery_run_some(job, UINT64_MAX, &finished);
    }
    return status;
}

/* ---- results ---- */

uint32_t orrery_npus(const struct orrery *job)
{
    return job->npus;
}

int64_t orrery_wall_ps(const struct orrery *job)
{
    return job->engine != NULL ? wl_engine_wall(job->engine) : 0;
}

uint64_t orrery_events(const struct orrery *job)
{
    return job->queue != NULL ? orr_evq_handled(job->queue) : 0;
}

uint64_t orrery_messages(const struct orrery *job)
{
    return job->sys != NULL ? sys_messages(job->sys) : 0;
}

size_t orrery_memory_bytes(const struct orrery *job)
{
    return orr_arena_bytes(job->arena) + (job->queue != NULL ? orr_evq_bytes(job->queue) : 0) +
           (job->sys != NULL ? sys_bytes(job->sys) : 0);
}

enum orrery_status orrery_npu_times(const struct orrery *job, uint32_t rank,
                                    struct orrery_times *times)
{
    if (rank >= job->npus || !job->ran) {
        return ORRERY_ERROR_INPUT;
    }
    struct wl_times from;
    wl_engine_times(job->engine, rank, &from);
    *times = (struct orrery_times){.finish_ps = from.finish_ps,
                                   .compute_ps = from.compute_ps,
                                   .exposed_local_memory_ps = from.exposed_local_memory_ps,
                                   .exposed_remote_memory_ps = from.exposed_remote_memory_ps,
                                   .exposed_communication_ps = from.exposed_communication_ps,
                                   .idle_ps = from.idle_ps,
                                   .accelerator_compute_ps = from.accelerator_compute_ps};
    return ORRERY_OK;
}

enum orrery_status orrery_memory_use(struct orrery *job, uint32_t rank,
                                     struct orrery_memory_use *use)
{
    *use = (struct orrery_memory_use){0};
    if (rank >= job->npus || !job->ran || wl_engine_spans(job->engine, rank) == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct wl_memory_use from;
    const enum orr_status status = wl_memory_use(
        job->arena, job->traces[rank], wl_engine_spans(job->engine, rank), &from, &job->diag);
    if (status == ORR_OK) {
        *use = (struct orrery_memory_use){
            .peak_bytes = from.peak_bytes, .peak_ps = from.peak_ps, .steps = from.steps};
        _Static_assert(sizeof *use->step == sizeof *from.step, "the same layout");
        use->step = (const struct orrery_memory_step *)from.step;
    }
    return finish_call(job, status);
}

const char *orrery_memory_trace_name(const struct orrery *job)
{
    return job->system.track_local_memory ? job->system.local_memory_trace : NULL;
}

const uint32_t *orrery_finish_order(const struct orrery *job)
{
    return job->engine != NULL ? wl_engine_finish_order(job->engine) : NULL;
}

unsigned orrery_dims(const struct orrery *job)
{
    return job->network.dims;
}

enum orrery_status orrery_dim(const struct orrery *job, unsigned index,
                              struct orrery_dim_stats *stats)
{
    if (index >= job->network.dims || job->net == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct net_dim_stats all[NET_MAX_DIMS];
    job->net->ops->stats(job->net, all);
    const struct net_dim *dim = &job->network.dim[index];
    *stats = (struct orrery_dim_stats){.block = net_block_name(dim->block),
                                       .npus = dim->npus,
                                       .bandwidth_bytes_per_s = dim->bandwidth_bytes_per_s,
                                       .latency_ps = dim->latency_ps,
                                       .messages = all[index].messages,
                                       .bytes = all[index].bytes,
                                       .busy_ps = all[index].busy_ps,
                                       .servers = all[index].servers};
    return ORRERY_OK;
}
