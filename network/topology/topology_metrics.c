/* Metrics of a stacked topology as a graph: links, hops, bisection (docs/models.md, section 3). A
 * dimension of n NPUs has NPUs / n lines, each a ring, a mesh, a clique or a switch with its NPUs.
 *
 *              one-way links of an NPU   sum of hops from an NPU          one-way links cut
 *      ring     2 (1 if counted per NPU   floor(n^2 / 4)                   2, or all in a ring of 2
 *                  in a ring of 2)
 *      mesh     2, 1 at its ends          (n^2 - 1) / 3 on average         1
 *      FC       n - 1                     n - 1                            floor(n / 2) ceil(n / 2)
 *      switch   1 up, and 1 down to it    2 (n - 1)                        floor(n / 2)
 *
 * The bisection cuts each line into halves of floor(n / 2) and ceil(n / 2) neighbours. Averages are
 * over ordered pairs of different NPUs. */
#include "network/coordinates.h"
#include "network/net_dims.h"
#include "network/net_metrics.h"

static double cut_links(const struct net_dim *dim, unsigned links)
{
    const double less = dim->npus / 2, more = dim->npus - dim->npus / 2;
    switch (dim->block) {
    case NET_RING:
        return links;
    case NET_MESH:
        return 1;
    case NET_FULLY_CONNECTED:
        return less * more;
    default:
        return less;
    }
}

static double hops_from_one(const struct net_dim *dim)
{
    const uint64_t n = dim->npus;
    switch (dim->block) {
    case NET_RING:
        return (double)(n * n / 4);
    case NET_MESH: /* two of 1 + 2 + ... */
        return (double)(n * n - 1) / 3;
    case NET_FULLY_CONNECTED:
        return (double)(n - 1);
    default:
        return (double)(2 * (n - 1));
    }
}

static unsigned hops_max(const struct net_dim *dim)
{
    if (dim->npus == 1) {
        return 0;
    }
    return dim->block == NET_RING     ? dim->npus / 2
           : dim->block == NET_MESH   ? dim->npus - 1
           : dim->block == NET_SWITCH ? 2
                                      : 1;
}

/* One-way links that a mesh has not, of those that a line of NPUs between two others would have. */
static uint64_t links_at_ends(const struct net_dim *dim)
{
    return dim->block == NET_MESH && dim->npus > 2 ? 2 : 0;
}

/* Outgoing links of an NPU; of a mesh, of one between two others. */
static uint32_t links_out(const struct net_dim *dim)
{
    if (dim->npus == 1) {
        return 0;
    }
    switch (dim->block) {
    case NET_RING:
        return dim->npus == 2 && dim->per_npu ? 1 : 2;
    case NET_MESH:
        return dim->npus == 2 ? 1 : 2;
    case NET_FULLY_CONNECTED:
        return dim->npus - 1;
    default:
        return 1;
    }
}

struct net_dim_metrics orr_net_dim_metrics(const struct net_config *config, unsigned d)
{
    const struct net_dim *dim = &config->dim[d];
    const uint64_t npus = orr_net_npus(config);
    const uint32_t out = links_out(dim);
    struct net_dim_metrics metrics = {.stride = 1, .lines = npus / dim->npus, .links_per_npu = out};
    for (unsigned inner = 0; inner < d; inner++) {
        metrics.stride *= config->dim[inner].npus;
    }
    metrics.links =
        npus * out * (dim->block == NET_SWITCH ? 2 : 1) - metrics.lines * links_at_ends(dim);
    metrics.hops_max = hops_max(dim);
    if (out == 0) {
        return metrics;
    }
    const double bandwidth = dim->bandwidth_bytes_per_s;
    metrics.link_bytes_per_s = dim->per_npu ? bandwidth / out : bandwidth;
    metrics.npu_bytes_per_s = metrics.link_bytes_per_s * out;
    metrics.hops_from_one = hops_from_one(dim);
    metrics.hops_mean = metrics.hops_from_one / (dim->npus - 1);
    metrics.bisection_bytes_per_s =
        (double)metrics.lines * cut_links(dim, out) * metrics.link_bytes_per_s;
    return metrics;
}

uint64_t orr_net_servers(const struct net_config *config, unsigned d, uint32_t ports)
{
    const struct net_dim *dim = &config->dim[d];
    const uint64_t npus = orr_net_npus(config);
    const bool ends = dim->block == NET_MESH && ports > 1;
    return npus * ports - (ends ? npus / dim->npus * 2 : 0);
}

struct net_metrics orr_net_metrics(const struct net_config *config)
{
    const double npus = orr_net_npus(config);
    struct net_metrics all = {.bisection_dim = config->dims};
    double hops = 0, path_ps = 0, at_ends = 0;
    for (unsigned d = 0; d < config->dims; d++) {
        const struct net_dim_metrics one = orr_net_dim_metrics(config, d);
        const sim_time latency_ps = config->dim[d].latency_ps;
        const double from_one = one.hops_from_one * (npus / config->dim[d].npus);
        all.links += one.links;
        all.npu_bytes_per_s += one.npu_bytes_per_s;
        at_ends += (double)(one.lines * links_at_ends(&config->dim[d])) * one.link_bytes_per_s;
        all.diameter += one.hops_max;
        all.longest_path_ps =
            orr_time_add(all.longest_path_ps, orr_time_mul(latency_ps, one.hops_max));
        hops += from_one;
        path_ps += from_one * (double)latency_ps;
        const bool min = all.bisection_dim == config->dims ||
                         one.bisection_bytes_per_s < all.bisection_bytes_per_s;
        if (one.links != 0 && min) {
            all.bisection_bytes_per_s = one.bisection_bytes_per_s;
            all.bisection_dim = d;
        }
    }
    all.network_bytes_per_s = npus * all.npu_bytes_per_s - at_ends;
    all.hops_mean = npus > 1 ? hops / (npus - 1) : 0;
    all.mean_path_ps = npus > 1 ? path_ps / (npus - 1) : 0;
    return all;
}

uint32_t orr_net_neighbours(const struct net_config *config, uint32_t rank, unsigned d)
{
    const struct net_dim *dim = &config->dim[d];
    if (!net_passes_on(dim->block) || dim->npus < 3) {
        return dim->npus - 1;
    }
    const uint32_t at = rank / (uint32_t)orr_net_dim_metrics(config, d).stride % dim->npus;
    return dim->block == NET_MESH && (at == 0 || at == dim->npus - 1) ? 1 : 2;
}

uint32_t orr_net_neighbour(const struct net_config *config, uint32_t rank, unsigned d,
                           uint32_t index)
{
    const struct net_dim *dim = &config->dim[d];
    const uint32_t stride = (uint32_t)orr_net_dim_metrics(config, d).stride;
    const uint32_t at = rank / stride % dim->npus;
    uint32_t to = index < at ? index : index + 1; /* all others, ascending */
    if (dim->block == NET_MESH) {
        to = index == 0 && at > 0 ? at - 1 : at + 1;
    } else if (dim->block == NET_RING) {
        to = (index == 0 ? at + dim->npus - 1 : at + 1) % dim->npus; /* previous, next */
    }
    return rank - at * stride + to * stride;
}
