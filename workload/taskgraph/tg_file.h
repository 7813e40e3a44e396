/* Files of task graphs: a compact binary form (.otg) and readable JSON. docs/file-formats.md
 * describes both, field by field. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_FILE_H
#define ORR_WORKLOAD_TASKGRAPH_TG_FILE_H

#include <stdio.h>

#include "workload/taskgraph/tg_graph.h"

enum tg_form { TG_BINARY, TG_JSON };

/* The bytes of a file, decompressed; borrowed. */
struct tg_bytes {
    const char *name; /* the path in messages; must outlive the graph */
    const void *data;
    size_t count;
};

/* Whether the bytes begin like one of the two forms; sets *form. */
bool orr_tg_is_file(const void *data, size_t count, enum tg_form *form);

/* Reads and checks a graph of either form, in the arena. Input is untrusted: memory is bounded by a
 * fixed multiple of its size. Errors: with the byte offset (binary) or line and column (JSON);
 * those of orr_tg_check. O(bytes). */
enum orr_status orr_tg_read(struct orr_arena *arena, const struct tg_bytes *bytes,
                            struct tg_graph *out, struct orr_diag *diag);

/* Writes a checked graph. Deterministic: equal graphs give equal bytes, also after reading back
 * from either form. Names become printable. Errors: writing fails (errno); no memory. O(tasks +
 * dependencies + members). */
enum orr_status orr_tg_write(const struct tg_graph *graph, enum tg_form form, FILE *out,
                             struct orr_diag *diag);

/* Writes to a file; errors have the path as their location. */
enum orr_status orr_tg_write_file(const struct tg_graph *graph, enum tg_form form, const char *path,
                                  struct orr_diag *diag);

#endif
