/* Pictures through libgvc; see picture.h. */
#include "cli/topo/picture.h"

#include <graphviz/gvc.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "cli/write_output.h"

struct picture {
    Agraph_t *graph;
    const char *engine, *format;
};

static const char *format_of(const char *path)
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

bool orr_picture_has_format(const char *path)
{
    if (format_of(path) != NULL) {
        return true;
    }
    orr_say("orrery topo: --output: expected a file that ends in .svg, .pdf, .png or "
            ".dot, got \"%s\"\n",
            path);
    return false;
}

static int render(FILE *out, const void *context)
{
    const struct picture *picture = context;
    if (strcmp(picture->format, "dot") == 0) {
        return agwrite(picture->graph, out) == 0 ? 0 : 1;
    }
    GVC_t *graphviz = gvContext();
    int failed = graphviz == NULL;
    if (!failed) {
        failed = gvLayout(graphviz, picture->graph, picture->engine) != 0 ||
                 gvRender(graphviz, picture->graph, picture->format, out) != 0;
        (void)gvFreeLayout(graphviz, picture->graph);
        (void)gvFreeContext(graphviz);
    }
    return failed || ferror(out) ? 1 : 0;
}

int orr_picture_write(Agraph_t *graph, const char *engine, const char *path)
{
    const struct picture picture = {.graph = graph, .engine = engine, .format = format_of(path)};
    bool standard = false;
    return orr_write_output(&(struct orr_output){.path = path, .write = render}, &picture,
                            &standard);
}
