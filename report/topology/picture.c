/* Pictures through libgvc; see picture.h. */
#include "report/topology/picture.h"

#include <graphviz/gvc.h>
#include <string.h>

#include "report/topology/topology_report.h"

const char *orr_picture_format(const char *path)
{
    static const char *const formats[] = {"svg", "pdf", "png", "dot"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(dot + 1, formats[i]) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

bool orr_picture_write(FILE *out, Agraph_t *graph, const char *engine, const char *format)
{
    if (strcmp(format, "dot") == 0) {
        return agwrite(graph, out) == 0;
    }
    GVC_t *graphviz = gvContext();
    bool failed = graphviz == NULL;
    if (!failed) {
        failed =
            gvLayout(graphviz, graph, engine) != 0 || gvRender(graphviz, graph, format, out) != 0;
        (void)gvFreeLayout(graphviz, graph);
        (void)gvFreeContext(graphviz);
    }
    return !failed && !ferror(out);
}
