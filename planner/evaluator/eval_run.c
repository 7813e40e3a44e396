/* A run: units (operators in a pass) become ready, compute, send and reduce in the order of time. A
 * unit is handled as one item while all its devices receive their inputs at the same time;
 * afterwards each of its devices counts its own inputs. */
#include "core/diag.h"
#include "planner/evaluator/eval_units.h"

void orr_eval_settle(struct evaluator *evaluator)
{
    if (evaluator->now > evaluator->since) {
        orr_eval_rounds_settle(evaluator);
        orr_eval_flows_settle(evaluator);
    }
    evaluator->since = evaluator->now;
}

static void begin(struct evaluator *evaluator)
{
    evaluator->failed = evaluator->changed = false;
    evaluator->now = evaluator->since = 0;
    evaluator->computed = evaluator->reduced = 0;
    evaluator->order = 0;
    evaluator->front.time = EVAL_NEVER;
    evaluator->heap.count = evaluator->set.count = 0;
    orr_eval_rounds_begin(evaluator);
    orr_eval_flows_begin(evaluator);
    for (uint32_t item = 0; item < 2 * evaluator->setup.edges; item++) {
        if (!eval_item_at(evaluator, item)->known) {
            orr_eval_compute_item(evaluator, item);
        }
    }
    orr_eval_units_begin(evaluator);
    if (evaluator->setup.reduce_at_end && !evaluator->failed) {
        orr_eval_deferred_begin(evaluator);
    }
}

static bool next_joins(const struct evaluator *evaluator)
{
    const struct eval_event *heap = evaluator->heap.items;
    return (evaluator->front.time != EVAL_NEVER ? &evaluator->front : heap)->kind == EVAL_JOIN;
}

/* Starts all transfers of this instant, beginning with `first`. */
static void join(struct evaluator *evaluator, const struct eval_event *first)
{
    struct eval_event event = *first;
    orr_eval_settle(evaluator);
    for (;;) {
        struct eval_pooled *joining =
            orr_eval_reserve(&evaluator->joining, evaluator->joining.count + 1, sizeof *joining);
        if (joining == NULL) {
            eval_fail(evaluator);
            return;
        }
        joining[evaluator->joining.count++] =
            (struct eval_pooled){.item = event.index, .from = event.cohort};
        if (eval_next_time(evaluator) > event.time || !next_joins(evaluator)) {
            break;
        }
        event = orr_eval_pop_event(evaluator);
    }
    orr_eval_join(evaluator);
}

static void handle(struct evaluator *evaluator, const struct eval_event *event)
{
    switch (event->kind) {
    case EVAL_READY:
        orr_eval_unit_ready(evaluator, event->index, event->cohort);
        break;
    case EVAL_DONE:
        orr_eval_unit_done(evaluator, event->index, event->cohort);
        break;
    case EVAL_JOIN:
        join(evaluator, event);
        break;
    case EVAL_ARRIVE:
        orr_eval_deliver(evaluator, eval_target(evaluator, event->index), event->cohort.first);
        break;
    case EVAL_POOL_ARRIVES:
        orr_eval_pool_arrives(evaluator, eval_pool_at(evaluator, event->index));
        break;
    default:
        orr_eval_settle(evaluator);
        orr_eval_reduce(evaluator, event->index, event->cohort.first);
    }
}

static void share(struct evaluator *evaluator)
{
    evaluator->changed = false;
    orr_eval_settle(evaluator);
    orr_eval_rounds_share(evaluator);
    orr_eval_flows_share(evaluator);
}

/* Advances transfers and all-reduces to the next end among them, at most to `until`. */
static void advance(struct evaluator *evaluator, double until)
{
    const double rounds = evaluator->next_round_end;
    double flows = until;
    if (evaluator->next_end <= rounds) {
        flows = orr_eval_flows_until(evaluator);
        flows = eval_min(eval_min(flows, until), rounds);
    }
    evaluator->now = eval_min(rounds, flows);
    orr_eval_settle(evaluator);
    if (evaluator->next_end <= evaluator->now) {
        orr_eval_flows_end(evaluator, evaluator->now);
    }
    if (rounds <= evaluator->now) {
        orr_eval_rounds_end(evaluator);
    }
}

/* Whether parts or all-reduces that are left end after the limit. */
static bool is_over(const struct evaluator *evaluator, double limit)
{
    return evaluator->now > limit &&
           (evaluator->left != 0 || evaluator->next_round_end != EVAL_NEVER);
}

static void run(struct evaluator *evaluator, double limit)
{
    while (!is_over(evaluator, limit)) {
        /* all events of an instant come before its shares */
        const double event = eval_next_time(evaluator);
        if (evaluator->changed && event > evaluator->now) {
            share(evaluator);
        }
        const double end = eval_min(evaluator->next_end, evaluator->next_round_end);
        if (evaluator->failed || (event == EVAL_NEVER && end == EVAL_NEVER)) {
            return;
        }
        if (event <= end || evaluator->changed) {
            const struct eval_event taken = orr_eval_pop_event(evaluator);
            evaluator->now = eval_max(evaluator->now, taken.time);
            handle(evaluator, &taken);
        } else {
            advance(evaluator, event);
        }
    }
}

enum orr_status orr_evaluate_within(struct evaluator *evaluator, sim_time limit_ps,
                                    sim_time *time_ps, struct orr_diag *diag)
{
    const double limit = ((double)limit_ps * (1 + 1e-9) + 1) * 1e-12;
    evaluator->failed = false;
    if (limit_ps < ORR_TIME_MAX && orr_eval_lower_bound(evaluator) > limit) {
        *time_ps = ORR_TIME_MAX;
        return ORR_OK;
    }
    begin(evaluator);
    run(evaluator, limit);
    orr_eval_rounds_forget(evaluator);
    if (evaluator->failed) {
        return orr_diag_no_memory(diag, "the evaluation of a strategy");
    }
    if (is_over(evaluator, limit)) {
        *time_ps = ORR_TIME_MAX;
        return ORR_OK;
    }
    if (evaluator->left != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "a strategy cannot be evaluated: %" PRIu32
                             " parts wait for inputs that never arrive",
                             evaluator->left);
    }
    const double seconds = eval_max(evaluator->computed, evaluator->reduced);
    *time_ps = seconds < 9e6 ? (sim_time)ceil(seconds * 1e12 - 1e-3) : ORR_TIME_MAX;
    *time_ps = *time_ps <= limit_ps ? *time_ps : ORR_TIME_MAX;
    return ORR_OK;
}

enum orr_status orr_evaluate(struct evaluator *evaluator, sim_time *time_ps, struct orr_diag *diag)
{
    return orr_evaluate_within(evaluator, ORR_TIME_MAX, time_ps, diag);
}
