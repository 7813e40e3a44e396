/* Writes an execution trace: length-prefixed protobuf messages, with the attribute names and
 * numeric types of Chakra's own tools. */
#include <string.h>

#include <chakra_et.pb-c.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/time.h"
#include "workload/trace/et/et.h"
#include "workload/trace/et/et_sink.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_query.h"

enum { MAX_ATTRS = 21, MAX_DIMS = 32, MAX_LENGTH_BYTES = 5 };

#define DEFAULT_VERSION "0.0.4"

typedef ChakraProtoMsg__AttributeProto attr_message;

struct orr_et_writer {
    struct et_sink sink;
    char *path; /* or NULL */
    unsigned char *record;
    size_t record_capacity;
    bool finished;
};

/* The attributes of the current node, and the memory they point to. */
struct attr_list {
    attr_message attr[MAX_ATTRS];
    attr_message *pointer[MAX_ATTRS];
    size_t count;
    ChakraProtoMsg__BoolList dims;
    protobuf_c_boolean dim[MAX_DIMS];
    ChakraProtoMsg__StringList inputs, outputs;
    ChakraProtoMsg__Uint64List next, prefix_of, prefix_bytes, send_sizes, recv_sizes;
};

/* ---- records ---- */

static size_t encode_length(unsigned char *bytes, size_t length)
{
    size_t used = 0;
    while (length >= 0x80) {
        bytes[used++] = (unsigned char)(length | 0x80);
        length >>= 7;
    }
    bytes[used++] = (unsigned char)length;
    return used;
}

static enum orr_status write_message(struct orr_et_writer *writer, const ProtobufCMessage *message,
                                     struct orr_diag *diag)
{
    const size_t length = protobuf_c_message_get_packed_size(message);
    if (length > UINT32_MAX) {
        const struct orr_location location =
            orr_location_file(writer->path != NULL ? writer->path : "");
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "a record of %zu bytes is too long",
                             length);
    }
    if (!orr_heap_reserve(&writer->record, &writer->record_capacity, length + MAX_LENGTH_BYTES,
                          1)) {
        return orr_diag_no_memory(diag, "a record of a trace");
    }
    const size_t used = encode_length(writer->record, length);
    (void)protobuf_c_message_pack(message, writer->record + used);
    return orr_et_sink_write(&writer->sink, writer->record, used + length, diag);
}

/* ---- attributes ---- */

/* protobuf-c has no const in its messages; it does not write to them when packing. */
static char *unconst(const char *text)
{
    return (char *)(uintptr_t)text;
}

static attr_message *add_attr(struct attr_list *list, const char *name)
{
    ORR_ASSERT(list->count < MAX_ATTRS);
    attr_message *attr = &list->attr[list->count];
    chakra_proto_msg__attribute_proto__init(attr);
    attr->name = unconst(name);
    list->pointer[list->count++] = attr;
    return attr;
}

static void add_bool(struct attr_list *list, const char *name, bool value)
{
    attr_message *attr = add_attr(list, name);
    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BOOL_VAL;
    attr->bool_val = value;
}

static void add_int64(struct attr_list *list, const char *name, uint64_t value)
{
    attr_message *attr = add_attr(list, name);
    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT64_VAL;
    attr->int64_val = value <= INT64_MAX ? (int64_t)value : INT64_MAX;
}

static void add_int32(struct attr_list *list, const char *name, uint32_t value)
{
    if (value > INT32_MAX) {
        add_int64(list, name, value);
        return;
    }
    attr_message *attr = add_attr(list, name);
    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT32_VAL;
    attr->int32_val = (int32_t)value;
}

static void add_uint64(struct attr_list *list, const char *name, uint64_t value)
{
    attr_message *attr = add_attr(list, name);
    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT64_VAL;
    attr->uint64_val = value;
}

static void add_text(struct attr_list *list, const char *name, const char *text)
{
    attr_message *attr = add_attr(list, name);
    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_VAL;
    attr->string_val = unconst(text);
}

static void add_texts(struct attr_list *list, const char *name, ChakraProtoMsg__StringList *message,
                      const char *const *texts, uint32_t count)
{
    if (texts == NULL || count == 0) {
        return;
    }
    chakra_proto_msg__string_list__init(message);
    message->n_values = count;
    message->values = (char **)(uintptr_t)texts;
    attr_message *attr = add_attr(list, name);
    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_LIST;
    attr->string_list = message;
}

static void add_dims(struct attr_list *list, const struct orr_node_spec *spec)
{
    if (!spec->has_involved_dim) {
        return;
    }
    chakra_proto_msg__bool_list__init(&list->dims);
    list->dims.n_values = spec->involved_dims < MAX_DIMS ? spec->involved_dims : MAX_DIMS;
    list->dims.values = list->dim;
    for (unsigned i = 0; i < list->dims.n_values; i++) {
        list->dim[i] = (spec->involved_mask >> i & 1) != 0;
    }
    attr_message *attr = add_attr(list, "involved_dim");
    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BOOL_LIST;
    attr->bool_list = &list->dims;
}

static void add_numbers(struct attr_list *list, const char *name,
                        ChakraProtoMsg__Uint64List *message, struct orr_deps numbers)
{
    if (numbers.count == 0) {
        return;
    }
    chakra_proto_msg__uint64_list__init(message);
    message->n_values = numbers.count;
    message->values = (uint64_t *)(uintptr_t)numbers.ids;
    attr_message *attr = add_attr(list, name);
    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_UINT64_LIST;
    attr->uint64_list = message;
}

static void add_prefixes(struct attr_list *list, const struct orr_prefixes *prefixes)
{
    const struct orr_deps of = {prefixes->ids, prefixes->count};
    const struct orr_deps bytes = {prefixes->bytes, prefixes->count};
    add_numbers(list, "orrery_prefix_of", &list->prefix_of, of);
    add_numbers(list, "orrery_prefix_bytes", &list->prefix_bytes, bytes);
}

/* ---- nodes ---- */

static void add_tensor_size(struct attr_list *list, const struct orr_node_spec *spec)
{
    if (spec->tensor_bytes != 0 || (spec->flags & ORR_NODE_HAS_TENSOR_SIZE) != 0) {
        add_uint64(list, "tensor_size", spec->tensor_bytes);
    }
}

static void add_nonzero(struct attr_list *list, const char *name, uint32_t value)
{
    if (value != 0) {
        add_int32(list, name, value);
    }
}

static void add_group(struct attr_list *list, const struct orr_node_spec *spec)
{
    add_nonzero(list, "comm_priority", spec->priority);
    if (spec->group != NULL && spec->group[0] != '\0') {
        add_text(list, "pg_name", spec->group);
    }
}

static void add_p2p(struct attr_list *list, const struct orr_node_spec *spec)
{
    add_int64(list, "comm_size", spec->comm_bytes);
    if (spec->kind == ORR_NODE_RECV || (spec->flags & ORR_NODE_HAS_SRC) != 0) {
        add_int32(list, "comm_src", spec->src);
    }
    if (spec->kind == ORR_NODE_SEND || (spec->flags & ORR_NODE_HAS_DST) != 0) {
        add_int32(list, "comm_dst", spec->dst);
    }
    add_int32(list, "comm_tag", spec->tag);
    add_group(list, spec);
}

static void add_coll(struct attr_list *list, const struct orr_node_spec *spec)
{
    add_int64(list, "comm_type", (uint64_t)spec->comm);
    add_int64(list, "comm_size", spec->comm_bytes);
    add_nonzero(list, "comm_root", spec->root);
    add_nonzero(list, "comm_tag", spec->tag);
    add_dims(list, spec);
    add_group(list, spec);
    const struct orr_comm_sizes *sizes = &spec->sizes;
    add_numbers(list, ORR_SEND_SIZES, &list->send_sizes,
                (struct orr_deps){sizes->send, sizes->send_count});
    add_numbers(list, ORR_RECV_SIZES, &list->recv_sizes,
                (struct orr_deps){sizes->recv, sizes->recv_count});
    if (sizes->differ) {
        add_bool(list, ORR_SIZES_DIFFER, true);
    }
    if (spec->tokens) {
        add_bool(list, "orrery_tokens", true);
    }
}

/* Further attributes of an operation. */
static void add_details(struct attr_list *list, const struct orr_node_spec *spec)
{
    if (spec->unaligned) {
        add_bool(list, "orrery_op_unaligned", true);
    }
    if (spec->product != ORR_PRODUCT_ELEMENT) {
        add_text(list, "orrery_op_type", orr_product_type_names[spec->product]);
    }
}

static void add_attrs(struct attr_list *list, const struct orr_node_spec *spec)
{
    if ((spec->flags & (ORR_NODE_HAS_CPU_FLAG | ORR_NODE_IS_CPU)) != 0) {
        add_bool(list, "is_cpu_op", (spec->flags & ORR_NODE_IS_CPU) != 0);
    }
    if (spec->duration_ps % ORR_PS_PER_US != 0) {
        add_uint64(list, "orrery_duration_ps", spec->duration_ps);
    }
    switch (spec->kind) {
    case ORR_NODE_COMP:
        if (spec->num_ops != 0 || (spec->flags & ORR_NODE_HAS_NUM_OPS) != 0) {
            add_int64(list, "num_ops", spec->num_ops);
        }
        if (spec->op != ORR_OP_DEFAULT) {
            add_text(list, "orrery_op_kind", orr_op_kind_names[spec->op]);
        }
        add_details(list, spec);
        add_tensor_size(list, spec);
        if (spec->delay) {
            add_bool(list, "orrery_delay", true);
        }
        break;
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        add_tensor_size(list, spec);
        add_nonzero(list, "tensor_loc", (spec->flags & ORR_NODE_LOCAL_MEMORY) != 0 ? 1 : 0);
        if (spec->access != ORR_ACCESS_SHARDED) {
            add_text(list, "orrery_tensor_access", orr_mem_access_names[spec->access]);
        }
        break;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
        add_p2p(list, spec);
        if (spec->signal) {
            add_bool(list, "orrery_signal", true);
        }
        break;
    case ORR_NODE_COLL:
        add_coll(list, spec);
        break;
    default:
        break;
    }
    add_numbers(list, "orrery_next", &list->next, spec->next);
    add_prefixes(list, &spec->prefixes);
    add_texts(list, "inputs", &list->inputs, spec->inputs, spec->input_count);
    add_texts(list, "outputs", &list->outputs, spec->outputs, spec->output_count);
}

enum orr_status orr_et_writer_add(struct orr_et_writer *writer, const struct orr_node_spec *spec,
                                  struct orr_diag *diag)
{
    struct attr_list list;
    list.count = 0;
    add_attrs(&list, spec);
    ORR_ASSERT(!writer->finished);
    ChakraProtoMsg__Node node = CHAKRA_PROTO_MSG__NODE__INIT;
    ChakraProtoMsg__IOInfo inputs = CHAKRA_PROTO_MSG__IOINFO__INIT;
    node.id = spec->id;
    node.name = unconst(spec->name != NULL ? spec->name : "");
    node.type = (ChakraProtoMsg__NodeType)spec->kind;
    node.duration_micros = spec->duration_ps / ORR_PS_PER_US;
    node.n_data_deps = spec->data_deps.count;
    node.data_deps = (uint64_t *)(uintptr_t)spec->data_deps.ids;
    node.n_ctrl_deps = spec->ctrl_deps.count;
    node.ctrl_deps = (uint64_t *)(uintptr_t)spec->ctrl_deps.ids;
    node.n_attr = list.count;
    node.attr = list.pointer;
    if (spec->inputs_values != NULL) {
        inputs.values = unconst(spec->inputs_values);
        node.inputs = &inputs;
    }
    return write_message(writer, &node.base, diag);
}

/* ---- the writer ---- */

static enum orr_status write_metadata(struct orr_et_writer *writer,
                                      const struct orr_et_writer_options *options,
                                      struct orr_diag *diag)
{
    const char *version = options->version, *rules = options->rules;
    struct attr_list list;
    list.count = 0;
    if (rules != NULL && rules[0] != '\0') {
        add_text(&list, "rules", rules);
    }
    ChakraProtoMsg__GlobalMetadata metadata = CHAKRA_PROTO_MSG__GLOBAL_METADATA__INIT;
    metadata.version = unconst(version != NULL ? version : DEFAULT_VERSION);
    metadata.n_attr = list.count;
    metadata.attr = list.pointer;
    return write_message(writer, &metadata.base, diag);
}

static enum orr_status copy_path(struct orr_et_writer *writer, const char *path,
                                 struct orr_diag *diag)
{
    const size_t bytes = strlen(path) + 1;
    writer->path = orr_heap_alloc(bytes);
    if (writer->path == NULL) {
        return orr_diag_no_memory(diag, "a trace writer");
    }
    memcpy(writer->path, path, bytes);
    return ORR_OK;
}

static enum orr_status create(struct orr_et_writer **out, const char *path,
                              const struct orr_et_writer_options *options, struct orr_diag *diag)
{
    const struct orr_et_writer_options defaults = {0};
    const struct orr_et_writer_options *chosen = options != NULL ? options : &defaults;
    struct orr_et_writer *writer = orr_heap_calloc(1, sizeof *writer);
    if (writer == NULL) {
        return orr_diag_no_memory(diag, "a trace writer");
    }
    enum orr_status status = path != NULL ? copy_path(writer, path, diag) : ORR_OK;
    if (status == ORR_OK) {
        status = orr_et_sink_open(&writer->sink, writer->path, chosen->gzip, diag);
    }
    if (status == ORR_OK) {
        status = write_metadata(writer, chosen, diag);
    }
    if (status != ORR_OK) {
        orr_et_writer_destroy(writer);
        return status;
    }
    *out = writer;
    return ORR_OK;
}

enum orr_status orr_et_writer_create(struct orr_et_writer **out, const char *path,
                                     const struct orr_et_writer_options *options,
                                     struct orr_diag *diag)
{
    return create(out, path, options, diag);
}

enum orr_status orr_et_writer_create_memory(struct orr_et_writer **out,
                                            const struct orr_et_writer_options *options,
                                            struct orr_diag *diag)
{
    return create(out, NULL, options, diag);
}

enum orr_status orr_et_writer_finish(struct orr_et_writer *writer, struct orr_diag *diag)
{
    ORR_ASSERT(!writer->finished);
    writer->finished = true;
    return orr_et_sink_finish(&writer->sink, diag);
}

const void *orr_et_writer_bytes(const struct orr_et_writer *writer, size_t *count)
{
    ORR_ASSERT(writer->finished && writer->path == NULL);
    *count = writer->sink.count;
    return writer->sink.memory;
}

void orr_et_writer_destroy(struct orr_et_writer *writer)
{
    if (writer != NULL) {
        orr_et_sink_close(&writer->sink);
        orr_heap_free(writer->record);
        orr_heap_free(writer->path);
        orr_heap_free(writer);
    }
}

/* ---- whole traces ---- */

/* The trace and buffers of orr_et_writer_add_trace. */
struct trace_source {
    const struct orr_trace *trace;
    struct orr_parents parents;
    struct orr_dep_buffers buffers;
    uint64_t *next; /* [nodes] */
};

static enum orr_status add_nodes(struct orr_et_writer *writer,
                                 const struct trace_source *trace_source, struct orr_diag *diag)
{
    const struct orr_trace *trace = trace_source->trace;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < trace->nodes && status == ORR_OK; i++) {
        struct orr_node_spec spec = orr_trace_spec(trace, i);
        spec.next = orr_trace_next(trace, i, trace_source->next);
        orr_trace_add_deps(trace, &trace_source->parents, i, &trace_source->buffers, &spec);
        status = orr_et_writer_add(writer, &spec, diag);
    }
    return status;
}

enum orr_status orr_et_writer_add_trace(struct orr_et_writer *writer, const struct orr_trace *trace,
                                        struct orr_diag *diag)
{
    struct orr_arena *scratch = orr_arena_create();
    if (scratch == NULL) {
        return orr_diag_no_memory(diag, "the parents of a trace");
    }
    struct trace_source trace_source = {
        .trace = trace, .next = orr_arena_array(scratch, trace->nodes, sizeof *trace_source.next)};
    enum orr_status status =
        trace_source.next != NULL ? ORR_OK : orr_diag_no_memory(diag, "the parents of a trace");
    if (status == ORR_OK) {
        status = orr_parents_build(scratch, trace, &trace_source.parents, diag);
    }
    if (status == ORR_OK) {
        status = orr_dep_buffers_create(scratch, trace, &trace_source.buffers, diag);
    }
    if (status == ORR_OK) {
        status = add_nodes(writer, &trace_source, diag);
    }
    orr_arena_destroy(scratch);
    return status;
}
