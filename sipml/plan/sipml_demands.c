/* The network of a plan of SiP-ML: its flows, and the parameters of demand-aware circuits; see
 * sipml_job.h. */
#include "sipml/plan/sipml_job.h"

#include "core/conf/conf.h"
#include "core/diag.h"
#include "network/allocation.h"
#include "network/net_backend.h"

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
           !orr_net_allocator(of->controller)->is_ring;
}

static void find_circuits(struct plan_job *job)
{
    const struct net_graph *graph = job->network.graph;
    if (!orr_net_awaits_demands(graph)) {
        return;
    }
    const struct net_allocated *allocated = graph->circuits->allocated;
    const struct net_allocator_ops *ops = orr_net_allocator(graph->circuits->controller);
    const uint32_t ports = graph->circuits->ports, reach = allocated->rules.reach;
    const bool tries = tries_weights(job), moves = allocated->hold_ps != ORR_TIME_MAX;
    const bool ring = ops->is_ring;
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

enum orr_status orr_sipml_job_check_network(struct plan_job *job, struct orr_diag *diag)
{
    const struct orr_conf *network = orr_conf_get(job->root, "network");
    const struct orr_conf *backend = network != NULL ? orr_conf_get(network, "backend") : NULL;
    if (network == NULL) {
        const struct orr_location place = orr_conf_location(job->section);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan: a plan of SiP-ML needs the section network, such as network: "
                             "{design: {name: elect-flat, servers: 1024, bandwidth: 8192 Gb/s}}; "
                             "interfaces are of orrery plan topoopt");
    }
    const struct net_ops *flow = orr_net_backend_default(true);
    if (orr_net_backend_find(job->network.backend) != flow) {
        const struct orr_location place = orr_conf_location(backend != NULL ? backend : network);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "network.backend: expected %s, whose links messages share, for a plan "
                             "of SiP-ML, got %s",
                             flow->name, job->network.backend);
    }
    find_circuits(job);
    return ORR_OK;
}
