/* How `orrery trace` shows traces. */
#ifndef ORR_CLI_TRACE_TRACE_PRINT_H
#define ORR_CLI_TRACE_TRACE_PRINT_H

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

#endif
