/* Network of a task graph as a separate file. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_TOPOLOGY_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_TOPOLOGY_H

#include "core/status.h"
#include "et_converter/flexflow/flexflow_graph.h"

struct orr_diag;

/* Checks that links and paths are between existing nodes. O(links + hops). */
enum orr_status orr_flexflow_topology_check(const struct flexflow_graph *graph,
                                            struct orr_diag *diag);

/* Writes the checked network as YAML (docs/file-formats.md). */
enum orr_status orr_flexflow_topology_write(const struct flexflow_graph *graph, const char *path,
                                            struct orr_diag *diag);

#endif
