/* Lines of results: read from JSON, written as CSV; see sweep_result.h. */
#include "study/sweep/sweep_result.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report/report.h"

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

static bool read_results(const json_t *object, struct orr_sweep_result *out)
{
    bool ok = true, known = true, told = true; /* told apart: not by earlier versions */
    out->npus = (uint32_t)get_integer(object, "npus", &ok);
    out->times = (struct orrery_times){
        .finish_ps = (int64_t)get_integer(object, "wall_ps", &ok),
        .compute_ps = (int64_t)get_integer(object, "compute_ps", &ok),
        .cpu_ps = (int64_t)get_integer(object, "cpu_ps", &told),
        .exposed_local_memory_ps = (int64_t)get_integer(object, "exposed_local_memory_ps", &ok),
        .exposed_remote_memory_ps = (int64_t)get_integer(object, "exposed_remote_memory_ps", &ok),
        .exposed_communication_ps = (int64_t)get_integer(object, "exposed_communication_ps", &ok),
        .waiting_ps = (int64_t)get_integer(object, "waiting_ps", &told),
        .idle_ps = (int64_t)get_integer(object, "idle_ps", &ok)};
    out->cost = get_number(object, "cost", &ok);
    out->tokens_per_s = get_number(object, "tokens_per_s", &known);
    out->model_flops_utilization = get_number(object, "model_flops_utilization", &known);
    out->events = get_integer(object, "events", &ok);
    out->messages = get_integer(object, "messages", &ok);
    return ok;
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

/* ---- CSV ---- */

void orr_sweep_csv_head(FILE *out, const struct orr_sweep *sweep)
{
    (void)fputs("point", out);
    for (size_t a = 0; a < sweep->axes; a++) {
        (void)fputc(',', out);
        orr_csv_text(out, sweep->axis[a].path);
    }
    (void)fputs(
        ",status,npus,wall_ps,wall_s,compute_ps,cpu_ps,exposed_local_memory_ps,"
        "exposed_remote_memory_ps,exposed_communication_ps,waiting_ps,idle_ps,cost,tokens_per_s,"
        "model_flops_utilization,events,messages,error\n",
        out);
}

/* A number, or nothing when it is not known. */
static void write_known(FILE *out, double value)
{
    if (value > 0) {
        (void)fprintf(out, "%.15g", value);
    }
    (void)fputc(',', out);
}

static void write_results(FILE *out, const struct orr_sweep_result *result)
{
    const struct orrery_times *times = &result->times;
    (void)fprintf(out,
                  ",ok,%" PRIu32 ",%" PRId64 ",%.15g,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                  ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.15g,",
                  result->npus, times->finish_ps, (double)times->finish_ps * 1e-12,
                  times->compute_ps, times->cpu_ps, times->exposed_local_memory_ps,
                  times->exposed_remote_memory_ps, times->exposed_communication_ps,
                  times->waiting_ps, times->idle_ps, result->cost);
    write_known(out, result->tokens_per_s);
    write_known(out, result->model_flops_utilization);
    (void)fprintf(out, "%" PRIu64 ",%" PRIu64 ",\n", result->events, result->messages);
}

void orr_sweep_csv_line(FILE *out, const struct orr_sweep *sweep,
                        const struct orr_sweep_result *result)
{
    (void)fprintf(out, "%" PRIu32, result->point);
    for (size_t a = 0; a < sweep->axes; a++) {
        (void)fputc(',', out);
        orr_csv_text(out, orr_sweep_value_at(sweep, a, sweep->point[result->point])->label);
    }
    if (result->ok) {
        write_results(out, result);
        return;
    }
    (void)fprintf(out, ",%s,,,,,,,,,,,,,,,,", result->unfit ? ORR_SWEEP_UNFIT : "failed");
    orr_csv_text(out, result->error);
    (void)fputc('\n', out);
}
