/* Sizes and variants of a collective, and their runs; see collective_bench.h. */
#include "study/bench/collective_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "orrery/prefix.h"
#include "orrery/study.h"
#include "sim/load/platform_network.h"
#include "sim/ring_use.h"
#include "study/job_source.h"
#include "system/sys_config.h"
#include "system/sys_counts.h"

enum { SET_BYTES = 160, OWN_SETS = 4 };

static const char *name_of(const struct orr_collective_bench *bench)
{
    return orr_coll_kind_name(bench->collective);
}

bool orr_collective_bench_name(struct orr_collective_bench *bench, const char *name)
{
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        if (strcmp(orr_coll_kind_name((enum coll_kind)kind), name) == 0) {
            bench->collective = (enum coll_kind)kind;
            return true;
        }
    }
    return false;
}

/* ---- one run ---- */

static struct orrery *load(const struct orr_collective_bench *bench, uint64_t bytes,
                           const struct orr_bench_variant *variant, enum orrery_status *status)
{
    char sets[OWN_SETS][SET_BYTES];
    unsigned count = 1;
    (void)snprintf(sets[0], SET_BYTES, "workload={generate: %s, bytes: %" PRIu64 " B%s}",
                   name_of(bench), bytes, bench->turnaround ? ", first_part: 1 B" : "");
    if (!variant->platform_variant) {
        (void)snprintf(sets[count++], SET_BYTES, "system.algorithms.%s=%s", name_of(bench),
                       variant->algorithm);
        if (bench->platform_variant[0] != '\0') {
            (void)snprintf(sets[count++], SET_BYTES, "system.monolithic_all_reduce=phases");
        }
    }
    if (variant->scheduler != NULL) {
        (void)snprintf(sets[count++], SET_BYTES, "system.scheduler=%s", variant->scheduler);
    }
    struct orrery *job = orrery_new();
    const struct orr_job_source source = {.own = bench->platform, .parts = bench->parts};
    const char *const set[OWN_SETS] = {sets[0], sets[1], sets[2], sets[3]};
    *status = job == NULL ? ORRERY_ERROR_MEMORY : orr_job_source_load(&source, set, count, job);
    return job;
}

/* ---- variants ---- */

/* True if one of the algorithms, such as in "ring+trees", runs only if it is named. */
static bool has_by_name(const char *algorithms)
{
    const struct coll_algorithm *algorithm;
    for (size_t a = 0; (algorithm = orr_coll_algorithm_at(a)) != NULL; a++) {
        if (algorithm->by_name && strstr(algorithms, algorithm->name) != NULL) {
            return true;
        }
    }
    return false;
}

/* The job with the platform's algorithms, if no other variant covers them: an algorithm that runs
 * only by name, a monolithic all-reduce, or a communication library (CCL); else NULL. */
static struct orrery *load_platform_variant(struct orr_collective_bench *bench)
{
    const struct orr_bench_variant platform_variant = {.platform_variant = true};
    enum orrery_status status;
    struct orrery *job = load(bench, bench->min, &platform_variant, &status);
    struct orrery_choice choice;
    size_t choices;
    if (status == ORRERY_OK && orrery_choices(job, &choices) == ORRERY_OK &&
        orrery_choice(job, 0, &choice) == ORRERY_OK &&
        (choice.whole || choice.library != NULL || has_by_name(choice.algorithms))) {
        bench->uses_ccl = choice.library != NULL;
        (void)snprintf(bench->platform_variant, sizeof bench->platform_variant, "%s%s",
                       choice.whole ? "whole " : "",
                       choice.library != NULL ? choice.library : choice.algorithms);
        return job;
    }
    orrery_free(job);
    return NULL;
}

/* The job from which the platform's shape is read. */
static struct orrery *load_shape(struct orr_collective_bench *bench, enum orrery_status *status)
{
    const struct orr_bench_variant first = {.algorithm = orr_sys_choice_name(SYS_BY_BLOCK),
                                            .scheduler = orr_sys_scheduler_name(0)};
    struct orrery *platform_variant = load_platform_variant(bench);
    struct orrery *job = load(bench, bench->min, &first, status);
    bench->only_platform_variant = platform_variant != NULL && *status == ORRERY_ERROR_INPUT;
    if (bench->only_platform_variant) {
        *status = ORRERY_OK;
    }
    orrery_free(bench->only_platform_variant ? job : platform_variant);
    return bench->only_platform_variant ? platform_variant : job;
}

static bool has_rings(const struct orrery *job)
{
    const struct net_config *network = orr_job_network(job);
    struct sys_ring_use use;
    return network->graph != NULL && network->graph->circuits == NULL &&
           !orr_net_is_stacked(network) && orr_rings_of_all(network->graph, &use, NULL) == ORR_OK &&
           use.rings > 0;
}

enum orr_status orr_collective_bench_inspect(struct orr_collective_bench *bench,
                                             struct orr_diag *diag)
{
    enum orrery_status status;
    struct orrery *job = load_shape(bench, &status);
    if (status != ORRERY_OK) {
        (void)orr_diag_fail(diag, (enum orr_status)status, NULL, "%s", orr_job_error(job));
    } else {
        bench->npus = orrery_npus(job);
        bench->dims = orrery_dims(job);
        for (unsigned d = 0; d < bench->dims; d++) {
            struct orrery_dim_stats dim;
            (void)orrery_dim(job, d, &dim);
            bench->dim_npus[d] = dim.npus;
            bench->dim_reduces[d] = orrery_links(job) == 0 && dim.reduces;
        }
        bench->has_rings = has_rings(job);
    }
    orrery_free(job);
    return (enum orr_status)status;
}

enum orr_bench_range orr_collective_bench_range(struct orr_collective_bench *bench)
{
    bench->sizes = 0;
    if (bench->min < bench->npus) {
        return ORR_BENCH_RANGE_TOO_SMALL;
    }
    if (bench->max < bench->min) {
        return ORR_BENCH_RANGE_EMPTY;
    }
    for (uint64_t size = bench->min; bench->sizes < ORR_BENCH_MAX_SIZES; size *= bench->step) {
        bench->size[bench->sizes++] = size;
        if (size > bench->max / bench->step) {
            return ORR_BENCH_RANGE_FITS;
        }
    }
    return ORR_BENCH_RANGE_TOO_LONG;
}

static bool supported(const struct orr_collective_bench *bench,
                      const struct coll_algorithm *algorithm)
{
    for (unsigned d = 0; d < bench->dims; d++) {
        if (!algorithm->supports(bench->collective, bench->dim_npus[d]) ||
            (algorithm->in_switch && !bench->dim_reduces[d]) ||
            (algorithm->on_rings && !bench->has_rings) || algorithm->on_forest) {
            return false;
        }
    }
    return true;
}

static void add_variant(struct orr_collective_bench *bench, const char *algorithm,
                        const char *scheduler)
{
    ORR_ASSERT(bench->variants < ORR_BENCH_MAX_VARIANTS);
    bench->variant[bench->variants++] =
        (struct orr_bench_variant){.algorithm = algorithm, .scheduler = scheduler};
}

static void add_variants(struct orr_collective_bench *bench)
{
    bench->variants = 0;
    if (bench->only_own) {
        add_variant(bench, "", NULL);
        bench->variant[0].platform_variant = true;
        return;
    }
    if (bench->platform_variant[0] != '\0') {
        add_variant(bench, bench->platform_variant, NULL);
        bench->variant[0].platform_variant = true;
    }
    if (bench->only_platform_variant) {
        return;
    }
    add_variant(bench, orr_sys_choice_name(SYS_AUTO), NULL);
    for (size_t s = 0; s == 0 || (bench->dims > 1 && orr_sys_scheduler_name(s) != NULL); s++) {
        add_variant(bench, orr_sys_choice_name(SYS_BY_BLOCK), orr_sys_scheduler_name(s));
    }
    for (size_t a = 0; orr_coll_algorithms[a] != NULL && bench->variants < ORR_BENCH_MAX_VARIANTS;
         a++) {
        if (!orr_coll_algorithms[a]->by_name && supported(bench, orr_coll_algorithms[a])) {
            add_variant(bench, orr_coll_algorithms[a]->name, orr_sys_scheduler_name(0));
        }
    }
}

/* ---- running ---- */

/* Names the algorithm and protocol that a library took, or any if only the platform's is run. */
static void set_algorithm(const struct orr_collective_bench *bench, struct orrery *job,
                          struct orr_bench_point *point)
{
    struct orrery_choice choice;
    size_t choices = 0;
    if (orrery_choices(job, &choices) == ORRERY_OK && choices > 0 &&
        orrery_choice(job, 0, &choice) == ORRERY_OK &&
        (bench->only_own || choice.library != NULL)) {
        point->launch_ps = choice.launch_ps;
        (void)snprintf(point->algorithm, sizeof point->algorithm, "%s%s",
                       choice.whole ? "whole " : "", choice.algorithms);
    }
}

static void run_point(void *context, unsigned index)
{
    struct orr_collective_bench *bench = context;
    struct orr_bench_point *point = &bench->point[index];
    struct orrery *job = load(bench, bench->size[index / bench->variants],
                              &bench->variant[index % bench->variants], &point->status);
    if (point->status == ORRERY_OK) {
        point->status = orrery_run(job);
    }
    if (point->status == ORRERY_OK) {
        struct orrery_gradient_queue queue;
        point->wall_ps = orrery_wall_ps(job);
        (void)orrery_gradient_queue(job, &queue);
        point->turnaround_ps = queue.turnaround_ps;
        set_algorithm(bench, job, point);
    } else {
        (void)snprintf(point->error, sizeof point->error, "%s", orr_job_error(job));
    }
    orrery_free(job);
}

static enum orr_status compute_bounds(struct orr_collective_bench *bench, struct orr_diag *diag)
{
    enum orrery_status loaded;
    struct orrery *job = load_shape(bench, &loaded);
    const enum orr_status status =
        loaded == ORRERY_OK
            ? orr_collective_bench_bounds(bench, job, diag)
            : orr_diag_fail(diag, (enum orr_status)loaded, NULL, "%s", orr_job_error(job));
    orrery_free(job);
    return status;
}

enum orr_status orr_collective_bench_run(struct orr_collective_bench *bench, struct orr_diag *diag)
{
    add_variants(bench);
    const enum orr_status status = bench->bound ? compute_bounds(bench, diag) : ORR_OK;
    if (status != ORR_OK) {
        return status;
    }
    const unsigned points = bench->sizes * bench->variants;
    bench->point = orr_heap_calloc(points, sizeof *bench->point);
    if (bench->point == NULL) {
        return orr_diag_no_memory(diag, "the runs of a bench");
    }
    orrery_parallel(bench->threads, points, run_point, bench);
    for (unsigned i = 0; i < points; i++) {
        const struct orr_bench_point *point = &bench->point[i];
        if (point->status != ORRERY_OK) {
            return orr_diag_fail(diag, (enum orr_status)point->status, NULL, "%s", point->error);
        }
    }
    return ORR_OK;
}

void orr_collective_bench_fini(struct orr_collective_bench *bench)
{
    orr_heap_free(bench->point);
    bench->point = NULL;
}

/* ---- results ---- */

int64_t orr_collective_bench_wall_ps(const struct orr_collective_bench *bench, unsigned size,
                                     unsigned variant)
{
    return bench->point[(size_t)size * bench->variants + variant].wall_ps;
}

int64_t orr_collective_bench_turnaround_ps(const struct orr_collective_bench *bench, unsigned size,
                                           unsigned variant)
{
    return bench->point[(size_t)size * bench->variants + variant].turnaround_ps;
}

unsigned orr_collective_bench_best(const struct orr_collective_bench *bench, unsigned size)
{
    unsigned best = 0;
    for (unsigned v = 1; v < bench->variants && !bench->uses_ccl; v++) {
        best = orr_collective_bench_wall_ps(bench, size, v) <
                       orr_collective_bench_wall_ps(bench, size, best)
                   ? v
                   : best;
    }
    return best;
}

double orr_collective_bench_algorithm_bandwidth(const struct orr_collective_bench *bench,
                                                unsigned size, unsigned variant)
{
    const int64_t wall_ps = orr_collective_bench_wall_ps(bench, size, variant);
    return wall_ps > 0 ? (double)bench->size[size] / ((double)wall_ps * 1e-12) : 0;
}

double orr_collective_bench_bus_bandwidth(const struct orr_collective_bench *bench, unsigned size,
                                          unsigned variant)
{
    const struct orrery_summary_row row = {.kind = ORRERY_NODE_COLLECTIVE,
                                           .name = name_of(bench),
                                           .npus = bench->npus,
                                           .bytes = bench->size[size],
                                           .time_ps =
                                               orr_collective_bench_wall_ps(bench, size, variant)};
    return orrery_bus_bandwidth(&row);
}
