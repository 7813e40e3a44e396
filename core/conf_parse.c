/* From YAML events to the tree; see conf.h. Recursive descent over libyaml's parser, with the depth
 * bounded. JSON in the wild is indented with tabs, which YAML forbids; outside of strings they are
 * read as spaces. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "core/conf.h"

enum { DEEPEST = 64, LARGEST_FILE = 64 * 1024 * 1024 };

struct parser {
    yaml_parser_t yaml;
    struct orr_arena *arena;
    struct orr_diag *diag;
    const char *file;
    const char *data;
    unsigned depth;
};

static struct orr_place place_of(const struct parser *parser, yaml_mark_t mark)
{
    return orr_place_text(parser->file, (unsigned)mark.line + 1, (unsigned)mark.column + 1);
}

static enum orr_status fail(struct parser *parser, yaml_mark_t mark, const char *message)
{
    const struct orr_place place = place_of(parser, mark);
    return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place, "%s", message);
}

/* libyaml gives bytes that it cannot read an offset, everything else a line and a column. */
static struct orr_place problem_place(const struct parser *parser)
{
    const yaml_parser_t *yaml = &parser->yaml;
    if (yaml->error != YAML_READER_ERROR) {
        return place_of(parser, yaml->problem_mark);
    }
    unsigned line = 1, column = 1;
    for (size_t i = 0; i < yaml->problem_offset; i++) {
        column++;
        if (parser->data[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return orr_place_text(parser->file, line, column);
}

static enum orr_status syntax_error(struct parser *parser)
{
    const yaml_parser_t *yaml = &parser->yaml;
    const struct orr_place place = problem_place(parser);
    const char *problem = yaml->problem != NULL ? yaml->problem : "it is not YAML";
    if (yaml->error == YAML_MEMORY_ERROR) {
        return orr_diag_no_memory(parser->diag, "a configuration file");
    }
    return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place, "syntax error: %s%s%s", problem,
                         yaml->context != NULL ? " " : "",
                         yaml->context != NULL ? yaml->context : "");
}

static enum orr_status next_event(struct parser *parser, yaml_event_t *event)
{
    return yaml_parser_parse(&parser->yaml, event) != 0 ? ORR_OK : syntax_error(parser);
}

static struct orr_conf *new_node(struct parser *parser, enum orr_conf_kind kind, yaml_mark_t mark,
                                 const char *path)
{
    struct orr_conf *node = orr_arena_alloc(parser->arena, sizeof *node);
    if (node != NULL) {
        node->kind = kind;
        node->line = (unsigned)mark.line + 1;
        node->column = (unsigned)mark.column + 1;
        node->file = parser->file;
        node->path = path;
    }
    return node;
}

static enum orr_status parse_node(struct parser *parser, const yaml_event_t *event,
                                  const char *path, const struct orr_conf **out);

static enum orr_status parse_scalar(struct parser *parser, const yaml_event_t *event,
                                    const char *path, const struct orr_conf **out)
{
    const char *value = (const char *)event->data.scalar.value;
    if (strlen(value) != event->data.scalar.length) {
        return fail(parser, event->start_mark, "a value holds a zero byte");
    }
    struct orr_conf *node = new_node(parser, ORR_CONF_SCALAR, event->start_mark, path);
    char *text = orr_arena_strdup(parser->arena, value);
    if (node == NULL || text == NULL) {
        return orr_diag_no_memory(parser->diag, "a configuration file");
    }
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    *out = node;
    return ORR_OK;
}

/* Growing arrays of a list's or mapping's entries. */
struct entries {
    const struct orr_conf **item;
    const char **key;
    size_t item_capacity, key_capacity, count;
};

static enum orr_status add_entry(struct parser *parser, struct entries *entries, const char *key,
                                 const struct orr_conf *value)
{
    const struct orr_conf **item =
        orr_arena_grow(parser->arena, (void *)entries->item, &entries->item_capacity,
                       entries->count + 1, sizeof *item);
    const char **keys = orr_arena_grow(parser->arena, (void *)entries->key, &entries->key_capacity,
                                       entries->count + 1, sizeof *keys);
    if (item == NULL || keys == NULL) {
        return orr_diag_no_memory(parser->diag, "a configuration file");
    }
    item[entries->count] = value;
    keys[entries->count] = key;
    entries->item = item;
    entries->key = keys;
    entries->count++;
    return ORR_OK;
}

static void set_entries(struct orr_conf *node, const struct entries *entries)
{
    node->count = entries->count;
    node->item = entries->item;
    node->key = entries->key;
}

/* Reads the next event as a value; *end is set when the event is `stop` instead. */
static enum orr_status next_value(struct parser *parser, yaml_event_type_t stop, const char *path,
                                  const struct orr_conf **out, bool *end)
{
    yaml_event_t event;
    enum orr_status status = next_event(parser, &event);
    if (status != ORR_OK) {
        return status;
    }
    *end = event.type == stop;
    status = *end ? ORR_OK : parse_node(parser, &event, path, out);
    yaml_event_delete(&event);
    return status;
}

static enum orr_status parse_list(struct parser *parser, const yaml_event_t *event,
                                  const char *path, const struct orr_conf **out)
{
    struct orr_conf *node = new_node(parser, ORR_CONF_LIST, event->start_mark, path);
    struct entries entries = {0};
    for (;;) {
        const char *item_path = orr_arena_printf(parser->arena, "%s[%zu]", path, entries.count);
        const struct orr_conf *value = NULL;
        bool end = false;
        if (node == NULL || item_path == NULL) {
            return orr_diag_no_memory(parser->diag, "a configuration file");
        }
        enum orr_status status =
            next_value(parser, YAML_SEQUENCE_END_EVENT, item_path, &value, &end);
        if (status == ORR_OK && !end) {
            status = add_entry(parser, &entries, "", value);
        }
        if (status != ORR_OK || end) {
            set_entries(node, &entries);
            *out = node;
            return status;
        }
    }
}

static enum orr_status check_key(struct parser *parser, const struct entries *entries,
                                 const struct orr_conf *const *key_nodes,
                                 const struct orr_conf *key)
{
    (void)key_nodes;
    if (key->kind != ORR_CONF_SCALAR) {
        const struct orr_place place = orr_conf_place(key);
        return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place,
                             "expected a key (a name), got a list or mapping");
    }
    for (size_t i = 0; i < entries->count; i++) {
        if (strcmp(entries->key[i], key->text) == 0) {
            const struct orr_place place = orr_conf_place(key);
            return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place,
                                 "duplicate key \"%s\": it is given already at line %u", key->text,
                                 entries->item[i]->line);
        }
    }
    return ORR_OK;
}

static enum orr_status parse_entry(struct parser *parser, struct entries *entries, const char *path,
                                   bool *end)
{
    const struct orr_conf *key = NULL, *value = NULL;
    enum orr_status status = next_value(parser, YAML_MAPPING_END_EVENT, path, &key, end);
    if (status != ORR_OK || *end) {
        return status;
    }
    status = check_key(parser, entries, NULL, key);
    if (status != ORR_OK) {
        return status;
    }
    const char *value_path =
        orr_arena_printf(parser->arena, "%s%s%s", path, path[0] != '\0' ? "." : "", key->text);
    if (value_path == NULL) {
        return orr_diag_no_memory(parser->diag, "a configuration file");
    }
    bool no_value = false;
    status = next_value(parser, YAML_NO_EVENT, value_path, &value, &no_value);
    return status == ORR_OK ? add_entry(parser, entries, key->text, value) : status;
}

static enum orr_status parse_map(struct parser *parser, const yaml_event_t *event, const char *path,
                                 const struct orr_conf **out)
{
    struct orr_conf *node = new_node(parser, ORR_CONF_MAP, event->start_mark, path);
    if (node == NULL) {
        return orr_diag_no_memory(parser->diag, "a configuration file");
    }
    struct entries entries = {0};
    bool end = false;
    enum orr_status status = ORR_OK;
    while (status == ORR_OK && !end) {
        status = parse_entry(parser, &entries, path, &end);
    }
    set_entries(node, &entries);
    *out = node;
    return status;
}

static bool has_anchor(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor != NULL;
    default:
        return false;
    }
}

static enum orr_status parse_node(struct parser *parser, const yaml_event_t *event,
                                  const char *path, const struct orr_conf **out)
{
    if (parser->depth == DEEPEST) {
        return fail(parser, event->start_mark, "nested deeper than 64 levels");
    }
    if (has_anchor(event)) {
        return fail(parser, event->start_mark, "anchors (&name) are not supported");
    }
    parser->depth++;
    enum orr_status status;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        status = parse_scalar(parser, event, path, out);
        break;
    case YAML_SEQUENCE_START_EVENT:
        status = parse_list(parser, event, path, out);
        break;
    case YAML_MAPPING_START_EVENT:
        status = parse_map(parser, event, path, out);
        break;
    case YAML_ALIAS_EVENT:
        status = fail(parser, event->start_mark, "aliases (*name) are not supported");
        break;
    default:
        status = fail(parser, event->start_mark, "expected a value");
        break;
    }
    parser->depth--;
    return status;
}

/* Stream start, document start, the root, document end, stream end. */
static enum orr_status parse_stream(struct parser *parser, const struct orr_conf **root)
{
    yaml_event_t event;
    for (int i = 0; i < 2; i++) {
        const enum orr_status status = next_event(parser, &event);
        if (status != ORR_OK) {
            return status;
        }
        const bool empty = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (empty) {
            const struct orr_place place = orr_place_file(parser->file);
            return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place, "the file is empty");
        }
    }
    bool end = false;
    enum orr_status status = next_value(parser, YAML_NO_EVENT, "", root, &end);
    for (int i = 0; i < 2 && status == ORR_OK; i++) {
        status = next_event(parser, &event);
        if (status == ORR_OK && event.type == YAML_DOCUMENT_START_EVENT) {
            status = fail(parser, event.start_mark, "expected one document, got a second");
        }
        if (status == ORR_OK) {
            yaml_event_delete(&event);
        }
    }
    return status;
}

/* In JSON, tabs between tokens become spaces. */
static void untab_json(char *data, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && strchr(" \t\r\n", data[at]) != NULL && data[at] != '\0') {
        at++;
    }
    if (at == bytes || (data[at] != '{' && data[at] != '[')) {
        return;
    }
    bool in_string = false;
    for (size_t i = 0; i < bytes; i++) {
        if (data[i] == '"') {
            in_string = !in_string;
        } else if (data[i] == '\\' && in_string) {
            i++;
        } else if (data[i] == '\t' && !in_string) {
            data[i] = ' ';
        }
    }
}

enum orr_status orr_conf_parse(struct orr_arena *arena, const char *data, size_t bytes,
                               const char *name, const struct orr_conf **root,
                               struct orr_diag *diag)
{
    struct parser parser = {.arena = arena, .diag = diag, .file = orr_arena_strdup(arena, name)};
    char *copy = orr_arena_strndup(arena, data, bytes);
    if (copy == NULL || parser.file == NULL || yaml_parser_initialize(&parser.yaml) == 0) {
        return orr_diag_no_memory(diag, "a configuration file");
    }
    untab_json(copy, bytes);
    parser.data = copy;
    yaml_parser_set_input_string(&parser.yaml, (const unsigned char *)copy, bytes);
    const enum orr_status status = parse_stream(&parser, root);
    yaml_parser_delete(&parser.yaml);
    return status;
}

static enum orr_status read_all(FILE *file, const char *path, char **data, size_t *bytes,
                                struct orr_diag *diag)
{
    const struct orr_place place = orr_place_file(path);
    size_t capacity = 0;
    *bytes = 0;
    for (;;) {
        if (*bytes == capacity) {
            capacity = capacity == 0 ? 4096 : capacity * 2;
            char *grown = capacity <= LARGEST_FILE ? orr_heap_realloc(*data, capacity) : NULL;
            if (grown == NULL) {
                return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                     "the file is larger than a configuration may be (64 MiB)");
            }
            *data = grown;
        }
        const size_t got = fread(*data + *bytes, 1, capacity - *bytes, file);
        *bytes += got;
        if (got == 0) {
            break;
        }
    }
    return ferror(file) != 0
               ? orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be read: %s", strerror(errno))
               : ORR_OK;
}

enum orr_status orr_conf_load(struct orr_arena *arena, const char *path,
                              const struct orr_conf **root, struct orr_diag *diag)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        const struct orr_place place = orr_place_file(path);
        return orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be opened: %s", strerror(errno));
    }
    char *data = NULL;
    size_t bytes = 0;
    enum orr_status status = read_all(file, path, &data, &bytes, diag);
    (void)fclose(file);
    if (status == ORR_OK) {
        status = orr_conf_parse(arena, data, bytes, path, root, diag);
    }
    orr_heap_free(data);
    return status;
}
