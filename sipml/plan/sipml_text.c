/* Prints a plan of SiP-ML: see sipml_report.h. */
#include <inttypes.h>
#include <math.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/table_text.h"
#include "sipml/plan/sipml_report.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_search.h"
#include "sipml/search/sipml_steps.h"

enum { MAX_ROWS = 64 };

static const char *time_text(sim_time time_ps, char text[ORR_FORMAT_BYTES])
{
    return time_ps == ORR_TIME_MAX ? "over 104 days"
                                   : orr_format_time(time_ps, text, ORR_FORMAT_BYTES);
}

/* The time of a training, with a suitable unit. */
static const char *duration_text(double seconds, char text[ORR_FORMAT_BYTES])
{
    static const struct {
        double seconds;
        const char *name;
    } unit[] = {{86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {0, "us"}};
    unsigned i = 0;
    while (seconds < 2 * unit[i].seconds && unit[i].seconds > 1) {
        i++;
    }
    while (seconds < unit[i].seconds) {
        i++;
    }
    const double of = unit[i].seconds > 0 ? unit[i].seconds : 1e-6;
    (void)snprintf(text, ORR_FORMAT_BYTES, "%.4g %s", seconds / of, unit[i].name);
    return text;
}

static sim_time iteration(const struct sipml_point *point)
{
    return point->simulated_ps != 0 ? point->simulated_ps : point->estimate.iteration_ps;
}

/* ---- the verdict ---- */

static void print_worth(FILE *out, const struct sipml_result *result,
                        const struct sipml_point *point)
{
    char text[ORR_FORMAT_BYTES];
    if (sipml_steps_known(&result->searched.steps)) {
        orr_print(out, "%s to accuracy (%.6g steps)",
                  duration_text(orr_sipml_accuracy_s(point), text), point->steps);
    } else {
        orr_print(out, "%.6g samples a second", 1 / orr_sipml_accuracy_s(point));
    }
}

/* Why no point of data parallelism fits. */
static const char *why_not_parallel(const struct sipml_result *result)
{
    static const char *const reasons[SIPML_OUTCOMES] = {
        [SIPML_FITS] = "was not tried before it was stopped",
        [SIPML_LARGE] = "does not fit the memory",
        [SIPML_SAMPLES] = "has fewer samples than groups",
        [SIPML_UNEVEN] = "has a batch that its groups do not divide",
        [SIPML_STOPPED] = "was not tried before it was stopped",
        [SIPML_REFUSED] = "was refused"};
    enum sipml_outcome outcome = SIPML_SAMPLES;
    for (uint32_t i = 0; i < result->found.points; i++) {
        const struct sipml_point *point = &result->found.point[i];
        if (point->group == 1 && outcome != SIPML_LARGE) {
            outcome = point->outcome;
        }
    }
    return reasons[outcome];
}

static void print_verdict(FILE *out, const struct sipml_result *result)
{
    const struct sipml_point *best = sipml_best(result), *baseline = sipml_baseline(result);
    char text[ORR_FORMAT_BYTES];
    orr_print(out,
              "%" PRIu32 "-way model x %" PRIu32 "-way data parallelism, batch %" PRIu64
              ": %s an iteration%s, ",
              best->group, best->copies, best->batch, time_text(iteration(best), text),
              result->simulated ? "" : " (estimated)");
    print_worth(out, result, best);
    if (baseline == NULL) {
        orr_print(out, "; data parallelism alone %s\n", why_not_parallel(result));
    } else if (baseline == best) {
        orr_print(out, "; that is data parallelism\n");
    } else {
        const double faster = orr_sipml_accuracy_s(baseline) / orr_sipml_accuracy_s(best);
        orr_print(out, "; %.3f x as fast as data parallelism%s\n", faster,
                  faster < 1 ? ", which plan.sip_ml.model_parallel leaves out (k = 1)" : "");
    }
}

/* That estimates are too far off to decide. */
static void print_error(FILE *out, const struct sipml_result *result)
{
    const double percent = 100 * result->estimate_error;
    if (result->estimate_error <= SIPML_TRUSTED) {
        return;
    }
    orr_print(out, "\n  %-16s estimates are up to %.0f %% off here and do not decide: ", "",
              percent);
    if (result->added == 0) {
        orr_print(out, "all points that could be faster were simulated");
    } else {
        orr_print(out, "%" PRIu32 " more point%s that could be faster %s simulated", result->added,
                  orr_plural(result->added), result->added == 1 ? "was" : "were");
    }
}

static void print_head(FILE *out, const struct sipml_result *result)
{
    const struct plan_job *job = &result->job;
    const struct sipml_point *best = sipml_best(result), *baseline = sipml_baseline(result);
    char text[ORR_FORMAT_BYTES];
    orr_print(out, "\nplan               %s on %" PRIu32 " devices, ", job->model.name,
              job->servers);
    if (sipml_asked(job)->rules.degree != 0) {
        orr_print(out, "each with %" PRIu32 " peers each way\n", sipml_asked(job)->rules.degree);
    } else {
        orr_print(out, "each with any number of peers\n");
    }
    orr_print(out, "  %-16s %s estimated", "iteration",
              time_text(best->estimate.iteration_ps, text));
    if (best->simulated_ps != 0) {
        orr_print(out, ", %s simulated (estimated %+.2f %%)", time_text(best->simulated_ps, text),
                  100 * ((double)best->estimate.iteration_ps / (double)best->simulated_ps - 1));
    }
    print_error(out, result);
    if (baseline != NULL && baseline != best) {
        orr_print(out, "\n  %-16s %s at a batch of %" PRIu64 ", ", "data parallelism",
                  time_text(iteration(baseline), text), baseline->batch);
        print_worth(out, result, baseline);
    }
    orr_print(out, "\n");
}

/* ---- the strategy ---- */

/* By which rule devices were chosen, beside the other placements that were tried. */
static void print_order(FILE *out, const struct sipml_point *best)
{
    char text[ORR_FORMAT_BYTES];
    unsigned tried = 0;
    sim_time longest = 0;
    for (unsigned o = 0; o < SIPML_ORDERS; o++) {
        const sim_time time = best->simulated_ps != 0 ? best->tried[o].simulated_ps
                                                      : best->tried[o].estimate.iteration_ps;
        tried += best->tried[o].fits && !best->tried[o].repeated;
        longest = best->tried[o].fits && time > longest ? time : longest;
    }
    if (tried > 1) {
        orr_print(out, "  %-16s %s: the fastest of %u placements, the slowest takes %s\n",
                  "devices", orr_sipml_order_name(best->order), tried, time_text(longest, text));
    }
}

static void print_placement(FILE *out, const struct sipml_point *best)
{
    orr_print(out,
              "  %-16s %" PRIu32 " of a group, %" PRIu64 " dependencies; %" PRIu32 " of %" PRIu32
              " devices used%s\n",
              "parts", best->parts, best->edges, best->devices_used, best->group,
              best->compact && !best->fell_back ? ", which takes less time than more of them" : "");
    print_order(out, best);
    orr_print(out, "  %-16s ", "repairs");
    if (best->repairs == 0) {
        orr_print(out, "none: every part had a device that the degree allows\n");
    } else {
        orr_print(out,
                  "%" PRIu32 " part%s without a device that the degree allows, %" PRIu32
                  " round%s%s\n",
                  best->repairs, orr_plural(best->repairs), best->rounds, orr_plural(best->rounds),
                  best->fell_back ? "; given up: placed on as many devices as it reaches" : "");
    }
}

/* Peers are counted from traffic, not from the placement. */
static void print_peers(FILE *out, const struct sipml_peers *peers)
{
    char along[ORR_FORMAT_BYTES], exchanged[ORR_FORMAT_BYTES], around[ORR_FORMAT_BYTES];
    orr_print(out,
              "  %-16s a device sends to %" PRIu32 " others at most (%" PRIu32
              "), hears from %" PRIu32 " (%" PRIu32 "); %" PRIu32 " of them %s of the ring\n",
              "peers", peers->max_out, peers->out_device, peers->max_in, peers->in_device,
              peers->of_ring.out, peers->of_ring.out == 1 ? "is" : "are");
    orr_print(out,
              "  %-16s of a group %s between operators, %s among copies, %s to the next group\n",
              "traffic", orr_format_bytes(peers->transfer_bytes, along, sizeof along),
              orr_format_bytes(peers->exchange_bytes, exchanged, sizeof exchanged),
              orr_format_bytes(peers->ring_bytes, around, sizeof around));
}

static void print_memory(FILE *out, const struct sipml_result *result)
{
    const struct sipml_point *best = sipml_best(result);
    char bytes[ORR_FORMAT_BYTES], max[ORR_FORMAT_BYTES];
    orr_print(out, "  %-16s %s on the fullest device", "memory",
              orr_format_bytes(best->memory_bytes, bytes, sizeof bytes));
    if (result->job.memory_bytes != 0) {
        orr_print(out, ", of %s\n", orr_format_bytes(result->job.memory_bytes, max, sizeof max));
    } else {
        orr_print(out, "; it is not checked\n");
    }
}

/* ---- points ---- */

static void print_point(FILE *out, const struct sipml_result *result, uint32_t index)
{
    const struct sipml_point *point = &result->found.point[index];
    char text[ORR_FORMAT_BYTES], worth[ORR_FORMAT_BYTES] = "-";
    orr_print(out, "  %4" PRIu32 " %5" PRIu32 " %8" PRIu64, point->group, point->copies,
              point->batch);
    if (point->outcome == SIPML_LARGE) {
        orr_print(out, "  misses %s of memory\n",
                  orr_format_bytes(point->missing_bytes, text, sizeof text));
        return;
    }
    if (point->outcome != SIPML_FITS) {
        orr_print(out, "  %s%s%s\n", orr_sipml_outcome_name(point->outcome),
                  point->why != NULL ? ": " : "", point->why != NULL ? point->why : "");
        return;
    }
    orr_print(out, " %8" PRIu32 "  %-14s", point->parts,
              time_text(point->estimate.iteration_ps, text));
    orr_print(out, " %-14s", point->simulated_ps != 0 ? time_text(point->simulated_ps, text) : "-");
    if (sipml_steps_known(&result->searched.steps)) {
        orr_print(out, " %10.6g %s", point->steps,
                  duration_text(orr_sipml_accuracy_s(point), worth));
    } else {
        orr_print(out, " %.6g", 1 / orr_sipml_accuracy_s(point));
    }
    orr_print(out, (int32_t)index == result->best ? "  <- the plan\n" : "\n");
}

static void print_points(FILE *out, const struct sipml_result *result)
{
    const bool steps = sipml_steps_known(&result->searched.steps);
    orr_print(out, "\n  %4s %5s %8s %8s  %-14s %-14s %s\n", "k", "l", "batch", "parts", "estimated",
              "simulated", steps ? "     steps to accuracy" : "samples a second");
    for (uint32_t i = 0; i < result->found.points && i < MAX_ROWS; i++) {
        print_point(out, result, i);
    }
    if (result->found.points > MAX_ROWS) {
        orr_print(out, "  ... and %" PRIu32 " more: points.csv\n", result->found.points - MAX_ROWS);
    }
    if (result->stopped) {
        orr_print(out, "stopped: this is the best so far%s\n",
                  result->simulated ? "" : ", and was not simulated");
    }
}

int orr_sipml_text(FILE *out, const struct sipml_result *result)
{
    print_verdict(out, result);
    print_head(out, result);
    orr_print(out, "\nstrategy           of one group; all are alike\n");
    print_placement(out, sipml_best(result));
    print_peers(out, &result->peers);
    print_memory(out, result);
    orr_sipml_print_circuits(out, result);
    print_points(out, result);
    return ferror(out) != 0 ? 1 : 0;
}
