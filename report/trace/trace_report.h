/* Traces as text, as JSON and as graphs; reports of cutting and scaling them. */
#ifndef ORR_REPORT_TRACE_TRACE_REPORT_H
#define ORR_REPORT_TRACE_TRACE_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

struct orr_arena;
struct orr_cut_files;
struct orr_cut_sum;
struct orr_diag;
struct orr_trace;
struct orr_trace_comparison;
struct orr_trace_path;
struct orr_trace_scale;
struct orr_trace_scale_result;

/* Prints one trace; scratch memory is from the arena. Errors: memory. */
typedef enum orr_status (*orr_trace_printer)(FILE *out, struct orr_arena *arena,
                                             const struct orr_trace *trace, struct orr_diag *diag);

/* Prints totals: nodes, edges, bytes, operations, durations, depth, groups. */
enum orr_status orr_trace_print_info(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, struct orr_diag *diag);
/* Prints one line for each node. */
enum orr_status orr_trace_print_nodes(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, struct orr_diag *diag);
/* Prints protobuf-JSON, one message a line, which the trace reader reads too. */
enum orr_status orr_trace_print_json(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, struct orr_diag *diag);
/* Prints a Graphviz graph. */
enum orr_status orr_trace_print_dot(FILE *out, struct orr_arena *arena,
                                    const struct orr_trace *trace, struct orr_diag *diag);
/* Prints "FILE: ok, 3 nodes, 2 edges" for a trace that was read, which is valid then. */
enum orr_status orr_trace_print_check(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, struct orr_diag *diag);

/* Nodes by kind and device, computation by operator, communication by group. orr_trace_print_stats
 * prints tables with `rows` operators; orr_trace_stats_json appends to a list, which
 * orr_trace_print_stats_json prints and frees. */
enum orr_status orr_trace_print_stats(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, uint32_t rows,
                                      struct orr_diag *diag);
enum orr_status orr_trace_stats_json(json_t *list, struct orr_arena *arena,
                                     const struct orr_trace *trace, uint32_t rows,
                                     struct orr_diag *diag);
enum orr_status orr_trace_print_stats_json(FILE *out, json_t *list, struct orr_diag *diag);

/* The critical path by recorded durations: computed, printed as tables, printed as JSON. Errors:
 * the trace has no durations; memory. */
enum orr_status orr_trace_longest_path(struct orr_arena *arena, const struct orr_trace *trace,
                                       struct orr_trace_path *path, struct orr_diag *diag);
enum orr_status orr_trace_print_path(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, uint32_t rows,
                                     struct orr_diag *diag);
enum orr_status orr_trace_print_path_json(FILE *out, struct orr_arena *arena,
                                          const struct orr_trace *trace, struct orr_diag *diag);

/* Options for printing the difference of two traces: the form, and the maximum number of nodes. */
struct orr_diff_view {
    bool json;
    uint32_t rows;
};
enum orr_status orr_trace_print_diff(FILE *out, const struct orr_trace *const trace[2],
                                     const struct orr_trace_comparison *all,
                                     const struct orr_diff_view *view, struct orr_diag *diag);

/* Prints the steps of the first trace of a file or set. */
enum orr_status orr_trace_print_steps(FILE *out, struct orr_arena *arena, const char *in,
                                      const char *marker, struct orr_diag *diag);

/* Print what was written and what was left out. */
void orr_trace_print_cut(FILE *out, const struct orr_cut_files *files,
                         const struct orr_cut_sum *sum);
void orr_trace_print_scale(FILE *out, const struct orr_trace_scale *scale,
                           const struct orr_trace_scale_result *result);

#endif
