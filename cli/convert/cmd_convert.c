/* orrery convert: conversion of foreign traces to execution traces. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/convert/convert_platform.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/strings.h"
#include "core/units.h"
#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "network/net_config.h"
#include "report/convert_report.h"
#include "report/table_text.h"

enum convert_option {
    OPT_PLATFORM = 256,
    OPT_GZIP,
    OPT_REPORT,
    OPT_ET,
    OPT_KINETO,
    OPT_RANKS,
    OPT_MISSING,
    OPT_PASSES,
    OPT_BATCH,
    OPT_MODEL
};

static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                        {"platform", required_argument, NULL, OPT_PLATFORM},
                                        {"gzip", no_argument, NULL, OPT_GZIP},
                                        {"report", required_argument, NULL, OPT_REPORT},
                                        {"et", required_argument, NULL, OPT_ET},
                                        {"kineto", required_argument, NULL, OPT_KINETO},
                                        {"npus", required_argument, NULL, OPT_RANKS},
                                        {"missing-ranks", required_argument, NULL, OPT_MISSING},
                                        {"passes", required_argument, NULL, OPT_PASSES},
                                        {"batch", required_argument, NULL, OPT_BATCH},
                                        {"save-model", required_argument, NULL, OPT_MODEL},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static const char help_head[] =
    "usage: orrery convert FORMAT FILE... [--platform PLATFORM.yml] -o PREFIX [options]\n"
    "       orrery convert FORMAT --et FILE [--kineto FILE] [--npus N] -o PREFIX [options]\n"
    "\n"
    "Converts foreign traces to execution traces, PREFIX.0.et to PREFIX.(N-1).et, with their\n"
    "communicator groups in PREFIX.groups.json; 'workload: {traces: PREFIX, groups_file:\n"
    "PREFIX.groups.json}' runs them. Prints a report. Files may be gzip.\n"
    "\n"
    "Formats:\n";

static const char help_tail[] =
    "\n"
    "Options:\n"
    "  -o, --output PREFIX         where the files go; the folder must exist; NAME.et: the file\n"
    "                              of the only rank\n"
    "  --platform PLATFORM.yml     text: NPUs and dimensions that the trace is for; also the\n"
    "                              name of a shipped one, or a topology such as\n"
    "                              'Ring(4)_Switch(2)'; other formats: its NPUs are compared\n"
    "                              with the traces\n"
    "  --passes N                  text: forward and backward passes (default 1)\n"
    "  --batch N                   sipml: batch size, interpolated between those of the files\n"
    "                              (default: the smallest)\n"
    "  --save-model FILE.yml       sipml: also write the operators as a model (orrery model); -o\n"
    "                              is then optional\n"
    "  --et FILE                   pytorch: the execution trace; {rank} in it stands for the rank\n"
    "  --kineto FILE               pytorch: the profile of the same run, likewise\n"
    "  --npus N                    pytorch: files 0 to N-1; their profiles say which ranks\n"
    "  --missing-ranks copy|replay pytorch: what stands in for ranks without a file: copies of\n"
    "                              the nearest ranks, or the recorded times of the\n"
    "                              communication that they take part in\n"
    "  --gzip                      compress: PREFIX.RANK.et.gz\n"
    "  --report FILE.json          the report as JSON; - is standard output, instead of the text\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

struct arguments {
    struct conv_job job;
    const struct orr_converter *converter;
    const char *platform, *report;
};

static int print_help(void)
{
    size_t count;
    const struct orr_converter *const *converters = orr_converters(&count);
    (void)fputs(help_head, stdout);
    for (size_t i = 0; i < count; i++) {
        (void)printf("  %-10s %s\n", converters[i]->name, converters[i]->summary);
    }
    (void)fputs(help_tail, stdout);
    return 0;
}

/* ---- arguments ---- */

static int parse_count(const char *option, const char *text, int64_t max, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 1 || value > max) {
        orr_print_message("orrery convert: --%s: expected a whole number from 1 to %" PRId64
                          ", got \"%s\"\n",
                          option, max, text);
        return ORR_EXIT_USAGE;
    }
    *out = (uint32_t)value;
    return 0;
}

static int parse_batch(const char *text, double *out)
{
    if (!orr_parse_number(text, out) || *out < 1 || *out > CONV_MAX_BATCH) {
        orr_print_message("orrery convert: --batch: expected a number from 1 to 1e9, got \"%s\"\n",
                          text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int parse_missing(const char *text, enum conv_missing *out)
{
    if (!orr_conv_missing_of(text, out)) {
        orr_print_message("orrery convert: --missing-ranks: expected replay or copy, got \"%s\"\n",
                          text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int apply(int option, const char *value, struct arguments *arguments)
{
    struct conv_job *job = &arguments->job;
    switch (option) {
    case 'o':
        job->out = value;
        return 0;
    case OPT_PLATFORM:
        arguments->platform = value;
        return 0;
    case OPT_REPORT:
        arguments->report = value;
        return 0;
    case OPT_ET:
        job->et = value;
        return 0;
    case OPT_KINETO:
        job->kineto = value;
        return 0;
    case OPT_RANKS:
        return parse_count("npus", value, INT32_MAX, &job->ranks);
    case OPT_MISSING:
        return parse_missing(value, &job->missing);
    case OPT_PASSES:
        return parse_count("passes", value, CONV_MAX_PASSES, &job->passes);
    case OPT_BATCH:
        return parse_batch(value, &job->batch_size);
    case OPT_MODEL:
        job->model = value;
        return 0;
    default:
        job->gzip = true;
        return 0;
    }
}

static int reject_format(const char *name)
{
    const char *names[32];
    size_t count;
    const struct orr_converter *const *converters = orr_converters(&count);
    ORR_ASSERT(count <= sizeof names / sizeof names[0]);
    for (size_t i = 0; i < count; i++) {
        names[i] = converters[i]->name;
    }
    const char *nearest = orr_nearest_name(name, names, count);
    orr_print_message("orrery convert: unknown format \"%s\"%s%s%s\ntry 'orrery convert --help'\n",
                      name, nearest != NULL ? "; did you mean \"" : "",
                      nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    return ORR_EXIT_USAGE;
}

/* Rejects arguments that the format does not support, and missing ones. */
static int check_format(const struct arguments *arguments)
{
    const struct orr_converter *converter = arguments->converter;
    const struct conv_check_result checked =
        orr_converter_check(converter, &arguments->job, arguments->platform != NULL);
    switch (checked.error) {
    case CONV_USAGE_OK:
        return 0;
    case CONV_NOT_FOR:
        orr_print_message("orrery convert: --%s is not for %s\ntry 'orrery convert --help'\n",
                          checked.name, converter->name);
        return ORR_EXIT_USAGE;
    case CONV_NO_TRACE:
        return orr_usage_error("convert", "--et FILE is missing", NULL);
    case CONV_NO_FILE:
        return orr_usage_error("convert", "no file given", NULL);
    case CONV_TOO_MANY:
        return orr_usage_error("convert", "unexpected argument ", checked.name);
    case CONV_NO_PLATFORM:
        return orr_usage_error("convert", "--platform is missing; needed by ", converter->name);
    case CONV_NO_OUT:
        break;
    }
    return orr_usage_error("convert", "-o PREFIX is missing", NULL);
}

static int check_arguments(int argc, char **argv, struct arguments *arguments)
{
    if (optind == argc) {
        return orr_usage_error("convert", "the format is missing", NULL);
    }
    arguments->converter = orr_converter_find(argv[optind]);
    if (arguments->converter == NULL) {
        return reject_format(argv[optind]);
    }
    arguments->job.files = (const char *const *)argv + optind + 1;
    arguments->job.file_count = (size_t)(argc - optind - 1);
    return check_format(arguments);
}

/* 0 to go on, < 0 for help, else an exit status. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == 'h') {
            return -1;
        }
        const int status = option == '?' || option == ':'
                               ? orr_reject_option("convert", options, option, argv[optind - 1])
                               : apply(option, optarg, arguments);
        if (status != 0) {
            return status;
        }
    }
    return check_arguments(argc, argv, arguments);
}

/* ---- progress ---- */

enum { BAR = 30, LARGE_BYTES = 50 * 1000 * 1000 };

static void show_progress(void *user, uint64_t done_bytes, uint64_t total_bytes)
{
    int *shown = user; /* percent */
    const int percent = total_bytes > 0 ? (int)((double)done_bytes * 100 / (double)total_bytes) : 0;
    if (total_bytes < LARGE_BYTES || percent == *shown) {
        return;
    }
    *shown = percent;
    const int full = percent * BAR / 100 > BAR ? BAR : percent * BAR / 100;
    (void)fprintf(stderr, "\r[%.*s%*s] %3d %%", full, "##############################", BAR - full,
                  "", percent);
    (void)fflush(stderr);
}

/* ---- running ---- */

static int print_results(const struct arguments *arguments, const struct conv_report *report)
{
    const struct orr_output output = {.path = arguments->report, .write = orr_convert_json};
    bool standard = false;
    const int status = orr_write_output(&output, report, &standard);
    if (status != 0 || standard) {
        return status;
    }
    orr_convert_print(stdout, report);
    if (arguments->job.out == NULL) {
        return 0; /* only a model was written */
    }
    orr_convert_print_files(stdout, report, arguments->job.out, arguments->job.gzip);
    return 0;
}

static int convert(struct orr_arena *arena, struct arguments *arguments)
{
    struct net_config network;
    struct conv_report report;
    struct orr_diag diag;
    int percent = -1;
    if (arguments->platform != NULL) {
        const int status = orr_convert_platform(arena, arguments->platform, &network);
        if (status != 0) {
            return status;
        }
        arguments->job.platform = &network;
    }
    if (orr_is_terminal()) {
        arguments->job.progress = (struct conv_progress){show_progress, &percent};
    }
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    orr_convert_report_init(&report, arena);
    const enum orr_status status =
        orr_converter_run(arguments->converter, &arguments->job, &report, &diag);
    if (percent >= 0) {
        (void)fputs("\r\033[K", stderr);
    }
    if (arguments->platform != NULL) {
        orr_convert_check_npus(&report, &network, arguments->platform);
    }
    return status == ORR_OK ? print_results(arguments, &report) : orr_print_diag(&diag);
}

static int run_command(int argc, char **argv)
{
    struct arguments arguments = {.report = NULL};
    const int parsed = parse_arguments(argc, argv, &arguments);
    if (parsed != 0) {
        return parsed < 0 ? print_help() : parsed;
    }
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        orr_print_message("orrery convert: out of memory\n");
        return 1;
    }
    const int status = convert(arena, &arguments);
    orr_arena_destroy(arena);
    return status;
}

const struct orr_command orr_command_convert = {
    "convert", "convert traces of other tools to execution traces", run_command};
