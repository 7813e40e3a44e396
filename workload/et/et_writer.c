/* Writing a Chakra execution trace with the attributes and kinds of numbers that its readers
 * know.*/
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "chakra_et.pb-c.h"
#include "workload/et/et.h"

enum { MOST_ATTRS = 12, MOST_LENGTH_BYTES = 10 };

struct orr_et_writer {
    struct orr_arena *arena;
    const char *path;
    gzFile file; /* zlib writes plain files too, in its transparent mode */
    unsigned char *buffer;
    size_t capacity;
};

/* The attributes of one node under construction; storage for the pointers protobuf-c wants. */
struct attrs {
    ChakraEt__Attribute item[MOST_ATTRS];
    ChakraEt__Attribute *pointer[MOST_ATTRS];
    ChakraEt__BoolList involved;
    size_t count;
};

static enum orr_status io_error(const char *path, struct orr_diag *diag)
{
    const struct orr_place place = orr_place_file(path);
    return orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be written: %s", strerror(errno));
}

static enum orr_status put(struct orr_et_writer *writer, const unsigned char *data, size_t bytes,
                           struct orr_diag *diag)
{
    if (bytes != 0 && gzwrite(writer->file, data, (unsigned)bytes) != (int)bytes) {
        return io_error(writer->path, diag);
    }
    return ORR_OK;
}

static enum orr_status put_record(struct orr_et_writer *writer, const ProtobufCMessage *message,
                                  struct orr_diag *diag)
{
    const size_t bytes = protobuf_c_message_get_packed_size(message);
    if (bytes > writer->capacity) {
        unsigned char *grown = orr_heap_realloc(writer->buffer, bytes * 2);
        if (grown == NULL) {
            return orr_diag_no_memory(diag, "writing a trace");
        }
        writer->buffer = grown;
        writer->capacity = bytes * 2;
    }
    unsigned char length[MOST_LENGTH_BYTES];
    size_t used = 0;
    uint64_t rest = bytes;
    do {
        length[used++] = (unsigned char)((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0));
        rest >>= 7;
    } while (rest != 0);
    (void)protobuf_c_message_pack(message, writer->buffer);
    const enum orr_status status = put(writer, length, used, diag);
    return status == ORR_OK ? put(writer, writer->buffer, bytes, diag) : status;
}

static enum orr_status put_metadata(struct orr_et_writer *writer, struct orr_diag *diag)
{
    static char version[] = "0.0.4";
    ChakraEt__Metadata metadata = CHAKRA_ET__METADATA__INIT;
    metadata.version = version;
    return put_record(writer, &metadata.base, diag);
}

enum orr_status orr_et_writer_open(struct orr_et_writer **out, const char *path,
                                   struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_et_writer *writer = arena != NULL ? orr_arena_alloc(arena, sizeof *writer) : NULL;
    if (writer == NULL) {
        orr_arena_destroy(arena);
        return orr_diag_no_memory(diag, "writing a trace");
    }
    const size_t length = strlen(path);
    const bool zipped = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    writer->arena = arena;
    writer->path = orr_arena_strdup(arena, path);
    writer->file = gzopen(path, zipped ? "wb" : "wbT");
    enum orr_status status =
        writer->file != NULL ? put_metadata(writer, diag) : io_error(path, diag);
    if (status != ORR_OK) {
        (void)orr_et_writer_close(writer, NULL);
        return status;
    }
    *out = writer;
    return ORR_OK;
}

/* ---- attributes ---- */

static ChakraEt__Attribute *add_attr(struct attrs *attrs, const char *name)
{
    ORR_ASSERT(attrs->count < MOST_ATTRS);
    ChakraEt__Attribute *attr = &attrs->item[attrs->count];
    chakra_et__attribute__init(attr);
    attr->name = (char *)(uintptr_t)name;
    attrs->pointer[attrs->count++] = attr;
    return attr;
}

static void add_int64(struct attrs *attrs, const char *name, uint64_t value)
{
    ChakraEt__Attribute *attr = add_attr(attrs, name);
    attr->value_case = CHAKRA_ET__ATTRIBUTE__VALUE_INT64_VAL;
    attr->int64_val = (int64_t)value;
}

static void add_uint64(struct attrs *attrs, const char *name, uint64_t value)
{
    ChakraEt__Attribute *attr = add_attr(attrs, name);
    attr->value_case = CHAKRA_ET__ATTRIBUTE__VALUE_UINT64_VAL;
    attr->uint64_val = value;
}

static void add_int32(struct attrs *attrs, const char *name, uint32_t value)
{
    ChakraEt__Attribute *attr = add_attr(attrs, name);
    attr->value_case = CHAKRA_ET__ATTRIBUTE__VALUE_INT32_VAL;
    attr->int32_val = (int32_t)value;
}

static void add_bool(struct attrs *attrs, const char *name, bool value)
{
    ChakraEt__Attribute *attr = add_attr(attrs, name);
    attr->value_case = CHAKRA_ET__ATTRIBUTE__VALUE_BOOL_VAL;
    attr->bool_val = value;
}

static void add_text(struct attrs *attrs, const char *name, const char *value)
{
    ChakraEt__Attribute *attr = add_attr(attrs, name);
    attr->value_case = CHAKRA_ET__ATTRIBUTE__VALUE_STRING_VAL;
    attr->string_val = (char *)(uintptr_t)value;
}

static enum orr_status add_involved(struct orr_et_writer *writer, struct attrs *attrs,
                                    const struct orr_et_node *node, struct orr_diag *diag)
{
    protobuf_c_boolean *values =
        orr_arena_array(writer->arena, node->involved_dims, sizeof *values);
    if (values == NULL) {
        return orr_diag_no_memory(diag, "writing a trace");
    }
    for (size_t i = 0; i < node->involved_dims; i++) {
        values[i] = node->involved_dim[i];
    }
    chakra_et__bool_list__init(&attrs->involved);
    attrs->involved.n_values = node->involved_dims;
    attrs->involved.values = values;
    ChakraEt__Attribute *attr = add_attr(attrs, "involved_dim");
    attr->value_case = CHAKRA_ET__ATTRIBUTE__VALUE_BOOL_LIST;
    attr->bool_list = &attrs->involved;
    return ORR_OK;
}

static enum orr_status add_collective(struct orr_et_writer *writer, struct attrs *attrs,
                                      const struct orr_et_node *node, struct orr_diag *diag)
{
    add_int64(attrs, "comm_type", (uint64_t)node->comm);
    add_int64(attrs, "comm_size", node->comm_bytes);
    if (node->root != 0) {
        add_int32(attrs, "comm_root", node->root);
    }
    if (node->priority != 0) {
        add_int32(attrs, "comm_priority", node->priority);
    }
    if (node->group != NULL) {
        add_text(attrs, "pg_name", node->group);
    }
    return node->involved_dim != NULL ? add_involved(writer, attrs, node, diag) : ORR_OK;
}

static enum orr_status fill_attrs(struct orr_et_writer *writer, struct attrs *attrs,
                                  const struct orr_et_node *node, struct orr_diag *diag)
{
    add_bool(attrs, "is_cpu_op", node->is_cpu);
    switch (node->kind) {
    case ORR_NODE_COMP:
        add_int64(attrs, "num_ops", node->num_ops);
        add_uint64(attrs, "tensor_size", node->tensor_bytes);
        return ORR_OK;
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        add_uint64(attrs, "tensor_size", node->tensor_bytes);
        add_int32(attrs, "tensor_loc", node->local_memory ? 1 : 2);
        return ORR_OK;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
        add_int64(attrs, "comm_size", node->comm_bytes);
        add_int32(attrs, node->kind == ORR_NODE_SEND ? "comm_dst" : "comm_src", node->peer);
        add_int32(attrs, "comm_tag", node->tag);
        return ORR_OK;
    case ORR_NODE_COLL:
        return add_collective(writer, attrs, node, diag);
    default:
        return ORR_OK;
    }
}

enum orr_status orr_et_writer_add(struct orr_et_writer *writer, const struct orr_et_node *node,
                                  struct orr_diag *diag)
{
    struct attrs attrs = {.count = 0};
    enum orr_status status = fill_attrs(writer, &attrs, node, diag);
    if (status != ORR_OK) {
        return status;
    }
    ChakraEt__IoInfo inputs = CHAKRA_ET__IO_INFO__INIT;
    ChakraEt__Node message = CHAKRA_ET__NODE__INIT;
    message.id = node->id;
    message.name = (char *)(uintptr_t)(node->name != NULL ? node->name : "");
    message.type = (uint32_t)node->kind;
    message.n_data_deps = node->parent_count;
    message.data_deps = (uint64_t *)(uintptr_t)node->parents;
    message.duration_micros = node->duration_us;
    message.n_attr = attrs.count;
    message.attr = attrs.pointer;
    if (node->inputs_values != NULL) {
        inputs.values = (char *)(uintptr_t)node->inputs_values;
        message.inputs = &inputs;
    }
    return put_record(writer, &message.base, diag);
}

enum orr_status orr_et_writer_close(struct orr_et_writer *writer, struct orr_diag *diag)
{
    if (writer == NULL) {
        return ORR_OK;
    }
    enum orr_status status = ORR_OK;
    if (writer->file != NULL && gzclose(writer->file) != Z_OK) {
        status = io_error(writer->path, diag);
    }
    orr_heap_free(writer->buffer);
    orr_arena_destroy(writer->arena);
    return status;
}
