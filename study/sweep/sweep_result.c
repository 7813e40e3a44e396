/* Lines of results: read from JSON, written as CSV; see sweep_result.h. */
#include "study/sweep/sweep_result.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/sum.h"
#include "report/table_text.h"
#include "study/sweep/sweep_columns.h"

enum { NAME_BYTES = 512 };

/* The end of the line of a point that a constraint on results excludes. */
#define EXCLUDED ", \"where\": false, \"pareto\": false}"

static uint64_t get_integer(const json_t *object, const char *key, bool *ok)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t number = json_integer_value(value);
    *ok = *ok && json_is_integer(value) && number >= 0;
    return (uint64_t)number;
}

static double get_number(const json_t *object, const char *key, bool *ok)
{
    const json_t *value = json_object_get(object, key);
    *ok = *ok && json_is_number(value);
    return json_number_value(value);
}

/* Reads a value; a missing one is unknown, or was not written by an earlier version. */
static struct orr_value read_value(const json_t *object, const struct orr_result *result, bool *ok)
{
    const bool needed =
        !result->optional && !result->needs_waiting_split && !result->missing_in_old_results;
    bool good = true;
    const json_t *there = json_object_get(object, result->name);
    if (json_is_null(there) || (there == NULL && result->optional)) {
        return (struct orr_value){.kind = ORR_VALUE_NONE};
    }
    const struct orr_value value =
        result->type == ORR_RESULT_REAL
            ? orr_real_value(get_number(object, result->name, &good))
            : orr_integer_value((orr_sum)get_integer(object, result->name, &good));
    *ok = *ok && (good || !needed);
    return value;
}

static bool read_results(const json_t *object, struct orr_sweep_result *out)
{
    struct orr_sweep_columns columns;
    bool ok = true;
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        out->value[c] = read_value(object, columns.column[c].result, &ok);
    }
    out->wall_ps = (int64_t)get_integer(object, "wall_ps", &ok);
    out->cost =
        json_is_null(json_object_get(object, "cost")) ? INFINITY : get_number(object, "cost", &ok);
    return ok;
}

const char *orr_sweep_status_name(const struct orr_sweep_result *result)
{
    return result->ok ? "ok" : result->unfit ? ORR_SWEEP_UNFIT : "failed";
}

bool orr_sweep_parse_line(const struct orr_sweep *sweep, const char *line, struct orr_arena *arena,
                          struct orr_sweep_result *out)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    bool ok = json_is_object(object);
    *out = (struct orr_sweep_result){0};
    const uint64_t point = get_integer(object, "point", &ok);
    const char *status = json_string_value(json_object_get(object, "status"));
    ok = ok && point < sweep->points && status != NULL;
    if (ok && strcmp(status, "ok") == 0) {
        ok = read_results(object, out);
        out->ok = true;
    } else if (ok) {
        const char *error = json_string_value(json_object_get(object, "error"));
        out->error = error != NULL ? orr_arena_strdup(arena, error) : NULL;
        out->unfit = strcmp(status, ORR_SWEEP_UNFIT) == 0;
        ok = out->error != NULL && (out->unfit || strcmp(status, "failed") == 0);
    }
    out->point = (uint32_t)point;
    json_decref(object);
    return ok;
}

/* Length of the line without its front mark and its last brace. */
static size_t length_unmarked(const char *line)
{
    static const char *const ends[] = {EXCLUDED, ", \"pareto\": true}", ", \"pareto\": false}",
                                       "}"};
    const size_t length = strlen(line);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i]);
        if (length >= end && strcmp(line + length - end, ends[i]) == 0) {
            return length - end;
        }
    }
    return length;
}

size_t orr_sweep_print_bare(FILE *out, const char *line, const struct orr_sweep_result *result)
{
    const char *mark = !result->marked || !result->ok ? ""
                       : result->excluded             ? ", \"where\": false, \"pareto\": false"
                       : result->pareto               ? ", \"pareto\": true"
                                                      : ", \"pareto\": false";
    const size_t length = length_unmarked(line);
    /* An edited line may end in spaces. */
    const int written = line[length] == '\0' ? fprintf(out, "%s", line)
                                             : fprintf(out, "%.*s%s}", (int)length, line, mark);
    return written > 0 ? (size_t)written : 0;
}

size_t orr_sweep_print_line(FILE *out, const char *line, const struct orr_sweep_result *result)
{
    const size_t bytes = orr_sweep_print_bare(out, line, result);
    (void)fputc('\n', out);
    return bytes + 1;
}

/* ---- CSV ---- */

void orr_sweep_csv_head(FILE *out, const struct orr_sweep *sweep)
{
    struct orr_sweep_columns columns;
    (void)fputs("point", out);
    for (size_t a = 0; a < sweep->axes; a++) {
        (void)fputc(',', out);
        orr_csv_text(out, sweep->axis[a].path);
    }
    (void)fputs(",status", out);
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        (void)fprintf(out, ",%s", columns.column[c].result->name);
    }
    (void)fputs(",pareto,error", out);
    for (size_t a = 0; a < sweep->axes; a++) {
        if (sweep->axis[a].suffix != NULL) {
            char name[NAME_BYTES];
            (void)fputc(',', out);
            (void)snprintf(name, sizeof name, "%s%s", sweep->axis[a].path, sweep->axis[a].suffix);
            orr_csv_text(out, name);
        }
    }
    (void)fputs(sweep->filters != 0 ? ",where\n" : "\n", out);
}

/* The values of axes that have a unit, as numbers. */
static void print_numbers(FILE *out, const struct orr_sweep *sweep, uint32_t candidate)
{
    for (size_t a = 0; a < sweep->axes; a++) {
        if (sweep->axis[a].suffix != NULL) {
            (void)fprintf(out, ",%.12g", orr_sweep_value_at(sweep, a, candidate)->value.number);
        }
    }
}

void orr_sweep_csv_line(FILE *out, const struct orr_sweep *sweep,
                        const struct orr_sweep_result *result)
{
    struct orr_sweep_columns columns;
    (void)fprintf(out, "%" PRIu32, result->point);
    for (size_t a = 0; a < sweep->axes; a++) {
        (void)fputc(',', out);
        orr_csv_text(out, orr_sweep_value_at(sweep, a, sweep->point[result->point])->label);
    }
    (void)fprintf(out, ",%s", orr_sweep_status_name(result));
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        (void)fputc(',', out);
        orr_value_csv(out, &result->value[c], columns.column[c].result->digits);
    }
    (void)fputs(!result->marked || !result->ok ? ",," : result->pareto ? ",1," : ",0,", out);
    if (!result->ok) {
        orr_csv_text(out, result->error);
    }
    print_numbers(out, sweep, sweep->point[result->point]);
    if (sweep->filters != 0) {
        (void)fputs(!result->ok ? "," : result->excluded ? ",0" : ",1", out);
    }
    (void)fputc('\n', out);
}
