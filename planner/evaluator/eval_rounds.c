/* All-reduces in progress. An all-reduce alternates between the latency Z of a round and the
 * transmission of b bytes; it transmits for the fraction f = x / (Z + x) of its time, x = b N / C.
 * C is the capacity of its narrowest link and N the number of flows that share this link, itself
 * included:
 *
 *     N = max x (1 + sum over all f - mean f) + competing
 *
 * `max` counts the flows of its own ring on the most loaded link, `competing` those of transfers
 * and other rings; a flow on a link of twice the capacity counts half. This is the mean value
 * analysis of a closed queueing network of one processor-sharing server and a delay (an arriving
 * customer finds the others in their mean state; Reiser and Lavenberg 1980). A single all-reduce
 * takes Z + b / C a round; many share the link, which is never idle; in between the latencies
 * dominate. */
#include <float.h>

#include "planner/evaluator/eval_private.h"

enum { MAX_STEPS = 8, MAX_ITERATIONS = 4 };
#define CLOSE 1e-3
#define MAX_SPREAD 0.5

static void reset(struct eval_ring *ring)
{
    ring->first_class = EVAL_NONE;
    ring->active = 0;
    ring->transmitting = ring->competing = ring->bytes_per_s = 0;
    ring->shared = ring->max;
    ring->set->split = false;
}

void orr_eval_rounds_forget(struct evaluator *evaluator)
{
    for (uint32_t c = 0; c < evaluator->classes_used; c++) {
        reset(eval_class_at(evaluator, c)->ring);
    }
    evaluator->classes_used = evaluator->reducing = 0;
    evaluator->busy.count = 0;
}

void orr_eval_rounds_begin(struct evaluator *evaluator)
{
    evaluator->next_round_end = EVAL_NEVER;
}

/* ---- classes ---- */

/* Adds a class like `like` to the ring. */
static struct eval_class *new_class(struct evaluator *evaluator, struct eval_ring *ring,
                                    const struct eval_class *like)
{
    const struct eval_class saved = *like;
    const size_t used = evaluator->classes_used;
    struct eval_class *class = evaluator->classes.items;
    if (used == evaluator->classes.count) {
        class = orr_eval_reserve(&evaluator->classes, used + 1, sizeof *class);
        if (class == NULL) {
            eval_fail(evaluator);
            return NULL;
        }
        class[used] = (struct eval_class){.active = 0};
        evaluator->classes.count++;
    }
    class = &class[used];
    const struct eval_array ends = class->ends;
    *class = (struct eval_class){.ring = ring,
                                 .next = ring->first_class,
                                 .op = saved.op,
                                 .next_stage = saved.next_stage,
                                 .bytes = saved.bytes,
                                 .rounds = saved.rounds,
                                 .ends = ends};
    class->ends.count = 0;
    ring->first_class = evaluator->classes_used++;
    return class;
}

static struct eval_class *class_of(struct evaluator *evaluator, struct eval_ring *ring,
                                   const struct eval_class *like)
{
    uint32_t at = ring->first_class;
    while (at != EVAL_NONE) {
        struct eval_class *class = eval_class_at(evaluator, at);
        if (class->bytes == like->bytes && class->rounds == like->rounds &&
            class->next_stage == like->next_stage && class->op == like->op) {
            return class;
        }
        at = class->next;
    }
    return new_class(evaluator, ring, like);
}

static void add_end(struct evaluator *evaluator, struct eval_class *class, double end)
{
    double *ends = orr_eval_reserve(&class->ends, class->ends.count + 1, sizeof *ends);
    if (ends == NULL) {
        eval_fail(evaluator);
        return;
    }
    ends[class->ends.count++] = end;
    class->active++;
    evaluator->reducing++;
    if (class->ring->active++ == 0) {
        struct eval_ring **busy =
            orr_eval_reserve(&evaluator->busy, evaluator->busy.count + 1, sizeof *busy);
        if (busy == NULL) {
            eval_fail(evaluator);
            return;
        }
        busy[evaluator->busy.count++] = class->ring;
    }
}

void orr_eval_reduce(struct evaluator *evaluator, uint32_t op, uint32_t which)
{
    const struct eval_gradient *gradient =
        (const struct eval_gradient *)evaluator->op[op].reduce.items + which;
    struct eval_ring_set *set = gradient->set;
    const struct eval_class like = {.bytes = gradient->bytes,
                                    .rounds = gradient->rounds,
                                    .next_stage = gradient->next_stage,
                                    .op = gradient->next_stage != 0 ? op : 0};
    for (uint32_t r = 0; r < (set->split ? set->rings : 1); r++) {
        struct eval_class *class = class_of(evaluator, &set->ring[r], &like);
        if (class != NULL) {
            add_end(evaluator, class, class->clock + class->rounds);
        }
    }
    evaluator->changed = true;
}

/* Splits a set whose rings have different loads: each ring gets a copy of the first one's state. */
static void split(struct evaluator *evaluator, struct eval_ring_set *set)
{
    const struct eval_ring *first = set->ring;
    set->split = true;
    for (uint32_t r = 1; r < set->rings; r++) {
        struct eval_ring *ring = &set->ring[r];
        ring->transmitting = first->transmitting;
        ring->shared = first->shared;
        for (uint32_t at = first->first_class; at != EVAL_NONE;
             at = eval_class_at(evaluator, at)->next) {
            struct eval_class *copy = new_class(evaluator, ring, eval_class_at(evaluator, at));
            const struct eval_class *from = eval_class_at(evaluator, at);
            for (uint32_t i = 0; copy != NULL && i < from->active; i++) {
                add_end(evaluator, copy, ((const double *)from->ends.items)[from->done + i]);
            }
            if (copy != NULL) {
                copy->clock = from->clock;
            }
        }
    }
}

/* ---- rates ---- */

/* Sums over the all-reduces of a ring, and N times their derivatives by N. */
struct sums {
    double transmitting, square;
    double on_slope, square_slope;
};

static struct sums sum_ring(const struct evaluator *evaluator, const struct eval_ring *ring)
{
    const double n = ring->shared, delay_bytes = ring->latency * ring->capacity;
    struct sums sums = {.transmitting = 0};
    for (uint32_t at = ring->first_class; at != EVAL_NONE;) {
        const struct eval_class *class = eval_class_at(evaluator, at);
        at = class->next;
        const double x = class->bytes * n, part = x / (delay_bytes + x);
        const double transmitting = class->active * part, slope = transmitting * (1 - part);
        sums.transmitting += transmitting;
        sums.square += transmitting * part;
        sums.on_slope += slope;
        sums.square_slope += 2 * part * slope;
    }
    return sums;
}

/* The solution for a single class, with a = class->active, m = ring->max, o = ring->competing and W
 * = Z C: b N^2 - B N - W (m + o) = 0, where B = b (m a + o) - W. */
static void share_class(struct eval_ring *ring, const struct eval_class *class)
{
    const double bytes = class->bytes, delay_bytes = ring->latency * ring->capacity;
    const double half = (bytes * (ring->max * class->active + ring->competing) - delay_bytes) / 2;
    const double free = bytes * delay_bytes * (ring->max + ring->competing);
    const double root = sqrt(half * half + free);
    const double x = half > 0 ? half + root : free / (root - half); /* b N */
    ring->shared = eval_max(x / bytes, ring->max);
    ring->transmitting = class->active * x / (delay_bytes + x);
}

/* Solves for N of a ring with `competing` flows of others, by Newton's method. */
static void share_ring(struct evaluator *evaluator, struct eval_ring *ring)
{
    const struct eval_class *class = eval_class_at(evaluator, ring->first_class);
    if (class->next == EVAL_NONE && class->bytes > 0) {
        share_class(ring, class);
        return;
    }
    for (int step = 0; step < MAX_STEPS; step++) {
        const struct sums sums = sum_ring(evaluator, ring);
        const double before = ring->shared, inverse = 1 / (sums.transmitting * before);
        const double mean = sums.square * before * inverse;
        const double shared = ring->max * (1 + sums.transmitting - mean) + ring->competing;
        const double slope =
            ring->max * inverse *
            (sums.on_slope * sums.transmitting - (sums.square_slope - mean * sums.on_slope));
        ring->transmitting = sums.transmitting;
        ring->shared = before + (shared - before) / eval_max(1 - slope, 0.05);
        ring->shared = eval_max(ring->shared, ring->max);
        if (fabs(ring->shared - before) < CLOSE * before) {
            break;
        }
    }
}

static void rate_classes(struct evaluator *evaluator, struct eval_ring *ring)
{
    const double times = ring->shared / ring->capacity;
    ring->bytes_per_s = 0;
    for (uint32_t at = ring->first_class; at != EVAL_NONE;) {
        struct eval_class *class = eval_class_at(evaluator, at);
        at = class->next;
        const double round_s = ring->latency + class->bytes * times;
        const double left = ((const double *)class->ends.items)[class->done] - class->clock;
        class->rate = 1 / round_s;
        ring->bytes_per_s += class->active * class->bytes * class->rate;
        evaluator->next_round_end =
            eval_min(evaluator->next_round_end, evaluator->now + left * round_s);
    }
}

static double max_competing(const double *link_flows, const struct eval_ring *ring, double own)
{
    double max = 0;
    for (uint32_t i = 0; i < ring->links; i++) {
        max = eval_max(max, ring->narrow[i] * (link_flows[ring->link[i]] - own * ring->load[i]));
    }
    return max;
}

/* Sets *max to the maximum over the represented rings of the competing flows. Returns false if
 * these differ by more than MAX_SPREAD. */
static bool is_uniform(const double *link_flows, const struct eval_ring_set *set, double *max)
{
    const struct eval_ring *first = set->ring;
    double min = *max = max_competing(link_flows, first, first->transmitting);
    for (uint32_t r = 1; r < set->rings; r++) {
        const double competing = max_competing(link_flows, first + r, first->transmitting);
        min = eval_min(min, competing);
        *max = eval_max(*max, competing);
    }
    return *max - min <= MAX_SPREAD * (1 + min);
}

/* Splits sets whose rings have different loads. Returns whether there were any. */
static bool split_nonuniform(struct evaluator *evaluator)
{
    const size_t busy = evaluator->busy.count;
    for (size_t i = 0; i < busy; i++) {
        struct eval_ring_set *set = eval_busy(evaluator)[i]->set;
        double max;
        if (evaluator->pools == 0 && !set->split && set->rings > 1 &&
            !is_uniform(evaluator->link_flows, set, &max)) {
            split(evaluator, set);
        }
    }
    return evaluator->busy.count != busy;
}

/* Solves for all rings that may share links: fixed-point iteration over the rings. */
static void share_competing(struct evaluator *evaluator)
{
    const bool several = evaluator->busy.count > 1;
    orr_eval_count_flows(evaluator);
    if (split_nonuniform(evaluator)) {
        orr_eval_count_flows(evaluator);
    }
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        double moved = 0;
        for (size_t i = 0; i < evaluator->busy.count; i++) {
            struct eval_ring *ring = eval_busy(evaluator)[i];
            const double before = ring->transmitting;
            if (eval_rings_represented(ring) == 1) {
                ring->competing = max_competing(evaluator->link_flows, ring, ring->transmitting);
            } else {
                (void)is_uniform(evaluator->link_flows, ring->set, &ring->competing);
            }
            share_ring(evaluator, ring);
            moved = eval_max(moved, fabs(ring->transmitting - before));
        }
        if (!several || moved < 1e-2) {
            break;
        }
        orr_eval_count_flows(evaluator);
    }
}

/* Maximum of the competing transfers over the represented rings. */
static double max_transfers(const struct evaluator *evaluator, const struct eval_ring *ring)
{
    double max = 0;
    for (uint32_t r = 0; r < eval_rings_represented(ring); r++) {
        max = eval_max(max, max_competing(evaluator->count, ring + r, 0));
    }
    return max;
}

/* ---- all rings ---- */

static void share_rings(struct evaluator *evaluator, bool one_set)
{
    if (one_set) {
        struct eval_ring *ring = *eval_busy(evaluator);
        ring->competing = evaluator->in_flight != 0 ? max_transfers(evaluator, ring) : 0;
        share_ring(evaluator, ring);
    } else {
        share_competing(evaluator);
    }
    for (size_t i = 0; i < evaluator->busy.count; i++) {
        rate_classes(evaluator, eval_busy(evaluator)[i]);
    }
}

void orr_eval_rounds_share(struct evaluator *evaluator)
{
    const size_t busy = evaluator->busy.count;
    /* rings whose loads may diverge are solved one by one */
    const bool one_set = busy == 1 && (evaluator->in_flight == 0 || evaluator->pools != 0 ||
                                       eval_rings_represented(*eval_busy(evaluator)) == 1);
    evaluator->next_round_end = EVAL_NEVER;
    if (busy != 0) {
        share_rings(evaluator, one_set);
    }
    if (evaluator->in_flight != 0) {
        orr_eval_residual_capacity(evaluator, one_set);
    }
}

/* ---- progress ---- */

void orr_eval_rounds_settle(struct evaluator *evaluator)
{
    const double elapsed = evaluator->now - evaluator->since;
    for (size_t i = 0; i < evaluator->busy.count; i++) {
        uint32_t at = eval_busy(evaluator)[i]->first_class;
        while (at != EVAL_NONE) {
            struct eval_class *class = eval_class_at(evaluator, at);
            class->clock += class->rate * elapsed;
            at = class->next;
        }
    }
}

/* Starts the next stage of an all-reduce; of concurrent rings only the first one does so. */
static void start_next_stage(struct evaluator *evaluator, const struct eval_class *class)
{
    const struct eval_gradient *gradient = evaluator->op[class->op].reduce.items;
    if (class->next_stage != 0 && class->ring->set->ring == class->ring) {
        orr_eval_post(evaluator, &(struct eval_event){.time = evaluator->now +
                                                              gradient[class->next_stage].inner,
                                                      .kind = EVAL_REDUCE,
                                                      .index = class->op,
                                                      .cohort = {.first = class->next_stage}});
    }
}

/* Ends the all-reduces that the clock has reached, or reaches within the resolution of `now`. */
static void end_reached(struct evaluator *evaluator, struct eval_class *class)
{
    const double *ends = class->ends.items;
    const double instant = class->rate * evaluator->now * DBL_EPSILON;
    const double reached = class->clock * (1 + 1e-12) + 1e-9 + instant;
    while (class->active != 0 && ends[class->done] <= reached) {
        class->done++;
        class->active--;
        evaluator->reducing--;
        class->ring->active--;
        evaluator->reduced = evaluator->now;
        start_next_stage(evaluator, class);
    }
}

void orr_eval_rounds_end(struct evaluator *evaluator)
{
    struct eval_ring **busy = eval_busy(evaluator);
    size_t kept = 0;
    evaluator->changed = true;
    for (size_t i = 0; i < evaluator->busy.count; i++) {
        struct eval_ring *ring = busy[i];
        for (uint32_t *at = &ring->first_class; *at != EVAL_NONE;) {
            struct eval_class *class = eval_class_at(evaluator, *at);
            end_reached(evaluator, class);
            if (class->active != 0) {
                at = &class->next;
            } else {
                *at = class->next;
            }
        }
        if (ring->active != 0) {
            busy[kept++] = busy[i];
        } else {
            ring->transmitting = ring->bytes_per_s = 0;
            ring->shared = ring->max;
        }
    }
    evaluator->busy.count = kept;
}
