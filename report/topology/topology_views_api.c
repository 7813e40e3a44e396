/* Metrics, tables and pictures of networks for programs; see include/orrery/topology.h. */
#include <errno.h>
#include <string.h>

#include "network/coordinates.h"
#include "network/net_dims.h"
#include "network/net_metrics.h"
#include "orrery/orrery.h"
#include "report/topology/topology_private.h"

/* Checks that a network was read; without a message if `topology` is NULL. */
static enum orr_status check_read(struct orrery_topology *topology)
{
    return topology->read ? ORR_OK
                          : orr_diag_fail(&topology->object.diag, ORR_ERR_INPUT, NULL,
                                          "no network was read yet");
}

/* ---- metrics ---- */

static void fill_stack(const struct net_config *config, struct orrery_topology_figures *out)
{
    const struct net_metrics all = orr_net_metrics(config);
    *out = (struct orrery_topology_figures){.size = sizeof *out,
                                            .npus = orr_net_npus(config),
                                            .dims = config->dims,
                                            .links = all.links,
                                            .diameter = all.diameter,
                                            .diameter_is_exact = true,
                                            .mean_hops = all.hops_mean,
                                            .npu_bytes_per_s = all.npu_bytes_per_s,
                                            .network_bytes_per_s = all.network_bytes_per_s,
                                            .bisection_bytes_per_s = all.bisection_bytes_per_s};
}

static void fill_graph(const struct orr_graph_view *view, const struct orr_graph_known *known,
                       struct orrery_topology_figures *out)
{
    const struct net_graph_metrics *metrics = &known->metrics;
    const bool speeds = view->has_bandwidths;
    *out = (struct orrery_topology_figures){
        .size = sizeof *out,
        .graph = true,
        .npus = view->graph.npus,
        .switches = view->graph.nodes - view->graph.npus,
        .links = metrics->links,
        .diameter = metrics->diameter,
        .diameter_is_exact = metrics->searched == metrics->searchable,
        .mean_hops = metrics->hops_mean,
        .npu_bytes_per_s = speeds ? metrics->npu_bytes_per_s : 0,
        .network_bytes_per_s = speeds ? metrics->network_bytes_per_s : 0,
        .bisection_bytes_per_s = speeds ? known->bisection.bytes_per_s : 0,
        .cost_dollars = known->has_cost ? known->cost.total_dollars : 0};
}

static enum orr_status fill_metrics(struct orrery_topology *topology,
                                    struct orrery_topology_figures *out)
{
    struct orr_graph_known known;
    if (!topology->graph) {
        fill_stack(&topology->topo.config, out);
        return ORR_OK;
    }
    topology->view.brief = false;
    const enum orr_status status =
        orr_graph_compute_metrics(&topology->view, &known, &topology->object.diag);
    if (status == ORR_OK) {
        fill_graph(&topology->view, &known, out);
    }
    return status;
}

enum orrery_status orrery_topology_figures(struct orrery_topology *topology,
                                           struct orrery_topology_figures *metrics)
{
    if (topology == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status =
        orr_check_caller_struct("orrery_topology_figures", metrics != NULL ? &metrics->size : NULL,
                                sizeof *metrics, &topology->object.diag);
    if (status == ORR_OK && (status = check_read(topology)) == ORR_OK) {
        status = fill_metrics(topology, metrics);
    }
    return orr_object_finish(&topology->object, status);
}

static enum orr_status fill_dim(struct orrery_topology *topology, unsigned d,
                                struct orrery_topology_dim *out)
{
    const struct net_config *config = &topology->topo.config;
    if (topology->graph || d >= config->dims) {
        return orr_diag_fail(&topology->object.diag, ORR_ERR_INPUT, NULL,
                             "a dimension: expected an index below %u, got %u",
                             topology->graph ? 0 : config->dims, d);
    }
    const struct net_dim_metrics metrics = orr_net_dim_metrics(config, d);
    *out = (struct orrery_topology_dim){.size = sizeof *out,
                                        .block = orr_net_block_name(config->dim[d].block),
                                        .npus = config->dim[d].npus,
                                        .stride = metrics.stride,
                                        .links = metrics.links,
                                        .link_bytes_per_s = metrics.link_bytes_per_s,
                                        .npu_bytes_per_s = metrics.npu_bytes_per_s,
                                        .bisection_bytes_per_s = metrics.bisection_bytes_per_s,
                                        .latency_ps = config->dim[d].latency_ps,
                                        .diameter = metrics.hops_max,
                                        .mean_hops = metrics.hops_mean};
    return ORR_OK;
}

enum orrery_status orrery_topology_dim(struct orrery_topology *topology, unsigned dim,
                                       struct orrery_topology_dim *out)
{
    if (topology == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status =
        orr_check_caller_struct("orrery_topology_dim", out != NULL ? &out->size : NULL, sizeof *out,
                                &topology->object.diag);
    if (status == ORR_OK && (status = check_read(topology)) == ORR_OK) {
        status = fill_dim(topology, dim, out);
    }
    return orr_object_finish(&topology->object, status);
}

/* ---- texts ---- */

struct topology_output {
    struct orrery_topology *topology;
    enum orrery_topology_view view;
    uint32_t rank;
};

static enum orr_status show_stack(FILE *out, const struct topology_output *topology_output)
{
    struct orrery_topology *topology = topology_output->topology;
    struct orr_diag *diag = &topology->object.diag;
    struct orr_topo topo = topology->topo;
    const uint32_t npus = orr_net_npus(&topo.config);
    topo.has_rank = topology_output->rank != ORRERY_NO_RANK;
    topo.rank = topology_output->rank;
    if (topology_output->view >= ORRERY_TOPOLOGY_CHECK) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "graphs are checked; this is a stack of dimensions");
    }
    if (topo.has_rank && topo.rank >= npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "rank: expected one from 0 to %u, got %u",
                             npus - 1, topo.rank);
    }
    const bool json = topology_output->view == ORRERY_TOPOLOGY_SHOW_JSON;
    const int failed = json ? orr_topo_show_json(out, &topo) : orr_topo_show(out, &topo);
    return failed == 0 ? ORR_OK
                       : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the metrics cannot be written");
}

static enum orr_status show_graph(FILE *out, const struct topology_output *topology_output)
{
    struct orr_graph_view view = topology_output->topology->view;
    struct orr_diag *diag = &topology_output->topology->object.diag;
    if (topology_output->rank != ORRERY_NO_RANK) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "rank: NPUs of graphs have no coordinates; expected ORRERY_NO_RANK");
    }
    view.brief = topology_output->view >= ORRERY_TOPOLOGY_CHECK;
    const bool json = topology_output->view == ORRERY_TOPOLOGY_SHOW_JSON ||
                      topology_output->view == ORRERY_TOPOLOGY_CHECK_JSON;
    return orr_graph_show(out, &view, json, diag);
}

static enum orr_status show(FILE *out, void *context)
{
    const struct topology_output *topology_output = context;
    struct orr_diag *diag = &topology_output->topology->object.diag;
    enum orr_status status = check_read(topology_output->topology);
    if (status == ORR_OK && (unsigned)topology_output->view > ORRERY_TOPOLOGY_CHECK_JSON) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected a view of a network, got %u",
                               (unsigned)topology_output->view);
    }
    if (status == ORR_OK) {
        status = topology_output->topology->graph ? show_graph(out, topology_output)
                                                  : show_stack(out, topology_output);
    }
    return status == ORR_OK ? orr_check_written(out, diag) : status;
}

enum orrery_status orrery_topology_write(struct orrery_topology *topology, FILE *out,
                                         enum orrery_topology_view view, uint32_t rank)
{
    struct topology_output topology_output = {.topology = topology, .view = view, .rank = rank};
    return topology == NULL ? ORRERY_ERROR_INPUT
                            : orr_object_finish(&topology->object, show(out, &topology_output));
}

const char *orrery_topology_text(struct orrery_topology *topology, enum orrery_topology_view view,
                                 uint32_t rank)
{
    struct topology_output topology_output = {.topology = topology, .view = view, .rank = rank};
    return topology == NULL ? NULL : orr_object_text(&topology->object, show, &topology_output);
}

/* ---- pictures ---- */

static enum orr_status check_drawn(struct orrery_topology *topology, const char *format)
{
    const enum orr_status status = check_read(topology);
    return status != ORR_OK || !topology->graph
               ? status
               : orr_graph_check_drawn(&topology->view, format, &topology->object.diag);
}

static enum orr_status draw(FILE *out, struct orrery_topology *topology, const char *format)
{
    struct orr_diag *diag = &topology->object.diag;
    char note[ORR_NOTE_BYTES] = "";
    errno = 0;
    const enum orr_status status = topology->graph
                                       ? orr_graph_draw(out, &topology->view, format, note, diag)
                                       : orr_topo_draw(out, &topology->topo, format, diag);
    if (status == ORR_ERR_IO) {
        (void)orr_diag_fail(diag, ORR_ERR_IO, NULL, "the picture cannot be written: %s",
                            errno != 0 ? strerror(errno) : "Graphviz failed");
    }
    if (status == ORR_OK && note[0] != '\0') {
        orr_diag_warn(diag, NULL, "%s", note);
    }
    return status;
}

static enum orr_status draw_file(struct orrery_topology *topology, const char *path)
{
    struct orr_diag *diag = &topology->object.diag;
    const char *format = path != NULL ? orr_picture_format(path) : NULL;
    if (format == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected a file that ends in .svg, .pdf, .png or .dot, got \"%s\"",
                             path != NULL ? path : "NULL");
    }
    enum orr_status status = check_drawn(topology, format);
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_location location = orr_location_file(path);
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return orr_diag_fail(diag, ORR_ERR_IO, &location, "cannot be written: %s", strerror(errno));
    }
    status = draw(out, topology, format);
    if (fclose(out) != 0 && status == ORR_OK) {
        status =
            orr_diag_fail(diag, ORR_ERR_IO, &location, "cannot be written: %s", strerror(errno));
    }
    return status;
}

enum orrery_status orrery_topology_draw(struct orrery_topology *topology, const char *path)
{
    return topology == NULL ? ORRERY_ERROR_INPUT
                            : orr_object_finish(&topology->object, draw_file(topology, path));
}

static enum orr_status draw_stream(struct orrery_topology *topology, FILE *out, const char *format)
{
    struct orr_diag *diag = &topology->object.diag;
    char name[16];
    (void)snprintf(name, sizeof name, "x.%s", format != NULL ? format : "");
    if (orr_picture_format(name) == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected the format svg, pdf, png or dot, got \"%s\"",
                             format != NULL ? format : "NULL");
    }
    enum orr_status status = check_drawn(topology, format);
    if (status == ORR_OK && (status = draw(out, topology, format)) == ORR_OK) {
        status = orr_check_written(out, diag);
    }
    return status;
}

enum orrery_status orrery_topology_write_picture(struct orrery_topology *topology, FILE *out,
                                                 const char *format)
{
    return topology == NULL
               ? ORRERY_ERROR_INPUT
               : orr_object_finish(&topology->object, draw_stream(topology, out, format));
}
