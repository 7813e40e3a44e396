/* Reads traces as JSON; see et_json.h. */
#include "workload/trace/et/et_json.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/time.h"
#include "workload/trace/et/et_attr.h"
#include "workload/trace/trace_query.h"

enum { LARGEST_JSON_BYTES = ET_LARGEST_RECORD_BYTES };

struct json_reader {
    struct et_stream *stream;
    struct orr_trace_builder *builder;
    struct orr_arena *scratch; /* reset per node */
    const char *text;
    size_t count, at; /* at: the begin of the next object */
    uint64_t record;
    struct et_origin origin, other; /* of the file; of the JSON ET, which Orrery does not write */
};

/* ---- recognising ---- */

static size_t skip_space(const unsigned char *text, size_t count, size_t at)
{
    while (at < count && isspace(text[at])) {
        at++;
    }
    return at;
}

bool orr_et_is_json(const struct et_stream *stream)
{
    const unsigned char *text = stream->buffer + stream->begin;
    const size_t count = orr_et_stream_available(stream);
    size_t at = skip_space(text, count, 0);
    if (at == count || text[at] != '{') {
        return false;
    }
    at = skip_space(text, count, at + 1);
    if (at == count || text[at] == '}') {
        return at < count;
    }
    if (text[at++] != '"') {
        return false;
    }
    while (at < count && (isalnum(text[at]) || text[at] == '_')) {
        at++;
    }
    at = at < count && text[at] == '"' ? skip_space(text, count, at + 1) : count;
    return at < count && text[at] == ':';
}

/* ---- values ---- */

static struct et_value bools_of(const json_t *list)
{
    struct et_value value = {.kind = ET_BOOLS, .count = json_array_size(list)};
    for (size_t i = 0; i < value.count; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_boolean(item)) {
            return (struct et_value){.kind = ET_OTHER};
        }
        value.of.as_mask |= i < 32 && json_is_true(item) ? UINT32_C(1) << i : 0;
    }
    return value;
}

static enum orr_status texts_of(struct json_reader *reader, const json_t *list,
                                struct et_value *value, struct orr_diag *diag)
{
    const size_t count = json_array_size(list);
    const char **texts = orr_arena_array(reader->scratch, count, sizeof *texts);
    if (texts == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    for (size_t i = 0; i < count; i++) {
        texts[i] = json_string_value(json_array_get(list, i));
        if (texts[i] == NULL) {
            *value = (struct et_value){.kind = ET_OTHER};
            return ORR_OK;
        }
    }
    *value = (struct et_value){.kind = ET_TEXTS, .of.as_texts = texts, .count = count};
    return ORR_OK;
}

static struct et_value scalar_of(const json_t *item)
{
    switch (json_typeof(item)) {
    case JSON_INTEGER:
        return (struct et_value){.kind = ET_SIGNED, .of.as_signed = json_integer_value(item)};
    case JSON_REAL:
        return (struct et_value){.kind = ET_REAL, .of.as_real = json_real_value(item)};
    case JSON_TRUE:
    case JSON_FALSE:
        return (struct et_value){.kind = ET_BOOL, .of.as_bool = json_is_true(item)};
    case JSON_STRING:
        return (struct et_value){.kind = ET_TEXT, .of.as_text = json_string_value(item)};
    case JSON_NULL:
        return (struct et_value){.kind = ET_NONE};
    default:
        return (struct et_value){.kind = ET_OTHER};
    }
}

static enum orr_status value_of(struct json_reader *reader, const json_t *item,
                                struct et_value *value, struct orr_diag *diag)
{
    const json_t *list = json_is_object(item) ? json_object_get(item, "values") : item;
    if (!json_is_array(list)) {
        *value = scalar_of(item);
        return ORR_OK;
    }
    if (json_is_string(json_array_get(list, 0))) {
        return texts_of(reader, list, value, diag);
    }
    *value = bools_of(list);
    return ORR_OK;
}

/* ---- fields of a node ---- */

/* The member with the first matching spelling, or NULL. */
static const json_t *member(const json_t *object, const char *const *spellings)
{
    const json_t *found = NULL;
    for (; found == NULL && *spellings != NULL; spellings++) {
        found = json_object_get(object, *spellings);
    }
    return found;
}

/* An integer >= 0; protobuf-JSON writes 64-bit integers as text. */
static bool to_number(const json_t *item, uint64_t *out)
{
    if (json_is_integer(item)) {
        *out = (uint64_t)json_integer_value(item);
        return json_integer_value(item) >= 0;
    }
    const char *digit = json_string_value(item);
    *out = 0;
    for (; digit != NULL && isdigit((unsigned char)*digit); digit++) {
        const uint64_t value = (uint64_t)(*digit - '0');
        if (*out > (UINT64_MAX - value) / 10) {
            return false;
        }
        *out = *out * 10 + value;
    }
    return digit != NULL && *digit == '\0' && digit != json_string_value(item);
}

static enum orr_status read_number(const struct et_node *node, const json_t *item, const char *what,
                                   uint64_t *out, struct orr_diag *diag)
{
    return item == NULL || to_number(item, out)
               ? ORR_OK
               : orr_et_node_fail(node, diag, "\"%s\": expected a whole number >= 0", what);
}

static enum orr_status read_deps(struct json_reader *reader, const struct et_node *node,
                                 const json_t *list, struct orr_deps *out, struct orr_diag *diag)
{
    if (list != NULL && !json_is_array(list)) {
        return orr_et_node_fail(node, diag, "dependencies: expected a list of node ids");
    }
    uint64_t *ids = orr_arena_array(reader->scratch, json_array_size(list), sizeof *ids);
    if (ids == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const enum orr_status status =
            read_number(node, json_array_get(list, i), "dependencies", &ids[i], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    *out = (struct orr_deps){.ids = ids, .count = json_array_size(list)};
    return ORR_OK;
}

static enum orr_status read_kind(struct et_node *node, const json_t *item, struct orr_diag *diag)
{
    const char *name = json_string_value(item);
    if (item == NULL || json_is_integer(item)) {
        return orr_et_node_set_kind(node, item != NULL ? json_integer_value(item) : 0, diag);
    }
    for (unsigned kind = 0; name != NULL && kind < ORR_NODE_KINDS; kind++) {
        if (strcmp(name, orr_node_kind_name(kind)) == 0) {
            node->spec.kind = (enum orr_node_kind)kind;
            return ORR_OK;
        }
    }
    return orr_et_node_fail(node, diag,
                            "type: expected a name such as \"COMP_NODE\" or a number from 0 to 7");
}

static enum orr_status read_head(struct json_reader *reader, struct et_node *node,
                                 const json_t *object, struct orr_diag *diag)
{
    static const char *const id[] = {"id", "Id", NULL}, *const name[] = {"name", "Name", NULL},
                             *const type[] = {"type", "NodeType", NULL},
                             *const duration[] = {"durationMicros", "duration_micros", "runtime",
                                                  NULL},
                             *const data[] = {"dataDeps", "data_deps", NULL},
                             *const ctrl[] = {"ctrlDeps", "ctrl_deps", NULL};
    const char *text = json_string_value(member(object, name));
    node->spec.name = text != NULL ? text : "";
    enum orr_status status = read_number(node, member(object, id), "id", &node->spec.id, diag);
    if (status == ORR_OK) {
        uint64_t micros = 0;
        status = read_number(node, member(object, duration), "duration", &micros, diag);
        node->spec.duration_ps = (uint64_t)orr_time_mul(ORR_PS_PER_US, micros);
    }
    if (status == ORR_OK) {
        status = read_deps(reader, node, member(object, data), &node->spec.data_deps, diag);
    }
    if (status == ORR_OK) {
        status = read_deps(reader, node, member(object, ctrl), &node->spec.ctrl_deps, diag);
    }
    return status == ORR_OK ? read_kind(node, member(object, type), diag) : status;
}

/* The arm of an attribute's oneof: the member that is not its name or description. */
static const json_t *arm_of(const json_t *attr)
{
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)(uintptr_t)attr, key, item)
    {
        if (strcmp(key, "name") != 0 && strcmp(key, "docString") != 0 &&
            strcmp(key, "doc_string") != 0) {
            return item;
        }
    }
    return NULL;
}

/* A list of numbers, which protobuf-JSON writes as texts. */
static enum orr_status numbers_of(struct json_reader *reader, const json_t *item,
                                  struct et_value *value, struct orr_diag *diag)
{
    const json_t *list = json_is_object(item) ? json_object_get(item, "values") : item;
    const size_t count = json_array_size(list);
    uint64_t *numbers = orr_arena_array(reader->scratch, count + 1, sizeof *numbers);
    if (numbers == NULL) {
        return orr_diag_no_memory(diag, "the attributes of a node");
    }
    bool all = json_is_array(list);
    for (size_t i = 0; i < count && all; i++) {
        all = to_number(json_array_get(list, i), &numbers[i]);
    }
    *value = (struct et_value){
        .kind = all ? ET_NUMBERS : ET_OTHER, .of.as_numbers = numbers, .count = count};
    return ORR_OK;
}

static enum orr_status set_attr(struct json_reader *reader, struct et_node *node, const char *name,
                                const json_t *item, struct orr_diag *diag)
{
    struct et_value value = {.kind = ET_NONE};
    const bool empty = item == NULL || (json_is_object(item) && json_object_size(item) == 0);
    enum orr_status status = ORR_OK;
    if (!empty) {
        status = orr_et_is_numbers(name) ? numbers_of(reader, item, &value, diag)
                                         : value_of(reader, item, &value, diag);
    }
    return status == ORR_OK ? orr_et_node_set(node, name, &value, diag) : status;
}

/* protobuf-JSON lists attributes in "attr"; the JSON ET has them as members of the node. */
static enum orr_status read_attrs(struct json_reader *reader, struct et_node *node,
                                  const json_t *object, bool as_members, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    const json_t *list = json_object_get(object, "attr");
    for (size_t i = 0; i < json_array_size(list) && status == ORR_OK; i++) {
        const json_t *attr = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(attr, "name"));
        if (name != NULL) {
            status = set_attr(reader, node, name, arm_of(attr), diag);
        }
    }
    const char *key;
    json_t *item;
    if (as_members) {
        json_object_foreach((json_t *)(uintptr_t)object, key, item)
        {
            if (status == ORR_OK) {
                status = set_attr(reader, node, key, item, diag);
            }
        }
    }
    return status;
}

/* Whether a node is as Orrery wrote it. */
static bool is_node_of_ours(struct json_reader *reader, const json_t *object)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    const json_t *list = json_object_get(object, "attr");
    unsigned place = 0;
    bool ours = true;
    for (size_t i = 0; ours && i < json_array_size(list); i++) {
        const json_t *attr = json_array_get(list, i), *item = arm_of(attr);
        const char *name = json_string_value(json_object_get(attr, "name"));
        struct et_value value = {.kind = ET_NONE};
        ours = name != NULL &&
               (item == NULL || orr_et_is_numbers(name) ||
                value_of(reader, item, &value, &diag) == ORR_OK) &&
               orr_et_old_fits(&place, name, &value);
    }
    return ours;
}

/* Reads all objects behind the metadata a second time. */
static bool find_origin(void *context)
{
    struct json_reader *reader = context;
    const unsigned char *text = (const unsigned char *)reader->text;
    bool ours = true, first = true;
    for (size_t at = skip_space(text, reader->count, 0); ours && at < reader->count;) {
        json_error_t error;
        json_t *object =
            json_loadb(reader->text + at, reader->count - at, JSON_DISABLE_EOF_CHECK, &error);
        if (object == NULL) {
            return true; /* fails in the first reading */
        }
        ours = first || is_node_of_ours(reader, object);
        first = false;
        json_decref(object);
        at = skip_space(text, reader->count, at + (size_t)error.position);
    }
    return ours;
}

static enum orr_status read_node(struct json_reader *reader, const json_t *object,
                                 uint64_t byte_offset, bool as_members, struct orr_diag *diag)
{
    struct et_node node = {.file = reader->stream->name,
                           .record = reader->record++,
                           .byte_offset = byte_offset,
                           .origin = as_members ? &reader->other : &reader->origin};
    node.spec.name = "";
    if (!json_is_object(object)) {
        return orr_et_node_fail(&node, diag, "expected a JSON object");
    }
    enum orr_status status = read_head(reader, &node, object, diag);
    if (status == ORR_OK) {
        status = read_attrs(reader, &node, object, as_members, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_node_check(&node, diag);
    }
    if (status == ORR_OK) {
        node.spec.inputs_values =
            json_string_value(json_object_get(json_object_get(object, "inputs"), "values"));
        orr_et_node_count_foreign(&node, reader->builder);
        orr_trace_builder_set_location(reader->builder, node.record, byte_offset);
        status = orr_trace_builder_add(reader->builder, &node.spec, diag);
    }
    orr_arena_reset(reader->scratch);
    return status;
}

/* ---- the file ---- */

static enum orr_status fail_json(const struct json_reader *reader, const json_error_t *error,
                                 struct orr_diag *diag)
{
    unsigned line = 1, column = 1;
    const size_t end = reader->at + (error->position > 0 ? (size_t)error->position : 0);
    for (size_t i = 0; i < end && i < reader->count; i++) {
        column = reader->text[i] == '\n' ? 1 : column + 1;
        line += reader->text[i] == '\n' ? 1 : 0;
    }
    const struct orr_location location = orr_location_text(reader->stream->name, line, column);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "not valid JSON: %s", error->text);
}

static enum orr_status read_graph(struct json_reader *reader, const json_t *graph,
                                  struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < json_array_size(graph) && status == ORR_OK; i++) {
        status = read_node(reader, json_array_get(graph, i), 0, true, diag);
    }
    return status;
}

static void read_rules(struct json_reader *reader, const json_t *attrs)
{
    for (size_t i = 0; i < json_array_size(attrs); i++) {
        const json_t *attr = json_array_get(attrs, i);
        const char *name = json_string_value(json_object_get(attr, "name"));
        const json_t *value = name != NULL ? arm_of(attr) : NULL;
        if (json_is_string(value) && strcmp(name, "rules") == 0) {
            orr_trace_builder_set_rules(reader->builder, json_string_value(value));
        } else {
            reader->origin.known = true; /* Orrery writes no such attribute */
        }
    }
}

/* Fails: JSON, but not a trace: its first message has no member of GlobalMetadata. */
static enum orr_status fail_file_type(const struct json_reader *reader, struct orr_diag *diag)
{
    if (orr_conf_identify_file(reader->stream->name, "an execution trace of Chakra", diag) !=
        ORR_OK) {
        return ORR_ERR_INPUT;
    }
    const struct orr_location location = orr_location_file(reader->stream->name);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "expected an execution trace, whose first message as JSON is "
                         "{\"version\": \"0.0.4\"}");
}

static enum orr_status read_object(struct json_reader *reader, const json_t *object,
                                   uint64_t byte_offset, struct orr_diag *diag)
{
    const json_t *graph = json_object_get(object, "workload_graph");
    if (reader->record != 0) {
        return read_node(reader, object, byte_offset, false, diag);
    }
    if (json_is_array(graph)) {
        return read_graph(reader, graph, diag);
    }
    if (json_object_size(object) > 0 && json_object_get(object, "version") == NULL &&
        json_object_get(object, "attr") == NULL) {
        return fail_file_type(reader, diag);
    }
    const char *version = json_string_value(json_object_get(object, "version"));
    orr_trace_builder_set_source(reader->builder, reader->stream->name,
                                 version != NULL ? version : "");
    read_rules(reader, json_object_get(object, "attr"));
    reader->record++;
    return ORR_OK;
}

static enum orr_status read_objects(struct json_reader *reader, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    const unsigned char *text = (const unsigned char *)reader->text;
    reader->at = skip_space(text, reader->count, reader->at);
    while (status == ORR_OK && reader->at < reader->count) {
        json_error_t error;
        json_t *object = json_loadb(reader->text + reader->at, reader->count - reader->at,
                                    JSON_DISABLE_EOF_CHECK, &error);
        if (object == NULL) {
            return fail_json(reader, &error, diag);
        }
        status = read_object(reader, object, reader->at, diag);
        json_decref(object);
        reader->at = skip_space(text, reader->count, reader->at + (size_t)error.position);
    }
    return status;
}

enum orr_status orr_et_read_json(struct et_stream *stream, struct orr_trace_builder *builder,
                                 struct orr_diag *diag)
{
    enum orr_status status = orr_et_stream_fill(stream, (size_t)LARGEST_JSON_BYTES + 1, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (orr_et_stream_available(stream) > LARGEST_JSON_BYTES) {
        const struct orr_location location = orr_location_file(stream->name);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "a trace as JSON may have at most 256 MiB");
    }
    struct json_reader reader = {.stream = stream,
                                 .builder = builder,
                                 .scratch = orr_arena_create(),
                                 .text = (const char *)stream->buffer + stream->begin,
                                 .count = orr_et_stream_available(stream),
                                 .origin.find = find_origin,
                                 .other.known = true};
    reader.origin.reader = &reader;
    if (reader.scratch == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    status = read_objects(&reader, diag);
    orr_arena_destroy(reader.scratch);
    return status;
}
