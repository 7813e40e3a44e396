/* Planning what a file asks for: see plan_result.h. */
#include "planner/plan_file/plan_result.h"

#include <inttypes.h>
#include <stdio.h>

#include "planner/plan_file/plan_check.h"

struct work {
    struct orr_arena *arena;
    const struct plan_job *job;
    const struct plan_options *options;
    struct plan_result *out;
    struct orr_diag *diag;
};

/* ---- what the planner is told ---- */

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

/* As a run of the files has it: those of task graphs, with equal shares. */
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

static void tell_problem(struct work *work)
{
    const struct plan_job *job = work->job;
    struct plan_result *out = work->out;
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
        out->on = (struct topoopt_network){job->network.graph, job->network.routes};
        if (out->on.routes.routing == NET_ROUTE_ECMP) {
            out->on.routes.routing = NET_ROUTE_PAIRS; /* what an evaluator knows the ways of */
        }
        out->problem.on = &out->on;
    }
}

static void hear(void *context, const struct topoopt_progress *progress)
{
    const struct work *work = context;
    const struct plan_progress told = {"planning", *progress};
    work->options->progress(work->options->context, &told);
}

static void say(const struct work *work, const char *doing)
{
    if (work->options->progress != NULL) {
        const struct plan_progress told = {doing, {.best_ps = work->out->result.best.predicted_ps}};
        work->options->progress(work->options->context, &told);
    }
}

static void tell_options(struct work *work, struct topoopt_options *options)
{
    const struct plan_job *job = work->job;
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
    options->search.threads = work->options->threads;
    options->search.stop = work->options->stop;
    if (work->options->progress != NULL) {
        options->progress = hear;
        options->context = work;
    }
}

/* ---- planning ---- */

/* Says what is missing of the strategy that comes nearest. */
static enum orr_status check_fits(const struct work *work)
{
    const struct plan_job *job = work->job;
    const struct topoopt_result *result = &work->out->result;
    struct orr_diag said;
    orr_diag_init(&said);
    if (result->best.missing_bytes == 0) {
        return ORR_OK;
    }
    (void)orr_strategy_check_memory(&job->model, &result->best.strategy, job->memory_bytes, &said);
    const struct orr_conf *node = orr_conf_get(job->section, "memory");
    const struct orr_location place = orr_conf_location(node != NULL ? node : job->section);
    return orr_diag_fail(work->diag, ORR_ERR_INPUT, &place,
                         "no strategy was found that fits the memory of a device, in %" PRIu64
                         " evaluations%s; of the one that is nearest: %s",
                         result->evaluations, result->stopped ? " until it was stopped" : "",
                         said.message);
}

/* Something is told by times only where one is known. */
static enum orr_status check_counted(const struct work *work)
{
    const struct topoopt_result *result = &work->out->result;
    const struct orr_location place = orr_conf_location(work->job->section);
    return result->best.predicted_ps != ORR_TIME_MAX
               ? ORR_OK
               : orr_diag_fail(work->diag, ORR_ERR_INPUT, &place,
                               "an iteration takes longer than can be counted (104 days), by all "
                               "that was tried in %" PRIu64
                               " evaluations; expected faster links and devices, or a smaller "
                               "batch",
                               result->evaluations);
}

/* What has no place of its own is of the search, or of the whole plan. */
static enum orr_status of_plan(const struct work *work, enum orr_status status)
{
    const struct plan_job *job = work->job;
    const struct orr_conf *search = orr_conf_get(job->section, "search");
    const bool exhaustive = job->search.exhaustive && search != NULL;
    if (status == ORR_ERR_INPUT && work->diag != NULL &&
        work->diag->place.kind == ORR_LOCATION_NONE) {
        work->diag->place = orr_conf_location(exhaustive ? search : job->section);
    }
    return status;
}

static enum orr_status plan(struct work *work)
{
    struct plan_result *out = work->out;
    struct topoopt_options options;
    struct strategy resumed = {.ops = 0};
    uint64_t before = 0;
    enum orr_status status = ORR_OK;
    tell_problem(work);
    tell_options(work, &options);
    if (work->options->resume != NULL) {
        status = orr_plan_resume_read(work->arena, work->options->resume, work->job, &resumed,
                                      &before, work->diag);
    }
    resumed.server = work->job->server;
    options.start = resumed.ops != 0            ? &resumed
                    : work->job->start.ops != 0 ? &work->job->start
                                                : NULL;
    if (status == ORR_OK) {
        status = orr_topoopt_plan(work->arena, &out->problem, &options, &out->result, work->diag);
    }
    out->evaluations = before + out->result.evaluations;
    if (status != ORR_OK) {
        return of_plan(work, status);
    }
    status = check_fits(work);
    return status == ORR_OK ? check_counted(work) : status;
}

/* Which ports of which panels are joined. */
static enum orr_status map_ports(struct work *work)
{
    const struct plan_job *job = work->job;
    const uint32_t needed =
        job->servers > PORTS_OF_PATCH_PANEL ? job->servers : PORTS_OF_PATCH_PANEL;
    const struct port_options options = {
        .ways = job->interfaces.links == PLAN_ONE_WAY ? PORTS_ONE_WAY : PORTS_CABLES_OR_SPLIT,
        .panel_ports = job->panels.ports != 0 ? job->panels.ports : needed,
        .look_ahead = job->panels.look_ahead};
    return job->fixed ? ORR_OK
                      : of_plan(work, orr_port_map(work->arena, &work->out->result.best.topology,
                                                   &options, &work->out->ports, work->diag));
}

enum orr_status orr_plan_solve(struct orr_arena *arena, const struct plan_job *job,
                               const struct plan_options *options, struct plan_result *out,
                               struct orr_diag *diag)
{
    struct work work = {arena, job, options, out, diag};
    *out = (struct plan_result){.job = job, .hash = orr_plan_hash(job)};
    enum orr_status status = plan(&work);
    const bool stopped = options->stop != NULL && *options->stop != 0;
    if (status == ORR_OK && !options->no_run && !stopped) {
        say(&work, "simulating");
        status = orr_plan_simulate(out, diag);
    }
    if (status == ORR_OK) {
        status = map_ports(&work);
    }
    if (status == ORR_OK) {
        say(&work, "comparing");
        status = orr_plan_fabrics(arena, job, &out->problem, &out->result, &out->fabric,
                                  &out->fabrics, diag);
    }
    return status;
}
