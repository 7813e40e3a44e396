/* Reader of FlexFlow task graphs in DOT, by libcgraph. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_DOT_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_DOT_H

#include "et_converter/flexflow/flexflow_fbuf.h"

/* Reads a graph into the arena. All its nodes have labels of one of these forms:
 *
 *   { [NAME |] Forward|Backward|Comm|Update|Barrier | { START | END } }       times in ms
 *   { npu_id=K | NAME | TEXT | COMP_NODE | runtime=SECONDS }
 *   { npu_id=K | NAME | TEXT | COMM_SEND_RECV_NODE | src=K | dst=K | size=BYTES }
 *
 * libcgraph keeps its state in globals, so calls of several threads run one after the other. Errors
 * name the node, the expected and the actual value. */
enum orr_status orr_flexflow_read_dot(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                      struct flexflow_graph *out, struct orr_diag *diag);

/* Reads a task graph of either form, detected by its first bytes. (flexflow.c) */
enum orr_status orr_flexflow_read(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                  struct flexflow_graph *out, struct orr_diag *diag);

#endif
