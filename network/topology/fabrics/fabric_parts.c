/* Parts shared by several fabrics; see fabric_ops.h. */
#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/topology/fabrics/fabric_ops.h"

#include <inttypes.h>

enum orr_status orr_fabric_check_product(const struct fabric_request *request, const char *name,
                                         struct orr_diag *diag)
{
    uint64_t product = 1;
    for (size_t d = 0; d < request->numbers && product <= request->npus; d++) {
        product *= request->number[d];
    }
    return product == request->npus
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s: expected sizes whose product is the number of NPUs, %" PRIu32
                               ", got %s%" PRIu64,
                               name, request->npus, product > request->npus ? "at least " : "",
                               product);
}

void orr_fabric_join(struct net_graph_builder *builder, uint32_t a, uint32_t b,
                     struct net_link_kind kind)
{
    const struct net_link link = {.from = a,
                                  .to = b,
                                  .count = 1,
                                  .bytes_per_s = kind.bytes_per_s,
                                  .latency_ps = kind.latency_ps};
    orr_net_graph_both(builder, &link);
}

void orr_fabric_join_hosts(struct net_graph_builder *builder, const struct fabric_request *request,
                           uint32_t first, uint32_t hosts)
{
    for (uint32_t i = 0; i < request->npus; i++) {
        orr_fabric_join(builder, i, first + i / hosts, request->kind);
    }
}

enum orr_status orr_fabric_too_large(double nodes, double links, struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network: expected at most %d nodes and %d links in a graph, got %.9g "
                         "and %.9g",
                         NET_MAX_NODES, NET_MAX_LINKS, nodes, links);
}

/* Bandwidth counted per NPU: a ring of two has one link. */
enum orr_status orr_fabric_rings(const struct fabric_request *request, const uint32_t *sizes,
                                 size_t dims, struct net_graph *graph, struct orr_diag *diag)
{
    struct net_dim dim[NET_MAX_DIMS];
    ORR_ASSERT(dims <= NET_MAX_DIMS);
    for (size_t d = 0; d < dims; d++) {
        dim[d] = (struct net_dim){.block = NET_RING,
                                  .npus = sizes[d],
                                  .bandwidth_bytes_per_s =
                                      request->kind.bytes_per_s * (sizes[d] > 2 ? 2 : 1),
                                  .latency_ps = request->kind.latency_ps,
                                  .per_npu = true};
    }
    const struct net_config config = {.dims = (unsigned)dims, .dim = dim};
    return orr_net_build_blocks(request->arena, &config, graph, diag);
}
