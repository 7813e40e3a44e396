/* Process groups as metadata nodes tell them. */
#ifndef ORR_WORKLOAD_TRACE_PROCESS_GROUPS_H
#define ORR_WORKLOAD_TRACE_PROCESS_GROUPS_H

#include <jansson.h>

#include "workload/trace/trace.h"

/* Whether the node is a METADATA node whose values tell process groups. */
bool orr_wl_has_groups(const struct orr_trace *trace, const struct orr_node *node);

/* The list of groups in the values of such a node, a list of one text that is itself JSON:
 * ['[{"pg_name": ...}, ...]']. NULL when it is none; the caller's. O(length). */
json_t *orr_wl_parse_groups(const char *values);

#endif
