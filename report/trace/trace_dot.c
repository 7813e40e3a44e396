/* A trace as a Graphviz graph, made with libcgraph: a box for each node with its name, colored by
 * kind. */
#include <graphviz/cgraph.h>
#include <inttypes.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/library_lock.h"
#include "core/unconst.h"
#include "report/trace/trace_report.h"
#include "workload/trace/trace.h"

enum { LABEL_BYTES = 96, ID_BYTES = 24, MAX_NAME_BYTES = 48 };

static const char *color_of(unsigned kind)
{
    static const char *const colors[ORR_NODE_KINDS] = {
        "white",     "gray90", "khaki1",      "khaki3",     /* invalid, metadata, memory */
        "lightblue", "salmon", "lightsalmon", "palegreen"}; /* compute, send, receive, collective */
    return kind < ORR_NODE_KINDS ? colors[kind] : "white";
}

static void label_of(const struct orr_node *node, char text[LABEL_BYTES])
{
    (void)snprintf(text, LABEL_BYTES, "%.*s #%" PRIu64, MAX_NAME_BYTES, node->name, node->id);
    for (char *c = text; *c != '\0'; c++) {
        *c = *c < ' ' || *c > '~' || *c == '\\' ? '?' : *c; /* no escapes, no broken UTF-8 */
    }
}

static bool add_node(Agraph_t *graph, const struct orr_node *node, Agnode_t **out)
{
    char id[ID_BYTES], label[LABEL_BYTES];
    (void)snprintf(id, sizeof id, "%" PRIu64, node->id);
    label_of(node, label);
    *out = agnode(graph, id, 1);
    return *out != NULL && agset(*out, orr_unconst("label"), label) == 0 &&
           agset(*out, orr_unconst("fillcolor"), orr_unconst(color_of(node->kind))) == 0;
}

/* Labels the edge with the bytes that it waits for, if these are a prefix of the node's data. */
static bool label_edge(Agedge_t *edge, uint64_t prefix)
{
    char label[ID_BYTES + 8];
    (void)snprintf(label, sizeof label, "%" PRIu64 " B", prefix);
    return prefix == 0 || agset(edge, orr_unconst("label"), label) == 0;
}

static bool add_edges(Agraph_t *graph, const struct orr_trace *trace, Agnode_t *const *nodes)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        for (uint32_t e = trace->node[i].first_child; e < orr_trace_child_end(trace, i); e++) {
            Agedge_t *edge = agedge(graph, nodes[i], nodes[trace->children[e]], NULL, 1);
            if (edge == NULL || !label_edge(edge, orr_trace_prefix(trace, e))) {
                return false;
            }
        }
    }
    return true;
}

static bool fill(Agraph_t *graph, const struct orr_trace *trace, Agnode_t **nodes)
{
    (void)agattr(graph, AGNODE, orr_unconst("shape"), orr_unconst("box"));
    (void)agattr(graph, AGNODE, orr_unconst("style"), orr_unconst("filled"));
    (void)agattr(graph, AGNODE, orr_unconst("label"), orr_unconst("\\N"));
    (void)agattr(graph, AGNODE, orr_unconst("fillcolor"), orr_unconst("white"));
    if (trace->prefix != NULL) {
        (void)agattr(graph, AGEDGE, orr_unconst("label"), orr_unconst(""));
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (!add_node(graph, &trace->node[i], &nodes[i])) {
            return false;
        }
    }
    return add_edges(graph, trace, nodes);
}

/* To be called within the lock of libraries. */
static enum orr_status write_graph(FILE *out, const struct orr_trace *trace, Agnode_t **nodes,
                                   struct orr_diag *diag)
{
    Agraph_t *graph = agopen(orr_unconst("trace"), Agstrictdirected, NULL);
    if (graph == NULL) {
        return orr_diag_no_memory(diag, "the graph of a trace");
    }
    const bool filled = fill(graph, trace, nodes);
    const bool written = filled && agwrite(graph, out) == 0;
    (void)agclose(graph);
    if (!filled) {
        return orr_diag_no_memory(diag, "the graph of a trace");
    }
    return written
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the graph of a trace cannot be printed");
}

enum orr_status orr_trace_print_dot(FILE *out, struct orr_arena *arena,
                                    const struct orr_trace *trace, struct orr_diag *diag)
{
    Agnode_t **nodes = orr_arena_array(arena, trace->nodes, sizeof *nodes);
    if (nodes == NULL) {
        return orr_diag_no_memory(diag, "the graph of a trace");
    }
    orr_library_lock();
    const enum orr_status status = write_graph(out, trace, nodes, diag);
    orr_library_unlock();
    return status;
}
