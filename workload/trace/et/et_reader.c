/* Reads an execution trace: protobuf-c unpacks each record of the stream into a bump block, which
 * is reset for the next one; nodes are added to a trace builder. */
#include <inttypes.h>
#include <string.h>

#include <chakra_et.pb-c.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "core/time.h"
#include "workload/trace/et/et.h"
#include "workload/trace/et/et_attr.h"
#include "workload/trace/et/et_json.h"
#include "workload/trace/et/et_stream.h"

enum { BUMP_BYTES = 64 * 1024, BUMP_ALIGN = 16, MAX_RECORD_MEMORY_BYTES = 1024 * 1024 * 1024 };

/* Storage of one unpacked message. Allocations that do not fit into the block come from the arena.
 */
struct bump {
    unsigned char *block;
    size_t used;
    struct orr_arena *overflow;
    size_t overflow_bytes;
    bool full; /* an allocation failed */
    ProtobufCAllocator allocator;
};

struct reader {
    struct et_stream stream;
    struct orr_trace_builder *builder;
    struct bump bump;
    const char *path;
    const struct orr_et_bytes *bytes; /* NULL: the file at the path */
    struct et_origin origin;
};

/* ---- bump allocation ---- */

static void *bump_alloc(void *user, size_t bytes)
{
    struct bump *bump = user;
    if (bytes <= BUMP_BYTES - bump->used) {
        void *result = bump->block + bump->used;
        const size_t next = (bump->used + bytes + BUMP_ALIGN - 1) & ~(size_t)(BUMP_ALIGN - 1);
        bump->used = next < BUMP_BYTES ? next : BUMP_BYTES;
        return result;
    }
    void *result = NULL;
    if (bytes <= MAX_RECORD_MEMORY_BYTES - bump->overflow_bytes) {
        bump->overflow_bytes += bytes;
        result = orr_arena_alloc_raw(bump->overflow, bytes, BUMP_ALIGN);
    }
    bump->full = bump->full || result == NULL;
    return result;
}

static void bump_free(void *user, void *block)
{
    (void)user;
    (void)block;
}

static bool bump_init(struct bump *bump)
{
    *bump = (struct bump){.block = orr_heap_alloc(BUMP_BYTES), .overflow = orr_arena_create()};
    bump->allocator =
        (ProtobufCAllocator){.alloc = bump_alloc, .free = bump_free, .allocator_data = bump};
    return bump->block != NULL && bump->overflow != NULL;
}

static void bump_reset(struct bump *bump)
{
    bump->used = 0;
    if (bump->overflow_bytes != 0) {
        orr_arena_reset(bump->overflow);
        bump->overflow_bytes = 0;
    }
}

static void bump_fini(struct bump *bump)
{
    orr_heap_free(bump->block);
    orr_arena_destroy(bump->overflow);
}

/* ---- attributes ---- */

static struct et_value signed_value(int64_t value)
{
    return (struct et_value){.kind = ET_SIGNED, .of.as_signed = value};
}

static struct et_value unsigned_value(uint64_t value)
{
    return (struct et_value){.kind = ET_UNSIGNED, .of.as_unsigned = value};
}

static struct et_value real_value(double value)
{
    return (struct et_value){.kind = ET_REAL, .of.as_real = value};
}

static struct et_value bools_value(const ChakraProtoMsg__BoolList *list)
{
    struct et_value value = {.kind = ET_BOOLS, .count = list->n_values};
    for (size_t i = 0; i < list->n_values && i < 32; i++) {
        value.of.as_mask |= list->values[i] ? UINT32_C(1) << i : 0;
    }
    return value;
}

/* The length of a list whose values are not read; other values count as 1. */
static size_t list_length(const ChakraProtoMsg__AttributeProto *attr)
{
    switch (attr->value_case) {
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_DOUBLE_LIST:
        return attr->double_list->n_values;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FLOAT_LIST:
        return attr->float_list->n_values;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT32_LIST:
        return attr->int32_list->n_values;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT64_LIST:
        return attr->int64_list->n_values;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT32_LIST:
        return attr->uint32_list->n_values;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SINT32_LIST:
        return attr->sint32_list->n_values;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SINT64_LIST:
        return attr->sint64_list->n_values;
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BYTES_LIST:
        return attr->bytes_list->n_values;
    default:
        return 1;
    }
}

static struct et_value value_of(const ChakraProtoMsg__AttributeProto *attr)
{
    switch (attr->value_case) {
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE__NOT_SET:
        return (struct et_value){.kind = ET_NONE};
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_DOUBLE_VAL:
        return real_value(attr->double_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FLOAT_VAL:
        return real_value((double)attr->float_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT32_VAL:
        return signed_value(attr->int32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT64_VAL:
        return signed_value(attr->int64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT32_VAL:
        return unsigned_value(attr->uint32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT64_VAL:
        return unsigned_value(attr->uint64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SINT32_VAL:
        return signed_value(attr->sint32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SINT64_VAL:
        return signed_value(attr->sint64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FIXED32_VAL:
        return unsigned_value(attr->fixed32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_FIXED64_VAL:
        return unsigned_value(attr->fixed64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SFIXED32_VAL:
        return signed_value(attr->sfixed32_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_SFIXED64_VAL:
        return signed_value(attr->sfixed64_val);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BOOL_VAL:
        return (struct et_value){.kind = ET_BOOL, .of.as_bool = attr->bool_val != 0};
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BOOL_LIST:
        return bools_value(attr->bool_list);
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_VAL:
        return (struct et_value){.kind = ET_TEXT, .of.as_text = attr->string_val};
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_LIST:
        return (struct et_value){.kind = ET_TEXTS,
                                 .of.as_texts = (const char *const *)attr->string_list->values,
                                 .count = attr->string_list->n_values};
    case CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT64_LIST:
        return (struct et_value){.kind = ET_NUMBERS,
                                 .of.as_numbers = attr->uint64_list->values,
                                 .count = attr->uint64_list->n_values};
    default:
        return (struct et_value){.kind = list_length(attr) == 0 ? ET_NONE : ET_OTHER};
    }
}

/* ---- the origin ---- */

/* Whether the record is a node as Orrery wrote it. */
static bool is_node_of_ours(struct reader *reader, const struct et_record *record)
{
    const ChakraProtoMsg__Node *node =
        chakra_proto_msg__node__unpack(&reader->bump.allocator, record->count, record->data);
    unsigned place = 0;
    bool ours = node != NULL;
    for (size_t i = 0; ours && i < node->n_attr; i++) {
        const struct et_value value = value_of(node->attr[i]);
        ours = orr_et_old_fits(&place, node->attr[i]->name, &value);
    }
    return ours;
}

/* Reads the file a second time, up to the first node that Orrery did not write. What cannot be read
 * fails in the first reading. */
static bool find_origin(void *context)
{
    const struct reader *of = context;
    struct reader reader = {.path = of->path};
    struct et_record record;
    struct orr_diag diag;
    orr_diag_init(&diag);
    bool ended = false;
    bool ours = bump_init(&reader.bump) &&
                orr_et_stream_open(&reader.stream, of->path, of->bytes, &diag) == ORR_OK &&
                orr_et_stream_next(&reader.stream, &record, &ended, &diag) == ORR_OK;
    while (ours && orr_et_stream_next(&reader.stream, &record, &ended, &diag) == ORR_OK && !ended) {
        bump_reset(&reader.bump);
        ours = is_node_of_ours(&reader, &record);
    }
    orr_et_stream_close(&reader.stream);
    bump_fini(&reader.bump);
    return ours;
}

/* ---- records ---- */

static enum orr_status fail_record(const struct reader *reader, const struct et_record *record,
                                   const char *message_name, struct orr_diag *diag)
{
    const struct orr_location location =
        orr_location_binary(reader->path, record->number, record->byte_offset);
    if (reader->bump.full) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "decoding the record needs more than %d MiB of memory",
                             MAX_RECORD_MEMORY_BYTES / (1024 * 1024));
    }
    if (record->number == 0 &&
        orr_conf_identify_file(reader->path, "an execution trace of Chakra", diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "the record's %zu bytes are not a %s message of the Chakra schema",
                         record->count, message_name);
}

static enum orr_status read_metadata(struct reader *reader, const struct et_record *record,
                                     struct orr_diag *diag)
{
    const ChakraProtoMsg__GlobalMetadata *metadata = chakra_proto_msg__global_metadata__unpack(
        &reader->bump.allocator, record->count, record->data);
    if (metadata == NULL) {
        return fail_record(reader, record, "GlobalMetadata", diag);
    }
    orr_trace_builder_set_source(reader->builder, reader->path, metadata->version);
    for (size_t i = 0; i < metadata->n_attr; i++) {
        const struct et_value value = value_of(metadata->attr[i]);
        if (strcmp(metadata->attr[i]->name, "rules") == 0 && value.kind == ET_TEXT) {
            orr_trace_builder_set_rules(reader->builder, value.of.as_text);
        } else {
            reader->origin.known = true; /* Orrery writes no such attribute */
        }
    }
    return ORR_OK;
}

static enum orr_status read_attrs(struct et_node *node, const ChakraProtoMsg__Node *message,
                                  struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < message->n_attr && status == ORR_OK; i++) {
        const struct et_value value = value_of(message->attr[i]);
        status = orr_et_node_set(node, message->attr[i]->name, &value, diag);
    }
    return status;
}

static enum orr_status read_node(struct reader *reader, const struct et_record *record,
                                 struct orr_diag *diag)
{
    const ChakraProtoMsg__Node *message =
        chakra_proto_msg__node__unpack(&reader->bump.allocator, record->count, record->data);
    if (message == NULL) {
        return fail_record(reader, record, "Node", diag);
    }
    struct et_node node = {.file = reader->path,
                           .record = record->number,
                           .byte_offset = record->byte_offset,
                           .origin = &reader->origin};
    node.spec.id = message->id;
    node.spec.name = message->name;
    node.spec.duration_ps = (uint64_t)orr_time_mul(ORR_PS_PER_US, message->duration_micros);
    node.spec.data_deps = (struct orr_deps){message->data_deps, message->n_data_deps};
    node.spec.ctrl_deps = (struct orr_deps){message->ctrl_deps, message->n_ctrl_deps};
    enum orr_status status = orr_et_node_set_kind(&node, (int32_t)message->type, diag);
    if (status == ORR_OK) {
        status = read_attrs(&node, message, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_node_check(&node, diag);
    }
    if (status == ORR_OK && message->inputs != NULL && message->inputs->values[0] != '\0') {
        node.spec.inputs_values = message->inputs->values;
    }
    orr_et_node_count_foreign(&node, reader->builder);
    orr_trace_builder_set_location(reader->builder, record->number, record->byte_offset);
    return status == ORR_OK ? orr_trace_builder_add(reader->builder, &node.spec, diag) : status;
}

static enum orr_status read_records(struct reader *reader, struct orr_diag *diag)
{
    struct et_record record;
    bool ended = false;
    enum orr_status status = orr_et_stream_next(&reader->stream, &record, &ended, diag);
    if (status == ORR_OK && ended) {
        const struct orr_location location = orr_location_file(reader->path);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "the file is empty; an execution trace begins with a GlobalMetadata "
                             "record");
    }
    if (status == ORR_OK) {
        status = read_metadata(reader, &record, diag);
    }
    while (status == ORR_OK) {
        status = orr_et_stream_next(&reader->stream, &record, &ended, diag);
        if (status != ORR_OK || ended) {
            break;
        }
        bump_reset(&reader->bump);
        status = read_node(reader, &record, diag);
    }
    return status;
}

/* ---- entry points ---- */

static enum orr_status read_stream(struct reader *reader, struct orr_diag *diag)
{
    if (orr_et_is_json(&reader->stream)) {
        orr_trace_builder_set_source(reader->builder, reader->path, "");
        return orr_et_read_json(&reader->stream, reader->builder, diag);
    }
    return read_records(reader, diag);
}

static enum orr_status read_trace(struct orr_arena *arena, struct reader *reader,
                                  const struct orr_trace **out, struct orr_diag *diag)
{
    reader->builder = orr_trace_builder_create(arena);
    if (!bump_init(&reader->bump) || reader->builder == NULL) {
        orr_trace_builder_destroy(reader->builder);
        bump_fini(&reader->bump);
        return orr_diag_no_memory(diag, "a trace");
    }
    enum orr_status status = read_stream(reader, diag);
    if (status == ORR_OK) {
        orr_et_hash_end(&reader->stream.hash);
        orr_trace_builder_set_content_hash(reader->builder, reader->stream.hash.low);
        orr_trace_builder_set_replayed(reader->builder);
        status = orr_trace_builder_finish(reader->builder, out, diag);
    }
    orr_trace_builder_destroy(reader->builder);
    bump_fini(&reader->bump);
    return status;
}

static enum orr_status read_source(struct orr_arena *arena, const char *path,
                                   const struct orr_et_bytes *bytes, const struct orr_trace **out,
                                   struct orr_diag *diag)
{
    struct reader reader = {.path = path, .bytes = bytes, .origin.find = find_origin};
    reader.origin.reader = &reader;
    enum orr_status status = orr_et_stream_open(&reader.stream, path, bytes, diag);
    if (status == ORR_OK) {
        status = read_trace(arena, &reader, out, diag);
        if (status != ORR_OK && reader.stream.record == 0) {
            orr_conf_name_wrong(path, "an execution trace of Chakra", diag);
        }
    }
    orr_et_stream_close(&reader.stream);
    return status;
}

void orr_et_note_old(const struct orr_trace *trace, uint64_t count, struct orr_diag *diag)
{
    if (count != 0) {
        const struct orr_location location = orr_location_file(trace->path);
        orr_diag_warn(diag, &location,
                      "%" PRIu64
                      " attribute%s taken by names that Orrery's own had before (\"%s\"%s): "
                      "in a file of another tool they mean something else; names of now begin with "
                      "\"orrery_\"",
                      count, orr_plural(count), trace->old.name, count == 1 ? "" : ", ...");
    }
}

void orr_et_note_foreign(const struct orr_trace *trace, uint64_t count, struct orr_diag *diag)
{
    if (count != 0) {
        const struct orr_location location = orr_location_file(trace->path);
        orr_diag_warn(diag, &location,
                      "%" PRIu64 " attribute%s of another tool passed over (\"%s\"%s): names of "
                      "Orrery's own begin with \"orrery_\"",
                      count, orr_plural(count), trace->foreign.name, count == 1 ? "" : ", ...");
    }
}

enum orr_status orr_et_read_quietly(struct orr_arena *arena, const char *path,
                                    const struct orr_trace **out, struct orr_diag *diag)
{
    return read_source(arena, path, NULL, out, diag);
}

enum orr_status orr_et_read_file(struct orr_arena *arena, const char *path,
                                 const struct orr_trace **out, struct orr_diag *diag)
{
    const enum orr_status status = orr_et_read_quietly(arena, path, out, diag);
    if (status == ORR_OK) {
        orr_et_note_foreign(*out, (*out)->foreign.count, diag);
        orr_et_note_old(*out, (*out)->old.count, diag);
    }
    return status;
}

enum orr_status orr_et_read_memory(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                                   const struct orr_trace **out, struct orr_diag *diag)
{
    return read_source(arena, bytes->name, bytes, out, diag);
}
