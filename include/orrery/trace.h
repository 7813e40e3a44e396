/* Execution traces as objects: read and checked, looked at, compared, cut and scaled, as
 * `orrery trace` does (docs/user-guide.md).
 *
 *     struct orrery_trace *trace = orrery_trace_new();
 *     if (orrery_trace_read(trace, "job.0.et") != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_trace_error(trace));
 *     }
 *     orrery_trace_write(trace, stdout, ORRERY_TRACE_STATS, 20);
 *     orrery_trace_free(trace);
 *
 * A handle is used by one thread at a time; handles do not know of each other. Functions never
 * print of themselves: files are those of the caller, open for writing, and stay so. Every call
 * that fails keeps what is wrong for orrery_trace_error, as "PLACE: MESSAGE". Errors:
 * ORRERY_ERROR_INPUT (a trace that is wrong, a NULL, a struct of another interface, nothing read
 * yet), _IO (files), _MEMORY. */
#ifndef ORRERY_TRACE_H
#define ORRERY_TRACE_H

#include <stdio.h>

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_trace;

/* An empty handle, or NULL when memory is out. */
ORRERY_API struct orrery_trace *orrery_trace_new(void);

/* Frees the handle and all that it gave out; NULL is fine. */
ORRERY_API void orrery_trace_free(struct orrery_trace *trace);

/* What was wrong with the last call that failed; "" when none has. The handle's. */
ORRERY_API const char *orrery_trace_error(const struct orrery_trace *trace);

/* `warn` is called with the text of each warning from now on; NULL: nothing is (the default). */
ORRERY_API void orrery_trace_on_warning(struct orrery_trace *trace,
                                        void (*warn)(void *user, const char *text), void *user);

/* Reads the trace of one NPU: Chakra's, binary, gzip or JSON (docs/file-formats.md), in place of
 * what the handle held. A trace that is read is valid: every dependency is there, and there is no
 * cycle; what is wrong is told with record and byte. O(bytes + nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_read(struct orrery_trace *trace, const char *path);

/* ---- what it holds ---- */

struct orrery_trace_figures {
    size_t size; /* ORRERY_SIZED(orrery_trace_figures) */
    uint64_t nodes, edges;
    uint64_t kind[ORRERY_NODE_OTHER + 1]; /* nodes, by enum orrery_node_kind */
    uint64_t depth;                       /* nodes of the longest chain */
    uint64_t flops;                       /* of compute nodes; sums stop at 2^64 - 1 */
    uint64_t communication_bytes;         /* of collectives and sends */
    uint64_t recorded_ps;                 /* durations added up */
    uint64_t longest_ps;                  /* the largest sum of durations along a chain */
    uint32_t groups;                      /* named ones */
};

/* Fills in the figures, whose `size` is set. O(nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_figures(struct orrery_trace *trace,
                                                   struct orrery_trace_figures *figures);

/* The chain of nodes that takes longest by recorded durations, in order of time. */
struct orrery_trace_path {
    size_t size; /* ORRERY_SIZED(orrery_trace_path) */
    uint64_t length_ps;
    const uint64_t *id; /* [nodes]; the handle's until it reads another trace */
    size_t nodes;
};

/* Finds it. An error when no node has a duration. O(nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_path(struct orrery_trace *trace,
                                                struct orrery_trace_path *path);

/* How a trace is shown. */
enum orrery_trace_view {
    ORRERY_TRACE_CHECK, /* "FILE: ok, ..." */
    ORRERY_TRACE_INFO,  /* totals */
    ORRERY_TRACE_NODES, /* one line a node */
    ORRERY_TRACE_NODES_JSON,
    ORRERY_TRACE_DOT, /* a graph for Graphviz */
    ORRERY_TRACE_STATS,
    ORRERY_TRACE_STATS_JSON,
    ORRERY_TRACE_PATH, /* the longest chain */
    ORRERY_TRACE_PATH_JSON
};

/* Writes what the command writes. `rows`: of its tables, 0: all. O(nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_write(struct orrery_trace *trace, FILE *out,
                                                 enum orrery_trace_view view, uint32_t rows);

/* The same as a text, which is the handle's until the next one; NULL on an error. */
ORRERY_API const char *orrery_trace_text(struct orrery_trace *trace, enum orrery_trace_view view,
                                         uint32_t rows);

/* Writes the trace to a file, binary; `gzip`: compressed. O(bytes). */
ORRERY_API enum orrery_status orrery_trace_save(struct orrery_trace *trace, const char *path,
                                                bool gzip);

/* ---- two traces ---- */

/* What differs between traces a and b, whatever the ids of their nodes. */
struct orrery_trace_difference {
    size_t size;                         /* ORRERY_SIZED(orrery_trace_difference) */
    uint64_t both, only_a, only_b;       /* nodes */
    uint64_t edges_only_a, edges_only_b; /* between nodes of both */
    uint64_t differences; /* nodes that are in one only or differ; 0: the same trace */
};

/* Compares them and fills in `difference`; errors are of `a`. With `out` it writes what the command
 * writes, as text or JSON, with at most `rows` of the nodes (0: all). O((nodes + edges) log). */
ORRERY_API enum orrery_status orrery_trace_diff(struct orrery_trace *a,
                                                const struct orrery_trace *b,
                                                struct orrery_trace_difference *difference);
ORRERY_API enum orrery_status orrery_trace_write_diff(struct orrery_trace *a,
                                                      const struct orrery_trace *b, FILE *out,
                                                      bool json, uint32_t rows);

/* ---- files: of one NPU, or of all as a prefix (PREFIX.RANK.et, PREFIX.groups.json). What the
 * handle has read stays as it is. ---- */

/* Writes a table of the steps of a file or of the first of a set; `marker`: a part of the names of
 * nodes that mark steps, or a regular expression; NULL: the usual ones. */
ORRERY_API enum orrery_status orrery_trace_write_steps(struct orrery_trace *trace, FILE *out,
                                                       const char *in, const char *marker);

struct orrery_trace_cut {
    size_t size;        /* ORRERY_SIZED(orrery_trace_cut) */
    const char *in;     /* file or prefix */
    const char *out;    /* the same of what is written */
    const char *step;   /* its label; or NULL, and: */
    const char *from;   /* from the node of this name on, */
    const char *to;     /* to before the next node of this one; NULL: the end */
    const char *marker; /* of `step`, as above; or NULL */
    bool gzip;          /* compress */
    uint32_t ranks;     /* filled in, as all below: traces of the set; 0: one file */
    uint64_t nodes;     /* written, of all traces together */
    uint64_t all_nodes; /* read */
    uint64_t edges;     /* written */
    uint64_t dropped;   /* dependencies on nodes outside */
    FILE *said;         /* what the command says of it goes there; NULL: nowhere */
};

/* Cuts a step out of a trace or of all of a set. Files that were begun are left behind on an
 * error. O(nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_cut(struct orrery_trace *trace,
                                               struct orrery_trace_cut *cut);

struct orrery_trace_scale {
    size_t size;     /* ORRERY_SIZED(orrery_trace_scale) */
    const char *in;  /* prefix */
    const char *out; /* prefix */
    uint32_t from;   /* ranks that there are; 0: as many as files, and then filled in */
    uint32_t to;     /* ranks to make */
    bool gzip;       /* compress */
    uint64_t nodes;  /* filled in: of a trace */
    FILE *said;      /* what the command says of it goes there; NULL: nowhere */
};

/* Makes data-parallel traces of `from` ranks traces of `to` ranks (docs/user-guide.md says what is
 * refused; nothing is written then). O(from (nodes + edges) + to bytes). */
ORRERY_API enum orrery_status orrery_trace_scale(struct orrery_trace *trace,
                                                 struct orrery_trace_scale *scale);

#ifdef __cplusplus
}
#endif

#endif
