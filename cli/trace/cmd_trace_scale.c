/* orrery trace scale: data-parallel traces for another number of ranks. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/trace/trace_command.h"
#include "core/diag.h"
#include "core/units.h"
#include "report/trace/trace_report.h"
#include "workload/trace/trace_scale.h"

int orr_trace_scale_command(const struct orr_trace_arguments *arguments)
{
    struct orr_trace_scale scale = {.prefix = arguments->file[0],
                                    .out = arguments->output,
                                    .gzip = arguments->gzip,
                                    .to = arguments->npus,
                                    .from = arguments->traces};
    if (arguments->npus == 0 || arguments->output == NULL) {
        return orr_usage_error("trace", "scale: --npus M and -o PREFIX are needed", NULL);
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
