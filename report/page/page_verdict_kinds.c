/* Verdicts in a sentence on sweeps, plans, fits, benches and all other results. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/page/page_private.h"

const char *orr_verdict_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* ---- sweeps ---- */

static void verdict_sweep(const json_t *sweep, char *text)
{
    const json_t *points = json_object_get(sweep, "points"), *best = NULL, *worst = NULL;
    size_t done = 0;
    char time[ORR_VERDICT_FIGURE_BYTES], other[ORR_VERDICT_FIGURE_BYTES];
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        const double wall = orr_page_number(point, "wall_ps");
        if (strcmp(orr_verdict_text(point, "status"), "ok") == 0) {
            done++;
            best = best == NULL || wall < orr_page_number(best, "wall_ps") ? point : best;
            worst = worst == NULL || wall > orr_page_number(worst, "wall_ps") ? point : worst;
        }
    }
    orr_verdict_add(text, "%zu of %zu point%s ran", done, json_array_size(points),
                    orr_plural(json_array_size(points)));
    if (done == 1) {
        orr_verdict_add(text, "; it takes %s",
                        orr_verdict_time(orr_page_number(best, "wall_ps"), time));
    } else if (best != NULL) {
        orr_verdict_add(text, "; the fastest (point %.0f) takes %s, the slowest (point %.0f) %s",
                        orr_page_number(best, "point"),
                        orr_verdict_time(orr_page_number(best, "wall_ps"), time),
                        orr_page_number(worst, "point"),
                        orr_verdict_time(orr_page_number(worst, "wall_ps"), other));
    }
    orr_verdict_add(text, ".");
}

/* ---- plans ---- */

double orr_verdict_planned_ps(const json_t *plan)
{
    const double simulated = orr_page_number(plan, "simulated_ps");
    const double estimated = orr_page_number(plan, "estimated_ps");
    return simulated > 0   ? simulated
           : estimated > 0 ? estimated
                           : orr_page_number(plan, "predicted_ps");
}

void orr_verdict_add_data_parallel(const json_t *parallel, double ps, char *text)
{
    char time[ORR_VERDICT_FIGURE_BYTES];
    const double other = orr_verdict_planned_ps(parallel);
    if (other > 0 && ps > 0) {
        orr_verdict_add(text, "; data parallelism takes %s, %.2f times as long",
                        orr_verdict_time(other, time), other / ps);
    }
    orr_verdict_add(text, ".");
}

/* ---- fits ---- */

static void add_error(const json_t *list, const char *words, char *text)
{
    const json_t *all = json_array_get(list, 0);
    if (orr_page_number(all, "count") > 0) {
        orr_verdict_add(text,
                        "; %.0f rows that %s: half of them within %.1f %%, 90 %% within %.1f %%",
                        orr_page_number(all, "count"), words, 100 * orr_page_number(all, "median"),
                        100 * orr_page_number(all, "p90"));
    }
}

static void verdict_fit(const json_t *fit, char *text)
{
    const json_t *parameters = json_object_get(fit, "parameters");
    size_t identified = 0;
    for (size_t i = 0; i < json_array_size(parameters); i++) {
        const json_t *parameter = json_array_get(parameters, i);
        identified += json_is_true(json_object_get(parameter, "identified")) ? 1 : 0;
    }
    orr_verdict_add(text, "%s: the rows identify %zu of %zu parameters",
                    orr_verdict_text(fit, "platform"), identified, json_array_size(parameters));
    add_error(json_object_get(fit, "fitted"), "were fitted", text);
    add_error(json_object_get(fit, "held_out"), "were held out", text);
    orr_verdict_add(text, ".");
}

/* ---- the rest ---- */

static void verdict_bench(const json_t *bench, char *text)
{
    const json_t *runs = json_object_get(bench, "runs"), *last = NULL;
    char bytes[ORR_VERDICT_FIGURE_BYTES], rate[ORR_VERDICT_FIGURE_BYTES];
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        last = json_is_true(json_object_get(run, "best")) ? run : last;
    }
    if (last == NULL) {
        orr_page_verdict_other(bench, text);
        return;
    }
    orr_verdict_add(
        text, "%s on %.0f NPUs: at %s the fastest variant (%s, %s) reaches a bus bandwidth of %s.",
        orr_verdict_text(bench, "collective"), orr_page_number(bench, "npus"),
        orr_format_bytes((uint64_t)orr_page_integer(orr_page_number(last, "bytes")), bytes,
                         ORR_VERDICT_FIGURE_BYTES),
        orr_verdict_text(last, "algorithm"), orr_verdict_text(last, "scheduler"),
        orr_format_bandwidth(orr_page_number(last, "busbw_bytes_per_s"), rate,
                             ORR_VERDICT_FIGURE_BYTES));
}

static void verdict_measured(const json_t *bench, char *text)
{
    const json_t *tables = json_object_get(bench, "tables");
    const json_t *farthest = NULL;
    size_t normal = 0;
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *table = json_array_get(tables, i);
        normal += json_is_true(json_object_get(table, "normal")) ? 1 : 0;
        farthest = farthest == NULL || fabs(orr_page_number(table, "gap")) >
                                           fabs(orr_page_number(farthest, "gap"))
                       ? table
                       : farthest;
    }
    orr_verdict_add(text, "%zu of %zu collectives have a normal bus bandwidth", normal,
                    json_array_size(tables));
    if (farthest != NULL) {
        const double gap = orr_page_number(farthest, "gap");
        orr_verdict_add(text, "; farthest off: %s on %.0f NPUs, measured %.1f %% %s the model",
                        orr_verdict_text(farthest, "collective"), orr_page_number(farthest, "npus"),
                        100 * fabs(gap), gap < 0 ? "below" : "above");
    }
    orr_verdict_add(text, ".");
}

static void verdict_failures(const json_t *failures, char *text)
{
    const json_t *list = json_object_get(failures, "failures"), *worst = NULL;
    char time[ORR_VERDICT_FIGURE_BYTES];
    size_t disconnected = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *failure = json_array_get(list, i);
        disconnected += json_is_true(json_object_get(failure, "disconnected")) ? 1 : 0;
        worst = orr_page_number(failure, "slowdown") > orr_page_number(worst, "slowdown") ? failure
                                                                                          : worst;
    }
    orr_verdict_add(text, "The job takes %s with all links",
                    orr_verdict_time(orr_page_number(failures, "healthy_ps"), time));
    if (worst != NULL) {
        orr_verdict_add(text, "; without link %s, the worst of %zu, it takes %.3f times as long",
                        orr_verdict_text(worst, "link"), json_array_size(list),
                        orr_page_number(worst, "slowdown"));
    }
    if (disconnected > 0) {
        orr_verdict_add(text, "; %zu of %zu failures part%s the network", disconnected,
                        json_array_size(list), disconnected == 1 ? "s" : "");
    }
    orr_verdict_add(text, ".");
}

static void verdict_diff(const json_t *diff, char *text)
{
    char a[ORR_VERDICT_FIGURE_BYTES], b[ORR_VERDICT_FIGURE_BYTES];
    const double first = orr_page_number(diff, "wall_ps_a"),
                 next = orr_page_number(diff, "wall_ps_b");
    orr_verdict_add(text, "The first takes %s, the second %s", orr_verdict_time(first, a),
                    orr_verdict_time(next, b));
    if (first > 0) {
        orr_verdict_add(text, " (%.3f times as long)", next / first);
    }
    const size_t settings = json_array_size(json_object_get(diff, "settings"));
    if (settings == 0) {
        orr_verdict_add(text, "; no setting differs.");
    } else {
        orr_verdict_add(text, "; %zu setting%s differ%s.", settings, orr_plural(settings),
                        settings == 1 ? "s" : "");
    }
}

static void verdict_cluster(const json_t *cluster, char *text)
{
    char mean[ORR_VERDICT_FIGURE_BYTES], slow[ORR_VERDICT_FIGURE_BYTES];
    const size_t jobs = json_array_size(json_object_get(cluster, "jobs"));
    const double servers = orr_page_number(cluster, "servers");
    orr_verdict_add(text,
                    "%zu job%s on %.0f server%s: an iteration takes %s on average, and 99 %% of "
                    "them at most %s",
                    jobs, orr_plural(jobs), servers,
                    orr_plural((uint64_t)orr_page_integer(servers)),
                    orr_verdict_time(orr_page_number(cluster, "mean_ps"), mean),
                    orr_verdict_time(orr_page_number(cluster, "p99_ps"), slow));
    if (json_object_get(cluster, "queue") != NULL) {
        orr_verdict_add(text, "; a job waits %s on average, and all are done after %s",
                        orr_verdict_time(orr_page_number(cluster, "wait_mean_ps"), mean),
                        orr_verdict_time(orr_page_number(cluster, "makespan_ps"), slow));
    }
    orr_verdict_add(text, ".");
}

static void verdict_comparison(const json_t *comparison, char *text)
{
    const json_t *runs = json_object_get(comparison, "runs");
    const json_t *best = json_array_get(runs, 0), *worst = best;
    char min[ORR_VERDICT_FIGURE_BYTES], max[ORR_VERDICT_FIGURE_BYTES];
    for (size_t i = 1; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const double mean = orr_page_number(run, "mean_ps");
        best = mean < orr_page_number(best, "mean_ps") ? run : best;
        worst = mean > orr_page_number(worst, "mean_ps") ? run : worst;
    }
    const double fast = orr_page_number(best, "mean_ps"), slow = orr_page_number(worst, "mean_ps");
    if (!(slow > fast)) {
        orr_verdict_add(text, "In each of %zu variants an iteration takes %s on average.",
                        json_array_size(runs), orr_verdict_time(fast, min));
        return;
    }
    orr_verdict_add(text,
                    "Of %zu variants of the jobs, an iteration is shortest with \"%s\": %s on "
                    "average, against %s with \"%s\"",
                    json_array_size(runs), orr_verdict_text(best, "name"),
                    orr_verdict_time(fast, min), orr_verdict_time(slow, max),
                    orr_verdict_text(worst, "name"));
    if (fast > 0) {
        orr_verdict_add(text, " (%.2f times as long)", slow / fast);
    }
    orr_verdict_add(text, ".");
}

static void verdict_taskgraph(const json_t *run, char *text)
{
    char time[ORR_VERDICT_FIGURE_BYTES];
    const double servers = orr_page_number(run, "servers");
    orr_verdict_add(text, "An iteration takes %s",
                    orr_verdict_time(orr_page_number(run, "wall_ps"), time));
    if (servers > 0) {
        orr_verdict_add(text, " on %.0f server%s", servers,
                        orr_plural((uint64_t)orr_page_integer(servers)));
    }
    if (orr_verdict_text(run, "fabric")[0] != '\0') {
        orr_verdict_add(text, " (%s)", orr_verdict_text(run, "fabric"));
    }
    orr_verdict_add(text, ".");
}

static void verdict_evaluation(const json_t *evaluation, char *text)
{
    char predicted[ORR_VERDICT_FIGURE_BYTES], simulated[ORR_VERDICT_FIGURE_BYTES];
    const double ran = orr_page_number(evaluation, "simulated_ps");
    orr_verdict_add(text, "An iteration takes %s as predicted",
                    orr_verdict_time(orr_page_number(evaluation, "predicted_ps"), predicted));
    if (ran > 0) {
        orr_verdict_add(text, ", %s as simulated", orr_verdict_time(ran, simulated));
    }
    if (orr_verdict_text(evaluation, "critical_resource")[0] != '\0') {
        orr_verdict_add(text, "; what limits it: %s",
                        orr_verdict_text(evaluation, "critical_resource"));
    }
    orr_verdict_add(text, ".");
}

static void verdict_layouts(const json_t *search, char *text)
{
    const json_t *best = json_array_get(json_object_get(search, "best"), 0);
    char time[ORR_VERDICT_FIGURE_BYTES];
    orr_verdict_add(text, "Of %.0f layouts that fit the best is %s",
                    orr_page_number(search, "estimates"), orr_verdict_text(best, "layout"));
    if (orr_verdict_text(best, "of")[0] != '\0') {
        orr_verdict_add(text, " (%s)", orr_verdict_text(best, "of"));
    }
    orr_verdict_add(text, ": %s a step",
                    orr_verdict_time(orr_page_number(best, "simulated_ps"), time));
    if (orr_page_number(best, "tokens_per_s") > 0) {
        orr_verdict_add(text, ", %.6g tokens/s", orr_page_number(best, "tokens_per_s"));
    }
    orr_verdict_add(text, ".");
}

void orr_page_verdict_other(const json_t *result, char *text)
{
    char time[ORR_VERDICT_FIGURE_BYTES];
    const double wall = orr_page_number(result, "wall_ps");
    if (wall > 0) {
        orr_verdict_add(text, "It takes %s.", orr_verdict_time(wall, time));
    }
}

const struct page_kind orr_page_kind_fit = {
    .name = "fit", .need = {"platform", "parameters[]", "rows[]"}, .verdict = verdict_fit};

const struct page_kind orr_page_kind_bench = {
    .name = "bench", .need = {"collective", "runs[]"}, .verdict = verdict_bench};

const struct page_kind orr_page_kind_measured = {
    .name = "measured", .need = {"measured[]", "tables[]"}, .verdict = verdict_measured};

const struct page_kind orr_page_kind_failures = {
    .name = "failures", .need = {"healthy_ps", "failures[]"}, .verdict = verdict_failures};

const struct page_kind orr_page_kind_diff = {
    .name = "diff", .need = {"wall_ps_a", "wall_ps_b"}, .verdict = verdict_diff};

const struct page_kind orr_page_kind_cluster = {
    .name = "cluster", .need = {"jobs[]", "servers"}, .verdict = verdict_cluster};

const struct page_kind orr_page_kind_beside = {
    .name = "beside", .need = {"runs[].jobs"}, .verdict = verdict_comparison};

const struct page_kind orr_page_kind_taskgraph = {
    .name = "taskgraph", .need = {"taskgraph", "wall_ps"}, .verdict = verdict_taskgraph};

const struct page_kind orr_page_kind_layouts = {
    .name = "layout_search", .need = {"best[]", "estimates"}, .verdict = verdict_layouts};

const struct page_kind orr_page_kind_sweep = {
    .name = "sweep", .need = {"points[]"}, .verdict = verdict_sweep};

const struct page_kind orr_page_kind_evaluation = {
    .name = "evaluation", .need = {"predicted_ps"}, .verdict = verdict_evaluation};

/* ---- profiles ---- */

static void verdict_profile(const json_t *profile, char *text)
{
    const json_t *ranks = json_object_get(profile, "ranks");
    double span = 0, compute = 0, exposed = 0, idle = 0;
    for (size_t i = 0; i < json_array_size(ranks); i++) {
        const json_t *rank = json_array_get(ranks, i);
        span += orr_page_number(rank, "span_ps");
        compute += orr_page_number(rank, "compute_ps");
        exposed += orr_page_number(rank, "exposed_communication_ps");
        idle += orr_page_number(rank, "idle_ps");
    }
    orr_verdict_add(text, "%zu profile%s", json_array_size(ranks),
                    orr_plural(json_array_size(ranks)));
    if (span > 0) {
        orr_verdict_add(text,
                        "; of the GPU's time %.1f %% is compute, %.1f %% exposed communication, "
                        "%.1f %% idle",
                        100 * compute / span, 100 * exposed / span, 100 * idle / span);
    }
    orr_verdict_add(text, ".");
}

const struct page_kind orr_page_kind_profile = {
    .name = "profile", .need = {"profiles", "ranks[]"}, .verdict = verdict_profile};
