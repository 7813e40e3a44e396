/* The reference of keys (docs/keys.md) from the tables of keys. */
#include <string.h>

#include "core/conf/keys.h"
#include "core/units.h"
#include "sim/cluster/jobs.h"
#include "sim/load/config_keys.h"
#include "study/schema/schema_json.h"
#include "study/sweep/sweep.h"
#include "workload/model/model_read.h"
#include "workload/model/profile.h"
#include "workload/strategy/strategy_file.h"

static const char head[] =
    "# Keys of platform, workload, sweep, job, model, strategy and plan files\n"
    "\n"
    "Made by `orrery schema keys` from the tables that the files are read by; a test keeps it\n"
    "current. `orrery schema platform`, `workload`, `sweep`, `jobs`, `model`, `strategy` and "
    "`plan` "
    "print the\nsame as JSON Schema (`inputs/schema/`), which editors use to complete and check "
    "files "
    "that "
    "begin with\n"
    "\n"
    "    # yaml-language-server: $schema=PATH/platform.schema.json\n"
    "\n"
    "`[]` is each entry of a list, NAME any name. Quantities need a unit:\n"
    "\n";

static const char *const quantities[] = {[ORR_QUANTITY_TIME] = "time",
                                         [ORR_QUANTITY_BYTES] = "size",
                                         [ORR_QUANTITY_BANDWIDTH] = "bandwidth",
                                         [ORR_QUANTITY_RATE] = "rate"};

static void write_units(FILE *out)
{
    (void)fputs("| quantity | example | units |\n| --- | --- | --- |\n", out);
    for (unsigned q = 0; q < sizeof quantities / sizeof *quantities; q++) {
        const char *unit;
        (void)fprintf(out, "| %s | `%s` |", quantities[q],
                      orr_quantity_example((enum orr_quantity)q));
        for (size_t i = 0; (unit = orr_quantity_unit((enum orr_quantity)q, i)) != NULL; i++) {
            (void)fprintf(out, "%s `%s`", i > 0 ? "," : "", unit);
        }
        (void)fputs(" |\n", out);
    }
}

/* ---- keys ---- */

static void write_names(FILE *out, const struct orr_key *key)
{
    const char *name;
    for (size_t i = 0; (name = orr_key_name_at(key, i)) != NULL; i++) {
        (void)fprintf(out, "%s`%s`", i > 0 ? ", " : "", name);
    }
}

static void write_bound(FILE *out, const struct orr_key *key, double bound)
{
    char text[ORR_FORMAT_BYTES];
    if (key->type == ORR_KEY_INTEGER && bound > -0x1p53 && bound < 0x1p53) {
        (void)fprintf(out, "%.0f", bound);
    } else if (key->type == ORR_KEY_TIME) {
        (void)fputs(orr_format_time((sim_time)bound, text, sizeof text), out);
    } else if (key->type == ORR_KEY_BYTES) {
        (void)fputs(orr_format_bytes((uint64_t)bound, text, sizeof text), out);
    } else if (key->type == ORR_KEY_BANDWIDTH) {
        (void)fputs(orr_format_bandwidth(bound, text, sizeof text), out);
    } else {
        (void)fputs(orr_format_number(bound, text, sizeof text), out);
        (void)fputs(key->type == ORR_KEY_RATE ? " FLOP/s" : "", out);
    }
}

static void write_range(FILE *out, const struct orr_key *key)
{
    if (key->low == 0 && key->high == 0) {
        const bool number = key->type == ORR_KEY_INTEGER || key->type == ORR_KEY_NUMBER;
        const bool positive = key->type == ORR_KEY_BANDWIDTH || key->type == ORR_KEY_RATE;
        (void)fputs(number ? " >= 0" : positive ? " > 0" : "", out);
        return;
    }
    (void)fputs(", ", out);
    write_bound(out, key, key->low);
    (void)fputs(" to ", out);
    write_bound(out, key, key->high);
}

static void write_one(FILE *out, const struct orr_key *key)
{
    static const char *const types[] = {[ORR_KEY_TEXT] = "text",
                                        [ORR_KEY_BOOL] = "`true` or `false`",
                                        [ORR_KEY_INTEGER] = "whole number",
                                        [ORR_KEY_NUMBER] = "number",
                                        [ORR_KEY_TIME] = "time",
                                        [ORR_KEY_BYTES] = "size",
                                        [ORR_KEY_BANDWIDTH] = "bandwidth",
                                        [ORR_KEY_RATE] = "rate",
                                        [ORR_KEY_CHOICE] = "",
                                        [ORR_KEY_NODE] = "any value",
                                        [ORR_KEY_IGNORED] = "ignored"};
    if (orr_key_name_at(key, 0) != NULL) {
        write_names(out, key);
        return;
    }
    const bool mapping = key->table != NULL || key->each != NULL;
    (void)fputs(mapping ? "mapping" : types[key->type], out);
    if (key->type >= ORR_KEY_INTEGER && key->type <= ORR_KEY_RATE) {
        write_range(out, key);
    }
}

static void write_value(FILE *out, const struct orr_key *key)
{
    if (key->list_text != NULL) {
        (void)fprintf(out, "text such as `%s`, or list of: ", key->list_text);
    } else if (key->list) {
        (void)fputs(key->scalar_as_list ? "one, or list of: " : "list of: ", out);
    }
    write_one(out, key);
    if (key->list && key->max > 0) {
        (void)fprintf(out, " (%zu to %zu)", key->min, key->max);
    }
}

static void write_default(FILE *out, const struct orr_key_table *table, const struct orr_key *key)
{
    if (key->replaced_by != NULL) {
        (void)fprintf(out, "required without `%s`", key->replaced_by);
    } else if (key->required) {
        (void)fputs("required", out);
    } else if (key->needed_with != NULL) {
        (void)fprintf(out, "needed with `%s`", key->needed_with);
        (void)fprintf(out, key->not_for != NULL ? " other than `%s`" : "%s",
                      key->not_for != NULL ? key->not_for : "");
    } else if (key->default_text != NULL) {
        (void)fprintf(out, "`%s`", key->default_text);
    } else {
        bool one_of = false;
        for (size_t i = 0; table->one_of != NULL && table->one_of[i] != NULL; i++) {
            one_of = one_of || strcmp(table->one_of[i], key->name) == 0;
        }
        (void)fputs(one_of                ? "one of these is required"
                    : key->absent != NULL ? key->absent
                                          : "–",
                    out);
    }
}

static void write_key(FILE *out, const char *path, const struct orr_key_table *table,
                      const struct orr_key *key)
{
    (void)fprintf(out, "| `%s` | ", path);
    write_value(out, key);
    (void)fputs(" | ", out);
    write_default(out, table, key);
    (void)fprintf(out, " | %s |\n", key->doc != NULL ? key->doc : "");
}

struct file_keys {
    FILE *out;
    const struct orr_key_table *table; /* table of the file */
};

/* Whether a key belongs to a section that platforms share, which is listed there. */
static bool is_in_platform(const struct orr_key_table *table, const char *path)
{
    char section[32];
    const size_t length = strcspn(path, ".");
    if (table == &orr_wl_key_table || path[length] == '\0' || length >= sizeof section) {
        return false;
    }
    memcpy(section, path, length);
    section[length] = '\0';
    const struct orr_key *here = orr_key_find(table, section);
    const struct orr_key *there = orr_key_find(&orr_wl_key_table, section);
    return here != NULL && there != NULL && here->table != NULL && here->table == there->table;
}

static void write_new(void *context, const char *path, const struct orr_key_table *table,
                      const struct orr_key *key)
{
    const struct file_keys *keys = context;
    if (!is_in_platform(keys->table, path)) {
        write_key(keys->out, path, table, key);
    }
}

static void write_table(FILE *out, const struct orr_key_table *table)
{
    struct file_keys keys = {out, table};
    (void)fputs("\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n", out);
    orr_keys_visit(table, write_new, &keys);
}

void orr_keys_write_file(FILE *out, const char *file_head, const struct orr_key_table *table)
{
    (void)fputs(file_head, out);
    write_table(out, table);
}

void orr_keys_write(FILE *out)
{
    (void)fputs(head, out);
    write_units(out);
    write_table(out, &orr_wl_key_table);
    orr_keys_write_file(
        out,
        "\n## The file of a sweep\n\n"
        "As `orrery sweep` reads it; PATH is any key of the table above, with an index where "
        "that has\n`[]`.\n",
        &orr_sweep_table);
    orr_keys_write_file(out, "\n## The file of jobs\n\nAs `orrery run --cluster` reads it.\n",
                        &orr_jobs_table);
    orr_keys_write_file(out, "\n## The file of a model\n\nAs `orrery model` reads it.\n",
                        &orr_model_file_table);
    orr_keys_write_file(out, "\n## A profile\n\nAs `orrery model show --profile` reads it.\n",
                        &orr_model_profile_table);
    orr_keys_write_file(out, "\n## A list of profiles\n\nIn place of a profile.\n",
                        &orr_model_profiles_table);
    orr_keys_write_file(
        out, "\n## The file of a strategy\n\nAs `orrery model demand --strategy` reads it.\n",
        &orr_strategy_file_table);
}
