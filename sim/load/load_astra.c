/* Loads ASTRA-sim files. */
#include <string.h>

#include "core/fold.h"
#include "memory/mem.h"
#include "memory/mem_config_read.h"
#include "memory/mem_local.h"
#include "network/coordinates.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "orrery/orrery.h"
#include "sim/orrery_private.h"
#include "system/sys_astra.h"
#include "system/sys_config.h"
#include "system/sys_groups.h"
#include "system/sys_policy.h"
#include "workload/engine/engine.h"
#include "workload/trace/custom_collective.h"
#include "workload/trace/et/et.h"

static const struct sys_policy *policy_of(const struct orrery_astra_sim *inputs)
{
    return inputs->default_rules ? &orr_sys_policy_default : &orr_sys_policy_astra_sim;
}

static enum orr_status load_network(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    const struct sys_policy *policy = policy_of(inputs);
    job->network = (struct net_config){
        .backend = inputs->backend != NULL ? inputs->backend : orr_net_backend_default(false)->name,
        .whole_ns = policy->whole_ns,
        .free_ports = policy->free_ports};
    return orr_net_config_read_astra(job->arena, inputs->network, &job->network, &job->diag);
}

static void scale_system(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    struct sys_config *config = &job->system.config;
    config->policy = policy_of(inputs);
    config->queues_per_dim = inputs->queues_per_dim != 0 ? inputs->queues_per_dim : 1;
    config->rendezvous = inputs->rendezvous;
    if (inputs->injection_scale != 0) {
        config->endpoint_delay_ps =
            orr_time_mul(config->endpoint_delay_ps, inputs->injection_scale);
    }
}

static enum orr_status load_system(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    enum orr_status status = orr_sys_config_read_astra(
        job->arena, inputs->system, inputs->dimension_scheduling, &job->system, &job->diag);
    if (status == ORR_OK) {
        status = orr_sys_astra_check_dims(&job->system, job->network.dims, &job->diag);
    }
    scale_system(job, inputs);
    job->local = (struct mem_local){.bandwidth_bytes_per_s = job->system.local_memory_bytes_per_s};
    job->compute =
        (struct wl_compute){.roofline = job->system.roofline,
                            .replay_only = job->system.replay_only,
                            .peak_flops = job->system.peak_flops,
                            .stated_peak_flops = job->system.peak_flops,
                            .memory_bytes_per_s = job->system.local_memory_bytes_per_s,
                            .minimum_replay_ps = ORR_PS_PER_NS,
                            .truncate_to_ns = job->system.config.policy->whole_ns,
                            .skip_without_bytes = job->system.config.policy->skip_without_bytes};
    return status;
}

static enum orr_status load_memory(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    if (inputs->remote_memory == NULL) {
        job->remote = (struct mem_config){.type = orr_mem_default_type};
        return ORR_OK;
    }
    const enum orr_status status =
        orr_mem_config_read_astra(job->arena, inputs->remote_memory, &job->remote, &job->diag);
    job->remote.whole_ns = policy_of(inputs)->whole_ns;
    return status;
}

static enum orr_status load_customs(struct orrery *job)
{
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        const char *prefix = job->system.custom_prefix[kind];
        if (prefix == NULL) {
            continue;
        }
        struct orr_diag reason;
        orr_diag_init(&reason);
        const enum orr_status status = orr_wl_load_custom(
            job->arena, prefix, job->npus, &job->system.config.algorithms[kind].custom, &reason);
        if (status != ORR_OK) {
            char text[ORR_DIAG_MESSAGE_BYTES];
            (void)orr_diag_render(&reason, text, sizeof text);
            return orr_diag_fail(&job->diag, status, &job->system.custom_location[kind],
                                 "the custom collective cannot be loaded: %s", text);
        }
    }
    return ORR_OK;
}

/* What is told of memory in the end is read before the run: a bad size is an error of the file. */
static enum orr_status check_tensors(struct orrery *job)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < job->fold.slots && status == ORR_OK; i++) {
        if (i == 0 || job->traces[i] != job->traces[i - 1]) {
            status = orr_wl_check_tensors(job->traces[i], &job->diag);
        }
    }
    return status;
}

static enum orr_status load_workload(struct orrery *job, const char *prefix)
{
    job->traces = orr_arena_array(job->arena, job->fold.slots, sizeof *job->traces);
    if (job->traces == NULL) {
        return orr_diag_no_memory(&job->diag, "the traces");
    }
    job->requests.record_spans = job->system.track_local_memory;
    enum orr_status status =
        orr_et_load_set(job->arena, prefix, job->npus, job->traces, &job->diag);
    if (status == ORR_OK && job->system.track_local_memory) {
        status = check_tensors(job);
    }
    if (status == ORR_OK) {
        const struct orr_location place = orr_location_file(prefix);
        orr_warn_replay(job, job->traces, job->fold.slots, &place);
    }
    return status == ORR_OK ? orr_build_engine(job) : status;
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
    job->npus = status == ORR_OK ? orr_net_npus(&job->network) : 0;
    orr_fold_init(&job->fold, job->npus);
    job->fold_reasons.why_nothing = "the files are the reference's";
    if (status == ORR_OK) {
        status = load_customs(job);
    }
    if (status == ORR_OK) {
        status = orr_apply_scales(job);
    }
    if (status == ORR_OK) {
        status = orr_build_layers(job);
    }
    if (status == ORR_OK && names_groups(inputs->comm_group)) {
        status =
            orr_sys_groups_read_astra(job->layers.sys, job->arena, inputs->comm_group, &job->diag);
    }
    return status;
}

enum orrery_status orrery_load_astra_sim(struct orrery *job, const struct orrery_astra_sim *inputs)
{
    enum orr_status status = orr_check_empty(job);
    if (status == ORR_OK &&
        (inputs->workload == NULL || inputs->system == NULL || inputs->network == NULL)) {
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                               "a workload, a system file and a network file are needed");
    }
    if (status == ORR_OK && inputs->dimension_scheduling && inputs->default_rules) {
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                               "compat.dimension_scheduling goes with the reference's rules "
                               "(--compat astra-sim)");
    }
    if (status == ORR_OK && orr_is_uncertain(job)) {
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                               "the uncertainty of a job's time goes by compute.fitted, which the "
                               "reference's files do not have: expected own files");
    }
    if (status == ORR_OK) {
        status = load_platform(job, inputs);
    }
    if (status == ORR_OK) {
        status = load_workload(job, inputs->workload);
    }
    return orr_finish_call(job, status);
}
