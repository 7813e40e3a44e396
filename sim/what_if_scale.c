/* What-if analysis: scales the numbers of a platform, after its files are read and before it is
 * built. */
#include <math.h>

#include "memory/mem.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "orrery/orrery.h"
#include "sim/orrery_private.h"
#include "system/ccl/ccl.h"

enum orrery_status orrery_scale(struct orrery *job, const struct orrery_scale *scale)
{
    enum orr_status status = orr_check_empty(job);
    if (status == ORR_OK && !(scale->factor > 0) && scale->factor != 0) {
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                               "a factor of at least 0 was expected, got %g", scale->factor);
    }
    if (status == ORR_OK && job->requests.scales == ORR_MAX_SCALES) {
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL, "at most %d quantities are scaled",
                               ORR_MAX_SCALES);
    }
    if (status == ORR_OK) {
        job->requests.scale[job->requests.scales++] = *scale;
    }
    return orr_finish_call(job, status);
}

static sim_time scale_time(sim_time time, double factor)
{
    const double scaled = (double)time * factor;
    return scaled < 9.2e18 ? (sim_time)llround(scaled) : ORR_TIME_MAX;
}

/* Scales the dimensions, which are the handle's copy. */
static void scale_dims(struct orrery *job, const struct orrery_scale *scale)
{
    for (unsigned d = 0; d < job->network.dims; d++) {
        struct net_dim *dim = &job->scaled.dim[d];
        if (scale->dim < job->network.dims && scale->dim != d) {
            continue;
        }
        if (scale->quantity == ORRERY_LATENCY) {
            dim->latency_ps = scale_time(dim->latency_ps, scale->factor);
            dim->given_latency_ns *= scale->factor;
        } else {
            dim->bandwidth_bytes_per_s *= scale->factor;
            dim->given_bytes_per_ns *= scale->factor;
        }
    }
}

static bool is_selected(const struct orrery *job, const struct net_link *link, unsigned links)
{
    const bool of_npu = link->from < job->npus || link->to < job->npus;
    return links == ORRERY_ALL_DIMS || of_npu == (links == ORRERY_NPU_LINKS);
}

/* Scales scheduled changes of a link. */
static void scale_changes(struct orrery *job, const struct orrery_scale *scale)
{
    for (uint32_t i = 0; i < job->scaled.graph->changes; i++) {
        struct net_change *change = &job->scaled.change[i];
        const bool is_down = !(change->bytes_per_s > 0);
        if (!is_down && is_selected(job, &job->scaled.link[change->link], scale->dim)) {
            change->bytes_per_s *= scale->factor;
        }
    }
}

/* Scales the links of a graph, which are also the handle's copy. */
static void scale_links(struct orrery *job, const struct orrery_scale *scale)
{
    for (uint32_t i = 0; i < job->scaled.graph->links; i++) {
        struct net_link *link = &job->scaled.link[i];
        if (!is_selected(job, link, scale->dim)) {
            continue;
        }
        if (scale->quantity == ORRERY_LATENCY) {
            link->latency_ps = scale_time(link->latency_ps, scale->factor);
        } else {
            link->bytes_per_s *= scale->factor;
        }
    }
}

/* Scales a memory: bandwidth times `factor`, latency divided by it. */
static void scale_memory(struct orrery *job, double factor)
{
    job->local.bandwidth_bytes_per_s *= factor;
    job->local.latency_ps = scale_time(job->local.latency_ps, 1 / factor);
    job->compute.memory_bytes_per_s *= factor;
    orr_mem_config_scale(&job->remote, factor);
    double *reduction = &job->system.config.reduction_bytes_per_s;
    *reduction = isinf(factor) ? 0 : *reduction * factor; /* 0: no time */
}

static enum orr_status scale_network(struct orrery *job, const struct orrery_scale *scale)
{
    const bool links = scale->dim == ORRERY_NPU_LINKS || scale->dim == ORRERY_SWITCH_LINKS;
    const bool all = scale->dim == ORRERY_ALL_DIMS;
    if (job->scaled.graph != NULL && !links && !all) {
        return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                             "a network that is a graph is scaled by its links, not by dimension");
    }
    if (job->scaled.graph == NULL && links) {
        return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                             "links are to be scaled; the network has dimensions");
    }
    if (job->scaled.graph == NULL && !all && scale->dim >= job->network.dims) {
        return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                             "dimension %u is to be scaled; the network has %u", scale->dim + 1,
                             job->network.dims);
    }
    if (job->scaled.graph != NULL) {
        scale_links(job, scale);
    }
    if (job->scaled.graph != NULL && scale->quantity == ORRERY_BANDWIDTH) {
        scale_changes(job, scale);
    }
    /* In stacked dimensions as a graph every link is an NPU's. */
    if (!links || (scale->dim == ORRERY_NPU_LINKS && orr_net_is_stacked(&job->network))) {
        scale_dims(job, scale);
    }
    return ORR_OK;
}

/* Scales computing. An infinite factor removes all time: overheads per operation, and waiting for
 * memory. */
static void scale_compute(struct orrery *job, double factor)
{
    const double replay = job->compute.replay_speed;
    job->compute.peak_flops *= factor;
    for (unsigned type = 0; type < ORR_PRODUCT_TYPES; type++) {
        job->compute.product_peak_flops[type] *= factor;
    }
    job->compute.replay_speed = (replay > 0 ? replay : 1) * factor;
    if (isinf(factor)) {
        job->compute.efficiency = NULL;
        job->compute.memory_bytes_per_s = INFINITY;
    }
}

/* With infinite network bandwidth only the communication library's step times remain. */
static enum orr_status free_library(struct orrery *job)
{
    const struct sys_ccl *given = job->system.config.library;
    struct sys_ccl *library = given != NULL ? orr_arena_alloc(job->arena, sizeof *library) : NULL;
    if (given == NULL) {
        return ORR_OK;
    }
    if (library == NULL) {
        return orr_diag_no_memory(&job->diag, "the library");
    }
    *library = *given;
    library->launch_ps = 0;
    for (unsigned i = 0; i < SYS_CCL_SCALES; i++) {
        if (isinf(given->ops->max(given, (enum sys_ccl_scale)i, false))) {
            library->scale[i] = 0; /* scale of latencies */
        }
    }
    job->system.config.library = library;
    return ORR_OK;
}

static enum orr_status apply(struct orrery *job, const struct orrery_scale *scale)
{
    switch (scale->quantity) {
    case ORRERY_BANDWIDTH:
    case ORRERY_LATENCY: {
        const bool free = scale->quantity == ORRERY_BANDWIDTH && isinf(scale->factor) &&
                          scale->dim == ORRERY_ALL_DIMS;
        const enum orr_status status = scale_network(job, scale);
        return status == ORR_OK && free ? free_library(job) : status;
    }
    case ORRERY_COMPUTE_RATE:
        scale_compute(job, scale->factor);
        break;
    case ORRERY_CPU_RATE:
        job->compute.cpu_speed =
            (job->compute.cpu_speed > 0 ? job->compute.cpu_speed : 1) * scale->factor;
        break;
    case ORRERY_MEMORY_RATE:
        scale_memory(job, scale->factor);
        break;
    case ORRERY_ENDPOINT_DELAY:
        job->system.config.endpoint_delay_ps =
            scale_time(job->system.config.endpoint_delay_ps, scale->factor);
        break;
    case ORRERY_MESSAGE_OVERHEAD:
        job->network.message_overhead_ps =
            scale_time(job->network.message_overhead_ps, scale->factor);
        break;
    }
    return ORR_OK;
}

static enum orr_status copy_graph(struct orrery *job)
{
    const struct net_graph *given = job->network.graph;
    if (given == NULL) {
        return ORR_OK;
    }
    job->scaled.graph = orr_arena_alloc(job->arena, sizeof *job->scaled.graph);
    job->scaled.link =
        orr_arena_array(job->arena, (size_t)given->links + 1, sizeof *job->scaled.link);
    job->scaled.change =
        orr_arena_array(job->arena, (size_t)given->changes + 1, sizeof *job->scaled.change);
    if (job->scaled.graph == NULL || job->scaled.link == NULL || job->scaled.change == NULL) {
        return orr_diag_no_memory(&job->diag, "the network");
    }
    for (uint32_t i = 0; i < given->links; i++) {
        job->scaled.link[i] = given->link[i];
    }
    for (uint32_t i = 0; i < given->changes; i++) {
        job->scaled.change[i] = given->change[i];
    }
    *job->scaled.graph = *given;
    job->scaled.graph->change = job->scaled.change;
    job->scaled.graph->link = job->scaled.link;
    job->network.graph = job->scaled.graph;
    return ORR_OK;
}

enum orr_status orr_apply_scales(struct orrery *job)
{
    if (job->requests.scales == 0) {
        return ORR_OK;
    }
    job->scaled.dim = orr_arena_array(job->arena, job->network.dims, sizeof *job->scaled.dim);
    if (job->scaled.dim == NULL) {
        return orr_diag_no_memory(&job->diag, "the network");
    }
    for (unsigned d = 0; d < job->network.dims; d++) {
        job->scaled.dim[d] = job->network.dim[d];
    }
    job->network.dim = job->scaled.dim;
    enum orr_status status = copy_graph(job);
    for (unsigned i = 0; i < job->requests.scales && status == ORR_OK; i++) {
        status = apply(job, &job->requests.scale[i]);
    }
    return status;
}
