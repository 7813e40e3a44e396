/* Process groups in metadata nodes. */
#ifndef ORR_WORKLOAD_TRACE_PROCESS_GROUPS_H
#define ORR_WORKLOAD_TRACE_PROCESS_GROUPS_H

#include <jansson.h>

#include "workload/trace/trace.h"

/* Whether the node is a METADATA node whose values list process groups. */
bool orr_wl_has_groups(const struct orr_trace *trace, const struct orr_node *node);

/* Parses the list of groups in the values of such a node, a list of one text that is itself JSON:
 * ['[{"pg_name": ...}, ...]']. NULL: malformed. The caller owns the result. O(length). */
json_t *orr_wl_parse_groups(const char *values);

#endif
