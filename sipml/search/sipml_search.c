/* The search over (k, l, batch): see sipml_search.h. */
#include "sipml/search/sipml_search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "network/allocation.h"
#include "orrery/study.h"
#include "sipml/search/sipml_routes.h"
#include "sipml/search/sipml_traffic.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"

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

static struct sipml_problem problem_of(const struct sipml_search_input *searched,
                                       const struct sipml_point *point, struct model_graph *model)
{
    struct sipml_problem problem = searched->problem;
    *model = *searched->problem.model;
    model->batch = point->batch;
    model->batch_per_device = 0;
    problem.model = model;
    problem.copies = point->copies;
    problem.rules.order = point->order;
    return problem;
}

enum orr_status orr_sipml_place_point(struct orr_arena *arena,
                                      const struct sipml_search_input *searched,
                                      const struct sipml_point *point, struct model_graph *model,
                                      struct sipml_placement *out, struct orr_diag *diag)
{
    const struct sipml_problem problem = problem_of(searched, point, model);
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

/* All placements of a point. */
struct trial {
    struct orr_arena *arena;
    const struct sipml_search_input *searched;
    struct sipml_point *point;
    struct model_graph model;
    struct sipml_common *common;
    struct sipml_placement placed[SIPML_ORDERS];
};

/* Estimates on circuits that are set for the traffic of the strategy. */
static enum orr_status estimate_on_circuits(const struct trial *trial,
                                            struct sipml_estimate_input of, struct sipml_try *out,
                                            struct orr_diag *diag)
{
    const struct sipml_search_input *searched = trial->searched;
    struct sipml_network network = *of.network;
    struct sipml_traffic traffic;
    enum orr_status status = orr_sipml_traffic(trial->arena, of.model, of.strategy,
                                               network.bidirectional, &traffic, diag);
    of.network = &network;
    network.circuits = true;
    const double alone[] = {1};
    const bool weighed = sipml_has_weight(trial->point);
    const double *weight = weighed ? searched->weight : alone;
    const uint32_t weights = weighed ? searched->weights : 1;
    for (uint32_t i = 0; i < weights && status == ORR_OK; i++) {
        struct sipml_circuits circuits;
        struct sipml_estimate estimate;
        status = orr_sipml_circuits(trial->arena, searched->network.graph, &traffic, weight[i],
                                    &circuits, diag);
        network.graph = &circuits.graph;
        status = status == ORR_OK ? orr_sipml_estimate(&of, &estimate, diag) : status;
        if (status == ORR_OK && (i == 0 || estimate.iteration_ps < out->estimate.iteration_ps)) {
            out->estimate = estimate;
            out->weight = weight[i];
        }
    }
    return status;
}

/* The earlier order whose placement that of an order repeats, or `order`. Of one size they have the
 * same splits, unless weights were sliced for memory. */
static unsigned find_same(const struct trial *trial, unsigned order)
{
    const struct sipml_placement *placed = trial->placed;
    unsigned o = 0;
    for (; o < order; o++) {
        if (trial->point->tried[o].fits && placed[o].parts == placed[order].parts &&
            placed[o].split_bytes == placed[order].split_bytes &&
            memcmp(placed[o].device, placed[order].device,
                   placed[o].parts * sizeof *placed[o].device) == 0) {
            break;
        }
    }
    return o;
}

/* Places by the order of the point, and estimates what fits and is new. */
static enum orr_status try_order(struct trial *trial, struct orr_diag *diag)
{
    const struct sipml_search_input *searched = trial->searched;
    struct sipml_point *point = trial->point;
    const unsigned order = point->order;
    struct sipml_placement *placed = &trial->placed[order];
    struct sipml_try *tried = &point->tried[order];
    const struct sipml_problem problem = problem_of(searched, point, &trial->model);
    enum orr_status status =
        orr_sipml_place_in(trial->arena, trial->common, &problem, placed, diag);
    if (status != ORR_OK || placed->missing_bytes != 0) {
        return status;
    }
    const unsigned same = find_same(trial, order);
    if (same < order) {
        *tried = point->tried[same];
        tried->repeated = true;
        return ORR_OK;
    }
    const struct sipml_estimate_input of = {&trial->model, &placed->strategy,
                                            searched->problem.speed, &searched->network};
    status = orr_net_awaits_demands(searched->network.graph)
                 ? estimate_on_circuits(trial, of, tried, diag)
                 : orr_sipml_estimate(&of, &tried->estimate, diag);
    tried->fits = status == ORR_OK;
    return status;
}

/* Tries all orders. One that is refused, such as for a pair without a circuit, leaves the others;
 * the first error counts if none can be estimated. */
static enum orr_status try_orders(struct trial *trial, unsigned orders, struct orr_diag *diag)
{
    enum orr_status first = ORR_OK;
    bool any = false;
    for (unsigned o = 0; o < orders; o++) {
        struct orr_diag later;
        orr_diag_init(&later);
        trial->point->order = (enum sipml_order)o;
        const enum orr_status status = try_order(trial, first == ORR_OK ? diag : &later);
        if (status != ORR_OK && status != ORR_ERR_INPUT) {
            return first == ORR_OK ? status : orr_diag_no_memory(diag, "a point of the search");
        }
        any |= trial->point->tried[o].fits;
        first = first == ORR_OK ? status : first;
    }
    return any ? ORR_OK : first;
}

/* The order with the least estimate; if none fits, that which misses least. */
static enum sipml_order fastest_order(const struct trial *trial, unsigned orders)
{
    unsigned best = 0;
    for (unsigned o = 1; o < orders; o++) {
        const struct sipml_try *tried = &trial->point->tried[o], *than = &trial->point->tried[best];
        const bool better =
            tried->fits
                ? !than->fits || tried->estimate.iteration_ps < than->estimate.iteration_ps
                : !than->fits && trial->placed[o].missing_bytes < trial->placed[best].missing_bytes;
        best = better ? o : best;
    }
    return (enum sipml_order)best;
}

static enum orr_status tell(const struct trial *trial, struct orr_diag *diag)
{
    struct sipml_point *point = trial->point;
    const struct sipml_placement *placed = &trial->placed[point->order];
    const struct sipml_try *best = &point->tried[point->order];
    point->outcome = best->fits ? SIPML_FITS : SIPML_LARGE;
    point->estimate = best->estimate;
    point->weight = best->weight;
    point->parts = placed->parts;
    point->edges = placed->edges;
    point->repairs = placed->repairs;
    point->rounds = placed->rounds;
    point->devices_used = placed->devices_used;
    point->fell_back = placed->fell_back;
    point->compact = placed->compact;
    point->split_bytes = placed->split_bytes;
    point->missing_bytes = placed->missing_bytes;
    return measure_memory(trial->arena, &trial->model, &placed->strategy, point)
               ? ORR_OK
               : orr_diag_no_memory(diag, "the memory of a strategy");
}

static enum orr_status evaluate_point_in(struct orr_arena *arena,
                                         const struct sipml_search_input *searched,
                                         struct sipml_point *point, struct orr_diag *diag)
{
    struct trial trial = {.arena = arena, .searched = searched, .point = point};
    const unsigned orders = point->group > 1 ? SIPML_ORDERS : 1;
    trial.common = orr_sipml_common(arena);
    if (trial.common == NULL) {
        return orr_diag_no_memory(diag, "a point of the search");
    }
    const enum orr_status status = try_orders(&trial, orders, diag);
    point->order = status == ORR_OK ? fastest_order(&trial, orders) : SIPML_EARLIEST_START;
    return status == ORR_OK ? tell(&trial, diag) : status;
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

static double seconds_of(const struct sipml_point *point, bool free_first)
{
    const struct sipml_try *tried = &point->tried[SIPML_FREE_FIRST];
    return free_first && point->group > 1
               ? tried->fits ? seconds(tried->estimate.iteration_ps, point->steps) : INFINITY
               : orr_sipml_estimated_s(point);
}

/* Sorts by estimate; ties: fewer devices a group, then the smaller batch. Insertion sort: points
 * are few. */
static void sort(const struct sipml_search_result *found, bool free_first, uint32_t *order)
{
    for (uint32_t i = 0; i < found->points; i++) {
        const double estimate_s = seconds_of(&found->point[i], free_first);
        uint32_t at = i;
        for (; at > 0 && seconds_of(&found->point[order[at - 1]], free_first) > estimate_s; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
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
    sort(found, false, found->order);
    sort(found, true, found->order_free_first);
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
                                        .order = orr_arena_array(arena, max, sizeof *out->order),
                                        .order_free_first =
                                            orr_arena_array(arena, max, sizeof *out->order)};
    enum orr_status status = ORR_OK;
    if (work.diag == NULL || work.status == NULL || out->point == NULL || out->order == NULL ||
        out->order_free_first == NULL) {
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
