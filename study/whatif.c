/* What-if: the changes of a job, and their runs; see whatif.h. */
#include "study/whatif.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "orrery/study.h"
#include "study/job_source.h"

/* ---- the changes ---- */

static struct orr_whatif_change *add(struct orr_whatif *whatif)
{
    ORR_ASSERT(whatif->changes <= ORR_WHATIF_MAX_CHANGES);
    struct orr_whatif_change *change = &whatif->change[whatif->changes++];
    *change = (struct orr_whatif_change){0};
    return change;
}

static void add_scale(struct orr_whatif_change *change, enum orrery_quantity quantity, unsigned dim,
                      double factor)
{
    change->scale[change->scales++] =
        (struct orrery_scale){.quantity = quantity, .dim = dim, .factor = factor};
}

/* Adds the changes of links of a network that is a graph. */
static void add_links(struct orr_whatif *whatif)
{
    static const struct {
        const char *name;
        unsigned links;
    } kinds[] = {{"links of NPUs", ORRERY_NPU_LINKS},
                 {"links between switches", ORRERY_SWITCH_LINKS}};
    for (unsigned i = 0; i < (whatif->switches ? 2 : 1); i++) {
        struct orr_whatif_change *change = add(whatif);
        (void)snprintf(change->name, sizeof change->name, "%gx bandwidth of %s", whatif->factor,
                       kinds[i].name);
        add_scale(change, ORRERY_BANDWIDTH, kinds[i].links, whatif->factor);
    }
    struct orr_whatif_change *all = add(whatif);
    (void)snprintf(all->name, sizeof all->name, "no latency");
    add_scale(all, ORRERY_LATENCY, ORRERY_ALL_DIMS, 0);
}

static void add_dims(struct orr_whatif *whatif)
{
    if (whatif->links) {
        add_links(whatif);
        return;
    }
    for (unsigned d = 0; d < whatif->dims; d++) {
        struct orr_whatif_change *change = add(whatif);
        (void)snprintf(change->name, sizeof change->name, "%gx bandwidth of dimension %u",
                       whatif->factor, d + 1);
        add_scale(change, ORRERY_BANDWIDTH, d, whatif->factor);
    }
    struct orr_whatif_change *all = add(whatif);
    (void)snprintf(all->name, sizeof all->name, "no latency");
    add_scale(all, ORRERY_LATENCY, ORRERY_ALL_DIMS, 0);
    for (unsigned d = 0; d < whatif->dims && whatif->dims > 1; d++) {
        struct orr_whatif_change *change = add(whatif);
        (void)snprintf(change->name, sizeof change->name, "no latency in dimension %u", d + 1);
        add_scale(change, ORRERY_LATENCY, d, 0);
    }
}

static void add_changes(struct orr_whatif *whatif)
{
    add_dims(whatif);
    struct orr_whatif_change *compute = add(whatif);
    (void)snprintf(compute->name, sizeof compute->name, "%gx compute", whatif->factor);
    add_scale(compute, ORRERY_COMPUTE_RATE, 0, whatif->factor);
    struct orr_whatif_change *cpu = add(whatif);
    (void)snprintf(cpu->name, sizeof cpu->name, "%gx CPU", whatif->factor);
    add_scale(cpu, ORRERY_CPU_RATE, 0, whatif->factor);
    struct orr_whatif_change *memory = add(whatif);
    (void)snprintf(memory->name, sizeof memory->name, "infinitely fast memory");
    add_scale(memory, ORRERY_MEMORY_RATE, 0, INFINITY);
    struct orr_whatif_change *endpoint = add(whatif);
    (void)snprintf(endpoint->name, sizeof endpoint->name, "no endpoint delay");
    add_scale(endpoint, ORRERY_ENDPOINT_DELAY, 0, 0);
    for (unsigned i = 0; i < whatif->givens; i++) {
        struct orr_whatif_change *given = add(whatif);
        (void)snprintf(given->name, sizeof given->name, "%s", whatif->given[i]);
        given->set = whatif->given[i];
    }
    struct orr_whatif_change *free_network = add(whatif);
    *free_network = (struct orr_whatif_change){.name = "communication free", .bound = true};
    add_scale(free_network, ORRERY_BANDWIDTH, ORRERY_ALL_DIMS, INFINITY);
    add_scale(free_network, ORRERY_LATENCY, ORRERY_ALL_DIMS, 0);
    add_scale(free_network, ORRERY_ENDPOINT_DELAY, 0, 0);
    add_scale(free_network, ORRERY_MESSAGE_OVERHEAD, 0, 0);
    struct orr_whatif_change *free_compute = add(whatif);
    *free_compute = (struct orr_whatif_change){.name = "compute free", .bound = true};
    add_scale(free_compute, ORRERY_COMPUTE_RATE, 0, INFINITY);
}

/* ---- running ---- */

static enum orrery_status load(struct orrery *job, const struct orr_whatif *whatif,
                               const struct orr_whatif_change *change)
{
    enum orrery_status status = ORRERY_OK;
    for (unsigned s = 0; s < change->scales && status == ORRERY_OK; s++) {
        status = orrery_scale(job, &change->scale[s]);
    }
    if (status != ORRERY_OK) {
        return status;
    }
    const struct orr_job_source source = {whatif->own, whatif->astra_sim, whatif->parts};
    return orr_job_source_load(&source, &change->set, change->set != NULL ? 1 : 0, job);
}

static void keep_error(struct orr_whatif_change *change, const char *text)
{
    change->error = text[0] != '\0' ? orr_heap_strdup(text) : NULL;
}

/* Sets communication and waiting of an NPU, as means; classes are of equal size. */
static void set_means(struct orr_whatif_change *change, const struct orrery *job)
{
    const int64_t classes = orrery_fold_classes(job);
    int64_t rest[2] = {0, 0};
    for (int64_t c = 0; c < classes; c++) {
        struct orrery_times times;
        if (orrery_npu_times(job, orrery_fold_rank(job, (uint32_t)c), &times) == ORRERY_OK) {
            change->communication_ps += times.exposed_communication_ps / classes;
            change->waiting_ps += times.waiting_ps / classes;
            rest[0] += times.exposed_communication_ps % classes;
            rest[1] += times.waiting_ps % classes;
        }
    }
    change->communication_ps += classes > 0 ? rest[0] / classes : 0;
    change->waiting_ps += classes > 0 ? rest[1] / classes : 0;
}

/* Runs the job once. Keeps its error; "" if there is no job. */
static void run_job(const struct orr_whatif *whatif, struct orr_whatif_change *change,
                    struct orrery *job)
{
    change->status = job != NULL ? load(job, whatif, change) : ORRERY_ERROR_MEMORY;
    if (change->status == ORRERY_OK) {
        change->status = orrery_run(job);
    }
    if (change->status != ORRERY_OK) {
        keep_error(change, job != NULL ? orrery_error(job) : "");
        return;
    }
    change->wall_ps = orrery_wall_ps(job);
    set_means(change, job);
}

/* Detects links, and links between switches. */
static void find_links(struct orr_whatif *whatif, const struct orrery *job)
{
    struct orrery_link link;
    const uint32_t npus = orrery_npus(job);
    whatif->links = orrery_links(job) != 0;
    for (size_t i = 0; orrery_link(job, i, &link) == ORRERY_OK && !whatif->switches; i++) {
        whatif->switches = link.from >= npus && link.to >= npus;
    }
}

/* Runs the baseline. */
static void run_first(struct orr_whatif *whatif)
{
    struct orr_whatif_change *first = add(whatif);
    struct orrery *job = orrery_new();
    (void)snprintf(first->name, sizeof first->name, "baseline");
    if (job != NULL) {
        orrery_on_warning(job, whatif->warn, whatif->warn_user);
    }
    run_job(whatif, first, job);
    if (first->status != ORRERY_OK) {
        whatif->failed = job;
        return;
    }
    whatif->npus = orrery_npus(job);
    whatif->dims = orrery_dims(job);
    whatif->has_waiting_split = orrery_tells_waiting(job);
    find_links(whatif, job);
    orrery_free(job);
}

static void run_rest(void *context, unsigned index)
{
    struct orr_whatif *whatif = context;
    struct orrery *job = orrery_new();
    run_job(whatif, &whatif->change[index + 1], job);
    orrery_free(job);
}

/* The error of the first run that failed, prefixed by the change's name except for the baseline. */
static enum orr_status check(const struct orr_whatif *whatif, struct orr_diag *diag)
{
    for (unsigned i = 0; i < whatif->changes; i++) {
        const struct orr_whatif_change *change = &whatif->change[i];
        if (change->status != ORRERY_OK) {
            char option[sizeof change->name + 16];
            (void)snprintf(option, sizeof option, "%s%s", change->set != NULL ? "--change " : "",
                           change->name);
            const struct orr_location place = orr_location_file(option);
            const char *error = change->error != NULL ? change->error : "out of memory";
            return orr_diag_fail(diag, (enum orr_status)change->status, i != 0 ? &place : NULL,
                                 "%s", change->set != NULL ? orr_conf_unset_message(error) : error);
        }
    }
    return ORR_OK;
}

/* ---- the ranking ---- */

static bool before(const struct orr_whatif_change *first, const struct orr_whatif_change *second)
{
    return first->bound != second->bound ? second->bound : first->wall_ps < second->wall_ps;
}

/* Ranks all but the first, by a stable insertion sort. */
static void rank(struct orr_whatif *whatif)
{
    for (unsigned i = 2; i < whatif->changes; i++) {
        const struct orr_whatif_change moved = whatif->change[i];
        unsigned place = i;
        for (; place > 1 && before(&moved, &whatif->change[place - 1]); place--) {
            whatif->change[place] = whatif->change[place - 1];
        }
        whatif->change[place] = moved;
    }
}

enum orr_status orr_whatif_run(struct orr_whatif *whatif, struct orr_diag *diag)
{
    run_first(whatif);
    enum orr_status status = check(whatif, diag);
    if (status == ORR_OK) {
        add_changes(whatif);
        orrery_parallel(whatif->threads, whatif->changes - 1, run_rest, whatif);
        status = check(whatif, diag);
    }
    if (status == ORR_OK) {
        rank(whatif);
    }
    return status;
}

void orr_whatif_fini(struct orr_whatif *whatif)
{
    for (unsigned i = 0; i < whatif->changes; i++) {
        orr_heap_free(whatif->change[i].error);
    }
    orrery_free(whatif->failed);
}
