/* Every value in force and its origin; see conf.h. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"

enum { VALUE_BYTES = 256, ORIGIN_BYTES = 640 };

/* ---- values as text ---- */

struct writer {
    char *text;
    size_t bytes, used;
};

static void add(struct writer *writer, const char *text)
{
    if (writer->used < writer->bytes) {
        writer->used +=
            (size_t)snprintf(writer->text + writer->used, writer->bytes - writer->used, "%s", text);
    }
}

static void write_node(struct writer *writer, const struct orr_conf *node)
{
    if (node->kind == ORR_CONF_SCALAR) {
        add(writer, node->text);
        return;
    }
    const bool map = node->kind == ORR_CONF_MAP;
    add(writer, map ? "{" : "[");
    for (size_t i = 0; i < node->count && writer->used < writer->bytes; i++) {
        add(writer, i > 0 ? ", " : "");
        add(writer, map ? node->key[i] : "");
        add(writer, map ? ": " : "");
        write_node(writer, node->item[i]);
    }
    add(writer, map ? "}" : "]");
}

char *orr_conf_format(const struct orr_conf *node, char *text, size_t bytes)
{
    struct writer writer = {.text = text, .bytes = bytes};
    text[0] = '\0';
    write_node(&writer, node);
    return text;
}

/* ---- keys ---- */

/* Path down to a mapping. */
struct level {
    const struct orr_conf *map, *above; /* NULL: not given */
    const char *path;
    const char *absent; /* not NULL: the section is absent, and this holds instead */
    const struct orr_key_table *table;
    orr_conf_explain_fn emit;
    void *context;
};

static void explain_table(const struct level *level);

static void emit_value(const struct level *level, const char *path, const struct orr_key *key,
                       const struct orr_conf *node)
{
    char text[VALUE_BYTES], origin[ORIGIN_BYTES];
    const char *file = key != NULL ? orr_conf_value_path(key, node) : NULL;
    const char *value = file != NULL ? file : orr_conf_format(node, text, sizeof text);
    if (strcmp(node->file, orr_conf_command_line) == 0) {
        (void)snprintf(origin, sizeof origin, "%s", node->file);
    } else {
        (void)snprintf(origin, sizeof origin, "%s:%u", node->file, node->line);
    }
    level->emit(level->context, path, value, origin);
}

const char orr_conf_omitted_default[] = "default";

/* An absent key: its default, or what holds instead. */
static void emit_absent(const struct level *level, const char *path, const struct orr_key *key)
{
    const bool replaced = key->replaced_by != NULL && level->above != NULL &&
                          orr_conf_get(level->above, key->replaced_by) != NULL;
    if (level->absent != NULL) {
        level->emit(level->context, path, "-",
                    key->output_if_given ? orr_conf_omitted_default : level->absent);
    } else if (replaced) {
        char origin[ORIGIN_BYTES];
        (void)snprintf(origin, sizeof origin, "given by %s",
                       orr_conf_get(level->above, key->replaced_by)->path);
        level->emit(level->context, path, "-", origin);
    } else if (key->default_text != NULL) {
        level->emit(level->context, path, key->default_text,
                    key->output_if_given ? orr_conf_omitted_default : "default");
    } else {
        level->emit(level->context, path, key->absent != NULL ? key->absent : "not given",
                    key->output_if_given ? orr_conf_omitted_default : "default");
    }
}

/* The mapping, or the mappings of the list, that a key with a table has. */
static void explain_below(const struct level *level, const char *path, const struct orr_key *key,
                          const struct orr_conf *node)
{
    struct level below = *level;
    below.above = level->map;
    below.table = key->table;
    if (!key->list) {
        below.map = node;
        below.path = path;
        below.absent = node == NULL && level->absent == NULL ? key->absent : level->absent;
        explain_table(&below);
        return;
    }
    for (size_t i = 0; node != NULL && i < node->count; i++) {
        char entry[ORR_CONF_LONGEST_PATH + 24];
        (void)snprintf(entry, sizeof entry, "%s[%zu]", path, i);
        below.map = node->item[i];
        below.path = entry;
        explain_table(&below);
    }
}

static void explain_each(const struct level *level, const struct orr_conf *node)
{
    for (size_t i = 0; i < node->count; i++) {
        emit_value(level, node->item[i]->path, NULL, node->item[i]);
    }
}

static void explain_table(const struct level *level)
{
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(level->table, i)) != NULL; i++) {
        const struct orr_conf *node =
            level->map != NULL ? orr_conf_get(level->map, key->name) : NULL;
        char path[ORR_CONF_LONGEST_PATH];
        (void)snprintf(path, sizeof path, "%s%s%s", level->path, level->path[0] != '\0' ? "." : "",
                       key->name);
        if (key->merge_only) {
            continue;
        }
        const bool word = node == NULL ? key->list_text != NULL : orr_conf_is_list_text(node, key);
        if (key->table != NULL && !word) {
            explain_below(level, path, key, node);
        } else if (node == NULL) {
            emit_absent(level, path, key);
        } else if (key->each != NULL && node->kind == ORR_CONF_MAP && node->count > 0) {
            explain_each(level, node);
        } else {
            emit_value(level, path, key, node);
        }
    }
}

void orr_conf_explain(const struct orr_conf *map, const struct orr_key_table *table,
                      orr_conf_explain_fn emit, void *context)
{
    const struct level level = {
        .map = map, .path = "", .table = table, .emit = emit, .context = context};
    explain_table(&level);
}
