/* A graph of operators for Graphviz, made with libcgraph. A box is an operator with its kind,
 * output and weights, colored by kind of work; an edge has its bytes for a sample. */
#include <graphviz/cgraph.h>
#include <inttypes.h>

#include "core/arena.h"
#include "core/unconst.h"
#include "core/units.h"
#include "report/model/model_report.h"
#include "workload/model/kinds/kind.h"
#include "workload/trace/trace.h"

enum { LABEL_BYTES = 256, ID_BYTES = 24, MAX_NAME_BYTES = 48, SIZE_BYTES = 32 };

static const char *color_of(const struct model_op *op)
{
    static const char *const colors[ORR_OP_NODE_KINDS] = {
        [ORR_OP_DEFAULT] = "white",      [ORR_OP_GEMM] = "lightblue", [ORR_OP_ATTENTION] = "plum1",
        [ORR_OP_ELEMENTWISE] = "gray92", [ORR_OP_MEMORY] = "khaki1",  [ORR_OP_SCAN] = "plum1",
        [ORR_OP_CAST] = "gray92"};
    return colors[op->op_kind];
}

static void make_plain(char *text)
{
    for (char *c = text; *c != '\0'; c++) {
        *c = *c < ' ' || *c > '~' || *c == '\\' ? '?' : *c; /* no escapes, no broken UTF-8 */
    }
}

static bool set(void *object, const char *key, const char *value)
{
    return agset(object, orr_unconst(key), orr_unconst(value)) == 0;
}

static bool label(Agnode_t *node, const struct model_op *op)
{
    char name[MAX_NAME_BYTES], shape[MODEL_SHAPE_BYTES], weights[SIZE_BYTES], text[LABEL_BYTES];
    (void)snprintf(name, sizeof name, "%s", op->name);
    make_plain(name);
    (void)snprintf(text, sizeof text, "%s\\n%s: %s", name, op->kind->name,
                   orr_model_shape_text(&op->shape, shape));
    if (op->weights != 0) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "\\n%s",
                       orr_format_bytes(op->weight_bytes, weights, sizeof weights));
    }
    return set(node, "label", text) && set(node, "fillcolor", color_of(op));
}

static bool add_edges(Agraph_t *picture, const struct model_graph *graph, Agnode_t *const *nodes,
                      uint32_t index)
{
    const struct model_op *op = &graph->op[index];
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        char bytes[SIZE_BYTES];
        const uint32_t from = graph->edge[e].from;
        Agedge_t *edge = agedge(picture, nodes[from], nodes[index], NULL, 1);
        if (edge == NULL ||
            !set(edge, "label",
                 orr_format_bytes(graph->op[from].output_bytes, bytes, sizeof bytes))) {
            return false;
        }
    }
    return true;
}

static bool fill(Agraph_t *picture, const struct model_graph *graph, Agnode_t **nodes)
{
    (void)agattr(picture, AGNODE, orr_unconst("shape"), orr_unconst("box"));
    (void)agattr(picture, AGNODE, orr_unconst("style"), orr_unconst("filled"));
    (void)agattr(picture, AGNODE, orr_unconst("label"), orr_unconst("\\N"));
    (void)agattr(picture, AGNODE, orr_unconst("fillcolor"), orr_unconst("white"));
    (void)agattr(picture, AGEDGE, orr_unconst("label"), orr_unconst(""));
    for (uint32_t i = 0; i < graph->ops; i++) {
        char id[ID_BYTES];
        (void)snprintf(id, sizeof id, "%" PRIu32, i);
        nodes[i] = agnode(picture, id, 1);
        if (nodes[i] == NULL || !label(nodes[i], &graph->op[i]) ||
            !add_edges(picture, graph, nodes, i)) {
            return false;
        }
    }
    return true;
}

int orr_model_show_dot(FILE *out, const struct orr_model_shown *shown)
{
    Agnode_t **nodes = orr_heap_calloc(shown->graph->ops, sizeof(Agnode_t *));
    Agraph_t *picture = agopen(orr_unconst("model"), Agdirected, NULL);
    const bool written = nodes != NULL && picture != NULL && fill(picture, shown->graph, nodes) &&
                         agwrite(picture, out) == 0;
    if (picture != NULL) {
        (void)agclose(picture);
    }
    orr_heap_free(nodes);
    return !written;
}
