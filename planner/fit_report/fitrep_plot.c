/* SVG plots with logarithmic axes. */
#include <inttypes.h>
#include <math.h>

#include "planner/fit_report/fit_report.h"
#include "report/table_text.h"

double orr_fitrep_x(const struct fit_plot *plot, double x)
{
    return plot->left + plot->width * log(x / plot->min_x) / log(plot->max_x / plot->min_x);
}

double orr_fitrep_y(const struct fit_plot *plot, double y)
{
    return plot->top + plot->height * (1 - log(y / plot->min_y) / log(plot->max_y / plot->min_y));
}

void orr_fitrep_grid_x(const struct fit_plot *plot, double x, const char *name)
{
    const int bottom = plot->top + plot->height;
    (void)fprintf(plot->out,
                  "<path d=\"M%.1f %d V%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" "
                  "text-anchor=\"middle\">%s</text>\n",
                  orr_fitrep_x(plot, x), plot->top, bottom, orr_fitrep_x(plot, x), bottom + 18,
                  name);
}

void orr_fitrep_grid_y(const struct fit_plot *plot, double y, const char *name)
{
    (void)fprintf(plot->out,
                  "<path d=\"M%d %.1f H%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
                  "text-anchor=\"end\">%s</text>\n",
                  plot->left, orr_fitrep_y(plot, y), plot->left + plot->width, plot->left - 8,
                  orr_fitrep_y(plot, y) + 4, name);
}

void orr_fitrep_frame(const struct fit_plot *plot, const char *title, const char *x, const char *y)
{
    (void)fprintf(plot->out,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"#444\"/>\n<text x=\"%d\" y=\"%d\" font-size=\"15\">%s</text>\n"
                  "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
                  "<text transform=\"translate(28 %d) rotate(-90)\" "
                  "text-anchor=\"middle\">%s</text>\n",
                  plot->left, plot->top, plot->width, plot->height, plot->left, plot->top - 14,
                  title, plot->left + plot->width / 2, plot->top + plot->height + 42, x,
                  plot->top + plot->height / 2, y);
}

void orr_fitrep_point(const struct fit_plot *plot, double x, double y, bool held_out,
                      const char *color, const char *name)
{
    (void)fprintf(plot->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" stroke=\"%s\"%s",
                  orr_fitrep_x(plot, x), orr_fitrep_y(plot, y), held_out ? "white" : color, color,
                  name != NULL ? "><title>" : "/>\n");
    if (name != NULL) {
        orr_markup_text(plot->out, name);
        (void)fputs("</title></circle>\n", plot->out);
    }
}

void orr_fitrep_svg_begin(FILE *out, int width, int height, const char *title)
{
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                  "<text x=\"90\" y=\"24\">%s</text>\n",
                  width, height, width, height, title);
}

int orr_fitrep_svg_end(FILE *out)
{
    (void)fputs("</svg>\n", out);
    return ferror(out) != 0 ? 1 : 0;
}
