/* The search over (k, l, batch): see sipml_search.h. */
#include "planner/sipml/sipml_search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "orrery/study.h"

const char *orr_sipml_outcome_name(enum sipml_outcome outcome)
{
    static const char *const names[] = {"fits",
                                        "larger than memory",
                                        "fewer samples than groups",
                                        "samples do not divide",
                                        "stopped",
                                        "refused"};
    return (unsigned)outcome < SIPML_OUTCOMES ? names[outcome] : "";
}

static double seconds(sim_time time_ps, double steps)
{
    return time_ps != ORR_TIME_MAX ? (double)time_ps * 1e-12 * steps : INFINITY;
}

double orr_sipml_estimated_s(const struct sipml_point *point)
{
    return point->outcome == SIPML_FITS ? seconds(point->estimate.iteration_ps, point->steps)
                                        : INFINITY;
}

double orr_sipml_accuracy_s(const struct sipml_point *point)
{
    return point->simulated_ps != 0 ? seconds(point->simulated_ps, point->steps)
                                    : orr_sipml_estimated_s(point);
}

/* ---- a point ---- */

enum orr_status orr_sipml_place_point(struct orr_arena *arena,
                                      const struct sipml_search_input *searched,
                                      const struct sipml_point *point, struct model_graph *model,
                                      struct sipml_placement *out, struct orr_diag *diag)
{
    struct sipml_problem problem = searched->problem;
    *model = *searched->problem.model;
    model->batch = point->batch;
    model->batch_per_device = 0;
    problem.model = model;
    problem.copies = point->copies;
    return orr_sipml_place(arena, &problem, out, diag);
}

static bool measure_memory(struct orr_arena *arena, const struct model_graph *model,
                           const struct strategy *strategy, struct sipml_point *point)
{
    const uint32_t group = orr_strategy_group(strategy);
    uint64_t *bytes = orr_arena_array(arena, group, sizeof *bytes);
    if (bytes == NULL || !orr_strategy_memory(model, strategy, bytes, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < group; i++) {
        point->memory_bytes = bytes[i] > point->memory_bytes ? bytes[i] : point->memory_bytes;
    }
    return true;
}

/* Estimates on circuits that are set for the traffic of the strategy. */
static enum orr_status estimate_on_circuits(struct orr_arena *arena,
                                            const struct sipml_search_input *searched,
                                            struct sipml_estimate_input of,
                                            struct sipml_point *point, struct orr_diag *diag)
{
    struct sipml_network network = *of.network;
    struct sipml_traffic traffic;
    enum orr_status status =
        orr_sipml_traffic(arena, of.model, of.strategy, network.bidirectional, &traffic, diag);
    of.network = &network;
    network.circuits = true;
    const double alone[] = {1};
    const bool weighed = sipml_has_weight(point);
    const double *weight = weighed ? searched->weight : alone;
    const uint32_t weights = weighed ? searched->weights : 1;
    for (uint32_t i = 0; i < weights && status == ORR_OK; i++) {
        struct sipml_circuits circuits;
        struct sipml_estimate estimate;
        status = orr_sipml_circuits(arena, searched->network.graph, &traffic, weight[i], &circuits,
                                    diag);
        network.graph = &circuits.graph;
        status = status == ORR_OK ? orr_sipml_estimate(&of, &estimate, diag) : status;
        if (status == ORR_OK && (i == 0 || estimate.iteration_ps < point->estimate.iteration_ps)) {
            point->estimate = estimate;
            point->weight = weight[i];
        }
    }
    return status;
}

static enum orr_status evaluate_point_in(struct orr_arena *arena,
                                         const struct sipml_search_input *searched,
                                         struct sipml_point *point, struct orr_diag *diag)
{
    struct model_graph model;
    struct sipml_placement placed;
    enum orr_status status = orr_sipml_place_point(arena, searched, point, &model, &placed, diag);
    if (status != ORR_OK) {
        return status;
    }
    point->parts = placed.parts;
    point->edges = placed.edges;
    point->repairs = placed.repairs;
    point->rounds = placed.rounds;
    point->devices_used = placed.devices_used;
    point->fell_back = placed.fell_back;
    point->compact = placed.compact;
    point->split_bytes = placed.split_bytes;
    point->missing_bytes = placed.missing_bytes;
    if (!measure_memory(arena, &model, &placed.strategy, point)) {
        return orr_diag_no_memory(diag, "the memory of a strategy");
    }
    if (placed.missing_bytes != 0) {
        point->outcome = SIPML_LARGE;
        return ORR_OK;
    }
    const struct sipml_estimate_input of = {&model, &placed.strategy, searched->problem.speed,
                                            &searched->network};
    return orr_net_awaits_demands(searched->network.graph)
               ? estimate_on_circuits(arena, searched, of, point, diag)
               : orr_sipml_estimate(&of, &point->estimate, diag);
}

/* ---- all of them ---- */

struct work {
    struct orr_arena *arena;
    const struct sipml_search_input *searched;
    struct sipml_search_result *found;
    struct orr_diag *diag; /* [points] */
    enum orr_status *status;
};

static void evaluate_point(void *context, unsigned index)
{
    const struct work *work = context;
    struct sipml_point *point = &work->found->point[index];
    const volatile sig_atomic_t *stop = work->searched->stop;
    struct orr_diag *diag = &work->diag[index];
    orr_diag_init(diag);
    if (point->outcome != SIPML_FITS) {
        return;
    }
    if (stop != NULL && *stop != 0) {
        point->outcome = SIPML_STOPPED;
        return;
    }
    struct orr_arena *arena = orr_arena_create();
    work->status[index] = arena != NULL ? evaluate_point_in(arena, work->searched, point, diag)
                                        : orr_diag_no_memory(diag, "a point of the search");
    orr_arena_destroy(arena);
}

static void add_points(const struct sipml_search_input *searched, struct sipml_search_result *found,
                       uint32_t group, bool compared)
{
    for (uint32_t b = 0; b < searched->batches; b++) {
        const uint64_t batch = searched->batch[b];
        const uint32_t copies = searched->problem.devices / group;
        const enum sipml_outcome outcome = batch < copies        ? SIPML_SAMPLES
                                           : batch % copies != 0 ? SIPML_UNEVEN
                                                                 : SIPML_FITS;
        found->point[found->points++] =
            (struct sipml_point){.group = group,
                                 .copies = copies,
                                 .batch = batch,
                                 .compared = compared,
                                 .outcome = outcome,
                                 .steps = orr_sipml_steps(&searched->steps, batch)};
    }
}

/* Sorts by estimate; ties: fewer devices a group, then the smaller batch. Insertion sort: points
 * are few. */
static void sort(struct sipml_search_result *found)
{
    for (uint32_t i = 0; i < found->points; i++) {
        const double estimate_s = orr_sipml_estimated_s(&found->point[i]);
        uint32_t at = i;
        for (; at > 0 && orr_sipml_estimated_s(&found->point[found->order[at - 1]]) > estimate_s;
             at--) {
            found->order[at] = found->order[at - 1];
        }
        found->order[at] = i;
    }
}

/* Forwards the error of a point. */
static enum orr_status forward_error(const struct work *work, uint32_t index, struct orr_diag *diag)
{
    const struct orr_diag *point_diag = &work->diag[index];
    const struct orr_location place = point_diag->place;
    return orr_diag_fail(diag, work->status[index], place.kind != ORR_LOCATION_NONE ? &place : NULL,
                         "%s", point_diag->message);
}

/* Fails if no point can be the result: with the error of a point, or the nearest point that does
 * not fit. */
static enum orr_status check_any(const struct work *work, struct orr_diag *diag)
{
    const struct sipml_search_input *searched = work->searched;
    const struct sipml_search_result *found = work->found;
    const struct sipml_point *nearest = NULL;
    uint32_t refused = found->points;
    for (uint32_t i = 0; i < found->points; i++) {
        const struct sipml_point *point = &found->point[i];
        if (point->compared) {
            continue;
        }
        if (point->outcome == SIPML_FITS || point->outcome == SIPML_STOPPED) {
            return ORR_OK;
        }
        if (point->outcome == SIPML_LARGE &&
            (nearest == NULL || point->missing_bytes < nearest->missing_bytes)) {
            nearest = point;
        }
        refused = point->outcome == SIPML_REFUSED && refused == found->points ? i : refused;
    }
    if (refused != found->points) {
        return forward_error(work, refused, diag);
    }
    if (nearest != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "no (k, l, batch) fits the memory of a device, %" PRIu64
                             " B: the nearest is %" PRIu32 "-way model x %" PRIu32
                             "-way data parallelism at a batch of %" PRIu64
                             ", whose fullest device needs %" PRIu64 " B, %" PRIu64
                             " more; expected more memory, another plan.sip_ml.model_parallel, "
                             "smaller batches or fewer plan.optimizer_bytes",
                             searched->problem.memory_bytes, nearest->group, nearest->copies,
                             nearest->batch, nearest->memory_bytes, nearest->missing_bytes);
    }
    const uint32_t group = searched->group[searched->groups - 1];
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "no batch gives each group as many samples, at least one: %" PRIu32
                         " devices are at least %" PRIu32
                         " groups, and the largest batch is %" PRIu64
                         "; expected batches that the groups divide, such as %" PRIu32
                         ", or larger plan.sip_ml.model_parallel",
                         searched->problem.devices, searched->problem.devices / group,
                         searched->batch[searched->batches - 1], searched->problem.devices / group);
}

static enum orr_status search(struct work *work, struct orr_diag *diag)
{
    struct sipml_search_result *found = work->found;
    orrery_parallel(work->searched->threads, found->points, evaluate_point, work);
    for (uint32_t i = 0; i < found->points; i++) {
        if (work->status[i] == ORR_ERR_INPUT) {
            found->point[i].outcome = SIPML_REFUSED;
            found->point[i].why = orr_arena_strdup(work->arena, work->diag[i].message);
        } else if (work->status[i] != ORR_OK) {
            return forward_error(work, i, diag);
        }
    }
    sort(found);
    return check_any(work, diag);
}

enum orr_status orr_sipml_search(struct orr_arena *arena, const struct sipml_search_input *searched,
                                 struct sipml_search_result *out, struct orr_diag *diag)
{
    const size_t max = ((size_t)searched->groups + 1) * searched->batches;
    struct work work = {.arena = arena,
                        .searched = searched,
                        .found = out,
                        .diag = orr_heap_calloc(max, sizeof *work.diag),
                        .status = orr_heap_calloc(max, sizeof *work.status)};
    *out = (struct sipml_search_result){.point = orr_arena_array(arena, max, sizeof *out->point),
                                        .order = orr_arena_array(arena, max, sizeof *out->order)};
    enum orr_status status = ORR_OK;
    if (work.diag == NULL || work.status == NULL || out->point == NULL || out->order == NULL) {
        status = orr_diag_no_memory(diag, "the points of a search");
    } else {
        if (searched->group[0] != 1) {
            add_points(searched, out, 1, true);
        }
        for (uint32_t i = 0; i < searched->groups; i++) {
            add_points(searched, out, searched->group[i], false);
        }
        status = search(&work, diag);
    }
    orr_heap_free(work.diag);
    orr_heap_free(work.status);
    return status;
}
