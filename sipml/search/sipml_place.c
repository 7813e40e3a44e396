/* Partition, dimensions and Algorithm 1 together; see sipml_place.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/arena.h"
#include "sipml/search/sipml_algorithm.h"
#include "sipml/search/sipml_balance.h"
#include "sipml/search/sipml_dims.h"
#include "sipml/search/sipml_place.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"

struct sipml_rules orr_sipml_default_rules(void)
{
    return (struct sipml_rules){.quantum_ps = 10 * (sim_time)ORR_PS_PER_US, .repair_rounds = 16};
}

const char *orr_sipml_order_name(enum sipml_order order)
{
    static const char *const names[] = {"earliest start",    "free first", "earliest start sorted",
                                        "free first sorted", "in order",   "spread"};
    return (unsigned)order < SIPML_ORDERS ? names[order] : "";
}

/* ---- the problem ---- */

static enum orr_status check(const struct sipml_problem *problem, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_none();
    const uint32_t n = problem->devices, l = problem->copies;
    const uint64_t batch = orr_model_batch(problem->model, n);
    if (n == 0 || n > STRATEGY_MAX_DEVICES || l == 0 || n % l != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected 1 to %d devices in equal groups, got %" PRIu32
                             " devices and %" PRIu32 " groups",
                             STRATEGY_MAX_DEVICES, n, l);
    }
    if (batch < l || batch % l != 0) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &place,
            "expected a batch that %" PRIu32 " groups divide, got %" PRIu64 " samples", l, batch);
    }
    if (problem->rules.degree == 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected a degree of 2 or more, as the ring between groups is one of "
                             "the peers of a device; or 0: no limit");
    }
    if (problem->rules.quantum_ps <= 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "expected a quantum of more than 0 s");
    }
    return ORR_OK;
}

/* ---- placement ---- */

/* A group placed by Algorithm 1, before an order rearranges it. */
struct grouped {
    bool made;
    struct sipml_limits limits; /* of the assignment */
    struct sipml_assignment assignment;
    bool fell_back, compact;
};

/* The splits of operators, and what follows from them whatever the order. */
struct divided {
    bool made;
    struct sipml_splits splits;
    uint32_t *choice; /* [ops] */
    struct sipml_graph graph;
    bool bidirectional;
    struct grouped grouped[2]; /* by the earliest start; by the device that is free first */
};

struct sipml_common {
    struct divided divided[2]; /* not sliced, sliced */
};

struct sipml_common *orr_sipml_common(struct orr_arena *arena)
{
    return orr_arena_array(arena, 1, sizeof(struct sipml_common));
}

struct placement {
    struct orr_arena *arena;
    const struct sipml_problem *problem;
    const struct divided *divided;
    struct sipml_limits limits; /* of the assignment */
    struct sipml_assignment assignment;
};

static bool is_free_first(const struct sipml_problem *problem)
{
    return problem->rules.order == SIPML_FREE_FIRST || problem->rules.order == SIPML_FREE_SORTED;
}

/* Whether an assignment is better: first memory, then time. */
static bool is_better(const struct sipml_problem *problem,
                      const struct sipml_assignment *assignment,
                      const struct sipml_assignment *than)
{
    const uint64_t max = problem->memory_bytes != 0 ? problem->memory_bytes : UINT64_MAX;
    const bool fits = assignment->held_bytes <= max, other_fits = than->held_bytes <= max;
    if (fits != other_fits) {
        return fits;
    }
    return assignment->makespan_ps < than->makespan_ps;
}

static bool place_on(struct placement *place, uint32_t devices, uint32_t behind, uint32_t ahead)
{
    const struct sipml_problem *problem = place->problem;
    place->limits = (struct sipml_limits){.devices = devices,
                                          .behind = behind,
                                          .ahead = ahead,
                                          .memory_bytes = problem->memory_bytes,
                                          .repair_rounds = problem->rules.repair_rounds,
                                          .free_first = is_free_first(problem)};
    return orr_sipml_algorithm(place->arena, &place->divided->graph, &place->limits,
                               &place->assignment);
}

/* Places on all devices within the degree; else, or if that is better, on `degree` devices, which
 * may all send to each other. The second is tried without need only if parts send in both
 * directions, because then the windows are narrower than `degree`. */
static bool place_group(struct placement *place, struct grouped *out)
{
    const uint32_t k = place->problem->devices / place->problem->copies;
    const uint32_t degree = place->problem->rules.degree, far = degree == 0 ? k : degree - 1;
    const bool free = degree == 0 || degree >= k;
    const bool bidirectional = place->divided->bidirectional;
    const uint32_t half = bidirectional ? far / 2 : 0;
    if (free) {
        return place_on(place, k, 0, k);
    }
    if (!place_on(place, k, half, bidirectional ? half : far)) {
        return false;
    }
    const struct sipml_assignment wide = place->assignment;
    const struct sipml_limits wide_limits = place->limits;
    out->fell_back = !wide.ended;
    if (wide.ended && !bidirectional) {
        return true;
    }
    if (!place_on(place, degree, 0, degree)) {
        return false;
    }
    out->compact = !wide.ended || is_better(place->problem, &place->assignment, &wide);
    const uint32_t repairs = wide.repairs, rounds = wide.rounds;
    place->assignment = out->compact ? place->assignment : wide;
    place->limits = out->compact ? place->limits : wide_limits;
    place->assignment.repairs = repairs; /* of both: the second has only those for memory */
    place->assignment.rounds = rounds;
    return true;
}

/* The same, once for all orders that begin with it. */
static bool place_group_once(struct placement *place, struct grouped *grouped,
                             struct sipml_placement *out)
{
    if (!grouped->made) {
        grouped->made = place_group(place, grouped);
        grouped->limits = place->limits;
        grouped->assignment = place->assignment;
    }
    place->limits = grouped->limits;
    place->assignment = grouped->assignment;
    out->fell_back = grouped->fell_back;
    out->compact = grouped->compact;
    return grouped->made;
}

static int compare_devices(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* The device that an order wants for part i of `parts`, which is on `device`. */
static uint32_t wanted_for(const struct placement *place, uint32_t i, uint32_t parts,
                           uint32_t device)
{
    const uint32_t devices = place->limits.devices;
    switch (place->problem->rules.order) {
    case SIPML_IN_ORDER:
        return i % devices;
    case SIPML_SPREAD:
        return orr_strategy_default_device(i, parts, devices);
    default:
        return device;
    }
}

/* The devices that an order wants, sorted for each operator. */
static void fill_wanted(const struct placement *place, uint32_t *wanted)
{
    const struct sipml_graph *graph = &place->divided->graph;
    for (uint32_t op = 0; op < graph->ops; op++) {
        const uint32_t first = graph->first_part[op], parts = orr_sipml_parts_of(graph, op);
        for (uint32_t i = 0; i < parts; i++) {
            wanted[first + i] = wanted_for(place, i, parts, place->assignment.device[first + i]);
        }
        qsort(wanted + first, parts, sizeof *wanted, compare_devices);
    }
}

/* Places all parts again, each on the device that the order wants if edges and memory allow it. The
 * assignment stays if that ends in a violated edge or over the memory. */
static bool rearrange(struct placement *place)
{
    const enum sipml_order order = place->problem->rules.order;
    const struct sipml_graph *graph = &place->divided->graph;
    const struct sipml_assignment before = place->assignment;
    const uint64_t memory = place->problem->memory_bytes;
    if (order == SIPML_EARLIEST_START || order == SIPML_FREE_FIRST) {
        return true;
    }
    uint32_t *wanted = orr_arena_array(place->arena, (size_t)graph->parts + 1, sizeof *wanted);
    if (wanted == NULL) {
        return false;
    }
    fill_wanted(place, wanted);
    place->limits.wanted = wanted;
    if (!orr_sipml_algorithm(place->arena, graph, &place->limits, &place->assignment)) {
        return false;
    }
    if (!place->assignment.ended || (memory != 0 && place->assignment.held_bytes > memory)) {
        place->assignment = before;
    }
    return true;
}

/* ---- the result ---- */

static bool draft(const struct placement *place, struct sipml_placement *out)
{
    const struct sipml_problem *problem = place->problem;
    const struct divided *divided = place->divided;
    struct strategy_draft draft;
    bool made = orr_strategy_draft_init(&draft, place->arena, problem->model, problem->devices,
                                        problem->copies);
    draft.strategy.server = problem->server;
    for (uint32_t op = 0; op < problem->model->ops && made; op++) {
        uint32_t degree[MODEL_MAX_DIMS];
        orr_sipml_degrees(&problem->model->op[op], &divided->splits.split[divided->choice[op]],
                          degree);
        made = orr_strategy_set(&draft, op, degree,
                                place->assignment.device + divided->graph.first_part[op]);
    }
    out->strategy = orr_strategy_drafted(&draft);
    return made;
}

static bool count_memory(const struct placement *place, struct sipml_placement *out)
{
    const struct sipml_problem *problem = place->problem;
    const uint32_t k = problem->devices / problem->copies;
    uint64_t *bytes = orr_arena_array(place->arena, k, sizeof *bytes);
    bool *used = orr_arena_array(place->arena, k, sizeof *used);
    if (bytes == NULL || used == NULL ||
        !orr_strategy_memory(problem->model, &out->strategy, bytes, NULL)) {
        return false;
    }
    for (uint32_t part = 0; part < place->divided->graph.parts; part++) {
        const uint32_t device = place->assignment.device[part];
        out->devices_used += !used[device];
        used[device] = true;
    }
    for (uint32_t g = 0; g < k; g++) {
        out->fullest = bytes[g] > bytes[out->fullest] ? g : out->fullest;
    }
    if (problem->memory_bytes != 0 && bytes[out->fullest] > problem->memory_bytes) {
        out->missing_bytes = bytes[out->fullest] - problem->memory_bytes;
    }
    return true;
}

static enum orr_status finish(const struct placement *place, struct sipml_placement *out,
                              struct orr_diag *diag)
{
    const struct divided *divided = place->divided;
    out->parts = divided->graph.parts;
    out->device = place->assignment.device;
    out->edges = orr_sipml_dependencies(&divided->graph);
    out->split_bytes = orr_sipml_split_bytes(place->problem, &divided->splits, divided->choice);
    out->repairs = place->assignment.repairs;
    out->rounds = place->assignment.rounds;
    out->makespan_ps = place->assignment.makespan_ps;
    if (!draft(place, out) || !count_memory(place, out)) {
        return orr_diag_no_memory(diag, "a placement");
    }
    return orr_strategy_check(place->problem->model, &out->strategy, diag);
}

/* Splits all operators, once for all orders. */
static enum orr_status divide(struct orr_arena *arena, const struct sipml_problem *problem,
                              struct divided *out, struct orr_diag *diag)
{
    if (out->made) {
        return ORR_OK;
    }
    out->choice = orr_arena_array(arena, (size_t)problem->model->ops + 1, sizeof *out->choice);
    enum orr_status status =
        out->choice != NULL ? check(problem, diag) : orr_diag_no_memory(diag, "a placement");
    if (status == ORR_OK) {
        status = orr_sipml_splits(arena, problem, &out->splits, diag);
    }
    if (status == ORR_OK && !orr_sipml_choose_splits(arena, problem, &out->splits, out->choice)) {
        status = orr_diag_no_memory(diag, "the splits of operators");
    }
    if (status == ORR_OK) {
        status = orr_sipml_balance(arena, problem, &out->splits, out->choice, &out->graph,
                                   &out->bidirectional, diag);
    }
    out->made = status == ORR_OK;
    return status;
}

static enum orr_status place_with_rules(struct orr_arena *arena, struct sipml_common *common,
                                        const struct sipml_problem *problem,
                                        struct sipml_placement *out, struct orr_diag *diag)
{
    struct divided *divided = &common->divided[problem->rules.sliced];
    struct placement place = {.arena = arena, .problem = problem, .divided = divided};
    struct grouped *grouped = &divided->grouped[is_free_first(problem)];
    *out = (struct sipml_placement){.fullest = 0};
    enum orr_status status = divide(arena, problem, divided, diag);
    if (status == ORR_OK && !(place_group_once(&place, grouped, out) && rearrange(&place))) {
        status = orr_diag_no_memory(diag, "a placement");
    }
    return status == ORR_OK ? finish(&place, out, diag) : status;
}

/* The splits with the least bytes may copy weights, as samples do in data parallelism. If they miss
 * memory, weights are sliced instead (model parallelism), and the placement that misses less is
 * kept. */
enum orr_status orr_sipml_place_in(struct orr_arena *arena, struct sipml_common *common,
                                   const struct sipml_problem *problem, struct sipml_placement *out,
                                   struct orr_diag *diag)
{
    struct sipml_problem sliced = *problem;
    struct sipml_placement other;
    enum orr_status status = place_with_rules(arena, common, problem, out, diag);
    if (status == ORR_OK && out->missing_bytes != 0 && !problem->rules.sliced) {
        sliced.rules.sliced = true;
        status = place_with_rules(arena, common, &sliced, &other, diag);
        *out = status == ORR_OK && other.missing_bytes < out->missing_bytes ? other : *out;
    }
    return status;
}

enum orr_status orr_sipml_place(struct orr_arena *arena, const struct sipml_problem *problem,
                                struct sipml_placement *out, struct orr_diag *diag)
{
    struct sipml_common *common = orr_sipml_common(arena);
    return common != NULL ? orr_sipml_place_in(arena, common, problem, out, diag)
                          : orr_diag_no_memory(diag, "a placement");
}
