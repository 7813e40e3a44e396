/* Planning: search, simulation, port map and comparison; see plan_result.h. */
#include "topoopt/plan/plan_result.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/conf/conf.h"
#include "core/saturate.h"
#include "core/units.h"
#include "network/flows/flows.h"
#include "network/net_backend.h"
#include "network/permutations/permutations.h"
#include "network/route_options.h"
#include "planner/finder/finder.h"
#include "planner/plan_file/plan_check.h"
#include "planner/search/search.h"
#include "topoopt/search/topoopt.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"

enum { LEAST_BYTES = 128 };

struct solver {
    struct orr_arena *arena;
    const struct plan_job *job;
    const struct plan_options *options;
    struct plan_result *out;
    struct orr_diag *diag;
};

/* ---- problem and options ---- */

static struct finder_options topology_of(const struct plan_job *job)
{
    const struct plan_interfaces *with = &job->interfaces;
    return (struct finder_options){.degree = with->degree,
                                   .links = (enum net_cables)with->links,
                                   .discount = (enum finder_discount)job->discount,
                                   .select = (enum net_select)job->select,
                                   .ring_degree = with->ring_degree,
                                   .primes = with->primes,
                                   .any_port = with->any_port,
                                   .kind = {with->bytes_per_s, with->latency_ps}};
}

/* The flow model of a run of the plan's files: that of task graphs, with equal shares. */
static struct net_flow_model flows_of(const struct plan_job *job)
{
    struct net_flow_model flows = orr_net_flow_packets(false);
    if (job->fixed) {
        orr_net_config_flows(&job->network, &flows);
        flows.windows = false;
    } else {
        flows.forward_ps = job->interfaces.forward_ps;
        flows.forward_bytes_per_s = job->interfaces.forward_bytes_per_s;
    }
    return flows;
}

static void set_problem(struct solver *solver)
{
    const struct plan_job *job = solver->job;
    struct plan_result *out = solver->out;
    out->problem =
        (struct topoopt_problem){.model = &job->model,
                                 .speed = &job->speed,
                                 .devices = job->servers,
                                 .copies = job->groups,
                                 .server = job->server,
                                 .memory_bytes = job->memory_bytes,
                                 .flows = flows_of(job),
                                 .stream = job->stream,
                                 .dimensions = {job->search.dimension, job->search.dimensions},
                                 .topology = topology_of(job)};
    if (job->fixed) {
        out->on = (struct plan_network){job->network.graph, job->network.routes};
        out->on.routes.routing = net_routing_fixed(&out->on.routes);
        out->problem.on = &out->on;
    }
}

static void on_search_progress(void *context, const struct topoopt_progress *progress)
{
    const struct solver *solver = context;
    const struct plan_progress update = {.doing = "planning",
                                         .round = progress->round,
                                         .evaluations = progress->evaluations,
                                         .budget = progress->budget,
                                         .best_ps = progress->best_ps};
    solver->options->progress(solver->options->context, &update);
}

static void report_progress(const struct solver *solver, const char *doing)
{
    if (solver->options->progress != NULL) {
        const struct plan_progress update = {.doing = doing,
                                             .best_ps = solver->out->result.best.predicted_ps};
        solver->options->progress(solver->options->context, &update);
    }
}

static void set_options(struct solver *solver, struct topoopt_options *options)
{
    const struct plan_job *job = solver->job;
    *options = orr_topoopt_default_options();
    options->rounds = job->rounds;
    options->until_convergence = job->converge;
    options->topologies = job->topologies;
    options->search.budget = job->search.budget;
    options->search.alpha = job->search.alpha;
    options->search.scale = (enum search_scale)job->search.scale;
    options->search.propagation = job->search.propagation;
    options->search.chains = job->search.chains;
    options->search.restarts = job->search.restarts;
    options->search.seed = job->search.seed;
    options->search.exhaustive = job->search.exhaustive;
    options->search.max_strategies = job->search.max_strategies;
    options->search.threads = solver->options->threads;
    options->search.stop = solver->options->stop;
    if (solver->options->progress != NULL) {
        options->progress = on_search_progress;
        options->context = solver;
    }
}

/* ---- planning ---- */

/* "; of layouts ... needs the least, ..." if one needs less than the best strategy; else "". */
static const char *describe_least(const struct solver *solver, char text[LEAST_BYTES])
{
    const struct topoopt_least *least = &solver->out->result.least;
    char need[ORR_FORMAT_BYTES];
    text[0] = '\0';
    if (least->missing_bytes != 0 &&
        least->missing_bytes < solver->out->result.best.missing_bytes) {
        (void)snprintf(text, LEAST_BYTES,
                       "; of layouts, tensor parallelism of %" PRIu32 "%s needs the least, %s",
                       least->tensor, least->experts > 1 ? " with spread experts" : "",
                       orr_format_bytes(sat_plus(solver->job->memory_bytes, least->missing_bytes),
                                        need, sizeof need));
    }
    return text;
}

/* Fails if no strategy fits the memory, with what the nearest one is missing. */
static enum orr_status check_fits(const struct solver *solver)
{
    const struct plan_job *job = solver->job;
    const struct topoopt_result *result = &solver->out->result;
    struct orr_diag inner_diag;
    char least[LEAST_BYTES];
    orr_diag_init(&inner_diag);
    if (result->best.missing_bytes == 0) {
        return ORR_OK;
    }
    (void)orr_strategy_check_memory(&job->model, &result->best.strategy, job->memory_bytes,
                                    &inner_diag);
    const struct orr_conf *node = orr_conf_get(job->section, "memory");
    const struct orr_location place = orr_conf_location(node != NULL ? node : job->section);
    return orr_diag_fail(solver->diag, ORR_ERR_INPUT, &place,
                         "found no strategy that fits the memory of a device in %" PRIu64
                         " evaluations%s; the nearest one: %s%s",
                         result->evaluations, result->stopped ? " before it was stopped" : "",
                         inner_diag.message, describe_least(solver, least));
}

/* Fails if no strategy has a finite predicted time. */
static enum orr_status check_counted(const struct solver *solver)
{
    const struct topoopt_result *result = &solver->out->result;
    const struct orr_location place = orr_conf_location(solver->job->section);
    return result->best.predicted_ps != ORR_TIME_MAX
               ? ORR_OK
               : orr_diag_fail(solver->diag, ORR_ERR_INPUT, &place,
                               "an iteration takes longer than 104 days, the longest time that can "
                               "be counted, with every strategy tried in %" PRIu64
                               " evaluations; expected faster links and devices, or a smaller "
                               "batch",
                               result->evaluations);
}

/* Sets the location of an error without one to that of the search or the plan. */
static enum orr_status set_plan_location(const struct solver *solver, enum orr_status status)
{
    const struct plan_job *job = solver->job;
    const struct orr_conf *search = orr_conf_get(job->section, "search");
    const bool exhaustive = job->search.exhaustive && search != NULL;
    if (status == ORR_ERR_INPUT && solver->diag != NULL &&
        solver->diag->place.kind == ORR_LOCATION_NONE) {
        solver->diag->place = orr_conf_location(exhaustive ? search : job->section);
    }
    return status;
}

static enum orr_status plan(struct solver *solver)
{
    struct plan_result *out = solver->out;
    struct topoopt_options options;
    struct strategy resumed = {.ops = 0};
    uint64_t before = 0;
    enum orr_status status = ORR_OK;
    set_problem(solver);
    set_options(solver, &options);
    if (solver->options->resume != NULL) {
        status = orr_plan_resume_read(solver->arena, solver->options->resume, solver->job, &resumed,
                                      &before, solver->diag);
    }
    resumed.server = solver->job->server;
    options.start = resumed.ops != 0              ? &resumed
                    : solver->job->start.ops != 0 ? &solver->job->start
                                                  : NULL;
    if (status == ORR_OK) {
        status =
            orr_topoopt_plan(solver->arena, &out->problem, &options, &out->result, solver->diag);
    }
    out->evaluations = before + out->result.evaluations;
    if (status != ORR_OK) {
        return set_plan_location(solver, status);
    }
    status = check_fits(solver);
    return status == ORR_OK ? check_counted(solver) : status;
}

/* Computes the port map. */
static enum orr_status map_ports(struct solver *solver)
{
    const struct plan_job *job = solver->job;
    const uint32_t needed =
        job->servers > PORTS_OF_PATCH_PANEL ? job->servers : PORTS_OF_PATCH_PANEL;
    const struct port_options options = {
        .method = job->interfaces.links == PLAN_ONE_WAY ? PORTS_ONE_WAY : PORTS_CABLES_OR_SPLIT,
        .panel_ports = job->panels.ports != 0 ? job->panels.ports : needed,
        .look_ahead = job->panels.look_ahead};
    return job->fixed ? ORR_OK
                      : set_plan_location(
                            solver, orr_port_map(solver->arena, &solver->out->result.best.topology,
                                                 &options, &solver->out->ports, solver->diag));
}

enum orr_status orr_plan_solve(struct orr_arena *arena, const struct plan_job *job,
                               const struct plan_options *options, struct plan_result *out,
                               struct orr_diag *diag)
{
    struct solver solver = {arena, job, options, out, diag};
    *out = (struct plan_result){.job = job, .hash = orr_plan_hash(job)};
    enum orr_status status = plan(&solver);
    const bool stopped = options->stop != NULL && *options->stop != 0;
    if (status == ORR_OK && !options->no_run && !stopped) {
        report_progress(&solver, "simulating");
        status = orr_plan_simulate(out, diag);
        if (status == ORR_OK) {
            status = orr_plan_layouts(arena, out, &out->layout, diag);
        }
    }
    if (status == ORR_OK) {
        status = map_ports(&solver);
    }
    if (status == ORR_OK) {
        report_progress(&solver, "comparing");
        status = orr_plan_fabrics(arena, job, &out->problem, &out->result, &out->fabric,
                                  &out->fabrics, diag);
    }
    return status;
}
