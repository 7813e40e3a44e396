/* Pictures through libgvc; see graphviz_picture.h. */
#include "report/pictures/graphviz_picture.h"

#include <graphviz/gvc.h>
#include <string.h>

#include "report/pictures/pictures.h"

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

/* The only Graphviz context of the process, within the lock of libraries; NULL: no memory. It is
 * never freed: Graphviz's text plugin compares the next font with the last one through a pointer
 * into the context of that one, even after the context is freed. */
static GVC_t *context(void)
{
    static GVC_t *only;
    if (only == NULL) {
        only = gvContext();
    }
    return only;
}

bool orr_picture_positions(Agraph_t *graph, const char *engine, struct orr_point *at)
{
    GVC_t *graphviz = context();
    const bool placed = graphviz != NULL && gvLayout(graphviz, graph, engine) == 0;
    size_t index = 0;
    for (Agnode_t *node = agfstnode(graph); placed && node != NULL; node = agnxtnode(graph, node)) {
        at[index++] = (struct orr_point){ND_coord(node).x, ND_coord(node).y};
    }
    if (graphviz != NULL) {
        (void)gvFreeLayout(graphviz, graph);
    }
    return placed;
}

bool orr_picture_write(FILE *out, Agraph_t *graph, const char *engine, const char *format)
{
    if (strcmp(format, "dot") == 0) {
        return agwrite(graph, out) == 0;
    }
    GVC_t *graphviz = context();
    bool failed = graphviz == NULL;
    if (!failed) {
        failed =
            gvLayout(graphviz, graph, engine) != 0 || gvRender(graphviz, graph, format, out) != 0;
        (void)gvFreeLayout(graphviz, graph);
    }
    return !failed && !ferror(out);
}
