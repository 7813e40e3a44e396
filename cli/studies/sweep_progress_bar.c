/* Progress bar of a sweep; see sweep_progress_bar.h. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cli/studies/sweep_progress_bar.h"

#include "cli/terminal.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_result.h"
#include "study/sweep/sweep_store.h"

enum { PERIOD_MS = 250, MAX_REPORTED = 10, BAR = 20, VALUES_BYTES = 512 };

static double now_s(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0
               ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9
               : 0;
}

static void format_remaining(double seconds, char *text, size_t bytes)
{
    if (seconds < 100) {
        (void)snprintf(text, bytes, "%.0f s", seconds);
    } else if (seconds < 100 * 60) {
        (void)snprintf(text, bytes, "%.0f min", seconds / 60);
    } else {
        (void)snprintf(text, bytes, "%.1f h", seconds / 3600);
    }
}

static void wipe(struct orr_sweep_progress_bar *meter)
{
    if (meter->is_terminal && meter->shown) {
        (void)fputs("\r\033[K", stderr);
    }
    meter->shown = false;
}

static void show(struct orr_sweep_progress_bar *meter, const struct orr_sweep_store *store,
                 double at_s)
{
    static const char full[] = "####################", empty[] = "....................";
    const uint32_t all = store->sweep->points, fresh = store->done - meter->first;
    const int filled = (int)((uint64_t)store->done * BAR / all);
    char left[32] = "?", failed[32] = "";
    if (fresh > 0) {
        format_remaining((at_s - meter->begin_s) / fresh * (all - store->done), left, sizeof left);
    }
    if (store->failed > 0) {
        (void)snprintf(failed, sizeof failed, ", %" PRIu32 " failed", store->failed);
    }
    wipe(meter);
    (void)fprintf(stderr, "[%.*s%.*s] %" PRIu32 " of %" PRIu32 " points done%s, %s left%s", filled,
                  full, BAR - filled, empty, store->done, all, failed, left,
                  meter->is_terminal ? "" : "\n");
    (void)fflush(stderr);
    meter->shown = true;
    meter->shown_s = at_s;
}

void orr_sweep_progress_bar_begin(struct orr_sweep_progress_bar *meter, enum orr_progress when,
                                  const struct orr_sweep_store *store)
{
    *meter = (struct orr_sweep_progress_bar){
        .when = when, .is_terminal = orr_is_terminal(), .first = store->done, .begin_s = now_s()};
    meter->shown_s = meter->begin_s;
    if (when == ORR_PROGRESS_AUTO && !meter->is_terminal) {
        meter->when = ORR_PROGRESS_NEVER;
    }
}

static void report_failure(struct orr_sweep_progress_bar *meter,
                           const struct orr_sweep_store *store,
                           const struct orr_sweep_result *result)
{
    char values[VALUES_BYTES];
    wipe(meter);
    orr_print_message("point %" PRIu32 " (%s): %s\n", result->point,
                      orr_sweep_describe(store->sweep, result->point, values, sizeof values),
                      result->error);
    if (++meter->reported == MAX_REPORTED) {
        orr_print_message("further failures are only counted; %s.jsonl has them all\n",
                          store->prefix);
    }
}

void orr_sweep_progress_bar_step(struct orr_sweep_progress_bar *meter,
                                 const struct orr_sweep_store *store,
                                 const struct orr_sweep_result *result)
{
    if (!result->ok && meter->reported < MAX_REPORTED) {
        report_failure(meter, store, result);
    }
    const double at_s = now_s();
    if (meter->when != ORR_PROGRESS_NEVER && (at_s - meter->shown_s) * 1e3 >= PERIOD_MS) {
        show(meter, store, at_s);
    }
}

void orr_sweep_progress_bar_end(struct orr_sweep_progress_bar *meter,
                                const struct orr_sweep_store *store)
{
    if (meter->when == ORR_PROGRESS_ALWAYS) {
        show(meter, store, now_s());
        (void)fputs(meter->is_terminal ? "\n" : "", stderr);
        meter->shown = false;
    }
    wipe(meter);
}
