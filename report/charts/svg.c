/* Heads, ends and texts of SVG files; see svg.h. */
#include "report/charts/svg.h"

#include "report/table_text.h"

void orr_svg_begin(FILE *out, double width, double height)
{
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                  "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                  width, height, width, height);
}

int orr_svg_end(FILE *out)
{
    (void)fputs("</svg>\n", out);
    return ferror(out) != 0 ? 1 : 0;
}

void orr_svg_text(FILE *out, double x, double y, const char *anchor, int size, const char *text)
{
    (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
    if (size != 0) {
        (void)fprintf(out, " font-size=\"%d\"", size);
    }
    (void)fputc('>', out);
    orr_markup_text(out, text);
    (void)fputs("</text>\n", out);
}

void orr_svg_turned_text(FILE *out, double x, double y, int degrees, const char *anchor,
                         const char *text)
{
    (void)fprintf(out, "<text transform=\"translate(%.1f %.1f) rotate(%d)\" text-anchor=\"%s\">", x,
                  y, -degrees, anchor);
    orr_markup_text(out, text);
    (void)fputs("</text>\n", out);
}

double orr_svg_text_width(const char *text, double size)
{
    size_t characters = 0;
    for (; *text != '\0'; text++) {
        characters += ((unsigned char)*text & 0xc0) != 0x80; /* of UTF-8 */
    }
    return 0.62 * size * (double)characters;
}
