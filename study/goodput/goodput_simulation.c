/* Goodput by a simulation of events: failures, repairs, restarts, slow spells, checkpoints; see
 * goodput_model.h. */
#include <math.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "study/goodput/goodput_model.h"

/* Work in seconds that it took, and in seconds of a job without slow nodes. */
struct work {
    double took_s, worth_s;
};

enum state { WAITING, RESTARTING, RUNNING };

struct simulation {
    const struct orr_goodput_model *model;
    struct orr_rng rng;
    double now_s;
    enum state state;
    double restarted_s; /* RESTARTING: when it ends */
    /* RUNNING */
    double at_s;             /* since the last checkpoint's end */
    struct work done, saved; /* saved: in checkpoints that can be read */
    struct work written;     /* in the one being written, */
    double readable_s;       /* which can be read from then on */
    /* next failures and slow spells */
    double broken_s, other_s, slow_s;
    double slow_until_s;
    /* nodes that are out, by the end of their repair: a ring, as all repairs take as long */
    double *repaired_s; /* [nodes + spares] */
    uint64_t first, out;
    /* sums */
    double ran_s, stalled_s, restarting_s, waiting_s;
    uint64_t failures;
};

static double draw_s(struct simulation *simulation, double rate)
{
    return rate > 0 ? simulation->now_s - log(1 - orr_rng_unit(&simulation->rng)) / rate : INFINITY;
}

/* ---- work and checkpoints ---- */

static void do_work(struct simulation *simulation, double seconds, double speed)
{
    simulation->done.took_s += seconds;
    simulation->done.worth_s += seconds * speed;
    simulation->ran_s += seconds;
}

static void settle(struct simulation *simulation, double now_s)
{
    if (simulation->readable_s <= now_s) {
        simulation->saved = simulation->written;
        simulation->readable_s = INFINITY;
    }
}

/* Goes on to the end of the work, or of the checkpoint, or by `seconds`. Returns what is left. */
static double step(struct simulation *simulation, double seconds, double speed)
{
    const struct orr_goodput_model *model = simulation->model;
    const double period_s = model->work_s + model->stall_s, at_s = simulation->at_s;
    const bool works = at_s < model->work_s;
    const double end_s = works ? model->work_s : period_s;
    const double taken_s = fmin(seconds, end_s - at_s);
    simulation->at_s = taken_s < seconds ? end_s : at_s + taken_s;
    simulation->now_s += taken_s;
    if (works) {
        do_work(simulation, taken_s, speed);
    } else {
        simulation->stalled_s += taken_s;
    }
    if (works && simulation->at_s >= end_s) { /* the checkpoint before has been written by now */
        settle(simulation, simulation->now_s);
        simulation->written = simulation->done;
        simulation->readable_s = simulation->now_s + model->write_s;
    } else if (simulation->at_s >= end_s) {
        simulation->at_s = 0;
    }
    return seconds - taken_s;
}

/* Whole periods at once, but for the last ones: what these save is all that matters later. */
static double skip_periods(struct simulation *simulation, double seconds, double speed)
{
    const struct orr_goodput_model *model = simulation->model;
    const double period_s = model->work_s + model->stall_s;
    const double periods = floor(seconds / period_s) - 2;
    if (periods < 2) {
        return seconds;
    }
    do_work(simulation, periods * model->work_s, speed);
    simulation->stalled_s += periods * model->stall_s;
    simulation->now_s += periods * period_s;
    return seconds - periods * period_s;
}

/* ---- events ---- */

static void advance(struct simulation *simulation, double until_s)
{
    const double seconds = until_s - simulation->now_s;
    if (simulation->state == RUNNING) {
        const bool slow = simulation->slow_until_s > simulation->now_s;
        const double speed = slow ? 1 / simulation->model->slow_factor : 1;
        double left_s = skip_periods(simulation, seconds, speed);
        while (left_s > 0) {
            left_s = step(simulation, left_s, speed);
        }
    } else if (simulation->state == RESTARTING) {
        simulation->restarting_s += seconds;
    } else {
        simulation->waiting_s += seconds;
    }
    simulation->now_s = until_s;
}

static bool has_nodes(const struct simulation *simulation)
{
    return simulation->out <= simulation->model->spares;
}

/* The job can restart, or waits for a node. */
static void begin(struct simulation *simulation)
{
    simulation->state = has_nodes(simulation) ? RESTARTING : WAITING;
    simulation->restarted_s = simulation->now_s + simulation->model->restart_s;
    simulation->at_s = 0;
}

static void fail(struct simulation *simulation)
{
    if (simulation->state == RUNNING) {
        settle(simulation, simulation->now_s);
        simulation->done = simulation->saved;
        simulation->readable_s = INFINITY;
    }
    simulation->failures += simulation->state != WAITING;
    begin(simulation);
}

/* A node of those that the job has left goes out: fewer nodes fail less often. */
static void break_node(struct simulation *simulation)
{
    const struct orr_goodput_model *model = simulation->model;
    const uint64_t all = (uint64_t)model->nodes + model->spares;
    const uint64_t working = all - simulation->out < model->nodes ? all - simulation->out //
                                                                  : model->nodes;
    simulation->broken_s = draw_s(simulation, model->broken_per_s);
    if (orr_rng_unit(&simulation->rng) * model->nodes >= (double)working) {
        return;
    }
    if (model->repair_s > 0) {
        const uint64_t at = (simulation->first + simulation->out++) % all;
        simulation->repaired_s[at] = simulation->now_s + model->repair_s;
    }
    fail(simulation);
}

static void repair_node(struct simulation *simulation)
{
    const uint64_t all = (uint64_t)simulation->model->nodes + simulation->model->spares;
    simulation->first = (simulation->first + 1) % all;
    simulation->out--;
    if (simulation->state == WAITING && has_nodes(simulation)) {
        begin(simulation);
    }
}

static double next_repair_s(const struct simulation *simulation)
{
    return simulation->out > 0 ? simulation->repaired_s[simulation->first] : INFINITY;
}

/* Advances to the next event, or to the end, and handles it. */
static void next(struct simulation *simulation, double end_s)
{
    const struct orr_goodput_model *model = simulation->model;
    const double repaired_s = next_repair_s(simulation);
    const double restarted_s = simulation->state == RESTARTING ? simulation->restarted_s : INFINITY;
    const double even_s =
        simulation->slow_until_s > simulation->now_s ? simulation->slow_until_s : INFINITY;
    const double failed_s = fmin(simulation->broken_s, simulation->other_s);
    const double at_s = fmin(fmin(fmin(failed_s, repaired_s), fmin(restarted_s, even_s)),
                             fmin(simulation->slow_s, end_s));
    advance(simulation, at_s);
    if (at_s == end_s || at_s == even_s) {
        return;
    }
    if (at_s == restarted_s) {
        simulation->state = RUNNING;
    } else if (at_s == repaired_s) {
        repair_node(simulation);
    } else if (at_s == simulation->broken_s) {
        break_node(simulation);
    } else if (at_s == simulation->other_s) {
        simulation->other_s = draw_s(simulation, model->other_per_s);
        fail(simulation);
    } else {
        simulation->slow_s = draw_s(simulation, model->slow_per_s);
        simulation->slow_until_s = simulation->now_s + model->slow_s;
    }
}

static struct orr_goodput_shares shares_of(const struct simulation *simulation)
{
    const double all_s = simulation->now_s, useful_s = simulation->done.took_s;
    return (struct orr_goodput_shares){
        .part = {[ORR_GOODPUT_USEFUL] = useful_s / all_s,
                 [ORR_GOODPUT_CHECKPOINT] = simulation->stalled_s / all_s,
                 [ORR_GOODPUT_REWORK] = fmax(0, simulation->ran_s - useful_s) / all_s,
                 [ORR_GOODPUT_RESTART] = simulation->restarting_s / all_s,
                 [ORR_GOODPUT_WAITING] = simulation->waiting_s / all_s},
        .speed = useful_s > 0 ? simulation->done.worth_s / useful_s : 1,
        .failures = (double)simulation->failures / all_s};
}

enum orr_status orr_goodput_simulate(const struct orr_goodput_model *model, double seconds,
                                     uint64_t seed, uint64_t run, struct orr_goodput_shares *shares,
                                     struct orr_diag *diag)
{
    struct simulation simulation = {.model = model, .state = RUNNING, .readable_s = INFINITY};
    const size_t nodes = (size_t)model->nodes + model->spares;
    simulation.repaired_s =
        orr_heap_calloc(model->repair_s > 0 ? nodes : 1, sizeof *simulation.repaired_s);
    if (simulation.repaired_s == NULL) {
        return orr_diag_no_memory(diag, "a simulation of failures");
    }
    orr_rng_init(&simulation.rng, seed, run);
    simulation.broken_s = draw_s(&simulation, model->broken_per_s);
    simulation.other_s = draw_s(&simulation, model->other_per_s);
    simulation.slow_s = draw_s(&simulation, model->slow_factor > 1 ? model->slow_per_s : 0);
    while (simulation.now_s < seconds) {
        next(&simulation, seconds);
    }
    *shares = shares_of(&simulation);
    orr_heap_free(simulation.repaired_s);
    return ORR_OK;
}
