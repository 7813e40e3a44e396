/* The best points of a sweep; see sweep_report.h. */
#include "cli/sweep_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

enum { MOST_SHOWN = 20, VALUES_BYTES = 512 };

/* The shortest end of an axis's path, from behind a dot, that no other axis ends in. */
static const char *short_name(const struct orr_sweep *sweep, size_t axis)
{
    const char *path = sweep->axis[axis].path, *name = path + strlen(path);
    bool unique = false;
    while (name > path && !unique) {
        do {
            name--;
        } while (name > path && name[-1] != '.');
        unique = true;
        for (size_t a = 0; a < sweep->axes && unique; a++) {
            const char *other = sweep->axis[a].path;
            const size_t length = strlen(other), end = strlen(name);
            unique = a == axis || length < end || strcmp(other + length - end, name) != 0;
        }
    }
    return name;
}

char *orr_sweep_describe(const struct orr_sweep *sweep, uint32_t point, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t a = 0; a < sweep->axes && used < bytes; a++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s", a > 0 ? ", " : "",
                                 short_name(sweep, a),
                                 orr_sweep_value_at(sweep, a, sweep->point[point])->label);
    }
    return text;
}

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

/* ---- ranking ---- */

struct entry {
    double goal, other; /* the smaller the better; `other` decides between equal ones */
    uint32_t point;
};

static int compare(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    if (first->goal != second->goal) {
        return first->goal < second->goal ? -1 : 1;
    }
    if (first->other != second->other) {
        return first->other < second->other ? -1 : 1;
    }
    return first->point < second->point ? -1 : first->point > second->point;
}

static double goal_of(const struct orr_sweep_row *row, enum orr_sweep_goal goal)
{
    const double time = (double)row->wall_ps;
    return goal == ORR_SWEEP_BY_TIME   ? time
           : goal == ORR_SWEEP_BY_COST ? row->cost
                                       : time * row->cost;
}

/* The points that are done and did not fail, best first. Returns their number. */
static uint32_t rank(const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                     struct entry *entry)
{
    uint32_t count = 0;
    for (uint32_t point = 0; point < store->sweep->points; point++) {
        const struct orr_sweep_row *row = &store->row[point];
        if (row->state == ORR_SWEEP_DONE) {
            const double other = goal == ORR_SWEEP_BY_TIME ? row->cost : (double)row->wall_ps;
            entry[count++] = (struct entry){goal_of(row, goal), other, point};
        }
    }
    qsort(entry, count, sizeof *entry, compare);
    return count;
}

/* Keeps of entries in order of time those that cost less than all before. */
static uint32_t keep_frontier(const struct orr_sweep_store *store, struct entry *entry,
                              uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double cost = store->row[entry[i].point].cost;
        if (kept == 0 || cost < store->row[entry[kept - 1].point].cost) {
            entry[kept++] = entry[i];
        }
    }
    return kept;
}

/* ---- tables ---- */

static void print_rows(FILE *out, const struct orr_sweep_store *store, const struct entry *entry,
                       uint32_t count)
{
    char time[ORR_FORMAT_BYTES], values[VALUES_BYTES];
    orr_print(out, "%8s %14s %14s %14s  %s\n", "point", "time", "cost", "time*cost", "values");
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_sweep_row *row = &store->row[entry[i].point];
        orr_print(out, "%8" PRIu32 " %14s %14.6g %14.6g  %s\n", entry[i].point,
                  orr_format_time(row->wall_ps, time, sizeof time), row->cost,
                  (double)row->wall_ps * 1e-12 * row->cost,
                  orr_sweep_describe(store->sweep, entry[i].point, values, sizeof values));
    }
}

static void print_best(FILE *out, const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                       struct entry *entry, uint32_t top)
{
    static const char *const names[] = {"", "time", "cost", "time*cost"};
    const uint32_t count = rank(store, goal, entry);
    orr_print(out, "\nbest by %s\n", names[goal]);
    print_rows(out, store, entry, count < top ? count : top);
}

static void print_frontier(FILE *out, const struct orr_sweep_store *store, struct entry *entry)
{
    const uint32_t count = rank(store, ORR_SWEEP_BY_TIME, entry);
    const uint32_t kept = keep_frontier(store, entry, count);
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
    struct entry *entry = orr_heap_calloc(store->sweep->points, sizeof *entry);
    if (entry == NULL) {
        return false;
    }
    char unfit[48] = "";
    if (store->unfit > 0) {
        (void)snprintf(unfit, sizeof unfit, ", %" PRIu32 " of them to fit", store->unfit);
    }
    orr_print(out, "%" PRIu32 " points, %" PRIu32 " failed%s: %s.csv, %s.jsonl\n",
              store->sweep->points, store->failed, unfit, store->prefix, store->prefix);
    if (store->failed < store->sweep->points) {
        if (goal != ORR_SWEEP_NO_GOAL) {
            print_best(out, store, goal, entry, top);
        }
        print_frontier(out, store, entry);
    }
    orr_heap_free(entry);
    return true;
}
