/* Reading a Chakra execution trace: records behind varint lengths, the first the metadata. Every
 * record is unpacked into a bump arena that is reset behind it. */
#include <stdio.h>
#include <string.h>

#include "chakra_et.pb-c.h"
#include "workload/et/et.h"
#include "workload/et/et_attr.h"
#include "workload/et/et_build.h"
#include "workload/et/et_stream.h"

enum { RECORDS_PER_RESET = 64 };

#define MOST_RECORD_BYTES (UINT64_C(256) << 20)

/* Which attributes were given, so that missing ones are seen. */
enum given {
    GIVEN_COMM_TYPE = 1 << 0,
    GIVEN_COMM_SIZE = 1 << 1,
    GIVEN_COMM_SRC = 1 << 2,
    GIVEN_COMM_DST = 1 << 3
};

struct reader {
    struct build build;
    struct orr_diag *diag;
    struct orr_arena *records;
    ProtobufCAllocator allocator;
    const unsigned char *data;
    size_t bytes, at;
    uint64_t record, offset; /* of the record in work */
};

/* The values of one node that share storage in struct orr_node. */
struct values {
    uint64_t num_ops, tensor_bytes, comm_bytes, comm_type, src, dst, tag;
    unsigned given;
};

static void *record_alloc(void *arena, size_t bytes)
{
    return orr_arena_alloc_raw(arena, bytes, 16);
}

static void record_free(void *arena, void *block)
{
    (void)arena;
    (void)block;
}

/* ---- errors ---- */

static enum orr_status fail(struct reader *reader, const char *message)
{
    const struct orr_place place =
        orr_place_binary(reader->build.path, reader->record, reader->offset);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place, "%s", message);
}

static enum orr_status bad_attr(struct reader *reader, const ChakraEt__Node *node,
                                const ChakraEt__Attribute *attr, const char *expected)
{
    char found[128], message[512];
    (void)snprintf(message, sizeof message,
                   "node %llu (%.100s): attribute \"%s\": expected %s, got %s",
                   (unsigned long long)node->id, node->name, attr->name, expected,
                   et_attr_found(attr, found, sizeof found));
    return fail(reader, message);
}

static enum orr_status missing_attr(struct reader *reader, const ChakraEt__Node *node,
                                    const char *kind, const char *attr)
{
    char message[512];
    (void)snprintf(message, sizeof message, "node %llu (%.100s): a %s needs the attribute \"%s\"",
                   (unsigned long long)node->id, node->name, kind, attr);
    return fail(reader, message);
}

/* ---- attributes ---- */

/* Plain numbers: name, largest value, place in struct values. */
static const struct numeric {
    const char *name;
    uint64_t most;
    size_t offset;
    unsigned given, flag;
    const char *expected;
} numerics[] = {
    {"num_ops", INT64_MAX, offsetof(struct values, num_ops), 0, ORR_NODE_HAS_NUM_OPS,
     "a number of operations >= 0"},
    {"tensor_size", INT64_MAX, offsetof(struct values, tensor_bytes), 0, ORR_NODE_HAS_TENSOR_SIZE,
     "a number of bytes >= 0"},
    {"comm_size", INT64_MAX, offsetof(struct values, comm_bytes), GIVEN_COMM_SIZE, 0,
     "a number of bytes >= 0"},
    {"comm_type", ORR_COMM_KINDS - 1, offsetof(struct values, comm_type), GIVEN_COMM_TYPE, 0,
     "a collective type from 0 to 9"},
    {"comm_src", INT32_MAX, offsetof(struct values, src), GIVEN_COMM_SRC, ORR_NODE_HAS_SRC,
     "a rank >= 0"},
    {"comm_dst", INT32_MAX, offsetof(struct values, dst), GIVEN_COMM_DST, ORR_NODE_HAS_DST,
     "a rank >= 0"},
    {"comm_tag", UINT32_MAX, offsetof(struct values, tag), 0, 0, "a tag from 0 to 4294967295"},
};

static enum orr_status read_numeric(struct reader *reader, const ChakraEt__Node *node,
                                    const ChakraEt__Attribute *attr, const struct numeric *numeric,
                                    struct orr_node *out, struct values *values)
{
    uint64_t *value = (uint64_t *)(void *)((char *)values + numeric->offset);
    if (!et_attr_unsigned(attr, numeric->most, value)) {
        return bad_attr(reader, node, attr, numeric->expected);
    }
    values->given |= numeric->given;
    out->flags |= (uint8_t)numeric->flag;
    return ORR_OK;
}

static enum orr_status read_group(struct reader *reader, const ChakraEt__Node *node,
                                  const ChakraEt__Attribute *attr, struct orr_node *out)
{
    char buffer[32];
    const char *name = et_attr_text(attr, buffer, sizeof buffer);
    if (name == NULL) {
        return bad_attr(reader, node, attr, "the name of a communicator group");
    }
    if (name[0] == '\0') {
        return ORR_OK;
    }
    const uint32_t group = orr_strings_add(&reader->build.groups, name, strlen(name));
    if (group == UINT32_MAX) {
        return orr_diag_no_memory(reader->diag, "a trace");
    }
    out->group = group + 1;
    return ORR_OK;
}

static enum orr_status read_flag(struct reader *reader, const ChakraEt__Node *node,
                                 const ChakraEt__Attribute *attr, struct orr_node *out)
{
    uint64_t value = 0;
    if (strcmp(attr->name, "tensor_loc") == 0) {
        if (!et_attr_unsigned(attr, 2, &value)) {
            return bad_attr(reader, node, attr, "a location from 0 to 2");
        }
        out->flags |= value == 1 ? ORR_NODE_LOCAL_MEMORY : 0;
        return ORR_OK;
    }
    if (!et_attr_unsigned(attr, 1, &value)) {
        return bad_attr(reader, node, attr, "true or false");
    }
    out->flags |= (uint8_t)(ORR_NODE_HAS_CPU_FLAG | (value != 0 ? ORR_NODE_IS_CPU : 0));
    return ORR_OK;
}

static enum orr_status read_involved(struct reader *reader, const ChakraEt__Node *node,
                                     const ChakraEt__Attribute *attr, struct orr_node *out)
{
    if (attr->value_case != CHAKRA_ET__ATTRIBUTE__VALUE_BOOL_LIST ||
        attr->bool_list->n_values > 32) {
        return bad_attr(reader, node, attr, "a list of at most 32 booleans");
    }
    struct orr_node_extra *extra = build_extra(&reader->build, out);
    if (extra == NULL) {
        return orr_diag_no_memory(reader->diag, "a trace");
    }
    extra->has_involved_dim = true;
    extra->involved_dims = (uint8_t)attr->bool_list->n_values;
    for (size_t i = 0; i < attr->bool_list->n_values; i++) {
        extra->involved_mask |= attr->bool_list->values[i] != 0 ? 1u << i : 0;
    }
    return ORR_OK;
}

static enum orr_status read_rare(struct reader *reader, const ChakraEt__Node *node,
                                 const ChakraEt__Attribute *attr, struct orr_node *out)
{
    uint64_t value = 0;
    if (!et_attr_unsigned(attr, UINT32_MAX, &value)) {
        return bad_attr(reader, node, attr, "a number from 0 to 4294967295");
    }
    if (value == 0) {
        return ORR_OK;
    }
    struct orr_node_extra *extra = build_extra(&reader->build, out);
    if (extra == NULL) {
        return orr_diag_no_memory(reader->diag, "a trace");
    }
    if (strcmp(attr->name, "comm_priority") == 0) {
        extra->priority = (uint32_t)value;
    } else {
        extra->root = (uint32_t)value;
    }
    return ORR_OK;
}

/* Tensor names of nodes, for tracking memory. */
static enum orr_status read_names(struct reader *reader, const ChakraEt__Attribute *attr,
                                  struct orr_node *out, bool inputs)
{
    if (attr->value_case != CHAKRA_ET__ATTRIBUTE__VALUE_STRING_LIST) {
        return ORR_OK;
    }
    const size_t count = attr->string_list->n_values;
    const char **names = orr_arena_array(reader->build.arena, count, sizeof *names);
    struct orr_node_extra *extra = build_extra(&reader->build, out);
    if (names == NULL || extra == NULL || count > UINT32_MAX) {
        return orr_diag_no_memory(reader->diag, "a trace");
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = attr->string_list->values[i];
        const uint32_t index = orr_strings_add(&reader->build.names, name, strlen(name));
        if (index == UINT32_MAX) {
            return orr_diag_no_memory(reader->diag, "a trace");
        }
        names[i] = reader->build.names.text[index];
    }
    *(inputs ? &extra->inputs : &extra->outputs) = names;
    *(inputs ? &extra->input_count : &extra->output_count) = (uint32_t)count;
    return ORR_OK;
}

static enum orr_status read_attr(struct reader *reader, const ChakraEt__Node *node,
                                 const ChakraEt__Attribute *attr, struct orr_node *out,
                                 struct values *values)
{
    const char *name = attr->name;
    for (size_t i = 0; i < sizeof numerics / sizeof *numerics; i++) {
        if (strcmp(name, numerics[i].name) == 0) {
            return read_numeric(reader, node, attr, &numerics[i], out, values);
        }
    }
    if (strcmp(name, "is_cpu_op") == 0 || strcmp(name, "tensor_loc") == 0) {
        return read_flag(reader, node, attr, out);
    }
    if (strcmp(name, "pg_name") == 0 || strcmp(name, "comm_group") == 0) {
        return read_group(reader, node, attr, out);
    }
    if (strcmp(name, "involved_dim") == 0) {
        return read_involved(reader, node, attr, out);
    }
    if (strcmp(name, "comm_priority") == 0 || strcmp(name, "comm_root") == 0) {
        return read_rare(reader, node, attr, out);
    }
    if (strcmp(name, "inputs") == 0 || strcmp(name, "outputs") == 0) {
        return read_names(reader, attr, out, name[0] == 'i');
    }
    return ORR_OK;
}

/* ---- nodes ---- */

static enum orr_status check_collective(struct reader *reader, const ChakraEt__Node *node,
                                        const struct values *values)
{
    if ((values->given & GIVEN_COMM_TYPE) == 0) {
        return missing_attr(reader, node, "collective", "comm_type");
    }
    if ((values->given & GIVEN_COMM_SIZE) == 0 && values->comm_type != ORR_COMM_BARRIER &&
        values->comm_type != ORR_COMM_BROADCAST) {
        return missing_attr(reader, node, "collective", "comm_size");
    }
    return ORR_OK;
}

static enum orr_status check_message(struct reader *reader, const ChakraEt__Node *node,
                                     const struct values *values, bool sends)
{
    const char *kind = sends ? "send" : "receive";
    if ((values->given & (sends ? GIVEN_COMM_DST : GIVEN_COMM_SRC)) == 0) {
        return missing_attr(reader, node, kind, sends ? "comm_dst" : "comm_src");
    }
    if ((values->given & GIVEN_COMM_SIZE) == 0) {
        return missing_attr(reader, node, kind, "comm_size");
    }
    return ORR_OK;
}

static enum orr_status store_values(struct reader *reader, const ChakraEt__Node *node,
                                    const struct values *values, struct orr_node *out)
{
    switch (out->kind) {
    case ORR_NODE_COLL:
        out->comm = (uint8_t)values->comm_type;
        out->amount = values->comm_bytes;
        return check_collective(reader, node, values);
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
        out->amount = values->comm_bytes;
        out->of.p2p.peer = (uint32_t)(out->kind == ORR_NODE_SEND ? values->dst : values->src);
        out->of.p2p.tag = (uint32_t)values->tag;
        return check_message(reader, node, values, out->kind == ORR_NODE_SEND);
    default:
        out->amount = values->num_ops;
        out->of.tensor_bytes = values->tensor_bytes;
        return ORR_OK;
    }
}

static enum orr_status add_deps(struct reader *reader, const ChakraEt__Node *node)
{
    bool ok = true;
    for (size_t i = 0; i < node->n_data_deps && ok; i++) {
        ok = build_add_dep(&reader->build, node->data_deps[i]);
    }
    for (size_t i = 0; i < node->n_ctrl_deps && ok; i++) {
        ok = build_add_dep(&reader->build, node->ctrl_deps[i]);
    }
    return ok ? ORR_OK : orr_diag_no_memory(reader->diag, "a trace");
}

static enum orr_status keep_inputs(struct reader *reader, const ChakraEt__Node *node,
                                   struct orr_node *out)
{
    if (out->kind != ORR_NODE_METADATA || node->inputs == NULL || node->inputs->values[0] == '\0') {
        return ORR_OK;
    }
    struct orr_node_extra *extra = build_extra(&reader->build, out);
    const char *text = orr_arena_strdup(reader->build.arena, node->inputs->values);
    if (extra == NULL || text == NULL) {
        return orr_diag_no_memory(reader->diag, "a trace");
    }
    extra->inputs_values = text;
    return ORR_OK;
}

static enum orr_status read_attrs(struct reader *reader, const ChakraEt__Node *node,
                                  struct orr_node *out)
{
    struct values values = {0};
    for (size_t i = 0; i < node->n_attr; i++) {
        const enum orr_status status = read_attr(reader, node, node->attr[i], out, &values);
        if (status != ORR_OK) {
            return status;
        }
    }
    return store_values(reader, node, &values, out);
}

static enum orr_status add_node(struct reader *reader, const ChakraEt__Node *node)
{
    struct orr_node *out = build_add(&reader->build, reader->record, reader->offset);
    const uint32_t name =
        out != NULL ? orr_strings_add(&reader->build.names, node->name, strlen(node->name))
                    : UINT32_MAX;
    if (name == UINT32_MAX) {
        return orr_diag_no_memory(reader->diag, "a trace");
    }
    if (node->type >= ORR_NODE_KINDS) {
        char message[256];
        (void)snprintf(message, sizeof message,
                       "node %llu (%.100s): expected a node type from 0 to 7, got %u",
                       (unsigned long long)node->id, node->name, node->type);
        return fail(reader, message);
    }
    out->id = node->id;
    out->name = reader->build.names.text[name];
    out->kind = (uint8_t)node->type;
    out->duration_us = node->duration_micros;
    enum orr_status status = add_deps(reader, node);
    if (status == ORR_OK) {
        status = read_attrs(reader, node, out);
    }
    return status == ORR_OK ? keep_inputs(reader, node, out) : status;
}

/* ---- records ---- */

static enum orr_status read_length(struct reader *reader, uint64_t *length)
{
    *length = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (reader->at == reader->bytes) {
            return fail(reader, "the file is truncated in the length of a record");
        }
        const unsigned char byte = reader->data[reader->at++];
        *length |= (uint64_t)(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0) {
            break;
        }
    }
    if (*length <= reader->bytes - reader->at && *length <= MOST_RECORD_BYTES) {
        return ORR_OK;
    }
    char message[256];
    (void)snprintf(message, sizeof message,
                   "the file is truncated or not a trace: a record of %llu bytes is announced, %zu "
                   "are left",
                   (unsigned long long)*length, reader->bytes - reader->at);
    return fail(reader, message);
}

static enum orr_status read_metadata(struct reader *reader, const unsigned char *data, size_t bytes)
{
    ChakraEt__Metadata *metadata = chakra_et__metadata__unpack(&reader->allocator, bytes, data);
    if (metadata == NULL) {
        return fail(reader, "the first record cannot be decoded as the trace's metadata");
    }
    reader->build.version = orr_arena_strdup(reader->build.arena, metadata->version);
    return reader->build.version != NULL ? ORR_OK : orr_diag_no_memory(reader->diag, "a trace");
}

static enum orr_status read_record(struct reader *reader)
{
    uint64_t length = 0;
    reader->offset = reader->at;
    enum orr_status status = read_length(reader, &length);
    if (status != ORR_OK) {
        return status;
    }
    const unsigned char *data = reader->data + reader->at;
    reader->at += length;
    if (reader->record == 0) {
        status = read_metadata(reader, data, length);
    } else {
        ChakraEt__Node *node = chakra_et__node__unpack(&reader->allocator, length, data);
        status = node != NULL ? add_node(reader, node)
                              : fail(reader, "the record cannot be decoded as a node");
    }
    if (++reader->record % RECORDS_PER_RESET == 0) {
        orr_arena_reset(reader->records);
    }
    return status;
}

static enum orr_status read_records(struct reader *reader)
{
    if (reader->bytes == 0) {
        const struct orr_place place = orr_place_file(reader->build.path);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "the file is empty; a trace has at least its metadata record");
    }
    enum orr_status status = ORR_OK;
    while (reader->at < reader->bytes && status == ORR_OK) {
        status = read_record(reader);
    }
    return status;
}

enum orr_status orr_et_read_memory(struct orr_arena *arena, const void *data, size_t bytes,
                                   const char *path, const struct orr_trace **out,
                                   struct orr_diag *diag)
{
    struct reader reader = {.diag = diag, .data = data, .bytes = bytes};
    const char *name = orr_arena_strdup(arena, path);
    reader.records = orr_arena_create();
    if (name == NULL || reader.records == NULL) {
        orr_arena_destroy(reader.records);
        return orr_diag_no_memory(diag, "a trace");
    }
    reader.allocator = (ProtobufCAllocator){
        .alloc = record_alloc, .free = record_free, .allocator_data = reader.records};
    enum orr_status status = build_init(&reader.build, arena, name, diag);
    if (status == ORR_OK) {
        status = read_records(&reader);
        if (status == ORR_OK) {
            status = build_finish(&reader.build, out, diag);
        }
        build_fini(&reader.build);
    }
    orr_arena_destroy(reader.records);
    return status;
}

enum orr_status orr_et_read_file(struct orr_arena *arena, const char *path,
                                 const struct orr_trace **out, struct orr_diag *diag)
{
    struct et_bytes raw, bytes;
    enum orr_status status = et_read_raw(path, &raw, diag);
    if (status == ORR_OK) {
        status = et_inflate(path, raw, &bytes, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    status = orr_et_read_memory(arena, bytes.data, bytes.count, path, out, diag);
    orr_heap_free(bytes.data);
    return status;
}
