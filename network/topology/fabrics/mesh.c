/* Mesh: a line in every dimension, as on a wafer: a torus without the links that close its rings.
 */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph_build.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status check(const struct fabric_request *request, struct orr_diag *diag)
{
    for (size_t d = 0; d < request->numbers; d++) {
        if (request->number[d] < 2) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "mesh: expected sizes of at least 2, got %" PRIu32,
                                 request->number[d]);
        }
    }
    return orr_fabric_check_product(request, "mesh", diag);
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_dim dim[NET_MAX_DIMS];
    if (check(request, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    for (size_t d = 0; d < request->numbers; d++) {
        dim[d] = (struct net_dim){.block = NET_MESH,
                                  .npus = request->number[d],
                                  .bandwidth_bytes_per_s = request->kind.bytes_per_s,
                                  .latency_ps = request->kind.latency_ps};
    }
    const struct net_config config = {.dims = (unsigned)request->numbers, .dim = dim};
    return orr_net_build_blocks(request->arena, &config, graph, diag);
}

const struct net_fabric_ops orr_fabric_mesh = {.name = "mesh",
                                               .form = "mesh:AxBx...",
                                               .example = "mesh:4x3",
                                               .example_npus = 12,
                                               .min = 1,
                                               .max = NET_MAX_DIMS,
                                               .separator = 'x',
                                               .routing = NET_ROUTES_BY_DIMENSION,
                                               .build = build};
