/* The difference of two results; see diff.h. Rows of a section are in the order of A, followed by
 * those that only B has; what a run lacks counts as 0. The tables of results (report/results/) name
 * the compared quantities. */
#include "study/diff.h"

#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/units.h"
#include "report/basis_note.h"
#include "report/results/results.h"
#include "report/run_report.h"
#include "sim/api_call.h"

const char *orr_diff_section_name(enum orr_diff_section section)
{
    static const char *const names[ORR_DIFF_SECTIONS] = {[ORR_DIFF_TIMES] = "time of the last NPU",
                                                         [ORR_DIFF_PATH] = "critical path",
                                                         [ORR_DIFF_DIMS] = "dimensions",
                                                         [ORR_DIFF_COLLECTIVES] = "collectives",
                                                         [ORR_DIFF_OPERATORS] = "operators"};
    return names[section];
}

/* ---- reading ---- */

static enum orr_status fail_json(const struct orr_diff_side *side, const json_error_t *error,
                                 struct orr_diag *diag)
{
    if (json_error_code(error) == json_error_cannot_open_file) {
        return orr_diag_fail(diag, ORR_ERR_IO, NULL, "%s: cannot be opened", side->name);
    }
    if (side->path != NULL &&
        orr_conf_identify_file(side->path, "a result of orrery run --json", diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s:%d:%d: not JSON: %s", side->name,
                         error->line, error->column > 0 ? error->column : 1, error->text);
}

static json_t *load_root(const struct orr_diff_side *side, struct orr_diag *diag)
{
    json_error_t error;
    json_t *root = NULL;
    if (side->job != NULL) {
        if (orr_check_ran(side->job, diag) == ORR_OK &&
            orr_prepare_report(side->job, diag) == ORR_OK) {
            root = orr_report_object(side->job, false);
        }
        return root;
    }
    root = side->text != NULL ? json_loads(side->text, JSON_REJECT_DUPLICATES, &error)
                              : json_load_file(side->path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        (void)fail_json(side, &error, diag);
    }
    return root;
}

static enum orr_status read_root(struct orr_diff *diff, unsigned which,
                                 const struct orr_diff_side *side, struct orr_diag *diag)
{
    diff->root[which] = load_root(side, diag);
    if (diff->root[which] == NULL) {
        return diag->status;
    }
    const json_t *wall = json_object_get(diff->root[which], "wall_ps");
    const json_t *classes = json_object_get(diff->root[which], "classes");
    if (!json_is_integer(wall) || !json_is_array(classes) || json_array_size(classes) == 0) {
        if (!json_is_integer(wall) && side->path != NULL &&
            orr_conf_identify_file(side->path, "a result of orrery run --json", diag) != ORR_OK) {
            return ORR_ERR_INPUT;
        }
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s: no result of orrery run --json: it needs %s", side->name,
                             !json_is_integer(wall) ? "\"wall_ps\", a whole number"
                                                    : "\"classes\", a list that is not empty");
    }
    diff->wall_ps[which] = json_integer_value(wall);
    diff->npus[which] = json_integer_value(json_object_get(diff->root[which], "npus"));
    return ORR_OK;
}

static int64_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key)); /* 0: missing */
}

/* A number as the nearest integer. */
static int64_t nearest_integer(const json_t *number)
{
    const double real = json_real_value(number); /* 0 for an integer */
    return !json_is_real(number) ? json_integer_value(number)
           : real >= 0x1p63      ? INT64_MAX
           : real <= -0x1p63     ? INT64_MIN
                                 : (int64_t)real;
}

/* A sum over NPUs as the mean of an NPU; sums beyond 63 bits are real numbers. */
static int64_t mean_of(const json_t *object, const char *key, int64_t npus)
{
    const json_t *sum = json_object_get(object, key);
    return json_is_real(sum) ? (int64_t)(json_real_value(sum) / (double)npus)
                             : json_integer_value(sum) / npus;
}

/* The class that finishes last; the first of equals. */
static const json_t *last_class(const json_t *root)
{
    const json_t *classes = json_object_get(root, "classes");
    const json_t *last = json_array_get(classes, 0);
    for (size_t i = 1; i < json_array_size(classes); i++) {
        const json_t *each = json_array_get(classes, i);
        last = integer_of(each, "finish_ps") > integer_of(last, "finish_ps") ? each : last;
    }
    return last;
}

/* Results of earlier versions have CPU and waiting together. */
static enum orr_status check_class(const char *path, int64_t wall, const json_t *last,
                                   struct orr_diag *diag)
{
    const struct orr_result *result;
    int64_t sum = 0;
    for (size_t i = 0; (result = orr_result_at(&orr_npu_results, i)) != NULL; i++) {
        const json_t *value = json_object_get(last, result->name);
        if (result->part && !json_is_integer(value) &&
            !(value == NULL && result->needs_waiting_split)) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "%s: no result of orrery run --json: a class needs \"%s\", a "
                                 "whole number",
                                 path, result->name);
        }
        sum += result->part ? json_integer_value(value) : 0;
    }
    if (sum != wall) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s: the parts of a class add up to %" PRId64
                             " ps, not to the job's %" PRId64 " ps",
                             path, sum, wall);
    }
    return ORR_OK;
}

/* ---- rows ---- */

static enum orr_status add_row(struct orr_diff *diff, const struct orr_diff_row *row)
{
    struct orr_diff_row *grown =
        orr_arena_grow(diff->arena, diff->row, &diff->row_capacity, diff->rows + 1, sizeof *grown);
    if (grown == NULL || row->what == NULL) {
        return ORR_ERR_MEMORY;
    }
    diff->row = grown;
    grown[diff->rows++] = *row;
    return ORR_OK;
}

/* Sets `value` of run `which` in the section's row of that name. */
static enum orr_status set_value(struct orr_diff *diff, unsigned which, struct orr_diff_row row,
                                 int64_t value)
{
    if (row.what == NULL) {
        return ORR_ERR_MEMORY;
    }
    for (size_t i = 0; i < diff->rows && which == 1; i++) {
        struct orr_diff_row *known = &diff->row[i];
        if (known->section == row.section && strcmp(known->what, row.what) == 0) {
            known->b = value;
            return ORR_OK;
        }
    }
    *(which == 0 ? &row.a : &row.b) = value;
    return add_row(diff, &row);
}

static enum orr_status add_times(struct orr_diff *diff, unsigned which)
{
    const json_t *last = last_class(diff->root[which]);
    const struct orr_result *result;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; (result = orr_result_at(&orr_npu_results, i)) != NULL; i++) {
        if (result->compared != NULL && status == ORR_OK) {
            const struct orr_diff_row row = {.section = ORR_DIFF_TIMES,
                                             .unit = result->unit,
                                             .part = result->part,
                                             .what = result->compared};
            status =
                set_value(diff, which, row, nearest_integer(json_object_get(last, result->name)));
        }
    }
    return status;
}

static enum orr_status add_path(struct orr_diff *diff, unsigned which)
{
    const json_t *parts =
        json_object_get(json_object_get(diff->root[which], "critical_path"), "parts");
    const json_t *other =
        json_object_get(json_object_get(diff->root[1 - which], "critical_path"), "parts");
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < json_array_size(parts) && other != NULL && status == ORR_OK; i++) {
        const json_t *part = json_array_get(parts, i);
        const char *what = json_string_value(json_object_get(part, "what"));
        if (what != NULL) {
            const struct orr_diff_row row = {
                .section = ORR_DIFF_PATH, .unit = ORR_UNIT_PS, .what = what};
            status = set_value(diff, which, row, integer_of(part, "ps"));
        }
    }
    return status;
}

/* Adds the results of one dimension: its rates, or all others. */
static enum orr_status add_dim(struct orr_diff *diff, unsigned which, size_t number, bool rates)
{
    const json_t *dim = json_array_get(json_object_get(diff->root[which], "dims"), number);
    const struct orr_result *result;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; (result = orr_result_at(&orr_dim_results, i)) != NULL; i++) {
        if (result->compared != NULL && (result->type == ORR_RESULT_REAL) == rates &&
            status == ORR_OK) {
            const struct orr_diff_row row = {.section = ORR_DIFF_DIMS,
                                             .unit = result->unit,
                                             .what =
                                                 orr_arena_printf(diff->arena, "dimension %zu %s",
                                                                  number + 1, result->compared)};
            status =
                set_value(diff, which, row, nearest_integer(json_object_get(dim, result->name)));
        }
    }
    return status;
}

/* Adds all dimensions, rates first. */
static enum orr_status add_dims(struct orr_diff *diff, unsigned which)
{
    const size_t dims = json_array_size(json_object_get(diff->root[which], "dims"));
    enum orr_status status = ORR_OK;
    for (size_t d = 0; d < dims && status == ORR_OK; d++) {
        status = add_dim(diff, which, d, true);
        status = status == ORR_OK ? add_dim(diff, which, d, false) : status;
    }
    return status;
}

/* Name of a row of the summary: a collective by kind, NPUs and bytes, others by kind and name. */
static const char *summary_name(struct orr_arena *arena, const json_t *object)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));
    const char *name = json_string_value(json_object_get(object, "name"));
    char bytes[64];
    if (kind == NULL) {
        return NULL;
    }
    if (name != NULL) {
        return orr_arena_printf(arena, "%s (%s)", name, kind);
    }
    (void)orr_format_bytes((uint64_t)integer_of(object, "bytes"), bytes, sizeof bytes);
    return orr_arena_printf(arena, "%s of %s on %" PRId64 " NPUs", kind, bytes,
                            integer_of(object, "npus"));
}

/* Adds the compared results of a row of a summary: sums as means over the NPUs. Results with a name
 * of their own, such as waiting, are left out if missing. */
static enum orr_status add_work(struct orr_diff *diff, unsigned which, const json_t *object,
                                struct orr_diff_row row)
{
    const struct orr_result_table *table =
        row.section == ORR_DIFF_COLLECTIVES ? &orr_collective_results : &orr_operator_results;
    const int64_t npus = diff->npus[which] > 0 ? diff->npus[which] : 1;
    const char *name = row.what;
    const struct orr_result *result;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL && status == ORR_OK; i++) {
        if (result->compared != NULL) {
            const int64_t value = result->type == ORR_RESULT_SUM
                                      ? mean_of(object, result->name, npus)
                                      : nearest_integer(json_object_get(object, result->name));
            row.unit = result->unit;
            if (result->compared[0] == '\0' || value != 0) {
                row.what = orr_arena_printf(diff->arena, "%s%s", result->compared, name);
                status = set_value(diff, which, row, value);
            }
        }
    }
    return status;
}

static enum orr_status add_summary(struct orr_diff *diff, unsigned which, const char *list,
                                   enum orr_diff_section section)
{
    const json_t *rows = json_object_get(diff->root[which], list);
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < json_array_size(rows) && status == ORR_OK; i++) {
        const json_t *object = json_array_get(rows, i);
        const struct orr_diff_row row = {.section = section,
                                         .what = summary_name(diff->arena, object)};
        if (row.what != NULL) {
            status = add_work(diff, which, object, row);
        }
    }
    return status;
}

/* ---- settings ---- */

static enum orr_status add_setting(struct orr_diff *diff, const char *key, const char *a,
                                   const char *b)
{
    if (a != NULL && b != NULL && strcmp(a, b) == 0) {
        return ORR_OK;
    }
    struct orr_diff_setting *grown = orr_arena_grow(
        diff->arena, diff->setting, &diff->setting_capacity, diff->settings + 1, sizeof *grown);
    if (grown == NULL) {
        return ORR_ERR_MEMORY;
    }
    diff->setting = grown;
    grown[diff->settings++] = (struct orr_diff_setting){.key = key, .a = a, .b = b};
    return ORR_OK;
}

static enum orr_status compare_settings(struct orr_diff *diff)
{
    json_t *config[2] = {json_object_get(diff->root[0], "config"),
                         json_object_get(diff->root[1], "config")};
    enum orr_status status = ORR_OK;
    const char *key;
    json_t *value;
    if (config[0] == NULL || config[1] == NULL) {
        return ORR_OK;
    }
    json_object_foreach(config[0], key, value)
    {
        status = status != ORR_OK ? status
                                  : add_setting(diff, key, json_string_value(value),
                                                json_string_value(json_object_get(config[1], key)));
    }
    json_object_foreach(config[1], key, value)
    {
        if (status == ORR_OK && json_object_get(config[0], key) == NULL) {
            status = add_setting(diff, key, NULL, json_string_value(value));
        }
    }
    return status;
}

/* ---- the comparison ---- */

static enum orr_status add_run(struct orr_diff *diff, unsigned which)
{
    enum orr_status status = add_times(diff, which);
    status = status == ORR_OK ? add_path(diff, which) : status;
    status = status == ORR_OK ? add_dims(diff, which) : status;
    status =
        status == ORR_OK ? add_summary(diff, which, "collectives", ORR_DIFF_COLLECTIVES) : status;
    return status == ORR_OK ? add_summary(diff, which, "operators", ORR_DIFF_OPERATORS) : status;
}

enum orr_status orr_diff_compare(struct orr_diff *diff, const struct orr_diff_side side[2],
                                 struct orr_diag *diag)
{
    *diff = (struct orr_diff){.arena = orr_arena_create()};
    enum orr_status status =
        diff->arena != NULL ? ORR_OK : orr_diag_no_memory(diag, "the comparison");
    for (unsigned which = 0; which < 2 && status == ORR_OK; which++) {
        status = read_root(diff, which, &side[which], diag);
        if (status == ORR_OK) {
            status = check_class(side[which].name, diff->wall_ps[which],
                                 last_class(diff->root[which]), diag);
        }
    }
    for (unsigned which = 0; which < 2 && status == ORR_OK; which++) {
        status = add_run(diff, which);
    }
    status = status == ORR_OK ? compare_settings(diff) : status;
    if (status == ORR_OK) {
        const struct orr_named_result pair[2] = {{diff->root[0], side[0].name},
                                                 {diff->root[1], side[1].name}};
        orr_warn_of_bases(pair, diag);
    }
    return status == ORR_ERR_MEMORY ? orr_diag_no_memory(diag, "the comparison") : status;
}

enum orr_status orr_diff_read(struct orr_diff *diff, const char *const path[2],
                              struct orr_diag *diag)
{
    const struct orr_diff_side side[2] = {{.name = path[0], .path = path[0]},
                                          {.name = path[1], .path = path[1]}};
    return orr_diff_compare(diff, side, diag);
}

void orr_diff_fini(struct orr_diff *diff)
{
    json_decref(diff->root[0]);
    json_decref(diff->root[1]);
    orr_arena_destroy(diff->arena);
}

bool orr_diff_empty(const struct orr_diff *diff)
{
    bool equal = diff->settings == 0;
    for (size_t i = 0; i < diff->rows; i++) {
        equal = equal && diff->row[i].a == diff->row[i].b;
    }
    return equal;
}

const struct orr_diff_row *orr_diff_largest(const struct orr_diff *diff)
{
    const bool slower = diff->wall_ps[1] > diff->wall_ps[0];
    const struct orr_diff_row *largest = NULL;
    int64_t max = 0;
    for (size_t i = 0; i < diff->rows && diff->row[i].section == ORR_DIFF_TIMES; i++) {
        const int64_t change =
            slower ? diff->row[i].b - diff->row[i].a : diff->row[i].a - diff->row[i].b;
        if (diff->row[i].part && change > max) {
            max = change;
            largest = &diff->row[i];
        }
    }
    return largest;
}
