/* The public C API over the layers: see include/orrery/orrery.h. A handle owns one arena, one event
 * queue and one engine. Loading builds them, running advances them, freeing frees them. */
#include "orrery/orrery.h"

#include <string.h>

#include "core/evq.h"
#include "core/fold.h"
#include "network/allocation.h"
#include "network/net.h"
#include "network/net_backend.h"
#include "network/net_dims.h"
#include "sim/load/pilot_run.h"
#include "sim/load/shared_parts.h"
#include "sim/orrery_private.h"
#include "system/sys.h"
#include "workload/engine/engine.h"

/* Reports and keeps a new warning; when memory is out it is only reported. */
static void keep_warning(void *user, const char *text)
{
    struct orrery *job = user;
    for (size_t i = 0; i < job->notes.warnings; i++) {
        if (strcmp(job->notes.warning[i], text) == 0) {
            return;
        }
    }
    const char **grown =
        orr_arena_grow(job->notes.texts, job->notes.warning, &job->notes.warning_capacity,
                       job->notes.warnings + 1, sizeof *grown);
    const char *kept = grown != NULL ? orr_arena_printf(job->notes.texts, "%s", text) : NULL;
    if (grown != NULL) {
        job->notes.warning = grown;
    }
    if (kept != NULL) {
        job->notes.warning[job->notes.warnings++] = kept;
    }
    if (job->notes.warn != NULL) {
        job->notes.warn(job->notes.warn_user, text);
    }
}

struct orrery *orrery_new(void)
{
    struct orr_arena *arena = orr_arena_create();
    struct orrery *job = arena != NULL ? orr_arena_alloc(arena, sizeof *job) : NULL;
    if (job == NULL) {
        orr_arena_destroy(arena);
        return NULL;
    }
    job->arena = job->notes.texts = arena;
    job->notes.error = orr_arena_array(arena, ORR_ERROR_BYTES, 1);
    if (job->notes.error == NULL) {
        orr_arena_destroy(arena);
        return NULL;
    }
    orr_diag_init(&job->diag);
    job->diag.warn = keep_warning;
    job->diag.warn_user = job;
    return job;
}

void orr_destroy_layers(struct orrery *job)
{
    orr_sys_destroy(job->layers.sys);
    orr_net_destroy(job->layers.net);
    orr_evq_destroy(job->layers.queue);
    job->layers.sys = NULL;
    job->layers.net = NULL;
    job->layers.queue = NULL;
    job->layers.engine = NULL;
}

void orrery_free(struct orrery *job)
{
    if (job != NULL) {
        orr_summary_destroy(job);
        orr_heap_free(job->notes.kept);
        orr_destroy_layers(job);
        if (job->pilot_result != NULL) {
            orr_net_windows_fini(&job->pilot_result->windows);
        }
        for (unsigned i = 0; i < 2; i++) {
            orr_shared_release(job->files.held[i]);
        }
        orr_arena_destroy(job->arena);
    }
}

const char *orrery_version(void)
{
    return ORRERY_VERSION;
}

const char *orrery_error(const struct orrery *job)
{
    return job->notes.error;
}

void orrery_on_warning(struct orrery *job, void (*warn)(void *user, const char *text), void *user)
{
    job->notes.warn = warn;
    job->notes.warn_user = user;
}

const char *orrery_warning(const struct orrery *job, size_t index)
{
    return index < job->notes.warnings ? job->notes.warning[index] : NULL;
}

/* ---- folding ---- */

void orrery_fold(struct orrery *job, bool on)
{
    job->requests.fold_off = !on;
}

uint32_t orrery_fold_classes(const struct orrery *job)
{
    return job->fold.slots;
}

uint32_t orrery_fold_class(const struct orrery *job, uint32_t rank)
{
    return orr_slot_of(job, orr_rank(rank)).slot;
}

uint32_t orrery_fold_rank(const struct orrery *job, uint32_t fold_class)
{
    return orr_fold_rank(&job->fold, orr_slot(fold_class)).rank;
}

bool orrery_fold_digit(const struct orrery *job, unsigned index, struct orrery_fold_digit *out)
{
    const char *why_nothing = job->fold_reasons.why_nothing;
    if (index >= job->fold.digits && !(why_nothing != NULL && index == 0)) {
        return false;
    }
    const struct orr_fold_digit all = {.stride = 1, .size = job->npus};
    const struct orr_fold_digit *digit = why_nothing != NULL ? &all : &job->fold.digit[index];
    *out = (struct orrery_fold_digit){.stride = digit->stride,
                                      .size = digit->size,
                                      .folded = digit->folded,
                                      .why = why_nothing != NULL ? why_nothing
                                                                 : job->fold_reasons.why[index]};
    return true;
}

/* ---- running ---- */

/* Runs a folded job that cannot finish once more with every NPU, to report them all. */
enum orr_status orr_run_unfolded(struct orrery *job)
{
    orr_destroy_layers(job);
    job->diag = (struct orr_diag){.warn = job->diag.warn, .warn_user = job->diag.warn_user};
    orr_fold_init(&job->fold, job->npus);
    const enum orr_status status = orr_build(job);
    return status == ORR_OK ? orr_engine_run(job->layers.engine, &job->diag) : status;
}

enum orrery_status orrery_run_some(struct orrery *job, uint64_t instants, bool *finished)
{
    *finished = false;
    if (job->layers.engine == NULL) {
        return orr_finish_call(
            job, orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL, "no job is loaded to run"));
    }
    enum orr_status status = orr_uncertainty_pilot_run(job);
    if (status == ORR_OK) {
        status = orr_engine_run_some(job->layers.engine, instants, finished, &job->diag);
    }
    if (status == ORR_ERR_DEADLOCK && !job->fold.none) {
        status = orr_run_unfolded(job);
    }
    if (status == ORR_OK && *finished && !job->ran) {
        job->ran = true;
        orr_pilot_run_warn(job);
        status = orr_path_prepare(job);
        status = status == ORR_OK ? orr_sensitivities_keep(job, job->arena) : status;
        status = status == ORR_OK ? orr_uncertainty_make(job) : status;
        status = status == ORR_OK ? orr_check_capacity(job) : status;
    }
    return orr_finish_call(job, status);
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

void orrery_progress(const struct orrery *job, struct orrery_progress *progress)
{
    *progress = (struct orrery_progress){0};
    if (job->layers.engine != NULL) {
        progress->now_ps = orr_evq_now(job->layers.queue);
        progress->events = orr_evq_handled(job->layers.queue);
        progress->npus_finished = orr_engine_finished(job->layers.engine) * job->fold.class_size;
    }
}

/* ---- results ---- */

uint32_t orrery_npus(const struct orrery *job)
{
    return job->npus;
}

int64_t orrery_wall_ps(const struct orrery *job)
{
    return job->layers.engine != NULL ? orr_engine_wall(job->layers.engine) : 0;
}

uint64_t orrery_events(const struct orrery *job)
{
    return job->layers.queue != NULL ? orr_evq_handled(job->layers.queue) : 0;
}

orrery_wide orrery_messages(const struct orrery *job)
{
    return job->layers.sys != NULL ? orr_sys_messages(job->layers.sys) : 0;
}

size_t orrery_memory_bytes(const struct orrery *job)
{
    return orr_arena_bytes(job->arena) +
           (job->layers.queue != NULL ? orr_evq_bytes(job->layers.queue) : 0) +
           (job->layers.sys != NULL ? orr_sys_bytes(job->layers.sys) : 0);
}

enum orrery_status orrery_npu_times(const struct orrery *job, uint32_t rank,
                                    struct orrery_times *times)
{
    if (rank >= job->npus || !job->ran) {
        return orr_reject_index(job, "times of an NPU", rank, job->npus);
    }
    struct wl_times from;
    orr_engine_times(job->layers.engine, orr_slot_of(job, orr_rank(rank)), &from);
    *times = (struct orrery_times){.finish_ps = from.finish_ps,
                                   .compute_ps = from.compute_ps,
                                   .cpu_ps = from.cpu_ps,
                                   .exposed_local_memory_ps = from.exposed_local_memory_ps,
                                   .exposed_remote_memory_ps = from.exposed_remote_memory_ps,
                                   .exposed_communication_ps = from.exposed_communication_ps,
                                   .waiting_ps = from.waiting_ps,
                                   .idle_ps = from.idle_ps,
                                   .accelerator_compute_ps = from.accelerator_compute_ps};
    return ORRERY_OK;
}

int64_t orrery_contention_ps(const struct orrery *job, uint32_t rank)
{
    return rank < job->npus && job->ran
               ? orr_engine_contention(job->layers.engine, orr_slot_of(job, orr_rank(rank)))
               : 0;
}

enum orrery_status orrery_gpu_times(const struct orrery *job, uint32_t rank,
                                    struct orrery_gpu_times *times)
{
    struct orr_gpu_view view;
    if (times == NULL || times->size != sizeof *times || rank >= job->npus || !job->ran) {
        return ORRERY_ERROR_INPUT;
    }
    if (!orr_engine_gpu_times(job->layers.engine, orr_slot_of(job, orr_rank(rank)), &view)) {
        return ORRERY_ERROR_INPUT;
    }
    *times =
        (struct orrery_gpu_times){.size = sizeof *times,
                                  .span_ps = view.span_ps,
                                  .compute_ps = view.compute_ps,
                                  .communication_ps = view.communication_ps,
                                  .exposed_communication_ps = view.exposed_communication_ps,
                                  .memory_copy_ps = view.memory_copy_ps,
                                  .idle_ps = view.idle_ps,
                                  .idle_launch_ps = view.idle_by_ps[ORR_GPU_IDLE_LAUNCH],
                                  .idle_stream_ps = view.idle_by_ps[ORR_GPU_IDLE_STREAM],
                                  .idle_peer_ps = view.idle_by_ps[ORR_GPU_IDLE_PEER],
                                  .idle_end_of_step_ps = view.idle_by_ps[ORR_GPU_IDLE_STEP_END],
                                  .idle_other_ps = view.idle_by_ps[ORR_GPU_IDLE_OTHER]};
    return ORRERY_OK;
}

bool orrery_tells_waiting(const struct orrery *job)
{
    return job->system.config.policy != NULL && !job->system.config.policy->five_parts;
}

const char *orrery_memory_trace_name(const struct orrery *job)
{
    return job->system.track_local_memory ? job->system.local_memory_trace : NULL;
}

unsigned orrery_dims(const struct orrery *job)
{
    return job->network.dims;
}

enum orrery_status orrery_dim(const struct orrery *job, unsigned index,
                              struct orrery_dim_stats *stats)
{
    if (index >= job->network.dims || job->layers.net == NULL) {
        return orr_reject_call(job, "dimension %u: the job has %u", index, orrery_dims(job));
    }
    struct net_dim_stats all[NET_MAX_DIMS];
    job->layers.net->ops->stats(job->layers.net, all);
    const struct net_dim *dim = &job->network.dim[index];
    *stats = (struct orrery_dim_stats){.block = orr_net_block_name(dim->block),
                                       .npus = dim->npus,
                                       .bandwidth_bytes_per_s = dim->bandwidth_bytes_per_s,
                                       .latency_ps = dim->latency_ps,
                                       .messages = all[index].messages,
                                       .bytes = all[index].bytes,
                                       .busy_ps = all[index].busy_ps,
                                       .servers = all[index].servers,
                                       .reduces = dim->reduces};
    return ORRERY_OK;
}
