/* Results of points by name; see sweep_values.h. */
#include "study/ranking/sweep_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "report/results/result_rows.h"
#include "study/ranking/sweep_report.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_columns.h"
#include "study/sweep/sweep_result.h"
#include "study/sweep/sweep_store.h"

enum { TOP = 10, MAX_NAMES = ORR_SWEEP_MAX_COLUMNS + 64 };

static const char *const table_names[ORR_SWEEP_ORDERS] = {"points", "by_time", "by_cost", "by_both",
                                                          "pareto"};
enum { NO_ORDER, FRONTIER = ORR_SWEEP_ORDERS - 1 };

/* ---- tables ---- */

static enum orr_status fail_unknown_table(const char *table_name, struct orr_diag *diag)
{
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, NULL,
        "\"%s\" is no place of results of a sweep: points, by_time, by_cost, by_both, pareto",
        table_name);
}

static enum orr_status make_order(struct orr_sweep_values *values, unsigned order,
                                  struct orr_diag *diag)
{
    static const enum orr_sweep_goal goals[ORR_SWEEP_ORDERS] = {
        ORR_SWEEP_NO_GOAL, ORR_SWEEP_BY_TIME, ORR_SWEEP_BY_COST, ORR_SWEEP_BY_BOTH,
        ORR_SWEEP_BY_TIME};
    if (values->order[order] != NULL) {
        return ORR_OK;
    }
    struct orr_sweep_entry *entry = orr_heap_calloc(values->sweep.points, sizeof *entry);
    if (entry == NULL) {
        return orr_diag_no_memory(diag, "the best points of a sweep");
    }
    const uint32_t count = order == FRONTIER ? orr_sweep_rank_groups(&values->store, entry)
                                             : orr_sweep_rank(&values->store, goals[order], entry);
    values->order[order] = entry;
    values->count[order] =
        order == FRONTIER ? orr_sweep_keep_frontier(&values->store, entry, count) : count;
    return ORR_OK;
}

static enum orr_status rows_of(struct orr_sweep_values *values, unsigned order, size_t *rows,
                               struct orr_diag *diag)
{
    const bool ranked = order != NO_ORDER && !values->listed;
    const enum orr_status status = ranked ? make_order(values, order, diag) : ORR_OK;
    *rows = order == NO_ORDER ? values->sweep.points : values->count[order];
    return status;
}

enum orr_status orr_sweep_count_rows(void *of, const char *table_name, size_t *rows,
                                     struct orr_diag *diag)
{
    for (unsigned order = 0; order < ORR_SWEEP_ORDERS; order++) {
        if (strcmp(table_names[order], table_name) == 0) {
            return rows_of(of, order, rows, diag);
        }
    }
    return fail_unknown_table(table_name, diag);
}

/* ---- values ---- */

static struct orr_value axis_value(const struct orr_sweep_value *value)
{
    char *end = NULL;
    const long long as_integer = value->number ? strtoll(value->label, &end, 10) : 0;
    if (end != NULL && end != value->label && *end == '\0') {
        return orr_integer_value(as_integer);
    }
    const double real = value->number ? strtod(value->label, &end) : 0;
    if (end != NULL && end != value->label && *end == '\0') {
        return orr_real_value(real);
    }
    return value->number ? (struct orr_value){.kind = ORR_VALUE_BOOL,
                                              .integer = strcmp(value->label, "true") == 0}
                         : orr_text_value(value->label);
}

static bool get_axis_value(const struct orr_sweep *sweep, const char *name, uint32_t point,
                           struct orr_value *value)
{
    for (size_t a = 0; a < sweep->axes; a++) {
        if (strcmp(sweep->axis[a].path, name) == 0) {
            *value = axis_value(orr_sweep_value_at(sweep, a, sweep->point[point]));
            return true;
        }
    }
    return false;
}

static enum orr_status read_point(struct orr_sweep_values *values, uint32_t point,
                                  struct orr_diag *diag)
{
    if (values->listed) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "the points were listed, and have not run");
    }
    if (values->read && values->last.point == point) {
        return ORR_OK;
    }
    const enum orr_status status = orr_sweep_store_read(&values->store, point, &values->last, diag);
    values->read = status == ORR_OK;
    return status;
}

/* Results of the point itself, which have no column. */
static bool get_point_value(const struct orr_sweep_result *result, const char *name,
                            struct orr_value *value)
{
    if (strcmp(name, "status") == 0) {
        *value = orr_text_value(orr_sweep_status_name(result));
    } else if (strcmp(name, "error") == 0) {
        *value = orr_text_value(result->ok ? NULL : result->error);
    } else if (strcmp(name, "pareto") == 0) {
        *value = (struct orr_value){.kind = result->ok && result->marked ? ORR_VALUE_BOOL
                                                                         : ORR_VALUE_NONE,
                                    .integer = result->pareto};
    } else {
        return false;
    }
    return true;
}

static enum orr_status fail_unknown_name(const struct orr_sweep *sweep, const char *name,
                                         struct orr_diag *diag)
{
    const char *known[MAX_NAMES] = {"point", "status", "error", "pareto"};
    struct orr_sweep_columns columns;
    size_t count = 4;
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        known[count++] = columns.column[c].result->name;
    }
    for (size_t a = 0; a < sweep->axes && count < MAX_NAMES; a++) {
        known[count++] = sweep->axis[a].path;
    }
    const char *nearest = orr_nearest_name(name, known, count);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a point has no result \"%s\"%s%s%s", name,
                         nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                         nearest != NULL ? "\"?" : "");
}

static enum orr_status get_result_value(struct orr_sweep_values *values, const char *name,
                                        uint32_t point, struct orr_value *value,
                                        struct orr_diag *diag)
{
    struct orr_sweep_columns columns;
    const enum orr_status status = read_point(values, point, diag);
    if (status != ORR_OK || get_point_value(&values->last, name, value)) {
        return status;
    }
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        if (strcmp(columns.column[c].result->name, name) == 0) {
            *value = values->last.ok ? values->last.value[c]
                                     : (struct orr_value){.kind = ORR_VALUE_NONE};
            return ORR_OK;
        }
    }
    return fail_unknown_name(&values->sweep, name, diag);
}

enum orr_status orr_sweep_get_value(void *of, const char *name, size_t row, struct orr_value *value,
                                    struct orr_diag *diag)
{
    struct orr_sweep_values *values = of;
    const char *result_name = NULL;
    unsigned order = 0;
    for (; order < ORR_SWEEP_ORDERS && result_name == NULL; order += result_name == NULL ? 1 : 0) {
        const size_t length = strlen(table_names[order]);
        result_name = strncmp(name, table_names[order], length) == 0 && name[length] == '.'
                          ? name + length + 1
                          : NULL;
    }
    if (result_name == NULL) {
        return fail_unknown_table(name, diag);
    }
    size_t rows;
    const enum orr_status status = rows_of(values, order, &rows, diag);
    if (status != ORR_OK || row >= rows) {
        return status != ORR_OK ? status : orr_result_fail_row(table_names[order], row, rows, diag);
    }
    const uint32_t point = order == NO_ORDER ? (uint32_t)row : values->order[order][row].point;
    if (strcmp(result_name, "point") == 0) {
        *value = orr_integer_value(point);
        return ORR_OK;
    }
    return get_axis_value(&values->sweep, result_name, point, value)
               ? ORR_OK
               : get_result_value(values, result_name, point, value, diag);
}

/* ---- forms ---- */

/* Results are cached, so the object is not const. */
static struct orr_sweep_values *writable(const void *of)
{
    return (struct orr_sweep_values *)(uintptr_t)of;
}

int orr_sweep_write_table(FILE *out, const void *of)
{
    struct orr_sweep_values *values = writable(of);
    struct orr_sweep_table table;
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_sweep_default_columns(&values->sweep, false, &table);
    const struct orr_sweep_view view = {.top = TOP, .table = &table};
    values->read = false; /* invalidates store.line */
    errno = EIO;
    return orr_sweep_report(out, &values->store, &view, &diag) == ORR_OK && ferror(out) == 0 ? 0
                                                                                             : 1;
}

static int write_lines(FILE *out, const void *of, bool json)
{
    struct orr_sweep_values *values = writable(of);
    struct orr_diag diag;
    orr_diag_init(&diag);
    for (uint32_t point = 0; point < values->sweep.points; point++) {
        values->read = false;
        if (read_point(values, point, &diag) != ORR_OK) {
            errno = EIO;
            return 1;
        }
        if (json) {
            (void)orr_sweep_print_line(out, values->store.line, &values->last);
        } else {
            orr_sweep_csv_line(out, &values->sweep, &values->last);
        }
    }
    return ferror(out) != 0 ? 1 : 0;
}

int orr_sweep_write_json(FILE *out, const void *of)
{
    return write_lines(out, of, true);
}

int orr_sweep_write_csv(FILE *out, const void *of)
{
    const struct orr_sweep_values *values = of;
    if (values->listed) {
        orr_sweep_list(out, &values->sweep);
        return ferror(out) != 0 ? 1 : 0;
    }
    orr_sweep_csv_head(out, &values->sweep);
    return write_lines(out, of, false);
}

void orr_sweep_values_fini(struct orr_sweep_values *values)
{
    for (unsigned order = 0; order < ORR_SWEEP_ORDERS; order++) {
        orr_heap_free(values->order[order]);
    }
    orr_sweep_store_close(&values->store);
    orr_arena_destroy(values->arena);
}
