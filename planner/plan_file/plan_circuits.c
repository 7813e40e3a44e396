/* Parameters of SiP-ML's plans on networks with demand-aware circuits; see plan_circuits.h. */
#include "planner/plan_file/plan_circuits.h"

#include "core/conf/conf.h"
#include "network/allocation.h"

/* Default weights of bytes inside of a group. Traffic inside of a group is bursty and blocks all
 * members, while ring traffic may overlap with the backward pass; runs find the best weight. */
static const double default_weights[] = {0.5, 1, 2, 4, 8};

static bool tries_weights(const struct plan_job *job)
{
    const struct orr_conf *network = orr_conf_get(job->root, "network");
    const struct orr_conf *circuits = network != NULL ? orr_conf_get(network, "circuits") : NULL;
    const bool has_weights = circuits != NULL && orr_conf_get(circuits, "weights") != NULL;
    const struct net_circuits *of = job->network.graph->circuits;
    return !has_weights && of->allocated->hold_ps == ORR_TIME_MAX &&
           orr_net_allocator(of->controller) == orr_net_allocator_find("sip_ocs");
}

void orr_plan_find_circuits(struct plan_job *job)
{
    const struct net_graph *graph = job->network.graph;
    if (job->planner != PLAN_SIP_ML || !orr_net_awaits_demands(graph)) {
        return;
    }
    const struct net_allocated *allocated = graph->circuits->allocated;
    const struct net_allocator_ops *ops = orr_net_allocator(graph->circuits->controller);
    const uint32_t ports = graph->circuits->ports, reach = allocated->rules.reach;
    const bool tries = tries_weights(job), moves = allocated->hold_ps != ORR_TIME_MAX;
    const bool ring = ops == orr_net_allocator_find("sip_ring");
    const uint32_t degree = ring && reach != 0 ? reach : ports;
    static const double alone[] = {1};
    job->circuits =
        (struct plan_circuits){.weight = tries   ? default_weights
                                         : moves ? alone
                                                 : allocated->weight,
                               .weights = tries   ? sizeof default_weights / sizeof *default_weights
                                          : moves ? 1
                                                  : allocated->weights,
                               .tries_weights = tries,
                               .degree = degree > 2 ? degree : 2,
                               .bidirectional = ring};
}
