/* The network of a job as SVG; see topology_report.h. */
#include "core/arena.h"
#include "core/diag.h"
#include "report/pictures/pictures.h"

static enum orr_status draw(FILE *out, const struct net_config *network, const char *name,
                            struct orr_arena *arena, struct orr_diag *diag)
{
    if (network->graph == NULL) {
        const struct orr_topo topo = {.config = *network, .arena = arena};
        return orr_topo_draw(out, &topo, "svg", diag);
    }
    const struct orr_graph_view view = {
        .name = name, .graph = *network->graph, .arena = arena, .has_bandwidths = true};
    char note[ORR_NOTE_BYTES];
    const enum orr_status status = orr_graph_check_drawn(&view, "svg", diag);
    return status == ORR_OK ? orr_graph_draw(out, &view, "svg", note, diag) : status;
}

enum orr_status orr_network_svg(FILE *out, const struct net_config *network, const char *name,
                                struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "the picture");
    }
    const enum orr_status status = draw(out, network, name, arena, diag);
    orr_arena_destroy(arena);
    return status;
}
