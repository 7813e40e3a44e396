/* A picture of a stacked topology through Graphviz: small networks with all NPUs, larger ones as a
 * block for each dimension. */
#include <string.h>

#include "core/diag.h"
#include "core/library_lock.h"
#include "core/strings.h"
#include "core/units.h"
#include "network/coordinates.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_metrics.h"
#include "network/notation.h"
#include "report/pictures/graphviz_picture.h"
#include "report/pictures/topo_canvas.h"

enum {
    WHOLE_NPUS = 64,
    ROW_BYTES = 512,
    HEAD_BYTES = 1024,
    ROW_POINTS = 22,
    HEAD_POINTS = 48,
    GAP_POINTS = 28
};

/* ---- the legend ---- */

struct legend {
    char text[HEAD_BYTES + NET_MAX_DIMS * ROW_BYTES];
    size_t used;
};

static void add_row(struct legend *legend, const struct net_config *config, unsigned d)
{
    const struct net_dim *dim = &config->dim[d];
    const struct net_dim_metrics metrics = orr_net_dim_metrics(config, d);
    const struct net_config one = {.dims = 1, .dim = dim};
    char notation[ORR_NOTATION_BYTES], link[ORR_FORMAT_BYTES], npu[ORR_FORMAT_BYTES];
    char latency[ORR_FORMAT_BYTES], bandwidth[3 * ORR_FORMAT_BYTES] = "";
    if (metrics.link_bytes_per_s > 0) {
        (void)snprintf(bandwidth, sizeof bandwidth, "%s a link, %s an NPU",
                       orr_format_bandwidth(metrics.link_bytes_per_s, link, sizeof link),
                       orr_format_bandwidth(metrics.npu_bytes_per_s, npu, sizeof npu));
    }
    legend->used += (size_t)snprintf(
        legend->text + legend->used, sizeof legend->text - legend->used,
        "<TR><TD BGCOLOR=\"%s\" WIDTH=\"28\"> </TD><TD ALIGN=\"LEFT\">dimension %u</TD>"
        "<TD ALIGN=\"LEFT\">%s</TD><TD ALIGN=\"LEFT\">%s</TD><TD ALIGN=\"LEFT\">%s a hop</TD></TR>",
        orr_dim_color(d), d + 1, orr_net_format_notation(&one, notation, sizeof notation),
        bandwidth, orr_format_time(dim->latency_ps, latency, sizeof latency));
}

static void add_legend(struct orr_canvas *canvas, const struct net_config *config)
{
    struct legend legend = {.used = 0};
    char notation[ORR_NOTATION_BYTES];
    const uint32_t npus = orr_net_npus(config);
    legend.used = (size_t)snprintf(
        legend.text, sizeof legend.text,
        "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\"><TR><TD COLSPAN=\"5\">"
        "<FONT POINT-SIZE=\"14\"><B>%s: %u NPU%s</B></FONT></TD></TR>",
        orr_net_format_notation(config, notation, sizeof notation), npus, orr_plural(npus));
    for (unsigned d = 0; d < config->dims; d++) {
        add_row(&legend, config, d);
    }
    legend.used += (size_t)snprintf(legend.text + legend.used, sizeof legend.text - legend.used,
                                    "<TR><TD COLSPAN=\"5\"><FONT POINT-SIZE=\"10\" "
                                    "COLOR=\"#555555\">a line is a link each way; "
                                    "bandwidths are one way; S: switch</FONT></TD></TR></TABLE>");
    ORR_ASSERT(legend.used < sizeof legend.text);
    const double height = HEAD_POINTS + ROW_POINTS * (double)config->dims;
    const struct orr_spot spot = {
        .shape = ORR_SHAPE_TEXT,
        .at = {(canvas->left + canvas->right) / 2, canvas->bottom - GAP_POINTS - height / 2},
        .text = legend.text,
        .html = true};
    (void)orr_canvas_add(canvas, &spot);
}

/* ---- the picture ---- */

static enum orr_status out_of_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "the picture");
}

static enum orr_status draw(FILE *out, struct orr_canvas *canvas, const struct orr_topo *topo,
                            const char *format, struct orr_diag *diag)
{
    if (orr_topo_is_torus(&topo->config)) {
        orr_topo_draw_torus(canvas, topo);
    } else if (orr_net_npus(&topo->config) <= WHOLE_NPUS) {
        orr_topo_draw_all(canvas, topo);
    } else {
        orr_topo_draw_blocks(canvas, topo);
    }
    add_legend(canvas, &topo->config);
    if (canvas->failed) {
        return out_of_memory(diag);
    }
    return orr_picture_write(out, canvas->graph, "nop2", format) ? ORR_OK : ORR_ERR_IO;
}

enum orr_status orr_topo_draw(FILE *out, const struct orr_topo *topo, const char *format,
                              struct orr_diag *diag)
{
    struct orr_canvas canvas;
    orr_library_lock();
    enum orr_status status =
        orr_canvas_open(&canvas) ? draw(out, &canvas, topo, format, diag) : out_of_memory(diag);
    if (canvas.graph != NULL) {
        (void)agclose(canvas.graph);
    }
    orr_library_unlock();
    return status;
}
