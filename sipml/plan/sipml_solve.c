/* Plans by SiP-ML: search, runs of the best points, and the result; see sipml_result.h. */
#include "sipml/plan/sipml_result.h"

#include <math.h>

#include "core/conf/conf.h"
#include "network/allocation.h"
#include "network/flows/flows.h"
#include "network/net_backend.h"
#include "orrery/study.h"
#include "planner/plan_file/plan_job.h"
#include "sipml/search/sipml_circuits.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_traffic.h"
#include "workload/model/op_graph.h"

/* Points whose first placement is within this of the best are run in all placements. */
#define SIPML_NEAR 1.1
/* Estimates are probed up to this many times the best: where they are longer than runs by more, so
 * are those of the best points, and what is added for doubt finds them. */
#define SIPML_PROBED 2.0

struct work {
    struct orr_arena *arena;
    const struct plan_job *job;
    const struct plan_options *options;
    struct sipml_result *out;
    struct orr_diag *diag;
};

static void report_progress(const struct work *work, const char *doing)
{
    if (work->options->progress != NULL) {
        const struct plan_progress report = {.doing = doing, .best_ps = ORR_TIME_MAX};
        work->options->progress(work->options->context, &report);
    }
}

static bool was_stopped(const struct work *work)
{
    return work->options->stop != NULL && *work->options->stop != 0;
}

/* Flows with the settings of a run. */
static struct net_flow_model flows_of(const struct plan_job *job)
{
    struct net_flow_model flows = orr_net_flow_packets(false);
    orr_net_config_flows(&job->network, &flows);
    flows.windows = false;
    return flows;
}

static void fill_search_input(const struct work *work, struct sipml_search_input *out)
{
    const struct plan_job *job = work->job;
    const struct plan_sip_ml *request = sipml_asked(job);
    *out = (struct sipml_search_input){.problem = {.model = &job->model,
                                                   .speed = &job->speed,
                                                   .devices = job->servers,
                                                   .copies = 1,
                                                   .server = job->server,
                                                   .memory_bytes = job->memory_bytes,
                                                   .rules = request->rules},
                                       .network = {.graph = job->network.graph,
                                                   .routes = job->network.routes,
                                                   .flows = flows_of(job),
                                                   .bidirectional = job->circuits.bidirectional},
                                       .weight = job->circuits.weight,
                                       .weights = job->circuits.weights,
                                       .group = request->group,
                                       .groups = request->groups,
                                       .batch = request->batch,
                                       .batches = request->batches,
                                       .steps = request->steps,
                                       .threads = work->options->threads,
                                       .stop = work->options->stop};
}

/* The job with the batch of a point. */
static struct plan_job job_of(const struct plan_job *job, const struct sipml_point *point)
{
    struct plan_job point_job = *job;
    point_job.batch = point->batch;
    point_job.model.batch = point->batch;
    point_job.model.batch_per_device = 0;
    point_job.stream = true;
    point_job.circuits.tries_weights = point_job.circuits.tries_weights && sipml_has_weight(point);
    return point_job;
}

/* ---- runs ---- */

/* A run: a point, its parts by one order. */
struct run {
    int32_t point;
    enum sipml_order order;
    enum orr_status status;
    struct orr_diag diag;
};

struct runs {
    const struct work *work;
    struct run *run; /* [count] */
    unsigned count;
};

static enum orr_status run_in(struct orr_arena *arena, const struct work *work, struct run *run)
{
    struct sipml_point *point = &work->out->found.point[run->point];
    const struct sipml_point placing = {
        .group = point->group, .copies = point->copies, .batch = point->batch, .order = run->order};
    struct sipml_try *tried = &point->tried[run->order];
    const struct plan_job job = job_of(work->job, point);
    struct model_graph model;
    struct sipml_placement placed;
    enum orr_status status =
        orr_sipml_place_point(arena, &work->out->searched, &placing, &model, &placed, &run->diag);
    if (status == ORR_OK) {
        struct plan_run_result ran = {.weight = 0};
        status = orr_plan_run(&job, &work->out->on, &placed.strategy, &ran, &run->diag);
        tried->simulated_ps = ran.time_ps;
        if (ran.weight > 0 && sipml_has_weight(point)) {
            tried->weight = ran.weight;
        }
    }
    return status;
}

static void run_one(void *context, unsigned index)
{
    const struct runs *runs = context;
    struct run *run = &runs->run[index];
    if (was_stopped(runs->work)) {
        return; /* without a time, so that it cannot become the plan */
    }
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&run->diag);
    run->status = arena != NULL ? run_in(arena, runs->work, run)
                                : orr_diag_no_memory(&run->diag, "a run of the plan");
    orr_arena_destroy(arena);
}

static void add_run(struct runs *runs, int32_t at, unsigned order)
{
    const struct sipml_try *tried = &runs->work->out->found.point[at].tried[order];
    if (tried->fits && !tried->repeated && tried->simulated_ps == 0) {
        runs->run[runs->count++] = (struct run){.point = at, .order = (enum sipml_order)order};
    }
}

/* Adds the best points by an estimate that can become the plan, and the best of data parallelism,
 * unless they were added. */
static void add_best(struct runs *runs, const uint32_t *order, bool *added)
{
    const struct sipml_search_result *found = &runs->work->out->found;
    const uint32_t max = sipml_asked(runs->work->job)->simulate;
    unsigned best = 0;
    bool baseline = false;
    for (uint32_t i = 0; i < found->points; i++) {
        const struct sipml_point *point = &found->point[order[i]];
        const bool is_candidate = !point->compared && best < max;
        const bool parallel = point->group == 1 && !baseline;
        if (point->outcome == SIPML_FITS && (is_candidate || parallel)) {
            if (!added[order[i]]) {
                add_run(runs, (int32_t)order[i], found->point[order[i]].order);
            }
            added[order[i]] = true;
            best += is_candidate;
            baseline = baseline || parallel;
        }
    }
}

/* The best point of a k by estimate. SIPML_NO_POINT: none fits. */
static int32_t best_of_group(const struct sipml_search_result *found, uint32_t group)
{
    for (uint32_t i = 0; i < found->points; i++) {
        const struct sipml_point *point = &found->point[found->order[i]];
        if (point->group == group && point->outcome == SIPML_FITS && !point->compared) {
            return (int32_t)found->order[i];
        }
    }
    return SIPML_NO_POINT;
}

/* Adds the best point of each k that could be the best of all: estimates are off by alike ratios
 * for points of one k, and may be near for each k but one. */
static void add_probes(struct runs *runs, bool *added)
{
    const struct sipml_search_input *searched = &runs->work->out->searched;
    const struct sipml_search_result *found = &runs->work->out->found;
    const double best = orr_sipml_estimated_s(&found->point[found->order[0]]);
    for (uint32_t i = 0; i < searched->groups; i++) {
        const int32_t at = best_of_group(found, searched->group[i]);
        if (at != SIPML_NO_POINT && !added[at] &&
            orr_sipml_estimated_s(&found->point[at]) < SIPML_PROBED * best) {
            add_run(runs, at, found->point[at].order);
            added[at] = true;
        }
    }
}

/* Points by their least estimate and by that of the free-first rule: a placement that is estimated
 * too short must not push out what either rule finds. */
static enum orr_status add_candidates(struct runs *runs)
{
    const struct work *work = runs->work;
    const struct sipml_search_result *found = &work->out->found;
    bool *added = orr_heap_calloc(found->points, sizeof *added);
    if (added == NULL) {
        return orr_diag_no_memory(work->diag, "the runs of a plan");
    }
    add_best(runs, found->order, added);
    add_best(runs, found->order_free_first, added);
    add_probes(runs, added);
    orr_heap_free(added);
    return ORR_OK;
}

/* Every placement keeps its time; the point has that of the fastest. Ties: the first. */
static void take_fastest(struct sipml_point *point)
{
    for (unsigned o = 0; o < SIPML_ORDERS; o++) {
        const struct sipml_try *tried = &point->tried[o];
        if (tried->simulated_ps != 0 &&
            (point->simulated_ps == 0 || tried->simulated_ps < point->simulated_ps)) {
            point->order = (enum sipml_order)o;
            point->simulated_ps = tried->simulated_ps;
            point->estimate = tried->estimate;
            point->weight = tried->weight;
        }
    }
}

static enum orr_status run_all(const struct work *work, struct runs *runs)
{
    orrery_parallel(work->options->threads, runs->count, run_one, runs);
    for (unsigned i = 0; i < runs->count; i++) {
        if (runs->run[i].status != ORR_OK) {
            return orr_diag_fail(work->diag, runs->run[i].status, NULL, "%s",
                                 runs->run[i].diag.message);
        }
        struct sipml_point *point = &work->out->found.point[runs->run[i].point];
        take_fastest(point);
        work->out->simulated |= point->simulated_ps != 0;
    }
    return ORR_OK;
}

/* How far the estimates of points were off: the largest, and simulated over estimated, the
 * min_ratio (at most 1). */
static double measure_error(struct sipml_result *out)
{
    double min_ratio = 1;
    out->estimate_error = 0;
    for (uint32_t i = 0; i < out->found.points; i++) {
        const struct sipml_point *point = &out->found.point[i];
        if (point->simulated_ps != 0) {
            const double ratio = (double)point->estimate.iteration_ps / (double)point->simulated_ps;
            out->estimate_error = fmax(out->estimate_error, fabs(ratio - 1));
            min_ratio = fmin(min_ratio, 1 / ratio);
        }
    }
    return min_ratio;
}

static double best_seconds(const struct sipml_search_result *found)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < found->points; i++) {
        const struct sipml_point *point = &found->point[i];
        if (point->simulated_ps != 0 && !point->compared) {
            best = fmin(best, orr_sipml_accuracy_s(point));
        }
    }
    return best;
}

/* Where estimates are too far off to be trusted: adds the points that could still be the best if
 * they are as far too long as the worst of those that ran. */
static void add_doubtful(struct runs *runs)
{
    struct sipml_result *out = runs->work->out;
    const double min_ratio = measure_error(out), best = best_seconds(&out->found);
    for (uint32_t i = 0; i < out->found.points && out->estimate_error > SIPML_TRUSTED; i++) {
        const struct sipml_point *point = &out->found.point[i];
        if (point->outcome == SIPML_FITS && point->simulated_ps == 0 && !point->compared &&
            orr_sipml_estimated_s(point) * min_ratio < best) {
            add_run(runs, (int32_t)i, point->order);
            out->added++;
        }
    }
}

/* Adds the other placements of the best point, and of those that come near it. */
static void add_placements(struct runs *runs)
{
    const struct sipml_search_result *found = &runs->work->out->found;
    const double best = best_seconds(found);
    for (uint32_t i = 0; i < found->points; i++) {
        const struct sipml_point *point = &found->point[i];
        const bool near = point->simulated_ps != 0 && !point->compared &&
                          orr_sipml_accuracy_s(point) <= SIPML_NEAR * best;
        for (unsigned o = 0; o < SIPML_ORDERS && near; o++) {
            add_run(runs, (int32_t)i, o);
        }
    }
}

static enum orr_status simulate(struct work *work)
{
    const size_t max = (size_t)work->out->found.points * SIPML_ORDERS;
    struct runs runs = {.work = work, .run = orr_heap_calloc(max, sizeof *runs.run)};
    enum orr_status status =
        runs.run != NULL ? ORR_OK : orr_diag_no_memory(work->diag, "the runs of a plan");
    status = status == ORR_OK ? add_candidates(&runs) : status;
    while (status == ORR_OK && runs.count > 0) {
        status = run_all(work, &runs);
        runs.count = 0;
        if (status == ORR_OK && !was_stopped(work)) {
            add_doubtful(&runs);
        }
        if (status == ORR_OK && !was_stopped(work) && runs.count == 0) {
            add_placements(&runs);
        }
    }
    orr_heap_free(runs.run);
    return status;
}

/* ---- the plan ---- */

/* The best of the simulated points, if there are any, else of all; ties: the first. */
static int32_t best_of(const struct sipml_result *result, bool parallel)
{
    const struct sipml_search_result *found = &result->found;
    int32_t best = SIPML_NO_POINT;
    for (uint32_t i = 0; i < found->points; i++) {
        const uint32_t at = found->order[i];
        const struct sipml_point *point = &found->point[at];
        const bool counts = point->outcome == SIPML_FITS &&
                            (parallel ? point->group == 1 : !point->compared) &&
                            (!result->simulated || point->simulated_ps != 0);
        if (counts && (best == SIPML_NO_POINT ||
                       orr_sipml_accuracy_s(point) < orr_sipml_accuracy_s(&found->point[best]))) {
            best = (int32_t)at;
        }
    }
    return best;
}

static enum orr_status choose(struct work *work)
{
    struct sipml_result *out = work->out;
    out->best = best_of(out, false);
    out->baseline = best_of(out, true);
    if (out->best == SIPML_NO_POINT &&
        out->simulated) { /* stopped before the run of the first candidate */
        out->simulated = false;
        out->best = best_of(out, false);
        out->baseline = best_of(out, true);
    }
    if (out->best == SIPML_NO_POINT) {
        return orr_diag_fail(work->diag, ORR_ERR_INPUT, NULL,
                             "stopped before any (k, l, batch) was estimated");
    }
    const struct sipml_point *best = sipml_best(out);
    struct model_graph model;
    out->job = job_of(work->job, best);
    enum orr_status status =
        orr_sipml_place_point(work->arena, &out->searched, best, &model, &out->placed, work->diag);
    if (status == ORR_OK) {
        status = orr_sipml_traffic(work->arena, &out->job.model, &out->placed.strategy,
                                   out->job.circuits.bidirectional, &out->traffic, work->diag);
    }
    out->on_circuits = orr_net_awaits_demands(out->on.graph);
    if (status == ORR_OK && out->on_circuits) {
        status = orr_sipml_circuits(work->arena, out->on.graph, &out->traffic, best->weight,
                                    &out->circuits, work->diag);
        status = status == ORR_OK ? orr_sipml_map(work->arena, &out->job, &out->traffic,
                                                  &out->circuits, &out->map, work->diag)
                                  : status;
    }
    return status == ORR_OK ? orr_sipml_peers(work->arena, &out->traffic, &out->peers, work->diag)
                            : status;
}

/* An error without a location gets that of the plan. */
static enum orr_status locate_error(const struct work *work, enum orr_status status)
{
    if (status == ORR_ERR_INPUT && work->diag != NULL &&
        work->diag->place.kind == ORR_LOCATION_NONE) {
        const struct orr_conf *sip_ml = orr_conf_get(work->job->section, "sip_ml");
        work->diag->place = orr_conf_location(sip_ml != NULL ? sip_ml : work->job->section);
    }
    return status;
}

enum orr_status orr_sipml_solve(struct orr_arena *arena, const struct plan_job *job,
                                const struct plan_options *options, struct sipml_result *out,
                                struct orr_diag *diag)
{
    struct work work = {arena, job, options, out, diag};
    *out = (struct sipml_result){.on = {job->network.graph, job->network.routes}};
    fill_search_input(&work, &out->searched);
    report_progress(&work, "searching");
    enum orr_status status = orr_sipml_search(arena, &out->searched, &out->found, diag);
    out->stopped = was_stopped(&work);
    if (status == ORR_OK && !options->no_run && !out->stopped) {
        report_progress(&work, "simulating");
        status = simulate(&work);
        out->stopped = was_stopped(&work);
    }
    if (status == ORR_OK) {
        status = choose(&work);
    }
    return locate_error(&work, status);
}
