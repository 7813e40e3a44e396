/* Points of a sweep: the product of its factors, the last one fastest, without those that a
 * constraint excludes; see sweep.h. */
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
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
    return status;
}
