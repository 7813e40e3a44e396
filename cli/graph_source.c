/* Graphs from files, YAML or DOT: see topo.h. */
#include "cli/find_input.h"
#include "cli/topo.h"

enum orr_status orr_read_graph(struct orr_arena *arena, const char *path, struct net_link_kind kind,
                               struct net_graph *graph, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    char library[ORR_INPUT_PATH_BYTES];
    if (net_graph_is_dot(path)) {
        return net_graph_read_dot(arena, path, kind, graph, diag);
    }
    orr_inputs_library(library);
    const enum orr_status status = orr_conf_load_composed(arena, path, library, &root, diag);
    const struct orr_conf *section = status == ORR_OK ? orr_conf_get(root, "network") : NULL;
    if (status == ORR_OK && section == NULL) {
        const struct orr_place place = orr_place_file(path);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected a network section with a graph, got none");
    }
    return status == ORR_OK ? net_graph_read(arena, section, kind, graph, diag) : status;
}
