/* Progress line of a run; see progress.h. The run is cut into slices of about 30 ms, long enough
 * for a negligible cost and short enough for a responsive line. The number of instants in a slice
 * adapts to the duration of the last one. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cli/terminal.h"
#include "core/units.h"

enum { FIRST_INSTANTS = 256, PERIOD_MS = 250, FIRST_MS = 1000, TIME_BYTES = 64 };

static const double SLICE_S = 0.03;

struct meter {
    double begin_s, shown_s; /* of the monotonic clock; shown_s: time of the last line */
    bool is_terminal;        /* standard error is a terminal: the line is overwritten */
    bool always;
    unsigned lines;
};

static double now_s(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0
               ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9
               : 0;
}

static void show(struct meter *meter, const struct orrery *job, double at_s)
{
    struct orrery_progress state;
    char simulated[TIME_BYTES];
    orrery_progress(job, &state);
    const double seconds = at_s - meter->begin_s;
    const uint32_t npus = orrery_npus(job);
    (void)orr_format_time(state.now_ps, simulated, sizeof simulated);
    (void)fprintf(
        stderr,
        "%s%.0f s: simulated %s, %.2f million events/s, %.0f %% of %" PRIu32 " NPUs finished%s",
        meter->is_terminal ? "\r\033[K" : "", seconds, simulated,
        seconds > 0 ? (double)state.events / seconds * 1e-6 : 0,
        npus > 0 ? 100.0 * state.npus_finished / npus : 100, npus, meter->is_terminal ? "" : "\n");
    (void)fflush(stderr);
    meter->shown_s = at_s;
    meter->lines++;
}

static void end(struct meter *meter, const struct orrery *job)
{
    if (meter->always) {
        show(meter, job, now_s());
    }
    if (meter->is_terminal && meter->lines > 0) {
        (void)fputs(meter->always ? "\n" : "\r\033[K", stderr);
    }
}

/* The number of instants of the next slice, if the last one had `instants` and took `seconds`. */
static uint64_t next_slice(uint64_t instants, double seconds)
{
    if (seconds < SLICE_S / 2) {
        return instants < UINT64_MAX / 2 ? instants * 2 : instants;
    }
    return seconds > SLICE_S * 2 && instants > 1 ? instants / 2 : instants;
}

enum orrery_status orr_run_with_progress(struct orrery *job, enum orr_progress when)
{
    struct meter meter = {.is_terminal = orr_is_terminal(), .always = when == ORR_PROGRESS_ALWAYS};
    if (when == ORR_PROGRESS_NEVER || (when == ORR_PROGRESS_AUTO && !meter.is_terminal)) {
        return orrery_run(job);
    }
    enum orrery_status status = ORRERY_OK;
    bool finished = false;
    uint64_t instants = FIRST_INSTANTS;
    double before_s = meter.begin_s = now_s();
    while (!finished && status == ORRERY_OK) {
        status = orrery_run_some(job, instants, &finished);
        const double after_s = now_s();
        const double since_s = after_s - (meter.lines > 0 ? meter.shown_s : meter.begin_s);
        if (!finished && since_s * 1e3 >= (meter.lines > 0 ? PERIOD_MS : FIRST_MS)) {
            show(&meter, job, after_s);
        }
        instants = next_slice(instants, after_s - before_s);
        before_s = after_s;
    }
    end(&meter, job);
    return status;
}
