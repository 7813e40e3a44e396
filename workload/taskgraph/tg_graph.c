/* Names and labels of tasks; see tg_graph.h. */
#include "workload/taskgraph/tg_graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const char *orr_tg_role_name(unsigned role)
{
    static const char *const names[TG_ROLES] = {"compute", "compute-cpu", "delay",     "transfer",
                                                "send",    "receive",     "all-reduce"};
    return role < TG_ROLES ? names[role] : NULL;
}

const char *orr_tg_pass_name(unsigned pass)
{
    static const char *const names[TG_PASSES] = {"", "forward", "backward", "update", "barrier"};
    return pass < TG_PASSES ? names[pass] : NULL;
}

uint64_t orr_tg_all_tasks(const struct tg_graph *graph)
{
    uint64_t tasks = 0;
    for (uint32_t i = 0; i < graph->tasks; i++) {
        tasks += graph->task[i].across ? 1 : graph->copies;
    }
    return tasks;
}

/* The name, or "of no kind" if out of range. */
static const char *known(const char *name)
{
    return name != NULL ? name : "of no kind";
}

char *orr_tg_label(const struct tg_graph *graph, uint32_t task, char text[TG_LABEL_BYTES])
{
    if (graph->origin.label != NULL) {
        graph->origin.label(graph->origin.context, task, text);
        return text;
    }
    const struct tg_task *at = &graph->task[task];
    const char *pass = known(orr_tg_pass_name(at->pass));
    const char *name = at->name < graph->names ? graph->name[at->name] : "";
    (void)snprintf(text, TG_LABEL_BYTES, "tasks[%" PRIu32 "] (%s%s%s%s%.60s)", task,
                   known(orr_tg_role_name(at->role)), pass[0] != '\0' ? ", " : "", pass,
                   name[0] != '\0' ? ", " : "", name);
    return text;
}

enum orr_status orr_tg_fail(const struct tg_graph *graph, uint32_t task, struct orr_diag *diag,
                            const char *format, ...)
{
    char label[TG_LABEL_BYTES], message[512], offset[40] = "";
    uint64_t byte = UINT64_MAX;
    struct orr_location place =
        graph->file != NULL ? orr_location_file(graph->file) : orr_location_none();
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (graph->origin.place != NULL) {
        place = graph->origin.place(graph->origin.context, task, &byte);
    }
    if (byte != UINT64_MAX) {
        (void)snprintf(offset, sizeof offset, "byte offset %" PRIu64 ": ", byte);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s%s: %s", offset,
                         orr_tg_label(graph, task, label), message);
}
