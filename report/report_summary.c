/* The summary of collectives and operators, and the critical path: tables and JSON. */
#include "report/report_summary.h"
#include "core/arena.h"
#include "orrery/prefix.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "report/table_text.h"
#include "report/uncertainty_report.h"
#include "sim/load/compute_basis.h"
#include "system/collectives/program.h"
#include "system/sys_config.h"

enum { ROWS_SHOWN = 10, STEPS_SHOWN = 10, TEXT = 64 };

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

/* The next row of collectives, or of the others, in order; false at the end. */
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

/* Describes the algorithms and schedulers of the row's collectives; "" if they are not known. */
static void describe_choice(const struct orrery *job, const struct orrery_summary_row *row,
                            char *text, size_t bytes)
{
    struct orrery_choice choice;
    size_t choices = 0;
    for (size_t i = 0; orrery_choice(job, i, &choice) == ORRERY_OK; i++) {
        if (choice.npus != row->npus || choice.bytes != row->bytes_each ||
            strcmp(choice.collective, row->name) != 0) {
            continue;
        }
        if (choices++ == 0) {
            const bool has_scheduler = choice.scheduler[0] != '\0' &&
                                       strcmp(choice.scheduler, orr_sys_scheduler_name(0)) != 0;
            (void)snprintf(text, bytes, "%s%s%s", choice.algorithms, has_scheduler ? ", " : "",
                           has_scheduler ? choice.scheduler : "");
        }
    }
    if (choices > 1) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, bytes - used, " and %zu others", choices - 1);
    }
}

/* ---- rows ---- */

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

static struct orr_work_row make_row(const struct orrery *job, const struct orrery_summary_row *of)
{
    const bool collective = of->kind == ORRERY_NODE_COLLECTIVE;
    struct orr_work_row row = {.job = job,
                               .of = *of,
                               .kind = collective ? of->name : kind_name(of),
                               .mean_ps = mean_ps(of),
                               .exposed_per_npu_ps = per_npu(job, of->exposed_ps),
                               .exposed_waiting_per_npu_ps = per_npu(job, of->exposed_waiting_ps),
                               .collectives = collective ? of->count / of->npus : 0,
                               .bus_bandwidth_bytes_per_s = orrery_bus_bandwidth(of)};
    if (collective) {
        describe_choice(job, of, row.choice_text, sizeof row.choice_text);
    }
    return row;
}

bool orr_work_row(const struct orrery *job, bool collectives, size_t index,
                  struct orr_work_row *row)
{
    struct orrery_summary_row of;
    size_t at = 0;
    while (next_row(job, collectives, &at, &of)) {
        if (index-- == 0) {
            *row = make_row(job, &of);
            return true;
        }
    }
    return false;
}

/* ---- tables ---- */

static const struct orr_result_table *table_of(bool collectives)
{
    return collectives ? &orr_collective_results : &orr_operator_results;
}

/* The width of the names of the operators that are shown, so that kernels are told apart. */
static int name_width(const struct orrery *job)
{
    enum { LEAST = 31, MOST = 60 };
    struct orrery_summary_row row;
    size_t at = 0, width = LEAST;
    for (unsigned i = 0; i < ROWS_SHOWN && next_row(job, false, &at, &row); i++) {
        const size_t length = strlen(row.name);
        width = length > width ? length : width;
    }
    return width < MOST ? (int)width : MOST;
}

static void print_rows(FILE *out, const struct orrery *job, bool collectives)
{
    const struct orr_result_table *table = table_of(collectives);
    const struct orr_row_style style = {.has_waiting_split = orrery_tells_waiting(job),
                                        .first = collectives ? 0 : name_width(job)};
    struct orrery_summary_row row;
    size_t at = 0, rows = 0;
    while (next_row(job, collectives, &at, &row)) {
        if (rows == 0) {
            (void)fputc('\n', out);
            orr_result_heads(out, table, style);
            (void)fputc('\n', out);
        }
        if (++rows <= ROWS_SHOWN) {
            const struct orr_work_row work = make_row(job, &row);
            orr_result_cells(out, table, &work, style);
            (void)fputc('\n', out);
        }
    }
    if (rows > ROWS_SHOWN) {
        orr_print(out, "... and %zu more; --json has all\n", rows - ROWS_SHOWN);
    }
}

/* ---- ports that beat their links ---- */

/* Links of a dimension by which an NPU sends to its peers. A ring turns one way, and an all-reduce
 * both, since its second half turns the other way; halving-doubling has log2 n peers. */
static unsigned links_of(const struct orrery_dim_stats *dim, const char *collective,
                         const char *algorithm)
{
    const bool ring = strcmp(dim->block, "ring") == 0;
    const bool all = strcmp(dim->block, "fully_connected") == 0;
    if (dim->npus < 3 || (!ring && !all)) {
        return 1;
    }
    const struct coll_algorithm *of = orr_coll_algorithm_find(algorithm);
    if (of != NULL && of->around && of->lanes == 1) {
        return strcmp(collective, "all_reduce") == 0 ? 2 : 1;
    }
    unsigned log2 = 1;
    while (log2 < 31 && UINT32_C(1) << log2 < dim->npus) {
        log2++;
    }
    return ring ? 2 : of != NULL && of->chain == COLL_CHAIN_EXCHANGE ? log2 : dim->npus - 1;
}

static double links_bandwidth(const struct orrery *job, const struct orr_work_row *row)
{
    double bytes_per_s = 0;
    for (unsigned d = 0; d < orrery_dims(job); d++) {
        struct orrery_dim_stats dim;
        if (orrery_dim(job, d, &dim) == ORRERY_OK && dim.npus > 1) {
            bytes_per_s +=
                dim.bandwidth_bytes_per_s * links_of(&dim, row->of.name, row->choice_text);
        }
    }
    return bytes_per_s;
}

/* Under the reference's rules messages do not know of each other, each has all of a link. */
static void note_fast_ports(FILE *out, const struct orrery *job)
{
    struct orr_work_row row;
    char bus[TEXT], links[TEXT];
    for (size_t i = 0; !orrery_tells_waiting(job) && orr_work_row(job, true, i, &row); i++) {
        const double limit = links_bandwidth(job, &row);
        if (limit > 0 && row.bus_bandwidth_bytes_per_s > 1.001 * limit) {
            orr_print(out,
                      "\nnote: %s has %s of links of %s: under ASTRA-sim's rules messages do not "
                      "know of each other,\nand a port can beat its links; --compat off shares "
                      "them\n",
                      row.of.name, orr_format_bandwidth(row.bus_bandwidth_bytes_per_s, bus, TEXT),
                      orr_format_bandwidth(limit, links, TEXT));
            return;
        }
    }
}

void orr_report_summary(FILE *out, const struct orrery *job)
{
    print_rows(out, job, true);
    note_fast_ports(out, job);
    print_rows(out, job, false);
}

/* Whose peaks the utilization is of, where narrow types did some of the work. */
static void print_types(FILE *out, const struct orrery_rates *rates)
{
    const double share[] = {rates->fp8_share, rates->fp4_share,
                            1 - rates->fp8_share - rates->fp4_share};
    static const char *const names[] = {"fp8", "fp4", "element"};
    if (share[0] + share[1] > 0) {
        const char *before = "; operations: ";
        for (unsigned i = 0; i < 3; i++) {
            if (share[i] >= 0.0005) {
                orr_print(out, "%s%.1f %% %s", before, 100 * share[i], names[i]);
                before = ", ";
            }
        }
        orr_print(out, ", each over its type's peak");
    }
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
        orr_report_utilization(out, job);
        print_types(out, &rates);
    }
    if (any || rates.model_flops_per_s > 0) {
        (void)fputc('\n', out);
    }
    const char *basis = orr_compute_basis(job);
    if (basis != NULL && strcmp(basis, "peak") == 0) {
        orr_print(out, "computed at all of the data sheet's peak: no efficiency is given\n");
    }
}

void orr_report_queue(FILE *out, const struct orrery *job)
{
    struct orrery_gradient_queue queue;
    char turnaround[TEXT], first[TEXT], bubbles[TEXT];
    if (orrery_gradient_queue(job, &queue)) {
        orr_print(out, "\nparts of collectives: turnaround %s, first wait %s, bubbles %s\n",
                  orr_format_time(queue.turnaround_ps, turnaround, sizeof turnaround),
                  orr_format_time(queue.first_wait_ps, first, sizeof first),
                  orr_format_time(queue.bubbles_ps, bubbles, sizeof bubbles));
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

static int compare_indices(const void *a, const void *b)
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
    qsort(step, shown, sizeof *step, compare_indices);
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

static json_t *rows_array(const void *of, bool collectives)
{
    const struct orrery *job = ((const struct orr_job_row *)of)->job;
    json_t *array = json_array();
    struct orrery_summary_row row;
    for (size_t at = 0; next_row(job, collectives, &at, &row);) {
        const struct orr_work_row work = make_row(job, &row);
        orr_result_append_json(array, table_of(collectives), &work);
    }
    return array;
}

json_t *orr_json_collectives(const void *row)
{
    return rows_array(row, true);
}

json_t *orr_json_operators(const void *row)
{
    return rows_array(row, false);
}

static json_t *parts_array(const struct orrery *job)
{
    json_t *array = json_array();
    struct orrery_path_part part;
    for (size_t p = 0; orrery_path_part(job, p, &part) == ORRERY_OK; p++) {
        orr_result_append_json(array, &orr_path_part_results, &part);
    }
    return array;
}

bool orr_path_step_row(const struct orrery *job, size_t index, struct orr_path_step_row *row)
{
    if (orrery_path_step(job, index, &row->of) != ORRERY_OK) {
        return false;
    }
    row->duration_ps = step_end(job, index) - row->of.start_ps;
    return true;
}

static json_t *steps_array(const struct orrery *job)
{
    json_t *array = json_array();
    struct orr_path_step_row step;
    for (size_t s = 0; orr_path_step_row(job, s, &step); s++) {
        orr_result_append_json(array, &orr_path_step_results, &step);
    }
    return array;
}

json_t *orr_json_path(const void *row)
{
    const struct orrery *job = ((const struct orr_job_row *)row)->job;
    if (orrery_path_parts(job) == 0) {
        return NULL;
    }
    json_t *path = json_object();
    (void)json_object_set_new(path, "parts", parts_array(job));
    (void)json_object_set_new(path, "steps", steps_array(job));
    return path;
}
