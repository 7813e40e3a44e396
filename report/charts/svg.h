/* What all SVG files of this room share. Coordinates and lengths are in pixels. */
#ifndef ORR_REPORT_CHARTS_SVG_H
#define ORR_REPORT_CHARTS_SVG_H

#include <stdio.h>

/* The head of a file with a white canvas; its end returns 0, or 1 if writing failed. */
void orr_svg_begin(FILE *out, double width, double height);
int orr_svg_end(FILE *out);

/* A line of text; `anchor` is start, middle or end, `size` that of the font, 0: 12. */
void orr_svg_text(FILE *out, double x, double y, const char *anchor, int size, const char *text);
/* The same, turned to the left by `degrees` around its anchor. */
void orr_svg_turned_text(FILE *out, double x, double y, int degrees, const char *anchor,
                         const char *text);

/* At least the width of a text of this font size. O(bytes). */
double orr_svg_text_width(const char *text, double size);

#endif
