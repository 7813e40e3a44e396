/* A Graphviz graph whose nodes and lines have fixed positions (layout engine nop2, `neato -n2`),
 * made with libcgraph. Lengths are in points. */
#ifndef ORR_REPORT_TOPOLOGY_TOPO_CANVAS_H
#define ORR_REPORT_TOPOLOGY_TOPO_CANVAS_H

#include <graphviz/cgraph.h>

#include "report/pictures/pictures.h"

/* Rounded outer lengths of the shapes. */
enum { ORR_NPU_POINTS = 26, ORR_SWITCH_POINTS = 22, ORR_BOX_WIDTH = 96, ORR_BOX_HEIGHT = 40 };

enum orr_shape {
    ORR_SHAPE_NPU,    /* a circle */
    ORR_SHAPE_SWITCH, /* a square in the color of its dimension */
    ORR_SHAPE_GROUP,  /* a box for the NPUs of all inner dimensions */
    ORR_SHAPE_AREA,   /* a pale circle around others */
    ORR_SHAPE_TEXT,   /* a text alone */
    ORR_SHAPE_NODE,   /* of any graph: a circle, or a box where it is wider than high */
    ORR_SHAPES
};

struct orr_point {
    double x, y;
};

struct orr_spot {
    enum orr_shape shape;
    unsigned dim; /* for the color */
    struct orr_point at;
    double size;          /* AREA: the diameter */
    double width, height; /* NODE */
    bool box;             /* NODE: always a box */
    const char *fill;     /* NODE: white text on it, unless it is NULL */
    const char *text;
    bool html; /* the text is HTML of Graphviz, else plain */
};

/* A line, and its bend: the vector by which both its ends turn away from the straight line. */
struct orr_wire {
    struct orr_point aside;
    const char *color;
    bool arrow; /* at its end */
};

struct orr_spot_node {
    Agnode_t *node; /* NULL: memory is out */
    struct orr_point at;
    double radius;     /* where lines end: of a circle, or of a box half its height */
    double half_width; /* of a box; 0: a circle */
};

struct orr_canvas {
    Agraph_t *graph;
    unsigned nodes;             /* added so far, for their names */
    double left, right, bottom; /* of all nodes */
    bool failed;
};

/* The color of a dimension, "#rrggbb". */
const char *orr_dim_color(unsigned dim);

/* Creates the graph. False: no memory. */
bool orr_canvas_open(struct orr_canvas *canvas);

/* Adds a node; nodes are drawn over lines. */
struct orr_spot_node orr_canvas_add(struct orr_canvas *canvas, const struct orr_spot *spot);

/* Adds a line in the color of the dimension; `bend`: how far its middle is off to the left, as a
 * share of its length. */
void orr_canvas_join(struct orr_canvas *canvas, const struct orr_spot_node *from,
                     const struct orr_spot_node *to, unsigned dim, double bend);

void orr_canvas_wire(struct orr_canvas *canvas, const struct orr_spot_node *from,
                     const struct orr_spot_node *to, const struct orr_wire *wire);

/* Upper bound of the width of a text of that size, in points. */
double orr_text_points(const char *text, double size);

/* The name of a file without folders; names of fabrics, which have slashes too, are unchanged. */
const char *orr_picture_title(const char *name);

/* Escapes text for HTML of Graphviz; 6 bytes for each byte of the text suffice. Returns `html`. */
char *orr_html_text(const char *text, char *html, size_t bytes);

/* Draw on the canvas: all NPUs and links, a torus as a grid, or a block for each dimension. */
void orr_topo_draw_all(struct orr_canvas *canvas, const struct orr_topo *topo);
bool orr_topo_is_torus(const struct net_config *config);
void orr_topo_draw_torus(struct orr_canvas *canvas, const struct orr_topo *topo);
void orr_topo_draw_blocks(struct orr_canvas *canvas, const struct orr_topo *topo);

/* The index-th of n points on a circle around `centre`, clockwise. */
struct orr_point orr_on_circle(struct orr_point center, double radius, uint32_t index, uint32_t n);

#endif
