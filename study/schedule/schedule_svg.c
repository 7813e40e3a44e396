/* A pipeline schedule as a picture: a row for each device, a box for each pass, time to the right;
 * see schedule_study.h. */
#include <inttypes.h>

#include "report/table_text.h"
#include "study/schedule/schedule_study.h"

enum {
    LEFT = 72, /* lengths in pixels */
    TOP = 64,
    ROW = 30,
    BOX = 26,
    CHART = 1100,
    RIGHT = 24,
    BOTTOM = 56,
    LABELLED = 14 /* boxes at least this wide are labelled */
};

/* Fill and name of a kind of pass; the last one is of two passes at once. */
static const struct {
    const char *fill, *name;
} looks[] = {{"#8ab8e6", "forward"},
             {"#f2b56b", "backward of inputs"},
             {"#9fcf8f", "backward of weights"},
             {"#e08f8f", "backward"},
             {"#c3a6dd", "forward beside backward"}};

enum { LOOKS = sizeof looks / sizeof *looks };

static unsigned look_of(const struct orr_schedule_slot *slot)
{
    return slot->passes == 2 ? LOOKS - 1 : (unsigned)slot->pass[0].kind;
}

static void draw_legend(FILE *out, const bool *used, int top)
{
    int x = LEFT;
    for (unsigned i = 0; i < LOOKS; i++) {
        if (used[i]) {
            (void)fprintf(out,
                          "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\"/>"
                          "<text x=\"%d\" y=\"%d\">%s</text>\n",
                          x, top, looks[i].fill, x + 20, top + 12, looks[i].name);
            x += 190;
        }
    }
}

static void draw_slot(FILE *out, const struct orr_schedule *schedule,
                      const struct orr_schedule_slot *slot,
                      const struct orr_schedule_slot_time *time, double scale, int y)
{
    char text[64];
    const double x = LEFT + time->begin * scale, width = (time->end - time->begin) * scale;
    const char *name = orr_schedule_slot_text(schedule, slot, text, sizeof text);
    (void)fprintf(out,
                  "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" "
                  "stroke=\"#ffffff\" stroke-width=\"0.6\"><title>%s: %g to %g</title></rect>\n",
                  x, y, width, BOX, looks[look_of(slot)].fill, name, time->begin, time->end);
    if (width >= LABELLED) {
        (void)fprintf(out,
                      "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\" font-size=\"9\">", //
                      x + width / 2, y + 17);
        /* the micro-batch is enough: the color says what it is */
        (void)fprintf(out, "%" PRIu32, slot->pass[0].micro);
        if (slot->passes == 2) {
            (void)fprintf(out, "+%" PRIu32, slot->pass[1].micro);
        }
        (void)fputs("</text>\n", out);
    }
}

int orr_schedule_svg(FILE *out, const void *context)
{
    const struct orr_schedule_study *study = context;
    const struct orr_schedule *schedule = &study->schedule;
    const int chart = (int)schedule->stages * ROW;
    const int width = LEFT + CHART + RIGHT, height = TOP + chart + BOTTOM;
    const double scale = study->run.total > 0 ? CHART / study->run.total : 1;
    bool used[LOOKS] = {false};
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
                  "<text x=\"%d\" y=\"26\" font-size=\"16\">",
                  width, height, width, height, LEFT);
    orr_markup_text(out, study->name);
    (void)fprintf(out,
                  ": %" PRIu32 " stages, %" PRIu32 " micro-batches</text>\n"
                  "<text x=\"%d\" y=\"48\">total %g, bubble %g</text>\n",
                  schedule->stages, schedule->micros, LEFT, study->run.total, study->run.bubble);
    for (uint32_t device = 0; device < schedule->stages; device++) {
        const int y = TOP + (int)device * ROW;
        (void)fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%" PRIu32 "</text>\n",
                      LEFT - 10, y + 18, device);
        for (size_t at = schedule->begin[device]; at < schedule->begin[device + 1]; at++) {
            draw_slot(out, schedule, &schedule->slot[at], &study->run.slot[at], scale, y);
            used[look_of(&schedule->slot[at])] = true;
        }
    }
    draw_legend(out, used, TOP + chart + 20);
    (void)fputs("</svg>\n", out);
    return ferror(out) != 0 ? 1 : 0;
}
