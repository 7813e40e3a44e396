/* Report of a sweep; see sweep_report.h. */
#include "study/ranking/sweep_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/strings.h"
#include "report/table_text.h"
#include "study/ranking/sweep_rank.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_failures.h"
#include "study/sweep/sweep_store.h"

enum { MAX_SHOWN = 20, MAX_OF_GROUP = 10, MAX_GROUPS = 10, MAX_REASONS = 8 };

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

/* ---- the best ---- */

/* Context of a report. */
struct report {
    FILE *out;
    struct orr_sweep_store *store;
    const struct orr_sweep_view *view;
    struct orr_sweep_entry *entry; /* [points] */
    struct orr_diag *diag;
};

static enum orr_status print_rows(const struct report *report, const struct orr_sweep_entry *entry,
                                  uint32_t count)
{
    return orr_sweep_print_table(report->out, report->store, report->view->table, entry, count,
                                 report->diag);
}

/* Prints the first entries of a front, and the number of the others. */
static enum orr_status print_some(const struct report *report, const struct orr_sweep_entry *entry,
                                  uint32_t count, uint32_t max)
{
    const enum orr_status status = print_rows(report, entry, count < max ? count : max);
    if (status == ORR_OK && max < count) {
        orr_print(report->out, "and %" PRIu32 " more\n", count - max);
    }
    return status;
}

static enum orr_status print_best(const struct report *report)
{
    static const char *const names[] = {"", "time", "cost", "time*cost"};
    const bool by_rank = report->view->goal == ORR_SWEEP_BY_RANK;
    const char *name = by_rank ? report->store->sweep->rank_by.text : names[report->view->goal];
    const uint32_t count = orr_sweep_rank(report->store, report->view->goal, report->entry);
    const uint32_t top = report->view->top;
    orr_print(report->out, "\nbest by %s\n", name);
    return print_rows(report, report->entry, count < top ? count : top);
}

/* ---- fronts ---- */

enum { BETTER_BYTES = 512 };

/* "both as fast and as cheap", "as good in all of A, B". */
static const char *describe_better(const struct orr_sweep *sweep, char better[BETTER_BYTES])
{
    size_t used =
        (size_t)snprintf(better, BETTER_BYTES, "%s",
                         sweep->fronts == 0 ? "both as fast and as cheap" : "as good in all of");
    for (size_t i = 0; i < sweep->fronts && used < BETTER_BYTES; i++) {
        used += (size_t)snprintf(better + used, BETTER_BYTES - used, "%s %s", i > 0 ? "," : "",
                                 sweep->front[i].text);
    }
    return better;
}

/* Front of a group. */
struct front {
    const struct orr_sweep_entry *entry;
    uint32_t count;
};

/* By the fastest point of the front. */
static int compare_fronts(const void *a, const void *b)
{
    const struct front *first = a, *second = b;
    if (first->entry->goal != second->entry->goal) {
        return first->entry->goal < second->entry->goal ? -1 : 1;
    }
    return first->entry < second->entry ? -1 : first->entry > second->entry;
}

static uint32_t find_fronts(const struct report *report, uint32_t kept, struct front *front)
{
    uint32_t fronts = 0;
    for (uint32_t i = 0; i < kept; i++) {
        if (i == 0 || report->entry[i].group != report->entry[i - 1].group) {
            front[fronts++] = (struct front){.entry = &report->entry[i]};
        }
        front[fronts - 1].count++;
    }
    qsort(front, fronts, sizeof *front, compare_fronts);
    return fronts;
}

static enum orr_status print_groups(const struct report *report, struct front *front,
                                    uint32_t fronts)
{
    const struct orr_sweep *sweep = report->store->sweep;
    const size_t axis = (size_t)(sweep->group_axis - sweep->axis);
    enum orr_status status = ORR_OK;
    char better[BETTER_BYTES];
    orr_print(report->out, "\nPareto by %s: no other point of its group is %s\n",
              sweep->group_axis->path, describe_better(sweep, better));
    for (uint32_t i = 0; i < fronts && i < MAX_GROUPS && status == ORR_OK; i++) {
        orr_print(report->out, "\n%s=%s\n", orr_sweep_axis_label(sweep, axis),
                  orr_sweep_group_label(sweep, front[i].entry->group));
        status = print_some(report, front[i].entry, front[i].count, MAX_OF_GROUP);
    }
    if (fronts > MAX_GROUPS && status == ORR_OK) {
        orr_print(report->out, "\nand %" PRIu32 " more groups\n", fronts - MAX_GROUPS);
    }
    return status;
}

static enum orr_status print_fronts(const struct report *report)
{
    struct orr_sweep_store *store = report->store;
    const uint32_t kept =
        orr_sweep_keep_frontier(store, report->entry, orr_sweep_rank_groups(store, report->entry));
    char better[BETTER_BYTES];
    if (kept == 0) {
        orr_print(report->out, "\nPareto: none of the points has %s\n",
                  store->sweep->fronts == 0 ? "a cost" : "a value on all axes of the front");
        return ORR_OK;
    }
    if (store->sweep->group_axis == NULL) {
        orr_print(report->out, "\nPareto: no other point is %s\n",
                  describe_better(store->sweep, better));
        return print_some(report, report->entry, kept, MAX_SHOWN);
    }
    struct front *front = orr_heap_calloc(store->sweep->groups, sizeof *front);
    if (front == NULL) {
        return orr_diag_no_memory(report->diag, "the groups of a sweep");
    }
    const enum orr_status status = print_groups(report, front, find_fronts(report, kept, front));
    orr_heap_free(front);
    return status;
}

/* ---- the report ---- */

static void print_head(FILE *out, const struct orr_sweep_store *store)
{
    char unfit[48] = "";
    if (store->unfit > 0) {
        (void)snprintf(unfit, sizeof unfit, ", %" PRIu32 " of them to fit", store->unfit);
    }
    orr_print(out, "%" PRIu32 " point%s, %" PRIu32 " failed%s", store->sweep->points,
              orr_plural(store->sweep->points), store->failed, unfit);
    if (store->sweep->estimated > 0) {
        orr_print(out, ", %" PRIu32 " more by their estimates not among the %" PRIu32 " fastest",
                  store->sweep->estimated, store->sweep->simulate);
    }
    if (store->sweep->filters > 0) {
        orr_print(out, ", %" PRIu32 " beyond sweep.where", store->excluded);
    }
    if (store->prefix != NULL) {
        orr_print(out, ": %s.csv, %s.jsonl", store->prefix, store->prefix);
    }
    (void)fputc('\n', out);
}

/* The reasons of most failures, each by its first point. */
static void print_reasons(FILE *out, const struct orr_sweep_failures *failures)
{
    uint32_t others = failures->others;
    for (size_t i = 0; i < failures->reasons; i++) {
        const struct orr_sweep_reason *reason = &failures->reason[i];
        if (i < MAX_REASONS) {
            orr_print(out, "%6" PRIu32 " failed, such as point %" PRIu32 ": %s\n", reason->points,
                      reason->first, reason->text);
        } else {
            others += reason->points;
        }
    }
    if (others != 0) {
        orr_print(out, "%6" PRIu32 " failed for other reasons\n", others);
    }
}

enum orr_status orr_sweep_report(FILE *out, struct orr_sweep_store *store,
                                 const struct orr_sweep_view *view, struct orr_diag *diag)
{
    struct report report = {.out = out, .store = store, .view = view, .diag = diag};
    report.entry = orr_heap_calloc(store->sweep->points, sizeof *report.entry);
    if (report.entry == NULL) {
        return orr_diag_no_memory(diag, "the best points of a sweep");
    }
    enum orr_status status = ORR_OK;
    print_head(out, store);
    print_reasons(out, store->failures);
    if (store->failed + store->excluded < store->sweep->points) {
        status = view->goal != ORR_SWEEP_NO_GOAL ? print_best(&report) : ORR_OK;
        status = status == ORR_OK ? print_fronts(&report) : status;
    }
    orr_heap_free(report.entry);
    return status;
}
