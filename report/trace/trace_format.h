/* Formatting of numbers and texts of traces, for print and for JSON. */
#ifndef ORR_REPORT_TRACE_TRACE_FORMAT_H
#define ORR_REPORT_TRACE_TRACE_FORMAT_H

#include <jansson.h>
#include <stdio.h>

#include "core/status.h"
#include "workload/trace/trace.h"

struct orr_diag;
struct orr_op_table;

/* Prints text from a file in quotes; control characters, which would change the terminal, become
 * '?'. */
void orr_print_quoted(FILE *out, const char *text);

/* The same, truncated to `max` bytes without quotes, with "..." at the end. */
void orr_print_short(FILE *out, const char *text, size_t max);

enum { ORR_MAX_NAME_BYTES = 60 };

/* Formats "57.426 us" into `text` of ORR_FORMAT_BYTES. */
char *orr_ps_text(uint64_t ps, char *text);

/* Formats "12.3 %", or "" if `whole` is 0. */
char *orr_share_text(uint64_t part, uint64_t whole, char text[16]);

/* A JSON number; at most 2^63 - 1. */
json_t *orr_json_count(uint64_t value);

/* Sets a member to a count. */
void orr_json_set_count(json_t *object, const char *key, uint64_t value);

/* "all_reduce", "send", "receive": the operation of a communication node. */
const char *orr_comm_text(enum orr_node_kind kind, enum orr_trace_comm comm);

/* Prints and frees `json`; NULL: no memory. */
enum orr_status orr_print_json(FILE *out, json_t *json, struct orr_diag *diag);

/* Operators as an array of objects, the first `max` of them. */
json_t *orr_json_ops(const struct orr_op_table *ops, uint32_t max);

/* Prints operators as a table, the first `max` of them. Shares are of `whole_ps`, or of operations
 * if no time is recorded. */
void orr_print_ops(FILE *out, const struct orr_op_table *ops, uint64_t whole_ps, uint32_t max);

#endif
