/* A trace as protobuf-JSON, one message a line: 64-bit numbers as text, names in camel case, zeros
 * left out, in the format of chakra_jsonizer. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "core/diag.h"
#include "core/time.h"
#include "report/json_text.h"
#include "report/trace/trace_report.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_query.h"

static json_t *number_json(uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

static void add_attr(json_t *attrs, const char *name, const char *arm, json_t *value)
{
    json_t *attr = json_object();
    (void)json_object_set_new(attr, "name", json_string(name));
    (void)json_object_set_new(attr, arm, value);
    (void)json_array_append_new(attrs, attr);
}

static void add_number(json_t *attrs, const char *name, uint64_t value)
{
    add_attr(attrs, name, "int64Val", number_json(value));
}

static void add_nonzero(json_t *attrs, const char *name, uint64_t value)
{
    if (value != 0) {
        add_number(attrs, name, value);
    }
}

static void add_if(json_t *attrs, const char *name, uint64_t value, bool given)
{
    if (given) {
        add_number(attrs, name, value);
    }
}

static void add_dims(json_t *attrs, const struct orr_node_spec *spec)
{
    json_t *values = json_array();
    for (unsigned i = 0; i < spec->involved_dims; i++) {
        (void)json_array_append_new(values, json_boolean(spec->involved_mask >> i & 1));
    }
    add_attr(attrs, "involved_dim", "boolList", json_pack("{s:o}", "values", values));
}

static void add_texts(json_t *attrs, const char *name, const char *const *texts, uint32_t count)
{
    json_t *values = json_array();
    for (uint32_t i = 0; i < count; i++) {
        (void)json_array_append_new(values, orr_json_text(texts[i]));
    }
    add_attr(attrs, name, "stringList", json_pack("{s:o}", "values", values));
}

static void add_numbers(json_t *attrs, const char *name, const uint64_t *numbers, size_t count)
{
    json_t *values = json_array();
    for (size_t i = 0; i < count; i++) {
        (void)json_array_append_new(values, number_json(numbers[i]));
    }
    add_attr(attrs, name, "uint64List", json_pack("{s:o}", "values", values));
}

static void add_sizes(json_t *attrs, const struct orr_comm_sizes *sizes)
{
    if (sizes->send_count != 0) {
        add_numbers(attrs, ORR_SEND_SIZES, sizes->send, sizes->send_count);
    }
    if (sizes->recv_count != 0) {
        add_numbers(attrs, ORR_RECV_SIZES, sizes->recv, sizes->recv_count);
    }
    if (sizes->differ) {
        add_attr(attrs, ORR_SIZES_DIFFER, "boolVal", json_true());
    }
}

static void add_comm(json_t *attrs, const struct orr_node_spec *spec)
{
    const bool coll = spec->kind == ORR_NODE_COLL;
    add_if(attrs, "comm_type", (uint64_t)spec->comm, coll);
    add_number(attrs, "comm_size", spec->comm_bytes);
    add_if(attrs, "comm_src", spec->src, spec->kind == ORR_NODE_RECV);
    add_if(attrs, "comm_dst", spec->dst, spec->kind == ORR_NODE_SEND);
    add_nonzero(attrs, "comm_tag", spec->tag);
    add_nonzero(attrs, "comm_priority", spec->priority);
    add_nonzero(attrs, "comm_root", spec->root);
    if (spec->group != NULL) {
        add_attr(attrs, "pg_name", "stringVal", orr_json_text(spec->group));
    }
    if (spec->has_involved_dim) {
        add_dims(attrs, spec);
    }
    add_sizes(attrs, &spec->sizes);
}

static json_t *attrs_json(const struct orr_node_spec *spec)
{
    json_t *attrs = json_array();
    if ((spec->flags & ORR_NODE_HAS_CPU_FLAG) != 0) {
        add_attr(attrs, "is_cpu_op", "boolVal", json_boolean((spec->flags & ORR_NODE_IS_CPU) != 0));
    }
    add_if(attrs, "orrery_duration_ps", spec->duration_ps, spec->duration_ps % ORR_PS_PER_US != 0);
    add_if(attrs, "num_ops", spec->num_ops, (spec->flags & ORR_NODE_HAS_NUM_OPS) != 0);
    if (spec->op != ORR_OP_DEFAULT) {
        add_attr(attrs, "orrery_op_kind", "stringVal", json_string(orr_op_kind_names[spec->op]));
    }
    if (spec->unaligned) {
        add_attr(attrs, "orrery_op_unaligned", "boolVal", json_true());
    }
    if (spec->product != ORR_PRODUCT_ELEMENT) {
        add_attr(attrs, "orrery_op_type", "stringVal",
                 json_string(orr_product_type_names[spec->product]));
    }
    add_if(attrs, "tensor_size", spec->tensor_bytes, (spec->flags & ORR_NODE_HAS_TENSOR_SIZE) != 0);
    add_if(attrs, "tensor_loc", 1, (spec->flags & ORR_NODE_LOCAL_MEMORY) != 0);
    if (spec->access != ORR_ACCESS_SHARDED) {
        add_attr(attrs, "orrery_tensor_access", "stringVal",
                 json_string(orr_mem_access_names[spec->access]));
    }
    if (spec->kind >= ORR_NODE_SEND) {
        add_comm(attrs, spec);
    }
    if (spec->prefixes.count != 0) {
        add_numbers(attrs, "orrery_prefix_of", spec->prefixes.ids, spec->prefixes.count);
        add_numbers(attrs, "orrery_prefix_bytes", spec->prefixes.bytes, spec->prefixes.count);
    }
    if (spec->input_count != 0) {
        add_texts(attrs, "inputs", spec->inputs, spec->input_count);
    }
    if (spec->output_count != 0) {
        add_texts(attrs, "outputs", spec->outputs, spec->output_count);
    }
    return attrs;
}

static json_t *deps_json(const struct orr_node_spec *spec)
{
    json_t *deps = json_array();
    for (size_t i = 0; i < spec->data_deps.count; i++) {
        (void)json_array_append_new(deps, number_json(spec->data_deps.ids[i]));
    }
    return deps;
}

static json_t *node_json(const struct orr_node_spec *spec)
{
    json_t *node = json_object();
    (void)json_object_set_new(node, "id", number_json(spec->id));
    (void)json_object_set_new(node, "name", orr_json_text(spec->name));
    (void)json_object_set_new(node, "type", json_string(orr_node_kind_name(spec->kind)));
    if (spec->data_deps.count != 0) {
        (void)json_object_set_new(node, "dataDeps", deps_json(spec));
    }
    if (spec->duration_ps >= ORR_PS_PER_US) {
        (void)json_object_set_new(node, "durationMicros",
                                  number_json(spec->duration_ps / ORR_PS_PER_US));
    }
    if (spec->inputs_values != NULL) {
        (void)json_object_set_new(node, "inputs",
                                  json_pack("{s:o}", "values", orr_json_text(spec->inputs_values)));
    }
    (void)json_object_set_new(node, "attr", attrs_json(spec));
    return node;
}

/* Prints and frees. A member that could not be made for lack of memory fails the whole line. */
static bool print_line(FILE *out, json_t *json)
{
    const bool printed = json != NULL && orr_json_write(json, out, JSON_COMPACT) == 0;
    json_decref(json);
    return printed && fputc('\n', out) != EOF;
}

enum orr_status orr_trace_print_json(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, struct orr_diag *diag)
{
    struct orr_parents parents;
    struct orr_dep_buffers room;
    enum orr_status status = orr_parents_build(arena, trace, &parents, diag);
    if (status == ORR_OK) {
        status = orr_dep_buffers_create(arena, trace, &room, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    json_t *metadata = json_object();
    (void)json_object_set_new(metadata, "version", orr_json_text(trace->version));
    bool printed = print_line(out, metadata);
    for (uint32_t i = 0; printed && i < trace->nodes; i++) {
        struct orr_node_spec spec = orr_trace_spec(trace, i);
        orr_trace_add_deps(trace, &parents, i, &room, &spec);
        printed = print_line(out, node_json(&spec));
    }
    return printed ? ORR_OK
                   : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the trace cannot be printed as JSON");
}
