/* orrery trace cut: one step of a trace, or of the traces of all ranks. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/trace/trace_command.h"
#include "core/arena.h"
#include "core/diag.h"
#include "report/trace/trace_report.h"
#include "workload/trace/trace_cut_files.h"

static int check(const struct orr_trace_arguments *arguments, bool lists)
{
    if (lists && (arguments->to != NULL || arguments->output != NULL)) {
        return orr_usage_error("trace", "cut: say what to cut out: --step N, or --from NAME", NULL);
    }
    if (arguments->step != NULL && (arguments->from != NULL || arguments->to != NULL)) {
        return orr_usage_error("trace", "cut: --step and --from exclude each other", NULL);
    }
    if (arguments->from != NULL && arguments->marker != NULL) {
        return orr_usage_error("trace", "cut: --marker goes with --step", NULL);
    }
    return lists || arguments->output != NULL
               ? 0
               : orr_usage_error("trace", "cut: -o FILE is missing", NULL);
}

int orr_trace_cut_command(const struct orr_trace_arguments *arguments)
{
    const bool lists = arguments->step == NULL && arguments->from == NULL;
    const int usage = check(arguments, lists);
    if (usage != 0) {
        return usage;
    }
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    struct orr_cut_files files = {.in = arguments->file[0],
                                  .out = arguments->output,
                                  .cut = {.marker = arguments->marker,
                                          .step = arguments->step,
                                          .from = arguments->from,
                                          .to = arguments->to,
                                          .gzip = arguments->gzip}};
    struct orr_cut_sum sum;
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        (void)orr_diag_no_memory(&diag, "a trace");
    } else if (lists) {
        (void)orr_trace_print_steps(stdout, arena, files.in, files.cut.marker, &diag);
    } else {
        orr_cut_files_find(&files);
        if (orr_trace_cut_files(&files, &sum, &diag) == ORR_OK) {
            orr_trace_print_cut(stdout, &files, &sum);
        }
    }
    orr_arena_destroy(arena);
    return orr_print_diag(&diag);
}
