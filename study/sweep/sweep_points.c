/* Points of a sweep: the product of its factors, the last one fastest, without those that a
 * constraint excludes; see sweep.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "orrery/study.h"
#include "study/estimate/job_estimate.h"
#include "study/sweep/sweep_configuration.h"
#include "study/sweep/sweep_reading.h"

const struct orr_sweep_value *orr_sweep_value_at(const struct orr_sweep *sweep, size_t axis,
                                                 uint32_t candidate)
{
    const struct orr_sweep_axis *of = &sweep->axis[axis];
    if (axis >= sweep->axes) {
        return &of->value[0];
    }
    size_t rest = candidate;
    for (unsigned f = sweep->factors - 1; f > of->factor; f--) {
        rest /= sweep->factor_count[f];
    }
    return &of->value[rest % sweep->factor_count[of->factor]];
}

void orr_sweep_inputs(const struct orr_sweep *sweep, uint32_t candidate, const char **set,
                      struct orrery_inputs *inputs)
{
    *inputs = (struct orrery_inputs){.platform = sweep->platform,
                                     .workload = sweep->workload,
                                     .library = sweep->library,
                                     .set = set};
    for (size_t i = 0; i < sweep->axes + sweep->sets; i++) {
        const size_t axis = sweep->order[i];
        const struct orr_sweep_value *value = orr_sweep_value_at(sweep, axis, candidate);
        if (value->assignment != NULL) {
            set[inputs->set_count++] = value->assignment;
        } else if (strcmp(sweep->axis[axis].path, "platform") == 0) {
            inputs->platform = value->file;
        } else {
            inputs->workload = value->file;
        }
    }
}

/* ---- the product ---- */

/* What constraints need, and what they leave out. */
struct filter {
    struct orr_sweep *sweep;
    struct orr_sweep_reader *reader;  /* NULL: no constraint needs the configuration */
    uint32_t unpriced;                /* candidates that are left out without a price */
    char why[ORR_DIAG_MESSAGE_BYTES]; /* the first of them */
};

static void count_unpriced(struct filter *filter, const struct orr_sweep_price *price)
{
    if (filter->unpriced++ == 0) {
        (void)snprintf(filter->why, sizeof filter->why, "%s", price->no_dollars);
    }
}

/* Whether no constraint excludes the candidate. A constraint that needs a missing price excludes
 * it. */
static enum orr_status check(struct filter *filter, uint32_t candidate, bool *keep,
                             struct orr_diag *diag)
{
    const struct orr_sweep *sweep = filter->sweep;
    bool lacks_price = false;
    struct orr_sweep_scope scope = {
        .sweep = sweep, .candidate = candidate, .npus = -1, .lacks_price = &lacks_price};
    *keep = true;
    if (filter->reader != NULL && !orr_sweep_reader_fill(filter->reader, &scope)) {
        return ORR_OK;
    }
    for (size_t i = 0; i < sweep->wheres && *keep; i++) {
        double value = 0;
        const bool known = orr_sweep_eval(&sweep->where[i], &scope, &value, NULL) == ORR_OK;
        if (lacks_price && filter->reader != NULL) {
            count_unpriced(filter, scope.price);
            *keep = false;
            return ORR_OK;
        }
        const enum orr_status status =
            known ? ORR_OK : orr_sweep_eval(&sweep->where[i], &scope, &value, diag);
        if (status != ORR_OK) {
            return status;
        }
        *keep = value != 0;
    }
    return ORR_OK;
}

static enum orr_status keep_points(struct filter *filter, uint32_t all, struct orr_diag *diag)
{
    struct orr_sweep *sweep = filter->sweep;
    uint32_t *point = orr_arena_array(sweep->arena, all, sizeof *point);
    if (point == NULL) {
        return orr_diag_no_memory(diag, "the points of a sweep");
    }
    for (uint32_t candidate = 0; candidate < all; candidate++) {
        bool keep;
        const enum orr_status status = check(filter, candidate, &keep, diag);
        if (status != ORR_OK) {
            return status;
        }
        if (keep) {
            point[sweep->points++] = candidate;
        }
    }
    sweep->point = point;
    const struct orr_location location = orr_location_file(sweep->file);
    if (filter->unpriced != 0) {
        orr_diag_warn(diag, &location, "sweep.where: %u of %u points are left out: %s",
                      (unsigned)filter->unpriced, (unsigned)all, filter->why);
    }
    return sweep->points != 0 ? ORR_OK
                              : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                              "sweep.where: the constraints leave none of the %u "
                                              "points of the product",
                                              (unsigned)all);
}

/* ---- those with the least estimates ---- */

struct estimate {
    double seconds; /* < 0: it cannot be told, and the point runs */
    uint32_t candidate;
};

struct estimates {
    const struct orr_sweep *sweep;
    struct estimate *of; /* [points] */
};

static void estimate_point(void *context, unsigned index)
{
    struct estimates *estimates = context;
    const struct orr_sweep *sweep = estimates->sweep;
    struct estimate *estimate = &estimates->of[index];
    struct orrery_inputs inputs;
    const char *why;
    const char **set = orr_heap_calloc(sweep->axes + sweep->sets + 1, sizeof *set);
    struct orrery *job = orrery_new();
    *estimate = (struct estimate){.seconds = -1, .candidate = sweep->point[index]};
    if (set != NULL && job != NULL) {
        orr_sweep_inputs(sweep, estimate->candidate, set, &inputs);
        if (orrery_load(job, &inputs) != ORRERY_OK ||
            !orr_job_estimate(job, &estimate->seconds, &why)) {
            estimate->seconds = -1;
        }
    }
    orrery_free(job);
    orr_heap_free((void *)set);
}

static int by_time(const void *a, const void *b)
{
    const struct estimate *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds ? -1 : 1)
                                    : (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

static int by_candidate(const void *a, const void *b)
{
    const struct estimate *x = a, *y = b;
    return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* Keeps the points with the least estimates, and those that cannot be estimated or loaded. */
static enum orr_status choose_points(struct orr_sweep *sweep, struct orr_diag *diag)
{
    struct estimates estimates = {.sweep = sweep,
                                  .of = orr_heap_calloc(sweep->points, sizeof *estimates.of)};
    uint32_t *point = orr_arena_array(sweep->arena, sweep->points, sizeof *point);
    uint32_t untold = 0;
    if (estimates.of == NULL || point == NULL) {
        orr_heap_free(estimates.of);
        return orr_diag_no_memory(diag, "estimates of a sweep");
    }
    orrery_parallel(0, sweep->points, estimate_point, &estimates);
    qsort(estimates.of, sweep->points, sizeof *estimates.of, by_time);
    while (untold < sweep->points && estimates.of[untold].seconds < 0) {
        untold++;
    }
    const uint32_t told = sweep->points - untold;
    const uint32_t kept = untold + (told < sweep->simulate ? told : sweep->simulate);
    sweep->estimated = sweep->points - kept;
    qsort(estimates.of, kept, sizeof *estimates.of, by_candidate);
    for (uint32_t i = 0; i < kept; i++) {
        point[i] = estimates.of[i].candidate;
    }
    sweep->point = point;
    sweep->points = kept;
    orr_heap_free(estimates.of);
    return ORR_OK;
}

/* ---- all ---- */

static enum orr_status count_product(const struct orr_sweep *sweep, uint32_t *all,
                                     struct orr_diag *diag)
{
    double product = 1;
    for (unsigned f = 0; f < sweep->factors; f++) {
        product *= (double)sweep->factor_count[f];
    }
    *all = product <= ORR_SWEEP_MAX_POINTS ? (uint32_t)product : 0;
    const struct orr_location location = orr_location_file(sweep->file);
    return *all != 0 ? ORR_OK
                     : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                     "sweep.axes: the product of the axes has %.0f points, more "
                                     "than %d; zip axes, or leave values out",
                                     product, ORR_SWEEP_MAX_POINTS);
}

enum orr_status orr_sweep_make_points(struct orr_sweep *sweep, struct orr_diag *diag)
{
    uint32_t all = 0;
    bool needed = false;
    enum orr_status status = count_product(sweep, &all, diag);
    if (status != ORR_OK) {
        return status;
    }
    for (size_t i = 0; i < sweep->wheres; i++) {
        needed = needed || orr_sweep_needs_config(&sweep->where[i], sweep);
    }
    struct filter filter = {.sweep = sweep};
    bool prices = false;
    for (size_t i = 0; i < sweep->wheres; i++) {
        prices = prices || orr_sweep_needs_price(&sweep->where[i]);
    }
    if (needed) {
        filter.reader = orr_sweep_reader_create(sweep, prices);
        if (filter.reader == NULL) {
            return orr_diag_no_memory(diag, "a sweep");
        }
    }
    status = keep_points(&filter, all, diag);
    orr_sweep_reader_destroy(filter.reader);
    return status == ORR_OK && sweep->simulate > 0 ? choose_points(sweep, diag) : status;
}
