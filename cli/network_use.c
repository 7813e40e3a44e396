/* The use of a network in numbers: see network_use.h. */
#include "cli/network_use.h"

#include <inttypes.h>
#include <string.h>

/* A path's bytes count once for each NPU that sends them: its source, and those that forward. */
struct orr_network_bytes orr_network_bytes(const struct orr_network_use *use)
{
    struct orr_network_bytes bytes = {.demand = 0};
    struct net_path_use path;
    for (size_t i = 0; net_flows_path(use->flows, i, &path); i++) {
        uint32_t senders = 1;
        for (uint32_t h = 1; h < path.hops; h++) {
            senders += use->network->link[path.link[h]].from < use->network->npus;
        }
        bytes.demand += (double)path.bytes;
        bytes.sent += (double)path.bytes * senders;
    }
    return bytes;
}

double orr_bandwidth_tax(const struct orr_network_use *use)
{
    const struct orr_network_bytes bytes = orr_network_bytes(use);
    return bytes.demand > 0 ? bytes.sent / bytes.demand : 1;
}

int orr_link_stats_write(FILE *out, const void *context)
{
    const struct orr_network_use *use = context;
    const struct net_graph *network = use->network;
    struct net_path_use path;
    uint64_t *bytes = orr_heap_calloc((size_t)network->links + 1, sizeof *bytes);
    if (bytes == NULL) {
        return 1;
    }
    for (size_t i = 0; net_flows_path(use->flows, i, &path); i++) {
        for (uint32_t h = 0; h < path.hops; h++) {
            bytes[path.link[h]] += path.bytes;
        }
    }
    (void)fputs("from,to,links,bandwidth_bytes_per_s,latency_ps,bytes,utilization\n", out);
    for (uint32_t i = 0; i < network->links; i++) {
        const struct net_link *link = &network->link[i];
        char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
        const double most = net_link_capacity(link) * (double)use->duration_ps / 1e12;
        (void)fprintf(out, "%s,%s,%" PRIu32 ",%.15g,%" PRId64 ",%" PRIu64 ",%.6f\n",
                      net_node_name(network, link->from, from),
                      net_node_name(network, link->to, to), link->count, link->bytes_per_s,
                      link->latency_ps, bytes[i], most > 0 ? (double)bytes[i] / most : 0);
    }
    orr_heap_free(bytes);
    return ferror(out) ? 1 : 0;
}

uint64_t *orr_traffic_matrix(const struct orr_network_use *use)
{
    const size_t servers = use->servers;
    uint64_t *bytes = orr_heap_calloc(servers * servers + 1, sizeof *bytes);
    struct net_path_use path;
    for (size_t i = 0; bytes != NULL && net_flows_path(use->flows, i, &path); i++) {
        const uint32_t from = use->network->link[path.link[0]].from;
        const uint32_t to = use->network->link[path.link[path.hops - 1]].to;
        if (from < servers && to < servers) {
            bytes[from * servers + to] += path.bytes;
        }
    }
    return bytes;
}

int orr_traffic_csv_write(FILE *out, const void *context)
{
    const struct orr_network_use *use = context;
    const uint32_t servers = use->servers;
    uint64_t *bytes = orr_traffic_matrix(use);
    if (bytes == NULL) {
        return 1;
    }
    (void)fputs("from\\to", out);
    for (uint32_t i = 0; i < servers; i++) {
        (void)fprintf(out, ",%" PRIu32, i);
    }
    for (uint32_t i = 0; i < servers; i++) {
        (void)fprintf(out, "\n%" PRIu32, i);
        for (uint32_t j = 0; j < servers; j++) {
            (void)fprintf(out, ",%" PRIu64, bytes[(size_t)i * servers + j]);
        }
    }
    (void)fputc('\n', out);
    orr_heap_free(bytes);
    return ferror(out) ? 1 : 0;
}

struct orr_output orr_traffic_output(const char *path)
{
    const char *dot = path == NULL ? NULL : strrchr(path, '.');
    const bool picture = dot != NULL && strcmp(dot, ".svg") == 0;
    return (struct orr_output){path, picture ? orr_traffic_svg_write : orr_traffic_csv_write};
}
