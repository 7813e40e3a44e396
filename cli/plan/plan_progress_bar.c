/* Progress bar of a plan; see plan_progress_bar.h. */
#include "cli/plan/plan_progress_bar.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cli/terminal.h"
#include "core/units.h"

enum { PERIOD_MS = 250, BAR = 20, LEFT_BYTES = 32 };

static double now_s(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0
               ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9
               : 0;
}

void orr_plan_progress_bar_begin(struct orr_plan_progress_bar *meter, enum orr_progress when)
{
    const bool terminal = orr_is_terminal();
    *meter = (struct orr_plan_progress_bar){.enabled = when == ORR_PROGRESS_ALWAYS ||
                                                       (when == ORR_PROGRESS_AUTO && terminal),
                                            .is_terminal = terminal,
                                            .begin_s = now_s()};
    meter->shown_s = meter->begin_s;
}

static void wipe(struct orr_plan_progress_bar *meter)
{
    if (meter->is_terminal && meter->shown) {
        (void)fputs("\r\033[K", stderr);
    }
    meter->shown = false;
}

static void show_search(const struct orrery_plan_progress *progress, double seconds)
{
    static const char full[] = "####################", empty[] = "....................";
    const uint64_t all = progress->budget > 0 ? progress->budget : 1;
    const uint64_t done = progress->evaluations < all ? progress->evaluations : all;
    const int filled = (int)((double)done / (double)all * BAR);
    char best[ORR_FORMAT_BYTES] = "nothing that fits";
    if (progress->best_ps != INT64_MAX) {
        (void)orr_format_time(progress->best_ps, best, sizeof best);
    }
    (void)fprintf(stderr,
                  "[%.*s%.*s] round %u, %" PRIu64 " of at most %" PRIu64
                  " evaluations, best %s, %.0f s",
                  filled, full, BAR - filled, empty, progress->round, progress->evaluations,
                  progress->budget, best, seconds);
}

void orr_plan_progress_bar_update(void *of, const struct orrery_plan_progress *progress)
{
    struct orr_plan_progress_bar *meter = of;
    const double at_s = now_s();
    const bool other = meter->doing != progress->doing;
    if (!meter->enabled || (!other && (at_s - meter->shown_s) * 1e3 < PERIOD_MS)) {
        return;
    }
    wipe(meter);
    if (progress->budget != 0) {
        show_search(progress, at_s - meter->begin_s);
    } else {
        (void)fprintf(stderr, "%s, %.0f s", progress->doing, at_s - meter->begin_s);
    }
    (void)fputs(meter->is_terminal ? "" : "\n", stderr);
    (void)fflush(stderr);
    meter->doing = progress->doing;
    meter->shown = true;
    meter->shown_s = at_s;
}

void orr_plan_progress_bar_end(struct orr_plan_progress_bar *meter)
{
    wipe(meter);
}
