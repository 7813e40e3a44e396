/* orrery trace scale: data-parallel traces for another number of ranks. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/trace/trace_command.h"
#include "core/diag.h"
#include "core/units.h"
#include "report/trace/trace_report.h"
#include "workload/trace/trace_scale.h"

/* Parses a number of ranks; false if it is none. */
static bool parse_ranks(const char *text, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 1 || value > INT32_MAX) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static int bad_ranks(const char *option, const char *text)
{
    orr_print_message(
        "orrery trace: --%s: expected a number of ranks from 1 to 2147483647, got \"%s\"\n", option,
        text);
    return ORR_EXIT_USAGE;
}

/* Sets M, and N if given; 0 or an exit status. */
static int read_ranks(const struct orr_trace_arguments *arguments, struct orr_trace_scale *scale)
{
    if (arguments->npus == NULL || arguments->output == NULL) {
        return orr_usage_error("trace", "scale: --npus M and -o PREFIX are needed", NULL);
    }
    if (!parse_ranks(arguments->npus, &scale->to)) {
        return bad_ranks("npus", arguments->npus);
    }
    if (arguments->traces != NULL && !parse_ranks(arguments->traces, &scale->from)) {
        return bad_ranks("traces", arguments->traces);
    }
    return 0;
}

int orr_trace_scale_command(const struct orr_trace_arguments *arguments)
{
    struct orr_trace_scale scale = {
        .prefix = arguments->file[0], .out = arguments->output, .gzip = arguments->gzip};
    const int usage = read_ranks(arguments, &scale);
    if (usage != 0) {
        return usage;
    }
    struct orr_diag diag;
    struct orr_trace_scale_result result;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    if (orr_trace_scale_ranks(&scale, "--traces", &diag) == ORR_OK &&
        orr_trace_scale(&scale, &result, &diag) == ORR_OK) {
        orr_trace_print_scale(stdout, &scale, &result);
    }
    return orr_print_diag(&diag);
}
