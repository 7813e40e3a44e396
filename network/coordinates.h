/* Ranks and coordinates of a stacked topology, and how two ranks differ. */
#ifndef ORR_NETWORK_COORDINATES_H
#define ORR_NETWORK_COORDINATES_H

#include "network/net_config.h"
#include "network/net_dims.h"

struct orr_divisor;

/* NPUs of all dimensions together; 0 when the product exceeds 2^31. O(dims). */
uint32_t orr_net_npus(const struct net_config *config);

/* Coordinates of a rank, coords[dims]; the rank of coordinates. Inverse of each other. O(dims). */
void orr_net_coords(const struct net_config *config, uint32_t rank, uint32_t *coords);
uint32_t orr_net_rank(const struct net_config *config, const uint32_t *coords);

/* How two ranks differ: the first dimension in which their coordinates do. */
struct net_route {
    unsigned dim;     /* config.dims when src == dst */
    uint32_t forward; /* steps from src to dst in ascending direction, 1..npus-1 */
    unsigned
        hops;     /* ring: the shorter direction; mesh: the only one; fully connected 1; switch 2 */
    bool further; /* other dimensions differ too */
    bool down;    /* to a lower coordinate */
};

/* Whether the route goes in descending direction, in a block that passes messages on; `backwards`
 * decides if a ring's directions are equally long. */
static inline bool net_goes_down(const struct net_dim *dim, const struct net_route *route,
                                 bool backwards)
{
    const uint32_t back = dim->npus - route->forward;
    return dim->block == NET_MESH ? route->down
                                  : back < route->forward || (back == route->forward && backwards);
}

struct net_route orr_net_route(const struct net_config *config, uint32_t src, uint32_t dst);

/* The NPU that is `steps` < npus ahead in a dimension with that stride. */
uint32_t orr_net_ahead(const struct net_dim *dim, uint32_t stride, uint32_t npu, uint32_t steps);

/* The sum of latencies of the dimension-order path from one NPU to another. O(dims^2). */
sim_time orr_net_path_latency(const struct net_config *config, uint32_t src, uint32_t dst);

/* The image of `dst` under the shift of the topology that maps `src` to rank 0: the steps in each
 * dimension, ascending and cyclic. Invariant under shifts of the topology. O(dims). */
uint32_t orr_net_shift(const struct net_config *config, uint32_t src, uint32_t dst);

/* orr_net_route for hot paths: `by` are the divisors of the dimensions' NPUs. */
struct net_route orr_net_route_by(const struct net_config *config, const struct orr_divisor *by,
                                  uint32_t src, uint32_t dst);

/* The neighbours of an NPU in a dimension, reached without passing another NPU: how many there are
 * (at most two in a ring or a mesh, else all others of the line), and the index-th of them. Those
 * of a ring or a mesh are the previous and the next one; others ascend. O(dims). */
uint32_t orr_net_neighbours(const struct net_config *config, uint32_t rank, unsigned d);
uint32_t orr_net_neighbour(const struct net_config *config, uint32_t rank, unsigned d,
                           uint32_t index);

#endif
