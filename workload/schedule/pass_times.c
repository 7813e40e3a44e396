/* The times of a pipeline schedule; see pass_times.h. */
#include "workload/schedule/pass_times.h"

#include <inttypes.h>
#include <math.h>

#include "core/arena.h"
#include "core/diag.h"

bool orr_bubble_of_turns(const struct orr_schedule_request *request, double *bubble)
{
    const struct orr_pass_times *times = request->times;
    *bubble = (request->stages - 1) *
              (times->forward + times->backward_inputs + times->backward_weights) / request->chunks;
    return request->chunks == 1 || request->micros >= request->stages;
}

/* A run under way. Ends of passes by part and micro-batch; NAN: not yet. */
struct running {
    const struct orr_schedule *schedule;
    const struct orr_pass_times *times;
    struct orr_schedule_run *run;
    double *forward_end, *backward_end; /* [parts * micros] */
    size_t *next;                       /* [stages] slot */
};

static size_t key(const struct running *running, uint32_t part, uint32_t micro)
{
    return (size_t)part * running->schedule->micros + micro;
}

/* When the result of a pass of part `from` is at part `to`. NAN: not known yet. */
static double arrival(const struct running *running, const double *ends, uint32_t from, uint32_t to,
                      uint32_t micro)
{
    const uint32_t *device = running->schedule->device;
    const double end = ends[key(running, from, micro)];
    return device[from] == device[to] ? end : end + running->times->send;
}

/* When what a pass needs is there; NAN: not known yet. */
static double ready(const struct running *running, const struct orr_pass *pass)
{
    const struct orr_schedule *schedule = running->schedule;
    const uint32_t part = pass->part;
    if (pass->kind == ORR_PASS_FORWARD) {
        return part == schedule->first[part]
                   ? 0
                   : arrival(running, running->forward_end, part - 1, part, pass->micro);
    }
    if (pass->kind == ORR_PASS_BACKWARD_WEIGHTS) {
        return running->backward_end[key(running, part, pass->micro)];
    }
    const double own = running->forward_end[key(running, part, pass->micro)];
    if (part == schedule->last[part]) {
        return own;
    }
    const double behind = arrival(running, running->backward_end, part + 1, part, pass->micro);
    return isnan(own) || isnan(behind) ? NAN : fmax(own, behind);
}

static double time_of(const struct running *running, const struct orr_schedule_slot *slot)
{
    const struct orr_pass_times *times = running->times;
    const double of_stage[ORR_PASS_KINDS] = {times->forward, times->backward_inputs,
                                             times->backward_weights,
                                             times->backward_inputs + times->backward_weights};
    return (slot->passes == 2 ? times->both : of_stage[slot->pass[0].kind]) /
           orr_schedule_cut(running->schedule);
}

static void note_end(struct running *running, const struct orr_pass *pass, double end)
{
    if (pass->kind != ORR_PASS_BACKWARD_WEIGHTS) {
        double *ends =
            pass->kind == ORR_PASS_FORWARD ? running->forward_end : running->backward_end;
        ends[key(running, pass->part, pass->micro)] = end;
    }
}

/* Runs the device's next slot; false if it has none or what the slot needs is not known yet. */
static bool step(struct running *running, uint32_t device)
{
    const size_t at = running->next[device];
    if (at == running->schedule->begin[device + 1]) {
        return false;
    }
    struct orr_schedule_run *run = running->run;
    const struct orr_schedule_slot *slot = &running->schedule->slot[at];
    double begin = run->end[device];
    for (unsigned i = 0; i < slot->passes; i++) {
        const double when = ready(running, &slot->pass[i]);
        if (isnan(when)) {
            return false;
        }
        begin = fmax(begin, when);
    }
    const double took = time_of(running, slot);
    if (at == running->schedule->begin[device]) {
        run->begin[device] = begin;
    }
    run->slot[at] = (struct orr_schedule_slot_time){begin, begin + took};
    run->end[device] = begin + took;
    run->busy[device] += took;
    for (unsigned i = 0; i < slot->passes; i++) {
        note_end(running, &slot->pass[i], begin + took);
    }
    running->next[device]++;
    return true;
}

static void run_all(struct running *running)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t device = 0; device < running->schedule->stages; device++) {
            while (step(running, device)) {
                moved = true;
            }
        }
    }
}

static enum orr_status check_done(const struct running *running, struct orr_diag *diag)
{
    const struct orr_schedule *schedule = running->schedule;
    for (uint32_t device = 0; device < schedule->stages; device++) {
        const size_t at = running->next[device];
        if (at < schedule->begin[device + 1]) {
            char text[64];
            return orr_diag_fail(
                diag, ORR_ERR_INPUT, NULL,
                "device %" PRIu32 ", slot %zu (%s) waits for a pass that waits for it", device,
                at - schedule->begin[device],
                orr_schedule_slot_text(schedule, &schedule->slot[at], text, sizeof text));
        }
    }
    return ORR_OK;
}

/* The most activations that a device keeps: from the begin of the forward pass to the end of that
 * of the weights. */
static double peak(const struct orr_schedule *schedule, uint32_t device)
{
    uint32_t kept = 0, most = 0;
    for (size_t at = schedule->begin[device]; at < schedule->begin[device + 1]; at++) {
        const struct orr_schedule_slot *slot = &schedule->slot[at];
        uint32_t freed = 0;
        for (unsigned i = 0; i < slot->passes; i++) {
            kept += slot->pass[i].kind == ORR_PASS_FORWARD ? 1 : 0;
            freed += slot->pass[i].kind == ORR_PASS_BACKWARD ||
                             slot->pass[i].kind == ORR_PASS_BACKWARD_WEIGHTS
                         ? 1
                         : 0;
        }
        most = kept > most ? kept : most;
        kept -= freed;
    }
    return (double)most / orr_schedule_cut(schedule);
}

static void summarize(const struct orr_schedule *schedule, struct orr_schedule_run *run)
{
    double first = INFINITY, last = 0;
    for (uint32_t device = 0; device < schedule->stages; device++) {
        if (schedule->begin[device] == schedule->begin[device + 1]) {
            continue;
        }
        const double idle = run->end[device] - run->begin[device] - run->busy[device];
        first = fmin(first, run->begin[device]);
        last = fmax(last, run->end[device]);
        run->bubble = fmax(run->bubble, idle);
        run->peak[device] = peak(schedule, device);
    }
    run->total = last > first ? last - first : 0;
}

static bool init(struct running *running, struct orr_arena *arena)
{
    const struct orr_schedule *schedule = running->schedule;
    struct orr_schedule_run *run = running->run;
    const size_t stages = schedule->stages, ends = (size_t)schedule->parts * schedule->micros;
    *run = (struct orr_schedule_run){
        .slot = orr_arena_array(arena, schedule->begin[stages] + 1, sizeof *run->slot),
        .busy = orr_arena_array(arena, stages, sizeof *run->busy),
        .begin = orr_arena_array(arena, stages, sizeof *run->begin),
        .end = orr_arena_array(arena, stages, sizeof *run->end),
        .peak = orr_arena_array(arena, stages, sizeof *run->peak)};
    running->forward_end = orr_arena_array(arena, ends, sizeof *running->forward_end);
    running->backward_end = orr_arena_array(arena, ends, sizeof *running->backward_end);
    running->next = orr_arena_array(arena, stages, sizeof *running->next);
    if (run->slot == NULL || run->busy == NULL || run->begin == NULL || run->end == NULL ||
        run->peak == NULL || running->forward_end == NULL || running->backward_end == NULL ||
        running->next == NULL) {
        return false;
    }
    for (size_t i = 0; i < ends; i++) {
        running->forward_end[i] = running->backward_end[i] = NAN;
    }
    for (size_t i = 0; i < stages; i++) {
        running->next[i] = schedule->begin[i];
    }
    return true;
}

enum orr_status orr_schedule_run(const struct orr_schedule *schedule,
                                 const struct orr_pass_times *times, struct orr_arena *arena,
                                 struct orr_schedule_run *run, struct orr_diag *diag)
{
    struct running running = {.schedule = schedule, .times = times, .run = run};
    if (!init(&running, arena)) {
        return orr_diag_no_memory(diag, "the times of a schedule");
    }
    run_all(&running);
    if (check_done(&running, diag) != ORR_OK) {
        return diag->status;
    }
    summarize(schedule, run);
    return ORR_OK;
}
