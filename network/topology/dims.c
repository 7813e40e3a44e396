/* Stacked topologies: ranks, coordinates and routes between ranks (ASTRA-sim 2.0, section IV-B;
 * docs/models.md, section 3). Dimension 0 varies fastest in the rank. */
#include "core/diag.h"
#include "core/divide.h"
#include "network/coordinates.h"
#include "network/net_dims.h"

enum { MAX_NPUS_BITS = 31 };

const char *orr_net_block_name(enum net_block block)
{
    static const char *const names[NET_BLOCKS] = {"ring", "fully_connected", "switch", "mesh"};
    ORR_ASSERT((unsigned)block < NET_BLOCKS);
    return names[block];
}

uint32_t orr_net_npus(const struct net_config *config)
{
    uint64_t npus = 1;
    for (unsigned d = 0; d < config->dims; d++) {
        npus *= config->dim[d].npus;
        if (npus > UINT64_C(1) << MAX_NPUS_BITS) {
            return 0;
        }
    }
    return (uint32_t)npus;
}

void orr_net_coords(const struct net_config *config, uint32_t rank, uint32_t *coords)
{
    for (unsigned d = 0; d < config->dims; d++) {
        coords[d] = rank % config->dim[d].npus;
        rank /= config->dim[d].npus;
    }
}

uint32_t orr_net_rank(const struct net_config *config, const uint32_t *coords)
{
    uint32_t rank = 0;
    for (unsigned d = config->dims; d-- > 0;) {
        rank = rank * config->dim[d].npus + coords[d];
    }
    return rank;
}

static unsigned hops_of(const struct net_dim *dim, uint32_t forward, bool down)
{
    switch (dim->block) {
    case NET_FULLY_CONNECTED:
        return 1;
    case NET_SWITCH:
        return 2;
    case NET_MESH:
        return down ? dim->npus - forward : forward;
    default:
        return forward < dim->npus - forward ? forward : dim->npus - forward;
    }
}

struct net_route orr_net_route(const struct net_config *config, uint32_t src, uint32_t dst)
{
    for (unsigned d = 0; d < config->dims; d++) {
        const uint32_t npus = config->dim[d].npus;
        const uint32_t from = src % npus, to = dst % npus;
        if (from != to) {
            const uint32_t forward = to > from ? to - from : to + (npus - from);
            return (struct net_route){.dim = d,
                                      .forward = forward,
                                      .hops = hops_of(&config->dim[d], forward, to < from),
                                      .down = to < from,
                                      .further = src / npus != dst / npus};
        }
        src /= npus;
        dst /= npus;
    }
    return (struct net_route){.dim = config->dims};
}

uint32_t orr_net_ahead(const struct net_dim *dim, uint32_t stride, uint32_t npu, uint32_t steps)
{
    const uint32_t coord = npu / stride % dim->npus;
    const uint32_t left = dim->npus - coord;
    const uint32_t target = steps < left ? coord + steps : steps - left;
    return npu - coord * stride + target * stride;
}

sim_time orr_net_path_latency(const struct net_config *config, uint32_t src, uint32_t dst)
{
    sim_time sum = 0;
    while (src != dst) {
        const struct net_route route = orr_net_route(config, src, dst);
        uint32_t stride = 1;
        for (unsigned d = 0; d < route.dim; d++) {
            stride *= config->dim[d].npus;
        }
        sum = orr_time_add(sum, orr_time_mul(config->dim[route.dim].latency_ps, route.hops));
        src = orr_net_ahead(&config->dim[route.dim], stride, src, route.forward);
    }
    return sum;
}

uint32_t orr_net_shift(const struct net_config *config, uint32_t src, uint32_t dst)
{
    uint32_t shift = 0, stride = 1;
    for (unsigned d = 0; d < config->dims && src != dst; d++) {
        const uint32_t npus = config->dim[d].npus;
        const uint32_t from = src % npus, to = dst % npus;
        shift += (to >= from ? to - from : to + (npus - from)) * stride;
        stride *= npus;
        src /= npus;
        dst /= npus;
    }
    return shift;
}

struct net_route orr_net_route_by(const struct net_config *config, const struct orr_divisor *by,
                                  uint32_t src, uint32_t dst)
{
    for (unsigned d = 0; src != dst; d++) {
        const uint32_t npus = by[d].by;
        const uint32_t lines[2] = {orr_quotient(by[d], src), orr_quotient(by[d], dst)};
        const uint32_t from = src - lines[0] * npus, to = dst - lines[1] * npus;
        if (from != to) {
            const uint32_t forward = to > from ? to - from : to + (npus - from);
            return (struct net_route){.dim = d,
                                      .forward = forward,
                                      .hops = hops_of(&config->dim[d], forward, to < from),
                                      .down = to < from,
                                      .further = lines[0] != lines[1]};
        }
        src = lines[0];
        dst = lines[1];
    }
    return (struct net_route){.dim = config->dims};
}
