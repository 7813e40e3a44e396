/* See eval_job.h. The times of parts are those of the tasks of the job's task graph. */
#include "planner/evaluator/eval_job.h"

#include "core/conf/conf.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/route_options.h"
#include "planner/evaluator/evaluator.h"
#include "sim/load/strategy_job.h"
#include "sim/loaded_job.h"
#include "system/sys_mono.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy.h"
#include "workload/taskgraph/tg_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool orr_eval_job_can_pair(const struct orrery *job)
{
    const struct orr_conf *network = orr_loaded_network_section(job);
    const bool has_routing = network != NULL && network->kind == ORR_CONF_MAP &&
                             orr_conf_get(network, "routing") != NULL;
    return !has_routing && orr_loaded_network(job)->graph != NULL &&
           net_routing_of(&orr_loaded_network(job)->routes)->fixed != NULL;
}

/* The tasks of a pass are listed operator by operator with all parts of each: forward passes in
 * ascending, backward passes in descending order of the operators (lower.h). */
static void set_times(const struct tg_graph *graph, const struct strategy *strategy,
                      struct eval_strategy *evaluated)
{
    uint32_t op[2] = {0, strategy->ops}, left[2] = {0, 0};
    for (uint32_t i = 0; i < graph->tasks; i++) {
        const struct tg_task *task = &graph->task[i];
        const bool back = task->pass == TG_BACKWARD;
        if (task->role != TG_COMPUTE || (back && op[1] == 0 && left[1] == 0)) {
            continue;
        }
        if (left[back] == 0) {
            op[back] -= back;
            left[back] = strategy->op[op[back]].parts;
            orr_eval_strategy_set_pass_time(evaluated, op[back], back, (sim_time)task->duration_ps);
            op[back] += !back;
        }
        left[back]--;
    }
}

static enum orr_status fail_network(const struct orrery *job, struct orr_diag *diag,
                                    const char *expected)
{
    const struct orr_location place = orr_conf_location(orr_loaded_network_section(job));
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "the evaluator: expected %s", expected);
}

static struct net_flow_model flows_of(const struct orrery *job)
{
    struct net_flow_model flows = {.packet_bytes = 0};
    if (orr_loaded_network(job)->flow_model != NULL) {
        return *orr_loaded_network(job)->flow_model;
    }
    orr_net_config_flows(orr_loaded_network(job), &flows);
    return flows;
}

static enum orr_status check(const struct orrery *job, struct orr_diag *diag)
{
    const struct sys_mono *all_reduce = orr_loaded_all_reduce(job);
    if (orr_loaded_strategy(job) == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the evaluator: expected a workload of a model and a strategy "
                             "(workload.model)");
    }
    if (orr_loaded_network(job)->graph == NULL) {
        return fail_network(job, diag, "a network.graph");
    }
    if (orr_loaded_network(job)->graph->logical != 0) {
        return fail_network(job, diag, "physical servers, got logical ones (/K@logical)");
    }
    if (orr_loaded_network(job)->graph->circuits != NULL) {
        return fail_network(job, diag, "a network without circuits (network.circuits)");
    }
    if (flows_of(job).windows) {
        return fail_network(job, diag, "equal shares (network.shares: maxmin), got windows");
    }
    if (!orr_sys_mono_is_default(all_reduce) && !orr_sys_mono_is_stream(all_reduce)) {
        return fail_network(job, diag, "all-reduces by ring or ring_stream (workload.all_reduce)");
    }
    return ORR_OK;
}

enum orr_status orr_eval_job(const struct orrery *job, struct eval_strategy **out,
                             struct orr_diag *diag)
{
    enum orr_status status = check(job, diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_strategy_job *from = orr_loaded_strategy(job);
    const struct eval_strategy_setup setup = {
        .model = &from->model,
        .strategy = &from->strategy,
        .network = {.graph = orr_loaded_network(job)->graph,
                    .routes = orr_loaded_network(job)->routes,
                    .model = flows_of(job),
                    .stream = orr_sys_mono_is_stream(orr_loaded_all_reduce(job))}};
    status = orr_eval_strategy_create(out, &setup, diag);
    if (status != ORR_OK) {
        return status;
    }
    set_times(orr_loaded_strategy_graph(job), &from->strategy, *out);
    if (!orr_eval_strategy_update_all(*out)) {
        orr_eval_strategy_destroy(*out);
        *out = NULL;
        return orr_diag_no_memory(diag, "an evaluator");
    }
    return ORR_OK;
}

const char *orr_eval_job_resource(const struct orrery *job, const struct eval_critical *critical,
                                  char text[EVAL_RESOURCE_BYTES])
{
    const struct net_graph *graph = orr_loaded_network(job)->graph;
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    if (critical->resource == EVAL_LINK && critical->index >= graph->links) {
        (void)snprintf(text, EVAL_RESOURCE_BYTES, "forwarding of host %.60s",
                       orr_net_node_name(graph, critical->index - graph->links, from));
    } else if (critical->resource == EVAL_LINK) {
        const struct net_link *link = &graph->link[critical->index];
        (void)snprintf(text, EVAL_RESOURCE_BYTES, "link %.60s -> %.60s",
                       orr_net_node_name(graph, link->from, from),
                       orr_net_node_name(graph, link->to, to));
    } else if (critical->resource == EVAL_DEVICE) {
        (void)snprintf(text, EVAL_RESOURCE_BYTES, "NPU %" PRIu32, critical->index);
    } else {
        const struct model_graph *model = &orr_loaded_strategy(job)->model;
        (void)snprintf(text, EVAL_RESOURCE_BYTES, "rounds of the all-reduce of %.100s",
                       model->op[critical->index].name);
    }
    return text;
}
