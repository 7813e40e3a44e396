/* Parser from YAML events to the tree; see conf.h. Recursive descent over libyaml, with bounded
 * depth and number of values. */
#include <string.h>
#include <yaml.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"
#include "core/strings.h"

struct parser {
    yaml_parser_t yaml;
    const struct orr_conf_source *source; /* without a byte order mark */
    struct orr_arena *arena;
    struct orr_diag *diag;
    const char *file; /* the source's name, in the arena */
    unsigned depth, values;
};

/* ---- errors ---- */

static struct orr_location location_of(const struct parser *parser, yaml_mark_t mark)
{
    return orr_location_text(parser->file, (unsigned)mark.line + 1, (unsigned)mark.column + 1);
}

static enum orr_status fail(struct parser *parser, yaml_mark_t mark, const char *message)
{
    const struct orr_location place = location_of(parser, mark);
    return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place, "%s", message);
}

static enum orr_status no_memory(struct parser *parser)
{
    return orr_diag_no_memory(parser->diag, "a configuration file");
}

/* libyaml reports unreadable bytes by offset, all else by line and column. */
static struct orr_location problem_location(const struct parser *parser)
{
    const yaml_parser_t *yaml = &parser->yaml;
    return yaml->error == YAML_READER_ERROR
               ? orr_conf_location_at(parser->source, yaml->problem_offset)
               : location_of(parser, yaml->problem_mark);
}

enum { CHOICE_COLUMNS = 400 };

/* Whether the line has a choice, "C ? a : b", in which YAML takes the colon for a key's. */
static bool hints_at_choice(const struct parser *parser, uint32_t line)
{
    bool asked = false;
    for (uint32_t column = 1; column < CHOICE_COLUMNS; column++) {
        const char byte = orr_conf_byte_at(parser->source, line, column);
        if (byte == '\0' || byte == '\n') {
            return false;
        }
        if (asked && byte == ':' && orr_conf_byte_at(parser->source, line, column + 1) == ' ') {
            return true;
        }
        asked = asked || byte == '?';
    }
    return false;
}

static enum orr_status syntax_error(struct parser *parser)
{
    const yaml_parser_t *yaml = &parser->yaml;
    if (yaml->error == YAML_MEMORY_ERROR) {
        return no_memory(parser);
    }
    const struct orr_location place = problem_location(parser);
    const bool context = yaml->context != NULL;
    const char *hint = hints_at_choice(parser, place.line)
                           ? "; a value with \": \" in it has to be in quotes, such as cost: "
                             "\"npus > 64 ? 2 : 1\""
                           : "";
    if (yaml->error == YAML_SCANNER_ERROR &&
        orr_conf_byte_at(parser->source, place.line, place.column) == '\t') {
        return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place,
                             "syntax error: YAML is indented with spaces, not with a tab");
    }
    return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place, "syntax error: %s%s%s%s",
                         yaml->problem, context ? " " : "", context ? yaml->context : "", hint);
}

static enum orr_status next_event(struct parser *parser, yaml_event_t *event)
{
    return yaml_parser_parse(&parser->yaml, event) != 0 ? ORR_OK : syntax_error(parser);
}

/* ---- values ---- */

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
        node->arena = parser->arena;
        node->level = parser->source->level;
    }
    return node;
}

static enum orr_status parse_node(struct parser *parser, const yaml_event_t *event,
                                  const char *path, struct orr_conf **out);

static enum orr_status parse_scalar(struct parser *parser, const yaml_event_t *event,
                                    const char *path, struct orr_conf **out)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length) != NULL) {
        return fail(parser, event->start_mark, "a value holds a zero byte");
    }
    struct orr_conf *node = new_node(parser, ORR_CONF_SCALAR, event->start_mark, path);
    const char *text = orr_arena_strndup(parser->arena, value, length);
    if (node == NULL || text == NULL) {
        return no_memory(parser);
    }
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    *out = node;
    return ORR_OK;
}

/* Reads the next event as a value; *end is set when the event is `stop` instead. */
static enum orr_status next_value(struct parser *parser, yaml_event_type_t stop, const char *path,
                                  struct orr_conf **out, bool *end)
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

/* ---- lists and mappings ---- */

/* Entries of a list or mapping so far. The texts of keys are owned by `keys`. */
struct entries {
    const struct orr_conf **item;
    struct orr_strings keys;
    size_t capacity, count;
};

static enum orr_status add_item(struct parser *parser, struct entries *entries,
                                const struct orr_conf *value)
{
    const struct orr_conf **item = orr_arena_grow(
        parser->arena, (void *)entries->item, &entries->capacity, entries->count + 1, sizeof *item);
    if (item == NULL) {
        return no_memory(parser);
    }
    item[entries->count] = value;
    entries->item = item;
    entries->count++;
    return ORR_OK;
}

static enum orr_status parse_list(struct parser *parser, const yaml_event_t *event,
                                  const char *path, struct orr_conf **out)
{
    struct orr_conf *node = new_node(parser, ORR_CONF_LIST, event->start_mark, path);
    struct entries entries = {0};
    enum orr_status status = node != NULL ? ORR_OK : no_memory(parser);
    for (bool end = false; status == ORR_OK && !end;) {
        const char *item_path = orr_arena_printf(parser->arena, "%s[%zu]", path, entries.count);
        struct orr_conf *value = NULL;
        status = item_path != NULL
                     ? next_value(parser, YAML_SEQUENCE_END_EVENT, item_path, &value, &end)
                     : no_memory(parser);
        if (status == ORR_OK && !end) {
            status = add_item(parser, &entries, value);
        }
    }
    if (status == ORR_OK) {
        node->count = entries.count;
        node->item = entries.item;
        *out = node;
    }
    return status;
}

/* Checks a key, and replaces a deprecated name. */
static enum orr_status check_key(struct parser *parser, struct orr_conf *key)
{
    const struct orr_location place = orr_conf_location(key);
    if (key->kind == ORR_CONF_SCALAR && strlen(key->text) <= ORR_CONF_LONGEST_KEY) {
        const char *current = orr_conf_current_key(key->text);
        if (current != key->text) {
            orr_conf_warn_deprecated(&place, key->text, current, parser->diag);
            key->text = current;
        }
        return ORR_OK;
    }
    if (key->kind == ORR_CONF_SCALAR) {
        return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place,
                             "expected a key of at most %d bytes, got %zu", ORR_CONF_LONGEST_KEY,
                             strlen(key->text));
    }
    return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place,
                         "expected a key (a name), got a list or mapping");
}

/* Adds a key; fails with the line of the first if it is a duplicate. */
static enum orr_status add_key(struct parser *parser, struct entries *entries,
                               const struct orr_conf *key)
{
    const uint32_t index = orr_strings_add(&entries->keys, key->text, strlen(key->text));
    if (index == UINT32_MAX) {
        return no_memory(parser);
    }
    if (index == entries->count) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(key);
    return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place,
                         "duplicate key \"%s\": it is given already at line %u", key->text,
                         entries->item[index]->key_line);
}

/* Parses the value of a key. */
static enum orr_status parse_keyed(struct parser *parser, struct entries *entries, const char *path,
                                   const struct orr_conf *key)
{
    const char *between = path[0] != '\0' ? "." : "";
    const char *value_path = orr_arena_printf(parser->arena, "%s%s%s", path, between, key->text);
    struct orr_conf *value = NULL;
    bool no_value = false;
    if (value_path == NULL) {
        return no_memory(parser);
    }
    enum orr_status status = next_value(parser, YAML_NO_EVENT, value_path, &value, &no_value);
    if (status == ORR_OK) {
        value->key_line = key->line;
        value->key_column = key->column;
        status = add_item(parser, entries, value);
    }
    return status;
}

static enum orr_status parse_entry(struct parser *parser, struct entries *entries, const char *path,
                                   bool *end)
{
    struct orr_conf *key = NULL;
    enum orr_status status = next_value(parser, YAML_MAPPING_END_EVENT, path, &key, end);
    if (status != ORR_OK || *end) {
        return status;
    }
    status = check_key(parser, key);
    if (status == ORR_OK) {
        status = add_key(parser, entries, key);
    }
    return status == ORR_OK ? parse_keyed(parser, entries, path, key) : status;
}

static enum orr_status parse_map(struct parser *parser, const yaml_event_t *event, const char *path,
                                 struct orr_conf **out)
{
    struct orr_conf *node = new_node(parser, ORR_CONF_MAP, event->start_mark, path);
    struct entries entries = {0};
    orr_strings_init(&entries.keys, parser->arena);
    enum orr_status status = node != NULL ? ORR_OK : no_memory(parser);
    for (bool end = false; status == ORR_OK && !end;) {
        status = parse_entry(parser, &entries, path, &end);
    }
    if (status == ORR_OK) {
        node->count = entries.count;
        node->item = entries.item;
        node->key = entries.keys.text;
        *out = node;
    }
    return status;
}

/* ---- any value ---- */

static bool has_anchor(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor != NULL) ||
           (event->type == YAML_SEQUENCE_START_EVENT &&
            event->data.sequence_start.anchor != NULL) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor != NULL);
}

static bool has_tag(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.tag != NULL) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.tag != NULL) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.tag != NULL);
}

/* Why the value that the event begins is not supported, or NULL. */
static const char *unsupported(const struct parser *parser, const yaml_event_t *event,
                               const char *path)
{
    return event->type == YAML_ALIAS_EVENT         ? "aliases (*name) are not supported"
           : has_anchor(event)                     ? "anchors (&name) are not supported"
           : has_tag(event)                        ? "tags (!name) are not supported"
           : parser->depth == ORR_CONF_DEEPEST     ? "nested deeper than 64 levels"
           : parser->values == ORR_CONF_MAX_VALUES ? "more than 2097152 values"
           : strlen(path) > ORR_CONF_LONGEST_PATH
               ? "the path of keys to this value is longer than 512 bytes"
               : NULL;
}

static enum orr_status parse_node(struct parser *parser, const yaml_event_t *event,
                                  const char *path, struct orr_conf **out)
{
    const char *wrong = unsupported(parser, event, path);
    if (wrong != NULL) {
        return fail(parser, event->start_mark, wrong);
    }
    parser->depth++;
    parser->values++;
    const enum orr_status status =
        event->type == YAML_SCALAR_EVENT           ? parse_scalar(parser, event, path, out)
        : event->type == YAML_SEQUENCE_START_EVENT ? parse_list(parser, event, path, out)
                                                   : parse_map(parser, event, path, out);
    parser->depth--;
    return status;
}

/* ---- the stream ---- */

static enum orr_status empty_file(struct parser *parser)
{
    const struct orr_location place = orr_location_file(parser->file);
    return orr_diag_fail(parser->diag, ORR_ERR_INPUT, &place,
                         "the file is empty; expected keys with values");
}

/* Consumes one event without a value; *type is its type. */
static enum orr_status skip_event(struct parser *parser, yaml_event_type_t *type)
{
    yaml_event_t event;
    enum orr_status status = next_event(parser, &event);
    if (status != ORR_OK) {
        return status;
    }
    *type = event.type;
    if (parser->values > 0 && event.type == YAML_DOCUMENT_START_EVENT) {
        status = fail(parser, event.start_mark, "expected one document, got a second");
    }
    yaml_event_delete(&event);
    return status;
}

/* Stream start, document start, the root, document end, stream end. */
static enum orr_status parse_stream(struct parser *parser, const struct orr_conf **root)
{
    const char *path = parser->source->path != NULL ? parser->source->path : "";
    struct orr_conf *value = NULL;
    yaml_event_type_t type = YAML_NO_EVENT;
    bool no_value = false;
    enum orr_status status = skip_event(parser, &type);
    if (status == ORR_OK) {
        status = skip_event(parser, &type);
    }
    if (status == ORR_OK && type == YAML_STREAM_END_EVENT) {
        return empty_file(parser);
    }
    if (status == ORR_OK) {
        status = next_value(parser, YAML_NO_EVENT, path, &value, &no_value);
    }
    if (status == ORR_OK && value->kind == ORR_CONF_SCALAR && !value->quoted &&
        value->text[0] == '\0') {
        return empty_file(parser);
    }
    for (int i = 0; i < 2 && status == ORR_OK; i++) {
        status = skip_event(parser, &type);
    }
    if (status == ORR_OK) {
        *root = value;
    }
    return status;
}

static struct orr_conf_source without_mark(const struct orr_conf_source *source)
{
    struct orr_conf_source rest = *source;
    if (rest.bytes >= 3 && memcmp(rest.data, "\xEF\xBB\xBF", 3) == 0) {
        rest.data += 3;
        rest.bytes -= 3;
    }
    return rest;
}

enum orr_status orr_conf_parse_source(const struct orr_conf_source *source,
                                      const struct orr_conf **root, struct orr_diag *diag)
{
    const struct orr_conf_source rest = without_mark(source);
    struct parser parser = {.source = &rest, .arena = source->arena, .diag = diag};
    orr_conf_untab(&rest);
    parser.file = orr_arena_strdup(parser.arena, source->name);
    if (parser.file == NULL || yaml_parser_initialize(&parser.yaml) == 0) {
        return no_memory(&parser);
    }
    yaml_parser_set_encoding(&parser.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser.yaml, (const unsigned char *)rest.data, rest.bytes);
    const enum orr_status status = parse_stream(&parser, root);
    yaml_parser_delete(&parser.yaml);
    return status;
}
