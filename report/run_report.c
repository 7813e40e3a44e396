/* Printing results: the table. */
#include "report/run_report.h"

#include <inttypes.h>

#include "core/strings.h"
#include "core/sum.h"
#include "core/units.h"
#include "report/report_model.h"
#include "report/report_summary.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "report/table_text.h"
#include "report/uncertainty_report.h"
#include "sim/time_classes.h"

enum { CLASSES_SHOWN = 24, TEXT = 64, RANKS_TEXT = 25 };

/* ---- NPUs ---- */

static struct orr_row_style style_of(const struct orrery *job)
{
    return (struct orr_row_style){.has_waiting_split = orrery_tells_waiting(job)};
}

static void print_classes(FILE *out, const struct orrery *job, const struct orr_classes *classes,
                          const struct orr_result_table *table)
{
    for (uint32_t c = 0; c < classes->count && c < CLASSES_SHOWN; c++) {
        const struct orr_class *class = &classes->item[c];
        char ranks[RANKS_TEXT];
        orr_format_ranks(class->rank, class->members, ranks, sizeof ranks);
        orr_result_cells(out, table,
                         &(struct orr_npu_row){.job = job,
                                               .rank = class->rank[0],
                                               .members = class->members,
                                               .ranks = ranks,
                                               .times = class->times},
                         style_of(job));
        (void)fputc('\n', out);
    }
    if (classes->count > CLASSES_SHOWN) {
        orr_print(out, "... and %" PRIu32 " more class%s; --per-npu shows every NPU\n",
                  classes->count - CLASSES_SHOWN, classes->count - CLASSES_SHOWN == 1 ? "" : "es");
    }
}

static void print_each(FILE *out, const struct orrery *job, const struct orr_result_table *table)
{
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        char text[TEXT];
        struct orr_npu_row row = {.job = job, .rank = rank, .members = 1, .ranks = text};
        (void)orrery_npu_times(job, rank, &row.times);
        (void)snprintf(text, sizeof text, "%" PRIu32, rank);
        orr_result_cells(out, table, &row, style_of(job));
        (void)fputc('\n', out);
    }
}

static void print_npus(FILE *out, const struct orrery *job, bool per_npu,
                       const struct orr_result_table *table)
{
    struct orr_classes classes;
    orr_result_heads(out, table, (struct orr_row_style){0});
    (void)fputc('\n', out);
    if (per_npu || !orr_classes_init(&classes, job)) {
        print_each(out, job, table);
        return;
    }
    print_classes(out, job, &classes, table);
    orr_classes_fini(&classes);
}

/* ---- dimensions ---- */

/* Of the NPU that lost the most. */
static void print_contention(FILE *out, const struct orrery *job)
{
    char text[32];
    int64_t most_ps = 0;
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        const int64_t lost_ps = orrery_contention_ps(job, rank);
        most_ps = lost_ps > most_ps ? lost_ps : most_ps;
    }
    if (most_ps > 0) {
        fprintf(out,
                "\ncontention: of compute up to %s, to SMs that kernels which communicate hold\n",
                orr_format_time(most_ps, text, sizeof text));
    }
}

static void print_dims(FILE *out, const struct orrery *job)
{
    struct orr_dim_row row;
    (void)fputc('\n', out);
    orr_result_heads(out, &orr_dim_results, (struct orr_row_style){0});
    (void)fputc('\n', out);
    for (unsigned d = 0; d < orrery_dims(job); d++) {
        if (orr_dim_row(job, d, &row)) {
            orr_result_cells(out, &orr_dim_results, &row,
                             (struct orr_row_style){.has_waiting_split = true});
            (void)fputc('\n', out);
        }
    }
}

/* ---- links of a graph ---- */

static const char *node_text(const struct orrery *job, uint32_t node, char text[TEXT])
{
    const char *name = orrery_node_name(job, node);
    const char *what = node < orrery_npus(job) ? "NPU" : "switch";
    (void)(name != NULL ? snprintf(text, TEXT, "%s", name)
                        : snprintf(text, TEXT, "%s %" PRIu32, what, node));
    return text;
}

/* Prints the number of links, and the one with the highest utilization. */
static void print_links(FILE *out, const struct orrery *job)
{
    struct orrery_link link, busiest = {.from = 0};
    double max = 0, sum = 0;
    const size_t links = orrery_links(job);
    char from[TEXT], to[TEXT];
    for (size_t i = 0; i < links && orrery_link(job, i, &link) == ORRERY_OK; i++) {
        const double used = link.offered_bytes > 0 ? (double)link.bytes / link.offered_bytes : 0;
        sum += used;
        if (used > max) {
            max = used;
            busiest = link;
        }
    }
    if (max > 0) {
        orr_print(out,
                  "\n%zu link%s, used %.1f %% on average, %.1f %% from %s to %s; "
                  "bandwidth tax %.3f\n",
                  links, orr_plural(links), 100 * sum / (double)links, 100 * max,
                  node_text(job, busiest.from, from), node_text(job, busiest.to, to),
                  orrery_bandwidth_tax(job));
    }
}

/* Prints the circuits that were set for the job's traffic, and how they differ from a switch of the
 * same bandwidth. */
static void print_circuits(FILE *out, const struct orrery *job)
{
    struct orrery_circuits circuits;
    char time[TEXT];
    const uint32_t iterations = orrery_iterations(job);
    if (!orrery_circuits(job, &circuits)) {
        return;
    }
    orr_print(out, "\ncircuits for %" PRIu32 " pairs", circuits.pairs);
    if (circuits.group < orrery_npus(job)) {
        orr_print(out, " of a group of %" PRIu32 ", the same in all groups", circuits.group);
    }
    orr_print(out, ", set %s", circuits.once ? "once" : "periodically");
    if (circuits.weights > 1) {
        orr_print(out, "; bytes inside of a group count %.4g-fold, best of %" PRIu32,
                  circuits.weight, circuits.weights);
    }
    if (circuits.deficit != 0) {
        orr_print(out, "; %" PRIu32 " wavelength%s wanted that no coloring has", circuits.deficit,
                  orr_plural(circuits.deficit));
    }
    orr_print(out, "; %.3f times the %s on one switch\n",
              circuits.switch_ps > 0 && iterations > 0
                  ? (double)orrery_wall_ps(job) / iterations / (double)circuits.switch_ps
                  : 1.0,
              orr_format_time(circuits.switch_ps, time, TEXT));
}

static void print_iterations(FILE *out, const struct orrery *job)
{
    const uint32_t count = orrery_iterations(job);
    char mean[TEXT];
    if (count > 1) {
        orr_print(out, "\n%" PRIu32 " iterations, %s each on average\n", count,
                  orr_format_time(orrery_wall_ps(job) / count, mean, TEXT));
    }
}

/* Prints further results of the job: those with a label that no other line has. */
static void print_further(FILE *out, const struct orrery *job)
{
    const struct orr_job_row row = orr_job_row(job);
    const struct orr_result *result;
    for (size_t i = 0; (result = orr_result_at(&orr_job_results, i)) != NULL; i++) {
        if (orr_result_in(&orr_job_results, result, ORR_IN_TABLE)) {
            char text[TEXT];
            const struct orr_value value = orr_result_value(result, &row);
            orr_print(out, "\n%s %s\n", result->label,
                      orr_value_text(&value, result->unit, text, sizeof text));
        }
    }
}

void orr_report_table(FILE *out, const struct orrery *job, bool per_npu)
{
    char wall[TEXT];
    orr_print(out, "job time %s on %" PRIu32 " NPU%s\n",
              orr_format_time(orrery_wall_ps(job), wall, TEXT), orrery_npus(job),
              orr_plural(orrery_npus(job)));
    orr_report_uncertainty(out, job);
    (void)fputc('\n', out);
    print_npus(out, job, per_npu, &orr_npu_results);
    print_contention(out, job);
    if (orr_has_gpu_times(job)) {
        (void)fputc('\n', out);
        print_npus(out, job, per_npu, &orr_gpu_results);
    }
    print_dims(out, job);
    print_links(out, job);
    print_circuits(out, job);
    print_iterations(out, job);
    orr_report_summary(out, job);
    orr_report_rates(out, job);
    orr_report_queue(out, job);
    orr_report_model(out, job);
    if (orrery_path_parts(job) != 0) {
        orr_report_path(out, job);
    }
    print_further(out, job);
    char messages[ORR_SUM_BYTES];
    orr_print(out, "\n%s message%s, %" PRIu64 " event%s\n",
              orr_sum_text(orrery_messages(job), messages), orrery_messages(job) == 1 ? "" : "s",
              orrery_events(job), orr_plural(orrery_events(job)));
}
