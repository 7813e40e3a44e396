/* Goodput of what a caller gives: checks, the model, simulations; see goodput_study.h. */
#include "study/goodput/goodput_study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"

enum {
    GPUS_PER_NODE = 8,
    RUNS = 100,
    MAX_RUNS = 100000,
    MAX_NODES = 1 << 24,
    DAY_S = 86400,
    HOUR_S = 3600
};

/* Events beyond these take minutes. */
#define MAX_EVENTS 2e8
#define USUAL_EVENTS 1e7

/* ---- checks ---- */

static enum orr_status check_times(const struct orrery_goodput *given, struct orr_diag *diag)
{
    const struct {
        const char *name;
        double value, least;
    } times[] = {{"mtbf-gpu", given->mtbf_gpu_s, 0},
                 {"mtbf-node", given->mtbf_node_s, 0},
                 {"mtbf-link", given->mtbf_link_s, 0},
                 {"mtbf-job", given->mtbf_job_s, 0},
                 {"checkpoint", given->checkpoint_s, 0},
                 {"stall", given->stall_s, 0},
                 {"restart", given->restart_s, 0},
                 {"interval", given->interval_s, 0},
                 {"repair-time", given->repair_s, 0},
                 {"straggler-mtbf", given->straggler_mtbf_s, 0},
                 {"straggler-time", given->straggler_s, 0},
                 {"straggler-factor", given->straggler_factor, 1},
                 {"step", given->step_s, 0},
                 {"step-tokens", given->step_tokens, 0},
                 {"tokens-per-s", given->tokens_per_s, 0},
                 {"tokens", given->tokens, 0},
                 {"price", given->dollars_per_gpu_hour, 0},
                 {"days", given->seconds, 0}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (!(times[i].value >= times[i].least) || !isfinite(times[i].value)) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: expected at least %g, got %g",
                                 times[i].name, times[i].least, times[i].value);
        }
    }
    return ORR_OK;
}

static enum orr_status check_checkpoint(const struct orrery_goodput *given, struct orr_diag *diag)
{
    if (!(given->checkpoint_s > 0)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "checkpoint: expected the time that a checkpoint takes, above 0");
    }
    if (given->asynchronous && given->stall_s > given->checkpoint_s) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "stall: expected at most the checkpoint's %g s, got %g s",
                             given->checkpoint_s, given->stall_s);
    }
    if (given->interval_s > 0 && given->interval_s < given->checkpoint_s) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "interval: expected at least the checkpoint's %g s, got %g s",
                             given->checkpoint_s, given->interval_s);
    }
    return ORR_OK;
}

static enum orr_status check_pairs(const struct orrery_goodput *given, struct orr_diag *diag)
{
    const char *wrong = NULL;
    if ((given->step_s > 0) != (given->step_tokens > 0)) {
        wrong = "step and step-tokens go together";
    } else if (given->step_s > 0 && given->tokens_per_s > 0) {
        wrong = "expected step and step-tokens, or tokens-per-s, got both";
    } else if (given->tokens > 0 && !(given->step_s > 0) && !(given->tokens_per_s > 0)) {
        wrong = "tokens: expected step and step-tokens, or tokens-per-s with it";
    } else if ((given->straggler_mtbf_s > 0) != (given->straggler_s > 0) ||
               (given->straggler_mtbf_s > 0) != (given->straggler_factor > 1)) {
        wrong = "straggler-mtbf, straggler-time and straggler-factor go together";
    } else if (given->spares > 0 && !(given->repair_s > 0)) {
        wrong = "spares go with repair-time";
    } else if (!(given->mtbf_gpu_s > 0) && !(given->mtbf_node_s > 0) && !(given->mtbf_link_s > 0) &&
               !(given->mtbf_job_s > 0)) {
        wrong = "expected a mean time between failures: mtbf-gpu, mtbf-node, mtbf-link or mtbf-job";
    }
    return wrong == NULL ? ORR_OK : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s", wrong);
}

static enum orr_status check(const struct orrery_goodput *given, struct orr_diag *diag)
{
    if (given->gpus == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "gpus: expected at least 1, got 0");
    }
    if (given->runs > MAX_RUNS || given->spares > MAX_NODES ||
        given->gpus / given->gpus_per_node >= MAX_NODES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected up to %d nodes, as many spares, and up to %d runs",
                             MAX_NODES, MAX_RUNS);
    }
    return check_times(given, diag) == ORR_OK && check_checkpoint(given, diag) == ORR_OK
               ? check_pairs(given, diag)
               : diag->status;
}

/* ---- the model ---- */

static void fill_defaults(struct orrery_goodput *given)
{
    given->gpus_per_node = given->gpus_per_node != 0 ? given->gpus_per_node : GPUS_PER_NODE;
    given->links = given->links != 0 ? given->links : given->gpus;
    given->stall_s = given->asynchronous ? given->stall_s : given->checkpoint_s;
    given->straggler_factor = given->straggler_factor != 0 ? given->straggler_factor : 1;
    given->seconds = given->seconds != 0 ? given->seconds : 30.0 * DAY_S;
    given->seed = given->seed != 0 ? given->seed : 1;
}

static double rate(uint32_t count, double mtbf_s)
{
    return mtbf_s > 0 ? count / mtbf_s : 0;
}

/* A checkpoint has been written before the next one begins: no interval is shorter. */
static double interval_of(const struct orr_goodput_study *study)
{
    const struct orrery_goodput *given = &study->given;
    const double best_s = given->daly ? study->daly_s : study->young_s;
    return given->interval_s > 0 ? given->interval_s : fmax(best_s, given->checkpoint_s);
}

static void make_model(struct orr_goodput_study *study)
{
    const struct orrery_goodput *given = &study->given;
    struct orr_goodput_model *model = &study->model;
    model->nodes = given->gpus / given->gpus_per_node + (given->gpus % given->gpus_per_node != 0);
    model->spares = given->spares;
    model->broken_per_s =
        rate(given->gpus, given->mtbf_gpu_s) + rate(model->nodes, given->mtbf_node_s);
    model->other_per_s = rate(given->links, given->mtbf_link_s) + rate(1, given->mtbf_job_s);
    model->stall_s = given->stall_s;
    model->write_s = given->checkpoint_s;
    model->restart_s = given->restart_s;
    model->repair_s = given->repair_s;
    model->slow_per_s = rate(model->nodes, given->straggler_mtbf_s);
    model->slow_s = given->straggler_s;
    model->slow_factor = given->straggler_factor;
    study->mtbf_s = 1 / (model->broken_per_s + model->other_per_s);
    study->young_s = orr_goodput_young_s(model->stall_s, study->mtbf_s);
    study->daly_s = orr_goodput_daly_s(model->stall_s, study->mtbf_s);
    model->work_s = interval_of(study);
}

/* ---- simulations ---- */

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static void add(struct orr_goodput_shares *sum, const struct orr_goodput_shares *shares,
                uint32_t runs)
{
    for (unsigned i = 0; i < ORR_GOODPUT_PARTS; i++) {
        sum->part[i] += shares->part[i] / runs;
    }
    sum->speed += shares->speed / runs;
    sum->failures += shares->failures / runs;
}

static enum orr_status simulate(struct orr_goodput_study *study, double *ettr,
                                struct orr_diag *diag)
{
    for (uint32_t i = 0; i < study->runs; i++) {
        struct orr_goodput_shares shares;
        if (orr_goodput_simulate(&study->model, study->given.seconds, study->given.seed, i, &shares,
                                 diag) != ORR_OK) {
            return diag->status;
        }
        ettr[i] = shares.part[ORR_GOODPUT_USEFUL];
        add(&study->simulated, &shares, study->runs);
    }
    qsort(ettr, study->runs, sizeof *ettr, compare);
    study->low = ettr[study->runs / 20];
    study->high = ettr[study->runs - 1 - study->runs / 20];
    return ORR_OK;
}

/* As many runs as were asked for; of the default fewer where they would take long. */
static enum orr_status choose_runs(struct orr_goodput_study *study, struct orr_diag *diag)
{
    const struct orrery_goodput *given = &study->given;
    const struct orr_goodput_model *model = &study->model;
    const double events =
        given->seconds * (2 * (model->broken_per_s + model->other_per_s) + 2 * model->slow_per_s);
    const double usual = fmin(RUNS, fmax(1, floor(USUAL_EVENTS / (events + 1))));
    study->runs = given->runs != 0 ? given->runs : (uint32_t)usual;
    return events * study->runs <= MAX_EVENTS
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "a failure every %.3g s, and slow spells, are %.3g events in %.3g "
                               "days and %" PRIu32
                               " runs, more than the %g that are simulated: expected fewer days, "
                               "fewer runs or longer times between failures",
                               study->mtbf_s, events * study->runs, given->seconds / DAY_S,
                               study->runs, MAX_EVENTS);
}

static enum orr_status run_simulations(struct orr_goodput_study *study, struct orr_diag *diag)
{
    if (choose_runs(study, diag) != ORR_OK) {
        return diag->status;
    }
    double *ettr = orr_heap_calloc(study->runs, sizeof *ettr);
    if (ettr == NULL) {
        return orr_diag_no_memory(diag, "simulations of failures");
    }
    (void)simulate(study, ettr, diag);
    orr_heap_free(ettr);
    return diag->status;
}

/* ---- tokens and money ---- */

static void count_tokens(struct orr_goodput_study *study)
{
    const struct orrery_goodput *given = &study->given;
    const double gpus =
        given->gpus + (double)given->spares * given->gpus_per_node; /* spares are paid for, too */
    study->tokens_per_s =
        given->step_s > 0 ? given->step_tokens / given->step_s : given->tokens_per_s;
    study->effective_tokens_per_s =
        study->tokens_per_s * study->closed.part[ORR_GOODPUT_USEFUL] * study->closed.speed;
    study->training_s = given->tokens > 0 && study->effective_tokens_per_s > 0
                            ? given->tokens / study->effective_tokens_per_s
                            : 0;
    study->dollars = given->dollars_per_gpu_hour * gpus / HOUR_S *
                     (study->training_s > 0 ? study->training_s : given->seconds);
}

enum orr_status orr_goodput_study_run(struct orr_goodput_study *study, struct orr_diag *diag)
{
    fill_defaults(&study->given);
    if (check(&study->given, diag) != ORR_OK) {
        return diag->status;
    }
    make_model(study);
    study->closed = orr_goodput_closed_form(&study->model);
    study->first_order = orr_goodput_first_order(&study->model);
    count_tokens(study);
    return run_simulations(study, diag);
}

/* ---- rows ---- */

void orr_goodput_part_row(const struct orr_goodput_study *study, size_t index,
                          struct orr_goodput_part_row *row)
{
    static const char *const names[ORR_GOODPUT_PARTS] = {[ORR_GOODPUT_USEFUL] = "useful",
                                                         [ORR_GOODPUT_CHECKPOINT] = "checkpoints",
                                                         [ORR_GOODPUT_REWORK] = "done again",
                                                         [ORR_GOODPUT_RESTART] = "restarts",
                                                         [ORR_GOODPUT_WAITING] =
                                                             "waiting for nodes"};
    *row =
        (struct orr_goodput_part_row){.part = names[index],
                                      .share = study->closed.part[index],
                                      .simulated = study->simulated.part[index],
                                      .span_s = study->closed.part[index] * study->given.seconds};
}

void orr_goodput_interval_row(const struct orr_goodput_study *study, size_t index,
                              struct orr_goodput_interval_row *row)
{
    struct orr_goodput_model model = study->model;
    model.work_s = fmax(ldexp(model.work_s, (int)index - ORR_GOODPUT_INTERVALS / 2),
                        study->given.checkpoint_s);
    *row = (struct orr_goodput_interval_row){
        .interval_s = model.work_s,
        .ettr = orr_goodput_closed_form(&model).part[ORR_GOODPUT_USEFUL],
        .first_order = orr_goodput_first_order(&model)};
}
