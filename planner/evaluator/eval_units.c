/* See eval_units.h. A cohort is a set of devices that become ready, or are done, in the same
 * instant. */
#include "planner/evaluator/eval_units.h"

#define ALL_DEVICES ((struct eval_cohort){.count = EVAL_ALL_DEVICES})
#define DUE_READY UINT32_MAX /* value of `due` for a device that is ready */

static uint32_t *due_of(const struct evaluator *evaluator, uint32_t unit)
{
    return evaluator->due + (size_t)unit * evaluator->setup.devices;
}

/* ---- cohorts ---- */

static struct eval_cohort new_cohort(const struct evaluator *evaluator)
{
    return (struct eval_cohort){.first = (uint32_t)evaluator->set.count};
}

static void add_to_cohort(struct evaluator *evaluator, struct eval_cohort *cohort, uint32_t device)
{
    uint32_t *set = orr_eval_reserve(&evaluator->set, evaluator->set.count + 1, sizeof *set);
    if (set == NULL) {
        eval_fail(evaluator);
        return;
    }
    set[evaluator->set.count++] = device;
    cohort->count++;
}

static void post(struct evaluator *evaluator, double time, enum eval_event_kind kind,
                 uint32_t index, struct eval_cohort cohort)
{
    orr_eval_post(evaluator, &(struct eval_event){
                                 .time = time, .kind = kind, .index = index, .cohort = cohort});
}

/* Starts the cohort at once if no earlier event is pending. */
static void make_ready(struct evaluator *evaluator, uint32_t unit, struct eval_cohort cohort)
{
    if (eval_next_time(evaluator) > evaluator->now) {
        orr_eval_unit_ready(evaluator, unit, cohort);
    } else {
        post(evaluator, evaluator->now, EVAL_READY, unit, cohort);
    }
}

/* ALL_DEVICES if the cohort has all devices of the unit. */
static struct eval_cohort all_or_some(const struct evaluator *evaluator, uint32_t unit,
                                      struct eval_cohort cohort)
{
    return cohort.count == evaluator->op[unit / 2].device.count ? ALL_DEVICES : cohort;
}

static void post_ready(struct evaluator *evaluator, uint32_t unit, struct eval_cohort ready)
{
    if (ready.count != 0) {
        make_ready(evaluator, unit, all_or_some(evaluator, unit, ready));
    }
}

/* ---- what a unit waits for ---- */

/* The input items of a unit: in the forward pass its inputs, in the backward pass those of the
 * users of its output. */
struct eval_item_range {
    const uint32_t *edge;
    uint32_t edges, pass;
};

static struct eval_item_range inputs_of(const struct evaluator *evaluator, uint32_t unit)
{
    const uint32_t op = unit / 2, pass = unit % 2;
    const uint32_t *first = pass == 0 ? evaluator->first_in : evaluator->first_out;
    const uint32_t *edge = pass == 0 ? evaluator->in : evaluator->out;
    return (struct eval_item_range){
        .edge = edge + first[op], .edges = first[op + 1] - first[op], .pass = pass};
}

/* The items that a unit sends. */
static struct eval_item_range outputs_of(const struct evaluator *evaluator, uint32_t unit)
{
    struct eval_item_range outputs = inputs_of(evaluator, unit ^ 1);
    outputs.pass = unit % 2;
    return outputs;
}

/* Whether an operator has parts on all devices: device numbers are then indices. */
static bool is_everywhere(const struct evaluator *evaluator, const struct eval_op *op)
{
    return op->device.count == evaluator->setup.devices;
}

static void add_item(const struct evaluator *evaluator, uint32_t unit, uint32_t item, uint32_t *due)
{
    const struct eval_item *of = eval_item_at(evaluator, item);
    const struct eval_op *op = &evaluator->op[unit / 2];
    const uint32_t *device = op->device.items, devices = evaluator->setup.devices;
    const uint32_t *restrict more = of->due.items;
    if (!of->aligned && is_everywhere(evaluator, op)) {
        for (uint32_t d = 0; d < devices; d++) {
            due[d] += more[d];
        }
        return;
    }
    for (size_t i = 0; i < op->device.count; i++) {
        due[device[i]] += of->aligned ? 1 : more[device[i]];
    }
}

/* Makes the devices ready that have no input left to wait for. */
static void post_ready_devices(struct evaluator *evaluator, uint32_t unit)
{
    const struct eval_op *op = &evaluator->op[unit / 2];
    const uint32_t *device = op->device.items;
    uint32_t *due = due_of(evaluator, unit);
    struct eval_cohort ready = new_cohort(evaluator);
    for (size_t i = 0; i < op->device.count; i++) {
        if (due[device[i]] == 0) {
            due[device[i]] = DUE_READY;
            add_to_cohort(evaluator, &ready, device[i]);
        }
    }
    post_ready(evaluator, unit, ready);
}

/* From now on each device of the unit counts the inputs that have not arrived. */
static void split(struct evaluator *evaluator, uint32_t unit)
{
    const struct eval_op *op = &evaluator->op[unit / 2];
    const uint32_t *device = op->device.items;
    const struct eval_item_range inputs = inputs_of(evaluator, unit);
    const bool passes = unit % 2 == 1 && !evaluator->passed[unit]; /* its own forward pass */
    uint32_t *due = due_of(evaluator, unit);
    evaluator->unit[unit].split = true;
    for (size_t i = 0; i < op->device.count; i++) {
        due[device[i]] = passes;
    }
    for (uint32_t i = 0; i < inputs.edges; i++) {
        const uint32_t item = 2 * inputs.edge[i] + inputs.pass;
        if (!evaluator->arrived[item]) {
            add_item(evaluator, unit, item, due);
        }
    }
    post_ready_devices(evaluator, unit);
}

static void deliver_one(struct evaluator *evaluator, uint32_t *due, uint32_t device,
                        struct eval_cohort *ready)
{
    if (--due[device] == 0) {
        due[device] = DUE_READY;
        add_to_cohort(evaluator, ready, device);
    }
}

/* Delivers an input to all devices of the unit. */
static void deliver_whole(struct evaluator *evaluator, uint32_t unit)
{
    const struct eval_op *op = &evaluator->op[unit / 2];
    const uint32_t *device = op->device.items;
    if (!evaluator->unit[unit].split) {
        if (--evaluator->unit[unit].due == 0) {
            make_ready(evaluator, unit, ALL_DEVICES);
        }
        return;
    }
    struct eval_cohort ready = new_cohort(evaluator);
    for (size_t i = 0; i < op->device.count; i++) {
        deliver_one(evaluator, due_of(evaluator, unit), device[i], &ready);
    }
    post_ready(evaluator, unit, ready);
}

/* Delivers an input to some devices of the unit. */
static void deliver_some(struct evaluator *evaluator, uint32_t unit, struct eval_cohort cohort)
{
    if (!evaluator->unit[unit].split) {
        split(evaluator, unit);
    }
    struct eval_cohort ready = new_cohort(evaluator);
    for (uint32_t i = 0; i < cohort.count && !evaluator->failed; i++) {
        const uint32_t device = ((const uint32_t *)evaluator->set.items)[cohort.first + i];
        deliver_one(evaluator, due_of(evaluator, unit), device, &ready);
    }
    post_ready(evaluator, unit, ready);
}

void orr_eval_deliver(struct evaluator *evaluator, uint32_t unit, uint32_t device)
{
    if (!evaluator->unit[unit].split) {
        split(evaluator, unit);
    }
    struct eval_cohort ready = new_cohort(evaluator);
    deliver_one(evaluator, due_of(evaluator, unit), device, &ready);
    post_ready(evaluator, unit, ready);
}

/* Delivers an edge to the devices of a cohort that have both of its ends. */
static void deliver_local(struct evaluator *evaluator, uint32_t item, struct eval_cohort cohort)
{
    const struct eval_array *local = &evaluator->sending[item / 2].local;
    const uint32_t *device = local->items;
    struct eval_cohort both = new_cohort(evaluator);
    if (local->count == 0) {
        return;
    }
    orr_eval_mark(evaluator, cohort, 1);
    for (size_t i = 0; i < local->count; i++) {
        if (evaluator->mark[device[i]] != 0) {
            add_to_cohort(evaluator, &both, device[i]);
        }
    }
    orr_eval_mark(evaluator, cohort, 0);
    if (both.count != 0 && !evaluator->failed) {
        deliver_some(evaluator, eval_target(evaluator, item), both);
    }
}

/* ---- arrivals of pools ---- */

static void arrive_whole(struct evaluator *evaluator, uint32_t item, uint32_t unit)
{
    const struct eval_op *op = &evaluator->op[unit / 2];
    const struct eval_array *local = &evaluator->sending[item / 2].local;
    const uint32_t *restrict come = eval_item_at(evaluator, item)->due.items;
    uint32_t *restrict due = due_of(evaluator, unit);
    const uint32_t *both = local->items, *device = op->device.items;
    /* local inputs were delivered before */
    for (size_t i = 0; i < local->count; i++) {
        due[both[i]]++;
    }
    for (uint32_t d = 0; d < evaluator->setup.devices && is_everywhere(evaluator, op); d++) {
        due[d] -= come[d];
    }
    for (size_t i = 0; i < op->device.count && !is_everywhere(evaluator, op); i++) {
        due[device[i]] -= come[device[i]];
    }
}

static void arrive_some(struct evaluator *evaluator, const struct eval_pooled *pooled,
                        uint32_t unit)
{
    size_t count;
    const struct eval_transfer *transfer = eval_transfers(evaluator, pooled->item, &count);
    uint32_t *due = due_of(evaluator, unit);
    const bool back = pooled->item % 2 == 1;
    orr_eval_mark(evaluator, pooled->from, 1);
    for (size_t i = 0; i < count; i++) {
        if (evaluator->mark[back ? transfer[i].to : transfer[i].from] != 0) {
            due[back ? transfer[i].from : transfer[i].to]--;
        }
    }
    orr_eval_mark(evaluator, pooled->from, 0);
}

void orr_eval_pool_arrives(struct evaluator *evaluator, struct eval_pool *pool)
{
    const struct eval_pooled *pooled = pool->pooled.items;
    for (size_t i = 0; i < pool->pooled.count && !evaluator->failed; i++) {
        const uint32_t unit = eval_target(evaluator, pooled[i].item);
        if (!evaluator->unit[unit].split) {
            split(evaluator, unit);
        }
        if (pooled[i].from.count == EVAL_ALL_DEVICES) {
            arrive_whole(evaluator, pooled[i].item, unit);
        } else {
            arrive_some(evaluator, &pooled[i], unit);
        }
        if (i + 1 == pool->pooled.count || unit != eval_target(evaluator, pooled[i + 1].item)) {
            post_ready_devices(evaluator, unit);
        }
    }
    pool->taken = false;
}

/* ---- beginning ---- */

/* Whether the gradients of an operator are complete after this unit. */
static bool gives_gradients(const struct evaluator *evaluator, uint32_t unit)
{
    return evaluator->setup.forward_only || unit % 2 == 1;
}

static void begin_unit(struct evaluator *evaluator, uint32_t unit)
{
    const struct eval_item_range inputs = inputs_of(evaluator, unit);
    const uint32_t op = unit / 2;
    evaluator->unit[unit] = (struct eval_unit){.due = unit % 2, .parts = evaluator->op[op].parts};
    for (uint32_t i = 0; i < inputs.edges; i++) {
        const struct eval_sending *sending = &evaluator->sending[inputs.edge[i]];
        evaluator->unit[unit].due += sending->local.count + sending->transfer.count != 0;
    }
    evaluator->left += evaluator->op[op].parts;
    evaluator->users[evaluator->owner[op]] +=
        gives_gradients(evaluator, unit) && evaluator->op[op].parts != 0;
    if (evaluator->unit[unit].due == 0 && evaluator->unit[unit].parts != 0) {
        post(evaluator, 0, EVAL_READY, unit, ALL_DEVICES);
    }
}

void orr_eval_units_begin(struct evaluator *evaluator)
{
    const uint32_t step = evaluator->setup.forward_only ? 2 : 1;
    memset(evaluator->arrived, 0, 2 * (size_t)evaluator->setup.edges * sizeof(bool));
    memset(evaluator->passed, 0, 2 * (size_t)evaluator->setup.ops * sizeof(bool));
    evaluator->even = true;
    evaluator->level = 0;
    evaluator->left = 0;
    memset(evaluator->users, 0, evaluator->setup.ops * sizeof *evaluator->users);
    for (uint32_t unit = 0; unit < 2 * evaluator->setup.ops && !evaluator->failed; unit += step) {
        begin_unit(evaluator, unit);
    }
}

/* ---- computing ---- */

/* Splits a cohort by the end times of its devices. */
static void post_ends(struct evaluator *evaluator, uint32_t unit, const uint32_t *device,
                      uint32_t count)
{
    double *ends = evaluator->ends;
    for (uint32_t i = 0; i < count && !evaluator->failed; i++) {
        const double end = ends[i];
        struct eval_cohort cohort = new_cohort(evaluator);
        for (uint32_t j = i; j < count && !isnan(end); j++) {
            if (ends[j] == end) {
                add_to_cohort(evaluator, &cohort, device[j]);
                ends[j] = NAN;
            }
        }
        if (cohort.count != 0) {
            post(evaluator, end, EVAL_DONE, unit, cohort);
        }
    }
}

/* Computes the end of each device. Returns whether all are equal. */
static bool compute_each(struct evaluator *evaluator, uint32_t unit, const uint32_t *device,
                         uint32_t count)
{
    const struct eval_op *op = &evaluator->op[unit / 2];
    const double now = evaluator->now, seconds = op->seconds[unit % 2];
    const uint32_t *times = op->times.items;
    double *ends = evaluator->ends;
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t d = device[i];
        const double free = evaluator->free[d];
        const double parts = op->single ? 1 : times[d];
        ends[i] = (free > now ? free : now) + seconds * parts;
        evaluator->free[d] = ends[i];
        same = same && ends[i] == ends[0];
        evaluator->computed = ends[i] > evaluator->computed ? ends[i] : evaluator->computed;
    }
    return same;
}

/* The same for all devices with one part each. While all devices become free at the same time, one
 * number is enough. */
static bool compute_all(struct evaluator *evaluator, uint32_t unit)
{
    const struct eval_op *op = &evaluator->op[unit / 2];
    double *ends = evaluator->ends;
    if (!evaluator->even) {
        evaluator->even = compute_each(evaluator, unit, op->device.items, evaluator->setup.devices);
        evaluator->level = ends[0];
        return evaluator->even;
    }
    ends[0] = eval_max(evaluator->level, evaluator->now) + op->seconds[unit % 2];
    evaluator->level = ends[0];
    evaluator->computed = eval_max(evaluator->computed, ends[0]);
    return true;
}

static bool compute_some(struct evaluator *evaluator, uint32_t unit, const uint32_t *device,
                         uint32_t count)
{
    for (uint32_t d = 0; d < evaluator->setup.devices && evaluator->even; d++) {
        evaluator->free[d] = evaluator->level;
    }
    evaluator->even = false;
    return compute_each(evaluator, unit, device, count);
}

void orr_eval_unit_ready(struct evaluator *evaluator, uint32_t unit, struct eval_cohort cohort)
{
    const struct eval_op *op = &evaluator->op[unit / 2];
    const bool whole = cohort.count == EVAL_ALL_DEVICES;
    const uint32_t *device = op->device.items;
    uint32_t count = (uint32_t)op->device.count;
    if (!whole) {
        /* a copy, because the set grows while cohorts are created */
        count = cohort.count;
        memcpy(evaluator->scratch, (const uint32_t *)evaluator->set.items + cohort.first,
               count * sizeof *device);
        device = evaluator->scratch;
    }
    const bool all = whole && op->single && is_everywhere(evaluator, op);
    if (all ? compute_all(evaluator, unit) : compute_some(evaluator, unit, device, count)) {
        post(evaluator, evaluator->ends[0], EVAL_DONE, unit, cohort);
    } else {
        post_ends(evaluator, unit, device, count);
    }
}

static uint32_t parts_of(const struct evaluator *evaluator, const struct eval_op *op,
                         struct eval_cohort cohort)
{
    const uint32_t *times = op->times.items, *set = evaluator->set.items;
    uint32_t parts = 0;
    if (cohort.count == EVAL_ALL_DEVICES) {
        return op->parts;
    }
    for (uint32_t i = 0; i < cohort.count; i++) {
        parts += times[set[cohort.first + i]];
    }
    return parts;
}

static void send(struct evaluator *evaluator, uint32_t item, struct eval_cohort cohort)
{
    const struct eval_item *of = eval_item_at(evaluator, item);
    const uint32_t unit = eval_target(evaluator, item);
    if (of->aligned && cohort.count == EVAL_ALL_DEVICES) {
        evaluator->arrived[item] = true;
        deliver_whole(evaluator, unit);
    } else if (of->aligned) {
        deliver_some(evaluator, unit, cohort);
    } else {
        deliver_local(evaluator, item, cohort);
        if (evaluator->sending[item / 2].transfer.count != 0) {
            post(evaluator, evaluator->now + of->start, EVAL_JOIN, item, cohort);
        }
    }
}

/* The gradients of an operator are complete; the last of the operators that share weights starts
 * the all-reduces. */
static void post_reduces(struct evaluator *evaluator, uint32_t op)
{
    const uint32_t index = evaluator->owner[op];
    if (--evaluator->users[index] != 0) {
        return;
    }
    const struct eval_array *reduce = &evaluator->op[index].reduce;
    const struct eval_gradient *gradient = reduce->items;
    for (size_t i = 0; i < reduce->count; i++) {
        if (!gradient[i].follows) {
            post(evaluator, evaluator->now + gradient[i].inner, EVAL_REDUCE, index,
                 (struct eval_cohort){.first = (uint32_t)i});
        }
    }
}

void orr_eval_unit_done(struct evaluator *evaluator, uint32_t unit, struct eval_cohort cohort)
{
    const struct eval_op *op = &evaluator->op[unit / 2];
    const uint32_t parts = parts_of(evaluator, op, cohort);
    const struct eval_item_range outputs = outputs_of(evaluator, unit);
    const bool back = unit % 2 == 1;
    evaluator->unit[unit].parts -= parts;
    evaluator->left -= parts;
    for (uint32_t i = 0; i < outputs.edges && !evaluator->failed; i++) {
        send(evaluator, 2 * outputs.edge[i] + outputs.pass, cohort);
    }
    if (!gives_gradients(evaluator, unit)) {
        /* nothing to reduce yet */
    } else if (evaluator->setup.reduce_at_end) {
        orr_eval_deferred_done(evaluator, unit / 2, cohort);
    } else if (evaluator->unit[unit].parts == 0) {
        post_reduces(evaluator, unit / 2);
    }
    if (evaluator->setup.forward_only) {
        return;
    }
    if (!back && cohort.count == EVAL_ALL_DEVICES) {
        evaluator->passed[unit + 1] = true;
        deliver_whole(evaluator, unit + 1);
    } else if (!back) {
        deliver_some(evaluator, unit + 1, cohort);
    }
}
