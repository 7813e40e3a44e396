/* Files of task graphs: a compact binary form (.otg) and JSON for people. docs/file-formats.md has
 * both, field by field. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_FILE_H
#define ORR_WORKLOAD_TASKGRAPH_TG_FILE_H

#include <stdio.h>

#include "workload/taskgraph/tg_graph.h"

enum tg_form { TG_BINARY, TG_JSON };

/* The bytes of a file, decompressed; borrowed. */
struct tg_bytes {
    const char *name; /* stands for the path in messages; must outlive the graph */
    const void *data;
    size_t count;
};

/* Whether the bytes begin as one of the two forms does, which is set. */
bool orr_tg_is_file(const void *data, size_t count, enum tg_form *form);

/* Reads a graph of either form into the arena, checked. Nothing of the bytes is trusted; no more
 * memory is taken than a fixed multiple of them. Errors: of the binary form with the byte offset,
 * of JSON with line and column; those of orr_tg_check. O(bytes). */
enum orr_status orr_tg_read(struct orr_arena *arena, const struct tg_bytes *bytes,
                            struct tg_graph *out, struct orr_diag *diag);

/* Writes a checked graph. The same graph gives the same bytes, and what is read of them gives them
 * again, by way of either form. Names become printable. Errors: writing fails, which errno tells;
 * no memory. O(tasks + dependencies + members). */
enum orr_status orr_tg_write(const struct tg_graph *graph, enum tg_form form, FILE *out,
                             struct orr_diag *diag);

/* To a file; errors have the path as their place. */
enum orr_status orr_tg_write_file(const struct tg_graph *graph, enum tg_form form, const char *path,
                                  struct orr_diag *diag);

#endif
