/* Verdicts in a sentence on runs and what-ifs. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/basis_note.h"
#include "report/page/page_private.h"

void orr_verdict_add(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, ORR_VERDICT_BYTES - used, format, arguments);
    va_end(arguments);
}

const char *orr_verdict_time(double ps, char text[ORR_VERDICT_FIGURE_BYTES])
{
    return orr_format_time(orr_page_integer(ps), text, ORR_VERDICT_FIGURE_BYTES);
}

/* ---- a run ---- */

/* The time of all NPUs, by activity. */
struct time_share {
    const char *key, *words;
    double share;
};

/* What SMs cost that kernels which communicate hold, of the time of computing. */
static void add_contention(const json_t *run, char *text)
{
    const json_t *classes = json_object_get(run, "classes");
    double lost = 0, computes = 0;
    for (size_t c = 0; c < json_array_size(classes); c++) {
        const json_t *class = json_array_get(classes, c);
        const double npus = orr_page_class_npus(class);
        lost += npus * orr_page_number(class, "contention_ps");
        computes += npus * orr_page_number(class, "compute_ps");
    }
    if (lost > 0 && computes > 0) {
        orr_verdict_add(text, " %.1f %% of computing is lost to SMs that communication holds.",
                        100 * lost / computes);
    }
}

static void add_time_shares(const json_t *run, char *text)
{
    struct time_share part[] = {
        {"compute_ps", "computing", 0},
        {"cpu_ps", "in work of the CPU", 0},
        {"exposed_local_memory_ps", "on their memory", 0},
        {"exposed_remote_memory_ps", "on remote memory", 0},
        {"exposed_communication_ps", "communicating with nothing to hide it", 0},
        {"waiting_ps", "waiting for others", 0},
        {"idle_ps", "idle", 0}};
    enum { PARTS = sizeof part / sizeof *part };
    const json_t *classes = json_object_get(run, "classes");
    double all = 0;
    for (size_t c = 0; c < json_array_size(classes); c++) {
        const json_t *class = json_array_get(classes, c);
        const double npus = orr_page_class_npus(class);
        for (unsigned i = 0; i < PARTS; i++) {
            part[i].share += orr_page_number(class, part[i].key) * npus;
            all += orr_page_number(class, part[i].key) * npus;
        }
    }
    const char *before = "The NPUs spend ";
    for (unsigned shown = 0; shown < 3 && all > 0; shown++) {
        unsigned max = 0;
        for (unsigned i = 1; i < PARTS; i++) {
            max = part[i].share > part[max].share ? i : max;
        }
        if (part[max].share / all < 0.01) {
            break;
        }
        orr_verdict_add(text, "%s%.1f %% %s%s", before, 100 * part[max].share / all,
                        shown == 0 ? "of the time " : "", part[max].words);
        part[max].share = 0;
        before = ", ";
    }
    orr_verdict_add(text, "%s", before[0] == ',' ? "." : "");
    add_contention(run, text);
}

static void verdict_run(const json_t *run, char *text)
{
    char time[ORR_VERDICT_FIGURE_BYTES];
    const double npus = orr_page_number(run, "npus");
    const double mfu = orr_page_number(run, "model_flops_utilization");
    orr_verdict_add(text, "The job takes %s on %.0f NPU%s",
                    orr_verdict_time(orr_page_number(run, "wall_ps"), time), npus,
                    orr_plural((uint64_t)orr_page_integer(npus)));
    if (mfu > 0) {
        orr_verdict_add(text, ", at %.1f %% of their peak (MFU)", 100 * mfu);
    }
    orr_verdict_add(text, ". ");
    add_time_shares(run, text);
    const json_t *whatif = json_object_get(run, "whatif");
    if (whatif != NULL) {
        orr_verdict_add(text, " ");
        orr_page_verdict_best(whatif, text);
    }
}

/* ---- a what-if ---- */

/* The best change, bounds excluded. */
static const json_t *best_change(const json_t *whatif)
{
    const json_t *changes = json_object_get(whatif, "changes"), *best = NULL;
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i);
        const bool counts = !json_is_true(json_object_get(change, "bound"));
        if (counts && (best == NULL ||
                       orr_page_number(change, "saved_ps") > orr_page_number(best, "saved_ps"))) {
            best = change;
        }
    }
    return best;
}

void orr_page_verdict_best(const json_t *whatif, char *text)
{
    char time[ORR_VERDICT_FIGURE_BYTES];
    const json_t *best = best_change(whatif);
    const double wall = orr_page_number(whatif, "wall_ps");
    const char *what = json_string_value(json_object_get(best, "what"));
    if (!(orr_page_number(best, "saved_ps") > 0)) {
        orr_verdict_add(text, "None of the changes tried makes it faster.");
        return;
    }
    orr_verdict_add(text, "Best change tried: %s, which saves %.1f %% (%s).",
                    what != NULL ? what : "a change",
                    100 * orr_page_number(best, "saved_ps") / wall,
                    orr_verdict_time(orr_page_number(best, "saved_ps"), time));
}

static void verdict_whatif(const json_t *whatif, char *text)
{
    char time[ORR_VERDICT_FIGURE_BYTES];
    const double npus = orr_page_number(whatif, "npus");
    orr_verdict_add(text, "The job takes %s on %.0f NPU%s. ",
                    orr_verdict_time(orr_page_number(whatif, "wall_ps"), time), npus,
                    orr_plural((uint64_t)orr_page_integer(npus)));
    orr_page_verdict_best(whatif, text);
}

/* ---- several runs ---- */

static const json_t *data_of(const json_t *entry)
{
    return json_object_get(entry, "data");
}

static const char *name_of(const json_t *entry)
{
    return json_string_value(json_object_get(entry, "name"));
}

void orr_page_verdict_several(const json_t *results, char *text)
{
    const json_t *fastest = NULL, *slowest = NULL;
    char time[ORR_VERDICT_FIGURE_BYTES], other[ORR_VERDICT_FIGURE_BYTES];
    size_t runs = 0;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *entry = json_array_get(results, i);
        const double wall = orr_page_number(data_of(entry), "wall_ps");
        if (strcmp(json_string_value(json_object_get(entry, "kind")), "run") == 0) {
            runs++;
            fastest = fastest == NULL || wall < orr_page_number(data_of(fastest), "wall_ps")
                          ? entry
                          : fastest;
            slowest = slowest == NULL || wall > orr_page_number(data_of(slowest), "wall_ps")
                          ? entry
                          : slowest;
        }
    }
    if (runs < 2 || runs < json_array_size(results)) {
        return;
    }
    const double min = orr_page_number(data_of(fastest), "wall_ps");
    const double max = orr_page_number(data_of(slowest), "wall_ps");
    if (!(max > min)) {
        orr_verdict_add(text, "All %zu runs take %s.", runs, orr_verdict_time(min, time));
        return;
    }
    const double fast_npus = orr_page_number(data_of(fastest), "npus");
    const double slow_npus = orr_page_number(data_of(slowest), "npus");
    char fast_on[ORR_VERDICT_FIGURE_BYTES] = "", slow_on[ORR_VERDICT_FIGURE_BYTES] = "";
    if (fast_npus < slow_npus || fast_npus > slow_npus) { /* the runs differ in size */
        (void)snprintf(fast_on, ORR_VERDICT_FIGURE_BYTES, " on %.0f NPUs", fast_npus);
        (void)snprintf(slow_on, ORR_VERDICT_FIGURE_BYTES, " on %.0f NPUs", slow_npus);
    }
    orr_verdict_add(
        text, "%s is the fastest of %zu: %s%s, against %s of %s%s (%.2f times as long).",
        name_of(fastest), runs, orr_verdict_time(min, time), fast_on, orr_verdict_time(max, other),
        name_of(slowest), slow_on, min > 0 ? max / min : INFINITY);
    char bases[ORR_DIAG_MESSAGE_BYTES];
    const struct orr_named_result pair[2] = {{data_of(fastest), name_of(fastest)},
                                             {data_of(slowest), name_of(slowest)}};
    if (orr_bases_differ(pair, bases)) {
        orr_verdict_add(text, " But %s.", bases);
    }
}

const struct page_kind orr_page_kind_run = {.name = "run",
                                            .need = {"wall_ps", "classes[]"},
                                            .cut = orr_page_cut_run,
                                            .verdict = verdict_run};

const struct page_kind orr_page_kind_whatif = {
    .name = "whatif", .need = {"wall_ps", "changes[]"}, .verdict = verdict_whatif};
