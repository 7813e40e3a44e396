/* Formatting of numbers and texts of traces; see trace_format.h. */
#include "report/trace/trace_format.h"

#include <inttypes.h>
#include <string.h>

#include "core/diag.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "workload/trace/trace_ops.h"
#include "workload/trace/trace_query.h"

void orr_print_quoted(FILE *out, const char *text)
{
    orr_print(out, "\"%s\"", text);
}

void orr_print_short(FILE *out, const char *text, size_t max)
{
    size_t bytes = strlen(text) > max ? max - 3 : max;
    while (strlen(text) > max && ((unsigned char)text[bytes] & 0xC0) == 0x80 && bytes > max - 6) {
        bytes--; /* whole characters */
    }
    orr_print(out, "%.*s%s", (int)bytes, text, strlen(text) > max ? "..." : "");
}

char *orr_ps_text(uint64_t ps, char *text)
{
    return orr_format_time(ps <= INT64_MAX ? (sim_time)ps : INT64_MAX, text, ORR_FORMAT_BYTES);
}

char *orr_share_text(uint64_t part, uint64_t whole, char text[16])
{
    text[0] = '\0';
    if (whole != 0) {
        (void)snprintf(text, 16, "%.1f %%", 100.0 * (double)part / (double)whole);
    }
    return text;
}

json_t *orr_json_count(uint64_t value)
{
    return json_integer(value <= INT64_MAX ? (json_int_t)value : INT64_MAX);
}

void orr_json_set_count(json_t *object, const char *key, uint64_t value)
{
    (void)json_object_set_new(object, key, orr_json_count(value));
}

const char *orr_comm_text(enum orr_node_kind kind, enum orr_trace_comm comm)
{
    return kind == ORR_NODE_SEND   ? "SEND"
           : kind == ORR_NODE_RECV ? "RECV"
                                   : orr_trace_comm_name(comm);
}

enum orr_status orr_print_json(FILE *out, json_t *json, struct orr_diag *diag)
{
    const bool printed =
        json != NULL && orr_json_write(json, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    json_decref(json);
    return printed ? ORR_OK : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the JSON cannot be printed");
}

/* ---- operators ---- */

json_t *orr_json_ops(const struct orr_op_table *ops, uint32_t max)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < ops->rows && i < max; i++) {
        const struct orr_op_row *op = &ops->row[i];
        json_t *row = json_object();
        (void)json_object_set_new(row, "name", orr_json_text(op->name));
        (void)json_object_set_new(row, "several_names", json_boolean(op->several_names));
        (void)json_object_set_new(row, "kind", json_string(orr_node_kind_name(op->kind)));
        (void)json_object_set_new(row, "device", json_string(orr_device_name(op->device)));
        orr_json_set_count(row, "nodes", op->nodes);
        orr_json_set_count(row, "duration_ps", op->duration_ps);
        orr_json_set_count(row, "mean_ps", op->duration_ps / op->nodes);
        orr_json_set_count(row, "shortest_ps", op->shortest_ps);
        orr_json_set_count(row, "longest_ps", op->longest_ps);
        orr_json_set_count(row, "operations", op->operations);
        orr_json_set_count(row, "bytes", op->bytes);
        (void)json_array_append_new(rows, row);
    }
    return rows;
}

static void print_op(FILE *out, const struct orr_op_row *op, const char *share)
{
    char total[ORR_FORMAT_BYTES], mean[ORR_FORMAT_BYTES], bytes[ORR_FORMAT_BYTES];
    orr_print(out, "%8" PRIu64 " %13s %8s %13s %11.4g %11s  %-11s  ", op->nodes,
              orr_ps_text(op->duration_ps, total), share,
              orr_ps_text(op->duration_ps / op->nodes, mean), (double)op->operations,
              orr_format_bytes(op->bytes, bytes, sizeof bytes), orr_device_name(op->device));
    orr_print_short(out, op->name[0] != '\0' ? op->name : "(no name)", ORR_MAX_NAME_BYTES);
    (void)fputc('\n', out);
}

void orr_print_ops(FILE *out, const struct orr_op_table *ops, uint64_t whole_ps, uint32_t max)
{
    char share[16];
    uint64_t operations = 0;
    for (uint32_t i = 0; i < ops->rows; i++) {
        const uint64_t more = ops->row[i].operations;
        operations = operations > UINT64_MAX - more ? UINT64_MAX : operations + more;
    }
    orr_print(out, "%8s %13s %8s %13s %11s %11s  %-11s  %s\n", "nodes", "time", "share", "mean",
              "operations", "bytes", "device", "operator");
    for (uint32_t i = 0; i < ops->rows && i < max; i++) {
        const struct orr_op_row *op = &ops->row[i];
        print_op(out, op,
                 whole_ps != 0 ? orr_share_text(op->duration_ps, whole_ps, share)
                               : orr_share_text(op->operations, operations, share));
    }
    if (ops->rows > max) {
        orr_print(out, "%8s and %" PRIu32 " more operators\n", "", ops->rows - max);
    }
}
