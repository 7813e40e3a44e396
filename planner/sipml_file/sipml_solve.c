/* Plans by SiP-ML: search, runs of the best points, and the result; see sipml_result.h. */
#include "planner/sipml_file/sipml_result.h"

#include "orrery/study.h"

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
        const struct plan_progress report = {doing, {.best_ps = ORR_TIME_MAX}};
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
    const struct plan_sip_ml *request = &job->sip_ml;
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

struct runs {
    const struct work *work;
    int32_t *point; /* [count] */
    struct orr_diag *diag;
    enum orr_status *status;
};

static void run_point(void *context, unsigned index)
{
    const struct runs *runs = context;
    const struct work *work = runs->work;
    if (was_stopped(work)) {
        return; /* without a time, so that it cannot become the plan */
    }
    struct sipml_point *point = &work->out->found.point[runs->point[index]];
    const struct plan_job job = job_of(work->job, point);
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag *diag = &runs->diag[index];
    struct model_graph model;
    struct sipml_placement placed;
    orr_diag_init(diag);
    enum orr_status status = arena != NULL ? orr_sipml_place_point(arena, &work->out->searched,
                                                                   point, &model, &placed, diag)
                                           : orr_diag_no_memory(diag, "a run of the plan");
    if (status == ORR_OK) {
        struct plan_run_result ran = {.weight = 0};
        status = orr_plan_run(&job, &work->out->on, &placed.strategy, &ran, diag);
        point->simulated_ps = ran.time_ps;
        if (ran.weight > 0 && sipml_has_weight(point)) {
            point->weight = ran.weight;
        }
    }
    runs->status[index] = status;
    orr_arena_destroy(arena);
}

/* The points to simulate: the best by estimate that can become the plan, and the best of data
 * parallelism. */
static unsigned pick_candidates(const struct work *work, int32_t *picked)
{
    const struct sipml_search_result *found = &work->out->found;
    const uint32_t max = work->job->sip_ml.simulate;
    unsigned count = 0, best = 0;
    bool baseline = false;
    for (uint32_t i = 0; i < found->points; i++) {
        const struct sipml_point *point = &found->point[found->order[i]];
        const bool is_candidate = !point->compared && best < max;
        const bool parallel = point->group == 1 && !baseline;
        if (point->outcome == SIPML_FITS && (is_candidate || parallel)) {
            picked[count++] = (int32_t)found->order[i];
            best += is_candidate;
            baseline = baseline || parallel;
        }
    }
    return count;
}

static enum orr_status simulate(struct work *work)
{
    const size_t points = work->out->found.points;
    struct runs runs = {.work = work,
                        .point = orr_heap_calloc(points, sizeof *runs.point),
                        .diag = orr_heap_calloc(points, sizeof *runs.diag),
                        .status = orr_heap_calloc(points, sizeof *runs.status)};
    enum orr_status status = ORR_OK;
    if (runs.point == NULL || runs.diag == NULL || runs.status == NULL) {
        status = orr_diag_no_memory(work->diag, "the runs of a plan");
    } else {
        const unsigned count = pick_candidates(work, runs.point);
        orrery_parallel(work->options->threads, count, run_point, &runs);
        for (unsigned i = 0; i < count && status == ORR_OK; i++) {
            status = runs.status[i] == ORR_OK ? ORR_OK
                                              : orr_diag_fail(work->diag, runs.status[i], NULL,
                                                              "%s", runs.diag[i].message);
        }
        for (unsigned i = 0; i < count && status == ORR_OK; i++) {
            work->out->simulated |= work->out->found.point[runs.point[i]].simulated_ps != 0;
        }
    }
    orr_heap_free(runs.point);
    orr_heap_free(runs.diag);
    orr_heap_free(runs.status);
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
