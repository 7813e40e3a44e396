/* Hypercubes: NPUs whose numbers differ in one bit are linked; a torus of size 2 in every
 * dimension. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/net_dims.h"
#include "network/topology/fabrics/fabric_ops.h"

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    uint32_t sizes[NET_MAX_DIMS] = {1}, dims = 0;
    while (dims < 31 && (UINT32_C(1) << dims) < request->npus) {
        sizes[dims++] = 2;
    }
    if ((UINT32_C(1) << dims) != request->npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "hypercube: expected a power of two of NPUs, got %" PRIu32,
                             request->npus);
    }
    dims += dims == 0; /* a single NPU is one dimension of size 1 */
    return orr_fabric_rings(request, sizes, dims, graph, diag);
}

const struct net_fabric_ops orr_fabric_hypercube = {.name = "hypercube",
                                                    .form = "hypercube",
                                                    .example = "hypercube",
                                                    .example_npus = 8,
                                                    .routing = NET_ROUTES_BY_DIMENSION,
                                                    .build = build};
