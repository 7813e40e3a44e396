/* The best points of a sweep; see sweep_report.h. */
#include "study/sweep/sweep_report.h"

#include <inttypes.h>
#include <math.h>

#include "report/report.h"

enum { MOST_SHOWN = 20, VALUES_BYTES = 512, COST_BYTES = 32 };

void orr_sweep_list(FILE *out, const struct orr_sweep *sweep)
{
    (void)fputs("point", out);
    for (size_t a = 0; a < sweep->axes; a++) {
        (void)fputc(',', out);
        orr_csv_text(out, sweep->axis[a].path);
    }
    (void)fputc('\n', out);
    for (uint32_t point = 0; point < sweep->points; point++) {
        orr_print(out, "%" PRIu32, point);
        for (size_t a = 0; a < sweep->axes; a++) {
            (void)fputc(',', out);
            orr_csv_text(out, orr_sweep_value_at(sweep, a, sweep->point[point])->label);
        }
        (void)fputc('\n', out);
    }
}

/* ---- tables ---- */

/* "-" where there is no cost. */
static const char *cost_text(double cost, char text[COST_BYTES])
{
    if (isfinite(cost)) {
        (void)snprintf(text, COST_BYTES, "%.6g", cost);
    } else {
        (void)snprintf(text, COST_BYTES, "-");
    }
    return text;
}

static void print_rows(FILE *out, const struct orr_sweep_store *store,
                       const struct orr_sweep_entry *entry, uint32_t count)
{
    char cost[COST_BYTES], both[COST_BYTES], time[ORR_FORMAT_BYTES], values[VALUES_BYTES];
    orr_print(out, "%8s %14s %14s %14s  %s\n", "point", "time", "cost", "time*cost", "values");
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_sweep_row *row = &store->row[entry[i].point];
        orr_print(out, "%8" PRIu32 " %14s %14s %14s  %s\n", entry[i].point,
                  orr_format_time(row->wall_ps, time, sizeof time), cost_text(row->cost, cost),
                  cost_text((double)row->wall_ps * 1e-12 * row->cost, both),
                  orr_sweep_describe(store->sweep, entry[i].point, values, sizeof values));
    }
}

static void print_best(FILE *out, const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                       struct orr_sweep_entry *entry, uint32_t top)
{
    static const char *const names[] = {"", "time", "cost", "time*cost"};
    const uint32_t count = orr_sweep_rank(store, goal, entry);
    orr_print(out, "\nbest by %s\n", names[goal]);
    print_rows(out, store, entry, count < top ? count : top);
}

static void print_frontier(FILE *out, const struct orr_sweep_store *store,
                           struct orr_sweep_entry *entry)
{
    const uint32_t count = orr_sweep_rank(store, ORR_SWEEP_BY_TIME, entry);
    const uint32_t kept = orr_sweep_keep_frontier(store, entry, count);
    const uint32_t shown = kept < MOST_SHOWN ? kept : MOST_SHOWN;
    orr_print(out, "\nPareto: no other point is both as fast and as cheap\n");
    print_rows(out, store, entry, shown);
    if (shown < kept) {
        orr_print(out, "%8s %" PRIu32 " more\n", "and", kept - shown);
    }
}

bool orr_sweep_report(FILE *out, const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                      uint32_t top)
{
    struct orr_sweep_entry *entry = orr_heap_calloc(store->sweep->points, sizeof *entry);
    if (entry == NULL) {
        return false;
    }
    char unfit[48] = "";
    if (store->unfit > 0) {
        (void)snprintf(unfit, sizeof unfit, ", %" PRIu32 " of them to fit", store->unfit);
    }
    orr_print(out, "%" PRIu32 " point%s, %" PRIu32 " failed%s", store->sweep->points,
              orr_plural(store->sweep->points), store->failed, unfit);
    if (store->prefix != NULL) {
        orr_print(out, ": %s.csv, %s.jsonl", store->prefix, store->prefix);
    }
    (void)fputc('\n', out);
    if (store->failed < store->sweep->points) {
        if (goal != ORR_SWEEP_NO_GOAL) {
            print_best(out, store, goal, entry, top);
        }
        print_frontier(out, store, entry);
    }
    orr_heap_free(entry);
    return true;
}
