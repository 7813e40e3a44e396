/* Checks that a machine has the groups of rows. */
#include <inttypes.h>

#include "study/measured/measured.h"

enum orr_status orr_measured_check_row(const struct orr_measured *measured,
                                       const struct orr_measured_row *row,
                                       const struct orr_measured_machine *machine,
                                       struct orr_diag *diag)
{
    const uint32_t node = machine->node_npus, nodes = machine->npus / node,
                   each = row->npus_per_node;
    const char *what = each == 0 || row->npus % each != 0 ? "nodes have to have as many each"
                       : row->npus < 2                    ? "there is nothing to time below 2 NPUs"
                       : each > node                      ? "more of a node than the platform has"
                       : row->npus / each > nodes         ? "more nodes than the platform has"
                                                          : NULL;
    const struct orr_location location =
        orr_location_text(measured->file[row->file].path, row->line, 1);
    return what == NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                               "%" PRIu32 " NPUs, %" PRIu32 " of each node: %s; %s has %" PRIu32
                               " node%s of %" PRIu32 " NPU%s",
                               row->npus, each, what, machine->name, nodes, orr_plural(nodes), node,
                               orr_plural(node));
}
