/* One point of a sweep, from its configuration to its line; see sweep_result.h. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/json_text.h"
#include "report/results/results.h"
#include "sim/load/compute_basis.h"
#include "sim/load/platform_network.h"
#include "study/sweep/sweep_result.h"

enum { ERROR_BYTES = ORR_DIAG_MESSAGE_BYTES + 640 };

struct run {
    const struct orr_sweep *sweep;
    uint32_t candidate;
    struct orrery *job;
    struct orr_sweep_result result;
    char error[ERROR_BYTES];
};

/* Stores the error without prefixes about a command line. */
static void keep_error(struct run *run, const char *text)
{
    static const char *const heads[] = {"--set: ", "--set ", "command line:1:1: "};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const size_t length = strlen(heads[i]);
        text += strncmp(text, heads[i], length) == 0 ? length : 0;
    }
    (void)snprintf(run->error, sizeof run->error, "%s", text[0] != '\0' ? text : "out of memory");
    run->result.error = run->error;
}

static enum orr_status load(struct run *run)
{
    const struct orr_sweep *sweep = run->sweep;
    struct orrery_inputs inputs;
    const char **set = orr_heap_calloc(sweep->axes + sweep->sets, sizeof *set);
    if (set == NULL || run->job == NULL) {
        orr_heap_free((void *)set);
        keep_error(run, "");
        return ORR_ERR_MEMORY;
    }
    orr_sweep_inputs(sweep, run->candidate, set, &inputs);
    const enum orrery_status status = orrery_load(run->job, &inputs);
    orr_heap_free((void *)set);
    if (status != ORRERY_OK) {
        keep_error(run, orrery_error(run->job));
    }
    return (enum orr_status)status;
}

/* Line feed and how the point's compute times are found; "" if nothing is computed. */
static void describe_basis(const struct orrery *job, char *text, size_t bytes)
{
    const char *basis = orr_compute_basis(job);
    text[0] = '\0';
    if (basis != NULL) {
        text[0] = '\n';
        (void)orr_describe_basis(basis, orr_compute_stack(job), text + 1, bytes - 1);
    }
}

enum orr_status orr_sweep_check_point(const struct orr_sweep *sweep, uint32_t point, char *why,
                                      size_t bytes)
{
    struct run run = {.sweep = sweep, .candidate = sweep->point[point], .job = orrery_new()};
    enum orr_status status = load(&run);
    status = run.job != NULL && orrery_too_large(run.job) ? ORR_OK : status;
    if (status != ORR_OK) {
        (void)snprintf(why, bytes, "%s", run.error);
    } else {
        describe_basis(run.job, why, bytes);
    }
    orrery_free(run.job);
    return status;
}

/* ---- results ---- */

/* Evaluates the cost; INFINITY if a part of the network has no price. */
static bool evaluate_cost(struct run *run, double *cost)
{
    const struct orr_sweep *sweep = run->sweep;
    struct orr_arena *arena = orr_arena_create();
    const char **config =
        arena != NULL ? orr_arena_array(arena, sweep->configs + 1, sizeof *config) : NULL;
    struct orr_sweep_price price = {.unpriced = false};
    bool lacks_price = false;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (config == NULL) {
        (void)orr_diag_no_memory(&diag, "a sweep");
    } else {
        const bool priced = orr_sweep_needs_price(&sweep->cost);
        if (priced) {
            orr_sweep_find_price(orr_job_network(run->job), &price);
        }
        struct orr_sweep_found found = {.sweep = sweep, .arena = arena, .config = config};
        if (sweep->configs != 0) {
            orrery_explain(run->job, orr_sweep_keep_value, &found);
        }
        const struct orr_sweep_scope scope = {.sweep = sweep,
                                              .candidate = run->candidate,
                                              .npus = orrery_npus(run->job),
                                              .time_s = (double)orrery_wall_ps(run->job) * 1e-12,
                                              .price = priced ? &price : NULL,
                                              .lacks_price = &lacks_price,
                                              .value = run->result.value,
                                              .config = config};
        (void)orr_sweep_eval(&sweep->cost, &scope, cost, &diag);
    }
    if (lacks_price && price.unpriced) {
        *cost = INFINITY;
        orr_diag_init(&diag);
    }
    if (diag.status != ORR_OK) {
        char text[ERROR_BYTES];
        (void)orr_diag_render(&diag, text, sizeof text);
        keep_error(run, text);
    }
    orr_arena_destroy(arena);
    return diag.status == ORR_OK;
}

static void fill_columns(struct run *run, const struct orr_sweep_columns *columns,
                         const struct orr_sweep_point *point)
{
    for (size_t c = 0; c < columns->count; c++) {
        run->result.value[c] = orr_sweep_column_value(columns, c, point);
    }
}

static void fill_results(struct run *run)
{
    const uint32_t *order = orrery_finish_order(run->job);
    const uint32_t last = order != NULL ? order[orrery_npus(run->job) - 1] : 0;
    struct orr_sweep_point point = {.job = orr_job_row(run->job),
                                    .last = {.job = run->job, .rank = last, .members = 1}};
    struct orr_sweep_columns columns;
    (void)orrery_npu_times(run->job, last, &point.last.times);
    orr_sweep_list_columns(&columns);
    point.cost = INFINITY; /* not known yet: it may be of the others */
    fill_columns(run, &columns, &point);
    run->result.ok = evaluate_cost(run, &point.cost);
    fill_columns(run, &columns, &point);
}

/* ---- the line ---- */

static json_t *axis_json(const struct orr_sweep_value *value)
{
    json_t *number = value->number ? json_loads(value->label, JSON_DECODE_ANY, NULL) : NULL;
    return number != NULL ? number : orr_json_text(value->label);
}

static void add_results(json_t *object, const struct orr_sweep_result *result)
{
    struct orr_sweep_columns columns;
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        const char *name = columns.column[c].result->name;
        const bool blank = columns.column[c].table == &orr_sweep_results;
        if (blank && result->value[c].kind == ORR_VALUE_NONE) {
            (void)json_object_set_new(object, name, json_null());
        }
        orr_value_add_json(object, name, &result->value[c]);
    }
}

/* The values of axes that have a unit, as numbers: "network.bandwidth_bytes_per_s". */
static void add_numbers(json_t *object, const struct orr_sweep *sweep, uint32_t candidate)
{
    for (size_t a = 0; a < sweep->axes; a++) {
        char name[512];
        if (sweep->axis[a].suffix != NULL) {
            (void)snprintf(name, sizeof name, "%s%s", sweep->axis[a].path, sweep->axis[a].suffix);
            (void)json_object_set_new(
                object, name, json_real(orr_sweep_value_at(sweep, a, candidate)->value.number));
        }
    }
}

static char *make_line(const struct run *run)
{
    enum { DIGITS = 15 };
    const struct orr_sweep *sweep = run->sweep;
    json_t *object = json_object();
    (void)json_object_set_new(object, "point", json_integer(run->result.point));
    for (size_t a = 0; a < sweep->axes; a++) {
        (void)json_object_set_new(object, sweep->axis[a].path,
                                  axis_json(orr_sweep_value_at(sweep, a, run->candidate)));
    }
    add_numbers(object, sweep, run->candidate);
    (void)json_object_set_new(object, "status", json_string(orr_sweep_status_name(&run->result)));
    if (run->result.ok) {
        add_results(object, &run->result);
    } else {
        (void)json_object_set_new(object, "error", orr_json_text(run->error));
    }
    const size_t flags = JSON_REAL_PRECISION(DIGITS);
    const size_t bytes = json_dumpb(object, NULL, 0, flags);
    char *line = bytes != 0 ? orr_heap_alloc(bytes + 1) : NULL;
    if (line != NULL) {
        line[json_dumpb(object, line, bytes, flags)] = '\0';
    }
    json_decref(object);
    return line;
}

char *orr_sweep_run(const struct orr_sweep *sweep, uint32_t point)
{
    struct run run = {.sweep = sweep,
                      .candidate = sweep->point[point],
                      .job = orrery_new(),
                      .result = {.point = point}};
    if (load(&run) == ORR_OK) {
        if (orrery_run(run.job) == ORRERY_OK) {
            fill_results(&run);
        } else {
            keep_error(&run, orrery_error(run.job));
        }
    }
    run.result.unfit = !run.result.ok && run.job != NULL && orrery_too_large(run.job);
    orrery_free(run.job);
    return make_line(&run);
}

char *orr_sweep_lost_line(const struct orr_sweep *sweep, uint32_t point, const char *why)
{
    struct run run = {.sweep = sweep, .candidate = sweep->point[point], .result = {.point = point}};
    keep_error(&run, why);
    return make_line(&run);
}
