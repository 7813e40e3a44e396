/* Estimates of all cases, and those that are simulated; see layout_study.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "orrery/orrery.h"
#include "study/layouts/layout_study.h"

enum { MEMORY }; /* the first limit */

struct search {
    struct orr_layout_study *study;
    struct orr_kept_best *best; /* [cases] */
    struct orr_kept_front front;
    struct orr_kept_map map;
    uint32_t number; /* of the case */
    uint64_t found;  /* layouts so far, of all cases */
    /* of all that are beyond limits the one that is least beyond, and how far */
    struct orr_kept_layout nearest;
    double nearest_excess;
    struct orr_estimated_layout least; /* of those too large, the one that needs the least memory */
    uint64_t least_capacity_bytes;
};

/* ---- a layout ---- */

static void note_excluded(struct orr_layout_limit *limit, const struct orr_kept_layout *layout,
                          bool only)
{
    limit->excluded++;
    if (only && (!limit->has || layout->rank < limit->kept.rank)) {
        limit->has = true;
        limit->kept = *layout;
    }
}

/* The number of limits of `where` that it is beyond, the last of them, and how far it is at most.
 */
static unsigned count_beyond(const struct orr_layout_study *study,
                             const struct orr_best_layout *row, bool *beyond, double *excess)
{
    unsigned count = 0;
    *excess = 0;
    for (unsigned i = 0; i < study->goals.wheres; i++) {
        double by;
        beyond[i] = !orr_layout_meets(&study->goals.where[i], row, &by);
        count += beyond[i] ? 1 : 0;
        by = by < 0 ? INFINITY : by; /* not told: further than any */
        *excess = beyond[i] && by > *excess ? by : *excess;
    }
    return count;
}

/* Whether a layout is within all limits; notes what excludes it. */
static bool is_within(struct search *search, const struct orr_kept_layout *layout,
                      const struct orr_best_layout *row)
{
    struct orr_layout_study *study = search->study;
    bool beyond[ORR_LAYOUT_MAX_WHERES];
    double excess;
    const unsigned count = count_beyond(study, row, beyond, &excess);
    for (unsigned i = 0; i < study->goals.wheres && layout->of.fits; i++) {
        if (beyond[i]) {
            note_excluded(&study->limit[MEMORY + 1 + i], layout, count == 1);
        }
    }
    if (!layout->of.fits) {
        note_excluded(&study->limit[MEMORY], layout, count == 0);
    } else if (count > 0 && excess < search->nearest_excess) {
        search->nearest_excess = excess;
        search->nearest = *layout;
    }
    return count == 0 && layout->of.fits;
}

static bool note_found(void *context, const struct orr_estimated_layout *found)
{
    struct search *search = context;
    const struct orr_layout_goals *goals = &search->study->goals;
    struct orr_kept_layout layout = {
        .of = *found, .number = search->number, .ordinal = search->found++};
    struct orr_best_layout row = {.layout = ""};
    orr_layout_row(search->study, &layout, found->estimate.step_s, false, &row);
    layout.rank = row.rank;
    if (!is_within(search, &layout, &row)) {
        return true;
    }
    orr_kept_best_add(&search->best[search->number], &layout);
    for (unsigned i = 0; i < goals->fronts; i++) {
        layout.axis[i] = orr_layout_goal_value(&goals->front[i], &row);
    }
    return orr_kept_map_add(&search->map, &layout) &&
           (goals->fronts == 0 || orr_kept_front_add(&search->front, &layout));
}

/* ---- a case ---- */

static void note_case(struct search *search, const struct orr_layout_estimates *found,
                      struct orr_layout_case *of)
{
    struct orr_layout_study *study = search->study;
    of->estimates = found->estimates;
    of->too_large = found->too_large;
    of->refused = found->refused;
    study->estimates += found->estimates;
    study->too_large += found->too_large;
    study->refused += found->refused;
    study->seconds += found->seconds;
    if (found->too_large > 0 && (search->least.memory_bytes == 0 ||
                                 found->least.memory_bytes < search->least.memory_bytes)) {
        search->least = found->least;
        search->least_capacity_bytes = of->capacity_bytes;
    }
}

static enum orr_status search_case(struct search *search, struct orr_diag *diag)
{
    struct orr_layout_study *study = search->study;
    struct orr_layout_case *of = &study->cases[search->number];
    const struct orr_layout_visitor visitor = {.found = note_found, .context = search};
    struct orr_layout_estimates found;
    struct orrery *job = orr_layout_case_load(of, diag);
    if (job == NULL) {
        return diag->status;
    }
    orr_layout_case_describe(job, study->given.memory_bytes, of);
    const enum orr_status status =
        orr_kept_best_init(&search->best[search->number], study->given.best)
            ? orr_estimate_layouts(job, of->capacity_bytes, &visitor, &found, diag)
            : orr_diag_no_memory(diag, "a search for layouts");
    orrery_free(job);
    if (status == ORR_OK) {
        note_case(search, &found, of);
    }
    return status;
}

/* ---- those that are simulated ---- */

static void take(struct orr_layout_study *study, const struct orr_kept_layout *layout)
{
    for (uint32_t i = 0; i < study->count; i++) {
        if (study->kept[i].ordinal == layout->ordinal) {
            return;
        }
    }
    study->kept[study->count++] = *layout;
}

/* The best of each case, the best of all, and as many of the front, evenly along its first axis. */
static enum orr_status choose(struct search *search, struct orr_diag *diag)
{
    struct orr_layout_study *study = search->study;
    const uint32_t max = study->given.best;
    const size_t ends = search->front.count < max ? search->front.count : max;
    struct orr_kept_best all;
    study->kept = orr_heap_calloc((size_t)max + study->case_count + ends, sizeof *study->kept);
    if (study->kept == NULL || !orr_kept_best_init(&all, max)) {
        return orr_diag_no_memory(diag, "a search for layouts");
    }
    for (uint32_t c = 0; c < study->case_count; c++) {
        for (uint32_t i = 0; i < search->best[c].count; i++) {
            orr_kept_best_add(&all, &search->best[c].of[i]);
        }
    }
    for (uint32_t i = 0; i < all.count; i++) {
        take(study, &all.of[i]);
    }
    for (uint32_t c = 0; c < study->case_count; c++) {
        if (search->best[c].count > 0) {
            take(study, &search->best[c].of[0]);
        }
    }
    for (size_t i = 0; i < ends; i++) {
        const size_t at = ends > 1 ? i * (search->front.count - 1) / (ends - 1) : 0;
        take(study, &search->front.of[at]);
    }
    orr_heap_free(all.of);
    return ORR_OK;
}

static int compare_fronts(const void *a, const void *b)
{
    const double x = ((const struct orr_kept_layout *)a)->axis[0];
    const double y = ((const struct orr_kept_layout *)b)->axis[0];
    return x < y ? -1 : x > y ? 1 : 0;
}

/* ---- none ---- */

static enum orr_status fail_limits(const struct search *search, struct orr_diag *diag)
{
    const struct orr_layout_study *study = search->study;
    const struct orr_kept_layout *nearest = &search->nearest;
    struct orr_best_layout row = {.layout = ""};
    char missed[1024] = "";
    orr_layout_row(study, nearest, nearest->of.estimate.step_s, true, &row);
    for (unsigned i = 0; i < study->goals.wheres; i++) {
        double excess;
        const size_t used = strlen(missed);
        if (!orr_layout_meets(&study->goals.where[i], &row, &excess)) {
            (void)snprintf(missed + used, sizeof missed - used, "%s\"%s\" by %.3g %%",
                           used > 0 ? ", " : "", study->goals.where[i].text, 100 * excess);
        }
    }
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, NULL,
        "no layout is within the limits; %s%s%s, of %.4g s a step, is the nearest, "
        "and misses %s",
        row.of != NULL ? row.of : "", row.of != NULL ? ": " : "", row.layout, row.time_s, missed);
}

static enum orr_status fail_none(const struct search *search, struct orr_diag *diag)
{
    char layout[ORR_LAYOUT_BYTES];
    if (!isinf(search->nearest_excess)) {
        return fail_limits(search, diag);
    }
    if (search->study->estimates > 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "no layout is within the limits");
    }
    if (search->least.memory_bytes == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "no layout of %u NPUs can be run: no degrees divide the NPUs, the "
                             "model and workload.training.batch",
                             search->study->cases[0].npus);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "no layout fits into %.2f GiB of memory; %s needs the least, %.2f GiB",
                         (double)search->least_capacity_bytes / (1 << 30),
                         orr_layout_text(&search->least, layout),
                         (double)search->least.memory_bytes / (1 << 30));
}

/* ---- all ---- */

/* What each limit costs: the best that only it excludes, beside the best. */
static void finish_limits(struct orr_layout_study *study)
{
    const double best = study->kept[0].rank;
    for (unsigned i = 0; i < study->limits; i++) {
        struct orr_layout_limit *limit = &study->limit[i];
        if (limit->has) {
            orr_layout_row(study, &limit->kept, limit->kept.of.estimate.step_s, true,
                           &limit->layout);
            limit->gain = (best - limit->kept.rank) / fabs(best);
        }
    }
}

static bool describe_map(struct orr_layout_study *study, const struct orr_kept_map *map)
{
    study->map = orr_arena_array(study->arena, map->count + 1, sizeof *study->map);
    study->cells = (uint32_t)map->count;
    for (size_t i = 0; study->map != NULL && i < map->count; i++) {
        orr_layout_row(study, &map->of[i], map->of[i].of.estimate.step_s, true, &study->map[i]);
    }
    return study->map != NULL;
}

static bool name_limits(struct orr_layout_study *study)
{
    study->limits = MEMORY + 1 + study->goals.wheres;
    study->limit = orr_arena_array(study->arena, study->limits, sizeof *study->limit);
    if (study->limit == NULL) {
        return false;
    }
    study->limit[MEMORY].text = "memory";
    for (unsigned i = 0; i < study->goals.wheres; i++) {
        study->limit[MEMORY + 1 + i].text = study->goals.where[i].text;
    }
    return true;
}

enum orr_status orr_layout_search(struct orr_layout_study *study, struct orr_diag *diag)
{
    struct search search = {
        .study = study, .front = {.axes = study->goals.fronts}, .nearest_excess = INFINITY};
    enum orr_status status = ORR_OK;
    search.best = orr_heap_calloc(study->case_count, sizeof *search.best);
    if (search.best == NULL || !name_limits(study)) {
        orr_heap_free(search.best);
        return orr_diag_no_memory(diag, "a search for layouts");
    }
    for (; search.number < study->case_count && status == ORR_OK; search.number++) {
        status = search_case(&search, diag);
    }
    if (status == ORR_OK) {
        if (search.front.count > 0) {
            qsort(search.front.of, search.front.count, sizeof *search.front.of, compare_fronts);
        }
        status = choose(&search, diag);
    }
    if (status == ORR_OK && study->count == 0) {
        status = fail_none(&search, diag);
    }
    if (status == ORR_OK) {
        finish_limits(study);
        status = describe_map(study, &search.map) ? ORR_OK : orr_diag_no_memory(diag, "a map");
    }
    for (uint32_t c = 0; c < study->case_count; c++) {
        orr_heap_free(search.best[c].of);
    }
    orr_heap_free(search.best);
    orr_heap_free(search.front.of);
    orr_heap_free(search.map.of);
    return status;
}
