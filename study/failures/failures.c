/* The runs of a study of failures; see failures.h. */
#include "study/failures/failures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "orrery/orrery.h"
#include "orrery/study.h"
#include "sim/load/platform_network.h"
#include "study/job_source.h"

enum { REPAIRED = ORR_FAILURES_RECOVERIES, KINDS, SET_BYTES = 4096 };

/* A run of one failure. */
struct run {
    uint32_t failure;
    unsigned kind; /* a recovery, or REPAIRED */
    enum orrery_status status;
    bool done;
    char *error; /* of the heap */
};

struct orr_failures_runs {
    struct run *run;
    uint32_t count;
    uint32_t done;  /* runs that ended; atomic */
    bool reporting; /* a thread reports progress; atomic */
};

/* ---- one run ---- */

/* Assignments of a run; false: too long. */
static bool write_sets(const struct orr_failures *failures, const struct run *run,
                       char links[SET_BYTES], char recovery[64])
{
    const struct orr_failure *failure = &failures->failure[run->failure];
    size_t used = (size_t)snprintf(links, SET_BYTES, "network.%s=[",
                                   run->kind == REPAIRED ? "changes" : "failures");
    for (unsigned k = 0; k < failures->together && used < SET_BYTES; k++) {
        const struct orr_failures_cable *cable = &failures->cable[failure->cable[k]];
        const char *comma = k != 0 ? ", " : "";
        const int wrote =
            run->kind == REPAIRED
                ? snprintf(links + used, SET_BYTES - used,
                           "%s{at: 0 ps, link: \"%s\", working: %" PRIu32
                           "}, {at: 0 ps, link: \"%s\", working: %" PRIu32 "}",
                           comma, cable->name, cable->count - 1, cable->name, cable->count)
                : snprintf(links + used, SET_BYTES - used, "%s\"%s/1\"", comma, cable->name);
        used += (size_t)wrote;
    }
    used += used < SET_BYTES ? (size_t)snprintf(links + used, SET_BYTES - used, "]") : 0;
    (void)snprintf(recovery, 64, "network.ring_recovery=%s",
                   orr_net_ring_recoveries[run->kind % ORR_FAILURES_RECOVERIES]);
    return used < SET_BYTES;
}

static enum orrery_status load(const struct orr_failures *failures, const struct run *run,
                               struct orrery *job)
{
    char links[SET_BYTES], recovery[64];
    const char *const set[] = {links, recovery};
    const struct orr_job_source source = {failures->own, NULL, failures->parts};
    if (!write_sets(failures, run, links, recovery)) {
        return ORRERY_ERROR_INPUT;
    }
    return orr_job_source_load(&source, set, run->kind == REPAIRED ? 1 : 2, job);
}

static bool is_stopped(const struct orr_failures *failures)
{
    return failures->stop != NULL && *failures->stop != 0;
}

/* As orrery_run, but ends early when stopped: *finished is false then. */
static enum orrery_status run_until_stopped(const struct orr_failures *failures, struct orrery *job,
                                            bool *finished)
{
    enum { INSTANTS = 1 << 14 };
    enum orrery_status status = ORRERY_OK;
    while (status == ORRERY_OK && !*finished && !is_stopped(failures)) {
        status = orrery_run_some(job, INSTANTS, finished);
    }
    return status;
}

/* Skipped where another thread reports. */
static void report_progress(struct orr_failures *failures)
{
    struct orr_failures_runs *runs = failures->runs;
    const uint32_t done = __atomic_add_fetch(&runs->done, 1, __ATOMIC_RELAXED);
    if (failures->progress != NULL && !__atomic_test_and_set(&runs->reporting, __ATOMIC_ACQUIRE)) {
        failures->progress(failures->progress_user, done, runs->count);
        __atomic_clear(&runs->reporting, __ATOMIC_RELEASE);
    }
}

static void run_one(void *context, unsigned index)
{
    struct orr_failures *failures = context;
    if (is_stopped(failures)) {
        return;
    }
    struct run *run = &failures->runs->run[index];
    struct orr_failure *failure = &failures->failure[run->failure];
    struct orrery *job = orrery_new();
    run->status = job != NULL ? load(failures, run, job) : ORRERY_ERROR_MEMORY;
    const bool fixed = run->kind == REPAIRED && run->status == ORRERY_ERROR_INPUT;
    if (run->status == ORRERY_OK) {
        run->status = run_until_stopped(failures, job, &run->done);
    }
    if (run->status == ORRERY_OK && run->done && run->kind == REPAIRED) {
        failure->repaired_ps = orrery_wall_ps(job);
    } else if (run->status == ORRERY_OK && run->done) {
        failure->degraded_ps[run->kind] = orrery_wall_ps(job);
    } else if (fixed) {
        run->status = ORRERY_OK; /* its links cannot change during a run */
        run->done = true;
    } else if (run->status != ORRERY_OK) {
        run->error = job != NULL ? orr_heap_strdup(orrery_error(job)) : NULL;
    }
    orrery_free(job);
    report_progress(failures);
}

/* ---- the job without failures ---- */

static enum orr_status check_network(const struct net_config *network, struct orr_diag *diag)
{
    const struct net_graph *graph = network->graph;
    if (graph == NULL || graph->links == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "only links of a graph fail: expected a platform with network.graph "
                             "or network.design");
    }
    return graph->failed_links == 0 && graph->changes == 0 && graph->circuits == NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "expected a network where all links work, got one with "
                               "network.%s",
                               graph->circuits != NULL ? "circuits"
                               : graph->changes != 0   ? "changes"
                                                       : "failures");
}

static bool recovers(const struct orr_failures *failures, unsigned kind)
{
    if (kind == REPAIRED) {
        return true;
    }
    if (!failures->rings) {
        return kind == NET_RECOVER_PATH;
    }
    bool any = false;
    for (unsigned i = 0; i < ORR_FAILURES_RECOVERIES; i++) {
        any = any || failures->recovers[i];
    }
    return !any || failures->recovers[kind];
}

/* Lists the runs of all failures; disconnecting ones run only repaired. */
static enum orr_status list_runs(struct orr_failures *failures, const struct net_graph *graph,
                                 struct orr_diag *diag)
{
    struct orr_failures_runs *runs = orr_heap_calloc(1, sizeof *runs);
    failures->runs = runs;
    if (runs != NULL) {
        runs->run = orr_heap_calloc((size_t)failures->failures * KINDS + 1, sizeof *runs->run);
    }
    if (runs == NULL || runs->run == NULL) {
        return orr_diag_no_memory(diag, "the failures");
    }
    for (uint32_t i = 0; i < failures->failures; i++) {
        struct orr_failure *failure = &failures->failure[i];
        bool no_memory = false;
        failure->disconnected = orr_failures_disconnects(failures, graph, failure, &no_memory);
        if (no_memory) {
            return orr_diag_no_memory(diag, "the failures");
        }
        for (unsigned kind = 0; kind < KINDS; kind++) {
            if (recovers(failures, kind) && (kind == REPAIRED || !failure->disconnected)) {
                runs->run[runs->count++] = (struct run){.failure = i, .kind = kind};
            }
        }
    }
    return ORR_OK;
}

static enum orr_status read_network(struct orr_failures *failures, const struct orrery *job,
                                    struct orr_diag *diag)
{
    const struct net_config *network = orr_job_network(job);
    enum orr_status status = check_network(network, diag);
    if (status == ORR_OK) {
        failures->rings = net_graph_has_rings(network->graph);
        failures->npus = orrery_npus(job);
        status = orr_failures_list(failures, network->graph, diag);
    }
    if (status == ORR_OK) {
        status = orr_failures_choose(failures, network->graph, diag);
    }
    return status == ORR_OK ? list_runs(failures, network->graph, diag) : status;
}

/* Forwards warnings of the job without failures, except that ring_recovery has no effect. */
static void on_warning(void *context, const char *text)
{
    const struct orr_failures *failures = context;
    if (failures->warn != NULL && strstr(text, "network.ring_recovery has no effect") == NULL) {
        failures->warn(failures->warn_user, text);
    }
}

static enum orr_status run_healthy(struct orr_failures *failures, struct orr_diag *diag)
{
    const struct orr_job_source source = {failures->own, NULL, failures->parts};
    struct orrery *job = orrery_new();
    if (job == NULL) {
        return orr_diag_no_memory(diag, "the job");
    }
    orrery_on_warning(job, on_warning, failures);
    enum orrery_status status = orr_job_source_load(&source, NULL, 0, job);
    if (status == ORRERY_OK && read_network(failures, job, diag) != ORR_OK) {
        orrery_free(job);
        return diag->status;
    }
    bool finished = false;
    if (status == ORRERY_OK) {
        status = run_until_stopped(failures, job, &finished);
    }
    if (status == ORRERY_OK && !finished) {
        orrery_free(job);
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "stopped before the job where all links work was run");
    }
    if (status != ORRERY_OK) {
        failures->failed = job;
        return orr_diag_fail(diag, (enum orr_status)status, NULL, "%s", orrery_error(job));
    }
    failures->healthy_ps = orrery_wall_ps(job);
    orrery_free(job);
    return ORR_OK;
}

/* Error of the first failed run. */
static enum orr_status check_runs(const struct orr_failures *failures, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < failures->runs->count; i++) {
        const struct run *run = &failures->runs->run[i];
        if (run->status != ORRERY_OK) {
            const struct orr_location location =
                orr_location_file(failures->failure[run->failure].name);
            return orr_diag_fail(diag, (enum orr_status)run->status, &location, "%s",
                                 run->error != NULL ? run->error : "out of memory");
        }
    }
    return ORR_OK;
}

/* Keeps the failures of which all runs were done; `partial` [failures] is scratch. */
static void keep_complete(struct orr_failures *failures, bool *partial)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < failures->runs->count; i++) {
        const struct run *run = &failures->runs->run[i];
        partial[run->failure] |= !run->done || run->status != ORRERY_OK;
    }
    for (uint32_t i = 0; i < failures->failures; i++) {
        if (partial[i]) {
            orr_heap_free(failures->failure[i].name);
            failures->unfinished++;
        } else {
            failures->failure[kept++] = failures->failure[i];
        }
    }
    failures->failures = kept;
}

enum orr_status orr_failures_run(struct orr_failures *failures, struct orr_diag *diag)
{
    enum orr_status status = run_healthy(failures, diag);
    if (status != ORR_OK) {
        return status;
    }
    bool *partial = orr_heap_calloc((size_t)failures->failures + 1, sizeof *partial);
    if (partial == NULL) {
        return orr_diag_no_memory(diag, "the failures");
    }
    orrery_parallel(failures->threads, failures->runs->count, run_one, failures);
    status = check_runs(failures, diag);
    keep_complete(failures, partial);
    orr_heap_free(partial);
    return status;
}

void orr_failures_fini(struct orr_failures *failures)
{
    for (uint32_t i = 0; failures->runs != NULL && i < failures->runs->count; i++) {
        orr_heap_free(failures->runs->run[i].error);
    }
    if (failures->runs != NULL) {
        orr_heap_free(failures->runs->run);
    }
    for (uint32_t i = 0; i < failures->cables; i++) {
        orr_heap_free(failures->cable[i].name);
    }
    for (uint32_t i = 0; i < failures->failures; i++) {
        orr_heap_free(failures->failure[i].name);
    }
    orr_heap_free(failures->runs);
    orr_heap_free(failures->cable);
    orr_heap_free(failures->class);
    orr_heap_free(failures->failure);
    orrery_free(failures->failed);
}
