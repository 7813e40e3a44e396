/* Pilot runs for demand-aware circuits; see pilot_run.h. */
#include "sim/load/pilot_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/conf/conf.h"
#include "core/fold.h"
#include "core/units.h"
#include "network/graph_rotation.h"
#include "network/net_backend.h"
#include "network/traffic.h"
#include "sim/fold/fold_job.h"
#include "sim/load/task_graph.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"

struct pilot {
    struct orrery *job;
    const struct orr_builder *builder;
};

/* ---- pilot runs ---- */

/* State saved during a pilot run. The pilot is built in an arena of its own, and discarded after
 * it. It is folded if possible, whatever the main run records, because it does not distinguish
 * NPUs. */
struct saved_state {
    const struct orr_trace **traces;
    struct wl_fold_reasons fold_reasons;
    bool fold_off, record_spans;
    unsigned record;
};

static enum orr_status enter(struct orrery *job, struct saved_state *saved_state)
{
    struct orr_arena *scratch = orr_arena_create();
    *saved_state = (struct saved_state){job->traces, job->fold_reasons, job->requests.fold_off,
                                        job->requests.record_spans, job->requests.record};
    job->requests.fold_off = job->requests.record_spans = false;
    job->requests.record = 0;
    if (scratch == NULL) {
        return orr_diag_no_memory(&job->diag, "a rehearsal");
    }
    job->arena = scratch;
    return ORR_OK;
}

static void leave(struct orrery *job, const struct saved_state *saved_state)
{
    orr_destroy_layers(job);
    if (job->arena != job->notes.texts) {
        orr_arena_destroy(job->arena);
    }
    job->arena = job->notes.texts;
    job->traces = saved_state->traces;
    job->fold_reasons = saved_state->fold_reasons;
    job->requests.fold_off = saved_state->fold_off;
    job->requests.record_spans = saved_state->record_spans;
    job->requests.record = saved_state->record;
    job->found.finish_order = NULL;
}

/* Builds and runs the job. A folded job that cannot finish runs once more with every NPU, to report
 * them all. */
static enum orr_status run(const struct pilot *pilot, sim_time *wall_ps)
{
    struct orrery *job = pilot->job;
    enum orr_status status = pilot->builder->build(job, pilot->builder->context);
    if (status == ORR_OK) {
        status = orr_engine_run(job->layers.engine, &job->diag);
    }
    if (status == ORR_ERR_DEADLOCK && !job->fold.none) {
        return orr_run_unfolded(job);
    }
    *wall_ps = status == ORR_OK ? orr_engine_wall(job->layers.engine) : 0;
    return status;
}

/* Runs a pilot on the present network, folded if possible; jobs of a cluster are not folded. */
static enum orr_status run_before(const struct pilot *pilot, sim_time *wall_ps)
{
    struct orrery *job = pilot->job;
    struct saved_state saved_state;
    enum orr_status status = enter(job, &saved_state);
    if (status == ORR_OK && job->cluster.jobs == NULL) {
        status = orr_find_fold(job);
    }
    status = status == ORR_OK ? run(pilot, wall_ps) : status;
    leave(job, &saved_state);
    return status;
}

/* Finds the size of a task graph's equivalent groups, if all of them fold on the present network.
 */
static enum orr_status find_group(struct orrery *job, uint32_t *group)
{
    const uint32_t npus = orr_task_graph_group_npus(job);
    *group = job->npus;
    if (npus == 0) {
        return ORR_OK;
    }
    const enum orr_status status = orr_find_fold(job);
    *group = status == ORR_OK && job->fold.slots == npus ? npus : job->npus;
    return status;
}

static int by_ends(const void *left, const void *right)
{
    const struct net_demand *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

/* Collects the traffic of the first group. */
static enum orr_status collect_demands(struct orrery *job, struct net_demands *out)
{
    size_t count = 0, kept = 0;
    const struct net_pair *pair = orr_net_traffic_pairs(job->layers.net->traffic, &count);
    struct net_demand *demand = orr_arena_array(job->notes.texts, count + 1, sizeof *demand);
    if (demand == NULL || orr_net_traffic_failed(job->layers.net->traffic)) {
        return orr_diag_no_memory(&job->diag, "the demands of a job");
    }
    for (size_t i = 0; i < count; i++) {
        if (pair[i].src < out->group && pair[i].src != pair[i].dst) {
            demand[kept++] = (struct net_demand){pair[i].src, pair[i].dst, pair[i].bytes};
        }
    }
    qsort(demand, kept, sizeof *demand, by_ends);
    out->demand = demand;
    out->demands = (uint32_t)kept;
    return ORR_OK;
}

/* Expands the demands to all NPUs, because the first group cannot represent the others. */
static enum orr_status expand_demands(struct orrery *job, struct net_demands *demands)
{
    const uint32_t npus = job->npus, groups = npus / demands->group;
    struct net_demand *all =
        orr_arena_array(job->notes.texts, (size_t)groups * demands->demands + 1, sizeof *all);
    size_t count = 0;
    if (all == NULL) {
        return orr_diag_no_memory(&job->diag, "the demands of a job");
    }
    for (uint32_t first = 0; first < npus; first += demands->group) {
        const struct net_rotation turn = {.stride = 1, .size = npus, .step = first};
        for (uint32_t i = 0; i < demands->demands; i++) {
            const struct net_demand *of = &demands->demand[i];
            all[count++] =
                (struct net_demand){of->from + first, net_rotated(&turn, of->to), of->bytes};
        }
    }
    qsort(all, count, sizeof *all, by_ends);
    *demands = (struct net_demands){npus, all, (uint32_t)count, demands->weight};
    return ORR_OK;
}

/* Measures the demands in a pilot run on the switch. */
static enum orr_status measure_demands(const struct pilot *pilot, struct net_demands *out)
{
    struct orrery *job = pilot->job;
    struct net_graph *one = orr_arena_alloc(job->arena, sizeof *one);
    const struct net_graph *awaiting = job->network.graph;
    if (one == NULL) {
        return orr_diag_no_memory(&job->diag, "the demands of a job");
    }
    *one = *awaiting;
    one->circuits = NULL;
    job->network.graph = one;
    struct saved_state saved_state;
    enum orr_status status = enter(job, &saved_state);
    status = status == ORR_OK ? find_group(job, &out->group) : status;
    if (status == ORR_OK && out->group == job->npus && job->cluster.jobs == NULL) {
        orr_fold_init(&job->fold, job->npus);
    }
    job->requests.counts_traffic = true;
    status = status == ORR_OK ? run(pilot, &job->pilot_result->switch_ps) : status;
    job->requests.counts_traffic = false;
    if (status == ORR_OK) {
        status = collect_demands(job, out);
    }
    if (status == ORR_OK && !orr_net_allocates_groups(awaiting, out)) {
        status = expand_demands(job, out);
    }
    leave(job, &saved_state);
    job->network.graph = awaiting;
    return status;
}

/* ---- circuits that are set once ---- */

/* Sets the network with circuits for these demands. */
static enum orr_status set_graph(struct orrery *job, const struct net_graph *awaiting,
                                 const struct net_demands *demands)
{
    struct net_graph *graph = orr_arena_alloc(job->arena, sizeof *graph);
    if (graph == NULL) {
        return orr_diag_no_memory(&job->diag, "the circuits of the network");
    }
    const enum orr_status status = orr_net_allocated_graph(job->arena, awaiting, demands, graph,
                                                           &job->pilot_result->report, &job->diag);
    job->network.graph = graph;
    return status;
}

static enum orr_status time_of(const struct pilot *pilot, sim_time *wall_ps)
{
    struct orrery *job = pilot->job;
    const uint32_t iterations = job->cluster.iterations;
    job->cluster.iterations = 1;
    const enum orr_status status = run_before(pilot, wall_ps);
    job->cluster.iterations = iterations;
    return status;
}

static enum orr_status try_weights(const struct pilot *pilot, struct net_demands *demands)
{
    struct orrery *job = pilot->job;
    const struct net_graph *awaiting = job->network.graph, *best = NULL;
    const struct net_allocated *allocated = awaiting->circuits->allocated;
    const bool grouped = demands->group < job->npus;
    struct net_circuit_report report = {.deficit = 0};
    sim_time best_ps = ORR_TIME_MAX;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < (grouped ? allocated->weights : 1) && status == ORR_OK; i++) {
        sim_time wall_ps = 0;
        demands->weight = grouped ? allocated->weight[i] : 1;
        status = set_graph(job, awaiting, demands);
        if (status == ORR_OK && grouped && allocated->weights > 1) {
            status = time_of(pilot, &wall_ps);
        }
        if (status == ORR_OK && wall_ps < best_ps) {
            best_ps = wall_ps;
            best = job->network.graph;
            report = job->pilot_result->report;
            job->pilot_result->weight = demands->weight;
        }
    }
    job->network.graph = status == ORR_OK ? best : awaiting;
    job->pilot_result->report = report;
    job->pilot_result->weights = grouped ? allocated->weights : 1;
    if (status == ORR_OK && !grouped && (allocated->weights > 1 || allocated->weight[0] != 1)) {
        orr_diag_warn(&job->diag, NULL,
                      "network.circuits.weights: no effect, because the job has no equivalent "
                      "groups with bytes inside and between them");
    }
    return status;
}

/* ---- periodic circuits ---- */

/* Copies the graph and its controller's rules, for this job. */
static struct net_allocated *copy_rules(struct orrery *job)
{
    struct net_graph *graph = orr_arena_alloc(job->arena, sizeof *graph);
    struct net_circuits *circuits = orr_arena_alloc(job->arena, sizeof *circuits);
    struct net_allocated *allocated = orr_arena_alloc(job->arena, sizeof *allocated);
    if (graph == NULL || circuits == NULL || allocated == NULL) {
        return NULL;
    }
    *graph = *job->network.graph;
    *circuits = *graph->circuits;
    *allocated = *circuits->allocated;
    circuits->allocated = allocated;
    graph->circuits = circuits;
    job->network.graph = graph;
    return allocated;
}

/* For the estimate `next`: records the windows of a pilot run with the estimate `total`. */
static enum orr_status record_windows(const struct pilot *pilot)
{
    struct orrery *job = pilot->job;
    struct net_allocated *rules = copy_rules(job);
    sim_time wall_ps = 0;
    if (rules == NULL) {
        return orr_diag_no_memory(&job->diag, "the circuits of the network");
    }
    rules->estimate = NET_ESTIMATE_TOTAL;
    rules->record = &job->pilot_result->windows;
    const enum orr_status status = run_before(pilot, &wall_ps);
    rules->estimate = NET_ESTIMATE_NEXT;
    rules->record = NULL;
    rules->next = &job->pilot_result->windows;
    if (status == ORR_OK && job->pilot_result->windows.no_memory) {
        return orr_diag_no_memory(&job->diag, "what a job sends");
    }
    return status;
}

/* ---- entry points ---- */

static enum orr_status run_pilot(const struct pilot *pilot)
{
    struct orrery *job = pilot->job;
    struct net_demands demands = {.weight = 1};
    const uint32_t iterations = job->cluster.iterations;
    job->cluster.iterations = 1;
    enum orr_status status = measure_demands(pilot, &demands);
    job->cluster.iterations = iterations;
    if (status != ORR_OK || demands.demands == 0) {
        return status; /* no traffic: keep the switch */
    }
    const bool once = job->network.graph->circuits->allocated->hold_ps == ORR_TIME_MAX;
    const bool next = job->network.graph->circuits->allocated->estimate == NET_ESTIMATE_NEXT;
    job->pilot_result->group = demands.group;
    job->pilot_result->demands = demands.demands;
    job->pilot_result->once = once;
    job->pilot_result->weight = 1;
    if (once) {
        return try_weights(pilot, &demands);
    }
    status = set_graph(job, job->network.graph, &demands);
    return status == ORR_OK && next ? record_windows(pilot) : status;
}

/* Adds the location of the circuits section to an error. */
static enum orr_status locate(struct orrery *job, enum orr_status status)
{
    static const char *const keys[] = {"circuits", "design", "graph"};
    const struct orr_conf *network = orr_conf_get(job->files.platform, "network");
    size_t i = 0;
    while (i + 1 < sizeof keys / sizeof *keys &&
           (network == NULL || orr_conf_get(network, keys[i]) == NULL)) {
        i++;
    }
    return orr_locate_error(job, status, "network", keys[i]);
}

enum orr_status orr_pilot_run(struct orrery *job, const struct orr_builder *builder)
{
    if (!orr_net_awaits_demands(job->network.graph)) {
        return ORR_OK;
    }
    job->pilot_result = orr_arena_alloc(job->arena, sizeof *job->pilot_result);
    if (job->pilot_result == NULL) {
        return orr_diag_no_memory(&job->diag, "the demands of a job");
    }
    enum orr_status status = run_pilot(&(struct pilot){job, builder});
    if (status == ORR_OK && orr_net_awaits_demands(job->network.graph)) {
        struct net_graph *one = orr_arena_alloc(job->arena, sizeof *one);
        if (one == NULL) {
            return orr_diag_no_memory(&job->diag, "the network");
        }
        *one = *job->network.graph;
        one->circuits = NULL;
        job->network.graph = one;
    }
    return job->files.platform != NULL ? locate(job, status) : status;
}

void orr_pilot_run_warn(struct orrery *job)
{
    const struct net_graph *graph = job->network.graph;
    char hold[64], wall[64];
    if (!orr_net_is_allocated(graph) || !orr_net_moves_circuits(graph)) {
        return;
    }
    const sim_time hold_ps = graph->circuits->allocated->hold_ps;
    const sim_time first_ps = orr_time_add(hold_ps, graph->circuits->dark_ps);
    if (orr_engine_wall(job->layers.engine) <= first_ps) {
        orr_diag_warn(&job->diag, NULL,
                      "network.circuits: the job is over at %s, before circuits were reconfigured "
                      "(hold and reconfiguration are %s): as with hold: never",
                      orr_format_time(orr_engine_wall(job->layers.engine), wall, sizeof wall),
                      orr_format_time(first_ps, hold, sizeof hold));
    }
}
