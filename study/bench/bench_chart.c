/* Benches as charts: bus bandwidth over size. */
#include <inttypes.h>
#include <math.h>

#include "report/charts/charts.h"
#include "study/bench/bench_report.h"
#include "study/bench/bench_results.h"
#include "study/bench/measured_report.h"
#include "system/collectives/program.h"

static const double gb = 1e9;

/* Axes around all points. Writes the chart and frees it. */
static int write_chart(FILE *out, struct orr_chart *chart)
{
    double low = INFINITY, high = 0, most = 0;
    for (size_t s = 0; s < chart->count; s++) {
        const struct orr_chart_series *series = &chart->series[s];
        for (size_t i = 0; i < series->count; i++) {
            low = fmin(low, series->point[i].x);
            high = fmax(high, series->point[i].x);
            most = fmax(most, series->point[i].y);
        }
    }
    orr_chart_axis_init(&chart->x, "size of the data", fmin(low, fmax(high, 1)), fmax(high, 1),
                        true);
    orr_chart_bytes_ticks(&chart->x);
    orr_chart_axis_margin(&chart->x);
    orr_chart_axis_init(&chart->y, "bus bandwidth, GB/s", 0, most, false);
    orr_chart_axis_margin(&chart->y);
    orr_chart_number_ticks(&chart->y);
    const int status = orr_charts_svg(out, chart, 1, NULL);
    orr_chart_fini(chart);
    return status;
}

int orr_bench_svg(FILE *out, const void *context)
{
    const struct orr_collective_bench *bench = context;
    struct orr_chart chart;
    char text[ORR_CHART_TEXT];
    (void)snprintf(text, sizeof text, "%s on %" PRIu32 " NPUs",
                   orr_coll_kind_name(bench->collective), bench->npus);
    orr_chart_init(&chart, text);
    for (unsigned v = 0; v < bench->variants; v++) {
        const struct orr_bench_row row = orr_bench_row(bench, v);
        (void)snprintf(text, sizeof text, "%s, %s",
                       bench->variant[v].platform_variant ? bench->platform_variant : row.algorithm,
                       row.scheduler);
        orr_chart_series(&chart, (struct orr_chart_style){.index = v, .line = true, .radius = 3},
                         text);
        for (unsigned s = 0; s < bench->sizes; s++) {
            orr_chart_point(&chart, (double)bench->size[s],
                            orr_collective_bench_bus_bandwidth(bench, s, v) / gb);
        }
    }
    return write_chart(out, &chart);
}

static void add_rows(struct orr_chart *chart, const struct orr_measured_bench *bench,
                     const struct orr_measured_block *block, bool measured)
{
    for (size_t i = block->first; i < block->first + block->count; i++) {
        const struct orr_measured_run_row row = orr_measured_run_row(bench, i);
        orr_chart_point(chart, (double)row.bytes,
                        (measured ? row.measured_bandwidth : row.bandwidth) / gb);
    }
}

int orr_measured_bench_svg(FILE *out, const void *context)
{
    const struct orr_measured_bench *bench = context;
    struct orr_chart chart;
    char text[ORR_MEASURED_BLOCK_BYTES];
    orr_chart_init(&chart, "measured and expected");
    orr_chart_subtitle(&chart, "points: measured; lines: expected");
    for (size_t b = 0; b < bench->blocks; b++) {
        const struct orr_measured_block *block = &bench->block[b];
        const unsigned index = (unsigned)b;
        orr_chart_series(&chart, (struct orr_chart_style){.index = index, .radius = 3},
                         orr_measured_block_name(block, text));
        add_rows(&chart, bench, block, true);
        orr_chart_series(&chart, (struct orr_chart_style){.index = index, .line = true}, NULL);
        add_rows(&chart, bench, block, false);
    }
    return write_chart(out, &chart);
}
