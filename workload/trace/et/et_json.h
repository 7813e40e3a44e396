/* Traces as JSON text: protobuf-JSON, one object per message behind each other as chakra_jsonizer
 * writes them, and the "JSON ET" of Chakra's feeder, one object with a "workload_graph". */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_JSON_H
#define ORR_WORKLOAD_TRACE_ET_ET_JSON_H

#include "workload/trace/et/et_stream.h"

/* Whether the stream begins as JSON text does: '{' and a quoted key with a colon (or "{}"), which
 * the binary format cannot be mistaken for. */
bool orr_et_is_json(const struct et_stream *stream);

/* Reads all of the stream, at most 256 MiB, into the builder. Errors of JSON have line and column;
 * others have the number of the node's object and the byte offset of the text it is in. */
enum orr_status orr_et_read_json(struct et_stream *stream, struct orr_trace_builder *builder,
                                 struct orr_diag *diag);

#endif
