/* orrery trace stats: statistics of traces. */
#include <jansson.h>
#include <stdio.h>

#include "cli/options.h"
#include "cli/trace/trace_command.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "core/diag.h"
#include "report/trace/trace_report.h"
#include "workload/trace/et/et.h"

/* Prints one file, or appends it to `list`. */
static enum orr_status show(FILE *out, const struct orr_trace_arguments *arguments,
                            const char *path, json_t *list, struct orr_diag *diag)
{
    const struct orr_trace *trace;
    struct orr_arena *arena = orr_arena_create();
    enum orr_status status =
        arena != NULL ? ORR_OK : orr_diag_no_memory(diag, "the statistics of a trace");
    if (status == ORR_OK) {
        status = orr_et_read_file(arena, path, &trace, diag);
    }
    if (status == ORR_OK) {
        status = list != NULL ? orr_trace_stats_json(list, arena, trace, arguments->top, diag)
                              : orr_trace_print_stats(out, arena, trace, arguments->top, diag);
    }
    orr_arena_destroy(arena);
    return status;
}

/* Shows all files, or appends them to `list`; returns the worst exit status. */
static int show_all(FILE *out, const struct orr_trace_arguments *arguments, json_t *list)
{
    int worst = 0;
    for (int i = 0; i < arguments->files; i++) {
        struct orr_diag diag;
        orr_diag_init(&diag);
        diag.warn = orr_print_warning;
        if (i > 0 && list == NULL) {
            (void)fputc('\n', out);
        }
        (void)show(out, arguments, arguments->file[i], list, &diag);
        const int status = orr_print_diag(&diag);
        worst = status == 1 || worst == 0 ? status : worst;
    }
    return worst;
}

static int write_text(FILE *out, const void *context)
{
    return show_all(out, context, NULL);
}

static int write_json(FILE *out, const void *context)
{
    json_t *list = json_array();
    struct orr_diag diag;
    orr_diag_init(&diag);
    const int worst = show_all(out, context, list);
    (void)orr_trace_print_stats_json(out, list, &diag);
    const int status = orr_print_diag(&diag);
    return status == 1 || worst == 0 ? status : worst;
}

int orr_trace_stats_command(const struct orr_trace_arguments *arguments)
{
    return orr_write_json_or_text(arguments->json, write_json, arguments, write_text, arguments);
}
