/* Reader of FlexNet task graphs, FlatBuffers of its schema taskgraph.fbs, by field number. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_FBUF_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_FBUF_H

#include "core/status.h"
#include "et_converter/flexflow/flexflow_graph.h"

struct orr_arena;
struct orr_diag;

/* The bytes of a file, decompressed; borrowed. */
struct flexflow_bytes {
    const char *name; /* the path in messages; the graph keeps the pointer */
    const void *data;
    size_t count;
};

/* Reads a graph into the arena. The bytes are untrusted: offsets, sizes, alignment, types and times
 * are checked, and errors name the byte, the expected and the actual value. O(bytes) time and
 * memory. */
enum orr_status orr_flexflow_read_fbuf(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                       struct flexflow_graph *out, struct orr_diag *diag);

#endif
