/* Traces as text, as JSON and as graphs; what was cut out of them and scaled. */
#ifndef ORR_REPORT_TRACE_TRACE_REPORT_H
#define ORR_REPORT_TRACE_TRACE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "workload/workload.h"

/* Each prints one trace; scratch memory comes from the arena. Errors: out of memory. */
typedef enum orr_status (*orr_trace_printer)(FILE *out, struct orr_arena *arena,
                                             const struct orr_trace *trace, struct orr_diag *diag);

/* Totals: nodes, edges, bytes, operations, durations, depth, groups. */
enum orr_status orr_trace_print_info(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, struct orr_diag *diag);
/* One line a node. */
enum orr_status orr_trace_print_nodes(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, struct orr_diag *diag);
/* protobuf-JSON, one message a line, which the trace reader takes too. */
enum orr_status orr_trace_print_json(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, struct orr_diag *diag);
/* A Graphviz graph. */
enum orr_status orr_trace_print_dot(FILE *out, struct orr_arena *arena,
                                    const struct orr_trace *trace, struct orr_diag *diag);
/* "FILE: ok, 3 nodes, 2 edges": of a trace that was read, and so is valid. */
enum orr_status orr_trace_print_check(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, struct orr_diag *diag);

/* Nodes by kind and device, computation by operator, communication by group: as tables with `rows`
 * operators, or appended to a list, which is then printed and freed. */
enum orr_status orr_trace_print_stats(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, uint32_t rows,
                                      struct orr_diag *diag);
enum orr_status orr_trace_stats_json(json_t *list, struct orr_arena *arena,
                                     const struct orr_trace *trace, uint32_t rows,
                                     struct orr_diag *diag);
enum orr_status orr_trace_print_stats_json(FILE *out, json_t *list, struct orr_diag *diag);

/* The longest chain by recorded durations; a trace without durations is an error. */
enum orr_status orr_trace_longest_path(struct orr_arena *arena, const struct orr_trace *trace,
                                       struct orr_trace_path *path, struct orr_diag *diag);
enum orr_status orr_trace_print_path(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, uint32_t rows,
                                     struct orr_diag *diag);
enum orr_status orr_trace_print_path_json(FILE *out, struct orr_arena *arena,
                                          const struct orr_trace *trace, struct orr_diag *diag);

/* What differs between two traces, with at most `rows` of the nodes. */
struct orr_diff_view {
    bool json;
    uint32_t rows;
};
enum orr_status orr_trace_print_diff(FILE *out, const struct orr_trace *const trace[2],
                                     const struct orr_trace_comparison *all,
                                     const struct orr_diff_view *view, struct orr_diag *diag);

/* The steps of the first trace of a file or set. */
enum orr_status orr_trace_print_steps(FILE *out, struct orr_arena *arena, const char *in,
                                      const char *marker, struct orr_diag *diag);

/* What was written, and what was left out. */
void orr_trace_print_cut(FILE *out, const struct orr_cut_files *files,
                         const struct orr_cut_sum *sum);
void orr_trace_print_scale(FILE *out, const struct orr_trace_scale *scale,
                           const struct orr_trace_scale_result *result);

#endif
