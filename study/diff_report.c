/* The difference of two results, as text, CSV and JSON; see diff_report.h. */
#include "study/diff_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "study/diff_results.h"

/* Formats a value >= 0 in its unit. */
static const char *value_text(const struct orr_diff_row *row, int64_t value, char *text,
                              size_t bytes)
{
    switch (row->unit) {
    case ORR_UNIT_PS:
        return orr_format_time(value, text, bytes);
    case ORR_UNIT_BYTES:
        return orr_format_bytes((uint64_t)value, text, bytes);
    case ORR_UNIT_BYTES_PER_S:
        return orr_format_bandwidth((double)value, text, bytes);
    default:
        (void)snprintf(text, bytes, "%" PRId64, value);
        return text;
    }
}

static const char *change_text(const struct orr_diff_row *row, char *text, size_t bytes)
{
    char value[64];
    const int64_t change = row->b - row->a;
    (void)snprintf(text, bytes, "%s%s", change < 0 ? "-" : "+",
                   value_text(row, change < 0 ? -change : change, value, sizeof value));
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
        const struct orr_diff_row *max = orr_diff_largest(diff);
        char change[65];
        if (max != NULL) {
            orr_print(out, ", most of it %s (%s)", max->what,
                      change_text(max, change, sizeof change));
        }
        (void)fputc('\n', out);
    }
    if (diff->npus[0] != diff->npus[1]) {
        orr_print(out, "A has %" PRId64 " NPU%s, B has %" PRId64 "\n", diff->npus[0],
                  orr_plural((uint64_t)diff->npus[0]), diff->npus[1]);
    }
}

void orr_diff_table(FILE *out, const struct orr_diff *diff)
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

int orr_diff_csv(FILE *out, const void *context)
{
    const struct orr_diff *diff = context;
    orr_result_csv_head(out, &orr_diff_results);
    (void)fputc('\n', out);
    for (size_t i = 0; i < diff->rows; i++) {
        if (diff->row[i].a != diff->row[i].b) {
            orr_result_csv_line(out, &orr_diff_results, &diff->row[i]);
            (void)fputc('\n', out);
        }
    }
    return ferror(out) != 0 ? 1 : 0;
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *settings_array(const struct orr_diff *diff)
{
    json_t *settings = json_array();
    for (size_t i = 0; i < diff->settings; i++) {
        (void)json_array_append_new(settings,
                                    json_pack("{s:s, s:o, s:o}", "key", diff->setting[i].key, "a",
                                              text_or_null(diff->setting[i].a), "b",
                                              text_or_null(diff->setting[i].b)));
    }
    return settings;
}

static json_t *changes_array(const struct orr_diff *diff)
{
    json_t *changes = json_array();
    for (size_t i = 0; i < diff->rows; i++) {
        if (diff->row[i].a != diff->row[i].b) {
            orr_result_append_json(changes, &orr_diff_results, &diff->row[i]);
        }
    }
    return changes;
}

int orr_diff_json(FILE *out, const void *context)
{
    const struct orr_diff *diff = context;
    json_t *root = json_object();
    orr_result_add_json(root, &orr_diff_run_results, diff);
    (void)json_object_set_new(root, "settings", settings_array(diff));
    (void)json_object_set_new(root, "changes", changes_array(diff));
    const int result = orr_json_write(root, out, JSON_INDENT(2));
    json_decref(root);
    return result == 0 && fputc('\n', out) != EOF ? 0 : 1;
}
