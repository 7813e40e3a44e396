/* orrery diff: what changed between two results, and where the time went. */
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/write_output.h"
#include "core/core.h"
#include "report/report.h"
#include "study/study.h"

enum { OPT_JSON = 256, OPT_CSV, OPT_HELP };

static const struct option options[] = {{"json", required_argument, NULL, OPT_JSON},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {"help", no_argument, NULL, OPT_HELP},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery diff A.json B.json [options]\n"
    "\n"
    "Compares two results that orrery run --json wrote: what changed in the configuration, where "
    "the\n"
    "time went, and which dimensions, collectives and parts of the critical path take more or "
    "less.\n"
    "\n"
    "  --json FILE|-                      the differences as JSON, instead of the table when FILE\n"
    "                                     is -\n"
    "  --csv FILE|-                       a line for each quantity that differs\n"
    "\n"
    "Exit status: 0 done (whether they differ or not), 1 internal error, 2 bad usage or input.\n";

struct arguments {
    const char *json, *csv;
    const char *path[2];
};

static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == ':' || option == '?') {
            return orr_option_refused("diff", options, option, argv[optind - 1]);
        }
        if (option == OPT_HELP) {
            return -1;
        }
        *(option == OPT_JSON ? &arguments->json : &arguments->csv) = optarg;
    }
    if (argc - optind != 2) {
        return argc - optind < 2
                   ? orr_usage_error("diff", "two results are needed", NULL)
                   : orr_usage_error("diff", "unexpected argument ", argv[optind + 2]);
    }
    arguments->path[0] = argv[optind];
    arguments->path[1] = argv[optind + 1];
    return 0;
}

/* ---- printing ---- */

static const char *change_text(const struct orr_diff_row *row, char *text, size_t bytes)
{
    char value[64];
    const int64_t change = row->b - row->a;
    if (row->unit == ORR_UNIT_PS) {
        (void)orr_format_time(change < 0 ? -change : change, value, sizeof value);
    } else {
        (void)snprintf(value, sizeof value, "%" PRId64, change < 0 ? -change : change);
    }
    (void)snprintf(text, bytes, "%s%s", change < 0 ? "-" : "+", value);
    return text;
}

static const char *value_text(const struct orr_diff_row *row, int64_t value, char *text,
                              size_t bytes)
{
    if (row->unit == ORR_UNIT_PS) {
        return orr_format_time(value, text, bytes);
    }
    if (row->unit == ORR_UNIT_BYTES || row->unit == ORR_UNIT_BYTES_PER_S) {
        return orr_format_bytes((uint64_t)value, text, bytes);
    }
    (void)snprintf(text, bytes, "%" PRId64, value);
    return text;
}

static void print_row(FILE *out, const struct orr_diff_row *row)
{
    char a[64], b[64], change[65], percent[32] = "";
    if (row->a != 0) {
        (void)snprintf(percent, sizeof percent, " %+8.1f %%",
                       100.0 * ((double)row->b - (double)row->a) / (double)row->a);
    }
    orr_print(out, "%-44s %14s %14s %15s%s\n", row->what, value_text(row, row->a, a, sizeof a),
              value_text(row, row->b, b, sizeof b), change_text(row, change, sizeof change),
              percent);
}

static void print_section(FILE *out, const struct orr_diff *diff, enum orr_diff_section section)
{
    bool headed = false;
    for (size_t i = 0; i < diff->rows; i++) {
        const struct orr_diff_row *row = &diff->row[i];
        if (row->section != section || (row->a == row->b && section != ORR_DIFF_TIMES)) {
            continue;
        }
        if (!headed) {
            orr_print(out, "\n%-44s %14s %14s %15s\n", orr_diff_section_name(section), "A", "B",
                      "B - A");
            headed = true;
        }
        print_row(out, row);
    }
}

static void print_settings(FILE *out, const struct orr_diff *diff)
{
    for (size_t i = 0; i < diff->settings; i++) {
        const struct orr_diff_setting *setting = &diff->setting[i];
        (void)fputs(i == 0 ? "\nchanged settings\n" : "", out);
        orr_print(out, "%-44s %s -> %s\n", setting->key, setting->a != NULL ? setting->a : "(none)",
                  setting->b != NULL ? setting->b : "(none)");
    }
}

static void print_verdict(FILE *out, const struct orr_diff *diff)
{
    char a[64], b[64], gap[64];
    const int64_t from = diff->wall_ps[0], to = diff->wall_ps[1];
    (void)orr_format_time(from, a, sizeof a);
    (void)orr_format_time(to, b, sizeof b);
    (void)orr_format_time(from < to ? to - from : from - to, gap, sizeof gap);
    if (from == to) {
        orr_print(out, "both take %s\n", a);
    } else {
        orr_print(out, "%s -> %s: B is %s %s", a, b, gap, to < from ? "faster" : "slower");
        if (from != 0 && to != 0) {
            orr_print(out, " (%.3fx)",
                      to < from ? (double)from / (double)to : (double)to / (double)from);
        }
        const struct orr_diff_row *most = orr_diff_largest(diff);
        char change[65];
        if (most != NULL) {
            orr_print(out, ", most of it %s (%s)", most->what,
                      change_text(most, change, sizeof change));
        }
        (void)fputc('\n', out);
    }
    if (diff->npus[0] != diff->npus[1]) {
        orr_print(out, "A has %" PRId64 " NPU%s, B has %" PRId64 "\n", diff->npus[0],
                  orr_plural((uint64_t)diff->npus[0]), diff->npus[1]);
    }
}

static void print_table(FILE *out, const struct orr_diff *diff)
{
    print_verdict(out, diff);
    if (orr_diff_empty(diff)) {
        (void)fputs("no difference\n", out);
        return;
    }
    print_settings(out, diff);
    for (unsigned section = 0; section < ORR_DIFF_SECTIONS; section++) {
        print_section(out, diff, (enum orr_diff_section)section);
    }
}

static int write_csv(FILE *out, const void *context)
{
    const struct orr_diff *diff = context;
    (void)fputs("section,what,a,b,change\n", out);
    for (size_t i = 0; i < diff->rows; i++) {
        const struct orr_diff_row *row = &diff->row[i];
        if (row->a != row->b) {
            orr_csv_text(out, orr_diff_section_name(row->section));
            (void)fputc(',', out);
            orr_csv_text(out, row->what);
            orr_print(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", row->a, row->b,
                      row->b - row->a);
        }
    }
    return ferror(out) != 0 ? 1 : 0;
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static int write_json(FILE *out, const void *context)
{
    const struct orr_diff *diff = context;
    json_t *root = json_object(), *rows = json_array(), *settings = json_array();
    for (size_t i = 0; i < diff->settings; i++) {
        (void)json_array_append_new(settings,
                                    json_pack("{s:s, s:o, s:o}", "key", diff->setting[i].key, "a",
                                              text_or_null(diff->setting[i].a), "b",
                                              text_or_null(diff->setting[i].b)));
    }
    for (size_t i = 0; i < diff->rows; i++) {
        const struct orr_diff_row *row = &diff->row[i];
        if (row->a != row->b) {
            (void)json_array_append_new(rows, json_pack("{s:s, s:s, s:I, s:I}", "section",
                                                        orr_diff_section_name(row->section), "what",
                                                        row->what, "a", (json_int_t)row->a, "b",
                                                        (json_int_t)row->b));
        }
    }
    (void)json_object_set_new(root, "wall_ps_a", json_integer(diff->wall_ps[0]));
    (void)json_object_set_new(root, "wall_ps_b", json_integer(diff->wall_ps[1]));
    (void)json_object_set_new(root, "settings", settings);
    (void)json_object_set_new(root, "changes", rows);
    const int result = orr_json_write(root, out, JSON_INDENT(2));
    json_decref(root);
    return result == 0 && fputc('\n', out) != EOF ? 0 : 1;
}

static int report(const struct arguments *arguments, const struct orr_diff *diff)
{
    const struct orr_output outputs[] = {{arguments->json, write_json},
                                         {arguments->csv, write_csv}};
    bool quiet = false;
    for (unsigned i = 0; i < 2; i++) {
        const int result = orr_write_output(&outputs[i], diff, &quiet);
        if (result != 0) {
            return result;
        }
    }
    if (!quiet) {
        print_table(stdout, diff);
    }
    return 0;
}

int orr_cmd_diff(int argc, char **argv)
{
    struct arguments arguments = {0};
    const int usage = parse_arguments(argc, argv, &arguments);
    if (usage != 0) {
        if (usage < 0) {
            (void)fputs(help, stdout);
        }
        return usage < 0 ? 0 : usage;
    }
    struct orr_diag diag;
    struct orr_diff diff;
    orr_diag_init(&diag);
    int status = 0;
    if (orr_diff_read(&diff, arguments.path, &diag) == ORR_OK) {
        status = report(&arguments, &diff);
    } else {
        status = orr_print_diag(&diag);
    }
    orr_diff_fini(&diff);
    return status;
}
