/* Rails: the GPUs of a server share a switch inside it; the n-th GPUs of the servers of a pod share
 * the pod's n-th leaf (a rail). Rail-optimised networks join the leaves by as many spines as a leaf
 * has servers, one link each; rail-only ones (Wang et al., HOTI'24) have one leaf a rail and no
 * spine: between rails traffic goes through the switch inside a server.
 *
 * Links to leaves and spines are of the given kind; those inside a server are of the GB/s that is
 * said (450: an H100's NVLinks, one way). */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/topology/fabrics/fabric_ops.h"

enum { INSIDE_GB_PER_S = 450 };

struct rails {
    uint32_t gpus, servers, pods; /* servers: of a pod */
    uint32_t spines;
    uint32_t first_leaf, first_spine;
};

static enum orr_status build_rails(const struct fabric_request *request, const char *name,
                                   struct rails rails, uint32_t inside_gb_per_s,
                                   struct net_graph *graph, struct orr_diag *diag)
{
    struct net_graph_builder builder;
    struct net_link_kind inside = request->kind;
    const uint32_t npus = request->npus, of_pod = rails.gpus * rails.servers;
    if (rails.gpus == 0 || rails.servers == 0 || inside_gb_per_s == 0 || npus % rails.gpus != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s: expected servers of one GPU or more that divide the NPUs, "
                             "%" PRIu32 ", got %" PRIu32,
                             name, npus, rails.gpus);
    }
    rails.pods = (npus + of_pod - 1) / of_pod;
    rails.spines = rails.pods > 1 ? rails.spines : 0;
    rails.first_leaf = npus + npus / rails.gpus;
    rails.first_spine = rails.first_leaf + rails.pods * rails.gpus;
    inside.bytes_per_s = inside_gb_per_s * 1e9;
    orr_net_graph_begin(&builder, request->arena, npus, rails.first_spine + rails.spines - npus);
    for (uint32_t i = 0; i < npus; i++) {
        orr_fabric_join(&builder, i, npus + i / rails.gpus, inside);
        orr_fabric_join(&builder, i, rails.first_leaf + i / of_pod * rails.gpus + i % rails.gpus,
                        request->kind);
    }
    for (uint32_t leaf = 0; leaf < rails.pods * rails.gpus; leaf++) {
        for (uint32_t s = 0; s < rails.spines; s++) {
            orr_fabric_join(&builder, rails.first_leaf + leaf, rails.first_spine + s,
                            request->kind);
        }
    }
    return orr_net_graph_end(&builder, graph, diag);
}

static enum orr_status check_size(const struct fabric_request *request, double switches,
                                  double links, struct orr_diag *diag)
{
    return request->npus + switches <= NET_MAX_NODES && links <= NET_MAX_LINKS
               ? ORR_OK
               : orr_fabric_too_large(request->npus + switches, links, diag);
}

static enum orr_status build_optimized(const struct fabric_request *request,
                                       struct net_graph *graph, struct orr_diag *diag)
{
    const uint32_t servers = request->number[1];
    const double leaves = servers > 0 ? (double)request->npus / servers + request->number[0] : 0;
    const enum orr_status status = check_size(request, request->npus + leaves + servers,
                                              4.0 * request->npus + 2 * leaves * servers, diag);
    return status == ORR_OK
               ? build_rails(request, "rail-optimized",
                             (struct rails){
                                 .gpus = request->number[0], .servers = servers, .spines = servers},
                             request->numbers > 2 ? request->number[2] : INSIDE_GB_PER_S, graph,
                             diag)
               : status;
}

static enum orr_status build_only(const struct fabric_request *request, struct net_graph *graph,
                                  struct orr_diag *diag)
{
    const uint32_t gpus = request->number[0];
    const enum orr_status status =
        check_size(request, 2.0 * request->npus, 4.0 * request->npus, diag);
    return status == ORR_OK
               ? build_rails(
                     request, "rail-only",
                     (struct rails){.gpus = gpus, .servers = gpus > 0 ? request->npus / gpus : 0},
                     request->numbers > 1 ? request->number[1] : INSIDE_GB_PER_S, graph, diag)
               : status;
}

const struct net_fabric_ops orr_fabric_rail_optimized = {.name = "rail-optimized",
                                                         .form =
                                                             "rail-optimized:GPUS,SERVERS[,GB/S]",
                                                         .example = "rail-optimized:4,4",
                                                         .example_npus = 32,
                                                         .min = 2,
                                                         .max = 3,
                                                         .routing = NET_ROUTES_SPREAD,
                                                         .build = build_optimized};

const struct net_fabric_ops orr_fabric_rail_only = {.name = "rail-only",
                                                    .form = "rail-only:GPUS[,GB/S]",
                                                    .example = "rail-only:4",
                                                    .example_npus = 16,
                                                    .min = 1,
                                                    .max = 2,
                                                    .routing = NET_ROUTES_SPREAD,
                                                    .build = build_only};
