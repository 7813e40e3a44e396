/* Chakra execution traces (ET) as files: reading, writing, and loading one per NPU. Plain or gzip,
 * recognised by content; protobuf-JSON and the small "JSON ET" are read too. The format is
 * described in docs/file-formats.md. */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_H
#define ORR_WORKLOAD_TRACE_ET_ET_H

#include "workload/trace/trace_builder.h"

/* Reads one trace; *out lives in the arena. Errors (ORR_ERR_INPUT) name the file, the record, the
 * byte offset in the decompressed file, the node, what was expected and what was found; ORR_ERR_IO:
 * the file cannot be read. Memory is bounded: one record of at most 256 MiB at a time. O(bytes +
 * nodes + edges); about a million nodes a second. */
enum orr_status orr_et_read_file(struct orr_arena *arena, const char *path,
                                 const struct orr_trace **out, struct orr_diag *diag);

/* The bytes of a file; `name` is its path in reports. Borrowed. */
struct orr_et_bytes {
    const char *name;
    const void *data;
    size_t count;
};

/* The same without the warnings of attributes of another tool (trace->foreign) and of names of
 * before (trace->old), and these warnings: `count` of them in the trace and others of its job; 0:
 * none, and the trace may be NULL. */
enum orr_status orr_et_read_quietly(struct orr_arena *arena, const char *path,
                                    const struct orr_trace **out, struct orr_diag *diag);
void orr_et_note_foreign(const struct orr_trace *trace, uint64_t count, struct orr_diag *diag);
void orr_et_note_old(const struct orr_trace *trace, uint64_t count, struct orr_diag *diag);

enum orr_status orr_et_read_memory(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                                   const struct orr_trace **out, struct orr_diag *diag);

/* Loads the trace of each rank 0..npus-1 into by_rank[npus]: from PREFIX.<rank>.et or
 * PREFIX.<rank>.et.gz, or from PREFIX itself for all ranks if that is a file. Files with equal
 * bytes (128-bit hash and size) are parsed once and share one trace. The error for a missing rank
 * names the file and the existing ranks. O(bytes of all files), plus parsing the distinct ones. */
enum orr_status orr_et_load_set(struct orr_arena *arena, const char *prefix, uint32_t npus,
                                const struct orr_trace **by_rank, struct orr_diag *diag);

/* The number of ranks with files PREFIX.<rank>.et or PREFIX.<rank>.et.gz, from 0 without a gap; 0:
 * none, or no memory. PREFIX itself does not count. O(ranks). */
uint32_t orr_et_set_size(const char *prefix);

/* ---- writing ---- */

struct orr_et_writer;

struct orr_et_writer_options {
    bool gzip;
    const char *version; /* of the GlobalMetadata; NULL = "0.0.4", "" = none */
    const char *rules;   /* of the GlobalMetadata, see orr_trace.rules; NULL, "": none */
};

/* A writer to a file (created or truncated) or to memory; options may be NULL for plain. */
enum orr_status orr_et_writer_create(struct orr_et_writer **out, const char *path,
                                     const struct orr_et_writer_options *options,
                                     struct orr_diag *diag);
enum orr_status orr_et_writer_create_memory(struct orr_et_writer **out,
                                            const struct orr_et_writer_options *options,
                                            struct orr_diag *diag);

/* Appends a node with the attributes of its kind, with the names and numeric types of Chakra's own
 * tools. Nothing is checked against other nodes, so tests can write invalid traces. O(bytes
 * written). */
enum orr_status orr_et_writer_add(struct orr_et_writer *writer, const struct orr_node_spec *spec,
                                  struct orr_diag *diag);

/* Flushes and closes the file; no node may be added afterwards. */
enum orr_status orr_et_writer_finish(struct orr_et_writer *writer, struct orr_diag *diag);

/* The bytes written by a finished memory writer; they live as long as the writer. */
const void *orr_et_writer_bytes(const struct orr_et_writer *writer, size_t *count);

/* Frees the writer (NULL is fine); an unfinished file is left incomplete. */
void orr_et_writer_destroy(struct orr_et_writer *writer);

/* Appends a whole trace to the writer. */
enum orr_status orr_et_writer_add_trace(struct orr_et_writer *writer, const struct orr_trace *trace,
                                        struct orr_diag *diag);

#endif
