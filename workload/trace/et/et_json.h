/* Reads traces as JSON: protobuf-JSON, a sequence of one object per message as chakra_jsonizer
 * writes them, and the "JSON ET" of Chakra's feeder, one object with a "workload_graph". */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_JSON_H
#define ORR_WORKLOAD_TRACE_ET_ET_JSON_H

#include "workload/trace/et/et_stream.h"

/* Whether the stream begins like JSON: '{' and a quoted key with a colon (or "{}"), which is never
 * the begin of the binary format. */
bool orr_et_is_json(const struct et_stream *stream);

/* Reads all of the stream, at most 256 MiB, into the builder. Errors of JSON have line and column;
 * others the index of the node's object and the byte offset of its text. */
enum orr_status orr_et_read_json(struct et_stream *stream, struct orr_trace_builder *builder,
                                 struct orr_diag *diag);

#endif
