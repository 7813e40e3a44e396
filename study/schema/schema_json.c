/* JSON Schema (draft 2020-12) from the tables of keys. It accepts what the reader accepts in a file
 * without includes, except numbers in quotes. It does not check sizes of quantities, or
 * dependencies between values (sizes of lists by the number of dimensions, roots by the number of
 * NPUs). */
#include "study/schema/schema_json.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/conf/keys.h"
#include "core/units.h"
#include "sim/cluster/jobs.h"
#include "sim/load/config_keys.h"
#include "study/sweep/sweep.h"
#include "workload/model/model_read.h"
#include "workload/strategy/strategy_file.h"

enum { TEXT_BYTES = 1024 };

/* ---- objects; jansson's functions take ownership even on failure, and accept NULL ---- */

static json_t *with(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *with_text(json_t *object, const char *name, const char *text)
{
    return with(object, name, json_string(text));
}

static json_t *typed(const char *type)
{
    return with_text(json_object(), "type", type);
}

static json_t *and_one(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0) {
        json_decref(array);
        return NULL;
    }
    return array;
}

/* Adds the member unless the value is empty. */
static json_t *with_some(json_t *object, const char *name, json_t *value)
{
    if (json_array_size(value) == 0 && json_object_size(value) == 0) {
        json_decref(value);
        return object;
    }
    return with(object, name, value);
}

/* ---- values ---- */

static json_t *real_or_integer(double value)
{
    return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value)
                                                         : json_real(value);
}

static json_t *number_schema(const struct orr_key *key)
{
    const bool any = key->low == 0 && key->high == 0;
    json_t *schema = typed(key->type == ORR_KEY_INTEGER ? "integer" : "number");
    schema = with(schema, "minimum", real_or_integer(key->low));
    if (!any && key->high < 0x1p63) {
        schema = with(schema, "maximum", real_or_integer(key->high));
    } else if (key->type == ORR_KEY_INTEGER) {
        schema = with(schema, "maximum", json_integer(INT64_MAX));
    }
    return schema;
}

static json_t *names_schema(const struct orr_key *key)
{
    json_t *names = json_array();
    const char *name;
    for (size_t i = 0; (name = orr_key_name_at(key, i)) != NULL; i++) {
        names = and_one(names, json_string(name));
    }
    return with(json_object(), "enum", names);
}

static enum orr_quantity quantity_of(enum orr_key_type type)
{
    return type == ORR_KEY_TIME        ? ORR_QUANTITY_TIME
           : type == ORR_KEY_BYTES     ? ORR_QUANTITY_BYTES
           : type == ORR_KEY_BANDWIDTH ? ORR_QUANTITY_BANDWIDTH
                                       : ORR_QUANTITY_RATE;
}

/* "50 GB/s": a number that is not negative, or positive, and a unit; `several`: "50_20 GB/s" too.
 */
static json_t *quantity_schema(const struct orr_key *key, bool several)
{
    const bool positive = key->type == ORR_KEY_BANDWIDTH || key->type == ORR_KEY_RATE;
    char pattern[TEXT_BYTES];
    char number[TEXT_BYTES / 4];
    (void)snprintf(number, sizeof number, "\\+?%s(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?",
                   positive ? "(?=[0-9.]*[1-9])" : "");
    size_t used = (size_t)snprintf(pattern, sizeof pattern, "^[ \\t]*%s", number);
    if (several) {
        used += (size_t)snprintf(pattern + used, sizeof pattern - used, "(_%s)*", number);
    }
    used += (size_t)snprintf(pattern + used, sizeof pattern - used, "[ \\t]*(");
    const char *unit;
    for (size_t i = 0; (unit = orr_quantity_unit(quantity_of(key->type), i)) != NULL; i++) {
        used +=
            (size_t)snprintf(pattern + used, sizeof pattern - used, "%s%s", i > 0 ? "|" : "", unit);
    }
    (void)snprintf(pattern + used, sizeof pattern - used, ")[ \\t]*$");
    return with_text(typed("string"), "pattern", pattern);
}

static json_t *text_schema(void)
{
    json_t *types = json_array();
    types = and_one(types, json_string("string"));
    types = and_one(types, json_string("number"));
    return with(json_object(), "type", and_one(types, json_string("boolean")));
}

static json_t *bool_schema(void)
{
    json_t *values = and_one(and_one(json_array(), json_true()), json_false());
    return with(json_object(), "enum", and_one(and_one(values, json_integer(0)), json_integer(1)));
}

static json_t *table_schema(const struct orr_key_table *table);
static json_t *value_schema(const struct orr_key *key);

static json_t *node_schema(const struct orr_key *key)
{
    if (key->table != NULL) {
        return table_schema(key->table);
    }
    return key->each != NULL
               ? with(typed("object"), "additionalProperties", value_schema(key->each))
               : json_object();
}

static json_t *one_schema(const struct orr_key *key)
{
    switch (key->type) {
    case ORR_KEY_TEXT:
        return key->names != NULL ? names_schema(key) : text_schema();
    case ORR_KEY_CHOICE:
        return names_schema(key);
    case ORR_KEY_BOOL:
        return bool_schema();
    case ORR_KEY_INTEGER:
    case ORR_KEY_NUMBER:
        return number_schema(key);
    case ORR_KEY_NODE:
        return node_schema(key);
    case ORR_KEY_IGNORED:
        return json_object();
    default:
        return quantity_schema(key, false);
    }
}

static json_t *list_schema(const struct orr_key *key)
{
    json_t *list = with(typed("array"), "items", one_schema(key));
    if (key->min > 0) {
        list = with(list, "minItems", json_integer((json_int_t)key->min));
    }
    return key->max > 0 ? with(list, "maxItems", json_integer((json_int_t)key->max)) : list;
}

/* "own, totient:4": each a word, or a word, a colon and a number. */
static json_t *words_schema(const char *list_text)
{
    char pattern[TEXT_BYTES] = "^(";
    const char *word = list_text;
    while (word != NULL) {
        const size_t used = strlen(pattern), length = strcspn(word, ",:");
        (void)snprintf(pattern + used, sizeof pattern - used, "%s%.*s%s",
                       word != list_text ? "|" : "", (int)length, word,
                       word[length] == ':' ? ":[1-9][0-9]*" : "");
        word = strchr(word, ',');
        word = word != NULL ? word + strspn(word, ", ") : NULL;
    }
    const size_t used = strlen(pattern);
    (void)snprintf(pattern + used, sizeof pattern - used, ")$");
    return with_text(typed("string"), "pattern", pattern);
}

static json_t *value_schema(const struct orr_key *key)
{
    if (!key->list) {
        return one_schema(key);
    }
    if (!key->scalar_as_list && key->list_text == NULL) {
        return list_schema(key);
    }
    const bool quantity = key->type >= ORR_KEY_TIME && key->type <= ORR_KEY_RATE;
    json_t *scalar_as_list = key->list_text != NULL ? words_schema(key->list_text)
                             : quantity             ? quantity_schema(key, true)
                                                    : one_schema(key);
    return with(json_object(), "anyOf",
                and_one(and_one(json_array(), scalar_as_list), list_schema(key)));
}

/* What an editor shows about a key. */
static json_t *described(json_t *schema, const struct orr_key *key)
{
    char text[TEXT_BYTES];
    const char *otherwise = key->default_text != NULL ? key->default_text : key->absent;
    const char *word = key->default_text != NULL ? "default" : "without it";
    (void)snprintf(text, sizeof text, "%s%s%s%s%s%s", key->doc != NULL ? key->doc : key->name,
                   otherwise != NULL ? " (" : "", otherwise != NULL ? word : "",
                   otherwise != NULL ? ": " : "", otherwise != NULL ? otherwise : "",
                   otherwise != NULL ? ")" : "");
    return with_text(schema, "description", text);
}

static json_t *table_schema(const struct orr_key_table *table)
{
    json_t *properties = json_object();
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(table, i)) != NULL; i++) {
        properties = with(properties, key->name, described(value_schema(key), key));
    }
    json_t *schema = with(typed("object"), "properties", properties);
    return with(schema, "additionalProperties", json_false());
}

/* ---- required keys; only in files without includes, which could give them ---- */

static json_t *names_list(const char *name)
{
    return and_one(json_array(), json_string(name));
}

static json_t *requires(const char *name)
{
    return with(json_object(), "required", names_list(name));
}

/* {"properties": {NAME: SCHEMA}} */
static json_t *property(const char *name, json_t *schema)
{
    return with(json_object(), "properties", with(json_object(), name, schema));
}

static json_t *rule(json_t *condition, json_t *then)
{
    return with(with(json_object(), "if", condition), "then", then);
}

static const struct orr_key *find_key(const struct orr_key_table *table, const char *name)
{
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(table, i)) != NULL && strcmp(key->name, name) != 0; i++) {
    }
    return key;
}

/* The key is required if another one is given, or has its default, and is not `not_for`. */
static json_t *needed_rule(const struct orr_key_table *table, const struct orr_key *key)
{
    const struct orr_key *other = find_key(table, key->needed_with);
    const char *exempt = key->not_for != NULL ? key->not_for : "";
    json_t *exempted =
        property(key->needed_with, with(json_object(), "const", json_string(exempt)));
    exempted = with(exempted, "required", names_list(key->needed_with));
    const bool by_default =
        other != NULL && other->default_text != NULL && strcmp(other->default_text, exempt) != 0;
    json_t *condition = with(json_object(), "not", exempted);
    return rule(by_default ? condition : with(condition, "required", names_list(key->needed_with)),
                requires(key->name));
}

static json_t *one_of_schema(const char *const *names)
{
    json_t *options = json_array();
    for (size_t i = 0; names[i] != NULL; i++) {
        options = and_one(options, requires(names[i]));
    }
    return options;
}

static json_t *needs_of(const struct orr_key_table *table);

/* Keys of `below` that a key of the table above replaces: forbidden with it, else required. */
static json_t *replaced_rules(const struct orr_key_table *below, const struct orr_key *key,
                              json_t *rules)
{
    const struct orr_key *replaced;
    for (size_t i = 0; (replaced = orr_key_at(below, i)) != NULL; i++) {
        if (replaced->replaced_by == NULL) {
            continue;
        }
        json_t *refused = with(json_object(), "not", requires(replaced->name));
        json_t *without = with(json_object(), "items", refused);
        json_t *with_key = with(json_object(), "items",
                                replaced->required ? requires(replaced->name) : json_object());
        json_t *both = rule(requires(replaced->replaced_by), property(key->name, without));
        rules = and_one(rules, with(both, "else", property(key->name, with_key)));
    }
    return rules;
}

/* Adds the rules of one key. */
static json_t *key_rules(const struct orr_key_table *table, const struct orr_key *key,
                         json_t *rules)
{
    if (key->needed_with != NULL) {
        rules = and_one(rules, needed_rule(table, key));
    }
    if (key->table == NULL) {
        return rules;
    }
    json_t *needs = needs_of(key->table);
    if (json_object_size(needs) == 0) {
        json_decref(needs);
    } else {
        needs = key->list ? with(json_object(), "items", needs) : needs;
        rules = and_one(rules, property(key->name, needs));
    }
    return replaced_rules(key->table, key, rules);
}

/* Required keys of a mapping by this table. */
static json_t *needs_of(const struct orr_key_table *table)
{
    json_t *required = json_array(), *rules = json_array(), *needs = json_object();
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(table, i)) != NULL; i++) {
        if (key->required && key->replaced_by == NULL) {
            required = and_one(required, json_string(key->name));
        }
        rules = key_rules(table, key, rules);
    }
    needs = with_some(needs, "required", required);
    if (table->one_of != NULL) {
        needs = with(needs, "oneOf", one_of_schema(table->one_of));
    }
    return with_some(needs, "allOf", rules);
}

/* ---- files ---- */

/* Required keys of one of the two files: a workload its own section, a platform the others. A
 * section of the other file may be partial. */
static json_t *needs_of_file(enum orr_schema_file file)
{
    json_t *required = json_array(), *rules = json_array();
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(&orr_wl_key_table, i)) != NULL; i++) {
        const bool of_workload = strcmp(key->name, "workload") == 0;
        if (of_workload != (file == ORR_SCHEMA_WORKLOAD)) {
            continue;
        }
        if (key->required) {
            required = and_one(required, json_string(key->name));
        }
        rules = key_rules(&orr_wl_key_table, key, rules);
    }
    return with_some(with_some(json_object(), "required", required), "allOf", rules);
}

/* Merges the second into the first. */
static json_t *joined(json_t *head, json_t *body)
{
    if (head == NULL || body == NULL || json_object_update(head, body) != 0) {
        json_decref(head);
        head = NULL;
    }
    json_decref(body);
    return head;
}

static json_t *head_of(const struct orr_schema_info *info)
{
    json_t *head =
        with_text(json_object(), "$schema", "https://json-schema.org/draft/2020-12/schema");
    head = with_text(head, "title", info->title);
    return with_text(head, "description", info->description);
}

static json_t *file_schema(enum orr_schema_file file)
{
    static const char *const titles[] = {"Orrery platform", "Orrery workload", "Orrery sweep",
                                         "Orrery jobs",     "Orrery model",    "Orrery strategy"};
    static const char *const descriptions[] = {
        "What to run on: network, collectives, memory, compute. Made by `orrery schema platform`.",
        "What to run. Made by `orrery schema workload`.",
        "A design space to run. Made by `orrery schema sweep`.",
        "Jobs on one cluster. Made by `orrery schema jobs`.",
        "A model as a graph of operators. Made by `orrery schema model`.",
        "How a model is split and placed. Made by `orrery schema strategy`."};
    static const struct orr_key_table *const own[] = {[ORR_SCHEMA_SWEEP] = &orr_sweep_table,
                                                      [ORR_SCHEMA_JOBS] = &orr_jobs_table,
                                                      [ORR_SCHEMA_MODEL] = &orr_model_file_table,
                                                      [ORR_SCHEMA_STRATEGY] =
                                                          &orr_strategy_file_table};
    const struct orr_schema_info info = {titles[file], descriptions[file], own[file]};
    json_t *head = head_of(&info);
    if (own[file] != NULL) {
        return joined(joined(head, table_schema(own[file])), needs_of(own[file]));
    }
    head = joined(head, table_schema(&orr_wl_key_table));
    head = with(head, "if", with(json_object(), "not", requires("include")));
    return with(head, "then", needs_of_file(file));
}

static int write(FILE *out, json_t *schema)
{
    const int result =
        schema != NULL && json_dumpf(schema, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF
            ? 0
            : 1;
    json_decref(schema);
    return result;
}

int orr_schema_write(FILE *out, enum orr_schema_file file)
{
    return write(out, file_schema(file));
}

/* A file with includes need not have all keys. */
int orr_schema_write_file(FILE *out, const struct orr_schema_info *info)
{
    json_t *schema = joined(head_of(info), table_schema(info->table));
    if (orr_key_find(info->table, "include") == NULL) {
        return write(out, joined(schema, needs_of(info->table)));
    }
    schema = with(schema, "if", with(json_object(), "not", requires("include")));
    return write(out, with(schema, "then", needs_of(info->table)));
}
