/* Twisted tori (Cámara et al., TPDS'10; TPU v4, ISCA'23: k x k x 2k, k x 2k x 2k): the link that
 * closes a ring of half the largest size also moves by half of that size in each dimension of the
 * largest size. The diameter and the mean path are less than the torus', the bisection more. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph_build.h"
#include "network/net_dims.h"
#include "network/topology/fabrics/fabric_ops.h"

struct lattice {
    const uint32_t *size;
    size_t dims;
    uint32_t largest;
    uint32_t stride[NET_MAX_DIMS];
};

/* The NPU one step up in a dimension. */
static uint32_t next(const struct lattice *lattice, uint32_t npu, size_t dim)
{
    const uint32_t size = lattice->size[dim], at = npu / lattice->stride[dim] % size;
    if (at + 1 < size) {
        return npu + lattice->stride[dim];
    }
    uint32_t to = npu - at * lattice->stride[dim];
    for (size_t d = 0; d < lattice->dims && 2 * size == lattice->largest; d++) {
        if (lattice->size[d] == lattice->largest) {
            const uint32_t here = to / lattice->stride[d] % lattice->largest;
            const uint32_t there = (here + size) % lattice->largest;
            to = to - here * lattice->stride[d] + there * lattice->stride[d];
        }
    }
    return to;
}

static bool is_twisted(const struct lattice *lattice)
{
    for (size_t d = 0; d < lattice->dims; d++) {
        if (2 * lattice->size[d] == lattice->largest && lattice->size[d] > 1) {
            return true;
        }
    }
    return false;
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    struct lattice lattice = {.size = request->number, .dims = request->numbers};
    const enum orr_status status = orr_fabric_check_product(request, "twisted-torus", diag);
    if (status != ORR_OK) {
        return status;
    }
    for (size_t d = 0; d < lattice.dims; d++) {
        lattice.stride[d] = d == 0 ? 1 : lattice.stride[d - 1] * lattice.size[d - 1];
        lattice.largest = lattice.size[d] > lattice.largest ? lattice.size[d] : lattice.largest;
    }
    if (!is_twisted(&lattice)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "twisted-torus: expected a size that is half of the largest, such as "
                             "4x8 or 4x4x8; without one it is a torus");
    }
    orr_net_graph_begin(&builder, request->arena, request->npus, 0);
    for (uint32_t npu = 0; npu < request->npus; npu++) {
        for (size_t d = 0; d < lattice.dims; d++) {
            const uint32_t to = next(&lattice, npu, d);
            /* a ring of two that is not twisted has one link */
            if (to != npu && (lattice.size[d] > 2 || 2 * lattice.size[d] == lattice.largest ||
                              npu / lattice.stride[d] % 2 == 0)) {
                orr_fabric_join(&builder, npu, to, request->kind);
            }
        }
    }
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_twisted_torus = {.name = "twisted-torus",
                                                        .form = "twisted-torus:AxBx...",
                                                        .example = "twisted-torus:4x8",
                                                        .example_npus = 32,
                                                        .min = 2,
                                                        .max = NET_MAX_DIMS,
                                                        .separator = 'x',
                                                        .routing = NET_ROUTES_SPREAD,
                                                        .build = build};
