/* The search for layouts as text, JSON and CSV; see layout_study.h. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/time.h"
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
    const struct orr_layout_case *of = &study->cases[0];
    orr_print(out, "%" PRIu64 " layouts", study->estimates);
    if (study->case_count > 1) {
        orr_print(out, " of %" PRIu32 " cases fit, %" PRIu64 " need more memory", study->case_count,
                  study->too_large);
    } else {
        orr_print(out, " of %" PRIu32 " NPUs fit", of->npus);
        if (of->capacity_bytes > 0) {
            orr_print(out, " into %.2f GiB, %" PRIu64 " need more",
                      (double)of->capacity_bytes / (1 << 30), study->too_large);
        }
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
    const double best = study->best[0].rank;
    uint32_t near = 0;
    while (near < study->count && study->best[near].within &&
           study->best[near].rank <= best + 0.02 * fabs(best)) {
        near++;
    }
    return near;
}

static void print_best(FILE *out, const struct orr_layout_study *study)
{
    const struct orr_best_layout *best = &study->best[0];
    orr_print(
        out,
        "%" PRIu32 " %s simulated: estimates within %.1f %%, %" PRIu32 " within 2 %% of the best\n",
        study->count,
        study->goals.rank_by.expr == NULL && study->goals.fronts == 0 && study->case_count == 1
            ? "with the least estimates"
            : "of the best",
        100 * worst_error(study), count_near(study));
    if (best->tokens_per_s > 0) {
        orr_print(out, "%.6g tokens/s", best->tokens_per_s);
    } else { /* a model of operators has no tokens */
        orr_print(out, "%.6g samples/s",
                  best->batch / ((double)best->simulated_ps / (double)ORR_PS_PER_S));
    }
    if (best->days > 0) {
        orr_print(out, ", %.4g tokens in %.1f days", study->given.tokens, best->days);
    }
    if (best->cost > 0) {
        orr_print(out, " for %.4g dollars", best->cost);
    }
    if (best->kwh > 0) {
        orr_print(out, ", %.4g kWh", best->kwh);
    }
    (void)fputc('\n', out);
    if (study->low_ps > 0) {
        orr_print(
            out,
            "80 %% interval of its step %.3f to %.3f s, by the fit of the platform's compute\n",
            (double)study->low_ps / (double)ORR_PS_PER_S,
            (double)study->high_ps / (double)ORR_PS_PER_S);
    }
}

/* What each limit costs that holds up a better layout. */
static void print_limits(FILE *out, const struct orr_layout_study *study)
{
    for (unsigned i = 0; i < study->limits; i++) {
        const struct orr_layout_limit *limit = &study->limit[i];
        if (limit->has && limit->gain > 0) {
            orr_print(out, "%s holds up %s%s%s, %.1f %% better as estimated", limit->text,
                      limit->layout.of != NULL ? limit->layout.of : "",
                      limit->layout.of != NULL ? ": " : "", limit->layout.layout,
                      100 * limit->gain);
            if (i == 0) {
                orr_print(out, ": %.2f GiB", (double)limit->layout.memory_bytes / (1 << 30));
            }
            (void)fputc('\n', out);
        }
    }
    if (!study->best[0].within) {
        (void)fputs("no layout that was simulated is within the limits, only estimates are\n", out);
    }
}

/* The width of the longest name of a case. */
static int case_width(const struct orr_layout_study *study)
{
    size_t width = 0;
    for (uint32_t c = 0; c < study->case_count; c++) {
        const size_t length = strlen(study->cases[c].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_row(FILE *out, const struct orr_best_layout *best, int width)
{
    if (width > 0) {
        orr_print(out, "%-*s  ", width, best->of != NULL ? best->of : "");
    }
    orr_result_cells(out, &orr_best_layout_results, best, (struct orr_row_style){0});
    orr_print(out, "%s\n", best->within ? "" : ", beyond the limits");
}

static void print_heads(FILE *out, int width)
{
    if (width > 0) {
        orr_print(out, "%-*s  ", width, "");
    }
    orr_result_heads(out, &orr_best_layout_results, (struct orr_row_style){0});
    (void)fputc('\n', out);
}

/* The best of each case, and the front: those that are not among the first rows. */
static void print_more(FILE *out, const struct orr_layout_study *study, int width)
{
    bool *seen = orr_heap_calloc(study->case_count, sizeof *seen);
    if (seen != NULL && study->case_count > 1) {
        (void)fputs("\nthe best of each\n", out);
        for (uint32_t i = 0; i < study->count; i++) {
            if (!seen[study->best[i].number] && study->best[i].within) {
                print_row(out, &study->best[i], width);
                seen[study->best[i].number] = true;
            }
        }
    }
    orr_heap_free(seen);
    for (uint32_t i = 0, printed = 0; i < study->count; i++) {
        if (study->best[i].on_front) {
            (void)fputs(printed++ == 0 ? "\nthe front\n" : "", out);
            print_row(out, &study->best[i], width);
        }
    }
}

int orr_layout_study_text(FILE *out, const void *context)
{
    const struct orr_layout_study *study = context;
    const int width = case_width(study);
    print_search(out, study);
    print_best(out, study);
    print_limits(out, study);
    (void)fputc('\n', out);
    print_heads(out, width);
    for (uint32_t i = 0; i < study->count && i < ROWS; i++) {
        print_row(out, &study->best[i], width);
    }
    print_more(out, study, width);
    return ferror(out) != 0 ? 1 : 0;
}

int orr_layout_study_json(FILE *out, const void *context)
{
    const struct orr_layout_study *study = context;
    json_t *root = json_object(), *best = json_array(), *cases = json_array(),
           *limits = json_array(), *map = json_array();
    orr_result_add_json(root, &orr_layout_results, study);
    for (uint32_t i = 0; i < study->count; i++) {
        orr_result_append_json(best, &orr_best_layout_results, &study->best[i]);
    }
    for (uint32_t i = 0; i < study->case_count; i++) {
        orr_result_append_json(cases, &orr_layout_case_results, &study->cases[i]);
    }
    for (unsigned i = 0; i < study->limits; i++) {
        orr_result_append_json(limits, &orr_layout_limit_results, &study->limit[i]);
    }
    (void)json_object_set_new(root, "best", best);
    (void)json_object_set_new(root, "cases", cases);
    for (uint32_t i = 0; i < study->cells; i++) {
        orr_result_append_json(map, &orr_layout_map_results, &study->map[i]);
    }
    (void)json_object_set_new(root, "limits", limits);
    (void)json_object_set_new(root, "map", map);
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
