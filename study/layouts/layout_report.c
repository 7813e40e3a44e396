/* The search for layouts as text, JSON and CSV; see layout_study.h. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "core/units.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/layouts/layout_study.h"

/* Layouts in the table; --json and --csv have all. */
enum { ROWS = 10 };

/* No times of the search here: the same text on every machine. */
static void print_search(FILE *out, const struct orr_layout_study *study)
{
    const struct orr_layout_estimates *found = &study->found;
    orr_print(out, "%" PRIu64 " layouts of %" PRIu32 " NPUs fit", found->estimates, study->npus);
    if (study->capacity_bytes > 0) {
        orr_print(out, " into %.2f GiB, %" PRIu64 " need more",
                  (double)study->capacity_bytes / (1 << 30), found->too_large);
    }
    (void)fputc('\n', out);
}

static double worst_error(const struct orr_layout_study *study)
{
    double worst = 0;
    for (uint32_t i = 0; i < study->count; i++) {
        worst = fmax(worst, fabs(study->best[i].error));
    }
    return worst;
}

static uint32_t count_near(const struct orr_layout_study *study)
{
    uint32_t near = 0;
    while (near < study->count &&
           (double)study->best[near].simulated_ps <= 1.02 * (double)study->best[0].simulated_ps) {
        near++;
    }
    return near;
}

static void print_best(FILE *out, const struct orr_layout_study *study)
{
    const struct orr_best_layout *best = &study->best[0];
    orr_print(out,
              "%" PRIu32 " with the least estimates simulated: estimates within %.1f %%, %" PRIu32
              " within 2 %% of the best\n",
              study->count, 100 * worst_error(study), count_near(study));
    orr_print(out, "%.6g tokens/s", best->tokens_per_s);
    if (best->days > 0) {
        orr_print(out, ", %.4g tokens in %.1f days", study->given.tokens, best->days);
    }
    if (best->cost > 0) {
        orr_print(out, " for %.4g dollars", best->cost);
    }
    (void)fputc('\n', out);
}

int orr_layout_study_text(FILE *out, const void *context)
{
    const struct orr_layout_study *study = context;
    print_search(out, study);
    print_best(out, study);
    (void)fputc('\n', out);
    orr_result_heads(out, &orr_best_layout_results, (struct orr_row_style){0});
    (void)fputc('\n', out);
    for (uint32_t i = 0; i < study->count && i < ROWS; i++) {
        orr_result_cells(out, &orr_best_layout_results, &study->best[i], (struct orr_row_style){0});
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}

int orr_layout_study_json(FILE *out, const void *context)
{
    const struct orr_layout_study *study = context;
    json_t *root = json_object(), *best = json_array();
    orr_result_add_json(root, &orr_layout_results, study);
    for (uint32_t i = 0; i < study->count; i++) {
        orr_result_append_json(best, &orr_best_layout_results, &study->best[i]);
    }
    (void)json_object_set_new(root, "best", best);
    return orr_json_write_and_free(root, out);
}

int orr_layout_study_csv(FILE *out, const void *context)
{
    const struct orr_layout_study *study = context;
    orr_result_csv_head(out, &orr_best_layout_results);
    (void)fputc('\n', out);
    for (uint32_t i = 0; i < study->count; i++) {
        orr_result_csv_line(out, &orr_best_layout_results, &study->best[i]);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}
