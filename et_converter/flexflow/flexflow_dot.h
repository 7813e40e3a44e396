/* FlexFlow's task graphs as DOT, read with libcgraph. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_DOT_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_DOT_H

#include "et_converter/flexflow/flexflow_fbuf.h"

/* Reads a graph whose nodes have labels of one of these forms, the same for all:
 *   { [NAME |] Forward|Backward|Comm|Update|Barrier | { START | END } }       times in ms
 *   { npu_id=K | NAME | TEXT | COMP_NODE | runtime=SECONDS }
 *   { npu_id=K | NAME | TEXT | COMM_SEND_RECV_NODE | src=K | dst=K | size=BYTES }
 * libcgraph keeps its state in globals: one thread at a time
 * may read. Errors name the node, what was expected and what was found. */
enum orr_status orr_flexflow_read_dot(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                      struct flexflow_graph *out, struct orr_diag *diag);

/* Reads either form of a task graph, recognised by its first bytes. (flexflow.c) */
enum orr_status orr_flexflow_read(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                  struct flexflow_graph *out, struct orr_diag *diag);

#endif
