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

struct arguments {
    struct conv_job job;
    const struct orr_converter *converter;
    const char *platform, *report;
};

/* ---- arguments ---- */

static int parse_batch(void *context, const char *text)
{
    double *out = &((struct arguments *)context)->job.batch_size;
    return orr_parse_number(text, out) && *out >= 1 && *out <= CONV_MAX_BATCH
               ? 0
               : orr_reject_value("convert", "batch", "a number from 1 to 1e9", text, "");
}

static int parse_missing(void *context, const char *text)
{
    return orr_conv_missing_of(text, &((struct arguments *)context)->job.missing)
               ? 0
               : orr_reject_value("convert", "missing-ranks", "replay or copy", text, "");
}

static const struct orr_option rows[] = {
    {NULL, "FORMAT", ORR_VALUE | ORR_POSITIONAL, "one of these", {.kind = ORR_STORE_NONE}},
    {NULL,
     "FILE",
     ORR_INPUT | ORR_POSITIONAL | ORR_REPEATED | ORR_OPTIONAL,
     "the traces; may be gzip",
     {.kind = ORR_STORE_NONE}},
    {"output", "PREFIX", ORR_PREFIX,
     "where the files go; the folder must exist; NAME.et: the file of the only rank",
     ORR_TEXT(struct arguments, job.out)},
    {"platform", "PLATFORM.yml", ORR_PLATFORM,
     "text: NPUs and dimensions that the trace is for; also the name of a shipped one, or a "
     "topology such as 'Ring(4)_Switch(2)'; other formats: its NPUs are compared with the traces",
     ORR_TEXT(struct arguments, platform)},
    {"passes", "N", ORR_VALUE, "text: forward and backward passes (default 1)",
     ORR_NUMBER(struct arguments, job.passes, 1, CONV_MAX_PASSES)},
    {"batch", "N", ORR_VALUE,
     "sipml: batch size, interpolated between those of the files (default: the smallest)",
     ORR_CALL(parse_batch)},
    {"save-model", "FILE.yml", ORR_OUTPUT,
     "sipml: also write the operators as a model (orrery model); -o is then optional",
     ORR_TEXT(struct arguments, job.model)},
    {"et", "FILE", ORR_INPUT, "pytorch: the execution trace; {rank} in it stands for the rank",
     ORR_TEXT(struct arguments, job.et)},
    {"kineto", "FILE|FOLDER", ORR_INPUT,
     "pytorch: the profile of the same run, likewise; without --et profiles alone, also a folder "
     "or "
     "'PATTERN' of them, and more as FILE",
     ORR_TEXT(struct arguments, job.kineto)},
    {"step", "N|all", ORR_VALUE,
     "pytorch, profiles alone: the step \"ProfilerStep#N\" (default: the last that is whole on all "
     "ranks)",
     ORR_TEXT(struct arguments, job.step)},
    {"npus", "N", ORR_VALUE, "pytorch: files 0 to N-1; their profiles say which ranks",
     ORR_NUMBER(struct arguments, job.ranks, 1, INT32_MAX)},
    {"missing-ranks", "copy|replay", ORR_CHOICE,
     "pytorch: what stands in for ranks without a file: copies of the nearest ranks, or the "
     "recorded times of the communication that they take part in",
     ORR_CALL(parse_missing)},
    {"gzip", NULL, ORR_FLAG, "compress: PREFIX.RANK.et.gz", ORR_TRUE(struct arguments, job.gzip)},
    {"report", "FILE.json|-", ORR_OUTPUT,
     "the report as JSON; - is standard output, instead of the text",
     ORR_TEXT(struct arguments, report)},
    ORR_ROWS_END};

static bool format_at(size_t index, struct orr_word *word)
{
    size_t count;
    const struct orr_converter *const *converters = orr_converters(&count);
    if (index < count) {
        *word = (struct orr_word){converters[index]->name, converters[index]->summary};
    }
    return index < count;
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
        return orr_usage_error("convert", "--et FILE or --kineto FILE is missing", NULL);
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

static int parse_arguments(const struct orr_call *call, int argc, char **argv,
                           struct arguments *arguments)
{
    const int status = orr_parse_options(call, &argc, argv, arguments);
    if (status != 0) {
        return status;
    }
    arguments->converter = orr_converter_find(argv[1]);
    if (arguments->converter == NULL) {
        return reject_format(argv[1]);
    }
    arguments->job.files = (const char *const *)argv + 2;
    arguments->job.file_count = (size_t)(argc - 2);
    return check_format(arguments);
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

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.report = NULL};
    const int parsed = parse_arguments(call, argc, argv, &arguments);
    if (parsed != 0) {
        return parsed;
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
    .name = "convert",
    .summary = "convert traces of other tools to execution traces",
    .about =
        "Converts foreign traces to execution traces, PREFIX.0.et to PREFIX.(N-1).et, with their "
        "communicator groups in PREFIX.groups.json; 'workload: {traces: PREFIX, groups_file: "
        "PREFIX.groups.json}' runs them. Prints a report. Files may be gzip.",
    .forms = "FORMAT FILE... [--platform] --output [options]\n"
             "FORMAT --et [--kineto] [--npus] --output [options]\n"
             "pytorch --kineto [FILE...] [--step] --output [options]",
    .rows = rows,
    .missing = "the format is missing",
    .word = format_at,
    .words = "Formats",
    .run = run_command};
