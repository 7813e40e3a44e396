/* Metrics of stacked topologies as tables and as JSON. */
#include <inttypes.h>
#include <jansson.h>

#include "core/strings.h"
#include "core/units.h"
#include "network/coordinates.h"
#include "network/net_dims.h"
#include "network/net_metrics.h"
#include "network/notation.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "report/topology/topology_report.h"

/* Maximum number of neighbors in a line of the table, and in JSON. */
enum { SHOWN_NEIGHBOURS = 8, LISTED_NEIGHBOURS = 4096 };

/* ---- tables ---- */

static const char *bandwidth(double bytes_per_s, char text[ORR_FORMAT_BYTES])
{
    return bytes_per_s > 0 ? orr_format_bandwidth(bytes_per_s, text, ORR_FORMAT_BYTES) : "-";
}

static void show_dim(FILE *out, const struct net_config *config, unsigned d)
{
    const struct net_dim *dim = &config->dim[d];
    const struct net_dim_metrics dims = orr_net_dim_metrics(config, d);
    char link[ORR_FORMAT_BYTES], npu[ORR_FORMAT_BYTES], cut[ORR_FORMAT_BYTES];
    char latency[ORR_FORMAT_BYTES];
    orr_print(out, "%-3u  %-15s %8u %10" PRIu64 " %12s %12s %13s %9u %8.3f %12" PRIu64 " %14s\n",
              d + 1, orr_net_block_name(dim->block), dim->npus, dims.stride,
              bandwidth(dims.link_bytes_per_s, link), bandwidth(dims.npu_bytes_per_s, npu),
              orr_format_time(dim->latency_ps, latency, sizeof latency), dims.hops_max,
              dims.hops_mean, dims.links, bandwidth(dims.bisection_bytes_per_s, cut));
}

static void show_bandwidth(FILE *out, const char *name, double bytes_per_s, const char *about)
{
    char text[ORR_FORMAT_BYTES];
    orr_print(out, "%-21s %s%s\n", name, bandwidth(bytes_per_s, text),
              bytes_per_s > 0 ? about : "");
}

static void show_network(FILE *out, const struct net_config *config)
{
    const struct net_metrics all = orr_net_metrics(config);
    char text[ORR_FORMAT_BYTES], min[64];
    (void)snprintf(min, sizeof min, " one way: the minimum, of dimension %u",
                   all.bisection_dim + 1);
    orr_print(out, "\n%-21s %" PRIu64 ", each way counted\n", "links", all.links);
    show_bandwidth(out, "bandwidth of an NPU", all.npu_bytes_per_s, " one way");
    show_bandwidth(out, "network bandwidth", all.network_bytes_per_s, ": all NPUs sending");
    show_bandwidth(out, "bisection bandwidth", all.bisection_bytes_per_s, min);
    orr_print(out, "%-21s %u hop%s, %s\n", "diameter", all.diameter, orr_plural(all.diameter),
              orr_format_time(all.longest_path_ps, text, sizeof text));
    orr_print(out, "%-21s %.3f hops, %s\n", "mean path", all.hops_mean,
              orr_format_time((sim_time)(all.mean_path_ps + 0.5), text, sizeof text));
}

static void show_neighbours(FILE *out, const struct orr_topo *topo, unsigned d)
{
    const uint32_t count = orr_net_neighbours(&topo->config, topo->rank, d);
    for (uint32_t i = 0; i < count && i < SHOWN_NEIGHBOURS; i++) {
        orr_print(out, "%s%u", i > 0 ? ", " : "",
                  orr_net_neighbour(&topo->config, topo->rank, d, i));
    }
    if (count > SHOWN_NEIGHBOURS) {
        orr_print(out, ", ... (%u in all)", count);
    }
    (void)fputs(count == 0 ? "none\n" : "\n", out);
}

static void show_rank(FILE *out, const struct orr_topo *topo)
{
    uint32_t coords[NET_MAX_DIMS];
    orr_net_coords(&topo->config, topo->rank, coords);
    orr_print(out, "\nrank %u\n", topo->rank);
    orr_print(out, "dim  block           coordinate  neighbours\n");
    for (unsigned d = 0; d < topo->config.dims; d++) {
        orr_print(out, "%-3u  %-15s %10u  ", d + 1, orr_net_block_name(topo->config.dim[d].block),
                  coords[d]);
        show_neighbours(out, topo, d);
    }
}

int orr_topo_show(FILE *out, const struct orr_topo *topo)
{
    char notation[ORR_NOTATION_BYTES];
    const uint32_t npus = orr_net_npus(&topo->config);
    orr_print(out, "%s: %u NPU%s\n\n",
              orr_net_format_notation(&topo->config, notation, sizeof notation), npus,
              orr_plural(npus));
    (void)fprintf(
        out, "dim  block               NPUs     stride         link      each NPU       latency "
             " hops max     mean        links      bisection\n");
    for (unsigned d = 0; d < topo->config.dims; d++) {
        show_dim(out, &topo->config, d);
    }
    show_network(out, &topo->config);
    if (topo->has_rank) {
        show_rank(out, topo);
    }
    return ferror(out) ? 1 : 0;
}

/* ---- JSON; bandwidths that are not known are null ---- */

static json_t *known(double bytes_per_s)
{
    return bytes_per_s > 0 ? json_real(bytes_per_s) : json_null();
}

static json_t *dim_json(const struct net_config *config, unsigned d)
{
    const struct net_dim *dim = &config->dim[d];
    const struct net_dim_metrics dims = orr_net_dim_metrics(config, d);
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:f, s:o}", "block",
                     orr_net_block_name(dim->block), "npus", (json_int_t)dim->npus, "stride",
                     (json_int_t)dims.stride, "lines", (json_int_t)dims.lines, "links_per_npu",
                     (json_int_t)dims.links_per_npu, "links", (json_int_t)dims.links,
                     "link_bandwidth_bytes_per_s", known(dims.link_bytes_per_s),
                     "npu_bandwidth_bytes_per_s", known(dims.npu_bytes_per_s), "latency_ps",
                     (json_int_t)dim->latency_ps, "hops_max", (json_int_t)dims.hops_max,
                     "hops_mean", dims.hops_mean, "bisection_bytes_per_s",
                     known(dims.bisection_bytes_per_s));
}

static json_t *network_json(const struct net_config *config)
{
    const struct net_metrics all = orr_net_metrics(config);
    char notation[ORR_NOTATION_BYTES];
    const bool cut = all.bisection_dim < config->dims;
    return json_pack(
        "{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:f, s:I, s:f}", "topology",
        orr_net_format_notation(config, notation, sizeof notation), "npus",
        (json_int_t)orr_net_npus(config), "links", (json_int_t)all.links,
        "npu_bandwidth_bytes_per_s", known(all.npu_bytes_per_s), "network_bandwidth_bytes_per_s",
        known(all.network_bytes_per_s), "bisection_bytes_per_s", known(all.bisection_bytes_per_s),
        "bisection_dim",
        cut && all.bisection_bytes_per_s > 0 ? json_integer((json_int_t)all.bisection_dim + 1)
                                             : json_null(),
        "diameter_hops", (json_int_t)all.diameter, "mean_hops", all.hops_mean, "longest_path_ps",
        (json_int_t)all.longest_path_ps, "mean_path_ps", all.mean_path_ps);
}

static json_t *rank_json(const struct orr_topo *topo)
{
    uint32_t coords[NET_MAX_DIMS];
    orr_net_coords(&topo->config, topo->rank, coords);
    json_t *list = json_array(), *all = json_array();
    for (unsigned d = 0; d < topo->config.dims; d++) {
        json_t *neighbours = json_array();
        const uint32_t count = orr_net_neighbours(&topo->config, topo->rank, d);
        for (uint32_t i = 0; i < count && i < LISTED_NEIGHBOURS; i++) {
            (void)json_array_append_new(
                neighbours, json_integer(orr_net_neighbour(&topo->config, topo->rank, d, i)));
        }
        (void)json_array_append_new(list, json_integer(coords[d]));
        (void)json_array_append_new(
            all, json_pack("{s:I, s:o}", "count", (json_int_t)count, "ranks", neighbours));
    }
    return json_pack("{s:I, s:o, s:o}", "rank", (json_int_t)topo->rank, "coordinates", list,
                     "neighbours", all);
}

int orr_topo_show_json(FILE *out, const struct orr_topo *topo)
{
    json_t *root = network_json(&topo->config), *dims = json_array();
    for (unsigned d = 0; d < topo->config.dims; d++) {
        (void)json_array_append_new(dims, dim_json(&topo->config, d));
    }
    int failed = json_object_set_new(root, "dims", dims);
    if (topo->has_rank) {
        failed |= json_object_set_new(root, "rank", rank_json(topo));
    }
    failed =
        failed != 0 || orr_json_write(root, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}
