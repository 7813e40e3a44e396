/* orrery fit collectives: a platform's library fitted to measured times. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fit/fit_command.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/write_output.h"
#include "orrery/fit.h"

enum {
    OPT_PLATFORM = 256,
    OPT_SET,
    OPT_HOLDOUT,
    OPT_KEEP,
    OPT_REPORT,
    OPT_COLLECTIVE,
    OPT_NPUS,
    OPT_NPUS_PER_NODE,
    OPT_HELP
};

enum { MOST_SETS = 256, MOST_REPORTS = 16 };

static const struct option options[] = {
    {"platform", required_argument, NULL, OPT_PLATFORM},
    {"set", required_argument, NULL, OPT_SET},
    {"output", required_argument, NULL, 'o'},
    {"holdout", required_argument, NULL, OPT_HOLDOUT},
    {"keep", no_argument, NULL, OPT_KEEP},
    {"report", required_argument, NULL, OPT_REPORT},
    {"collective", required_argument, NULL, OPT_COLLECTIVE},
    {"npus", required_argument, NULL, OPT_NPUS},
    {"npus-per-node", required_argument, NULL, OPT_NPUS_PER_NODE},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

struct arguments {
    struct orrery_fit_collectives input;
    const char *set[MOST_SETS];
    const char *output;
    const char *report[MOST_REPORTS];
    unsigned reports;
    char platform[ORR_INPUT_PATH_BYTES];
};

/* ---- arguments ---- */

static int parse_count(const char *option, const char *text, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 1 || value > INT32_MAX) {
        orr_say("orrery fit: --%s: expected a whole number from 1 to 2147483647, got \"%s\"\n",
                option, text);
        return ORR_EXIT_USAGE;
    }
    *out = (uint32_t)value;
    return 0;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), with = strlen(end);
    return length > with && strcmp(text + length - with, end) == 0;
}

static int add_report(struct arguments *arguments, const char *path)
{
    if (strcmp(path, "-") != 0 && !ends_with(path, ".json") && !ends_with(path, ".svg")) {
        orr_say("orrery fit: --report: expected a file that ends in .json or .svg, or -, got "
                "\"%s\"\n",
                path);
        return ORR_EXIT_USAGE;
    }
    if (arguments->reports == MOST_REPORTS) {
        return orr_usage_error("fit", "too many --report options", NULL);
    }
    arguments->report[arguments->reports++] = path;
    return 0;
}

static int apply(struct arguments *arguments, int option, const char *value)
{
    struct orrery_fit_collectives *input = &arguments->input;
    switch (option) {
    case OPT_PLATFORM:
        input->platform = value;
        return 0;
    case OPT_SET:
        if (input->set_count == MOST_SETS) {
            return orr_usage_error("fit", "too many --set options", NULL);
        }
        arguments->set[input->set_count++] = value;
        return 0;
    case OPT_HOLDOUT:
        input->holdout = value;
        return 0;
    case OPT_KEEP:
        input->keep = 1;
        return 0;
    case OPT_REPORT:
        return add_report(arguments, value);
    case OPT_COLLECTIVE:
        input->collective = value;
        return 0;
    case OPT_NPUS:
        return parse_count("npus", value, &input->npus);
    case OPT_NPUS_PER_NODE:
        return parse_count("npus-per-node", value, &input->npus_per_node);
    default:
        arguments->output = value;
        return 0;
    }
}

static int check(const struct arguments *arguments, int files)
{
    unsigned standard = strcmp(arguments->output != NULL ? arguments->output : "", "-") == 0;
    if (files == 0) {
        return orr_usage_error("fit", "no files of measured times", NULL);
    }
    if (arguments->input.platform == NULL) {
        return orr_usage_error("fit", "--platform is missing: which platform is fitted", NULL);
    }
    if (arguments->input.keep != 0 && arguments->input.holdout != NULL) {
        return orr_usage_error("fit", "--keep fits nothing, so no rows can be held out", NULL);
    }
    if (arguments->output == NULL && arguments->input.keep == 0) {
        return orr_usage_error("fit", "-o is missing: where the fitted platform goes", NULL);
    }
    for (unsigned i = 0; i < arguments->reports; i++) {
        standard += strcmp(arguments->report[i], "-") == 0;
    }
    return standard > 1 ? orr_usage_error("fit", "one of -o and --report goes to -, not more", NULL)
                        : 0;
}

/* < 0: help. */
static int parse(struct arguments *arguments, int argc, char **argv)
{
    int status = 0;
    opterr = 0;
    optind = 1;
    arguments->input.set = arguments->set;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            return -1;
        }
        status = option == '?' || option == ':'
                     ? orr_option_refused("fit", options, option, argv[optind - 1])
                     : apply(arguments, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    status = check(arguments, argc - optind);
    if (status == 0) {
        arguments->input.name = arguments->input.platform;
        arguments->input.platform =
            orr_input_file("platforms", arguments->input.platform, arguments->platform, &status);
    }
    return status;
}

/* ---- results ---- */

static int copy(FILE *out, const void *text)
{
    return fputs(text, out) < 0 ? 1 : 0;
}

/* Nothing is written before all of it is there. */
static int write(struct orrery_fit *fit, enum orrery_fit_view view, const char *path,
                 bool *standard)
{
    const char *text = orrery_fit_text(fit, view);
    if (text == NULL) {
        orr_say("%s\n", orrery_fit_error(fit));
        return 1;
    }
    return orr_write_output(&(struct orr_output){path, copy}, text, standard);
}

static int report(const struct arguments *arguments, struct orrery_fit *fit)
{
    bool standard = false;
    int status = arguments->output != NULL
                     ? write(fit, ORRERY_FIT_PLATFORM, arguments->output, &standard)
                     : 0;
    for (unsigned i = 0; i < arguments->reports && status == 0; i++) {
        const bool picture = ends_with(arguments->report[i], ".svg");
        status =
            write(fit, picture ? ORRERY_FIT_SVG : ORRERY_FIT_JSON, arguments->report[i], &standard);
    }
    if (status == 0 && !standard) {
        status = write(fit, ORRERY_FIT_TEXT, "-", &standard);
    }
    return status;
}

static int run(struct arguments *arguments, int argc, char **argv)
{
    const size_t files = (size_t)(argc - optind);
    struct orrery_measured *data = orr_heap_calloc(files, sizeof *data);
    struct orrery_fit *fit = orrery_fit_new();
    int status = 1;
    if (data == NULL || fit == NULL) {
        orr_say("orrery fit: out of memory\n");
    } else {
        for (size_t i = 0; i < files; i++) {
            data[i].path = argv[(size_t)optind + i];
        }
        arguments->input.data = data;
        arguments->input.files = files;
        orrery_fit_on_warning(fit, orr_print_warning, NULL);
        const enum orrery_status fitted = orrery_fit_collectives(fit, &arguments->input);
        status = fitted == ORRERY_OK ? report(arguments, fit)
                                     : orr_print_refusal(fitted, orrery_fit_error(fit));
    }
    orrery_fit_free(fit);
    orr_heap_free(data);
    return status;
}

int orr_fit_collectives_command(int argc, char **argv)
{
    struct arguments *arguments = orr_heap_calloc(1, sizeof *arguments);
    if (arguments == NULL) {
        orr_say("orrery fit: out of memory\n");
        return 1;
    }
    arguments->input.size = sizeof arguments->input;
    int status = parse(arguments, argc, argv);
    if (status < 0) {
        orr_fit_print_help();
        status = 0;
    } else if (status == 0) {
        status = run(arguments, argc, argv);
    }
    orr_heap_free(arguments);
    return status;
}
