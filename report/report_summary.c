/* Results by what was done, and the critical path: tables and JSON. */
#include "report/report_summary.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "report/json_text.h"
#include "report/table_text.h"

enum { ROWS_SHOWN = 10, STEPS_SHOWN = 10, TEXT = 64, WAY = 640 };

static const char *kind_name(const struct orrery_summary_row *row)
{
    static const char *const names[] = {
        [ORRERY_NODE_COMPUTE] = "compute", [ORRERY_NODE_CPU] = "CPU",
        [ORRERY_NODE_LOAD] = "local load", [ORRERY_NODE_STORE] = "local store",
        [ORRERY_NODE_SEND] = "send",       [ORRERY_NODE_RECEIVE] = "receive"};
    if (row->remote) {
        return row->kind == ORRERY_NODE_LOAD ? "remote load" : "remote store";
    }
    return names[row->kind];
}

/* Rows of collectives, or the others, in order; false at the end. */
static bool next_row(const struct orrery *job, bool collectives, size_t *at,
                     struct orrery_summary_row *row)
{
    while (orrery_summary(job, (*at)++, row) == ORRERY_OK) {
        if ((row->kind == ORRERY_NODE_COLLECTIVE) == collectives) {
            return true;
        }
    }
    return false;
}

/* What the row's collectives ran with; NULL when they are not known. */
static const char *way_of(const struct orrery *job, const struct orrery_summary_row *row,
                          char *text, size_t bytes)
{
    struct orrery_choice choice;
    size_t ways = 0;
    for (size_t i = 0; orrery_choice(job, i, &choice) == ORRERY_OK; i++) {
        if (choice.npus != row->npus || choice.bytes != row->bytes_each ||
            strcmp(choice.collective, row->name) != 0) {
            continue;
        }
        if (ways++ == 0) {
            const bool says =
                choice.scheduler[0] != '\0' && strcmp(choice.scheduler, "baseline") != 0;
            (void)snprintf(text, bytes, "%s%s%s", choice.algorithms, says ? ", " : "",
                           says ? choice.scheduler : "");
        }
    }
    if (ways > 1) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, bytes - used, " and %zu other ways", ways - 1);
    }
    return ways > 0 ? text : NULL;
}

/* ---- tables ---- */

/* Mean over the NPUs of the job. */
static int64_t per_npu(const struct orrery *job, orrery_wide sum_ps)
{
    return (int64_t)(sum_ps / orrery_npus(job));
}

/* Mean over the nodes of the row. */
static int64_t mean_ps(const struct orrery_summary_row *row)
{
    return (int64_t)(row->time_ps / (orrery_wide)row->count);
}

static const char *waiting_text(const struct orrery *job, const struct orrery_summary_row *row,
                                char text[TEXT])
{
    return orrery_tells_waiting(job)
               ? orr_format_time(per_npu(job, row->exposed_waiting_ps), text, TEXT)
               : "-";
}

static void print_collective(FILE *out, const struct orrery *job,
                             const struct orrery_summary_row *row)
{
    char bytes[TEXT], mean[TEXT], longest[TEXT], exposed[TEXT], waiting[TEXT], bus[TEXT];
    char way[WAY];
    const char *ran = way_of(job, row, way, sizeof way);
    (void)fprintf(
        out, "%-24s %6" PRIu32 " %14s %10" PRIu64 " %14s %14s %14s %14s %14s  %s\n", row->name,
        row->npus, orr_format_bytes(row->bytes_each, bytes, TEXT), row->count / row->npus,
        orr_format_time(mean_ps(row), mean, TEXT), orr_format_time(row->longest_ps, longest, TEXT),
        orr_format_time(per_npu(job, row->exposed_ps), exposed, TEXT),
        waiting_text(job, row, waiting),
        row->time_ps > 0 ? orr_format_bandwidth(orrery_bus_bandwidth(row), bus, TEXT) : "-",
        ran != NULL ? ran : "-");
}

static void print_operator(FILE *out, const struct orrery *job,
                           const struct orrery_summary_row *row)
{
    char bytes[TEXT], mean[TEXT], longest[TEXT], exposed[TEXT], waiting[TEXT];
    orr_print(out, "%-31.31s %-14s %10" PRIu64 " %14s %14s %14s %14s %14s\n",
              row->name[0] != '\0' ? row->name : "(no name)", kind_name(row), row->count,
              orr_format_sum_bytes(row->bytes, bytes, TEXT),
              orr_format_time(mean_ps(row), mean, TEXT),
              orr_format_time(row->longest_ps, longest, TEXT),
              orr_format_time(per_npu(job, row->exposed_ps), exposed, TEXT),
              waiting_text(job, row, waiting));
}

static void print_rows(FILE *out, const struct orrery *job, bool collectives)
{
    struct orrery_summary_row row;
    size_t at = 0, rows = 0;
    while (next_row(job, collectives, &at, &row)) {
        if (rows == 0 && collectives) {
            orr_print(out, "\n%-24s %6s %14s %10s %14s %14s %14s %14s %14s  %s\n", "collectives",
                      "NPUs", "bytes", "count", "mean", "longest", "exposed", "waiting",
                      "bus bandwidth", "algorithms");
        } else if (rows == 0) {
            orr_print(out, "\n%-31s %-14s %10s %14s %14s %14s %14s %14s\n", "operators", "kind",
                      "count", "bytes", "mean", "longest", "exposed", "waiting");
        }
        if (++rows <= ROWS_SHOWN) {
            (collectives ? print_collective : print_operator)(out, job, &row);
        }
    }
    if (rows > ROWS_SHOWN) {
        orr_print(out, "... and %zu more; --json has all\n", rows - ROWS_SHOWN);
    }
}

void orr_report_summary(FILE *out, const struct orrery *job)
{
    print_rows(out, job, true);
    print_rows(out, job, false);
}

void orr_report_rates(FILE *out, const struct orrery *job)
{
    struct orrery_rates rates;
    orrery_rates(job, &rates);
    const bool any = rates.tokens_per_s > 0 || rates.samples_per_s > 0;
    if (rates.tokens_per_s > 0) {
        orr_print(out, "\n%.6g tokens/s", rates.tokens_per_s);
    } else if (rates.samples_per_s > 0) {
        orr_print(out, "\n%.6g samples/s", rates.samples_per_s);
    }
    if (rates.model_flops_per_s > 0) {
        (void)fputs(any ? ", " : "\n", out);
        orr_print(out, "%.4g model TFLOP/s per NPU",
                  rates.model_flops_per_s / orrery_npus(job) * 1e-12);
    }
    if (rates.model_flops_utilization > 0) {
        orr_print(out, ", %.1f %% of the peak (MFU)", 100 * rates.model_flops_utilization);
    }
    if (any || rates.model_flops_per_s > 0) {
        (void)fputc('\n', out);
    }
}

/* ---- the critical path ---- */

static int compare_parts(const void *a, const void *b)
{
    const struct orrery_path_part *first = a, *second = b;
    return (first->ps < second->ps) - (first->ps > second->ps);
}

static void print_parts(FILE *out, const struct orrery *job)
{
    const size_t parts = orrery_path_parts(job);
    struct orrery_path_part *part = orr_heap_calloc(parts + 1, sizeof *part);
    if (part == NULL) {
        return;
    }
    for (size_t p = 0; p < parts; p++) {
        (void)orrery_path_part(job, p, &part[p]);
    }
    qsort(part, parts, sizeof *part, compare_parts);
    for (size_t p = 0; p < parts; p++) {
        char time[TEXT];
        orr_print(out, "  %5.1f %%  %14s  %s\n",
                  100.0 * (double)part[p].ps / (double)orrery_wall_ps(job),
                  orr_format_time(part[p].ps, time, TEXT), part[p].what);
    }
    orr_heap_free(part);
}

static int64_t step_end(const struct orrery *job, size_t index)
{
    struct orrery_path_step next;
    return orrery_path_step(job, index + 1, &next) == ORRERY_OK ? next.start_ps
                                                                : orrery_wall_ps(job);
}

struct step {
    size_t index;
    int64_t duration_ps;
};

static int compare_durations(const void *a, const void *b)
{
    const struct step *first = a, *second = b;
    if (first->duration_ps != second->duration_ps) {
        return first->duration_ps > second->duration_ps ? -1 : 1;
    }
    return (first->index > second->index) - (first->index < second->index);
}

static int compare_places(const void *a, const void *b)
{
    const struct step *first = a, *second = b;
    return (first->index > second->index) - (first->index < second->index);
}

static void print_steps(FILE *out, const struct orrery *job)
{
    const size_t steps = orrery_path_steps(job);
    struct step *step = orr_heap_calloc(steps + 1, sizeof *step);
    if (step == NULL) {
        return;
    }
    for (size_t s = 0; s < steps; s++) {
        struct orrery_path_step at;
        (void)orrery_path_step(job, s, &at);
        step[s] = (struct step){.index = s, .duration_ps = step_end(job, s) - at.start_ps};
    }
    qsort(step, steps, sizeof *step, compare_durations);
    const size_t shown = steps < STEPS_SHOWN ? steps : STEPS_SHOWN;
    qsort(step, shown, sizeof *step, compare_places);
    orr_print(out, "\n%-14s %14s %6s  %s\n", "on the path at", "for", "NPU",
              shown < steps ? "node (the longest)" : "node");
    for (size_t s = 0; s < shown; s++) {
        struct orrery_path_step at;
        char start[TEXT], duration[TEXT];
        (void)orrery_path_step(job, step[s].index, &at);
        orr_print(out, "%-14s %14s %6" PRIu32 "  %s (node %" PRIu64 ")\n",
                  orr_format_time(at.start_ps, start, TEXT),
                  orr_format_time(step[s].duration_ps, duration, TEXT), at.rank, at.name, at.id);
    }
    orr_heap_free(step);
}

void orr_report_path(FILE *out, const struct orrery *job)
{
    char wall[TEXT];
    orr_print(out, "\nwhy the job takes %s: its critical path was spent on\n",
              orr_format_time(orrery_wall_ps(job), wall, TEXT));
    print_parts(out, job);
    if (orrery_path_steps(job) != 0) {
        print_steps(out, job);
    }
}

/* ---- JSON ---- */

static void set_integer(json_t *object, const char *key, int64_t value)
{
    (void)json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void set_wide(json_t *object, const char *key, orrery_wide value)
{
    (void)json_object_set_new(object, key, orr_json_sum(value));
}

static json_t *row_object(const struct orrery *job, const struct orrery_summary_row *row)
{
    char way[WAY];
    json_t *object = json_object();
    const bool collective = row->kind == ORRERY_NODE_COLLECTIVE;
    (void)json_object_set_new(object, "kind",
                              orr_json_text(collective ? row->name : kind_name(row)));
    if (collective) {
        set_integer(object, "npus", row->npus);
        set_integer(object, "bytes", (int64_t)row->bytes_each);
        set_integer(object, "count", (int64_t)(row->count / row->npus));
    } else {
        (void)json_object_set_new(object, "name", orr_json_text(row->name));
        set_integer(object, "count", (int64_t)row->count);
        set_wide(object, "bytes", row->bytes);
        set_wide(object, "flops", row->flops);
    }
    set_wide(object, "time_ps", row->time_ps);
    set_wide(object, "waiting_ps", row->waiting_ps);
    set_integer(object, "shortest_ps", row->shortest_ps);
    set_integer(object, "longest_ps", row->longest_ps);
    set_wide(object, "exposed_ps", row->exposed_ps);
    set_wide(object, "exposed_waiting_ps", row->exposed_waiting_ps);
    if (collective) {
        (void)json_object_set_new(object, "bus_bandwidth_bytes_per_s",
                                  json_real(orrery_bus_bandwidth(row)));
        if (way_of(job, row, way, sizeof way) != NULL) {
            (void)json_object_set_new(object, "algorithms", orr_json_text(way));
        }
    }
    return object;
}

static json_t *rows_array(const struct orrery *job, bool collectives)
{
    json_t *array = json_array();
    struct orrery_summary_row row;
    for (size_t at = 0; next_row(job, collectives, &at, &row);) {
        (void)json_array_append_new(array, row_object(job, &row));
    }
    return array;
}

static json_t *parts_array(const struct orrery *job)
{
    json_t *array = json_array();
    struct orrery_path_part part;
    for (size_t p = 0; orrery_path_part(job, p, &part) == ORRERY_OK; p++) {
        json_t *object = json_object();
        (void)json_object_set_new(object, "what", json_string(part.what));
        if (part.dim != UINT_MAX) {
            set_integer(object, "dim", (int64_t)part.dim + 1);
        }
        set_integer(object, "ps", part.ps);
        (void)json_array_append_new(array, object);
    }
    return array;
}

static json_t *steps_array(const struct orrery *job)
{
    json_t *array = json_array();
    struct orrery_path_step step;
    for (size_t s = 0; orrery_path_step(job, s, &step) == ORRERY_OK; s++) {
        json_t *object = json_object();
        set_integer(object, "npu", step.rank);
        set_integer(object, "node", (int64_t)step.id);
        (void)json_object_set_new(object, "name", orr_json_text(step.name));
        set_integer(object, "start_ps", step.start_ps);
        set_integer(object, "duration_ps", step_end(job, s) - step.start_ps);
        (void)json_array_append_new(array, object);
    }
    return array;
}

void orr_json_add_summary(json_t *root, const struct orrery *job)
{
    struct orrery_rates rates;
    orrery_rates(job, &rates);
    if (rates.tokens_per_s > 0) {
        (void)json_object_set_new(root, "tokens_per_s", json_real(rates.tokens_per_s));
    }
    if (rates.samples_per_s > 0) {
        (void)json_object_set_new(root, "samples_per_s", json_real(rates.samples_per_s));
    }
    if (rates.model_flops_per_s > 0) {
        (void)json_object_set_new(root, "model_flops_per_s", json_real(rates.model_flops_per_s));
    }
    if (rates.model_flops_utilization > 0) {
        (void)json_object_set_new(root, "model_flops_utilization",
                                  json_real(rates.model_flops_utilization));
    }
    (void)json_object_set_new(root, "collectives", rows_array(job, true));
    (void)json_object_set_new(root, "operators", rows_array(job, false));
    if (orrery_path_parts(job) != 0) {
        json_t *path = json_object();
        (void)json_object_set_new(path, "parts", parts_array(job));
        (void)json_object_set_new(path, "steps", steps_array(job));
        (void)json_object_set_new(root, "critical_path", path);
    }
}
