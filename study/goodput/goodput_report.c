/* Goodput as text, JSON and CSV; see goodput_study.h. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "core/span.h"
#include "core/strings.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/goodput/goodput_study.h"

/* Smaller parts are 0.0 % in the table. */
#define LEAST_SHARE 5e-4

static void print_job(FILE *out, const struct orr_goodput_study *study)
{
    char between[ORR_SPAN_BYTES], span[ORR_SPAN_BYTES], interval[ORR_SPAN_BYTES];
    char stall[ORR_SPAN_BYTES];
    const struct orrery_goodput *given = &study->given;
    orr_print(out, "%" PRIu32 " GPU%s in %" PRIu32 " node%s", given->gpus, orr_plural(given->gpus),
              study->model.nodes, orr_plural(study->model.nodes));
    if (study->model.repair_s > 0) {
        orr_print(out, ", %" PRIu32 " spare", study->model.spares);
    }
    orr_print(out, ": a failure every %s, %.1f in %s\n",
              orr_format_span(study->mtbf_s, between, sizeof between),
              study->closed.failures * given->seconds,
              orr_format_span(given->seconds, span, sizeof span));
    orr_print(out, "a checkpoint after %s of work (%s), for which the job stands still %s\n",
              orr_format_span(study->model.work_s, interval, sizeof interval),
              given->interval_s > 0                        ? "given"
              : study->model.work_s == given->checkpoint_s ? "as long as one takes"
              : given->daly                                ? "Daly"
                                                           : "Young",
              orr_format_span(study->model.stall_s, stall, sizeof stall));
}

static void print_ettr(FILE *out, const struct orr_goodput_study *study)
{
    char span[ORR_SPAN_BYTES];
    const struct orr_goodput_shares *closed = &study->closed, *simulated = &study->simulated;
    orr_print(out,
              "ETTR %.2f %%; simulated %.2f %%, %.2f to %.2f %% in nine of ten of %" PRIu32
              " runs of %s\n",
              100 * closed->part[ORR_GOODPUT_USEFUL], 100 * simulated->part[ORR_GOODPUT_USEFUL],
              100 * study->low, 100 * study->high, study->runs,
              orr_format_span(study->given.seconds, span, sizeof span));
    if (study->model.slow_factor > 1) {
        orr_print(out,
                  "goodput %.2f %%, as slow nodes leave %.2f %% of the speed; simulated %.2f %%\n",
                  100 * closed->part[ORR_GOODPUT_USEFUL] * closed->speed, 100 * closed->speed,
                  100 * simulated->part[ORR_GOODPUT_USEFUL] * simulated->speed);
    }
}

static void print_tokens(FILE *out, const struct orr_goodput_study *study)
{
    char span[ORR_SPAN_BYTES];
    if (study->tokens_per_s > 0) {
        orr_print(out, "%.6g tokens/s of %.6g\n", study->effective_tokens_per_s,
                  study->tokens_per_s);
    }
    if (study->training_s > 0) {
        orr_print(out, "%.4g tokens in %s\n", study->given.tokens,
                  orr_format_span(study->training_s, span, sizeof span));
    }
    if (study->dollars > 0) {
        orr_print(out, "%.6g dollars in %s\n", study->dollars,
                  orr_format_span(study->training_s > 0 ? study->training_s : study->given.seconds,
                                  span, sizeof span));
    }
}

static void print_parts(FILE *out, const struct orr_goodput_study *study)
{
    char span[ORR_SPAN_BYTES];
    (void)fputc('\n', out);
    orr_result_heads(out, &orr_goodput_part_results, (struct orr_row_style){0});
    orr_print(out, "  in %s\n", orr_format_span(study->given.seconds, span, sizeof span));
    for (size_t i = 0; i < ORR_GOODPUT_PARTS; i++) {
        struct orr_goodput_part_row row;
        orr_goodput_part_row(study, i, &row);
        if (fmax(row.share, row.simulated) >= LEAST_SHARE) {
            orr_result_cells(out, &orr_goodput_part_results, &row, (struct orr_row_style){0});
            orr_print(out, "  %s\n", orr_format_span(row.span_s, span, sizeof span));
        }
    }
}

static void print_intervals(FILE *out, const struct orr_goodput_study *study)
{
    char span[ORR_SPAN_BYTES];
    double last_s = 0;
    orr_print(out, "\n%-18s ", "interval");
    orr_result_heads(out, &orr_goodput_interval_results, (struct orr_row_style){0});
    (void)fputc('\n', out);
    for (size_t i = 0; i < ORR_GOODPUT_INTERVALS; i++) {
        struct orr_goodput_interval_row row;
        orr_goodput_interval_row(study, i, &row);
        if (row.interval_s > last_s) {
            orr_print(out, "%-18s ", orr_format_span(row.interval_s, span, sizeof span));
            orr_result_cells(out, &orr_goodput_interval_results, &row, (struct orr_row_style){0});
            (void)fputc('\n', out);
        }
        last_s = row.interval_s;
    }
}

int orr_goodput_text(FILE *out, const void *context)
{
    const struct orr_goodput_study *study = context;
    print_job(out, study);
    print_ettr(out, study);
    print_tokens(out, study);
    print_parts(out, study);
    print_intervals(out, study);
    return ferror(out) != 0 ? 1 : 0;
}

int orr_goodput_json(FILE *out, const void *context)
{
    const struct orr_goodput_study *study = context;
    json_t *root = json_object(), *parts = json_array(), *intervals = json_array();
    orr_result_add_json(root, &orr_goodput_results, study);
    for (size_t i = 0; i < ORR_GOODPUT_PARTS; i++) {
        struct orr_goodput_part_row row;
        orr_goodput_part_row(study, i, &row);
        orr_result_append_json(parts, &orr_goodput_part_results, &row);
    }
    for (size_t i = 0; i < ORR_GOODPUT_INTERVALS; i++) {
        struct orr_goodput_interval_row row;
        orr_goodput_interval_row(study, i, &row);
        orr_result_append_json(intervals, &orr_goodput_interval_results, &row);
    }
    (void)json_object_set_new(root, "parts", parts);
    (void)json_object_set_new(root, "intervals", intervals);
    return orr_json_write_and_free(root, out);
}

int orr_goodput_csv(FILE *out, const void *context)
{
    orr_result_csv_head(out, &orr_goodput_results);
    (void)fputc('\n', out);
    orr_result_csv_line(out, &orr_goodput_results, context);
    (void)fputc('\n', out);
    return ferror(out) != 0 ? 1 : 0;
}
