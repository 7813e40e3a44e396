/* Process groups in metadata nodes; see process_groups.h. */
#include "workload/trace/process_groups.h"

#include <string.h>

json_t *orr_wl_parse_groups(const char *text)
{
    const char *first = strstr(text, "[{");
    const char *last = NULL;
    for (const char *end = first; end != NULL; end = strstr(end + 1, "}]")) {
        last = end != first ? end : last;
    }
    return last != NULL ? json_loadb(first, (size_t)(last + 2 - first), 0, NULL) : NULL;
}

bool orr_wl_has_groups(const struct orr_trace *trace, const struct orr_node *node)
{
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    return node->kind == ORR_NODE_METADATA && extra != NULL && extra->inputs_values != NULL &&
           strstr(extra->inputs_values, "pg_name") != NULL;
}
