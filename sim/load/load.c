/* Builds a job from the configurations in its handle. */
#include "core/evq.h"
#include "memory/mem.h"
#include "network/allocation.h"
#include "network/graph.h"
#include "network/link_utilization.h"
#include "network/net.h"
#include "network/net_backend.h"
#include "network/traffic.h"
#include "orrery/orrery.h"
#include "sim/api_call.h"
#include "sim/orrery_private.h"
#include "system/sent_chunks.h"
#include "system/sys.h"
#include "workload/engine/engine.h"
#include "workload/trace/trace.h"

static enum orr_status keep_causes(struct orrery *job)
{
    const bool slopes = orr_records_sensitivities(job);
    const unsigned dims = job->network.dims;
    const unsigned parts =
        slopes ? ORR_PART_OF_KIND(dims, ORR_OP_KINDS, 0) : (unsigned)ORR_PART_BANDWIDTH(dims);
    if (!slopes && !orr_has_path(job)) {
        return ORR_OK;
    }
    struct orr_causes *causes = orr_evq_keep_causes(job->layers.queue, job->arena, parts);
    if (causes == NULL) {
        return orr_diag_no_memory(&job->diag, "the critical path");
    }
    if (slopes) {
        orr_causes_keep_plain(causes);
    }
    return ORR_OK;
}

enum orr_status orr_build_layers(struct orrery *job)
{
    if (orr_net_awaits_demands(job->network.graph)) {
        return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                             "the network's circuits are set for the demands of one job, which are "
                             "not known here; expected another fabric");
    }
    job->network.fold = &job->fold;
    job->layers.queue = orr_evq_create(job->system.config.policy->order, job->fold.slots);
    if (job->layers.queue == NULL) {
        return orr_diag_no_memory(&job->diag, "the event queue");
    }
    enum orr_status status = keep_causes(job);
    if (status != ORR_OK) {
        return status;
    }
    status =
        orr_net_create(&job->layers.net, &job->network, job->layers.queue, job->arena, &job->diag);
    /* an external network counts traffic by its flows */
    const bool requested =
        (job->requests.record & ORRERY_RECORD_TRAFFIC) != 0 && job->tasks.external_network == NULL;
    if (status == ORR_OK && (requested || job->requests.counts_traffic)) {
        job->layers.net->traffic = orr_net_traffic_create(job->arena);
        status =
            job->layers.net->traffic != NULL ? ORR_OK : orr_diag_no_memory(&job->diag, "traffic");
    }
    if (status == ORR_OK && (job->requests.record & ORRERY_RECORD_LINK_USE) != 0) {
        job->layers.net->use = orr_net_link_utilization_create(job->arena, job->network.dims);
        status = job->layers.net->use != NULL ? ORR_OK
                                              : orr_diag_no_memory(&job->diag, "the use of links");
    }
    if (status == ORR_OK) {
        status = orr_mem_create(&job->layers.mem, &job->remote, job->fold.slots, job->layers.queue,
                                job->arena, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_create(&job->layers.sys, &job->system.config, job->layers.net,
                                job->layers.queue, job->arena, &job->diag);
    }
    /* only for messages along the user's trees: others do not use it */
    if (status == ORR_OK && (job->requests.record & ORRERY_RECORD_NODES) != 0 &&
        job->system.config.trees != NULL && !orr_sys_log_messages(job->layers.sys)) {
        status = orr_diag_no_memory(&job->diag, "a list of messages");
    }
    return status;
}

/* Scales the rates, of recorded durations and of the roofline, to a logical server's share. */
static void share_servers(const struct net_graph *graph, struct wl_compute *compute)
{
    if (graph == NULL || graph->logical == 0) {
        return;
    }
    const double given = compute->logical_share;
    const double share = given > 0 ? given : 1.0 / graph->logical;
    const double scale = compute->recorded_scale;
    compute->recorded_scale = (scale > 0 ? scale : 1) / share;
    compute->peak_flops *= share;
    compute->stated_peak_flops *= share;
    for (unsigned type = 0; type < ORR_PRODUCT_TYPES; type++) {
        compute->product_peak_flops[type] *= share;
        compute->stated_product_peak_flops[type] *= share;
    }
    compute->memory_bytes_per_s *= share;
}

enum orr_status orr_build_engine(struct orrery *job)
{
    if (!job->servers_shared) {
        share_servers(job->network.graph, &job->compute);
        job->servers_shared = true;
    }
    const struct wl_parts parts = {
        .sys = job->layers.sys,
        .remote = job->layers.mem,
        .local = &job->local,
        .compute = &job->compute,
        .policy = job->system.config.policy,
        .queue = job->layers.queue,
        .arena = job->arena,
        .fold = &job->fold,
        .job = job->cluster.jobs,
        .jobs = job->cluster.job_count,
        .iterations = job->cluster.iterations,
        .all_reduce = job->tasks.all_reduce != NULL ? *job->tasks.all_reduce
                                                    : job->files.job_description.all_reduce,
        .records_kinds = orr_records_sensitivities(job),
        .dims = job->network.dims,
        .record_spans = job->requests.record_spans ||
                        (job->requests.record & ORRERY_RECORD_NODES) != 0 ||
                        orr_watches_capacity(job)};
    job->found.finish_order = orr_arena_alloc(job->arena, sizeof *job->found.finish_order);
    if (job->found.finish_order == NULL) {
        return orr_diag_no_memory(&job->diag, "the order of NPUs");
    }
    const enum orr_status status =
        orr_engine_create(&job->layers.engine, &parts, job->traces, job->fold.slots, &job->diag);
    if (status != ORR_OK) {
        job->layers.engine = NULL;
    }
    return status;
}
