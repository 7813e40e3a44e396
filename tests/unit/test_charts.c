/* Charts as SVG: axes with their ticks, a mark for each point, a legend, texts that are never
 * markup. Coordinates by hand: a frame of 100 x 100, whose left and top are read from its
 * rectangle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/charts/charts.h"

static void begin(struct orr_chart *chart)
{
    orr_chart_init(chart, "title");
    chart->width = chart->height = 100;
    orr_chart_axis_init(&chart->x, "size", 1, 16, true);
    orr_chart_bytes_ticks(&chart->x);
    orr_chart_axis_init(&chart->y, "rate", 0, 10, false);
    orr_chart_number_ticks(&chart->y);
}

/* The file of the charts, in a buffer of its own until the next call. */
static char *written(const struct orr_chart *chart, size_t count, const char *caption)
{
    static char text[65536];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    assert_int_equal(orr_charts_svg(out, chart, count, caption), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
        count++;
    }
    return count;
}

static double number_after(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    assert_non_null(at);
    return strtod(at + strlen(part), NULL);
}

static void assert_near(double value, double expected)
{
    if (value < expected - 0.06 || value > expected + 0.06) {
        fail_msg("%.2f, expected %.2f", value, expected);
    }
}

/* 1, 2, 4, 8, 16 B a quarter of the frame apart; 0, 2, ..., 10. */
static void test_ticks_of_both_axes_have_texts(void **state)
{
    (void)state;
    struct orr_chart chart;
    begin(&chart);
    assert_int_equal(chart.x.ticks, 5);
    assert_int_equal(chart.y.ticks, 6);
    char *text = written(&chart, 1, NULL);
    static const char *const texts[] = {">16 B<", ">1 B<",  ">0<",    ">2<",
                                        ">10<",   ">size<", ">rate<", ">title<"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(count_of(text, texts[i]), 1);
    }
    orr_chart_fini(&chart);
}

/* x = 4 of 1 to 16 is half of a logarithmic axis; y = 2.5 of 10 is a quarter from below. */
static void test_point_is_where_its_numbers_are(void **state)
{
    (void)state;
    struct orr_chart chart;
    begin(&chart);
    orr_chart_series(&chart, (struct orr_chart_style){.radius = 3}, NULL);
    orr_chart_point(&chart, 4, 2.5);
    char *text = written(&chart, 1, NULL);
    const double left = number_after(text, "<rect x=\"");
    const char *frame = strstr(text, "<rect x=\"");
    assert_near(number_after(text, "<circle cx=\""), left + 50);
    assert_near(number_after(text, "\" cy=\""), number_after(frame, " y=\"") + 75);
    orr_chart_fini(&chart);
}

/* 2 series of 3 and 4 points: 3 circles, 4 squares; what has no logarithm is not drawn. Lines are
 * not marks. */
static void test_every_point_is_one_mark(void **state)
{
    (void)state;
    struct orr_chart chart;
    begin(&chart);
    orr_chart_series(&chart, (struct orr_chart_style){.radius = 3, .line = true}, "one");
    orr_chart_point(&chart, 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        orr_chart_described_point(&chart, 1 + i, i, i == 2, i == 0 ? "the first" : NULL);
    }
    orr_chart_series(&chart, (struct orr_chart_style){.index = 1, .radius = 3}, "two");
    for (unsigned i = 0; i < 4; i++) {
        orr_chart_point(&chart, 1 + i, i);
    }
    char *text = written(&chart, 1, NULL);
    const char *first = strstr(text, "<g class=\"marks\""),
               *second = strstr(first + 1, "<g class=\"marks\"");
    assert_int_equal(count_of(text, "<circle"), 3);
    assert_int_equal(count_of(text, " fill=\"white\"/>"), 2); /* the canvas, and the hollow point */
    assert_int_equal(count_of(text, "<title>the first</title></circle>"), 1);
    *strstr(second, "</g>") = '\0';
    assert_int_equal(count_of(second, "<path"), 4);
    assert_int_equal(count_of(first, "class=\"line\""), 0);
    orr_chart_fini(&chart);
}

/* Names, heading; a series without a name has no entry; what does not fit below each other is told.
 */
static void test_legend_names_series(void **state)
{
    (void)state;
    struct orr_chart chart;
    begin(&chart);
    orr_chart_legend(&chart, "groups");
    orr_chart_series(&chart, (struct orr_chart_style){.radius = 3}, "one");
    orr_chart_series(&chart, (struct orr_chart_style){.radius = 3}, NULL);
    char *text = written(&chart, 1, NULL);
    assert_int_equal(count_of(text, ">groups<"), 1);
    assert_int_equal(count_of(text, ">one<"), 1);
    assert_int_equal(count_of(text, "and more"), 0);
    for (unsigned i = 0; i < 9; i++) {
        orr_chart_series(&chart, (struct orr_chart_style){.radius = 3}, "another");
    }
    text = written(&chart, 1, NULL);
    assert_int_equal(count_of(text, ">and more<"), 1);
    orr_chart_fini(&chart);
}

/* Markup and control characters in names are text, and long ones are cut. */
static void test_names_are_text(void **state)
{
    (void)state;
    struct orr_chart chart;
    char name[200];
    begin(&chart);
    orr_chart_series(&chart, (struct orr_chart_style){.radius = 3}, "</text><script>\x1b");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    orr_chart_series(&chart, (struct orr_chart_style){.radius = 3}, name);
    char *text = written(&chart, 1, "a & b");
    assert_null(strstr(text, "<script>"));
    assert_non_null(strstr(text, ">&lt;/text&gt;&lt;script&gt;\\x1b<"));
    assert_non_null(strstr(text, ">a &amp; b<"));
    assert_non_null(strstr(text, "xxx...<"));
    orr_chart_fini(&chart);
}

/* Ticks by hand. */
static void test_ticks_of_ranges(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        bool log;
        const char *ticks;
    } cases[] = {{0, 1, false, "0 0.2 0.4 0.6 0.8 1 "},
                 {-5, 5, false, "-4 -2 0 2 4 "},
                 {3, 3, false, "0 1 2 3 4 5 6 "},
                 {1, 50, true, "1 2 5 10 20 50 "},
                 {1, 1e6, true, "1 10 100 1000 10000 100000 1000000 "},
                 {1e-3, 1e-2, true, "0.001 0.002 0.005 0.01 "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_chart_axis axis;
        char text[200] = "";
        orr_chart_axis_init(&axis, "", cases[i].low, cases[i].high, cases[i].log);
        orr_chart_number_ticks(&axis);
        for (unsigned t = 0; t < axis.ticks; t++) {
            (void)strcat(strcat(text, axis.tick[t].text), " ");
        }
        assert_string_equal(text, cases[i].ticks);
    }
}

/* Powers of 4 around 5 KiB and 300 KiB; of 10 around 20 us and 3 ms, in ps. */
static void test_axes_of_powers(void **state)
{
    (void)state;
    struct orr_chart_axis axis;
    orr_chart_axis_powers(&axis, "size", 5 * 1024, 300 * 1024, 4);
    orr_chart_bytes_ticks(&axis);
    assert_near(axis.low, 4 * 1024);
    assert_near(axis.high, 1024 * 1024);
    assert_int_equal(axis.ticks, 9);
    assert_string_equal(axis.tick[0].text, "1 MiB");
    assert_string_equal(axis.tick[8].text, "4 KiB");
    orr_chart_axis_powers(&axis, "time", 20e6, 3e9, 10);
    orr_chart_time_ticks(&axis);
    assert_int_equal(axis.ticks, 4);
    assert_string_equal(axis.tick[0].text, "10 us");
    assert_string_equal(axis.tick[3].text, "10 ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ticks_of_both_axes_have_texts),
                                       cmocka_unit_test(test_point_is_where_its_numbers_are),
                                       cmocka_unit_test(test_every_point_is_one_mark),
                                       cmocka_unit_test(test_legend_names_series),
                                       cmocka_unit_test(test_names_are_text),
                                       cmocka_unit_test(test_ticks_of_ranges),
                                       cmocka_unit_test(test_axes_of_powers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
