/* FlexNet's task graphs as FlatBuffers (the reading half of its taskgraph.fbs, by field number). */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_FBUF_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_FBUF_H

#include "core/core.h"
#include "et_converter/flexflow/flexflow_graph.h"

/* The bytes of a file, decompressed; borrowed. */
struct flexflow_bytes {
    const char *name; /* stands for the path in messages; kept by the graph */
    const void *data;
    size_t count;
};

/* Reads a graph; it lives in the arena. Nothing of the bytes is trusted: offsets, sizes, alignment,
 * types and times are checked, and a message tells the byte, what was expected and what was found.
 * O(bytes) in time and memory. */
enum orr_status orr_flexflow_read_fbuf(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                       struct flexflow_graph *out, struct orr_diag *diag);

#endif
