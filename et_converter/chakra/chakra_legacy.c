/* Reader of the legacy layouts of Chakra; see chakra_legacy.h. */
#include "et_converter/chakra/chakra_legacy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/time.h"
#include "et_converter/protobuf_wire.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

enum { MAX_DIMS = 32, NUMBER_BYTES = 24 };

static const uint64_t PS_PER_NS = 1000, PS_PER_US = 1000000;

/* ---- nodes ---- */

struct legacy_node {
    struct orr_node_spec spec;
    struct conv_wire record; /* for error messages */
    char name[64];           /* spec.name, truncated */
    uint64_t comm_type, input_bytes, output_bytes;
    bool has_comm_type, has_comm_bytes, has_tensor_bytes;
    char group[NUMBER_BYTES];
};

struct legacy_reader {
    struct conv_wire file;
    struct orr_arena *scratch; /* texts and parents of a node */
    uint64_t *parents;         /* [parent_capacity] */
    size_t parent_count, parent_capacity;
    enum chakra_layout layout;
    struct orr_trace_builder *builder;
    struct orr_diag *diag;
};

static enum orr_status fail_node(const struct legacy_reader *reader, const struct legacy_node *node,
                                 const char *problem)
{
    return orr_convert_wire_fail(&node->record, node->record.at, reader->diag,
                                 "node %" PRIu64 " (%s): %s", node->spec.id, node->name, problem);
}

static enum orr_status copy_text(struct legacy_reader *reader, const struct conv_field *field,
                                 const char **out)
{
    *out = orr_arena_strndup(reader->scratch, (const char *)field->inside.data + field->inside.at,
                             field->inside.end - field->inside.at);
    return *out != NULL ? ORR_OK : orr_diag_no_memory(reader->diag, "a trace");
}

static enum orr_status add_parents(struct legacy_reader *reader, const struct conv_field *field)
{
    struct conv_numbers numbers = {.field = *field};
    uint64_t id;
    while (orr_convert_wire_number(&numbers, &id)) {
        uint64_t *grown = orr_arena_grow(reader->scratch, reader->parents, &reader->parent_capacity,
                                         reader->parent_count + 1, sizeof *grown);
        if (grown == NULL) {
            return orr_diag_no_memory(reader->diag, "a trace");
        }
        reader->parents = grown;
        grown[reader->parent_count++] = id;
    }
    return ORR_OK;
}

static void add_dims(struct orr_node_spec *spec, const struct conv_field *field)
{
    struct conv_numbers numbers = {.field = *field};
    uint64_t involved;
    spec->has_involved_dim = true;
    while (orr_convert_wire_number(&numbers, &involved) && spec->involved_dims < MAX_DIMS) {
        spec->involved_mask |= involved != 0 ? UINT32_C(1) << spec->involved_dims : 0;
        spec->involved_dims++;
    }
}

static void set_group(struct legacy_node *node, uint64_t number)
{
    (void)snprintf(node->group, sizeof node->group, "%" PRIu64, number);
    node->spec.group = number != 0 ? node->group : NULL;
}

static uint64_t times(uint64_t value, uint64_t factor)
{
    return value > ORR_TIME_MAX / factor ? ORR_TIME_MAX : value * factor;
}

/* Numbers that both layouts have, by the name of the attribute. */
static enum orr_status set_number(struct legacy_reader *reader, struct legacy_node *node,
                                  const char *name, uint64_t value)
{
    struct orr_node_spec *spec = &node->spec;
    const struct {
        const char *name;
        uint64_t *wide;
        uint32_t *narrow;
        bool *has_field;
        unsigned flag;
    } fields[] = {
        {"num_ops", &spec->num_ops, NULL, NULL, ORR_NODE_HAS_NUM_OPS},
        {"tensor_size", &spec->tensor_bytes, NULL, &node->has_tensor_bytes,
         ORR_NODE_HAS_TENSOR_SIZE},
        {"comm_type", &node->comm_type, NULL, &node->has_comm_type, 0},
        {"comm_size", &spec->comm_bytes, NULL, &node->has_comm_bytes, 0},
        {"comm_src", NULL, &spec->src, NULL, ORR_NODE_HAS_SRC},
        {"comm_dst", NULL, &spec->dst, NULL, ORR_NODE_HAS_DST},
        {"comm_tag", NULL, &spec->tag, NULL, 0},
        {"comm_priority", NULL, &spec->priority, NULL, 0},
        {"comm_root", NULL, &spec->root, NULL, 0},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].name, name) != 0) {
            continue;
        }
        char problem[96];
        const uint64_t max = fields[i].wide != NULL ? INT64_MAX : INT32_MAX;
        if (value > max) {
            (void)snprintf(problem, sizeof problem,
                           "%s: expected a whole number from 0 to %" PRIu64, name, max);
            return fail_node(reader, node, problem);
        }
        if (fields[i].wide != NULL) {
            *fields[i].wide = value;
        } else {
            *fields[i].narrow = (uint32_t)value;
        }
        spec->flags |= fields[i].flag;
        if (fields[i].has_field != NULL) {
            *fields[i].has_field = true;
        }
    }
    return ORR_OK;
}

static void set_cpu(struct legacy_node *node, bool on_cpu)
{
    node->spec.flags |= ORR_NODE_HAS_CPU_FLAG | (on_cpu ? ORR_NODE_IS_CPU : 0);
}

static void set_location(struct legacy_node *node, uint64_t location)
{
    node->spec.flags |= location == 1 ? ORR_NODE_LOCAL_MEMORY : 0;
}

/* ---- 0.0.3: attributes ---- */

struct legacy_attribute {
    const char *name;
    uint64_t number; /* b or i */
    bool has_number;
    const char *text; /* s, or NULL */
};

static enum orr_status read_attribute_field(struct legacy_reader *reader, struct conv_wire *message,
                                            const struct conv_field *field,
                                            struct legacy_attribute *attribute)
{
    enum orr_status status = ORR_OK;
    switch (field->number) {
    case 1:
        status = orr_convert_wire_expect(message, field, CONV_BYTES, "name", reader->diag);
        return status == ORR_OK ? copy_text(reader, field, &attribute->name) : status;
    case 4:
    case 6:
        status = orr_convert_wire_expect(message, field, CONV_VARINT, "b or i", reader->diag);
        attribute->number = field->value;
        attribute->has_number = true;
        return status;
    case 5:
        return orr_convert_wire_expect(message, field, CONV_FIXED32, "f", reader->diag);
    case 7:
        status = orr_convert_wire_expect(message, field, CONV_BYTES, "s", reader->diag);
        return status == ORR_OK ? copy_text(reader, field, &attribute->text) : status;
    default:
        return ORR_OK;
    }
}

static enum orr_status use_attribute(struct legacy_reader *reader, struct legacy_node *node,
                                     const struct legacy_attribute *attribute)
{
    const char *name = attribute->name;
    if (attribute->text != NULL && strcmp(name, "pg_name") == 0) {
        node->spec.group = attribute->text;
    }
    if (!attribute->has_number) {
        return ORR_OK;
    }
    if (strcmp(name, "runtime") == 0) {
        node->spec.duration_ps = times(attribute->number, PS_PER_US);
    } else if (strcmp(name, "is_cpu_op") == 0 || strcmp(name, "is_host_op") == 0) {
        set_cpu(node, attribute->number != 0);
    } else if (strcmp(name, "tensor_loc") == 0) {
        set_location(node, attribute->number);
    } else if (strcmp(name, "comm_group") == 0 || strcmp(name, "pg_name") == 0) {
        set_group(node, attribute->number);
    } else {
        return set_number(reader, node, name, attribute->number);
    }
    return ORR_OK;
}

static enum orr_status read_attribute(struct legacy_reader *reader, struct legacy_node *node,
                                      struct conv_wire message)
{
    struct legacy_attribute attribute = {.name = ""};
    struct conv_wire second_pass = message;
    struct conv_field field;
    bool ended = false;
    enum orr_status status = orr_convert_wire_next(&message, &field, &ended, reader->diag);
    while (status == ORR_OK && !ended) {
        status = read_attribute_field(reader, &message, &field, &attribute);
        if (status == ORR_OK) {
            status = orr_convert_wire_next(&message, &field, &ended, reader->diag);
        }
    }
    /* A list may precede the name, so lists are read in a second pass. */
    while (status == ORR_OK && strcmp(attribute.name, "involved_dim") == 0 &&
           orr_convert_wire_next(&second_pass, &field, &ended, reader->diag) == ORR_OK && !ended) {
        if (field.number == 8 || field.number == 10) {
            add_dims(&node->spec, &field);
        }
    }
    return status == ORR_OK ? use_attribute(reader, node, &attribute) : status;
}

/* ---- fields of a node ---- */

static enum orr_status read_0_0_3(struct legacy_reader *reader, struct legacy_node *node,
                                  const struct conv_field *field)
{
    static const char *const names[] = {"inputs",        "input_shapes", "input_types", "outputs",
                                        "output_shapes", "output_types", "attribute"};
    if (field->number < 5 || field->number > 11) {
        return ORR_OK;
    }
    const enum orr_status status = orr_convert_wire_expect(&node->record, field, CONV_BYTES,
                                                           names[field->number - 5], reader->diag);
    if (status != ORR_OK || field->number > 5) {
        return status == ORR_OK && field->number == 11 ? read_attribute(reader, node, field->inside)
                                                       : status;
    }
    return copy_text(reader, field, &node->spec.inputs_values);
}

static enum orr_status read_0_0_1(struct legacy_reader *reader, struct legacy_node *node,
                                  const struct conv_field *field)
{
    static const char *const names[] = {"tensor_loc",
                                        "tensor_size",
                                        "simulated_run_time",
                                        "",
                                        "",
                                        "",
                                        "",
                                        "num_ops",
                                        "comm_type",
                                        "",
                                        "",
                                        "comm_src",
                                        "comm_dst",
                                        "comm_size",
                                        "comm_tag",
                                        "comm_priority"};
    if (field->number < 5 || field->number > 20) {
        return ORR_OK;
    }
    if (field->number == 14) {
        add_dims(&node->spec, field);
        return ORR_OK;
    }
    const char *name = names[field->number - 5];
    const enum orr_status status =
        orr_convert_wire_expect(&node->record, field, CONV_VARINT, name, reader->diag);
    if (status != ORR_OK) {
        return status;
    }
    switch (field->number) {
    case 5:
    case 8:
    case 10:
        set_location(node, field->value);
        return ORR_OK;
    case 7:
        node->spec.duration_ps = times(field->value, PS_PER_NS);
        return ORR_OK;
    case 9:
        node->input_bytes = field->value;
        return ORR_OK;
    case 11:
        node->output_bytes = field->value;
        return ORR_OK;
    case 15:
        set_group(node, field->value);
        return ORR_OK;
    default:
        return set_number(reader, node, name, field->value);
    }
}

static enum orr_status set_kind(struct legacy_reader *reader, struct legacy_node *node,
                                uint64_t number)
{
    char problem[96];
    const bool flat = reader->layout == CHAKRA_0_0_1; /* which has no METADATA_NODE */
    const uint64_t kind = flat && number > 0 ? number + 1 : number;
    if (kind >= ORR_NODE_KINDS) {
        (void)snprintf(problem, sizeof problem,
                       "unknown node type %" PRIu64 "; expected 0 to %d in layout %s", number,
                       ORR_NODE_KINDS - (flat ? 2 : 1), orr_chakra_layout_name(reader->layout));
        return fail_node(reader, node, problem);
    }
    node->spec.kind = (enum orr_node_kind)kind;
    return ORR_OK;
}

static enum orr_status read_field(struct legacy_reader *reader, struct legacy_node *node,
                                  const struct conv_field *field)
{
    static const char *const names[] = {"", "id", "name", "type", "parent"};
    enum orr_status status = ORR_OK;
    if (field->number < 4) {
        status = orr_convert_wire_expect(&node->record, field,
                                         field->number == 2 ? CONV_BYTES : CONV_VARINT,
                                         names[field->number], reader->diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    switch (field->number) {
    case 1:
        node->spec.id = field->value;
        return ORR_OK;
    case 2:
        status = copy_text(reader, field, &node->spec.name);
        (void)snprintf(node->name, sizeof node->name, "%s",
                       status == ORR_OK ? node->spec.name : "");
        return status;
    case 3:
        return set_kind(reader, node, field->value);
    case 4:
        return add_parents(reader, field);
    default:
        return reader->layout == CHAKRA_0_0_1 ? read_0_0_1(reader, node, field)
                                              : read_0_0_3(reader, node, field);
    }
}

/* ---- whole nodes ---- */

static enum orr_status finish_collective(struct legacy_reader *reader, struct legacy_node *node)
{
    static const enum orr_trace_comm comms[] = {ORR_COMM_ALL_REDUCE, ORR_COMM_ALL_TO_ALL,
                                                ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER};
    char problem[128];
    /* the flat layout may omit a field that is 0 */
    if (!node->has_comm_type && reader->layout != CHAKRA_0_0_1) {
        return fail_node(reader, node, "a COMM_COLL_NODE needs the attribute \"comm_type\"");
    }
    if (node->comm_type >= sizeof comms / sizeof comms[0]) {
        (void)snprintf(problem, sizeof problem,
                       "comm_type: expected 0 (all-reduce), 1 (all-to-all), 2 (all-gather) or 3 "
                       "(reduce-scatter), got %" PRIu64,
                       node->comm_type);
        return fail_node(reader, node, problem);
    }
    node->spec.comm = comms[node->comm_type];
    return ORR_OK;
}

static enum orr_status finish_node(struct legacy_reader *reader, struct legacy_node *node)
{
    const enum orr_node_kind kind = node->spec.kind;
    const bool communicates =
        kind == ORR_NODE_COLL || kind == ORR_NODE_SEND || kind == ORR_NODE_RECV;
    if (communicates && !node->has_comm_bytes) {
        return fail_node(reader, node, "a communication node needs \"comm_size\"");
    }
    if ((kind == ORR_NODE_MEM_LOAD || kind == ORR_NODE_MEM_STORE) && !node->has_tensor_bytes) {
        node->spec.tensor_bytes =
            kind == ORR_NODE_MEM_LOAD ? node->input_bytes : node->output_bytes;
        node->spec.flags |= ORR_NODE_HAS_TENSOR_SIZE;
    }
    if (kind == ORR_NODE_COLL) {
        const enum orr_status status = finish_collective(reader, node);
        if (status != ORR_OK) {
            return status;
        }
    }
    node->spec.data_deps = (struct orr_deps){reader->parents, reader->parent_count};
    orr_trace_builder_set_location(reader->builder, node->record.record, node->record.at);
    return orr_trace_builder_add(reader->builder, &node->spec, reader->diag);
}

static enum orr_status read_node(struct legacy_reader *reader, struct conv_wire record)
{
    struct legacy_node node = {.spec.name = "", .record = record};
    struct conv_field field;
    bool ended = false;
    reader->parent_count = 0;
    enum orr_status status = orr_convert_wire_next(&record, &field, &ended, reader->diag);
    while (status == ORR_OK && !ended) {
        status = read_field(reader, &node, &field);
        if (status == ORR_OK) {
            status = orr_convert_wire_next(&record, &field, &ended, reader->diag);
        }
    }
    if (status == ORR_OK) {
        status = finish_node(reader, &node);
    }
    if (orr_arena_bytes(reader->scratch) > 0) {
        orr_arena_reset(reader->scratch);
        reader->parents = NULL;
        reader->parent_capacity = 0;
    }
    return status;
}

static enum orr_status read_all(struct legacy_reader *reader)
{
    struct conv_wire record;
    bool ended = false;
    enum orr_status status = orr_convert_wire_record(&reader->file, &record, &ended, reader->diag);
    while (status == ORR_OK && !ended) {
        record.record = reader->file.record - 1;
        status = read_node(reader, record);
        if (status == ORR_OK) {
            status = orr_convert_wire_record(&reader->file, &record, &ended, reader->diag);
        }
    }
    return status;
}

enum orr_status orr_chakra_legacy_read(struct orr_arena *arena, const struct orr_et_bytes *bytes,
                                       enum chakra_layout layout, const struct orr_trace **trace,
                                       struct orr_diag *diag)
{
    struct legacy_reader reader = {
        .file = {.name = bytes->name, .data = bytes->data, .end = bytes->count},
        .layout = layout,
        .diag = diag,
        .scratch = orr_arena_create(),
        .builder = orr_trace_builder_create(arena)};
    enum orr_status status = reader.scratch != NULL && reader.builder != NULL
                                 ? ORR_OK
                                 : orr_diag_no_memory(diag, "a trace");
    if (status == ORR_OK) {
        orr_trace_builder_set_source(reader.builder, bytes->name, orr_chakra_layout_name(layout));
        status = read_all(&reader);
    }
    if (status == ORR_OK) {
        status = orr_trace_builder_finish(reader.builder, trace, diag);
    }
    orr_trace_builder_destroy(reader.builder);
    orr_arena_destroy(reader.scratch);
    return status;
}
