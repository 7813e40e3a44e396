/* A chart's series and points; see charts.h. */
#include <string.h>

#include "core/arena.h"
#include "core/text_escape.h"
#include "report/charts/charts.h"

const char *orr_chart_cut_text(char *to, size_t bytes, const char *text)
{
    (void)orr_text_escape(text, false, to, bytes);
    if (strlen(text) > strlen(to)) { /* an escape is longer than what it stands for */
        (void)orr_text_escape(text, false, to, bytes - 3);
        (void)strcat(to, "...");
    }
    return to;
}

void orr_chart_init(struct orr_chart *chart, const char *title)
{
    *chart = (struct orr_chart){.width = 700, .height = 440};
    (void)orr_chart_cut_text(chart->title, sizeof chart->title, title);
}

void orr_chart_subtitle(struct orr_chart *chart, const char *text)
{
    (void)orr_chart_cut_text(chart->subtitle, sizeof chart->subtitle, text);
}

void orr_chart_legend(struct orr_chart *chart, const char *text)
{
    (void)orr_chart_cut_text(chart->legend, sizeof chart->legend, text);
}

void orr_chart_series(struct orr_chart *chart, struct orr_chart_style style, const char *name)
{
    if (chart->no_memory || !orr_heap_reserve(&chart->series, &chart->capacity, chart->count + 1,
                                              sizeof *chart->series)) {
        chart->no_memory = true;
        return;
    }
    struct orr_chart_series *series = &chart->series[chart->count++];
    *series = (struct orr_chart_series){.style = style};
    (void)orr_chart_cut_text(series->name, sizeof series->name, name != NULL ? name : "");
}

void orr_chart_described_point(struct orr_chart *chart, double x, double y, bool hollow,
                               const char *tip)
{
    struct orr_chart_series *series = chart->count > 0 ? &chart->series[chart->count - 1] : NULL;
    if (chart->no_memory || series == NULL ||
        !orr_heap_reserve(&series->point, &series->capacity, series->count + 1,
                          sizeof *series->point)) {
        chart->no_memory = true;
        return;
    }
    series->point[series->count++] =
        (struct orr_chart_point){.x = x, .y = y, .hollow = hollow, .tip = tip};
}

void orr_chart_point(struct orr_chart *chart, double x, double y)
{
    orr_chart_described_point(chart, x, y, false, NULL);
}

void orr_chart_fini(struct orr_chart *chart)
{
    for (size_t i = 0; i < chart->count; i++) {
        orr_heap_free(chart->series[i].point);
    }
    orr_heap_free(chart->series);
    *chart = (struct orr_chart){.no_memory = true};
}
