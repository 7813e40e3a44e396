/* Numbering of links and routing over them; see block_links.h. */
#include "network/topology/block_links.h"

#include <stddef.h>

#include "core/fold.h"
#include "network/coordinates.h"
#include "network/net_config.h"
#include "network/net_dims.h"

enum { RING_FORWARD, RING_BACKWARD };
enum { SWITCH_UP, SWITCH_DOWN };

uint32_t orr_link_dim_links(const struct net_dim *dim)
{
    if (dim->npus == 1) {
        return 0;
    }
    switch (dim->block) {
    case NET_RING:
        return dim->npus == 2 && dim->per_npu ? 1 : 2;
    case NET_MESH: /* those that would close it carry nothing */
        return 2;
    case NET_FULLY_CONNECTED:
        return dim->npus - 1;
    default:
        return 2;
    }
}

/* Number of links that share the bandwidth given for the dimension. In a mesh the NPUs at the ends
 * have links as wide as those between others. */
static double shares(const struct net_dim *dim)
{
    if (!dim->per_npu || dim->npus == 1 || dim->block == NET_SWITCH ||
        (dim->block == NET_MESH && dim->npus == 2)) {
        return 1;
    }
    return orr_link_dim_links(dim);
}

uint64_t orr_link_dims_init(struct link_dim *dims, const struct net_config *config)
{
    const uint64_t slots = config->fold != NULL ? config->fold->slots : orr_net_npus(config);
    uint64_t links = 0;
    uint32_t stride = 1;
    for (unsigned d = 0; d < config->dims; d++) {
        const struct net_dim *dim = &config->dim[d];
        dims[d] = (struct link_dim){.first_link = (uint32_t)links,
                                    .links = orr_link_dim_links(dim),
                                    .stride = stride,
                                    .bytes_per_s = dim->bandwidth_bytes_per_s / shares(dim),
                                    .given_bytes_per_ns = dim->given_bytes_per_ns / shares(dim)};
        links += slots * dims[d].links;
        stride *= dim->npus;
    }
    return links;
}

uint32_t orr_link_next(const struct net_config *config, const struct link_dim *dims,
                       struct link_position *position, uint32_t dst, bool backwards)
{
    if (position->in_switch) {
        position->in_switch = false;
        return dims[position->dim].first_link + net_slot(config, orr_rank(position->npu)).slot * 2 +
               SWITCH_DOWN;
    }
    const struct net_route route = orr_net_route(config, position->npu, dst);
    const struct net_dim *dim = &config->dim[route.dim];
    const struct link_dim *links = &dims[route.dim];
    uint32_t steps = route.forward;
    uint32_t which = SWITCH_UP;
    if (net_passes_on(dim->block)) {
        const bool back = net_goes_down(dim, &route, backwards);
        which = back && links->links > 1 ? RING_BACKWARD : RING_FORWARD;
        steps = back ? dim->npus - 1 : 1;
    } else if (dim->block == NET_FULLY_CONNECTED) {
        which = route.forward - 1;
    }
    const uint32_t link =
        links->first_link + net_slot(config, orr_rank(position->npu)).slot * links->links + which;
    *position =
        (struct link_position){.npu = orr_net_ahead(dim, links->stride, position->npu, steps),
                               .dim = (uint16_t)route.dim,
                               .in_switch = dim->block == NET_SWITCH};
    return link;
}
