/* Comparison of a plan with other fabrics; see plan_fabrics.h. */
#include "topoopt/plan/plan_fabrics.h"

#include "core/arena.h"
#include "core/diag.h"
#include "network/design.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "sim/ring_use.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { AT_HAND = 9, FABRIC_BYTES = 160 };

struct fabric_list {
    struct orr_arena *arena;
    const struct plan_job *job;
    const struct topoopt_problem *problem;
    const struct topoopt_result *result;
    struct plan_fabric *fabric;
    uint32_t count;
    struct orr_diag *diag;
};

/* ---- one ---- */

/* Evaluates a pair's strategy; ORR_TIME_MAX if it does not fit the memory. */
static enum orr_status time_of(const struct fabric_list *fabric_list,
                               const struct plan_network *network, const struct topoopt_pair *pair,
                               sim_time *out)
{
    *out = ORR_TIME_MAX;
    return pair->missing_bytes != 0 ? ORR_OK
                                    : orr_topoopt_time(fabric_list->problem, network,
                                                       &pair->strategy, out, fabric_list->diag);
}

/* Adds one, unless there is none for so many servers. */
static enum orr_status add(struct fabric_list *fabric_list, const char *name, const char *notation,
                           double bytes_per_s)
{
    const struct net_fabric fabric = {
        .text = notation,
        .npus = fabric_list->job->servers,
        .kind = {.bytes_per_s = bytes_per_s, .latency_ps = fabric_list->job->interfaces.latency_ps},
        .seed = 1};
    struct orr_arena *scratch = orr_arena_create();
    struct net_graph graph;
    struct plan_network network = {.graph = &graph, .routes = {.seed = 1}};
    struct plan_fabric *to = &fabric_list->fabric[fabric_list->count];
    if (scratch == NULL) {
        return orr_diag_no_memory(fabric_list->diag, "a fabric");
    }
    enum orr_status status =
        orr_net_build_fabric(&fabric, scratch, &graph, &network.routes.routing, NULL);
    const bool none = status == ORR_ERR_INPUT;
    network.routes.routing = net_routing_fixed(&network.routes);
    *to = (struct plan_fabric){.name = orr_arena_strdup(fabric_list->arena, name),
                               .notation = orr_arena_strdup(fabric_list->arena, notation),
                               .bytes_per_s = bytes_per_s};
    if (status == ORR_OK) {
        status = orr_rings_of_all(&graph, &to->rings, fabric_list->diag);
    }
    if (status == ORR_OK) {
        status = time_of(fabric_list, &network, &fabric_list->result->data_parallel,
                         &to->data_parallel_ps);
    }
    if (status == ORR_OK) {
        status = time_of(fabric_list, &network, &fabric_list->result->best, &to->strategy_ps);
    }
    orr_arena_destroy(scratch);
    if (to->name == NULL || to->notation == NULL) {
        return orr_diag_no_memory(fabric_list->diag, "a fabric");
    }
    fabric_list->count += status == ORR_OK;
    return none ? ORR_OK : status;
}

/* ---- default fabrics ---- */

/* Writes the sizes of a torus of d / 2 dimensions, each at least 3 and as equal as possible; false:
 * none fits. */
static bool torus(uint32_t servers, uint32_t degree, char text[FABRIC_BYTES])
{
    uint32_t left = servers;
    size_t length = (size_t)snprintf(text, FABRIC_BYTES, "torus:");
    if (degree < 4 || degree % 2 != 0 || degree > 16) {
        return false;
    }
    for (uint32_t dims = degree / 2; dims > 0; dims--) {
        uint32_t size = (uint32_t)(pow(left, 1.0 / dims) + 1e-9);
        while (size > 2 && left % size != 0) {
            size--;
        }
        size = dims == 1 ? left : size;
        if (size < 3) {
            return false;
        }
        length += (size_t)snprintf(text + length, FABRIC_BYTES - length,
                                   dims > 1 ? "%" PRIu32 "x" : "%" PRIu32, size);
        left /= size;
    }
    return true;
}

/* Adds a design with the plan's servers and interfaces, unless interfaces would be idle. */
static enum orr_status add_design(struct fabric_list *fabric_list, const char *name,
                                  struct net_design design)
{
    struct net_design_parts parts;
    design.servers = fabric_list->job->servers;
    design.degree = fabric_list->job->interfaces.degree;
    design.bytes_per_s = fabric_list->job->interfaces.bytes_per_s;
    const enum orr_status status = orr_net_design_parts(fabric_list->arena, &design, &parts, NULL);
    if (status == ORR_ERR_INPUT || (status == ORR_OK && parts.idle != 0)) {
        return ORR_OK;
    }
    return status == ORR_OK ? add(fabric_list, name, parts.fabric, parts.bytes_per_s)
                            : orr_diag_no_memory(fabric_list->diag, "a fabric");
}

static enum orr_status add_switched(struct fabric_list *fabric_list)
{
    enum orr_status status = add_design(fabric_list, "ideal switch",
                                        (struct net_design){.name = NET_DESIGN_IDEAL_SWITCH});
    if (status == ORR_OK) {
        status = add_design(
            fabric_list, "fat-tree of equal cost",
            (struct net_design){.name = NET_DESIGN_FAT_TREE, .rule = NET_FAT_TREE_PAPER});
    }
    if (status == ORR_OK) {
        status = add_design(
            fabric_list, "fat-tree, undivided",
            (struct net_design){.name = NET_DESIGN_FAT_TREE, .rule = NET_FAT_TREE_UNDIVIDED});
    }
    return status == ORR_OK ? add_design(fabric_list, "fat-tree, half the uplinks",
                                         (struct net_design){.name = NET_DESIGN_OVERSUBSCRIBED})
                            : status;
}

static enum orr_status add_direct(struct fabric_list *fabric_list, uint32_t degree,
                                  double bytes_per_s)
{
    const uint32_t n = fabric_list->job->servers;
    char text[FABRIC_BYTES];
    enum orr_status status =
        add_design(fabric_list, "expander", (struct net_design){.name = NET_DESIGN_EXPANDER});
    if (status == ORR_OK) {
        status =
            add(fabric_list, "full mesh, divided", "full-mesh", bytes_per_s * degree / (n - 1));
    }
    if (status == ORR_OK && torus(n, degree, text)) {
        status = add(fabric_list, "torus", text, bytes_per_s);
    }
    if (status == ORR_OK && degree < 16 && n == UINT32_C(1) << degree) {
        status = add(fabric_list, "hypercube", "hypercube", bytes_per_s);
    }
    return status == ORR_OK ? add_design(fabric_list, "circulant, published",
                                         (struct net_design){.name = NET_DESIGN_TOPOOPT,
                                                             .jumps = NET_JUMPS_PUBLISHED})
                            : status;
}

enum orr_status orr_plan_fabrics(struct orr_arena *arena, const struct plan_job *job,
                                 const struct topoopt_problem *problem,
                                 const struct topoopt_result *result,
                                 const struct plan_fabric **out, uint32_t *count,
                                 struct orr_diag *diag)
{
    const struct plan_interfaces *with = &job->interfaces;
    const bool all = job->compares && !job->fixed;
    struct fabric_list fabric_list = {
        .arena = arena,
        .job = job,
        .problem = problem,
        .result = result,
        .fabric = orr_arena_array(arena, AT_HAND + job->compared, sizeof *fabric_list.fabric),
        .diag = diag};
    enum orr_status status =
        fabric_list.fabric != NULL ? ORR_OK : orr_diag_no_memory(diag, "the fabrics of a plan");
    if (status == ORR_OK && all) {
        status = add_switched(&fabric_list);
    }
    if (status == ORR_OK && all) {
        status = add_direct(&fabric_list, with->degree, with->bytes_per_s);
    }
    for (size_t i = 0; i < job->compared && status == ORR_OK; i++) {
        status = add(&fabric_list, job->compare[i], job->compare[i], with->bytes_per_s);
    }
    *out = fabric_list.fabric;
    *count = fabric_list.count;
    return status;
}
