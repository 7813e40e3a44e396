/* Writes task graphs as JSON, one task a line; see docs/file-formats.md. */
#include <inttypes.h>

#include "workload/taskgraph/tg_file_private.h"

/* The text is printable. */
static void write_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            (void)fputc('\\', out);
        }
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

/* Exact: in the largest unit that gives a whole number. */
static void write_time(FILE *out, uint64_t ps)
{
    static const char *const units[] = {"ps", "ns", "us", "ms", "s"};
    unsigned unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && ps != 0 && ps % 1000 == 0) {
        ps /= 1000;
        unit++;
    }
    (void)fprintf(out, ", \"time\": \"%" PRIu64 " %s\"", ps, units[unit]);
}

static void write_numbers(FILE *out, const char *key, const uint32_t *number, uint32_t count)
{
    (void)fprintf(out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        (void)fprintf(out, "%s%" PRIu32, i == 0 ? "" : ", ", number[i]);
    }
    (void)fputc(']', out);
}

static void write_task(FILE *out, const struct tg_graph *graph, const struct tg_names *names,
                       uint32_t index)
{
    const struct tg_task *task = &graph->task[index];
    uint32_t nexts;
    const uint32_t *next = orr_tg_next(graph, index, &nexts);
    (void)fprintf(out, "    {\"role\": \"%s\"", orr_tg_role_name(task->role));
    if (task->pass != TG_NO_PASS) {
        (void)fprintf(out, ", \"pass\": \"%s\"", orr_tg_pass_name(task->pass));
    }
    if (task->name != 0) {
        (void)fputs(", \"name\": ", out);
        write_text(out, names->text[names->number[task->name]]);
    }
    if (task->role == TG_ALL_REDUCE) {
        write_numbers(out, "members", graph->member + task->from, task->to);
        (void)fputs(task->across ? ", \"across\": true" : "", out);
    } else if (orr_tg_is_transfer(task)) {
        (void)fprintf(out, ", \"from\": %" PRIu32 ", \"to\": %" PRIu32, task->from, task->to);
    } else {
        (void)fprintf(out, ", \"npu\": %" PRIu32, task->from);
    }
    if (task->role >= TG_TRANSFER) {
        (void)fprintf(out, ", \"bytes\": \"%" PRIu64 " B\"", task->bytes);
    }
    if (!orr_tg_is_transfer(task) && (task->role != TG_ALL_REDUCE || task->duration_ps != 0)) {
        write_time(out, task->duration_ps);
    }
    if (nexts != 0) {
        write_numbers(out, "next", next, nexts);
    }
    (void)fputc('}', out);
}

void orr_tg_write_json(const struct tg_graph *graph, const struct tg_names *names, FILE *out)
{
    (void)fprintf(out,
                  "{\n  \"format\": \"%s\",\n  \"version\": %d,\n  \"npus\": %" PRIu32
                  ",\n  \"copies\": %" PRIu32 ",\n%s  \"tasks\": [\n",
                  TG_FORMAT, TG_VERSION, graph->npus, graph->copies,
                  graph->first_come ? "  \"first_come\": true,\n" : "");
    for (uint32_t i = 0; i < graph->tasks; i++) {
        write_task(out, graph, names, i);
        (void)fputs(i + 1 < graph->tasks ? ",\n" : "\n", out);
    }
    (void)fputs("  ]", out);
    if (graph->order != NULL) {
        write_numbers(out, "order", graph->order, graph->tasks);
    }
    (void)fputs("\n}\n", out);
}
