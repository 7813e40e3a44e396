/* What a bench of a collective found; see bench_report.h. */
#include "cli/studies/bench_report.h"

#include <inttypes.h>
#include <string.h>

#include "report/report.h"

static const char *algorithm_name(const struct orr_bench_variant *variant)
{
    return strcmp(variant->algorithm, orr_sys_choice_name(SYS_BY_BLOCK)) != 0 ? variant->algorithm
                                                                              : "by block";
}

static const char *scheduler_name(const struct orr_bench_variant *variant)
{
    return variant->scheduler != NULL ? variant->scheduler : "auto";
}

void orr_bench_table(FILE *out, const struct orr_collective_bench *bench)
{
    orr_print(out, "%s on %" PRIu32 " NPU%s%s\n\n%14s  %-20s %-10s %14s %14s %14s\n",
              orr_coll_kind_name(bench->collective), bench->npus, orr_plural(bench->npus),
              bench->dims == 1 ? "; one dimension: there is nothing to schedule" : "", "size",
              "algorithm", "scheduler", "time", "algbw", "busbw");
    for (unsigned s = 0; s < bench->sizes; s++) {
        const unsigned best = orr_collective_bench_best(bench, s);
        for (unsigned v = 0; v < bench->variants; v++) {
            char size[64] = "", time[64], algorithm[64], bus[64];
            const int64_t wall = orr_collective_bench_wall_ps(bench, s, v);
            if (v == 0) {
                (void)orr_format_bytes(bench->size[s], size, sizeof size);
            }
            orr_print(out, "%14s  %-20s %-10s %14s %14s %14s%s\n", size,
                      algorithm_name(&bench->variant[v]), scheduler_name(&bench->variant[v]),
                      orr_format_time(wall, time, sizeof time),
                      orr_format_bandwidth(orr_collective_bench_algorithm_bandwidth(bench, s, v),
                                           algorithm, sizeof algorithm),
                      orr_format_bandwidth(orr_collective_bench_bus_bandwidth(bench, s, v), bus,
                                           sizeof bus),
                      v == best ? "  *" : "");
        }
    }
    (void)fputs("\n* the fastest of its size\n", out);
}

int orr_bench_csv(FILE *out, const void *context)
{
    const struct orr_collective_bench *bench = context;
    (void)fputs("bytes,algorithm,scheduler,time_ps,algbw_bytes_per_s,busbw_bytes_per_s,best\n",
                out);
    for (unsigned s = 0; s < bench->sizes; s++) {
        for (unsigned v = 0; v < bench->variants; v++) {
            const int64_t wall = orr_collective_bench_wall_ps(bench, s, v);
            orr_print(out, "%" PRIu64 ",%s,%s,%" PRId64 ",%.6g,%.6g,%d\n", bench->size[s],
                      algorithm_name(&bench->variant[v]), scheduler_name(&bench->variant[v]), wall,
                      orr_collective_bench_algorithm_bandwidth(bench, s, v),
                      orr_collective_bench_bus_bandwidth(bench, s, v),
                      v == orr_collective_bench_best(bench, s));
        }
    }
    return ferror(out) != 0 ? 1 : 0;
}

void orr_bench_plot(FILE *gnuplot, const struct orr_collective_bench *bench, const char *file,
                    bool pdf)
{
    (void)fprintf(gnuplot,
                  "set terminal %s\nset output '%s'\nset logscale x 2\nset key outside\n"
                  "set xlabel 'bytes'\nset ylabel 'bus bandwidth, GB/s'\nset yrange [0:*]\n"
                  "set title '%s on %" PRIu32 " NPUs'\nplot",
                  pdf ? "pdfcairo" : "svg size 900,600", file,
                  orr_coll_kind_name(bench->collective), bench->npus);
    for (unsigned v = 0; v < bench->variants; v++) {
        (void)fprintf(gnuplot, "%s '-' using 1:2 with linespoints title '%s, %s'", v > 0 ? "," : "",
                      algorithm_name(&bench->variant[v]), scheduler_name(&bench->variant[v]));
    }
    for (unsigned v = 0; v < bench->variants; v++) {
        for (unsigned s = 0; s < bench->sizes; s++) {
            (void)fprintf(gnuplot, "%s%" PRIu64 " %.6g", "\n", bench->size[s],
                          orr_collective_bench_bus_bandwidth(bench, s, v) / 1e9);
        }
        (void)fputs("\ne", gnuplot);
    }
    (void)fputc('\n', gnuplot);
}
