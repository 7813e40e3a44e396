/* Nodes and lines with their positions; see topo_canvas.h. */
#include "report/pictures/topo_canvas.h"

#include "core/arena.h"
#include "core/unconst.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

const char *orr_dim_color(unsigned dim)
{
    static const char *const colors[] = {"#1f6fb4", "#d9600a", "#1a936f", "#7b5bb5",
                                         "#c92a6b", "#5c8a14", "#96690f", "#505a66"};
    return colors[dim % (sizeof colors / sizeof *colors)];
}

struct orr_point orr_on_circle(struct orr_point center, double radius, uint32_t index, uint32_t n)
{
    /* Even counts have a flat top, odd ones a point up. */
    const double start = n % 2 == 0 ? pi / 2 + pi / n : pi / 2;
    const double angle = start - 2 * pi * index / n;
    return (struct orr_point){center.x + radius * cos(angle), center.y + radius * sin(angle)};
}

bool orr_canvas_open(struct orr_canvas *canvas)
{
    static const char *const defaults[][3] = {{"g", "outputorder", "edgesfirst"},
                                              {"g", "splines", "true"},
                                              {"g", "bgcolor", "white"},
                                              {"g", "pad", "0.2"},
                                              {"n", "fontname", "Helvetica"},
                                              {"n", "label", ""},
                                              {"n", "pos", ""},
                                              {"n", "shape", "circle"},
                                              {"n", "style", "filled"},
                                              {"n", "fillcolor", ""},
                                              {"n", "color", "black"},
                                              {"n", "fontcolor", "black"},
                                              {"n", "fontsize", "9"},
                                              {"n", "width", "0"},
                                              {"n", "height", "0"},
                                              {"n", "fixedsize", "true"},
                                              {"n", "penwidth", "1"},
                                              {"n", "tooltip", ""},
                                              {"e", "color", "black"},
                                              {"e", "pos", ""},
                                              {"e", "dir", "none"},
                                              {"e", "arrowsize", "0.6"},
                                              {"e", "penwidth", "1.2"}};
    *canvas = (struct orr_canvas){.graph = agopen(orr_unconst("network"), Agundirected, NULL)};
    if (canvas->graph == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        const char *kind = defaults[i][0];
        const int of = *kind == 'g' ? AGRAPH : *kind == 'n' ? AGNODE : AGEDGE;
        canvas->failed = canvas->failed || agattr(canvas->graph, of, orr_unconst(defaults[i][1]),
                                                  orr_unconst(defaults[i][2])) == NULL;
    }
    return !canvas->failed;
}

/* ---- texts ---- */

/* Digits and letters of Helvetica are at most 0.56 of its size wide, except some capitals. */
double orr_text_points(const char *text, double size)
{
    double width = 0;
    for (const char *c = text; *c != '\0'; c++) {
        const bool begins = ((unsigned char)*c & 0xc0) != 0x80; /* of UTF-8 */
        const bool wide = (*c >= 'A' && *c <= 'Z') || *c == 'm' || *c == 'w' || (*c & 0x80) != 0 ||
                          *c == '@' || *c == '%';
        width += begins ? (wide ? 0.9 : 0.56) : 0;
    }
    return width * size;
}

const char *orr_picture_title(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *dot = slash != NULL ? strrchr(slash, '.') : NULL;
    const bool is_file = dot != NULL && strpbrk(dot, ":@,") == NULL && strlen(dot) <= 5;
    return is_file ? slash + 1 : name;
}

char *orr_html_text(const char *text, char *html, size_t bytes)
{
    size_t used = 0;
    for (const char *c = text; *c != '\0'; c++) {
        const char single[2] = {*c, '\0'};
        const char *part = *c == '<'   ? "&lt;"
                           : *c == '>' ? "&gt;"
                           : *c == '&' ? "&amp;"
                           : *c == '"' ? "&quot;"
                                       : single;
        if (used + strlen(part) + 1 > bytes) {
            break;
        }
        memcpy(html + used, part, strlen(part));
        used += strlen(part);
    }
    html[used] = '\0';
    return html;
}

/* ---- nodes ---- */

static void set(struct orr_canvas *canvas, void *object, const char *name, const char *value)
{
    canvas->failed = canvas->failed || agset(object, orr_unconst(name), orr_unconst(value)) != 0;
}

static void set_inches(struct orr_canvas *canvas, Agnode_t *node, const char *name, double points)
{
    char text[ORR_FORMAT_BYTES];
    (void)snprintf(text, sizeof text, "%.4f", points / 72);
    set(canvas, node, name, text);
}

/* HTML of Graphviz is a text of its own kind; in any other a backslash would begin an escape. */
static void set_label(struct orr_canvas *canvas, Agnode_t *node, const struct orr_spot *spot)
{
    const char *text = spot->text;
    if (!spot->html) {
        char *label = orr_heap_alloc(2 * strlen(text) + 1), *at = label;
        for (const char *c = text; label != NULL && *c != '\0'; c++) {
            *at++ = *c;
            *at = '\\';
            at += *c == '\\';
        }
        canvas->failed = canvas->failed || label == NULL;
        if (label != NULL) {
            *at = '\0';
            set(canvas, node, "label", label);
        }
        orr_heap_free(label);
        return;
    }
    char *html = agstrdup_html(canvas->graph, orr_unconst(text));
    if (html == NULL) {
        canvas->failed = true;
        return;
    }
    set(canvas, node, "label", html);
    (void)agstrfree(canvas->graph, html);
}

static double width_of(const struct orr_spot *spot)
{
    const double text = spot->html ? 0 : orr_text_points(spot->text, 12);
    const double widths[ORR_SHAPES] = {ORR_NPU_POINTS, ORR_SWITCH_POINTS, ORR_BOX_WIDTH, spot->size,
                                       text,           spot->width};
    return widths[spot->shape];
}

static double height_of(const struct orr_spot *spot)
{
    return spot->shape == ORR_SHAPE_GROUP  ? ORR_BOX_HEIGHT
           : spot->shape == ORR_SHAPE_NODE ? spot->height
                                           : width_of(spot);
}

static bool is_box(const struct orr_spot *spot)
{
    return spot->shape == ORR_SHAPE_GROUP ||
           (spot->shape == ORR_SHAPE_NODE && (spot->box || spot->width > spot->height));
}

static void style_node(struct orr_canvas *canvas, Agnode_t *node, const struct orr_spot *spot)
{
    set(canvas, node, "shape", is_box(spot) ? "box" : "circle");
    set(canvas, node, "style", is_box(spot) && !spot->box ? "filled,rounded" : "filled");
    set(canvas, node, "fillcolor", spot->fill != NULL ? spot->fill : "white");
    set(canvas, node, "color", "#333333");
    set(canvas, node, "fontcolor", spot->fill != NULL ? "white" : "black");
}

static void style(struct orr_canvas *canvas, Agnode_t *node, const struct orr_spot *spot)
{
    static const char *const shapes[ORR_SHAPES] = {"circle", "box",   "box",
                                                   "circle", "plain", "circle"};
    static const char *const fills[ORR_SHAPES] = {"white", "", "#f4f6f8", "", "", "white"};
    const bool group = spot->shape == ORR_SHAPE_GROUP, text = spot->shape == ORR_SHAPE_TEXT;
    const bool area = spot->shape == ORR_SHAPE_AREA, is_switch = spot->shape == ORR_SHAPE_SWITCH;
    const double width = width_of(spot);
    set(canvas, node, "shape", shapes[spot->shape]);
    set(canvas, node, "style", text ? "" : area ? "solid" : group ? "filled,rounded" : "filled");
    set(canvas, node, "fillcolor", is_switch ? orr_dim_color(spot->dim) : fills[spot->shape]);
    set(canvas, node, "color",
        area                 ? "#ccd2d8"
        : is_switch || group ? orr_dim_color(spot->dim)
                             : "#333333");
    set(canvas, node, "fontcolor", is_switch ? "white" : "black");
    set(canvas, node, "fontsize", text ? "12" : "9");
    set(canvas, node, "fixedsize", text ? "false" : "true");
    set_inches(canvas, node, "width", text ? 0 : width);
    set_inches(canvas, node, "height", text ? 0 : height_of(spot));
    if (spot->shape == ORR_SHAPE_NODE) {
        style_node(canvas, node, spot);
    }
}

struct orr_spot_node orr_canvas_add(struct orr_canvas *canvas, const struct orr_spot *spot)
{
    char text[2 * ORR_FORMAT_BYTES];
    (void)snprintf(text, sizeof text, "n%u", canvas->nodes++);
    Agnode_t *node = agnode(canvas->graph, text, 1);
    const bool box = is_box(spot);
    const double half = width_of(spot) / 2;
    const struct orr_spot_node added = {.node = node,
                                        .at = spot->at,
                                        .radius = box ? height_of(spot) / 2 : half,
                                        .half_width = box ? half : 0};
    canvas->left = fmin(canvas->left, spot->at.x - half);
    canvas->right = fmax(canvas->right, spot->at.x + half);
    canvas->bottom = fmin(canvas->bottom, spot->at.y - added.radius);
    if (node == NULL) {
        canvas->failed = true;
        return added;
    }
    (void)snprintf(text, sizeof text, "%.2f,%.2f", spot->at.x, spot->at.y);
    set(canvas, node, "pos", text);
    set_label(canvas, node, spot);
    style(canvas, node, spot);
    return added;
}

/* ---- lines ---- */

static struct orr_point along(struct orr_point from, struct orr_point to, double share)
{
    return (struct orr_point){from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
}

/* The point on the rim of a node in the direction of another point. */
static struct orr_point rim(const struct orr_spot_node *node, struct orr_point towards)
{
    const double dx = fabs(towards.x - node->at.x), dy = fabs(towards.y - node->at.y);
    double share = node->radius / (hypot(dx, dy) + 1e-9);
    if (node->half_width > 0) {
        /* Under the box, whose corners are round. */
        share = 0.85 * fmin(node->half_width / (dx + 1e-9), node->radius / (dy + 1e-9));
    }
    return share < 1 ? along(node->at, towards, share) : towards;
}

/* Lines lie under boxes, but arrows end where these begin. */
void orr_canvas_wire(struct orr_canvas *canvas, const struct orr_spot_node *from,
                     const struct orr_spot_node *to, const struct orr_wire *wire)
{
    Agedge_t *edge = canvas->failed || from->node == NULL || to->node == NULL
                         ? NULL
                         : agedge(canvas->graph, from->node, to->node, NULL, 1);
    if (edge == NULL) {
        canvas->failed = true;
        return;
    }
    const struct orr_point aside = wire->aside;
    const bool is_straight = fabs(aside.x) + fabs(aside.y) < 1e-6;
    const struct orr_point leave = {from->at.x + aside.x, from->at.y + aside.y};
    const struct orr_point enter = {to->at.x + aside.x, to->at.y + aside.y};
    const struct orr_point begin = rim(from, is_straight ? to->at : leave);
    const struct orr_point end = rim(to, is_straight ? from->at : enter);
    const struct orr_point first = is_straight ? along(begin, end, 1.0 / 3) : leave;
    const struct orr_point second = is_straight ? along(end, begin, 1.0 / 3) : enter;
    char text[320], arrow[64] = "";
    if (wire->arrow) {
        (void)snprintf(arrow, sizeof arrow, "e,%.2f,%.2f ", end.x, end.y);
        set(canvas, edge, "dir", "forward");
    }
    (void)snprintf(text, sizeof text, "%s%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f", arrow, begin.x,
                   begin.y, first.x, first.y, second.x, second.y, end.x, end.y);
    set(canvas, edge, "pos", text);
    set(canvas, edge, "color", wire->color);
}

/* A curve of second degree through the control point, written as one of third. */
void orr_canvas_join(struct orr_canvas *canvas, const struct orr_spot_node *from,
                     const struct orr_spot_node *to, unsigned dim, double bend)
{
    if (canvas->failed || from->node == NULL || to->node == NULL) {
        return;
    }
    Agedge_t *edge = agedge(canvas->graph, from->node, to->node, NULL, 1);
    if (edge == NULL) {
        canvas->failed = true;
        return;
    }
    const struct orr_point middle = along(from->at, to->at, 0.5);
    const struct orr_point control = {middle.x - 2 * bend * (to->at.y - from->at.y),
                                      middle.y + 2 * bend * (to->at.x - from->at.x)};
    const struct orr_point begin = rim(from, control), end = rim(to, control);
    const struct orr_point first = along(begin, control, 2.0 / 3);
    const struct orr_point second = along(end, control, 2.0 / 3);
    char text[256];
    (void)snprintf(text, sizeof text, "%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f", begin.x, begin.y,
                   first.x, first.y, second.x, second.y, end.x, end.y);
    set(canvas, edge, "pos", text);
    set(canvas, edge, "color", orr_dim_color(dim));
}
