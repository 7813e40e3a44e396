/* Execution traces as objects: reading, checks, statistics, comparison, cut and scaling, as
 * `orrery trace` (docs/how-to/traces.md).
 *
 *     struct orrery_trace *trace = orrery_trace_new();
 *     if (orrery_trace_read(trace, "job.0.et") != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_trace_error(trace));
 *     }
 *     orrery_trace_write(trace, stdout, ORRERY_TRACE_STATS, 20);
 *     orrery_trace_free(trace);
 *
 * One thread at a time may use a handle; handles are independent. Functions only print to files of
 * the caller, which are open for writing and stay open. A failed call stores its message,
 * "LOCATION: MESSAGE", for orrery_trace_error. Errors: ORRERY_ERROR_INPUT (an invalid trace, NULL,
 * a struct of another version, nothing read yet), _IO (files), _MEMORY. */
#ifndef ORRERY_TRACE_H
#define ORRERY_TRACE_H

#include <stdio.h>

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_trace;

/* Creates an empty handle; NULL if out of memory. */
ORRERY_API struct orrery_trace *orrery_trace_new(void);

/* Frees the handle and all texts that it owns; NULL is fine. */
ORRERY_API void orrery_trace_free(struct orrery_trace *trace);

/* The error of the last failed call; "": none. Owned by the handle. */
ORRERY_API const char *orrery_trace_error(const struct orrery_trace *trace);

/* `warn` is called with the text of each warning from now on; NULL (default): warnings are
 * ignored. */
ORRERY_API void orrery_trace_on_warning(struct orrery_trace *trace,
                                        void (*warn)(void *user, const char *text), void *user);

/* Reads the trace of one NPU, a Chakra trace in binary, gzip or JSON (docs/file-formats.md);
 * replaces the previous one. A trace that is read is valid: every dependency exists, and there is
 * no cycle; errors have record and byte. O(bytes + nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_read(struct orrery_trace *trace, const char *path);

/* ---- contents ---- */

struct orrery_trace_figures {
    size_t size; /* ORRERY_SIZED(orrery_trace_figures) */
    uint64_t nodes, edges;
    uint64_t kind[ORRERY_NODE_OTHER + 1]; /* nodes, by enum orrery_node_kind */
    uint64_t depth;                       /* nodes of the longest chain */
    uint64_t flops;                       /* of compute nodes; sums stop at 2^64 - 1 */
    uint64_t communication_bytes;         /* of collectives and sends */
    uint64_t recorded_ps;                 /* sum of durations */
    uint64_t longest_ps;                  /* the largest sum of durations along a chain */
    uint32_t groups;                      /* named ones */
};

/* Fills in the metrics; set their `size` before. O(nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_figures(struct orrery_trace *trace,
                                                   struct orrery_trace_figures *figures);

/* The critical path by recorded durations: its nodes in the order of time. */
struct orrery_trace_path {
    size_t size; /* ORRERY_SIZED(orrery_trace_path) */
    uint64_t length_ps;
    const uint64_t *id; /* [nodes]; owned by the handle until it reads another trace */
    size_t nodes;
};

/* Finds the critical path. An error if no node has a duration. O(nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_path(struct orrery_trace *trace,
                                                struct orrery_trace_path *path);

/* Views of a trace. */
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

/* Writes the output of the command. `rows`: maximum rows of its tables, 0: all. O(nodes +
 * edges). */
ORRERY_API enum orrery_status orrery_trace_write(struct orrery_trace *trace, FILE *out,
                                                 enum orrery_trace_view view, uint32_t rows);

/* The same as a text, owned by the handle until the next call; NULL on an error. */
ORRERY_API const char *orrery_trace_text(struct orrery_trace *trace, enum orrery_trace_view view,
                                         uint32_t rows);

/* Writes the trace to a file, binary; `gzip`: compressed. O(bytes). */
ORRERY_API enum orrery_status orrery_trace_save(struct orrery_trace *trace, const char *path,
                                                bool gzip);

/* ---- two traces ---- */

/* Differences of traces a and b, independent of node ids. */
struct orrery_trace_difference {
    size_t size;                         /* ORRERY_SIZED(orrery_trace_difference) */
    uint64_t both, only_a, only_b;       /* nodes */
    uint64_t edges_only_a, edges_only_b; /* between nodes of both */
    uint64_t differences; /* nodes that differ or are in one trace only; 0: the same trace */
};

/* Compare traces and fill in `difference`, or write the output of the command as text or JSON
 * with at most `rows` nodes (0: all); errors are stored in `a`. O((nodes + edges) log (nodes +
 * edges)). */
ORRERY_API enum orrery_status orrery_trace_diff(struct orrery_trace *a,
                                                const struct orrery_trace *b,
                                                struct orrery_trace_difference *difference);
ORRERY_API enum orrery_status orrery_trace_write_diff(struct orrery_trace *a,
                                                      const struct orrery_trace *b, FILE *out,
                                                      bool json, uint32_t rows);

/* ---- files of one NPU, or of all NPUs by prefix (PREFIX.RANK.et, PREFIX.groups.json). The trace
 * that the handle has read stays as it is. ---- */

/* Writes a table of the steps of a file, or of the first file of a set. `marker`: a part of the
 * names of nodes that mark steps, or a regular expression; NULL: the default markers. */
ORRERY_API enum orrery_status orrery_trace_write_steps(struct orrery_trace *trace, FILE *out,
                                                       const char *in, const char *marker);

struct orrery_trace_cut {
    size_t size;        /* ORRERY_SIZED(orrery_trace_cut) */
    const char *in;     /* input file or prefix */
    const char *out;    /* output file or prefix */
    const char *step;   /* its label; or NULL, and: */
    const char *from;   /* from the node of this name on, */
    const char *to;     /* to before the next node of this one; NULL: the end */
    const char *marker; /* marker of `step`, as above; or NULL */
    bool gzip;          /* compress */
    uint32_t ranks;     /* filled in, as all below: traces of the set; 0: one file */
    uint64_t nodes;     /* written, of all traces together */
    uint64_t all_nodes; /* read */
    uint64_t edges;     /* written */
    uint64_t dropped;   /* dependencies on nodes outside */
    FILE *said;         /* stream for the output of the command; NULL: none */
};

/* Cuts a step out of a trace or of all traces of a set. After an error, incomplete files may
 * remain. O(nodes + edges). */
ORRERY_API enum orrery_status orrery_trace_cut(struct orrery_trace *trace,
                                               struct orrery_trace_cut *cut);

struct orrery_trace_scale {
    size_t size;     /* ORRERY_SIZED(orrery_trace_scale) */
    const char *in;  /* prefix */
    const char *out; /* prefix */
    uint32_t from;   /* number of input ranks; 0: as many as files, then filled in */
    uint32_t to;     /* ranks to make */
    bool gzip;       /* compress */
    uint64_t nodes;  /* filled in: of a trace */
    FILE *said;      /* stream for the output of the command; NULL: none */
};

/* Scales data-parallel traces of `from` ranks to `to` ranks (docs/how-to/traces.md lists what is
 * rejected; nothing is written then). O(from (nodes + edges) + to bytes). */
ORRERY_API enum orrery_status orrery_trace_scale(struct orrery_trace *trace,
                                                 struct orrery_trace_scale *scale);

#ifdef __cplusplus
}
#endif

#endif
