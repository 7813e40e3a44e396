/* orrery bench-collective: one collective, a range of sizes, every algorithm and scheduler beside
 * each other, as nccl-tests prints them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/report.h"
#include "cli/thread_option.h"
#include "cli/write_output.h"
#include "system/system.h"

enum { OPT_COLLECTIVE = 256, OPT_MIN, OPT_MAX, OPT_STEP, OPT_JOBS, OPT_CSV, OPT_PLOT };

static const struct option options[] = {ORR_JOB_OPTIONS,
                                        {"collective", required_argument, NULL, OPT_COLLECTIVE},
                                        {"min", required_argument, NULL, OPT_MIN},
                                        {"max", required_argument, NULL, OPT_MAX},
                                        {"step", required_argument, NULL, OPT_STEP},
                                        {"jobs", required_argument, NULL, OPT_JOBS},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {"plot", required_argument, NULL, OPT_PLOT},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery bench-collective PLATFORM.yml [options]\n"
    "       orrery bench-collective --topology NOTATION --bandwidth LIST [options]\n"
    "\n"
    "Runs a collective of all NPUs in a range of sizes: as it is picked by default (auto), with "
    "the\n"
    "algorithms of the dimensions' blocks and each scheduler, and with each algorithm in all\n"
    "dimensions; marks the fastest. algbw is size / time; busbw what each NPU has to send\n"
    "at least / time, as nccl-tests define them.\n"
    "\n"
    "  --collective NAME                  all_reduce (default), all_gather, reduce_scatter or\n"
    "                                     all_to_all\n"
    "  --min SIZE                         the smallest size (default 1 MiB)\n"
    "  --max SIZE                         the largest (default 1 GiB)\n"
    "  --step N                           each size is N times the one before (default 4)\n"
    "  --jobs N                           runs at a time (default: one for each processor)\n"
    "  --csv FILE|-                       a line for each run, instead of the table when FILE is "
    "-\n"
    "  --plot FILE.svg|.pdf               bus bandwidth by size, through gnuplot\n"
    "\n" ORR_JOB_HELP "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

enum { MOST_SIZES = 64, MOST_VARIANTS = 32, SET_BYTES = 160 };

struct variant {
    const char *algorithm;
    const char *scheduler; /* NULL: as the platform says, or picked with the algorithms */
};

struct point {
    int64_t wall_ps;
    enum orrery_status status;
    char error[512];
};

struct bench {
    struct orr_job_inputs job;
    const char *collective, *csv, *plot;
    uint64_t min, max, step;
    unsigned threads;
    uint32_t npus;
    unsigned dims;
    uint32_t dim_npus[NET_MAX_DIMS];
    bool dim_reduces[NET_MAX_DIMS];
    uint64_t size[MOST_SIZES];
    struct variant variant[MOST_VARIANTS];
    unsigned sizes, variants;
    struct point *point; /* [sizes * variants] */
};

/* ---- arguments ---- */

static int parse_size(const char *option, const char *text, uint64_t *out)
{
    if (!orr_parse_bytes(text, out) || *out == 0) {
        orr_say("orrery bench-collective: --%s: expected a size such as \"1 MiB\", got "
                "\"%s\"\n",
                option, text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int parse_collective(struct bench *bench, const char *text)
{
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        if (strcmp(coll_kind_name((enum coll_kind)kind), text) == 0) {
            bench->collective = coll_kind_name((enum coll_kind)kind);
            return 0;
        }
    }
    orr_say("orrery bench-collective: --collective: expected all_reduce, all_gather, "
            "reduce_scatter or all_to_all, got \"%s\"\n",
            text);
    return ORR_EXIT_USAGE;
}

static int parse_step(const char *text, uint64_t *out)
{
    char *end = NULL;
    *out = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || *out < 2 || *out > 1024) {
        orr_say("orrery bench-collective: --step: expected a whole number from 2 to 1024, got "
                "\"%s\"\n",
                text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int apply(void *context, int option, const char *value)
{
    struct bench *bench = context;
    switch (option) {
    case OPT_COLLECTIVE:
        return parse_collective(bench, value);
    case OPT_MIN:
        return parse_size("min", value, &bench->min);
    case OPT_MAX:
        return parse_size("max", value, &bench->max);
    case OPT_STEP:
        return parse_step(value, &bench->step);
    case OPT_JOBS:
        return orr_parse_jobs("bench-collective", value, &bench->threads);
    case OPT_CSV:
        bench->csv = value;
        return 0;
    default:
        bench->plot = value;
        return 0;
    }
}

/* ---- what is run ---- */

static struct orrery *load(const struct bench *bench, uint64_t bytes, const struct variant *variant,
                           enum orrery_status *status)
{
    struct orr_job_inputs inputs = bench->job;
    char sets[3][SET_BYTES];
    unsigned count = 2;
    (void)snprintf(sets[0], SET_BYTES, "workload={generate: %s, bytes: %" PRIu64 " B}",
                   bench->collective, bytes);
    (void)snprintf(sets[1], SET_BYTES, "system.algorithms.%s=%s", bench->collective,
                   variant->algorithm);
    if (variant->scheduler != NULL) {
        (void)snprintf(sets[count++], SET_BYTES, "system.scheduler=%s", variant->scheduler);
    }
    for (unsigned i = 0; i < count; i++) {
        inputs.sets[inputs.own.set_count++] = sets[i];
    }
    inputs.own.set = inputs.sets;
    struct orrery *job = orrery_new();
    *status = job == NULL ? ORRERY_ERROR_MEMORY : orr_job_load(job, &inputs);
    return job;
}

static bool supported(const struct bench *bench, const struct coll_algorithm *algorithm)
{
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        if (strcmp(coll_kind_name((enum coll_kind)kind), bench->collective) != 0) {
            continue;
        }
        for (unsigned d = 0; d < bench->dims; d++) {
            if (!algorithm->supports((enum coll_kind)kind, bench->dim_npus[d]) ||
                (algorithm->in_switch && !bench->dim_reduces[d])) {
                return false;
            }
        }
    }
    return true;
}

static void add_variants(struct bench *bench)
{
    const char *picked = sys_choice_name(SYS_AUTO), *by_block = sys_choice_name(SYS_BY_BLOCK);
    bench->variant[bench->variants++] = (struct variant){picked, NULL};
    for (size_t s = 0; s == 0 || (bench->dims > 1 && sys_scheduler_name(s) != NULL); s++) {
        bench->variant[bench->variants++] = (struct variant){by_block, sys_scheduler_name(s)};
    }
    for (size_t a = 0; coll_algorithms[a] != NULL && bench->variants < MOST_VARIANTS; a++) {
        if (supported(bench, coll_algorithms[a])) {
            bench->variant[bench->variants++] =
                (struct variant){coll_algorithms[a]->name, sys_scheduler_name(0)};
        }
    }
}

/* Loads the platform once for its shape, which also finds what is wrong with it. */
static int look(struct bench *bench)
{
    const struct variant first = {sys_choice_name(SYS_BY_BLOCK), sys_scheduler_name(0)};
    enum orrery_status status;
    struct orrery *job = load(bench, bench->min, &first, &status);
    int result = 0;
    if (status != ORRERY_OK) {
        orr_say("%s\n", job != NULL ? orrery_error(job) : "out of memory");
        result = orr_exit_status(status);
    } else {
        bench->npus = orrery_npus(job);
        bench->dims = orrery_dims(job);
        for (unsigned d = 0; d < bench->dims; d++) {
            struct orrery_dim_stats dim;
            (void)orrery_dim(job, d, &dim);
            bench->dim_npus[d] = dim.npus;
            bench->dim_reduces[d] = orrery_links(job) == 0 && dim.reduces;
        }
    }
    orrery_free(job);
    return result;
}

static int add_sizes(struct bench *bench)
{
    if (bench->min < bench->npus) {
        orr_say("orrery bench-collective: --min: expected at least a byte for each of the "
                "%" PRIu32 " NPUs, got %" PRIu64 " B\n",
                bench->npus, bench->min);
        return ORR_EXIT_USAGE;
    }
    if (bench->max < bench->min) {
        return orr_usage_error("bench-collective", "--max is below --min", NULL);
    }
    for (uint64_t size = bench->min; bench->sizes < MOST_SIZES; size *= bench->step) {
        bench->size[bench->sizes++] = size;
        if (size > bench->max / bench->step) {
            return 0;
        }
    }
    return orr_usage_error("bench-collective", "more than 64 sizes; take a larger --step", NULL);
}

static void run_point(void *context, unsigned index)
{
    struct bench *bench = context;
    struct point *point = &bench->point[index];
    struct orrery *job = load(bench, bench->size[index / bench->variants],
                              &bench->variant[index % bench->variants], &point->status);
    if (point->status == ORRERY_OK) {
        point->status = orrery_run(job);
    }
    if (point->status == ORRERY_OK) {
        point->wall_ps = orrery_wall_ps(job);
    } else {
        (void)snprintf(point->error, sizeof point->error, "%s",
                       job != NULL ? orrery_error(job) : "out of memory");
    }
    orrery_free(job);
}

static int check(const struct bench *bench)
{
    for (unsigned i = 0; i < bench->sizes * bench->variants; i++) {
        if (bench->point[i].status != ORRERY_OK) {
            orr_say("%s\n", bench->point[i].error);
            return orr_exit_status(bench->point[i].status);
        }
    }
    return 0;
}

/* ---- printing ---- */

static const struct point *point_at(const struct bench *bench, unsigned size, unsigned variant)
{
    return &bench->point[(size_t)size * bench->variants + variant];
}

/* The fastest variant of a size, the first of equals. */
static unsigned best_of(const struct bench *bench, unsigned size)
{
    unsigned best = 0;
    for (unsigned v = 1; v < bench->variants; v++) {
        best = point_at(bench, size, v)->wall_ps < point_at(bench, size, best)->wall_ps ? v : best;
    }
    return best;
}

static double algorithm_bandwidth(const struct bench *bench, unsigned size, int64_t wall_ps)
{
    return wall_ps > 0 ? (double)bench->size[size] / ((double)wall_ps * 1e-12) : 0;
}

static double bus_bandwidth(const struct bench *bench, unsigned size, int64_t wall_ps)
{
    const struct orrery_summary_row row = {.kind = ORRERY_NODE_COLLECTIVE,
                                           .name = bench->collective,
                                           .npus = bench->npus,
                                           .bytes = bench->size[size],
                                           .time_ps = wall_ps};
    return orrery_bus_bandwidth(&row);
}

static const char *algorithm_name(const struct variant *variant)
{
    return strcmp(variant->algorithm, sys_choice_name(SYS_BY_BLOCK)) != 0 ? variant->algorithm
                                                                          : "by block";
}

static const char *scheduler_name(const struct variant *variant)
{
    return variant->scheduler != NULL ? variant->scheduler : "auto";
}

static void print_table(const struct bench *bench)
{
    orr_print(stdout, "%s on %" PRIu32 " NPU%s%s\n\n%14s  %-20s %-10s %14s %14s %14s\n",
              bench->collective, bench->npus, orr_plural(bench->npus),
              bench->dims == 1 ? "; one dimension: there is nothing to schedule" : "", "size",
              "algorithm", "scheduler", "time", "algbw", "busbw");
    for (unsigned s = 0; s < bench->sizes; s++) {
        const unsigned best = best_of(bench, s);
        for (unsigned v = 0; v < bench->variants; v++) {
            char size[64] = "", time[64], algorithm[64], bus[64];
            const int64_t wall = point_at(bench, s, v)->wall_ps;
            if (v == 0) {
                (void)orr_format_bytes(bench->size[s], size, sizeof size);
            }
            orr_print(stdout, "%14s  %-20s %-10s %14s %14s %14s%s\n", size,
                      algorithm_name(&bench->variant[v]), scheduler_name(&bench->variant[v]),
                      orr_format_time(wall, time, sizeof time),
                      orr_format_bandwidth(algorithm_bandwidth(bench, s, wall), algorithm,
                                           sizeof algorithm),
                      orr_format_bandwidth(bus_bandwidth(bench, s, wall), bus, sizeof bus),
                      v == best ? "  *" : "");
        }
    }
    puts("\n* the fastest of its size");
}

static int write_csv(FILE *out, const void *context)
{
    const struct bench *bench = context;
    (void)fputs("bytes,algorithm,scheduler,time_ps,algbw_bytes_per_s,busbw_bytes_per_s,best\n",
                out);
    for (unsigned s = 0; s < bench->sizes; s++) {
        for (unsigned v = 0; v < bench->variants; v++) {
            const int64_t wall = point_at(bench, s, v)->wall_ps;
            orr_print(out, "%" PRIu64 ",%s,%s,%" PRId64 ",%.6g,%.6g,%d\n", bench->size[s],
                      algorithm_name(&bench->variant[v]), scheduler_name(&bench->variant[v]), wall,
                      algorithm_bandwidth(bench, s, wall), bus_bandwidth(bench, s, wall),
                      v == best_of(bench, s));
        }
    }
    return ferror(out) != 0 ? 1 : 0;
}

static void write_plot(FILE *gnuplot, const struct bench *bench, bool pdf)
{
    (void)fprintf(gnuplot,
                  "set terminal %s\nset output '%s'\nset logscale x 2\nset key outside\n"
                  "set xlabel 'bytes'\nset ylabel 'bus bandwidth, GB/s'\nset yrange [0:*]\n"
                  "set title '%s on %" PRIu32 " NPUs'\nplot",
                  pdf ? "pdfcairo" : "svg size 900,600", bench->plot, bench->collective,
                  bench->npus);
    for (unsigned v = 0; v < bench->variants; v++) {
        (void)fprintf(gnuplot, "%s '-' using 1:2 with linespoints title '%s, %s'", v > 0 ? "," : "",
                      algorithm_name(&bench->variant[v]), scheduler_name(&bench->variant[v]));
    }
    for (unsigned v = 0; v < bench->variants; v++) {
        for (unsigned s = 0; s < bench->sizes; s++) {
            (void)fprintf(gnuplot, "%s%" PRIu64 " %.6g", "\n", bench->size[s],
                          bus_bandwidth(bench, s, point_at(bench, s, v)->wall_ps) / 1e9);
        }
        (void)fputs("\ne", gnuplot);
    }
    (void)fputc('\n', gnuplot);
}

/* The name goes into the plotting program's own text, so quotes are refused. */
static int plot(const struct bench *bench)
{
    const char *dot = bench->plot != NULL ? strrchr(bench->plot, '.') : NULL;
    if (bench->plot == NULL) {
        return 0;
    }
    const bool pdf = dot != NULL && strcmp(dot, ".pdf") == 0;
    if (dot == NULL || (!pdf && strcmp(dot, ".svg") != 0) || strchr(bench->plot, '\'') != NULL) {
        orr_say("orrery bench-collective: --plot: expected a file that ends in .svg or .pdf, "
                "without quotes, got \"%s\"\n",
                bench->plot);
        return ORR_EXIT_USAGE;
    }
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot != NULL) {
        write_plot(gnuplot, bench, pdf);
    }
    if (gnuplot == NULL || pclose(gnuplot) != 0) {
        orr_say("%s: cannot be plotted: gnuplot (Debian package gnuplot-nox) failed or is "
                "not installed\n",
                bench->plot);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int run(struct bench *bench)
{
    int result = look(bench);
    result = result == 0 ? add_sizes(bench) : result;
    if (result != 0) {
        return result;
    }
    add_variants(bench);
    bench->point = orr_heap_calloc((size_t)bench->sizes * bench->variants, sizeof *bench->point);
    if (bench->point == NULL) {
        orr_say("orrery bench-collective: out of memory\n");
        return 1;
    }
    orr_run_parallel(bench->threads, bench->sizes * bench->variants, run_point, bench);
    const struct orr_output csv = {bench->csv, write_csv};
    bool quiet = false;
    result = check(bench);
    result = result == 0 ? orr_write_output(&csv, bench, &quiet) : result;
    if (result == 0 && !quiet) {
        print_table(bench);
    }
    result = result == 0 ? plot(bench) : result;
    orr_heap_free(bench->point);
    return result;
}

int orr_cmd_bench_collective(int argc, char **argv)
{
    struct bench *bench = orr_heap_calloc(1, sizeof *bench);
    if (bench == NULL) {
        orr_say("orrery bench-collective: out of memory\n");
        return 1;
    }
    bench->job.command = "bench-collective";
    bench->collective = coll_kind_name(COLL_ALL_REDUCE);
    bench->min = UINT64_C(1) << 20;
    bench->max = UINT64_C(1) << 30;
    bench->step = 4;
    const struct orr_own_options own = {.context = bench, .apply = apply};
    int status = orr_job_parse(&bench->job, argc, argv, options, &own);
    if (status == 0) {
        status = orr_job_check(&bench->job, argc, argv, NULL);
        if (status == 0 &&
            (bench->job.astra.network != NULL || bench->job.own.set_count + 3 > ORR_MOST_SETS)) {
            status = orr_usage_error("bench-collective",
                                     "a platform file of Orrery's own is needed", NULL);
        }
        status = status == 0 ? run(bench) : status;
    } else if (status < 0) {
        (void)fputs(help, stdout);
        status = 0;
    }
    orr_heap_free(bench);
    return status;
}
